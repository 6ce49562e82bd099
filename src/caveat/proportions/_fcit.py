"""FCIT: a fast conditional independence test by prediction.

If x says something about y that z does not, then x and z together predict y better than
z alone. Decision trees predict, held-out error decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy import stats
from sklearn.utils import check_random_state

from caveat.proportions._tree import BinnedItems, boosted_errors, tree_errors

Floats = NDArray[np.float64]


class Setting(NamedTuple):
    """How trees are grown: fewest rows of a node that is split, and how many trees."""

    min_split: int | float
    n_trees: int = 1


GRID: tuple[int | float, ...] = (2, 8, 64, 512, 0.01, 0.2, 0.4)
"""`min_samples_split` of the published test, in its order."""

_BOOSTED_GRID: tuple[int | float, ...] = (512, 0.2, 0.4)
_MOST_TREES = 8
_SHRINKAGE = 0.3
_TEST_SHARE = 0.1
_CHOICE_SPLITS = 3


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
        ``boosted`` lets up to eight small trees explain what is left over, each
        by a part, and takes one setting for both sides, so that they differ in x only.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    float, between 0 and 1
        p-value; small means dependent.

    Warnings
    --------
    The divisions share items, so their errors are not independent and the p-value is
    not calibrated: it piles up near 0 and near 1. Read it as a decision.

    References
    ----------
    .. [1] K. Chalupka, P. Perona, F. Eberhardt (2018). Fast conditional independence
       test for vector variables with large sample sizes.
    """
    rng = check_random_state(random_state)
    target = standardised(y)
    n = len(target)
    n_test = max(1, int(_TEST_SHARE * n))
    orders = [rng.permutation(n) for _ in range(n_permutations)]
    full = x if z is None else BinnedItems.joined(x, z)
    # What is left when x tells nothing: z alone, or x of other items.
    rest = x if z is None else z
    informed = _scores(full, target, rng, trees)
    moved, _ = _moved(target, z, rng)
    blind = _scores(rest, moved, rng, trees)
    with_setting, without_setting = _best(informed), _best(blind)
    if trees == "boosted":
        both = {setting: informed[setting] + blind[setting] for setting in informed}
        with_setting = without_setting = _best(both)
    with_x, without = [], []
    for order in orders:
        with_x.append(
            held_out_error(full, target, order, n_test, with_setting, rng, trees)
        )
        moved, place = _moved(target, z, rng)
        there = place[order]
        without.append(
            held_out_error(rest, moved, there, n_test, without_setting, rng, trees)
        )
    return ratio_test(np.array(without), np.array(with_x))


def choose_setting(
    items: BinnedItems, y: Floats, rng: RandomState, trees: str
) -> Setting:
    """Best setting by R^2 on three random tenths."""
    return _best(_scores(items, y, rng, trees))


def held_out_error(
    items: BinnedItems,
    y: Floats,
    order: NDArray,
    n_test: int,
    setting: Setting,
    rng: RandomState,
    trees: str,
) -> float:
    """Mean squared error on the first items of an order after growing on the rest."""
    train, test = order[n_test:], order[:n_test]
    m, n_trees = setting
    if trees == "single":
        return float(tree_errors(items, y, train, test, [m], rng).mean())
    errors = boosted_errors(items, y, train, test, m, n_trees, _SHRINKAGE, rng)
    return float(errors[-1].mean())


def ratio_test(without: Floats, with_x: Floats) -> float:
    """One-sided t-test of the error ratios against 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where((with_x == 0) & (without == 0), 1.0, without / with_x)
    # An error of 0 with x and not without it is as dependent as can be.
    if np.isinf(ratios).any():
        return 0.0
    if np.ptp(ratios) == 0:
        return 0.0 if ratios[0] > 1.0 else 1.0
    t, two_sided = stats.ttest_1samp(ratios, 1.0)
    return float(two_sided / 2 if t >= 0 else 1 - two_sided / 2)


def standardised(y: Floats) -> Floats:
    """Columns with mean 0 and standard deviation 1; constant ones are 0."""
    values = np.asarray(y, dtype=np.float64)
    values = values[:, None] if values.ndim == 1 else values
    spread = values.std(axis=0)
    return (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _scores(
    items: BinnedItems, y: Floats, rng: RandomState, trees: str
) -> dict[Setting, float]:
    """Sum of R^2 over three random tenths, setting by setting, in the grid's order."""
    n = items.n_items
    n_test = max(1, int(_TEST_SHARE * n))
    scores: dict[Setting, float] = {}
    for _ in range(_CHOICE_SPLITS):
        order = rng.permutation(n)
        test, train = order[:n_test], order[n_test:]
        spread = y[test].var(axis=0)
        for setting, error in _errors(items, y, train, test, rng, trees):
            # A constant output is predicted perfectly or not at all.
            share = np.where(
                spread > 0, error / np.where(spread > 0, spread, 1.0), error > 1e-12
            )
            scores[setting] = scores.get(setting, 0.0) + float((1.0 - share).mean())
    return scores


def _errors(
    items: BinnedItems,
    y: Floats,
    train: NDArray,
    test: NDArray,
    rng: RandomState,
    trees: str,
) -> Iterator[tuple[Setting, Floats]]:
    """Every setting with its test error per output."""
    if trees == "single":
        found = tree_errors(items, y, train, test, list(GRID), rng)
        yield from zip(map(Setting, GRID), found, strict=True)
        return
    for m in _BOOSTED_GRID:
        found = boosted_errors(items, y, train, test, m, _MOST_TREES, _SHRINKAGE, rng)
        for k, error in enumerate(found):
            yield Setting(m, k + 1), error


def _best(scores: dict[Setting, float]) -> Setting:
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
