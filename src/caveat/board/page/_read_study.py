"""From a study's records to the study in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from caveat.board._twins import tell_twins_apart
from caveat.board.page._blocks import find_blocks, in_order, listed_names
from caveat.board.page._study import (
    Choice,
    Measure,
    Noun,
    Study,
    distinct_titles,
)
from caveat.exceptions import InvalidInput, UnknownName
from caveat.statistics._groups import SelectionTable
from caveat.statistics._rules import Glossary, RecordsLike, direction_of, resolve_rule


def read_study(
    records: RecordsLike,
    *,
    name: str = "",
    measure: str | None = None,
    rule: str | None = None,
) -> Study:
    """Put one study's records in order.

    Parameters
    ----------
    records : Records
        Of one study.
    name : str
        The study's.
    measure, rule : str, optional
        Which measure and which selection rule come first.
    """
    records = tell_twins_apart(records)
    trials = records.trials
    is_baseline = _flags(trials)
    ours, baseline = trials[~is_baseline], trials[is_baseline]
    spec = getattr(records, "studies", {}).get(name, {})
    glossary = records.glossary
    table = SelectionTable.of(records)
    topics = (
        ours["topic"].astype(str).unique() if len(ours) else [spec.get("topic", "")]
    )
    topic = str(topics[0]) if len(topics) else ""
    everyone = in_order(
        ours["learner"].astype(str).unique(), listed_names(spec, "learners")
    )
    references = tuple(
        one for one in everyone if glossary.get(("learner", one), {}).get("reference")
    )
    blocks, factor = find_blocks(ours, spec)
    choices, left_out = _choices(table, spec, glossary, rule)
    return Study(
        name=name,
        topic=_topic_title(topic, glossary),
        table=table,
        trials=ours,
        baseline=baseline,
        learners=tuple(one for one in everyone if one not in references),
        references=references,
        measures=_measures(table, spec, glossary, measure),
        choices=choices,
        blocks=blocks,
        factor=factor,
        noun=_noun(blocks),
        spec=spec,
        glossary=glossary,
        left_out=left_out,
        damaged=len(getattr(records, "damaged", ())),
        proven=getattr(records, "proven", True),
    )


def _flags(trials: pd.DataFrame) -> pd.Series:
    if "baseline" not in trials.columns:
        return pd.Series(False, index=trials.index)
    return trials["baseline"].fillna(False).astype(bool)


def _topic_title(topic: str, glossary: Glossary) -> str:
    from caveat.study import TOPICS

    known = glossary.get(("topic", topic), {}).get("title")
    return str(known or (TOPICS[topic].title if topic in TOPICS else topic))


def _measures(
    table: SelectionTable,
    spec: Mapping[str, Any],
    glossary: Glossary,
    first: str | None,
) -> tuple[Measure, ...]:
    learnt = ~table.groups["baseline"].fillna(False).astype(bool).to_numpy()
    ours = (
        learnt[table.code] & (table.code >= 0) if len(table.code) else table.code >= 0
    )
    found = [
        column.removeprefix("test.")
        for column in table.rows.columns
        if column.startswith("test.")
        and table.rows[column].notna().to_numpy()[ours].any()
    ]
    wanted = listed_names(spec, "measures")
    if first is not None:
        first = first.removeprefix("test.")
        if found and first not in found:
            raise UnknownName.among("measure", first, found)
        wanted = [first, *wanted]
    # A topic may record more than the study asked for.
    asked = [name for name in found if name in wanted] or found
    ordered = in_order(asked, wanted)
    titles = distinct_titles(ordered, "measure", glossary)
    return tuple(_measure(name, titles[name], glossary) for name in ordered)


def _measure(name: str, title: str, glossary: Glossary) -> Measure:
    column = f"test.{name}"
    try:
        direction = direction_of(column, glossary=glossary)
    except InvalidInput:
        return Measure(name, column, title, "max", guessed=True)
    return Measure(name, column, title, direction)


def _choices(
    table: SelectionTable,
    spec: Mapping[str, Any],
    glossary: Glossary,
    first: str | None,
) -> tuple[tuple[Choice, ...], tuple[str, ...]]:
    wanted = listed_names(spec, "selection")
    known = [name for kind, name in glossary if kind == "rule"]
    usable, left_out = [], []
    for name in dict.fromkeys(wanted or known):
        column = glossary.get(("rule", name), {}).get("column")
        if column not in table.rows.columns or not table.rows[column].notna().any():
            continue
        try:
            resolve_rule(name, glossary=glossary, columns=table.rows.columns)
        except InvalidInput as error:
            left_out.append(str(error))
        else:
            usable.append(name)
    if first is not None:
        if usable and first not in usable:
            raise UnknownName.among("selection rule", first, usable)
        usable = [name for name in dict.fromkeys([first, *usable]) if name in usable]
    # One row per search leaves nothing to choose.
    if not usable or np.bincount(table.code[table.code >= 0]).max(initial=0) <= 1:
        return (Choice(None, ""),), tuple(left_out)
    titles = distinct_titles(usable, "rule", glossary)
    rules = [
        Choice(name, titles[name], bool(glossary["rule", name].get("oracle")))
        for name in usable
    ]
    # A rule that reads true labels leads only if it was asked for by name.
    ordered = sorted(rules, key=lambda one: one.oracle and one.name != first)
    return tuple(ordered), tuple(left_out)


def _noun(blocks: pd.DataFrame) -> Noun:
    if blocks["world"].nunique() <= 1:
        return Noun("data set", "data sets")
    return Noun("world", "worlds")
