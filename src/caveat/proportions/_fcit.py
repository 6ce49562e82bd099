"""FCIT: a fast conditional independence test by prediction.

If x says something about y that z does not, then x and z together predict y better than z
alone. Decision trees predict, held-out error decides.
"""

from __future__ import annotations

from collections.abc import Sequence
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


GRID = tuple(Setting(m) for m in (2, 8, 64, 512, 0.01, 0.2, 0.4))
"""The settings of the published test, in its order."""

_BOOSTED_SPLITS = (512, 0.2, 0.4)
_MOST_TREES = 8
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
        ``boosted`` lets up to eight small trees explain what is left over, and
        takes one setting for both sides, so that they differ in x only.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    float, between 0 and 1
        p-value; small means dependent.

    Warnings
    --------
    The divisions share items, so their errors are not independent and the p-value is not
    calibrated: it piles up near 0 and near 1. Read it as a decision.

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
    # What is left when x tells nothing: z alone, or x of other items. Moving the
    # targets to other items is the same as moving x, and cheaper.
    rest = x if z is None else z
    informed = _scores(full, target, rng, trees)
    blind = _scores(rest, _moved(target, z, rng), rng, trees)
    with_setting, without_setting = _best(informed), _best(blind)
    if trees == "boosted":
        both = {setting: informed[setting] + blind[setting] for setting in informed}
        with_setting = without_setting = _best(both)
    with_x = [
        held_out_error(full, target, order, n_test, with_setting, rng)
        for order in orders
    ]
    without = [
        held_out_error(
            rest, _moved(target, z, rng), order, n_test, without_setting, rng
        )
        for order in orders
    ]
    return ratio_test(np.array(without), np.array(with_x))


def choose_setting(items: BinnedItems, y: Floats, rng: RandomState) -> Setting:
    """Best setting of a single tree by R^2 on three random tenths."""
    return _best(_scores(items, y, rng, "single"))


def held_out_error(
    items: BinnedItems,
    y: Floats,
    order: NDArray,
    n_test: int,
    setting: Setting,
    rng: RandomState,
) -> float:
    """Mean squared error on the first items of an order after growing on the rest."""
    train, test = order[n_test:], order[:n_test]
    m, n_trees = setting
    if n_trees == 1:
        return float(tree_errors(items, y, train, test, [m], rng).mean())
    return float(boosted_errors(items, y, train, test, m, n_trees, rng)[-1].mean())


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
    scores = dict.fromkeys(GRID, 0.0)
    for _ in range(_CHOICE_SPLITS):
        order = rng.permutation(n)
        test, train = order[:n_test], order[n_test:]
        spread = y[test].var(axis=0)
        found: list[tuple[Sequence[Setting], Floats]] = [
            (GRID, tree_errors(items, y, train, test, [s.min_split for s in GRID], rng))
        ]
        for m in _BOOSTED_SPLITS if trees == "boosted" else ():
            settings = [Setting(m, k + 1) for k in range(_MOST_TREES)]
            errors = boosted_errors(items, y, train, test, m, _MOST_TREES, rng)
            found.append((settings[1:], errors[1:]))
        for settings, errors in found:
            for setting, error in zip(settings, errors, strict=True):
                # A constant output is predicted perfectly or not at all.
                share = np.where(
                    spread > 0, error / np.where(spread > 0, spread, 1.0), error > 1e-12
                )
                scores[setting] = scores.get(setting, 0.0) + float((1.0 - share).mean())
    return scores


def _best(scores: dict[Setting, float]) -> Setting:
    return max(scores, key=lambda setting: scores[setting])


def _moved(y: Floats, z: BinnedItems | None, rng: RandomState) -> Floats:
    return y if z is not None else y[rng.permutation(len(y))]
