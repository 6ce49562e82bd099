"""Bags of a chosen variant, made from items with labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from caveat.bags._params import check_choice, check_whole
from caveat.bags._shares import check_bag_numbers, same_index, share_table
from caveat.bags.worlds._clusters import cluster_items
from caveat.bags.worlds._legacy_bags import draw_legacy
from caveat.bags.worlds._plans import (
    Plan,
    class_by_bag,
    plan_hard,
    plan_intermediate,
    plan_naive,
    plan_simple,
)
from caveat.bags.worlds._targets import Targets, resolve_targets
from caveat.exceptions import InvalidInput, listing

Floats = NDArray[np.float64]

VARIANTS = ("naive", "simple", "intermediate", "hard")


@dataclass(frozen=True)
class Bags:
    """Which item is in which bag, and what came of what was asked for.

    Attributes
    ----------
    assignment : ndarray of shape (n_items,)
        Bag of every item, 0..L-1; -1 for an item that was left out, which only
        bags made from features do.
    sizes : ndarray of shape (L,)
        Items in every bag, realised.
    proportions : ndarray of shape (L, n_classes)
        Share of every class in every bag, realised.
    classes : ndarray of shape (n_classes,)
        The columns of `proportions`.
    targets : Targets or None
        Sizes and proportions that were asked for, scaled to the number of items.
    residual : float
        How far the plan is from the targets before any item is drawn: Frobenius
        norm, in items, over classes and bags. 0 without target proportions.
    notes : tuple of str
        What could not be had, and by how much.

    Examples
    --------
    >>> import numpy as np
    >>> from caveat.bags import make_bags
    >>> y = np.array([0, 1] * 10)
    >>> bags = make_bags(None, y, variant="simple", proportions=[0.2, 0.8])
    >>> bags.sizes, bags.proportions[:, 1]
    (array([10, 10]), array([0.2, 0.8]))
    """

    assignment: NDArray
    sizes: NDArray
    proportions: Floats
    classes: NDArray
    targets: Targets | None = None
    residual: float = 0.0
    notes: tuple[str, ...] = field(default=())

    @property
    def kept(self) -> NDArray:
        """Rows of the items that are in a bag."""
        return np.flatnonzero(self.assignment >= 0)

    def to_frame(self) -> pd.DataFrame:
        """One row per bag: size and class shares, beside those asked for."""
        frame = pd.DataFrame({"size": self.sizes})
        for column, name in enumerate(self.classes):
            frame[f"share of {name}"] = self.proportions[:, column]
        if self.targets is not None:
            frame["target size"] = self.targets.sizes
            if self.targets.proportions is not None:
                for column, name in enumerate(self.classes):
                    wanted = self.targets.proportions[:, column]
                    frame[f"target share of {name}"] = wanted
        return frame


def make_bags(
    X: Any,
    y: ArrayLike,
    *,
    variant: str,
    n_bags: int | None = None,
    sizes: str | ArrayLike | None = None,
    proportions: str | ArrayLike | None = None,
    n_clusters: int = 5,
    clusters: ArrayLike | None = None,
    legacy: bool = False,
    retries: int = 0,
    random_state: Any = None,
) -> Bags:
    """Put labelled items into bags of a chosen dependence structure.

    Every item is used once. What a bag may depend on is what the variant says: nothing
    (``naive``), the label (``simple``), the features (``intermediate``), or both
    (``hard``); features count through clusters of items.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_items, n_features), or None
        The items; ``naive`` and ``simple`` do not look at them.
    y : array-like of shape (n_items,)
        Their labels.
    variant : {"naive", "simple", "intermediate", "hard"}
    n_bags : int, optional
        Number of bags; that of `sizes` or `proportions` if those are lists, else 5.
    sizes : {"equal", "not-equal"} or array-like of shape (n_bags,), optional
        Sizes relative to each other; they are scaled to the number of items. Equal by
        default; ``not-equal`` falls linearly from 3 to 1.
    proportions : {"close-global", "far-global", "mixed"} or array-like, optional
        Share of class 1, or of every class, in every bag. ``far-global`` by
        default; ``naive`` takes none.
    n_clusters : int, default=5
        Clusters of items, for ``intermediate`` and ``hard``.
    clusters : array-like of shape (n_items,), optional
        Clusters made elsewhere, whole numbers from 0.
    legacy : bool, default=False
        Draw every item's bag by itself, in the order and with the approximations of
        the released benchmark, bit for bit. Sizes and proportions then hold
        on average only.
    retries : int, default=0
        How often to try the next seed when a legacy draw leaves a bag empty.
    random_state : int, RandomState or None, default=None
        With `legacy` an int.

    Returns
    -------
    Bags
        Realised sizes and proportions beside the targets. By default sizes are met
        exactly; ``simple`` and ``hard`` meet proportions to the item (the
        targets are first scaled so that all bags together hold the classes as they
        are; whole numbers are chosen so that both margins add up). The
        proportions of ``intermediate`` are the closest that clusters allow.

    Warnings
    --------
    Warns when a bag misses its target by more than an item. Proportions far from the
    global ones are out of reach for ``intermediate`` unless clusters and labels
    go together.

    References
    ----------
    .. [1] G. Franco, G. Comarela, M. Crovella (2023). Evaluating LLP methods:
       challenges and approaches. Section 4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from caveat.bags import make_bags
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> bags = make_bags(X, y, variant="hard", n_bags=4, random_state=0)
    >>> bags.sizes
    array([143, 142, 142, 142])
    >>> bags.proportions[:, 1].round(2)
    array([0.87, 0.39, 0.94, 0.31])
    """
    check_choice("variant", variant, VARIANTS)
    check_whole("retries", retries, least=0)
    same_index(X, y, ("X", "y"))
    classes, codes = _labels(y)
    class_counts = np.bincount(codes, minlength=len(classes))
    targets = resolve_targets(
        variant, n_bags, sizes, proportions, class_counts, legacy=legacy
    )
    seed = _legacy_seed(random_state) if legacy else random_state
    rng = check_random_state(seed)
    groups = None
    if variant in ("intermediate", "hard"):
        groups = _clusters(
            X, len(codes), n_clusters, clusters, seed if legacy else rng, legacy
        )
    if legacy:
        for attempt in range(retries + 1):
            assignment, expected = draw_legacy(
                variant, codes, len(classes), groups, targets, seed + attempt
            )
            if len(np.unique(assignment)) == len(targets.sizes):
                break
    else:
        plan = _plan(variant, codes, class_counts, targets, groups, rng)
        assignment, expected = plan.draw(rng), plan.expected
    realised = np.bincount(assignment, minlength=len(targets.sizes))
    empty = np.flatnonzero(realised == 0)
    if len(empty):
        raise InvalidInput(
            f"bags: bag {listing(empty, 5)} got no item; change sizes, proportions or "
            "clusters, or allow retries"
        )
    shares = share_table(assignment, codes, len(classes), len(targets.sizes))
    residual = _residual(expected, targets)
    notes = _notes(variant, shares, realised, targets, residual)
    for note in notes if not legacy else ():
        warnings.warn(note, stacklevel=2)
    return Bags(assignment, realised, shares, classes, targets, residual, notes)


@dataclass(frozen=True)
class Feasibility:
    """What can be had of what is asked for, before any item is drawn.

    Attributes
    ----------
    exact : bool
        Whether the targets can be met to the item.
    targets : Targets
        What is asked for, scaled to the number of items.
    reachable : ndarray of shape (n_bags, n_classes)
        Proportions that the bags would have on average.
    residual : float
        Distance between the two, in items (Frobenius norm).
    notes : tuple of str
    """

    exact: bool
    targets: Targets
    reachable: Floats
    residual: float
    notes: tuple[str, ...]


def check_feasibility(
    X: Any,
    y: ArrayLike,
    *,
    variant: str,
    n_bags: int | None = None,
    sizes: str | ArrayLike | None = None,
    proportions: str | ArrayLike | None = None,
    n_clusters: int = 5,
    clusters: ArrayLike | None = None,
    random_state: Any = None,
) -> Feasibility:
    """Say how close `make_bags` would come to its targets, without making bags.

    Parameters
    ----------
    X, y, variant, n_bags, sizes, proportions, n_clusters, clusters, random_state
        As in `make_bags`.

    Returns
    -------
    Feasibility

    Examples
    --------
    >>> from caveat.bags import check_feasibility
    >>> y = [0, 1] * 10
    >>> found = check_feasibility(None, y, variant="simple", proportions=[0.9, 0.9])
    >>> found.exact, found.reachable[:, 1]
    (False, array([0.5, 0.5]))
    """
    check_choice("variant", variant, VARIANTS)
    same_index(X, y, ("X", "y"))
    classes, codes = _labels(y)
    class_counts = np.bincount(codes, minlength=len(classes))
    targets = resolve_targets(
        variant, n_bags, sizes, proportions, class_counts, legacy=False
    )
    rng = check_random_state(random_state)
    groups = None
    if variant in ("intermediate", "hard"):
        groups = _clusters(X, len(codes), n_clusters, clusters, rng, False)
    if variant == "hard":
        # Its clusters do not bind: a joint table exists whenever Simple's does.
        expected = class_by_bag(class_counts, targets)
    else:
        expected = _plan(variant, codes, class_counts, targets, groups, rng).expected
    totals = expected.sum(axis=0)
    shares = (expected / totals).T
    residual = _residual(expected, targets)
    notes = _notes(variant, shares, totals, targets, residual)
    return Feasibility(not notes, targets, shares, residual, notes)


def _plan(
    variant: str,
    codes: NDArray,
    class_counts: NDArray,
    targets: Targets,
    clusters: NDArray | None,
    rng: Any,
) -> Plan:
    if variant == "naive":
        return plan_naive(codes, class_counts, targets)
    if variant == "simple":
        return plan_simple(codes, class_counts, targets)
    assert clusters is not None
    if variant == "intermediate":
        return plan_intermediate(codes, class_counts, targets, clusters)
    return plan_hard(codes, class_counts, targets, clusters, rng)


def _labels(y: ArrayLike) -> tuple[NDArray, NDArray]:
    labels = np.asarray(y)
    if labels.ndim != 1 or len(labels) == 0:
        raise InvalidInput(f"y: found shape {labels.shape}; expected a label per item")
    if pd.isna(labels).any():
        row = int(np.argmax(pd.isna(labels)))
        raise InvalidInput(f"y: row {row} has no label; every item needs one")
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        only = classes.tolist()[0]
        raise InvalidInput(f"y: found one class, {only!r}; expected two or more")
    return classes, codes


def _clusters(
    X: Any,
    n_items: int,
    n_clusters: int,
    clusters: ArrayLike | None,
    random_state: Any,
    legacy: bool,
) -> NDArray:
    if clusters is not None:
        numbers = check_bag_numbers(clusters, n_items, "clusters")
        missing = np.flatnonzero(np.bincount(numbers) == 0)
        if len(missing):
            raise InvalidInput(
                f"clusters: cluster {missing[0]} has no item; number them without gaps"
            )
        return numbers
    check_whole("n_clusters", n_clusters, least=1)
    if X is None:
        raise InvalidInput("X: found none; this variant clusters the items")
    try:
        items = check_array(X, accept_sparse="csr", dtype=np.float64)
    except ValueError as error:
        raise InvalidInput(
            f"X: {error}; encode and impute it first (caveat.tables.TableEncoder)"
        ) from error
    if items.shape[0] != n_items:
        raise InvalidInput(f"X: found {items.shape[0]} items, but y has {n_items}")
    if n_clusters == 1:
        warnings.warn(
            "n_clusters: with one cluster bags cannot depend on the features, so "
            "'hard' is no harder than 'simple', 'intermediate' no other than 'naive'",
            stacklevel=3,
        )
    if legacy and sparse.issparse(items):
        items = items.toarray()
    return cluster_items(items, n_clusters, random_state, legacy=legacy)


def _legacy_seed(random_state: Any) -> int:
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise InvalidInput(
            f"random_state: found {random_state!r}; legacy bags need a whole number, "
            "which seeds several generators"
        )
    return int(random_state)


def _residual(expected: Floats, targets: Targets) -> float:
    if targets.proportions is None:
        return 0.0
    goal = (targets.proportions * targets.sizes[:, None]).T
    return float(np.linalg.norm(goal - expected))


def _notes(
    variant: str, shares: Floats, sizes: NDArray, targets: Targets, residual: float
) -> tuple[str, ...]:
    """Name the bag that misses its target most, if by more than an item."""
    if targets.proportions is None:
        return ()
    gap = np.abs(shares * sizes[:, None] - targets.proportions * targets.sizes[:, None])
    if gap.max() <= 1.0 + 1e-9:
        return ()
    # Of two classes, speak of the second.
    column = gap.shape[1] - 1 if gap.shape[1] == 2 else int(gap.max(axis=0).argmax())
    bag = int(gap[:, column].argmax())
    return (
        f"proportions: {variant} bags miss their targets; bag {bag} has a share of "
        f"{shares[bag, column]:.4g} of class {column}, not "
        f"{targets.proportions[bag, column]:.4g} (off by {gap.max():.0f} items; "
        f"residual {residual:.0f})",
    )
