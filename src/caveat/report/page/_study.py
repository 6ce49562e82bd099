"""One study, put in order: who took part, where, judged by what, chosen how."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput, UnknownName
from caveat.report._groups import SelectionTable
from caveat.report._rules import Glossary, RecordsLike, direction_of, resolve_rule
from caveat.report.kit import shorten

FAILED_STATES = ("failed", "timeout", "oom", "crashed")
OPEN_STATES = ("pending", "running")
_MOST_LEVELS = 6
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Measure:
    """A measure: its column, how pages call it, and which way is better.

    `guessed` is whether nothing recorded the direction, so that larger was taken
    to be better.
    """

    name: str
    column: str
    title: str
    direction: str
    guessed: bool = False

    @property
    def sign(self) -> float:
        """The factor that makes larger better."""
        return 1.0 if self.direction == "max" else -1.0


@dataclass(frozen=True)
class Choice:
    """A selection rule as the page shows it; `name` is None if nothing is chosen."""

    name: str | None
    title: str
    oracle: bool = False

    @property
    def is_made(self) -> bool:
        """Whether there is a rule, so that something was chosen."""
        return self.name is not None


@dataclass(frozen=True)
class Noun:
    """What a score is averaged over."""

    one: str
    many: str

    def __call__(self, number: int) -> str:
        """Return the form that goes with the number."""
        return self.one if number == 1 else self.many


@dataclass(frozen=True)
class Study:
    """A study's records, ordered for reading.

    Attributes
    ----------
    name, topic : str
        As pages call them.
    table : SelectionTable
        Its selection tables, the baseline's among them.
    trials, baseline : DataFrame
        Trials of learners, and of the baseline.
    learners : tuple of str
        In the order of the study file, else by name.
    references : tuple of str
        Learners that were given every label; they do not compete.
    measures : tuple of Measure
        The main one first.
    choices : tuple of Choice
        Selection rules, the main one first; one nameless if there is no search.
    blocks : DataFrame
        One row per pair of data set and world: ``dataset``, ``world``, ``label``,
        ``level`` and the values of the scenario's parameters that vary.
    factor : str
        What `level` is a value of; empty if blocks are not grouped.
    noun : Noun
        What blocks are called.
    left_out : tuple of str
        Why a selection rule of the study is not among the choices.
    """

    name: str
    topic: str
    table: SelectionTable
    trials: pd.DataFrame
    baseline: pd.DataFrame
    learners: tuple[str, ...]
    references: tuple[str, ...]
    measures: tuple[Measure, ...]
    choices: tuple[Choice, ...]
    blocks: pd.DataFrame
    factor: str
    noun: Noun
    spec: Mapping[str, Any]
    glossary: Glossary
    left_out: tuple[str, ...] = ()

    @property
    def is_running(self) -> bool:
        """Whether some trials have not ended."""
        return bool(self.trials["state"].isin(OPEN_STATES).any())

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """Values of the factor, in order."""
        return tuple(dict.fromkeys(self.blocks["level"])) if self.factor else ()

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets, in order."""
        return self.datasets_of()

    def datasets_of(self, level: str = "") -> tuple[str, ...]:
        """Names of the data sets in a level of the factor; all for the empty one."""
        return self._datasets[level]

    @cached_property
    def _datasets(self) -> dict[str, tuple[str, ...]]:
        pairs = zip(self.blocks["level"], self.blocks["dataset"], strict=True)
        found: dict[str, dict[str, None]] = {"": {}}
        for level, dataset in pairs:
            found[""][dataset] = None
            found.setdefault(level, {})[dataset] = None
        return {level: tuple(names) for level, names in found.items()}

    @cached_property
    def labels(self) -> dict[tuple[str, str], str]:
        """What each pair of data set and world is called."""
        blocks = self.blocks
        pairs = zip(blocks["dataset"], blocks["world"], strict=True)
        return dict(zip(pairs, blocks["label"], strict=True))

    def facts(self, kind: str, name: str) -> Mapping[str, Any]:
        """Return what the glossary knows of a name."""
        return known_facts(self.glossary, kind, name)

    def title(self, kind: str, name: str) -> str:
        """How pages spell a name."""
        return str(self.facts(kind, name).get("title") or name)


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
    everyone = _ordered(ours["learner"].astype(str).unique(), _names(spec, "learners"))
    references = tuple(
        one for one in everyone if glossary.get(("learner", one), {}).get("reference")
    )
    blocks, factor = _blocks(ours, spec)
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
    )


def known_facts(glossary: Glossary, kind: str, name: str) -> Mapping[str, Any]:
    """Return what the glossary knows of a name, with or without its role."""
    for key in (name, f"test.{name}", f"criterion.{name}"):
        if (kind, key) in glossary:
            return glossary[kind, key]
    return {}


def distinct_titles(
    names: Sequence[str], kind: str, glossary: Glossary
) -> dict[str, str]:
    """Return how pages spell names: short, and no two alike.

    Examples
    --------
    >>> words = {("learner", "a"): {"title": "A"}, ("learner", "b"): {"title": "A"}}
    >>> distinct_titles(["a", "b", "c"], "learner", words)
    {'a': 'A', 'b': 'A (2)', 'c': 'c'}
    """
    found: dict[str, str] = {}
    for name in names:
        known = known_facts(glossary, kind, name).get("title")
        title = shown = shorten(known or name, 40)
        number = 1
        while shown in found.values():
            number += 1
            shown = f"{title} ({number})"
        found[name] = shown
    return found


def natural(text: object) -> list[tuple[int, Any]]:
    """Key that sorts 2 before 10, and "a2" before "a10"."""
    parts = _DIGITS.split(str(text))
    return [(0, int(part)) if part.isdigit() else (1, part.lower()) for part in parts]


def _flags(trials: pd.DataFrame) -> pd.Series:
    if "baseline" not in trials.columns:
        return pd.Series(False, index=trials.index)
    return trials["baseline"].fillna(False).astype(bool)


def _names(spec: Mapping[str, Any], key: str) -> list[str]:
    """Names as the study file lists them, whether plain or with settings."""
    found = []
    for item in spec.get(key) or []:
        if isinstance(item, Mapping):
            item = item.get("name") or str(item.get("file", "")).rsplit("/", 1)[-1]
        found.append(str(item))
    return found


def _ordered(names: Iterable[str], wanted: Sequence[str]) -> list[str]:
    place = {name: number for number, name in enumerate(dict.fromkeys(wanted))}
    return sorted(names, key=lambda one: (place.get(one, len(place)), natural(one)))


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
    wanted = _names(spec, "measures")
    if first is not None:
        first = first.removeprefix("test.")
        if found and first not in found:
            raise UnknownName.among("measure", first, found)
        wanted = [first, *wanted]
    # A topic may record more than the study asked for.
    asked = [name for name in found if name in wanted] or found
    ordered = _ordered(asked, wanted)
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
    wanted = _names(spec, "selection")
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


def _blocks(trials: pd.DataFrame, spec: Mapping[str, Any]) -> tuple[pd.DataFrame, str]:
    """List the data sets and worlds, grouped by the first factor with few levels."""
    scenario = [
        name
        for name in trials.columns
        if name.startswith("scenario.") and trials[name].notna().any()
    ]
    frame = trials[["dataset", "world", *scenario]].astype(object)
    frame = frame.loc[~frame.duplicated(["dataset", "world"])].map(_text)
    varying = [name for name in scenario if frame[name].nunique() > 1]
    factors = sorted(varying, key=lambda name: _place(name, spec))
    if frame["dataset"].nunique() > 1:
        factors = [*factors, "dataset"]
    factor = next((f for f in factors if 2 <= frame[f].nunique() <= _MOST_LEVELS), "")
    order = [factor, *(f for f in factors if f != factor)] if factor else factors
    orders = {name: _level_order(name, spec) for name in order}

    def key(row: dict[Any, Any]) -> list[Any]:
        return [
            (orders[name].get(row[name], len(orders[name])), natural(row[name]))
            for name in order
        ] + [natural(row["world"])]

    rows = sorted(frame.to_dict("records"), key=key)
    frame = pd.DataFrame(rows, columns=frame.columns)
    frame["level"] = frame[factor] if factor else ""
    frame["label"] = [
        ", ".join(row[name] for name in order) or row["world"] or row["dataset"]
        for row in rows
    ]
    kept = ["dataset", "world", "level", "label", *(f for f in order if f != "dataset")]
    return frame[kept], factor.removeprefix("scenario.").replace("dataset", "data set")


def _text(value: Any) -> str:
    """Write a setting; whole numbers lose the point that a missing one gave them."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def _place(column: str, spec: Mapping[str, Any]) -> tuple[int, str]:
    names = list(spec.get("scenario") or {})
    name = column.removeprefix("scenario.")
    return (names.index(name) if name in names else len(names), "")


def _level_order(column: str, spec: Mapping[str, Any]) -> dict[str, int]:
    if column == "dataset":
        listed: Any = _names(spec, "datasets")
    else:
        listed = (spec.get("scenario") or {}).get(column.removeprefix("scenario."), [])
    values = listed if isinstance(listed, list) else [listed]
    return {str(value): place for place, value in enumerate(values)}


def _noun(blocks: pd.DataFrame) -> Noun:
    if blocks["world"].nunique() <= 1:
        return Noun("data set", "data sets")
    return Noun("world", "worlds")
