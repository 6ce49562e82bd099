"""Every learner against every other, over the same data sets."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput
from caveat.statistics._checks import (
    absent_cells,
    check_choice,
    check_direction,
    check_table,
)
from caveat.statistics.comparisons._multiplicity import holm
from caveat.statistics.comparisons._signed_rank import signed_rank_test
from caveat.statistics.comparisons._ties import differences_without_noise


def wilcoxon_holm(
    table: pd.DataFrame | ArrayLike,
    *,
    direction: str = "max",
    missing: str = "error",
    decimals: int | None = None,
) -> pd.DataFrame:
    """Wilcoxon signed-rank tests of all pairs, with Holm's correction.

    Differences of 0 take part in the ranking and are then left out (Pratt [1]_).
    Up to 200 differences the p-value is exact, with ties as without. Differences
    that agree to 12 digits of the values are ties.

    Parameters
    ----------
    table : DataFrame or array-like of shape (blocks, learners)
        One row per data set, one column per learner.
    direction : {"max", "min"}, default="max"
        Whether larger or smaller values are better.
    missing : {"error", "drop-block", "drop-pair"}, default="error"
        What a NaN means. ``"error"``: refuse, and say where. ``"drop-block"``: only
        blocks with all learners count. ``"drop-pair"``: a block counts for the pairs
        that have both values there. How many were left out is in the result.
    decimals : int, optional
        Round first, so that differences nobody would report are ties.

    Returns
    -------
    DataFrame, one row per pair
        ``a``, ``b``; ``n`` blocks with both, ``missing`` blocks left out; ``wins``,
        ``ties``, ``losses`` of a; ``median`` difference, positive where a is better;
        ``statistic``, the ranks of a's wins added up; ``p``, ``p_holm``; ``exact``.

    Warnings
    --------
    The smallest two-sided p-value of n differences is 2 / 2^n: with 5 data sets no
    pair can reach 0.05, whatever the scores. The test weighs differences across
    data sets by size, so they should be comparable. Blocks must be independent.

    References
    ----------
    .. [1] J. W. Pratt (1959). Remarks on zeros and ties in the Wilcoxon signed rank
       procedures. Journal of the American Statistical Association 54.
    .. [2] A. Benavoli, G. Corani, F. Mangili (2016). Should we really use post-hoc
       tests based on mean-ranks? Journal of Machine Learning Research 17.

    Examples
    --------
    >>> scores = {"a": [9, 8, 7, 9, 8, 7], "b": [8, 7, 6, 8, 7, 6],
    ...           "c": [8, 8, 5, 9, 7, 7]}
    >>> wilcoxon_holm(pd.DataFrame(scores))[["a", "b", "wins", "p", "p_holm"]]
       a  b  wins        p   p_holm
    0  a  b     6  0.03125  0.09375
    1  a  c     3  0.25000  0.50000
    2  b  c     1  0.62500  0.62500
    """
    sign = check_direction(direction)
    policy = check_choice("missing", missing, ("error", "drop-block", "drop-pair"))
    frame = check_table(table)
    values = sign * _finite(frame)
    if decimals is not None:
        values = np.round(values, decimals)
    others = "missing='drop-block' or missing='drop-pair'"
    absent = absent_cells(values, frame, policy, others)
    if policy == "drop-block":
        values = values[~absent.any(axis=1)]
    rows = []
    for i, j in combinations(range(frame.shape[1]), 2):
        differences = differences_without_noise(values[:, i], values[:, j])
        differences = differences[~np.isnan(differences)]
        tested = signed_rank_test(differences)
        rows.append(
            {
                "a": frame.columns[i],
                "b": frame.columns[j],
                "n": len(differences),
                "missing": len(frame) - len(differences),
                "wins": int((differences > 0).sum()),
                "ties": int((differences == 0).sum()),
                "losses": int((differences < 0).sum()),
                "median": float(np.median(differences)) if len(differences) else np.nan,
                "statistic": tested.statistic,
                "p": tested.p_value,
                "exact": tested.exact,
            }
        )
    columns = ["a", "b", "n", "missing", "wins", "ties", "losses", "median"]
    columns += ["statistic", "p", "exact"]
    result = pd.DataFrame(rows, columns=columns)
    result.insert(columns.index("exact"), "p_holm", holm(result["p"].astype(float)))
    return result


def win_tie_loss(
    table: pd.DataFrame | ArrayLike,
    *,
    direction: str = "max",
    tolerance: float = 0.0,
) -> pd.DataFrame:
    """Count on how many data sets each learner beats each other.

    Parameters
    ----------
    table : DataFrame or array-like of shape (blocks, learners)
        One row per data set, one column per learner.
    direction : {"max", "min"}, default="max"
        Whether larger or smaller values are better.
    tolerance : float, default=0.0
        Values that differ by no more are a tie; so are any that agree to 12 digits.

    Returns
    -------
    DataFrame, one row per ordered pair
        ``a``, ``b``, ``wins``, ``ties``, ``losses`` of a, and ``missing``: the blocks
        where one of the two has no value, which count for neither.

    Warnings
    --------
    A win by a hair counts as one by a mile, and no chance is taken into account:
    12 wins out of 20 are what two equal learners give every other time.

    Examples
    --------
    >>> win_tie_loss(pd.DataFrame({"x": [0.9, 0.8, 0.7], "y": [0.9, 0.6, None]}))
       a  b  wins  ties  losses  missing
    0  x  y     1     1       0        1
    1  y  x     0     1       1        1
    """
    sign = check_direction(direction)
    frame = check_table(table)
    if not tolerance >= 0:
        raise InvalidInput(f"tolerance is {tolerance!r}; pass a number from 0 on")
    values = sign * _finite(frame)
    rows = []
    for i, j in permutations(range(frame.shape[1]), 2):
        differences = differences_without_noise(values[:, i], values[:, j])
        wins = int((differences > tolerance).sum())
        losses = int((differences < -tolerance).sum())
        missing = int(np.isnan(differences).sum())
        ties = len(differences) - wins - losses - missing
        rows.append((frame.columns[i], frame.columns[j], wins, ties, losses, missing))
    return pd.DataFrame(rows, columns=["a", "b", "wins", "ties", "losses", "missing"])


def _finite(frame: pd.DataFrame) -> NDArray[np.float64]:
    values = frame.to_numpy()
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise InvalidInput(
            f"learner {str(frame.columns[column])!r} has an infinite value in block "
            f"{str(frame.index[row])!r}; pass NaN where there is no value"
        )
    return values
