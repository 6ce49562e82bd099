"""Average ranks of learners over many data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from caveat.statistics._checks import (
    absent_cells,
    check_choice,
    check_direction,
    check_table,
)
from caveat.statistics.comparisons._ties import without_noise

MISSING = ("error", "worst", "drop-block")


@dataclass(frozen=True)
class AverageRanks:
    """Outcome of `average_ranks`.

    Attributes
    ----------
    ranks : Series
        Mean rank of each learner, best (smallest) first; equal ones as in the table.
    table : DataFrame of shape (blocks, learners)
        Rank of each learner in each block that counts.
    n_blocks, n_learners : int
    dropped : tuple
        Labels of blocks that do not count, because of missing cells.
    filled : tuple of (block, learner)
        Missing cells that were ranked worst.
    direction, missing : str
    """

    ranks: pd.Series
    table: pd.DataFrame
    n_blocks: int
    n_learners: int
    dropped: tuple[Any, ...]
    filled: tuple[tuple[Any, Any], ...]
    direction: str
    missing: str


def average_ranks(
    table: pd.DataFrame | ArrayLike,
    *,
    direction: str = "max",
    missing: str = "error",
    decimals: int | None = None,
) -> AverageRanks:
    """Rank the learners within each data set, and average.

    Parameters
    ----------
    table : DataFrame or array-like of shape (blocks, learners)
        One row per block (a data set, or a world of one), one column per learner.
    direction : {"max", "min"}, default="max"
        Whether larger or smaller values are better. The best has rank 1; equal
        values share the average of their ranks (equal: they agree to 12 digits).
    missing : {"error", "worst", "drop-block"}, default="error"
        What a NaN means. ``"error"``: refuse, and say where. ``"worst"``: the
        learner failed there, so it ranks last (several share the last ranks); a
        block in which all fail says nothing and is dropped. ``"drop-block"``: only
        blocks with all learners count. The result lists what was done.
    decimals : int, optional
        Round first, so that differences nobody would report are ties.

    Returns
    -------
    AverageRanks

    Warnings
    --------
    A rank forgets by how much. It depends on who else takes part: adding or leaving
    out a third learner can turn the order of two. ``"drop-block"`` keeps the data
    sets on which nobody fails, which are the easy ones. Repeats on one data set
    are no blocks; average them first.

    Examples
    --------
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.9, 0.7, 0.6],
    ...                        "c": [0.5, 0.6, 0.8]}, index=["iris", "wine", "lost"])
    >>> average_ranks(scores).ranks.round(3).to_dict()
    {'a': 1.5, 'b': 2.167, 'c': 2.333}
    """
    sign = check_direction(direction)
    policy = check_choice("missing", missing, MISSING)
    frame = check_table(table)
    values = sign * without_noise(frame.to_numpy())
    if decimals is not None:
        values = np.round(values, decimals)
    others = "missing='worst' or missing='drop-block'"
    absent = absent_cells(values, frame, policy, others)
    lost = absent.all(axis=1) if policy == "worst" else absent.any(axis=1)
    kept: NDArray[np.bool_] = np.logical_not(lost)
    ranked = _ranks(values[kept])
    ranks = pd.DataFrame(ranked, index=frame.index[kept], columns=frame.columns)
    # Sums of halves are exact, so equal mean ranks are equal floats.
    averages = pd.Series(
        ranked.sum(axis=0) / len(ranked) if len(ranked) else np.nan,
        index=frame.columns,
        name="rank",
        dtype=np.float64,
    )
    cells = np.argwhere(absent & kept[:, None])
    return AverageRanks(
        ranks=averages.sort_values(kind="stable"),
        table=ranks,
        n_blocks=len(ranked),
        n_learners=frame.shape[1],
        dropped=tuple(frame.index[~kept]),
        filled=tuple((frame.index[i], frame.columns[j]) for i, j in cells),
        direction=direction,
        missing=policy,
    )


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank rows, largest first, ties averaged; NaN share the last ranks."""
    if not values.size:
        return np.empty(values.shape)
    ranks = rankdata(-values, axis=1, nan_policy="omit")
    absent = np.isnan(ranks)
    present = values.shape[1] - absent.sum(axis=1, keepdims=True)
    last = (present + 1 + values.shape[1]) / 2
    return np.where(absent, last, ranks)
