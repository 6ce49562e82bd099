"""How many items of which kind go to which bag, before any item is drawn.

A *kind* is what a variant lets the bag depend on: nothing (Naive), the label (Simple),
the cluster (Intermediate), or both (Hard). A plan holds whole numbers of items per kind
and bag; drawing it is a shuffle within each kind, so a variant's independences
hold by construction, and sizes and proportions hold exactly where that allows it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from caveat.bags.worlds._margins import (
    closest_mixture,
    controlled_rounding,
    fit_margins,
    proportional_fit,
)
from caveat.bags.worlds._targets import Targets
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """Numbers of items of every kind for every bag.

    Attributes
    ----------
    kinds : ndarray of shape (n_items,)
        Kind of every item.
    counts : ndarray of shape (n_kinds, n_bags)
        Whole numbers; a row adds up to the items of its kind.
    expected : ndarray of shape (n_classes, n_bags)
        Items of every class that a bag gets on average over shuffles.
    """

    kinds: NDArray
    counts: NDArray
    expected: Floats

    def draw(self, rng: RandomState) -> NDArray:
        """Bag of every item."""
        assignment = np.empty(len(self.kinds), dtype=np.int64)
        bags = np.arange(self.counts.shape[1])
        for kind, row in enumerate(self.counts):
            rows = np.flatnonzero(self.kinds == kind)
            assignment[rng.permutation(rows)] = np.repeat(bags, row)
        return assignment


def plan_naive(codes: NDArray, class_counts: NDArray, targets: Targets) -> Plan:
    """Plan with one kind: everybody."""
    shares = targets.sizes / targets.sizes.sum()
    return Plan(
        np.zeros(len(codes), dtype=np.int64),
        targets.sizes[None, :],
        np.outer(class_counts, shares),
    )


def plan_simple(codes: NDArray, class_counts: NDArray, targets: Targets) -> Plan:
    """Plan with a kind per class; both margins, classes and sizes, are met."""
    table = class_by_bag(class_counts, targets)
    counts = controlled_rounding(table, class_counts, targets.sizes)
    return Plan(codes, counts, counts.astype(np.float64))


def plan_intermediate(
    codes: NDArray, class_counts: NDArray, targets: Targets, clusters: NDArray
) -> Plan:
    """Plan with a kind per cluster: the mixture that comes closest to the targets."""
    assert targets.proportions is not None
    table = class_by_cluster(codes, clusters, len(class_counts))
    goal = (targets.proportions * targets.sizes[:, None]).T
    rule = closest_mixture(table.astype(np.float64), goal)
    cluster_sizes = table.sum(axis=0)
    wanted = cluster_sizes[:, None] * rule
    totals = _whole(wanted.sum(axis=0), int(cluster_sizes.sum()))
    counts = controlled_rounding(wanted, cluster_sizes, totals)
    return Plan(clusters, counts, (table / cluster_sizes) @ counts)


def plan_hard(
    codes: NDArray,
    class_counts: NDArray,
    targets: Targets,
    clusters: NDArray,
    rng: RandomState,
) -> Plan:
    """Plan with a kind per class and cluster: a random joint table, fitted to margins.

    The margins are first made to agree with each other, so that the fit converges.
    """
    n = len(codes)
    table = class_by_cluster(codes, clusters, len(class_counts))
    by_bag = class_by_bag(class_counts, targets)
    start = rng.uniform(size=(*table.shape, len(targets.sizes)))
    margins = [(table / n, (0, 1)), (by_bag / n, (0, 2))]
    joint, _ = proportional_fit(
        start / start.sum(), margins, tolerance=1e-12, stall=0.0, most=10_000
    )
    whole_bags = controlled_rounding(by_bag, class_counts, targets.sizes)
    counts = [
        controlled_rounding(n * joint[label], table[label], whole_bags[label])
        for label in range(len(class_counts))
    ]
    kinds = codes * table.shape[1] + clusters
    return Plan(kinds, np.vstack(counts), whole_bags.astype(np.float64))


def class_by_cluster(codes: NDArray, clusters: NDArray, n_classes: int) -> NDArray:
    """Count items per class and cluster."""
    n_clusters = int(clusters.max()) + 1
    flat = np.bincount(codes * n_clusters + clusters, minlength=n_classes * n_clusters)
    return flat.reshape(n_classes, n_clusters)


def class_by_bag(class_counts: NDArray, targets: Targets) -> Floats:
    """Wanted items per class and bag, scaled so that classes and sizes add up."""
    assert targets.proportions is not None
    table = (targets.proportions * targets.sizes[:, None]).T
    short = np.flatnonzero((table.sum(axis=1) == 0) & (class_counts > 0))
    if len(short):
        raise InvalidInput(
            f"proportions: no bag takes any item of class {short[0]}, which has "
            f"{class_counts[short[0]]}; every item has to go somewhere"
        )
    columns = targets.sizes.astype(np.float64)
    fitted = fit_margins(table.T, columns, class_counts.astype(np.float64)).T
    if not np.allclose(fitted.sum(axis=1), class_counts, atol=0.5):
        raise InvalidInput(
            "proportions: zeros leave too little room for the classes as they are; "
            "raise a proportion of 0, or change sizes"
        )
    return fitted


def _whole(values: Floats, total: int) -> NDArray:
    whole = np.floor(values + 1e-9).astype(np.int64)
    short = total - int(whole.sum())
    whole[np.argsort(whole - values, kind="stable")[:short]] += 1
    return whole
