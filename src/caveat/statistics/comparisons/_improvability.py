"""Improvability: how far each learner is from the best, on one scale for all data."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from caveat.statistics._checks import check_direction, check_table
from caveat.statistics.intervals._intervals import mean_interval


def improvability(
    table: pd.DataFrame | ArrayLike,
    *,
    floors: ArrayLike | None = None,
    direction: str = "max",
) -> pd.DataFrame:
    r"""Share of the way from the floor to the best that a learner leaves open.

    On every data set the best learner has 0, whoever only reaches the floor has 1:
    :math:`(b - x) / (b - f)`. Below the floor it is larger than 1.

    Parameters
    ----------
    table : DataFrame or array-like of shape (blocks, learners)
        One row per data set.
    floors : array-like of shape (blocks,), optional
        What the constant answer, or whatever is free, reaches there; the worst
        learner if not given.
    direction : {"max", "min"}, default="max"

    Returns
    -------
    DataFrame, smallest first
        ``mean``, ``low``, ``high`` (95 %, t over data sets; NaN below five), ``n``:
        data sets where the best differs from the floor and the learner has a value.

    Warnings
    --------
    Where all learners are alike the scale is noise: data sets on which the best does
    not pass the floor are left out and lower ``n``.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.9, 0.8], "b": [0.7, 0.8]})
    >>> improvability(scores, floors=[0.5, 0.5])["mean"].tolist()
    [0.0, 0.25]
    """
    sign = check_direction(direction)
    frame = check_table(table)
    values = sign * frame.to_numpy(dtype=float)
    # A row without any value has no room, and is left out below.
    missing = np.isnan(values)
    best = np.where(missing, -np.inf, values).max(axis=1)
    floor = np.where(missing, np.inf, values).min(axis=1)
    if floors is not None:
        floor = sign * np.asarray(floors, dtype=float)
    room = best - floor
    usable = room > 1e-12
    open_ = (best[usable, None] - values[usable]) / room[usable, None]
    rows = []
    for column in open_.T:
        there = column[~np.isnan(column)]
        known = mean_interval(there) if len(there) else None
        wide = known is not None and known.n >= 5
        rows.append(
            {
                "mean": np.nan if known is None else known.mean,
                "low": known.low if known and wide else np.nan,
                "high": known.high if known and wide else np.nan,
                "n": len(there),
            }
        )
    found = pd.DataFrame(rows, index=frame.columns)
    return found.sort_values("mean", kind="stable")
