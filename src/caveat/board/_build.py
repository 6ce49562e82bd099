"""From records to a report: one page, with its figures and tables beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import caveat
from caveat.board import _sections as sections
from caveat.board._actions import next_step
from caveat.board._caveats import CHECKS, caveats, ledger_caveats
from caveat.board._claims import findings, so_far
from caveat.board._read import read_study
from caveat.board._scores import Context
from caveat.board._selection import Regrets, selection_section
from caveat.board._study import Study
from caveat.eapp.result import CLUSTERS
from caveat.exceptions import UnknownName
from caveat.pages import (
    Block,
    Facts,
    Figure,
    Look,
    Page,
    Prose,
    Section,
    Term,
    Terms,
    Words,
    code,
    count,
    figures,
    join,
    name,
    names,
    plural,
    prose,
    say,
    sentence,
    shorten,
    typed,
    word,
    write,
)
from caveat.pages.claims import Claim, Condition, Estimate
from caveat.statistics import RecordsLike
from caveat.study import trials_digest

_MOST_DATA_SETS = 30
_UNPROVEN = (
    "; they come from an older caveat, whose records carry no digests, so nothing "
    "shows that they are what was written"
)


def build_report(
    records: RecordsLike | Sequence[RecordsLike],
    out: str | Path,
    *,
    study: str | None = None,
    measure: str | None = None,
    rule: str | None = None,
    excel_safe: bool = False,
    command: str = "",
) -> Path:
    """Write the report on a ledger: ``index.html``, figures and tables.

    Parameters
    ----------
    records : Records, or a sequence of them
        What ``Ledger(url).records()`` gives. A trial that belongs to several studies
        is listed once; to have it in the chapter of each, read and pass the studies
        one by one.
    out : path
        Folder to write to, made if it is not there.
    study : str, optional
        Report on this one only.
    measure, rule : str, optional
        Measure and selection rule that come first; default: the study's own first
        ones.
    excel_safe : bool, default=False
        Put an apostrophe before text in CSV files that a spreadsheet would run.
    command : str
        The command that made the page, to be shown on it.

    Returns
    -------
    Path of ``index.html``.

    Warnings
    --------
    The page says what the records hold. What was never run, such as a baseline or a
    second data set, it can only name as missing.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from caveat.study import Records
    >>> empty = Records(trials=pd.DataFrame(), rows=pd.DataFrame())
    >>> page = build_report(empty, tempfile.mkdtemp())
    >>> "Nothing has been run yet" in page.read_text()
    True
    """
    page = build_page(
        records,
        study=study,
        measure=measure,
        rule=rule,
        excel_safe=excel_safe,
        command=command,
    )
    return write(page, out)


def build_page(
    records: RecordsLike | Sequence[RecordsLike],
    *,
    study: str | None = None,
    measure: str | None = None,
    rule: str | None = None,
    excel_safe: bool = False,
    command: str = "",
) -> Page:
    """Describe the page without writing it; parameters as in `build_report`."""
    several = records if isinstance(records, Sequence) else [records]
    parts = [part for one in several for part in _studies(one)]
    if study is not None:
        known = [name for name, _ in parts]
        parts = [(name, part) for name, part in parts if name == study]
        if not parts:
            raise UnknownName.among("study", study, known)
    chapters = [
        study_look(
            read_study(part, name=name, measure=measure, rule=rule),
            prefix=f"s{number}-" if len(parts) > 1 else "",
            excel_safe=excel_safe,
            command=command,
        )
        for number, (name, part) in enumerate(parts, start=1)
    ]
    if len(chapters) == 1:
        return Page(chapters)
    trials = sum(len(part.trials) for _, part in parts)
    return Page(
        chapters,
        eyebrow="Report on a ledger",
        title=f"{word(len(chapters)).capitalize()} studies, each with its own finding.",
        lede=say(
            "{n} trials in all. Scores of different studies are not compared: their "
            "protocols may differ.",
            n=count(trials),
        ),
    )


def _studies(records: RecordsLike) -> list[tuple[str, Any]]:
    """Cut records into studies, in the order of their names."""
    trials = records.trials
    known = dict.fromkeys(getattr(records, "studies", {}))
    if len(trials):
        known |= dict.fromkeys(sorted(trials["study"].astype(str).unique()))
    if len(known) < 2:
        name = next(iter(known), "")
        return [(name, _with_columns(records))]
    return [(name, _with_columns(_part(records, name))) for name in known]


def _part(records: RecordsLike, name: str) -> Any:
    trials, rows = records.trials, records.rows
    return _changed(
        records,
        trials[(trials["study"].astype(str) == name).to_numpy()],
        rows[(rows["study"].astype(str) == name).to_numpy()] if len(rows) else rows,
    )


_TRIAL_COLUMNS = [
    *["key", "group", "study", "topic", "dataset", "learner", "repeat", "world"],
    *["protocol", "state", "reason", "message", "configurations", "group_size"],
    *["seconds", "host", "versions"],
]


def _with_columns(records: Any) -> Any:
    """Add the columns that an empty frame lacks."""
    trials = records.trials
    missing = [name for name in _TRIAL_COLUMNS if name not in trials.columns]
    if not missing:
        return records
    filled = trials.reindex(columns=[*trials.columns, *missing])
    return _changed(records, filled, records.rows)


def _changed(records: Any, trials: pd.DataFrame, rows: pd.DataFrame) -> Any:
    return replace(records, trials=trials, rows=rows)


def study_look(
    study: Study, *, prefix: str = "", excel_safe: bool = False, command: str = ""
) -> Look:
    """Say what a study found, in whatever state it is.

    Parameters
    ----------
    study : Study
    prefix : str
        Begins names of files and ids, if the page has several looks.
    excel_safe : bool
        Whether CSV files are for spreadsheets.
    command : str
        What makes this page.
    """
    if study.trials.empty:
        return _nothing_run(study, prefix, command)
    context = Context(study, prefix, excel_safe)
    if not study.measures or not context.scores.intervals:
        return _no_value(study, prefix, command)
    regrets = Regrets(context)
    seconds = sections.search_seconds(study)
    said: list[Claim] = [*findings(context), *caveats(context)]
    rules = regrets.finding()
    stars = {
        level: claim.name
        for level in ("", *study.levels)
        for claim in said
        if claim.name and claim.name == f"{prefix}below-{_place(study, level)}"
    }
    return Look(
        "report",
        _eyebrow(study),
        [*said, *([rules] if rules is not None and rules.severity else [])],
        [
            sections.board_section(context, seconds, stars),
            sections.difference_section(context),
            selection_section(context, regrets),
            sections.cost_section(context, seconds),
            sections.run_section(study),
            sections.failures_section(study, context),
            words_section(context),
            *sections.further_section(context),
            again_section(study, command),
        ],
        figure=_field(context),
        checks=CHECKS,
        nothing_to_do=next_step(context, seconds),
        name=prefix.rstrip("-"),
    )


def _place(study: Study, level: str) -> int:
    return ("", *study.levels).index(level)


def _eyebrow(study: Study) -> Prose:
    if not study.name:
        return prose("Report")
    topic = f", {study.topic}" if study.topic else ""
    return say("Report on the study {name}{topic}", name=code(study.name), topic=topic)


def _nothing_run(study: Study, prefix: str, command: str) -> Look:
    return Look(
        "report",
        _eyebrow(study),
        [Condition(sentence="Nothing has been run yet.")],
        [
            Section(
                name="again",
                eyebrow="Do it again",
                heading="Run a study, and this page has something to say",
                blocks=[Facts([], f"caveat run STUDY.yaml\n{command}".strip())],
            )
        ],
        nothing_to_do="Run a study, then make this page again.",
        name=prefix.rstrip("-"),
    )


def _no_value(study: Study, prefix: str, command: str) -> Look:
    done = (study.trials["state"] == "done").any()
    claim: Claim = Condition(
        sentence="No trial gave a value.",
        how="What went wrong stands below, by reason and learner.",
        fix="Mend the first reason below, and run the study again.",
    )
    if study.is_running:
        claim = so_far(study)
    elif done and study.measures:
        claim = Condition(
            sentence="Nothing was chosen: no selection rule was recorded.",
            how="Searches have several rows; a rule names the criterion to choose by.",
            fix=say("Name a rule with {key}.", key=code("selection:")),
        )
    elif done:
        claim = Condition(
            sentence="Trials ended, but no measure was recorded.",
            how="Without a measure on the test part there is nothing to compare.",
            fix=say("Name a measure with {key}.", key=code("measures:")),
        )
    parts = [sections.failures_section(study, None), sections.run_section(study)]
    if study.is_running:
        parts.reverse()
    return Look(
        "report",
        _eyebrow(study),
        [claim, *ledger_caveats(study)],
        [*parts, again_section(study, command)],
        nothing_to_do="Wait for the first trial to end, then make this page again.",
        name=prefix.rstrip("-"),
    )


def _field(context: Context) -> Figure:
    """Draw every learner on one line, beside the floor and the reference."""
    study, scores = context.study, context.scores
    untested = scores.verdict.kind == "none"
    known = [one for one in scores.order if one in scores.intervals]
    marks = [
        figures.Mark(
            context.names[one],
            scores.estimate(one),
            "earned" if untested or one in scores.leaders else "faint",
        )
        for one in known
    ]
    marks += [
        figures.Mark("every label", scores.estimate(one), "c8")
        for one in study.references[:1]
        if one in scores.intervals
    ]
    floor = None
    if np.isfinite(context.floor.value):
        label = "clusters" if context.floor.name == CLUSTERS else "floor"
        value, places = context.floor.value, scores.places
        estimate = Estimate(value, context.unit, digits=places)
        floor = figures.Mark(label, estimate, "free")
    listed = ", ".join(f"{mark.label} {mark.estimate.text}" for mark in marks)
    chosen = ""
    if scores.choice.is_made:
        chosen = f"; tuned by {scores.choice.title}"
    return figures.score_line(
        marks,
        name=f"{context.prefix}field",
        label=f"{'Mean ' * context.is_mean}{context.unit}: {listed}.",
        floor=floor,
        limits=context.measure.range,
        sign=context.measure.sign,
        conditions=say(
            "{mean} {unit} {over} {where}; {repeats}{chosen}. {blue}{lines}",
            mean="Mean test" if context.is_mean else "Test",
            over="over" if context.is_mean else "on",
            unit=name(context.unit),
            where=context.where,
            repeats=plural(scores.cells.repeats, "repeat"),
            chosen=chosen,
            blue="" if untested else "Blue: not told from the first. ",
            lines="One run each, so no intervals."
            if scores.alone
            else f"Lines: 95\u00a0% intervals over {scores.over}.",
        ),
    )


def words_section(context: Context) -> Section:
    """Explain measures, learners, rules and data, with their own warnings."""
    study, prefix = context.study, context.prefix
    named = [("measure", one.name, one.title) for one in study.measures]
    learners = [("learner", one, title) for one, title in context.names.items()]
    rules = [("rule", c.name, c.title) for c in study.choices if c.name is not None]
    parts: list[Block] = []
    for title, group in (
        ("Measures", named), ("Learners", learners), ("Selection rules", rules),
    ):  # fmt: skip
        terms = [
            _term(f"{prefix}{kind}-{number}", shown, study.facts(kind, one))
            for number, (kind, one, shown) in enumerate(group)
        ]
        if terms:
            parts.append(Terms(title, terms))
    data = [
        _data_term(f"{prefix}data-{number}", one, study.facts("dataset", one))
        for number, one in enumerate(study.datasets[:_MOST_DATA_SETS])
    ]
    known = [one for one in data if one.summary or one.warnings]
    if known:
        parts.append(Terms("The data", known))
    return Section("words", "Words", "What the names stand for", blocks=parts)


def _term(identity: str, title: str, facts: Mapping[str, Any]) -> Term:
    summary, paper = facts.get("summary") or "", facts.get("paper") or ""
    parts = [sentence(str(part)) for part in (summary, paper) if part]
    warnings = typed(str(facts.get("warnings") or ""))
    return Term(identity, title, join(map(typed, parts)), warnings)


def _data_term(identity: str, title: str, facts: Mapping[str, Any]) -> Term:
    sizes = [
        plural(facts[key], key.rstrip("s"))
        for key in ("rows", "columns")
        if isinstance(facts.get(key), int)
    ]
    first = ", ".join([*sizes, *([facts["task"]] if facts.get("task") else [])])
    parts = [first, facts.get("source"), facts.get("licence")]
    summary = " ".join(sentence(str(part)) for part in parts if part)
    notes = " ".join(sentence(str(note)) for note in facts.get("notes") or ())
    return Term(identity, shorten(title, 40), typed(summary), notes)


def again_section(study: Study, command: str) -> Section:
    """Give the command, the digest of the ledger and the versions."""
    protocols = sorted(study.trials["protocol"].dropna().astype(str).unique())
    digest = trials_digest(pd.concat([study.trials, study.baseline]))
    pairs: list[tuple[str, Words]] = [
        ("Beside this page", "figures/ (SVG, PNG), tables/ (CSV, LaTeX)"),
        (
            "Ledger",
            say(
                "{n} trials, {digest} is the sha256 of their records{proven}",
                n=count(len(study.trials) + len(study.baseline)),
                digest=code(digest),
                proven="" if study.proven else _UNPROVEN,
            ),
        ),
    ]
    if protocols:
        pairs.append(("Protocol", names(protocols)))
    ran = [f"{k} {shorten(' and '.join(v), 60)}" for k, v in study.versions.items()]
    pairs.append(("Trials ran with", ", ".join(ran) or "versions were not recorded"))
    pairs.append(("Page made by", f"caveat {caveat.__version__}"))
    return Section(
        name="again",
        eyebrow="Do it again",
        heading="The same ledger gives the same page, byte for byte",
        blocks=[Facts(pairs, command)],
    )
