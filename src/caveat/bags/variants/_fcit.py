"""FCIT: a fast conditional independence test by prediction.

If x says something about y that z does not, then x and z together predict y better than
z alone. Decision trees predict, held-out error decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy import stats
from sklearn.utils import check_random_state

from caveat.bags.variants._tree import BinnedItems, boost, rows_to_split, tree_errors

Floats = NDArray[np.float64]


class Setting(NamedTuple):
    """How trees are grown: fewest rows of a node that is split, and how many trees."""

    min_split: int | float
    n_trees: int = 1


class Independence(NamedTuple):
    """A p-value, and the smallest drop of the error that four of five tests see."""

    p_value: float
    smallest_seen: float


class Pace(NamedTuple):
    """How fast trees are added up.

    The share of a tree that counts; most trees, and most for what z explains alone, of
    which so many are grown at a time.
    """

    share: float
    most: int
    most_first: int
    at_a_time: int


SMALL = 6144
"""Tables of fewer items than this are tested by fewer trees in larger steps."""

GRID: tuple[int | float, ...] = (2, 8, 64, 512, 0.01, 0.2, 0.4)
"""`min_samples_split` of the published test, in its order."""

_BOOSTED_GRID: tuple[int | float, ...] = (512, 0.2, 0.4)
_STEPS, _STRIDES = Pace(0.3, 8, 40, 10), Pace(0.5, 4, 20, 5)
_TEST_SHARE = 0.1
_CHOICE_SPLITS = 3
_ROUNDING = 1e-12


def fcit(
    x: BinnedItems,
    y: Floats,
    z: BinnedItems | None = None,
    *,
    n_permutations: int = 30,
    trees: str = "boosted",
    random_state: Any = None,
) -> float:
    """Test whether x and y are independent, given z.

    Parameters
    ----------
    x : BinnedItems
        Predicts, beside z.
    y : ndarray of shape (items, outputs)
        What is predicted; columns are standardised.
    z : BinnedItems, optional
        What is given.
    n_permutations : int, default=30
        How many random divisions into training and test items.
    trees : {"boosted", "single"}, default="boosted"
        ``single`` is the published test: one tree, its `min_samples_split` chosen
        for x and z and again for z alone. A single tree spends its splits on what
        matters most, so a weak x beside a strong z goes unseen on thousands of items.
        ``boosted`` first lets z explain what it can, with as many small trees as that
        takes; then up to eight more trees see x and z, or z alone. One setting
        serves both sides, so that they differ in x only; and the t-test knows that
        the divisions share items.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    float, between 0 and 1
        p-value; small means dependent.

    Warnings
    --------
    The divisions share items, so their errors are not independent: the p-value of
    ``single`` is too small or too large, and piles up near 0 and near 1; that of
    ``boosted`` is corrected for it [2]_, roughly. Read it as a decision.

    References
    ----------
    .. [1] K. Chalupka, P. Perona, F. Eberhardt (2018). Fast conditional independence
       test for vector variables with large sample sizes.
    .. [2] C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine
       Learning 52(3).
    """
    return fcit_test(
        x, y, z, n_permutations=n_permutations, trees=trees, random_state=random_state
    ).p_value


def fcit_test(
    x: BinnedItems,
    y: Floats,
    z: BinnedItems | None = None,
    *,
    n_permutations: int = 30,
    trees: str = "boosted",
    alpha: float = 0.05,
    random_state: Any = None,
) -> Independence:
    """Run `fcit`, and say how strong a dependence it would have seen.

    Parameters
    ----------
    x, y, z, n_permutations, trees, random_state
        As in `fcit`.
    alpha : float, default=0.05
        Level of the test.

    Returns
    -------
    Independence
    """
    rng = check_random_state(random_state)
    target = standardised(y)
    n = len(target)
    n_test = max(1, int(_TEST_SHARE * n))
    orders = [rng.permutation(n) for _ in range(n_permutations)]
    full = x if z is None else BinnedItems.joined(x, z)
    # What is left when x tells nothing: z alone, or x of other items.
    rest = x if z is None else z
    published = trees == "single"
    compare = _single_errors if published else _boosted_errors
    with_x, without = compare(full, rest, target, z, orders, n_test, rng)
    shared = 0.0 if published else n_test / (n - n_test)
    errors = np.array(without), np.array(with_x)
    return Independence(
        ratio_test(*errors, shared=shared),
        detectable_drop(*errors, shared=shared, alpha=alpha),
    )


def _single_errors(
    full: BinnedItems,
    rest: BinnedItems,
    target: Floats,
    z: BinnedItems | None,
    orders: list[NDArray],
    n_test: int,
    rng: RandomState,
) -> tuple[list[float], list[float]]:
    """Held-out errors with and without x, division by division, as published."""
    informed = choose_min_split(full, target, rng)
    blind = choose_min_split(rest, _moved(target, z, rng)[0], rng)
    with_x, without = [], []
    for order in orders:
        with_x.append(held_out_error(full, target, order, n_test, informed, rng))
        moved, place = _moved(target, z, rng)
        without.append(held_out_error(rest, moved, place[order], n_test, blind, rng))
    return with_x, without


def choose_min_split(items: BinnedItems, y: Floats, rng: RandomState) -> int | float:
    """Best `min_samples_split` by R^2 on three random tenths."""
    scores = dict.fromkeys(GRID, 0.0)
    for train, test in _choice_splits(len(y), rng):
        errors = tree_errors(items, y, train, test, list(GRID), rng)
        for m, error in zip(GRID, errors, strict=True):
            scores[m] += float(_r2(error, y[test]))
    return _best(scores)


def held_out_error(
    items: BinnedItems,
    y: Floats,
    order: NDArray,
    n_test: int,
    min_split: int | float,
    rng: RandomState,
) -> float:
    """Mean squared error on the first items of an order after growing on the rest."""
    errors = tree_errors(items, y, order[n_test:], order[:n_test], [min_split], rng)
    return float(errors.mean())


def _boosted_errors(
    full: BinnedItems,
    rest: BinnedItems,
    target: Floats,
    z: BinnedItems | None,
    orders: list[NDArray],
    n_test: int,
    rng: RandomState,
) -> tuple[list[float], list[float]]:
    """Held-out errors with and without x, after z has explained what it can."""
    first = None if z is None else _first_setting(z, target, rng)

    def left_over(order: NDArray) -> Floats:
        if z is None or first is None:
            return target
        return _boosted(z, target, order[n_test:], order[:n_test], first, rng)[0]

    setting = _common_setting(full, rest, target, z, left_over, rng)
    with_x, without = [], []
    for order in orders:
        remaining = left_over(order)
        train, test = order[n_test:], order[:n_test]
        _, errors = _boosted(full, remaining, train, test, setting, rng)
        with_x.append(float(errors[-1].mean()))
        moved, place = _moved(remaining, z, rng)
        _, errors = _boosted(rest, moved, place[train], place[test], setting, rng)
        without.append(float(errors[-1].mean()))
    return with_x, without


def _boosted(
    items: BinnedItems,
    y: Floats,
    train: NDArray,
    test: NDArray,
    setting: Setting,
    rng: RandomState,
) -> tuple[Floats, Floats]:
    orders = items.orders(setting.n_trees, rng)
    share = _pace(len(y)).share
    return boost(items, y, train, test, setting.min_split, orders, share)


def _pace(n: int) -> Pace:
    return _STRIDES if n < SMALL else _STEPS


def _first_setting(z: BinnedItems, y: Floats, rng: RandomState) -> Setting:
    """How z explains y best on its own."""
    grid, pace = _settings(len(y)), _pace(len(y))
    plans = [
        (train, test, [z.orders(pace.most_first, rng) for _ in grid])
        for train, test in _choice_splits(len(y), rng)
    ]
    scores: dict[Setting, float] = {}
    for i, m in enumerate(grid):
        left, found = [y] * len(plans), np.zeros(0)
        # Some trees more, as long as the last ones were worth it.
        while len(found) < pace.most_first:
            now = slice(len(found), len(found) + pace.at_a_time)
            gains = np.zeros(pace.at_a_time)
            for j, (train, test, orders) in enumerate(plans):
                left[j], errors = boost(
                    z, left[j], train, test, m, orders[i][now], pace.share
                )
                gains += _r2(errors, y[test])
            found = np.concatenate([found, gains])
            if found.argmax() < now.start:
                break
        scores |= {Setting(m, k + 1): score for k, score in enumerate(found)}
    return _best(scores)


def _common_setting(
    full: BinnedItems,
    rest: BinnedItems,
    target: Floats,
    z: BinnedItems | None,
    left_over: Callable[[NDArray], Floats],
    rng: RandomState,
) -> Setting:
    """Find the setting that explains most of what is left, with x and without."""
    grid, pace = _settings(len(target)), _pace(len(target))
    scores = np.zeros((len(grid), pace.most))
    for train, test in _choice_splits(len(target), rng):
        remaining = left_over(np.concatenate([test, train]))
        moved, place = _moved(remaining, z, rng)
        for i, m in enumerate(grid):
            most = Setting(m, pace.most)
            _, informed = _boosted(full, remaining, train, test, most, rng)
            _, blind = _boosted(rest, moved, place[train], place[test], most, rng)
            scores[i] += _r2(informed + blind, target[test])
    best, n_trees = np.unravel_index(scores.argmax(), scores.shape)
    return Setting(grid[best], int(n_trees) + 1)


def _settings(n: int) -> list[int | float]:
    """`min_samples_split` to choose from; of two that are nearly one, the first."""
    n_train = n - max(1, int(_TEST_SHARE * n))
    kept: dict[int | float, int] = {}
    for m in _BOOSTED_GRID:
        rows = rows_to_split(m, n_train)
        if all(abs(rows - other) > other // 8 for other in kept.values()):
            kept[m] = rows
    return list(kept)


def ratio_test(without: Floats, with_x: Floats, *, shared: float = 0.0) -> float:
    """One-sided t-test of the error ratios against 1.

    Parameters
    ----------
    without, with_x : ndarray
        Held-out errors, division by division.
    shared : float, default=0.0
        Test items over training items of a division: what the variance of the mean of
        J ratios has beside its 1/J because divisions share items (Nadeau and Bengio,
        2003, corrected resampled t-test). 0 is the plain test.

    Returns
    -------
    float, between 0 and 1
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where((with_x == 0) & (without == 0), 1.0, without / with_x)
    # An error of 0 with x and not without it is as dependent as can be.
    if np.isinf(ratios).any():
        return 0.0
    # Ratios that differ by rounding only have no spread to measure a distance with.
    if np.ptp(ratios) <= _ROUNDING:
        return 0.0 if ratios.mean() > 1.0 + _ROUNDING else 1.0
    count = len(ratios)
    error = ratios.std(ddof=1) * np.sqrt(1.0 / count + shared)
    return float(stats.t.sf((ratios.mean() - 1.0) / error, count - 1))


def detectable_drop(
    without: Floats,
    with_x: Floats,
    *,
    shared: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """Smallest share of the error that trees would have to explain by x to see it.

    Parameters
    ----------
    without, with_x, shared
        As in `ratio_test`, whose spread it takes.
    alpha, power : float
        Level of the test, and how often it is to see the drop.

    Returns
    -------
    float, between 0 and 1; NaN where the errors have no spread.

    Warnings
    --------
    It is about what the trees explain on held-out items, which is less than x tells.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = without / with_x
    if not np.isfinite(ratios).all() or np.ptp(ratios) <= _ROUNDING:
        return np.nan
    count = len(ratios)
    error = ratios.std(ddof=1) * np.sqrt(1.0 / count + shared)
    t = stats.t(count - 1)
    excess = (t.isf(alpha) + t.ppf(power)) * error
    return float(excess / (1.0 + excess))


def standardised(y: Floats) -> Floats:
    """Columns with mean 0 and standard deviation 1; constant ones are 0."""
    values = np.asarray(y, dtype=np.float64)
    values = values[:, None] if values.ndim == 1 else values
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _choice_splits(n: int, rng: RandomState) -> Iterator[tuple[NDArray, NDArray]]:
    n_test = max(1, int(_TEST_SHARE * n))
    for _ in range(_CHOICE_SPLITS):
        order = rng.permutation(n)
        yield order[n_test:], order[:n_test]


def _r2(errors: Floats, y: Floats) -> Floats:
    """Mean over outputs (last axis); a constant one is predicted well or not at all."""
    spread = y.var(axis=0)
    share = np.where(
        spread > 0, errors / np.where(spread > 0, spread, 1.0), errors > 1e-12
    )
    return (1.0 - share).mean(axis=-1)


def _best(scores: Mapping[Any, float]) -> Any:
    return max(scores, key=lambda setting: scores[setting])


def _moved(
    y: Floats, z: BinnedItems | None, rng: RandomState
) -> tuple[Floats, NDArray]:
    """Move the targets to other items, unless there is z, and say where each went.

    The same as moving x, and cheaper. Who tests the moved targets at their new places
    tests the same targets as before.
    """
    order = np.arange(len(y)) if z is not None else rng.permutation(len(y))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return y[order], place
