"""Bag assignment draw by draw as in the released benchmark files.

Every item's bag is drawn on its own, so sizes and proportions hold on average only. The
order of the draws is part of the result.
"""

from __future__ import annotations

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from caveat.bags.worlds._margins import proportional_fit
from caveat.bags.worlds._targets import Targets
from caveat.exceptions import CaveatError

Floats = NDArray[np.float64]

_RESTARTS = 10
_STEP = 1e-11


def draw_legacy(
    variant: str,
    codes: NDArray,
    n_classes: int,
    clusters: NDArray | None,
    targets: Targets,
    seed: int,
) -> tuple[NDArray, Floats]:
    """Assign bags by the published procedure.

    Returns
    -------
    assignment : ndarray of shape (n_items,)
    expected : ndarray of shape (classes, bags)
        Items of every class that a bag gets on average.
    """
    rng = RandomState(seed)
    class_counts = np.bincount(codes, minlength=n_classes)
    n_bags = len(targets.sizes)
    rho = targets.sizes / targets.sizes.sum()
    if variant == "naive":
        chosen = rng.choice(n_bags, size=len(codes), p=rho)
        return chosen, np.outer(class_counts, rho)
    assert targets.proportions is not None
    wanted = targets.proportions.T
    if variant == "simple":
        rule = wanted * rho
        rule = rule / rule.sum(axis=1, keepdims=True)
        assignment = np.empty(len(codes), dtype=np.int64)
        for label in range(n_classes):
            rows = np.flatnonzero(codes == label)
            assignment[rows] = rng.choice(n_bags, size=len(rows), p=rule[label])
        return assignment, rule * class_counts[:, None]
    assert clusters is not None
    n_clusters = int(clusters.max()) + 1
    table = np.bincount(
        codes * n_clusters + clusters, minlength=n_classes * n_clusters
    ).reshape(n_classes, n_clusters)
    if variant == "intermediate":
        goal = np.rint(wanted * targets.sizes).astype(np.int64)
        given_cluster = descend(table, goal, RandomState(seed))
        assignment = np.empty(len(codes), dtype=np.int64)
        for cluster in range(n_clusters):
            rows = np.flatnonzero(clusters == cluster)
            assignment[rows] = rng.choice(
                n_bags, size=len(rows), p=given_cluster[cluster]
            )
        return assignment, table @ given_cluster
    start = rng.uniform(size=(n_classes, n_clusters, n_bags))
    joint = fit_joint(start / start.sum(), table / len(codes), wanted * rho, rho)
    return _draw_cells(rng, joint, codes, clusters, wanted * rho), _expected(
        joint, table
    )


def descend(table: NDArray, goal: NDArray, rng: RandomState) -> Floats:
    """Descend as published, which stops far from the optimum."""
    shape = (table.shape[1], goal.shape[1])
    best, least = None, 1e6
    constant = -2 * table.T @ goal
    curvature = 2 * table.T @ table
    for _ in range(_RESTARTS):
        A = _clip_and_divide(rng.normal(0.5, 0.5, size=shape))
        old = np.full(shape, 1e6)
        for _ in range(10_000):
            if np.linalg.norm(A - old) / np.linalg.norm(A) <= 1e-4:
                error = float(np.linalg.norm(goal - table @ A))
                if error < least:
                    best, least = A, error
                break
            old = A
            A = _clip_and_divide(A - _STEP * (constant + curvature @ A))
    if best is None or (best.sum(axis=0) == 0).any():
        raise CaveatError(
            "proportions: the published descent found no assignment of clusters to "
            "bags; change sizes, proportions or clusters, or use legacy=False"
        )
    return best


def fit_joint(start: Floats, table: Floats, by_bag: Floats, rho: Floats) -> Floats:
    """Joint table of label, cluster and bag: fitted to five margins in turn."""
    margins = [
        (table.sum(axis=1), (0,)),
        (table.sum(axis=0), (1,)),
        (rho, (2,)),
        (table, (0, 1)),
        (by_bag, (0, 2)),
    ]
    return proportional_fit(start, margins)[0]


def _draw_cells(
    rng: RandomState,
    joint: Floats,
    codes: NDArray,
    clusters: NDArray,
    by_bag: Floats,
) -> NDArray:
    assignment = np.empty(len(codes), dtype=np.int64)
    n_classes, n_clusters, n_bags = joint.shape
    for cluster in range(n_clusters):
        for label in range(n_classes):
            rows = np.flatnonzero((clusters == cluster) & (codes == label))
            mass = joint[label, cluster]
            # Published code leaves such items with a bag that was never drawn.
            rule = mass if mass.sum() > 0 else by_bag[label]
            assignment[rows] = rng.choice(n_bags, size=len(rows), p=rule / rule.sum())
    return assignment


def _expected(joint: Floats, table: NDArray) -> Floats:
    totals = joint.sum(axis=2, keepdims=True)
    rule = np.divide(joint, totals, out=np.zeros_like(joint), where=totals > 0)
    return np.einsum("cql,cq->cl", rule, table)


def _clip_and_divide(A: Floats) -> Floats:
    clipped = np.clip(A, 0.0, 1.0)
    totals = clipped.sum(axis=1, keepdims=True)
    return clipped / np.where(totals == 0, 1.0, totals)
