"""From a study's records to the study in order: twins, data sets and worlds, rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from caveat.board._study import (
    Choice,
    Measure,
    Noun,
    Study,
    distinct_titles,
    is_counted,
    told,
)
from caveat.exceptions import InvalidInput, UnknownName
from caveat.measures import MEASURES
from caveat.models import is_constant
from caveat.pages import shorten
from caveat.statistics import (
    Glossary,
    RecordsLike,
    SelectionTable,
    direction_of,
    resolve_rule,
)
from caveat.study import TOPICS


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
    learners = tuple(one for one in everyone if one not in references)
    blocks, factor = find_blocks(ours, spec)
    choices, left_out = _choices(table, spec, glossary, rule)
    return Study(
        name=name,
        topic=_topic_title(topic, glossary),
        table=table,
        trials=ours,
        baseline=baseline,
        learners=learners,
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
        free=_free(learners, glossary),
    )


def _free(learners: Sequence[str], glossary: Glossary) -> tuple[str, ...]:
    """Name the learners that answer alike for all rows, as they were registered.

    None of them where nothing else was run.
    """
    found = tuple(
        one
        for one in learners
        if glossary.get(("learner", one), {}).get("constant") or is_constant(one)
    )
    return found if len(found) < len(learners) else ()


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
    rows = _rows_of_learners(table)
    found = [
        column.removeprefix("test.")
        for column in rows.columns
        if column.startswith("test.") and rows[column].notna().any()
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
    titles |= {
        name: f"{titles[name]} of {positive}"
        for name in ordered
        if name in MEASURES and MEASURES[name].one_class
        for positive in _positive(table, glossary)
    }
    return tuple(_measure(name, titles[name], glossary) for name in ordered)


def _positive(table: SelectionTable, glossary: Glossary) -> list[str]:
    """Name the class that a measure of one class is about, if all data have two.

    Of data with more classes such a measure is the mean over all of them.
    """
    datasets = table.groups["dataset"].astype(str).unique()
    facts = [glossary.get(("dataset", one), {}) for one in datasets]
    if not facts or any(one.get("task") != "binary" for one in facts):
        return []
    found = {str(one.get("positive") or "") for one in facts}
    if len(found) > 1 or not all(found):
        return ["the positive class"]
    return [f"class {shorten(found.pop(), 24)}"]


def _measure(name: str, title: str, glossary: Glossary) -> Measure:
    column = f"test.{name}"
    try:
        direction, guessed = direction_of(column, glossary=glossary), False
    except InvalidInput:
        direction, guessed = "max", True
    spelt = name.replace("_", "-")
    if spelt not in MEASURES or MEASURES[spelt].direction != direction:
        return Measure(name, column, title, direction, guessed)
    known = MEASURES[spelt]
    # What a constant answer has may depend on the classes' shares: then not a number.
    constant = known.constant if isinstance(known.constant, int | float) else None
    return Measure(name, column, title, direction, guessed, known.range, constant)


def _choices(
    table: SelectionTable,
    spec: Mapping[str, Any],
    glossary: Glossary,
    first: str | None,
) -> tuple[tuple[Choice, ...], tuple[str, ...]]:
    wanted = listed_names(spec, "selection") or _default_rules(spec)
    known = [name for kind, name in glossary if kind == "rule"]
    rows = _rows_of_learners(table)
    usable, left_out = [], []
    for name in dict.fromkeys(wanted or known):
        column = glossary.get(("rule", name), {}).get("column")
        if column not in rows.columns or not rows[column].notna().any():
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


def _default_rules(spec: Mapping[str, Any]) -> list[str]:
    """Give the rules that a topic takes where the study file names none."""
    topic = str(spec.get("topic", ""))
    return list(TOPICS[topic].load().default_rules) if topic in TOPICS else []


def _rows_of_learners(table: SelectionTable) -> pd.DataFrame:
    """Leave out the baseline's rows: its criteria choose among no learner's."""
    ours = table.code >= 0
    return table.rows[ours & table.learnt[table.code]] if len(ours) else table.rows


def _noun(blocks: pd.DataFrame) -> Noun:
    if blocks["world"].nunique() <= 1:
        return Noun("data set", "data sets")
    return Noun("world", "worlds")


_MOST_LEVELS = 6
_DIGITS = re.compile(r"(\d+)")


def natural(text: object) -> list[tuple[int, Any]]:
    """Key that sorts 2 before 10, and "a2" before "a10"."""
    parts = _DIGITS.split(str(text))
    return [(0, int(part)) if part.isdigit() else (1, part.lower()) for part in parts]


def listed_names(spec: Mapping[str, Any], key: str) -> list[str]:
    """Return names as the study file lists them, whether plain or with settings."""
    found = []
    for item in spec.get(key) or []:
        if isinstance(item, Mapping):
            item = item.get("name") or str(item.get("file", "")).rsplit("/", 1)[-1]
        found.append(str(item))
    return found


def in_order(names: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """Sort names as they are wanted; the others by name behind them."""
    place = {name: number for number, name in enumerate(dict.fromkeys(wanted))}
    return sorted(names, key=lambda one: (place.get(one, len(place)), natural(one)))


def find_blocks(
    trials: pd.DataFrame, spec: Mapping[str, Any]
) -> tuple[pd.DataFrame, str]:
    """List the data sets and worlds, grouped by the factor that says most.

    Returns
    -------
    blocks : DataFrame
        ``dataset``, ``world``, ``level`` (of the factor), ``label``, and the settings
        of the scenario that vary.
    factor : str
        Name of the factor; empty if nothing has few enough levels.
    """
    scenario = [
        name
        for name in trials.columns
        if name.startswith("scenario.") and trials[name].notna().any()
    ]
    frame = trials[["dataset", "world", *scenario]].astype(object)
    frame = frame.loc[~frame.duplicated(["dataset", "world"])].map(_text)
    levels = {name: set(frame[name]) - {""} for name in (*scenario, "dataset")}
    factors = [name for name in levels if len(levels[name]) > 1]
    few = [name for name in factors if len(levels[name]) <= _MOST_LEVELS]
    # Words say more than numbers, worlds more than data sets, many more than few.
    few.sort(
        key=lambda name: (
            name == "dataset",
            is_counted(levels[name]),
            -len(levels[name]),
        )
    )
    factor = few[0] if few else ""
    order = [*few[:1], *(name for name in factors if name != factor)]
    orders = {name: _level_order(name, spec) for name in order}

    def key(row: dict[Any, Any]) -> list[Any]:
        return [
            (orders[name].get(row[name], len(orders[name])), natural(row[name]))
            for name in order
        ] + [natural(row["world"])]

    rows = sorted(frame.to_dict("records"), key=key)
    frame = pd.DataFrame(rows, columns=frame.columns)
    frame["level"] = frame[factor].replace("", "none") if factor else ""
    frame["label"] = [_label(row, order) for row in rows]
    kept = ["dataset", "world", "level", "label", *(f for f in order if f != "dataset")]
    return frame[kept], bare_name(factor)


def bare_name(column: str) -> str:
    """Return what a column of blocks is called on a page."""
    return "data set" if column == "dataset" else column.removeprefix("scenario.")


def _label(row: Mapping[Any, Any], order: Sequence[str]) -> str:
    parts = [told(bare_name(name), row[name]) for name in order if row[name]]
    return ", ".join(parts) or row["world"] or row["dataset"]


def _text(value: Any) -> str:
    """Write a setting; whole numbers lose the point that a missing one gave them."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def _level_order(column: str, spec: Mapping[str, Any]) -> dict[str, int]:
    if column == "dataset":
        listed: Any = listed_names(spec, "datasets")
    else:
        listed = (spec.get("scenario") or {}).get(column.removeprefix("scenario."), [])
    values = listed if isinstance(listed, list) else [listed]
    return {str(value): place for place, value in enumerate(values)}


def tell_twins_apart(records: Any) -> Any:
    """Give a learner that occurs with several settings a name for each of them.

    A study may list ``nn`` and ``{name: nn, variant: plench}``, or be run under two
    protocols. Their scores must not be averaged, so the second is called
    ``nn (variant=plench)`` wherever learners are named. Plain settings keep the plain
    name.

    Parameters
    ----------
    records : Records
        Of one study.

    Returns
    -------
    Records; the same object if no learner has a twin.
    """
    trials, rows = records.trials, records.rows
    if not len(trials) or not {"key", "learner", "params"} <= set(trials.columns):
        return records
    name = trials["learner"].astype(str)
    kinds = pd.DataFrame(
        {
            "learner": name,
            "params": trials["params"].fillna("{}").astype(str),
            "protocol": trials["protocol"].fillna("").astype(str),
        }
    ).drop_duplicates()
    if kinds["learner"].is_unique:
        return records
    labels = {
        kind: label
        for _, group in kinds.groupby("learner", sort=False)
        for kind, label in _labels(group).items()
    }
    # Positions, not labels of the index: trials may be a part of a larger frame.
    key = zip(
        name,
        trials["params"].fillna("{}").astype(str),
        trials["protocol"].fillna("").astype(str),
        strict=True,
    )
    called = pd.Series([labels[one] for one in key], index=trials.index)
    changed = {"trials": trials.assign(learner=called)}
    if len(rows):
        by_key = pd.Series(called.to_numpy(), index=trials["key"].astype(str))
        changed["rows"] = rows.assign(
            learner=rows["key"].astype(str).map(by_key).astype("category")
        )
    glossary = _with_titles(records.glossary, labels)
    return replace(records, **changed, glossary=glossary)


def _labels(kinds: pd.DataFrame) -> dict[tuple[str, str, str], str]:
    """Name the kinds of one learner by what tells them apart."""
    found = [tuple(map(str, row)) for row in kinds.itertuples(index=False)]
    if len(found) == 1:
        return {(one[0], one[1], one[2]): one[0] for one in found}
    settings = [json.loads(params) for _, params, _ in found]
    shared = {
        key
        for key in settings[0]
        if all(key in one and one[key] == settings[0][key] for one in settings)
    }
    several_protocols = len({protocol for _, _, protocol in found}) > 1
    labels = {}
    for (name, params, protocol), given in zip(found, settings, strict=True):
        parts = [
            f"{key}={value if isinstance(value, str) else json.dumps(value)}"
            for key, value in given.items()
            if key not in shared
        ]
        if several_protocols and protocol:
            parts.append(f"protocol={protocol}")
        labels[name, params, protocol] = (
            f"{name} ({', '.join(parts)})" if parts else name
        )
    return labels


def _with_titles(
    glossary: Glossary, labels: dict[tuple[str, str, str], str]
) -> dict[tuple[str, str], Any]:
    words = dict(glossary)
    for (name, _, _), label in labels.items():
        facts = glossary.get(("learner", name))
        if label != name and facts is not None:
            title = str(facts.get("title") or name) + label.removeprefix(name)
            words["learner", label] = {**facts, "title": title}
    return words
