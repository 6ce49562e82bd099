"""One study, put in order: who took part, where, judged by what, chosen how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from caveat.board.page._blocks import told
from caveat.pages import shorten
from caveat.statistics._groups import SelectionTable
from caveat.statistics._rules import Glossary

FAILED_STATES = ("failed", "timeout", "oom", "crashed")
OPEN_STATES = ("pending", "running")


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
