"""Which training rows are held out to say when a model should stop learning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput

FEWEST_ROWS = 10
"""With fewer rows nothing is held out: every one is needed to learn from."""

Places = NDArray[np.intp]


def hold_out(
    target: NDArray[Any],
    share: float,
    *,
    classify: bool,
    seed: int,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    weights: NDArray[np.float64] | None = None,
) -> Places:
    """Choose the rows to hold out: late ones, whole groups, or some of every class.

    No class is held out altogether: its rows (with groups: the groups that hold them)
    stay in the part that is learnt from.

    Parameters
    ----------
    target : array of shape (n_rows,)
        Codes of classes, or numbers.
    share : float
        Between 0 and 1; at least one row.
    classify : bool
        Whether the target holds classes.
    seed : int
    groups : array-like or None
        Rows of one group stay together.
    time : array-like or None
        The latest rows, or the groups that end last, are held out; rows of the same
        time stay together.
    weights : array or None
        How much the rows count: those that weigh nothing can say nothing.

    Returns
    -------
    array of int
        Row numbers, sorted; none if there are fewer than 10 rows that count.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.zeros(10)
    >>> hold_out(y, 0.2, classify=False, seed=0, time=range(10)).tolist()
    [8, 9]
    """
    if not 0 < share < 1:
        raise InvalidInput(
            f"validation is {share}; pass a share between 0 and 1, or a pair (X, y)"
        )
    n_rows = len(target)
    rows = np.arange(n_rows) if weights is None else np.flatnonzero(weights)
    target = target[rows]
    if len(rows) < FEWEST_ROWS:
        return np.arange(0)
    wanted = max(1, round(share * len(rows)))
    unit = np.arange(len(rows))
    if groups is not None:
        unit = _codes(groups, n_rows, "groups", rows)
    if groups is not None and unit.max() == 0:
        raise InvalidInput(
            "groups has one value only, so nothing can be held out; pass validation="
            "(X, y), or leave groups out"
        )
    if time is not None:
        held = _latest(_codes(time, n_rows, "time", rows), unit, wanted)
    elif groups is not None or not classify:
        held = _drawn(unit, wanted, seed)
    else:
        held = _of_each_class(target, wanted, seed)
    if classify:
        lost = np.setdiff1d(target[held], target[~held])
        held &= ~np.isin(unit, unit[np.isin(target, lost)])
    return rows[held]


def _codes(values: ArrayLike, n_rows: int, name: str, rows: Places) -> Places:
    """Give the values of some rows their places in order; equal ones have the same."""
    series = pd.Series(values).reset_index(drop=True)
    if len(series) != n_rows:
        raise InvalidInput(f"the table has {n_rows} rows, but {name} has {len(series)}")
    if series.isna().any():
        row = int(series.isna().to_numpy().argmax())
        raise InvalidInput(f"{name} is missing in row {row}; fill it or leave it out")
    try:
        return np.unique(series.to_numpy()[rows], return_inverse=True)[1]
    except TypeError as error:
        raise InvalidInput(
            f"{name} holds values of several types, which have no order; turn them all "
            "into text or all into numbers"
        ) from error


def _latest(moment: Places, unit: Places, wanted: int) -> NDArray[np.bool_]:
    ends = np.full(unit.max() + 1, -1)
    np.maximum.at(ends, unit, moment)
    end = ends[unit]
    cut = np.sort(end)[-wanted]
    held = end >= cut
    # Where that is everything, all that is later than the first moment.
    return held if not held.all() else end > end.min()


def _drawn(unit: Places, wanted: int, seed: int) -> NDArray[np.bool_]:
    sizes = np.bincount(unit)
    order = np.random.default_rng([seed, 1]).permutation(len(sizes))
    enough = int(np.searchsorted(np.cumsum(sizes[order]), wanted)) + 1
    return np.isin(unit, order[: min(enough, len(sizes) - 1)])


def _of_each_class(target: Places, wanted: int, seed: int) -> NDArray[np.bool_]:
    """Take from every class its share, rounded so that the sum is right."""
    rng = np.random.default_rng([seed, 1])
    counts = np.bincount(target)
    exact = counts * wanted / len(target)
    taken = np.floor(exact).astype(int)
    for place in np.argsort(taken - exact, kind="stable")[: wanted - taken.sum()]:
        taken[place] += 1
    held = np.zeros(len(target), dtype=bool)
    for place, count in enumerate(np.minimum(taken, np.maximum(counts - 1, 0))):
        held[rng.permutation(np.flatnonzero(target == place))[:count]] = True
    return held
