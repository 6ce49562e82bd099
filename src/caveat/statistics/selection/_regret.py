"""Regret: what a selection rule gave up."""

from __future__ import annotations

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput, listing
from caveat.statistics.selection._groups import SelectionTable
from caveat.statistics.selection._rules import (
    Direction,
    RecordsLike,
    Rule,
    direction_of,
    resolve_measure,
    resolve_rule,
)
from caveat.statistics.selection._selection import add_reason, choose, describe, taken


def regret(
    records: RecordsLike | pd.DataFrame | SelectionTable,
    rule: str,
    *,
    measure: str | None = None,
    direction: Direction = None,
) -> pd.DataFrame:
    """Compare the row that a rule chooses with the best row of each group.

    Parameters
    ----------
    records : Records, DataFrame of rows, or SelectionTable
        See `SelectionTable.of`.
    rule : str
        As in `select`.
    measure : str, optional
        What counts: ``accuracy``, or ``test.accuracy``. Without it, the only measure
        there is, or the one that the study names first.
    direction : {"max", "min"}, mapping of column to those, optional
        Of the rule's column and of the measure; a single word holds for both.

    Returns
    -------
    DataFrame, one row per group
        The columns of `select` up to ``reason``; ``best``, the best value of the
        measure in any row of the group, at any checkpoint; ``chosen``, its value in
        the chosen row; ``regret``, by how much the chosen is worse (never negative);
        ``best_config`` and ``best_checkpoint``.

    Warnings
    --------
    The best row is known afterwards and from test labels: nobody could have chosen
    it, and part of its lead is luck. So regret is above 0 even for a perfect rule,
    and grows with the number of rows. In an incomplete group the best row may be
    among those that are missing, and regret is too small.

    Examples
    --------
    >>> rows = pd.DataFrame({
    ...     "learner": ["a", "a", "b", "b"], "config": [0, 1, 0, 1],
    ...     "criterion.x": [0.5, 0.7, 0.6, 0.5], "test.f1": [0.4, 0.6, 0.5, 0.9]})
    >>> regret(rows, "criterion.x", measure="f1", direction="max")[
    ...     ["learner", "best", "chosen", "regret"]]
      learner  best  chosen  regret
    0       a   0.6     0.6     0.0
    1       b   0.9     0.5     0.4
    """
    table = SelectionTable.of(records)
    words, columns = table.glossary, list(table.rows.columns)
    resolved = resolve_rule(rule, glossary=words, columns=columns, direction=direction)
    name = _main_measure(table) if measure is None else measure
    column = resolve_measure(name, glossary=words, columns=columns)
    way = direction_of(column, glossary=words, direction=direction)
    goal = Rule(column, column, "best", way, oracle=True)
    pick, usable = choose(table, resolved)
    best, _ = choose(table, goal)
    values = np.append(table.numbers(column), np.nan)  # position -1: no row
    result = describe(table, resolved, pick, usable)
    result["best"] = values[best]
    # An infinite measure is no result; it is never the best either.
    chosen = np.where(np.isfinite(values[pick]), values[pick], np.nan)
    result["chosen"] = chosen
    # Adding 0 turns -0.0 into 0.0.
    result["regret"] = goal.sign * (values[best] - chosen) + 0.0
    result["best_config"] = taken(table, "config", best)
    result["best_checkpoint"] = taken(table, "checkpoint", best)
    blank = (pick >= 0) & np.isnan(chosen)
    add_reason(result, blank, f"{column} is not defined in the chosen row")
    return result


def _main_measure(table: SelectionTable) -> str:
    """Find the measure that nobody needs to name."""
    found = [name for name in table.rows.columns if name.startswith("test.")]
    named = {
        str(spec["measures"][0])
        for spec in table.studies.values()
        if spec.get("measures")
    }
    if len(named) == 1:
        return named.pop()
    if len(found) == 1:
        return found[0]
    raise InvalidInput(
        f"no measure was named and there are {listing(found) or 'none'}; pass "
        "measure='accuracy' or another"
    )
