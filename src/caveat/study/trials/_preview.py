"""What a study would run, before it does: the grid, an estimate, what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from caveat.exceptions import DataError, MissingExtra
from caveat.study.files._learners import parse_learner
from caveat.study.files._spec import Study
from caveat.study.ledger._database import NoLedgerYet
from caveat.study.ledger._ledger import Ledger
from caveat.study.registry import ENGINES, TOPICS
from caveat.study.topic import dataset_name
from caveat.study.trials._plan import plan


@dataclass(frozen=True)
class Cell:
    """The trials of one learner on one data set.

    Attributes
    ----------
    dataset, learner : str
    trials, configurations : int
    seconds : float or None
        Mean duration of a trial by the ledger; None if none was run yet.
    guess : float or None
        What the topic expects of a trial, from rows and columns alone; None if it
        does not say.
    """

    dataset: str
    learner: str
    trials: int
    configurations: int
    seconds: float | None
    guess: float | None = None


@dataclass(frozen=True)
class Preview:
    """What a study would run.

    Attributes
    ----------
    cells : list of Cell
    trials, worlds, repeats : int
    missing : list of str
        Sentences on libraries that are not installed and data that are not here.
    """

    cells: list[Cell]
    trials: int
    worlds: int
    repeats: int
    missing: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float | None:
        """Time of one core as far as it is known; None if nothing is."""
        known = [
            cell.trials * cell.seconds
            for cell in self.cells
            if cell.seconds is not None
        ]
        return sum(known) if known else None

    @property
    def guess(self) -> float | None:
        """Time of one core, guessed where it is not known; None if nothing is."""
        each = []
        for cell in self.cells:
            one = cell.guess if cell.seconds is None else cell.seconds
            if one is not None:
                each.append(cell.trials * one)
        return sum(each) if each else None

    @property
    def unknown(self) -> int:
        """Trials whose length nobody knows yet."""
        return sum(cell.trials for cell in self.cells if cell.seconds is None)


def preview(
    study: Study, ledger: str, *, engine: str | None = None, yes: bool = False
) -> Preview:
    """Plan a study without running it, importing a user's module or writing a file.

    Parameters
    ----------
    study : Study
    ledger : str
        Where earlier trials may tell how long one takes.
    engine : str, optional
        The engine that the command line names.
    yes : bool
        Agree to more than a million trials.
    """
    absent: list[str] = []
    trials = plan(study, yes=yes, digest=_tolerant(absent))
    guess = _guesser()
    guesses: dict[tuple[str, str], float | None] = {}
    counts: Counter[tuple[str, str]] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    for trial in trials:
        spec = trial.spec
        cell = (dataset_name(spec["dataset"]["reference"]), spec["learner"]["name"])
        counts[cell] += 1
        sizes[cell] += len(spec["configurations"])
        if cell not in guesses:
            guesses[cell] = guess(spec)
    known = _mean_seconds(ledger)
    cells = [
        Cell(*cell, count, sizes[cell], known.get(cell), guesses[cell])
        for cell, count in counts.items()
    ]
    # The same world of two data sets is two: Adult's naive bags are not CIFAR's.
    worlds = len(
        {
            (dataset_name(spec["dataset"]["reference"]), str(spec["world"]))
            for spec in (trial.spec for trial in trials)
        }
    )
    missing = [*_missing(study, engine), *absent]
    return Preview(cells, len(trials), worlds, len(study.all_repeats), missing)


def _tolerant(absent: list[str]) -> Callable[[Any], str]:
    """Digest data sets; those that are not here are told, and planned all the same."""
    from caveat.datasets import fingerprint

    def digest(reference: Any) -> str:
        try:
            return fingerprint(reference)
        except DataError as error:
            absent.append(str(error))
            return f"not here: {dataset_name(reference)}"

    return digest


def _guesser() -> Callable[[dict[str, Any]], float | None]:
    """Ask the topic of a trial what it will cost, if it can say."""
    from caveat.datasets import describe

    def guess(spec: dict[str, Any]) -> float | None:
        topic = TOPICS[spec["topic"]].load()
        expect = getattr(topic, "expected_seconds", None)
        name = spec["learner"]["name"]
        if expect is None or ":" in name:
            return None
        found = expect(
            spec, describe(spec["dataset"]["reference"]), topic.learners[name]
        )
        return None if found is None else float(found)

    return guess


def _missing(study: Study, engine: str | None) -> list[str]:
    """Say what is not installed that the study's trials or its engine need."""
    named = study.engine if engine is None else engine
    name = named.get("name") if isinstance(named, dict) else named
    topic = TOPICS[study.topic].load()
    learners = map(parse_learner, study.learners)
    wanted = [topic.learners[one.name] for one in learners if not one.is_imported]
    found = []
    for entry in [*wanted, *([ENGINES[name]] if name else [])]:
        try:
            entry.load()
        except MissingExtra as error:
            found.append(str(error))
    return found


def _mean_seconds(where: str) -> dict[tuple[str, str], float]:
    try:
        with Ledger(where) as book:
            trials = book.records().trials
    except NoLedgerYet:
        return {}
    done = trials[trials["state"] == "done"]
    return done.groupby(["dataset", "learner"])["seconds"].mean().to_dict()
