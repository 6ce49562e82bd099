"""The page: title, anatomy, sections, the whole list of caveats, how to do it again."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import caveat
from caveat import pages as kit
from caveat.audit._figure_anatomy import anatomy
from caveat.audit._glossary import glossary
from caveat.audit._reading import Reading
from caveat.audit._remark import Remark, number
from caveat.audit._remarks import CHECKS
from caveat.audit._section_data import data_section
from caveat.audit._section_free import free_section
from caveat.audit._section_models import models_section
from caveat.audit._section_sets import sets_section
from caveat.audit._section_shares import shares_section
from caveat.audit._section_targets import targets_section
from caveat.audit._section_tomorrow import tomorrow_section
from caveat.audit._title_weaker import weaker_lede, weaker_title


@dataclass(frozen=True)
class Again:
    """How to make the page again.

    Attributes
    ----------
    command : str
    files : tuple of str
        Names of the study file and the ledger beside the page.
    """

    command: str
    files: tuple[str, ...] = ("study.yaml", "audit.ledger")


def make_page(reading: Reading, remarks: Sequence[Remark], again: Again) -> kit.Page:
    """Build the page of an audit from its numbers and its caveats."""
    one_target = (free_section, models_section, tomorrow_section)
    sections = [
        data_section(reading, remarks),
        *(make(reading, remarks) for make in one_target if reading.single),
        *(_WEAKER[part](reading, remarks) for part in reading.asked),
        _caveat_section(reading, remarks),
        _again_section(reading, again),
    ]
    chapter = kit.Chapter(
        "",
        _eyebrow(reading),
        title(reading),
        _lede(reading),
        figure=anatomy(reading) if reading.single else None,
        sections=sections,
        checks=f"No caveat was found by these checks: {CHECKS}.",
    )
    return kit.Page([chapter])


_WEAKER: dict[str, Callable[[Reading, Sequence[Remark]], kit.Section]] = {
    "targets": targets_section,
    "bags": shares_section,
    "candidates": sets_section,
}


def _eyebrow(reading: Reading) -> kit.Prose:
    file = kit.code(str(reading.facts["file"]))
    if reading.single:
        target = kit.code(str(reading.facts["target"]))
        return kit.say("Audit of {file}, target {target}", file=file, target=target)
    words = {"targets": "several targets", "candidates": "candidate labels"}
    asked = " and ".join(words[part] for part in reading.asked)
    return kit.say("Audit of {file}, {asked}", file=file, asked=asked)


def title(reading: Reading) -> kit.Prose:
    """Say the best score, and what it is worth."""
    if not reading.single:
        return weaker_title(reading)
    best, free = reading.best, reading.free
    if best is None:
        return kit.prose("No model gave a value.")
    if reading.regression:
        return kit.say(
            "{model} errs by {score}. A constant answer errs by {chance}.",
            model=kit.capital(best.title),
            score=number(best.value),
            chance=number(reading.chance),
        )
    if free is None or math.isnan(free.value):
        return kit.say(
            "{model} scores {score}. Chance scores 0.50.",
            model=kit.capital(best.title),
            score=number(best.value),
        )
    return kit.say(
        "{model} scores {score}. Clustering scores {free} without seeing one label.",
        model=kit.capital(best.title),
        score=number(best.value),
        free=number(free.value),
    )


def _lede(reading: Reading) -> kit.Prose:
    best, free = reading.best, reading.free
    if not reading.single:
        return weaker_lede(reading)
    if best is None:
        return kit.prose("What was found in the table stands below.")
    if not reading.has_skill:
        return kit.prose(
            "That is what shuffled labels would give. There is no sign that these "
            "columns say anything about the target."
        )
    words: list[Any] = []
    if free is not None and not math.isnan(free.value) and best.upper > 0.5:
        share = (free.value - 0.5) / (best.upper - 0.5)
        if share >= 1:
            words.append("Nothing of it is earned.")
        elif free.verdict == "chance":
            words.append("None of it is free: clusters do as shuffled labels do.")
        else:
            where = "of the order of rows" if reading.regression else "of the rise"
            words.append(
                kit.say(
                    "{share} {where} above chance is free.",
                    share=f"{round(100 * share)}{kit.NBSP}%",
                    where=where,
                )
            )
    one = reading.shifted.get(best.name)
    if one is not None:
        lost = reading.sign * (one.closed - one.worst)
        earned = reading.earned(one.closed)
        if earned > 0 and lost / earned >= 0.15:
            words.append(
                kit.say(
                    "It hangs on {column}: on the day that column vanishes, {model} "
                    "has {worst}.",
                    column=kit.code(kit.shorten(one.most_used, 40)),
                    model=one.title,
                    worst=number(one.worst),
                )
            )
        else:
            words.append(
                kit.prose("No single column is missed much on the day it vanishes.")
            )
    return kit.join(words)


def _caveat_section(reading: Reading, remarks: Sequence[Remark]) -> kit.Section:
    names = {
        "data": "The data",
        "free": "The free part",
        "models": "The models",
        "tomorrow": "Tomorrow",
        "targets": "Several targets",
        "shares": "Shares of groups",
        "sets": "Candidates",
    }
    if not remarks:
        return kit.Section(
            "caveats",
            "Caveats",
            "No caveat was found by these checks",
            lead=f"Looked for: {CHECKS}.",
            blocks=[kit.Notice("That is no proof that there is none.")],
        )
    best = reading.best
    beside = f" to keep beside the {number(best.value)}" if best is not None else ""
    count = kit.capital(kit.word(len(remarks)))
    noun = "sentence" if len(remarks) == 1 else "sentences"
    pairs: list[tuple[str, Any]] = [
        (
            f"* {remark.severity.capitalize()}",
            kit.join(
                [remark.sentence, kit.link(names[remark.section], remark.section)]
            ),
        )
        for remark in remarks
    ]
    return kit.Section(
        "caveats",
        "Caveats",
        f"{count} {noun}{beside}",
        lead="Worst first; each is made from a number on this page.",
        blocks=[kit.Facts(pairs)],
        wide=True,
    )


def _versions(reading: Reading) -> str:
    """Name the versions that the trials ran with."""
    if not reading.versions:
        return f"caveat {caveat.__version__}"
    known = json.loads(reading.versions)
    wanted = ("caveat", "python", "scikit-learn", "lightgbm", "numpy", "pandas")
    return ", ".join(f"{name} {known[name]}" for name in wanted if name in known)


def _again_section(reading: Reading, again: Again) -> kit.Section:
    states = reading.states
    done = states.get("done", 0)
    ended = f"{kit.count(done)} of {kit.count(sum(states.values()))} trials done"
    if reading.failures:
        ended += f", {len(reading.failures)} failed"
    reference = reading.spec["datasets"][0]
    facts: list[tuple[str, Any]] = [
        ("Beside this page", kit.join([kit.code(one) for one in again.files], ", ")),
        ("Run", f"{ended}, seed {reading.scenario['seed']}"),
        ("Rows read", f"at most {kit.count(int(reference['sample']))}"),
        ("Versions", _versions(reading)),
    ]
    if reading.digest:
        facts.insert(1, ("Data", kit.code(f"sha256 {reading.digest[:16]}")))
    return kit.Section(
        "again",
        "Do it again",
        "The same file, command and seed give the same numbers",
        lead="The page is made from the study file and the ledger beside it; a second "
        "run goes on where the first one stopped.",
        blocks=[kit.Facts(facts, command=again.command), glossary(reading)],
    )
