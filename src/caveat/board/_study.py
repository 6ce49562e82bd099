"""One study, put in order: who took part, where, judged by what, chosen how.

Its searches are laid out by block and learner, and chosen once by every rule.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.pages import shorten
from caveat.statistics import Glossary, Rule, SelectionTable, choose, resolve_rule

FAILED_STATES = ("failed", "timeout", "oom", "crashed")
OPEN_STATES = ("pending", "running")
Floats = NDArray[np.float64]
Whole = NDArray[np.intp]


@dataclass(frozen=True)
class Measure:
    """A measure: its column, how pages call it, and which way is better.

    `guessed` is whether nothing recorded the direction, so that larger was taken
    to be better. `range` is where its values lie, `constant` what a constant answer
    has, where that is the same on all data.
    """

    name: str
    column: str
    title: str
    direction: str
    guessed: bool = False
    range: tuple[float, float] = (-math.inf, math.inf)
    constant: float | None = None

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
    free : tuple of str
        Those of the learners that look at no feature: floors, not competitors.
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
    damaged : int
        Rows of the ledger that are not what was written, and left out.
    proven : bool
        Whether rows were checked against digests.
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
    damaged: int = 0
    proven: bool = True
    free: tuple[str, ...] = ()

    @property
    def is_running(self) -> bool:
        """Whether some trials have not ended."""
        return bool(self.trials["state"].isin(OPEN_STATES).any())

    @property
    def competing(self) -> tuple[str, ...]:
        """Learners that learn; what looks at no feature leads nobody."""
        return tuple(one for one in self.learners if one not in self.free)

    @property
    def test_share(self) -> float:
        """Share of the rows that every repeat is tested on."""
        split = self.spec.get("split") or {}
        return float(split.get("test-size", split.get("test_size", 0.25)))

    @cached_property
    def versions(self) -> dict[str, list[str]]:
        """Versions of every library that trials ran under, caveat first."""
        found: dict[str, dict[str, None]] = {}
        for text in pd.unique(self.trials["versions"].dropna()):
            for library, version in _parsed(text).items():
                found.setdefault(str(library), {})[str(version)] = None
        order = sorted(found, key=lambda library: (library != "caveat", library))
        return {library: sorted(found[library]) for library in order}

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

    def level_title(self, level: str) -> str:
        """How pages call a level: ``hard``, but ``n_bags 5``."""
        return shorten(told(self.factor, level), 40)

    def facts(self, kind: str, name: str) -> Mapping[str, Any]:
        """Return what the glossary knows of a name."""
        return known_facts(self.glossary, kind, name)

    def title(self, kind: str, name: str) -> str:
        """How pages spell a name."""
        return str(self.facts(kind, name).get("title") or name)


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


def told(name: str, value: str) -> str:
    """Write a setting so that it can be understood alone: numbers need their name.

    Examples
    --------
    >>> told("variant", "hard"), told("n_bags", "5")
    ('hard', 'n_bags 5')
    """
    return f"{name} {value}" if is_counted({value}) else value


def is_counted(values: Iterable[str]) -> bool:
    """Whether all values are numbers or switches, which mean nothing by themselves."""
    plain = [value.lstrip("-").replace(".", "", 1) for value in values]
    return all(one.isdigit() or one in ("True", "False") for one in plain)


def _parsed(text: object) -> Mapping[str, object]:
    if isinstance(text, Mapping):
        return text
    try:
        parsed = json.loads(str(text))
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


class CellFacts(NamedTuple):
    """Searches of one learner in one block: their mean, and how many of which kind."""

    mean: float
    n: int
    planned: int
    incomplete: int
    open: int

    @property
    def is_partial(self) -> bool:
        """Whether searches failed, or a value rests on part of a search."""
        failed = self.planned - self.n - self.open
        return failed > 0 or self.incomplete > 0


@dataclass(frozen=True)
class Layout:
    """Which search belongs to which block and learner, and how complete it is.

    Attributes
    ----------
    learners : tuple of str
    blocks : int
        How many there are.
    block, learner, repeat : array of shape (n_searches,)
    complete, open : array of shape (n_searches,)
        Whether all configurations have a result; whether some have none yet.
    """

    learners: tuple[str, ...]
    blocks: int
    block: Whole
    learner: Whole
    repeat: Whole
    complete: NDArray[np.bool_]
    open: NDArray[np.bool_]

    @property
    def code(self) -> Whole:
        """Number of each search's cell, counted block by block."""
        return self.block * len(self.learners) + self.learner

    def total(self, weights: Floats | NDArray[np.bool_]) -> Floats:
        """Sum over the searches of each cell: blocks x learners."""
        shape = self.blocks, len(self.learners)
        size = shape[0] * shape[1]
        sums = np.bincount(self.code, weights.astype(float), minlength=size)
        # Of no search at all numpy counts whole numbers.
        return sums.astype(np.float64).reshape(shape)


@dataclass(frozen=True)
class Cells:
    """Values of searches, and their means by block and learner.

    Attributes
    ----------
    layout : Layout
    value, search_regret : array of shape (n_searches,)
        NaN where a search gave none.
    mean, regret : array of shape (blocks, learners)
        Over the searches that gave a value.
    n, planned, incomplete, open : array of shape (blocks, learners)
        Searches that gave a value, that were planned, that gave a value from part of
        their configurations, that still wait.
    """

    layout: Layout
    value: Floats
    search_regret: Floats
    mean: Floats
    regret: Floats
    n: Whole
    planned: Whole
    incomplete: Whole
    open: Whole

    @classmethod
    def of(cls, layout: Layout, value: Floats, regret: Floats) -> Cells:
        """Lay values out and average them."""
        known = np.isfinite(value)
        n = layout.total(known)
        return cls(
            layout=layout,
            value=value,
            search_regret=regret,
            mean=_divided(layout.total(np.where(known, value, 0.0)), n),
            regret=_divided(layout.total(np.where(known, regret, 0.0)), n),
            n=n.astype(np.intp),
            planned=layout.total(np.ones(len(value))).astype(np.intp),
            incomplete=layout.total(known & ~layout.complete).astype(np.intp),
            open=layout.total(layout.open).astype(np.intp),
        )

    @property
    def learners(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.layout.learners

    @property
    def repeats(self) -> int:
        """Most searches of any cell."""
        return int(self.planned.max(initial=0))

    def facts(self, block: int, learner: int) -> CellFacts | None:
        """Return what is known of one cell; None if nothing was planned there."""
        if not self.planned[block, learner]:
            return None
        whole = (self.n, self.planned, self.incomplete, self.open)
        counts = (int(one[block, learner]) for one in whole)
        return CellFacts(float(self.mean[block, learner]), *counts)


def _divided(sums: Floats, counts: Floats) -> Floats:
    """Means; NaN where there is nothing to average."""
    with np.errstate(invalid="ignore"):
        return sums / counts


@dataclass(frozen=True)
class Scored:
    """A measure under a rule: the cells that scores are made of."""

    measure: Measure
    choice: Choice
    cells: Cells


class Scorer:
    """Chooses once per rule, then scores any measure under it.

    Parameters
    ----------
    study : Study
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        table = study.table
        groups = table.groups
        self._ours = ours = table.learnt
        everyone = (*study.learners, *study.references)
        self._layout = Layout(
            learners=everyone,
            blocks=len(study.blocks),
            block=block_numbers(study, groups[ours]),
            learner=pd.Index(everyone).get_indexer(
                pd.Index(groups["learner"][ours].astype(str))
            ),
            repeat=groups["repeat"][ours].to_numpy(dtype=np.intp),
            complete=groups["complete"].to_numpy(dtype=bool)[ours],
            open=groups["missing"].to_numpy()[ours] > 0,
        )
        rows = np.bincount(table.code[table.code >= 0], minlength=len(groups))
        self._single = rows <= 1
        columns = list(table.rows.columns)
        # By a measure itself: the best row there is, which regret is held against.
        rules: dict[str | None, Rule] = {
            one.column: Rule(one.column, one.column, "best", one.direction, oracle=True)
            for one in study.measures
        }
        for choice in study.choices:
            if choice.name is not None:
                rules[choice.name] = resolve_rule(
                    choice.name, glossary=table.glossary, columns=columns
                )
        self._pick = {name: choose(table, rule)[0] for name, rule in rules.items()}
        self._values = {
            # Position -1, no row, takes the last value.
            one.column: np.append(table.numbers(one.column), np.nan)
            for one in study.measures
        }
        self._scores: dict[tuple[str, str | None], Scored] = {}

    def _chosen(self, measure: Measure, choice: Choice) -> NDArray[np.float64]:
        values = self._values[measure.column]
        if choice.name is None:
            # Without a rule there is nothing to choose by; only single rows count.
            return np.where(self._single, values[self._pick[measure.column]], np.nan)
        found = values[self._pick[choice.name]]
        return np.where(np.isfinite(found), found, np.nan)

    def cells(self, measure: Measure, choice: Choice) -> Scored:
        """Score every learner by one measure, chosen by one rule."""
        key = measure.name, choice.name
        if key not in self._scores:
            best = self._values[measure.column][self._pick[measure.column]]
            value = self._chosen(measure, choice)
            # Adding 0 turns -0.0 into 0.0.
            regret = measure.sign * (best - value) + 0.0
            cells = Cells.of(self._layout, value[self._ours], regret[self._ours])
            self._scores[key] = Scored(measure, choice, cells)
        return self._scores[key]

    def widest(self, measure: Measure) -> float:
        """How far the values of one search lie apart at most; NaN without any."""
        table = self.study.table
        values = self._values[measure.column][:-1]
        known = (table.code >= 0) & np.isfinite(values)
        searches = pd.Series(values[known]).groupby(table.code[known])
        return float((searches.max() - searches.min()).max())

    def clusters(self, measure: Measure) -> pd.Series:
        """Give what clusters reach by data set and repeat, the splits of learners."""
        best = self._values[measure.column][self._pick[measure.column]][~self._ours]
        where = self.study.table.groups[["dataset", "repeat"]][~self._ours]
        frame = where.astype({"dataset": str}).assign(value=best)
        known = frame[np.isfinite(best)]
        return known.groupby(["dataset", "repeat"])["value"].mean()

    def free(self, measure: Measure) -> dict[str, float]:
        """Mean of the baseline on each data set: what clusters reach."""
        means = self.clusters(measure).groupby(level="dataset").mean()
        datasets = self.study.datasets
        return {one: float(means[one]) for one in datasets if one in means.index}


def block_numbers(study: Study, frame: pd.DataFrame) -> NDArray[np.intp]:
    """Return the number of each row's block."""
    index = pd.MultiIndex.from_frame(study.blocks[["dataset", "world"]])
    pairs = frame[["dataset", "world"]].astype(object).fillna("").astype(str)
    return index.get_indexer(pd.MultiIndex.from_frame(pairs))
