"""Whether a criterion orders the rows of a selection table as a measure does."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import kendalltau

from caveat.statistics.selection._groups import IDENTITY, STATUS, SelectionTable
from caveat.statistics.selection._rules import (
    Direction,
    RecordsLike,
    direction_of,
    resolve_measure,
    resolve_rule,
)
from caveat.statistics.selection._selection import add_reason

# Comparing all pairs beats sorting in small groups; scipy sorts the large ones.
_LARGE = 1_000


def criterion_agreement(
    records: RecordsLike | pd.DataFrame | SelectionTable,
    criterion: str,
    measure: str,
    *,
    direction: Direction = None,
) -> pd.DataFrame:
    """Correlate the ranks of a criterion and a measure within each group.

    Parameters
    ----------
    records : Records, DataFrame of rows, or SelectionTable
        See `SelectionTable.of`.
    criterion : str
        A column (``criterion.covering-rate``), or a rule, whose column is taken.
    measure : str
        ``accuracy``, or ``test.accuracy``.
    direction : {"max", "min"}, mapping of column to those, optional
        Of both columns; a single word holds for both.

    Returns
    -------
    DataFrame, one row per group
        Identity and status as in `select`; ``n``, the rows with both values, at all
        checkpoints; ``spearman`` and ``kendall`` (tau-b): 1 if the criterion puts
        the rows in the measure's order, best to best, -1 if in the opposite one;
        NaN, with a ``reason``, for fewer than two rows or a constant column.

    Warnings
    --------
    Selection needs the best row only: a criterion that fails at the top can agree
    well over all, and one that is noise at the bottom can choose well. Checkpoints
    of one configuration move together, so many rows are few independent ones; two
    rows always give 1 or -1.

    References
    ----------
    .. [1] M. G. Kendall (1945). The treatment of ties in ranking problems.
       Biometrika 33(3).

    Examples
    --------
    >>> rows = pd.DataFrame({"config": [0, 1, 2], "criterion.x": [0.1, 0.2, 0.3],
    ...                      "test.f1": [0.4, 0.6, 0.5]})
    >>> criterion_agreement(rows, "criterion.x", "f1", direction="max")[
    ...     ["n", "spearman", "kendall"]].round(3)
       n  spearman  kendall
    0  3       0.5    0.333
    """
    table = SelectionTable.of(records)
    words, columns = table.glossary, list(table.rows.columns)
    rule = resolve_rule(criterion, glossary=words, columns=columns, direction=direction)
    column = resolve_measure(measure, glossary=words, columns=columns)
    same_way = rule.direction == direction_of(
        column, glossary=words, direction=direction
    )
    x, y = table.numbers(rule.column), table.numbers(column)
    if not same_way:
        x = -x
    used = np.flatnonzero((table.code >= 0) & np.isfinite(x) & np.isfinite(y))
    used = used[np.argsort(table.code[used], kind="stable")]
    group, x, y = table.code[used], x[used], y[used]
    n = np.bincount(group, minlength=len(table.groups))

    result = table.groups[[*IDENTITY, *STATUS]].copy()
    result["n"] = n
    result["spearman"] = _spearman(group, x, y, n)
    result["kendall"] = _kendall(group, x, y, n)
    result["reason"] = table.groups["reason"]
    few = (n < 2) & (table.groups["present"] > 0).to_numpy()
    add_reason(result, few, "fewer than two rows have both values")
    constant = (n > 1) & result["kendall"].isna().to_numpy()
    add_reason(result, constant, "one of the two is the same in all rows")
    return result


def _spearman(
    group: NDArray[np.intp],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    n: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Pearson's correlation of the ranks, in all groups at once."""
    ranks = pd.DataFrame({"x": x, "y": y}).groupby(group).rank()
    middle = (n[group] + 1) / 2
    a, b = ranks["x"].to_numpy() - middle, ranks["y"].to_numpy() - middle
    cross, aa, bb = (
        np.bincount(group, product, minlength=len(n))
        for product in (a * b, a * a, b * b)
    )
    with np.errstate(invalid="ignore"):
        return cross / np.sqrt(aa * bb)


def _kendall(
    group: NDArray[np.intp],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    n: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Tau-b; rows are sorted by group, n is the number of rows of each."""
    groups = len(n)
    # Concordant less discordant pairs, and pairs untied in x and in y.
    balance, untied_x, untied_y = np.zeros((3, groups))
    small = n[group] <= _LARGE
    stop = np.cumsum(n)[group]
    here = np.flatnonzero(small)
    # Each row meets the one `lag` below it, as long as that is of its group.
    for lag in range(1, int(n[n <= _LARGE].max(initial=0))):
        here = here[here + lag < stop[here]]
        dx = np.sign(x[here + lag] - x[here])
        dy = np.sign(y[here + lag] - y[here])
        owner = group[here]
        balance += np.bincount(owner, dx * dy, minlength=groups)
        untied_x += np.bincount(owner, np.abs(dx), minlength=groups)
        untied_y += np.bincount(owner, np.abs(dy), minlength=groups)
    with np.errstate(invalid="ignore"):
        tau = balance / np.sqrt(untied_x * untied_y)
    for large in np.flatnonzero(n > _LARGE):
        rows = slice(int(n[:large].sum()), int(n[: large + 1].sum()))
        tau[large] = kendalltau(x[rows], y[rows]).statistic
    return tau
