"""What a number on one set of rows could have been, with other rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.statistics._checks import check_count, check_share
from caveat.statistics.intervals._bootstrap import check_generator
from caveat.statistics.intervals._intervals import Interval

_LEAST_DEFINED = 0.5  # of the draws; with fewer the quantiles describe a remnant


def bootstrap_rows(
    statistic: Callable[[NDArray[np.intp]], float],
    rows: int,
    *,
    groups: ArrayLike | None = None,
    n: int = 1000,
    confidence: float = 0.95,
    random_state: int | np.random.Generator | None = 0,
) -> Interval:
    """Value of a statistic on all rows, with its percentile interval over rows.

    For one split, where there are no folds to vary over. Every resample is a value of
    the statistic itself, so the interval lies inside the measure's range. A difference
    of two models is a statistic too, and is then paired: both see the rows drawn.

    Parameters
    ----------
    statistic : callable
        Takes row numbers, with repetitions, returns a number; NaN where it is not
        defined, such as an AUC on rows of one class.
    rows : int
    groups : array-like of shape (rows,), optional
        Rows that belong together, such as those of a patient, are drawn together.
    n : int, default=1000
        Resamples.
    confidence : float, default=0.95
    random_state : int, Generator or None, default=0

    Returns
    -------
    Interval
        `n` counts rows, or groups, and `missing` the draws that gave no value. NaN
        ends where there are fewer than two rows, or where half of the draws and more
        gave no value.

    Warnings
    --------
    It tells how the number varies over test rows, not over training: a model fitted
    on other rows may score otherwise.

    Examples
    --------
    >>> hits = np.array([1, 1, 1, 0, 1, 1, 0, 1, 1, 1])
    >>> found = bootstrap_rows(lambda rows: hits[rows].mean(), 10)
    >>> found.mean, round(found.low, 2), found.high <= 1
    (0.8, 0.5, True)
    """
    level = check_share("confidence", confidence)
    draws, size = check_count("n", n, 1), check_count("rows", rows, 1)
    generator = check_generator(random_state)
    members = _members(groups, size)
    value = float(statistic(np.arange(size)))
    values = np.array(
        [
            float(statistic(np.concatenate([members[k] for k in drawn])))
            for drawn in generator.integers(len(members), size=(draws, len(members)))
        ]
    )
    known = values[~np.isnan(values)]
    low = high = sd = np.nan
    if len(members) > 1 and len(known) > _LEAST_DEFINED * draws:
        low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
        sd = float(known.std(ddof=1)) if len(known) > 1 else np.nan
    return Interval(
        mean=value,
        low=float(low),
        high=float(high),
        sd=sd,
        se=sd,
        n=len(members),
        missing=draws - len(known),
        confidence=level,
        method="bootstrap over rows",
    )


def _members(groups: ArrayLike | None, rows: int) -> list[NDArray[np.intp]]:
    """Row numbers of every group; a group of its own for every row without groups."""
    if groups is None:
        return list(np.arange(rows)[:, None])
    _, codes = np.unique(np.asarray(groups), return_inverse=True)
    return [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
