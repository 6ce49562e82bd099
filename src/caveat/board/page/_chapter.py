"""From a study's records to a chapter: title, figure, sections, whatever its state."""

from __future__ import annotations

import numpy as np
import pandas as pd

from caveat.board.figures._field import Field, field_figure
from caveat.board.page import _sentences as sentences
from caveat.board.page._again import again_section
from caveat.board.page._board_section import BoardSection
from caveat.board.page._caveats import CHECKS
from caveat.board.page._context import Context
from caveat.board.page._cost_section import cost_section
from caveat.board.page._costs import search_seconds
from caveat.board.page._difference import difference_section
from caveat.board.page._failures import failures_section
from caveat.board.page._run_section import run_section
from caveat.board.page._selection_section import (
    Regrets,
    regret_places,
    selection_section,
)
from caveat.board.page._study import OPEN_STATES, Study
from caveat.pages import (
    Chapter,
    Facts,
    Figure,
    Prose,
    Section,
    capital,
    code,
    count,
    fixed,
    join,
    name,
    plural,
    prose,
    say,
)


def make_chapter(
    study: Study, *, prefix: str = "", excel_safe: bool = False, command: str = ""
) -> Chapter:
    """Say what a study found, in whatever state it is.

    Parameters
    ----------
    study : Study
    prefix : str
        Begins names of files and ids, if the page has several chapters.
    excel_safe : bool
        Whether CSV files are for spreadsheets.
    command : str
        What makes this page.
    """
    chapter = prefix.rstrip("-")
    if study.trials.empty:
        return _nothing_run(study, chapter, command)
    context = Context(study, prefix, excel_safe)
    if not study.measures or not context.scores.intervals:
        return _no_value(study, prefix, command)
    return _findings(context, chapter, command)


def _eyebrow(study: Study) -> Prose:
    if not study.name:
        return prose("Report")
    topic = f", {study.topic}" if study.topic else ""
    return say("Report on the study {name}{topic}", name=code(study.name), topic=topic)


def _nothing_run(study: Study, chapter: str, command: str) -> Chapter:
    return Chapter(
        name=chapter,
        eyebrow=_eyebrow(study),
        title=sentences.NOTHING_RUN,
        lede="The ledger holds no trial. Run a study, then make this page again.",
        sections=[
            Section(
                name="again",
                eyebrow="Do it again",
                heading="Run a study, and this page has something to say",
                blocks=[Facts([], f"caveat run STUDY.yaml\n{command}".strip())],
            )
        ],
    )


def _no_value(study: Study, prefix: str, command: str) -> Chapter:
    states = study.trials["state"]
    ended = int((~states.isin(OPEN_STATES)).sum())
    if study.is_running:
        title = sentences.trials_so_far(ended, len(states))
        lede = "None has given a value yet."
    elif (states == "done").any() and study.measures:
        title = prose("Nothing was chosen: no selection rule was recorded.")
        lede = "Searches have several rows; a rule names the criterion to choose by."
    elif (states == "done").any():
        title = prose("Trials ended, but no measure was recorded.")
        lede = "Without a measure on the test part there is nothing to compare."
    else:
        title = prose(sentences.NO_VALUE)
        lede = "What went wrong stands below, by reason and learner."
    sections = [failures_section(study, None), run_section(study, prefix)]
    if study.is_running:
        sections.reverse()
    return Chapter(
        name=prefix.rstrip("-"),
        eyebrow=_eyebrow(study),
        title=title,
        lede=join([lede, sentences.without_damaged(study.damaged)]),
        sections=[*sections, again_section(study, command)],
    )


def _findings(context: Context, chapter: str, command: str) -> Chapter:
    study = context.study
    seconds = search_seconds(study)
    regrets = Regrets(context)
    return Chapter(
        name=chapter,
        eyebrow=_eyebrow(study),
        title=_title(context, regrets),
        lede=_lede(context, regrets),
        figure=_field(context),
        sections=[
            run_section(study, context.prefix),
            BoardSection(context, seconds).section(),
            difference_section(context),
            selection_section(context, regrets),
            cost_section(context, seconds),
            failures_section(study, context),
            again_section(study, command),
        ],
        checks=say("No caveat was found by these checks: {checks}.", checks=CHECKS),
    )


def _title(context: Context, regrets: Regrets) -> Prose:
    study, scores = context.study, context.scores
    if study.is_running:
        states = study.trials["state"]
        ended = int((~states.isin(OPEN_STATES)).sum())
        return sentences.trials_so_far(ended, len(states))
    best = scores.intervals[scores.order[0]].mean
    free = context.free_of()
    return join(
        [
            sentences.who_leads(
                [context.names[one] for one in scores.leaders],
                len(study.learners),
                scores.compared_by,
            ),
            sentences.larger_finding(
                leaders=len(scores.leaders),
                learners=len(study.learners),
                value=context.number(best),
                unit=context.unit,
                free=context.number(free) if np.isfinite(free) else "",
                reaches_free=context.better(best, free),
                tuning=_tuning(regrets),
                distance=_distance(context),
            ),
        ]
    )


def _tuning(regrets: Regrets) -> float:
    """By how much the choice of an honest rule moves the mean; NaN if none could."""
    means = [one.mean for one in regrets.honest.values()]
    return max(means) - min(means) if len(means) > 1 else float("nan")


def _distance(context: Context) -> float:
    """Between the means of those who share the lead; to the next if nobody does."""
    scores = context.scores
    means = [scores.intervals[one].mean for one in scores.leaders]
    if len(means) < 2:
        others = [
            o for o in scores.order if o not in scores.leaders and o in scores.intervals
        ]
        means += [scores.intervals[one].mean for one in others[:1]]
    return max(means) - min(means)


def _lede(context: Context, regrets: Regrets) -> Prose:
    study, scores = context.study, context.scores
    others = [
        o for o in scores.order if o not in scores.leaders and o in scores.intervals
    ]
    first = sentences.standing(
        leaders=[context.names[one] for one in scores.leaders],
        others=[context.names[one] for one in others],
        compared_by=scores.compared_by,
        where=context.where,
        distance=context.gap(_distance(context)),
        unit=context.unit,
    )
    level, _, _, gap = regrets.widest()
    second: Prose | str = ""
    if np.isfinite(gap) and float(fixed(gap, regret_places(context))) > 0:
        second = sentences.tuning_moves(
            fixed(gap, regret_places(context)),
            context.unit,
            capital(context.in_level(level)),
        )
    left_out = sentences.without_damaged(study.damaged)
    return join([sentences.so_far(first, study.is_running), second, left_out])


def _field(context: Context) -> Figure:
    study, scores = context.study, context.scores
    scored = [one for one in scores.order if one in scores.intervals]
    titles = context.names
    means = pd.Series({titles[one]: scores.intervals[one].mean for one in scored})
    references = [
        scores.intervals[one].mean
        for one in study.references
        if one in scores.intervals
    ]
    free = context.free_of()
    listed = ", ".join(f"{one} {context.number(mean)}" for one, mean in means.items())
    parts = [f"Mean {context.unit}, best first: {listed}."]
    if np.isfinite(free):
        parts.append(f"Free part {context.number(free)}.")
    if references:
        parts.append(f"With every label {context.number(references[0])}.")
    repeats = scores.cells.repeats
    chosen = ""
    if scores.choice.is_made:
        oracle = ", which reads true labels" if scores.choice.oracle else ""
        chosen = f"; tuned by {scores.choice.title}{oracle}"
    return field_figure(
        f"{context.prefix}field",
        Field(
            means=means,
            leaders=[titles[one] for one in scores.leaders],
            unit=context.unit,
            direction=context.measure.direction,
            free=free if np.isfinite(free) else None,
            reference=references[0] if references else None,
            places=context.places,
        ),
        label=" ".join(parts),
        conditions=say(
            "Mean test {unit} over {where}; {repeats}{chosen}.{failed}",
            unit=name(context.unit),
            where=context.where,
            repeats=plural(repeats, "repeat"),
            chosen=chosen,
            failed=_silent(context),
        ),
    )


def _silent(context: Context) -> str:
    """Say how many learners the figure does not show."""
    missing = len(context.study.learners) - sum(
        one in context.scores.intervals for one in context.study.learners
    )
    return (
        f" {count(missing)} learners without a value are not shown." if missing else ""
    )
