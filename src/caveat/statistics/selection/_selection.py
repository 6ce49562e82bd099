"""Selection after the fact: one row per group, chosen by any rule."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.statistics.selection._groups import IDENTITY, STATUS, SelectionTable
from caveat.statistics.selection._rules import (
    ROLES,
    Direction,
    RecordsLike,
    Rule,
    resolve_measure,
    resolve_rule,
)


def select(
    records: RecordsLike | pd.DataFrame | SelectionTable,
    rule: str,
    *,
    measure: str | None = None,
    direction: Direction = None,
) -> pd.DataFrame:
    """Choose one row of each group's selection table by a rule.

    Per configuration the checkpoint with the best criterion (the last one, if the
    rule says so), then the configuration with the best criterion; ties go to the
    earliest checkpoint, then to the smallest configuration.

    Parameters
    ----------
    records : Records, DataFrame of rows, or SelectionTable
        See `SelectionTable.of`.
    rule : str
        A rule's name (``covering-rate``), or a column (``criterion.covering-rate``).
    measure : str, optional
        A measure (``accuracy``, or ``test.accuracy``); its value in the chosen row is
        then also given as ``value``.
    direction : {"max", "min"}, mapping of column to those, optional
        Whether larger or smaller is better; the glossary of the records knows, a
        plain frame does not.

    Returns
    -------
    DataFrame, one row per group, sorted by its identity
        ``group``, ``study``, ``topic``, ``dataset``, ``world``, ``learner``,
        ``settings`` (the learner's fixed parameters, where a study gives any),
        ``protocol``, ``baseline``, ``repeat``; the chosen ``config``, ``params`` and
        ``checkpoint``; ``complete``, and how many configurations are ``missing``, have
        ``failed``, or could not be chosen because the criterion is ``undefined``;
        ``reason``; and all ``test.*``, ``oracle.*`` and ``criterion.*`` of that row.

    Notes
    -----
    A criterion that is None, NaN or infinite is never chosen. An incomplete group
    is chosen from what is there and says so; a group without a usable row has NaN
    and a reason. Rows of trials that are not done take no part.

    Warnings
    --------
    An incomplete group had fewer configurations to choose from: its score is not
    comparable with that of complete ones. Whatever mixes the two must say so. An
    oracle rule, or a ``test.*`` column, uses labels that nobody has.

    Examples
    --------
    >>> rows = pd.DataFrame({
    ...     "learner": ["a", "a", "b", "b"], "config": [0, 1, 0, 1],
    ...     "criterion.x": [0.5, 0.7, 0.6, None], "test.f1": [0.4, 0.6, 0.5, 0.9]})
    >>> chosen = select(rows, "criterion.x", measure="f1", direction="max")
    >>> chosen[["learner", "config", "value", "undefined"]]
      learner  config  value  undefined
    0       a       1    0.6          0
    1       b       0    0.5          1
    """
    table = SelectionTable.of(records)
    columns = list(table.rows.columns)
    resolved = resolve_rule(
        rule, glossary=table.glossary, columns=columns, direction=direction
    )
    value = None
    if measure is not None:
        value = resolve_measure(measure, glossary=table.glossary, columns=columns)
    pick, usable = choose(table, resolved)
    result = describe(table, resolved, pick, usable)
    if value is not None:
        result["value"] = taken(table, value, pick)
        blank = (pick >= 0) & result["value"].isna()
        add_reason(result, blank, f"{value} is not defined in the chosen row")
    for column in columns:
        if column.startswith(ROLES):
            result[column] = taken(table, column, pick)
    return result


def choose(
    table: SelectionTable, rule: Rule
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Position of each group's chosen row (-1: none), and which rows could be."""
    values = rule.sign * table.numbers(rule.column)
    usable = (table.code >= 0) & np.isfinite(values)
    if rule.checkpoint == "last":
        usable &= table.is_last
    rows = np.flatnonzero(usable)
    group, value = table.code[rows], values[rows]
    best = np.full(len(table.groups), -np.inf)
    np.maximum.at(best, group, value)
    rows = rows[value == best[group]]
    order = np.lexsort(
        (table.checkpoint_order[rows], table.config_order[rows], table.code[rows])
    )
    pick = np.full(len(table.groups), -1, dtype=np.intp)
    # Written from the back, so that the first of each group is what stays.
    back = rows[order[::-1]]
    pick[table.code[back]] = back
    return pick, usable


def describe(
    table: SelectionTable,
    rule: Rule,
    pick: NDArray[np.intp],
    usable: NDArray[np.bool_],
) -> pd.DataFrame:
    """Identity, choice and status of every group."""
    result = table.groups[IDENTITY].copy()
    for column in ("config", "params", "checkpoint"):
        result[column] = taken(table, column, pick)
    result[STATUS] = table.groups[STATUS]
    present = table.groups["present"]
    result["undefined"] = present - table.configurations_with(usable)
    result["reason"] = table.groups["reason"]
    none = (pick < 0) & (present > 0).to_numpy()
    add_reason(result, none, f"{rule.column} is not defined in any row")
    return result


def taken(table: SelectionTable, column: str, pick: NDArray[np.intp]) -> pd.Series:
    """Values of a column in the chosen rows; missing where none was chosen."""
    index = table.groups.index
    if column not in table.rows.columns:
        return pd.Series(np.nan, index=index, dtype=np.float64)
    # take() of no rows at all is refused, so the empty case stands apart.
    if not len(table.rows):
        return pd.Series(np.nan, index=index, dtype=np.float64)
    source = table.rows[column]
    values = source.take(np.maximum(pick, 0)).set_axis(index)
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.cat.categories.dtype)
    if column in ("config", "checkpoint"):
        values = _whole(values)
    elif column.startswith(ROLES) and values.dtype == object:
        values = _floats(values)
    return values.where(pick >= 0)


def add_reason(result: pd.DataFrame, where: NDArray[np.bool_], text: str) -> None:
    """Append a sentence to the reasons of some groups."""
    where = np.asarray(where)
    told = result.loc[where, "reason"]
    result.loc[where, "reason"] = [f"{old}; {text}" if old else text for old in told]


def _whole(values: pd.Series) -> pd.Series:
    """Whole numbers that can be missing, where the values are whole numbers."""
    try:
        return values.astype("Int64")
    except (TypeError, ValueError):
        return values


def _floats(values: pd.Series) -> pd.Series:
    """Floats, where all values are numbers or None; else as they are."""
    try:
        return pd.to_numeric(values).astype(np.float64)
    except (TypeError, ValueError):
        return values
