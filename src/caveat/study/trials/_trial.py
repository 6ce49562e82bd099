"""A trial: an immutable spec with a content key, and the pure function that runs it."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

from caveat._registry import Entry
from caveat.exceptions import CaveatError, DataError, InvalidInput
from caveat.study.files._imports import find_learner
from caveat.study.registry import TOPICS
from caveat.study.topic import Context, Outcome, Topic, dataset_name
from caveat.study.trials._canonical import canonical, digest, plain
from caveat.study.trials._seeds import search_identity

KEY_SCHEMA = 1
MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Trial:
    """One unit of work: a JSON spec and the keys that follow from it.

    Attributes
    ----------
    spec : dict
        Everything the result depends on; treat it as read-only.
    """

    spec: dict[str, Any]

    @cached_property
    def key(self) -> str:
        """Content key: equal specs, equal keys, wherever the data file lies."""
        identity = search_identity(self.spec)
        identity["configurations"] = self.spec["configurations"]
        return digest([KEY_SCHEMA, identity])

    @cached_property
    def group(self) -> str:
        """Key of the search that this trial is a part of."""
        return digest([KEY_SCHEMA, search_identity(self.spec)])

    @property
    def title(self) -> str:
        """What a line of progress calls it.

        Examples
        --------
        >>> Trial({"dataset": {"reference": "iris"}, "learner": {"name": "k-nn"},
        ...        "repeat": 2}).title
        'k-nn on iris, repeat 2'
        """
        dataset = dataset_name(self.spec["dataset"]["reference"])
        learner, repeat = self.spec["learner"]["name"], self.spec["repeat"]
        return f"{learner} on {dataset}, repeat {repeat}"


class NonFinite(CaveatError):
    """A learner's numbers are not finite, so there is nothing to record."""


def run_trial(
    spec: Mapping[str, Any],
    *,
    allow_import: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Run one trial: same spec, same record, on any engine.

    Parameters
    ----------
    spec : mapping
        The spec of a planned `Trial`.
    allow_import : bool
        Whether a learner from the user's own module may be imported.
    progress : callable
        Gets ``(done, total)``.

    Returns
    -------
    dict
        The record: ``table`` (columns of the selection table), ``curves``,
        ``digests``, ``notes``; plain JSON. And ``about``: what the report has to
        know of learner, measures and data set.
    """
    topic: Topic = TOPICS[spec["topic"]].load()
    reference, expected = spec["dataset"]["reference"], spec["dataset"]["digest"]
    whole = getattr(topic, "whole_tables", False)
    dataset = _load_dataset(canonical(reference), expected, whole)
    entry = find_learner(topic, spec["learner"]["name"], allow_import=allow_import)
    skip = getattr(topic, "skip", None)
    if skip is not None and (misfit := skip({"task": dataset.task}, entry)):
        raise InvalidInput(
            f"{entry.name} and {dataset.name}: the learner {misfit}; leave one of them "
            "out"
        )
    context = Context(spec=spec, dataset=dataset, entry=entry, progress=progress)
    outcome = topic.run(context)
    record = make_record(outcome)
    if context._split is not None:
        record["digests"]["split"] = context._split.digest
    named = dataset_name(reference)
    record["about"] = _about(topic, entry, dataset, named, record["table"])
    return record


def warm_up(topics: Iterable[str]) -> None:
    """Import what trials of these topics need, before any of them is timed."""
    for module in ("pandas", "caveat.datasets._reference"):
        import_module(module)
    for name in topics:
        # A topic that cannot be loaded shows itself in its first trial.
        with contextlib.suppress(Exception):
            TOPICS[name].load()


@lru_cache(maxsize=2)
def _load_dataset(written: str, expected: str, whole: bool) -> Any:
    """Load and verify a data set; the last ones are kept, neighbours share them.

    A topic that gives columns their roles itself gets the `whole` table.
    """
    from caveat.datasets import fingerprint, referred, resolve

    reference = json.loads(written)
    found = fingerprint(reference)
    if found != expected:
        raise DataError(
            f"data set {reference!r} has changed since the study was planned "
            f"(digest {found[:12]}, expected {expected[:12]}); run the study again to "
            "plan with the new content"
        )
    return resolve(reference) if whole else referred(reference)


def make_record(outcome: Outcome) -> dict[str, Any]:
    """Turn an outcome into plain JSON, columns first, and refuse what is not finite."""
    if not outcome.rows:
        raise InvalidInput(
            "the trial gave no row; a selection table needs at least one"
        )
    names: dict[str, None] = {"config": None, "checkpoint": None}
    for row in outcome.rows:
        names.update(dict.fromkeys(row))
    table: dict[str, list[Any]] = {name: [] for name in names}
    for number, row in enumerate(outcome.rows):
        for name in names:
            table[name].append(_cell(name, plain(row.get(name)), number))
    record = {
        "table": table,
        "curves": {
            name: [
                {key: _finite(plain(item)) for key, item in row.items()} for row in rows
            ]
            for name, rows in outcome.curves.items()
        },
        "digests": dict(outcome.digests),
        "notes": [str(note) for note in outcome.notes],
    }
    size = len(canonical(record))
    if size > MOST_BYTES:
        raise InvalidInput(
            f"the record has {size:,} characters, a ledger takes {MOST_BYTES:,}; "
            "record fewer checkpoints or shorter curves"
        )
    return record


def _cell(name: str, value: Any, number: int) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        if name.startswith("test."):
            raise NonFinite(
                f"{name} is {value} in row {number} of the selection table; "
                "the learner's output is not finite"
            )
        return None
    if isinstance(value, dict | list):
        raise InvalidInput(
            f"{name} holds a {type(value).__name__}; a cell is one value"
        )
    return value


def _finite(value: Any) -> Any:
    """Put None where JSON has no number: an open end of a range, an undefined cell."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _about(
    topic: Topic, entry: Entry, dataset: Any, named: str, table: Mapping[str, Any]
) -> list[list[Any]]:
    """Collect what a report says of this record's names, years later and elsewhere."""
    about = [["learner", entry.name, _facts("learner", entry)]]
    private = getattr(topic, "private", False)
    told = () if private else getattr(dataset, "notes", ())
    classes = [] if private else list(getattr(dataset, "classes", None) or ())
    # Of two classes measures of one class are about the last.
    two = dataset.task == "binary" and len(classes) == 2
    positive = {"positive": str(classes[1])} if two else {}
    about.append(
        [
            "dataset",
            named,
            {
                "task": dataset.task,
                "rows": len(dataset.X),
                "columns": dataset.X.shape[1],
                "source": dataset.source,
                "licence": dataset.licence,
                "notes": list(told),
                **positive,
            },
        ]
    )
    registries = (
        ("measure", "test.", topic.measures),
        ("criterion", "criterion.", topic.criteria),
    )
    for kind, prefix, registry in registries:
        for column in table:
            name = column.removeprefix(prefix)
            if column.startswith(prefix) and name in registry:
                about.append([kind, column, _facts(kind, registry[name])])
    for rule in topic.rules.values():
        about.append(["rule", rule.name, _facts("rule", rule)])
    return about


_known_facts: dict[tuple[str, ...], dict[str, Any]] = {}


def _facts(kind: str, entry: Entry) -> dict[str, Any]:
    """Collect an entry's facts, once per process: docstrings do not change."""
    place = (kind, entry.target, entry.name, entry.summary)
    if place not in _known_facts:
        _known_facts[place] = _read_facts(entry)
    return _known_facts[place]


def _read_facts(entry: Entry) -> dict[str, Any]:
    facts = {"title": entry.title, "summary": entry.summary, "paper": entry.paper}
    facts.update(_finite(plain(dict(entry.facts))))
    facts["warnings"] = entry.warnings
    return {key: value for key, value in facts.items() if value not in ("", None)}
