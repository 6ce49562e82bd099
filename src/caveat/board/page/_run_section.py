"""Section *What was run*: planned, done, failed, and under which conditions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from caveat.board.page import _caveats as caveats
from caveat.board.page import _sentences as sentences
from caveat.board.page._costs import total_seconds
from caveat.board.page._study import FAILED_STATES, Study
from caveat.pages import (
    Caveat,
    Progress,
    Prose,
    Section,
    Term,
    Terms,
    count,
    duration,
    name,
    names,
    plural,
    prose,
    say,
    sentence,
    shorten,
    significant,
    typed,
)

_MOST_DATA_SETS = 30


def run_section(study: Study, prefix: str = "") -> Section:
    """Count what was planned and what became of it."""
    states = study.trials["state"]
    planned = len(states)
    done = int((states == "done").sum())
    failed = int(states.isin(FAILED_STATES).sum())
    running = int((states == "running").sum())
    damaged = int((states == "damaged").sum())
    heading = sentences.run_heading(planned - damaged, done, failed)
    parts = [
        ("done", done),
        ("failed", failed),
        ("running", running),
        ("pending", planned - done - failed - running - damaged),
        ("damaged", damaged),
    ]
    label = ", ".join(f"{count(number)} {state}" for state, number in parts if number)
    versions = library_versions(study)
    found = [
        caveats.damaged_rows(study.damaged),
        caveats.several_versions(versions),
    ]
    notes: list[Caveat] = [one for one in found if one is not None]
    return Section(
        name="run",
        eyebrow="What was run",
        heading=sentences.so_far(heading, study.is_running),
        lead=str(study.spec.get("description") or ""),
        blocks=[
            Progress(parts, f"Trials: {label}", _facts(study)),
            *_data_sets(study, prefix),
        ],
        caveats=notes,
        wide=True,
    )


def _facts(study: Study) -> list[tuple[str, Prose | str]]:
    learners, blocks = len(study.learners), len(study.blocks)
    worlds = study.blocks["world"].nunique()
    facts: list[tuple[str, Prose | str]] = [
        (count(learners), _noun(learners, "learner"))
    ]
    if worlds > 1:
        facts.append((count(blocks), _worlds(study)))
    repeats = int(study.trials["repeat"].nunique())
    facts.append((count(repeats), _noun(repeats, "repeat")))
    datasets = study.datasets
    data = prose(_noun(len(datasets), "data set"))
    if len(datasets) <= 4:
        data = data + ", " + names(datasets)
    facts.append((count(len(datasets)), data))
    rules = [one for one in study.choices if one.name is not None]
    if rules:
        facts.append((count(len(rules)), _noun(len(rules), "selection rule")))
    if len(study.baseline):
        n = len(study.baseline)
        failed = int(study.baseline["state"].isin(FAILED_STATES).sum())
        words = _noun(n, "baseline trial") + (
            f", {count(failed)} failed" if failed else ""
        )
        facts.append((count(n), words))
    seconds = total_seconds(study)
    if seconds >= 3600:
        facts.append((significant(seconds / 3600), "hours of computing"))
    elif seconds > 0:
        facts.append((duration(seconds), "of computing"))
    return facts


def _data_sets(study: Study, prefix: str) -> list[Terms]:
    """Say what was recorded of the data sets, if anything was."""
    terms = []
    for number, dataset in enumerate(study.datasets[:_MOST_DATA_SETS]):
        facts = study.facts("dataset", dataset)
        sizes = [
            plural(facts[key], key.rstrip("s"))
            for key in ("rows", "columns")
            if isinstance(facts.get(key), int)
        ]
        parts: list[Any] = [
            ", ".join([*sizes, *([facts["task"]] if facts.get("task") else [])])
        ]
        parts += [facts.get("source"), facts.get("licence")]
        summary = " ".join(sentence(str(part)) for part in parts if part)
        notes = " ".join(sentence(str(note)) for note in facts.get("notes") or ())
        if summary or notes:
            title = shorten(dataset, 40)
            terms.append(Term(f"{prefix}data-{number}", title, typed(summary), notes))
    return [Terms("The data", terms)] if terms else []


def _noun(number: int, one: str) -> str:
    return plural(number, one).split(" ", 1)[1]


def _worlds(study: Study) -> Prose:
    """Count the worlds and say how they differ: 4 variants, 5 or 10 bags."""
    parts = []
    for column in study.blocks.columns:
        if not column.startswith("scenario."):
            continue
        values = [one for one in dict.fromkeys(study.blocks[column]) if one]
        label = column.removeprefix("scenario.")
        if len(values) <= 3:
            parts.append(
                say("{label} {values}", label=name(label), values=_either(values))
            )
        else:
            parts.append(
                say("{n} values of {label}", n=count(len(values)), label=name(label))
            )
    words = prose(study.noun(len(study.blocks)))
    for number, part in enumerate(parts):
        words = words + (": " if number == 0 else "; ") + part
    return words


def _either(values: list[str]) -> Prose:
    shown = [name(value) for value in values]
    words = prose(shown[0])
    for number, value in enumerate(shown[1:], start=2):
        words = words + (" or " if number == len(shown) else ", ") + value
    return words


def library_versions(study: Study) -> dict[str, list[str]]:
    """Versions of every library that trials ran under, caveat first."""
    found: dict[str, dict[str, None]] = {}
    for text in pd.unique(study.trials["versions"].dropna()):
        for library, version in _parsed(text).items():
            found.setdefault(str(library), {})[str(version)] = None
    order = sorted(found, key=lambda library: (library != "caveat", library))
    return {library: sorted(found[library]) for library in order}


def _parsed(text: object) -> Mapping[str, object]:
    if isinstance(text, Mapping):
        return text
    try:
        parsed = json.loads(str(text))
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
