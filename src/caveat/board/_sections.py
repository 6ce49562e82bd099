"""The sections of a report: evidence for what `_claims` says."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd

from caveat.board._boards import further_boards, rank_matrix
from caveat.board._claims import standing
from caveat.board._figures import (
    Cost,
    Point,
    cost_figure,
    critical_difference_figure,
    with_frontier,
)
from caveat.board._leaderboard import leaderboard, shown_views
from caveat.board._scores import Context
from caveat.board._study import FAILED_STATES, Study
from caveat.pages import (
    Block,
    Cell,
    Column,
    Figure,
    Notice,
    Paragraph,
    Progress,
    Prose,
    Section,
    Table,
    Words,
    code,
    count,
    duration,
    fixed,
    name,
    names,
    p_value,
    plural,
    prose,
    say,
    shorten,
    word,
)
from caveat.pages.claims import heading, past

_WHY = {"timeout": "time", "oom": "memory", "crashed": "killed", "failed": "error"}
_MOST_RANKED = 60
_MOST_FAILURES = 40
_MOST_PLACES = 3
_MOST_LETTERS = 160


def told(study: Study, words: Any) -> Prose:
    """Put "So far" before a heading of a study that still runs."""
    found = heading(words)
    if not study.is_running or not found:
        return found
    first, *rest = found.spans
    if first.kind == "plain" and first.text[1:2] in {" ", *string.ascii_lowercase}:
        first = replace(first, text=first.text[:1].lower() + first.text[1:])
    return prose("So far ") + Prose((first, *rest))


def search_seconds(study: Study) -> pd.Series:
    """Median seconds of a whole search of each learner, over searches that ended.

    A search that was cut into several trials takes the sum of their times.
    """
    done = study.trials[(study.trials["state"] == "done")]
    done = done[done["seconds"].notna()]
    if done.empty:
        return pd.Series(dtype=float)
    by_search = done.groupby(["learner", "group"], sort=False, observed=True)
    totals = by_search["seconds"].sum()
    return totals.groupby("learner", sort=True, observed=True).median()


def run_section(study: Study) -> Section:
    """Count what was planned and what became of it."""
    states = study.trials["state"]
    planned, done = len(states), int((states == "done").sum())
    failed = int(states.isin(FAILED_STATES).sum())
    running, damaged = (int((states == one).sum()) for one in ("running", "damaged"))
    parts = [
        ("done", done),
        ("failed", failed),
        ("running", running),
        ("pending", planned - done - failed - running - damaged),
        ("damaged", damaged),
    ]
    label = ", ".join(f"{count(number)} {state}" for state, number in parts if number)
    return Section(
        name="run",
        eyebrow="What was run",
        heading=told(study, _run_heading(planned - damaged, done, failed)),
        lead=str(study.spec.get("description") or ""),
        blocks=[Progress(parts, f"Trials: {label}", _run_facts(study))],
        wide=True,
    )


def _run_heading(planned: int, done: int, failed: int) -> str:
    if planned - done - failed:
        ended = f"{count(done + failed)} of {count(planned)} trials have ended"
        return f"{ended}, {count(failed) if failed else 'none'} failed"
    if not done:
        return f"None of {plural(planned, 'trial')} gave a value"
    if not failed:
        one = "The one planned trial gave a value"
        return one if planned == 1 else f"All {count(planned)} trials gave a value"
    trials = f"{count(planned)} trials are planned"
    return f"{trials}, {count(done)} gave a value, {count(failed)} failed"


def _run_facts(study: Study) -> list[tuple[str, Words]]:
    learners, blocks = len(study.learners), len(study.blocks)
    repeats, datasets = int(study.trials["repeat"].nunique()), study.datasets
    counted: list[tuple[int, str, str]] = [(learners, "learner", "")]
    if study.blocks["world"].nunique() > 1:
        counted.append((blocks, study.noun.one, ""))
    counted.append((repeats, "repeat", ""))
    listed = ", " + str(names(datasets)) if len(datasets) <= 4 else ""
    counted.append((len(datasets), "data set", listed))
    rules = sum(one.name is not None for one in study.choices)
    failed = int(study.baseline["state"].isin(FAILED_STATES).sum())
    lost = f", {count(failed)} failed" if failed else ""
    counted.append((rules, "selection rule", ""))
    counted.append((len(study.baseline), "baseline trial", lost))
    facts: list[tuple[str, Words]] = [
        (count(n), plural(n, one).split(" ", 1)[1] + more)
        for n, one, more in counted
        if n
    ]
    both = [study.trials["seconds"], study.baseline["seconds"]]
    seconds = float(pd.concat(both).sum())
    return [*facts, (duration(seconds), "of computing")] if seconds > 0 else facts


def board_section(
    context: Context, seconds: pd.Series, stars: Mapping[str, str]
) -> Section:
    """Show every learner beside the floors, then ranks where there are several."""
    blocks: list[Block] = [leaderboard(context, seconds, stars)]
    study, shown = context.study, len(shown_views(context))
    possible = len(study.measures) * len(study.choices)
    if shown < possible:
        words = say(
            "{shown} of {possible} pairs of measure and selection rule are on this "
            "page; {measure} and {rule} bring any of them to the front.",
            shown=count(shown),
            possible=count(possible),
            measure=code("--measure"),
            rule=code("--rule"),
        )
        blocks.append(Paragraph(words))
    matrix = rank_matrix(context)
    return Section(
        name="leaderboard",
        eyebrow="Leaderboard",
        heading=told(study, _above_floor(context)),
        blocks=[*blocks, *([matrix] if matrix is not None else [])],
        wide=True,
    )


def _above_floor(context: Context) -> Words:
    """Count the learners that tests see above the floor."""
    scores, floor = context.scores, context.floor
    ours = context.study.competing
    known = [one for one in ours if one in scores.intervals]
    if not np.isfinite(floor.value):
        return say("{n} scored; no floor is known", n=plural(len(known), "learner"))
    above, good = len(context.above_floor), past(context.measure.sign)
    gaps = context.beside(floor).values()
    tested = sum(one.low is not None for one in gaps)
    bar = {"what": floor.name, "past": good}
    if not tested:
        why = "One run each is" if scores.cells.repeats == 1 else "Equal values are"
        return say(
            "{why} no test of who is {past} the floor, {what}: add repeats",
            why=why,
            **bar,
        )
    return say(
        "{n} of {all} learners, each by itself, {are} seen {past} the floor, "
        "{what}{rest}",
        n=count(above) if above else "None",
        are="are" if above > 1 else "is",
        all=count(len(ours)),
        rest=f"; {count(len(ours) - tested)} not tested" if tested < len(ours) else "",
        **bar,
    )


def difference_section(context: Context) -> Section:
    """Say which learners can be told apart, and by which test."""
    scores, study = context.scores, context.study
    blocks: list[Block] = [Paragraph(scores.verdict.sentence)]
    ranks = scores.rank_table
    if ranks is not None and ranks.n_blocks > 1 and len(study.learners) > 1:
        blocks.append(_rank_diagram(context))
    return Section(
        name="different",
        eyebrow="Are they different?",
        heading=told(study, standing(context)),
        blocks=blocks,
    )


def further_section(context: Context) -> list[Section]:
    """Show the other boards that people expect, where there are two learners."""
    blocks = further_boards(context)
    heading = told(context.study, "Wins, strength, improvability, effect sizes, Bayes")
    part = Section("boards", "Further boards", heading, blocks=blocks, wide=True)
    return [part] if blocks else []


def _rank_diagram(context: Context) -> Figure:
    scores = context.scores
    ranks, test = scores.rank_table, scores.friedman
    assert ranks is not None
    shown, reach = context.names, scores.critical_difference
    averages = ranks.ranks.rename(shown)
    cliques = [[shown[one] for one in clique] for clique in scores.cliques]
    left_out = len(scores.blocks) - ranks.n_blocks
    left = f" ({count(left_out)} left out: not run by all)" if left_out else ""
    listed = ", ".join(f"{one} {fixed(rank, 2)}" for one, rank in averages.items())
    frame = ranks.ranks.rename("average_rank").rename_axis("learner").reset_index()
    fits = len(averages) <= _MOST_RANKED
    title = f"Average ranks over {count(ranks.n_blocks)} "
    title += context.study.noun(ranks.n_blocks)
    label = f"Average ranks, first to last: {listed}."
    tested = "Ranks by themselves test nothing"
    if test is not None:
        joined = "; ".join(", ".join(clique) for clique in cliques) or "none"
        label += f" Not told apart: {joined}."
        title += "; a bar joins those that ranks do not tell apart"
        nemenyi = "; no pair is tested"
        if reach is not None:
            nemenyi = f", Nemenyi's critical difference {fixed(reach, 2)}"
        tested = f"Friedman {p_value(test.tied_f_p)}{nemenyi}"
        frame = frame.assign(friedman_p=test.tied_f_p, critical_difference=reach)
    return critical_difference_figure(
        averages,
        cliques,
        reach,
        name=f"{context.prefix}critical-difference",
        title=title,
        label=label,
        conditions=f"{tested}{left}. Ties share a rank; a failed cell is last.",
        downloads=[context.csv("average-ranks", frame.assign(blocks=ranks.n_blocks))],
        cannot=""
        if fits
        else f"{count(len(averages))} learners do not fit into one "
        "diagram; the CSV file has their ranks.",
    )


def cost_section(context: Context, seconds: pd.Series) -> Section:
    """Show what a search takes beside what it reaches."""
    study, scores = context.study, context.scores
    points = []
    for one in study.learners:
        found, time = scores.intervals.get(one), seconds.get(one)
        if found is not None and time is not None and time > 0:  # the axis is a log
            points.append(Point(one, float(time), found.mean, found.low, found.high))
    fewest, most = _timed(study, [one.learner for one in points])
    if not points:
        words = "Times are recorded beside each trial while it runs."
        return Section(
            "cost",
            "Cost",
            told(study, "No times were recorded"),
            blocks=[Notice(words)],
        )
    points = with_frontier(points, context.measure.direction)
    fast, slow = points[0], max(points, key=lambda one: one.seconds)
    title: Words = say(
        "A search takes from {low} ({fast}) to {high} ({slow}), medians of {n}",
        low=duration(fast.seconds),
        fast=name(context.names[fast.learner]),
        high=duration(slow.seconds),
        slow=name(context.names[slow.learner]),
        n=f"{count(fewest)} or more" if fewest < most else count(fewest),
    )
    if fewest == 1:
        # The first run of a learner may hold the imports of its libraries.
        title = "Seconds of one run each: too few to compare"
    elif len(points) == 1:
        title = say("A search takes {low}", low=duration(fast.seconds))
    shown = [replace(one, learner=context.names[one.learner]) for one in points]
    listed = ", ".join(
        f"{one.learner} {context.number(one.mean)} in {one.seconds:.2g} s"
        for one in shown
    )
    kind = "mean" if context.is_mean else "score"
    free, frame = context.free_of(), pd.DataFrame([asdict(one) for one in points])
    figure = cost_figure(
        Cost(
            points=shown,
            unit=context.unit,
            over=context.where,
            time="median seconds per search" if fewest > 1 else "seconds of one search",
            is_mean=context.is_mean,
            direction=context.measure.direction,
            free=free if free == free else None,
            places=context.places,
        ),
        name=f"{context.prefix}cost",
        title="What a search takes, and what it reaches",
        label=f"{context.unit} against seconds per search: {listed}.",
        conditions=("" if scores.alone else f"95\u00a0% intervals over {scores.over}. ")
        + f"Filled: nothing faster has a better {kind}, whether or not a test tells "
        "them apart.",
        downloads=[context.csv("cost", frame)],
    )
    return Section("cost", "Cost", told(study, title), blocks=[figure])


def _timed(study: Study, learners: list[str]) -> tuple[int, int]:
    """How many searches the times of a learner rest on, at least and at most."""
    done = study.trials[study.trials["state"] == "done"]
    searches = done.groupby("learner", observed=True)["group"].nunique()
    known = [int(searches.get(one, 0)) for one in learners] or [0]
    return min(known), max(known)


def failures_section(study: Study, context: Context | None) -> Section:
    """List the failures by reason and learner."""
    trials = pd.concat([study.trials, study.baseline])
    failed = trials[trials["state"].isin(FAILED_STATES)]
    reason = failed["reason"].fillna("").astype(str)
    # A state of its own says more than the name of an exception does.
    why = failed["state"].map(_WHY).where(failed["state"] != "failed", reason)
    failed = failed.assign(why=why.where(why != "", failed["state"].map(_WHY)))
    reasons = failed["why"].nunique()
    words = "No trial failed"
    if len(failed) == 1:
        words = "One trial failed; it was not filled in"
    elif len(failed):
        many = "one reason" if reasons == 1 else f"{word(reasons)} reasons"
        words = f"{count(len(failed))} trials failed, for {many}; none was filled in"
    none = Paragraph("A failed trial would stand here with its reason.")
    return Section(
        name="failures",
        eyebrow="Failures",
        heading=told(study, words),
        blocks=[_failed_table(study, failed, context)] if len(failed) else [none],
        wide=True,
    )


def _failed_table(study: Study, failed: pd.DataFrame, context: Context | None) -> Table:
    grouped = failed.groupby(["why", "learner"], sort=True, observed=True)
    found = sorted(grouped, key=lambda item: -len(item[1]))
    rows = []
    for (why, learner), part in found[:_MOST_FAILURES]:
        where, message = _places(study, part), _message(part)
        who = study.title("learner", str(learner))
        rows.append(
            [
                Cell(name(why), value=str(why), tone="serious"),
                Cell(count(len(part)), value=float(len(part))),
                Cell(name(who), value=str(learner)),
                Cell(where, value=where),
                Cell(message, value=message, tone="muted"),
            ]
        )
    files = []
    if context is not None:
        columns = ["study", "dataset", "world", "learner", "repeat", "state", "reason"]
        files = [context.csv("failures", failed[[*columns, "message", "key"]])]
    left = len(found) - len(rows)
    return Table.of(
        name=f"{context.prefix if context else ''}failed",
        caption="Failed trials by reason and learner",
        columns=[
            Column("Reason", "text", best="min"),
            Column("Trials", best="max", sorted=True),
            Column("Learner", "text", best="min"),
            Column(study.noun.many.capitalize(), "text", best="min"),
            Column("What happened", "text", best="min"),
        ],
        rows=rows,
        conditions=f"{count(left)} more rows are in the CSV file." if left > 0 else "",
        downloads=files,
    )


def _places(study: Study, part: pd.DataFrame) -> str:
    """Where it happened: a few names, or how many of how many."""
    pairs = dict.fromkeys(zip(part["dataset"], part["world"], strict=True))
    if len(pairs) > _MOST_PLACES:
        blocks = len(study.blocks)
        return f"{count(len(pairs))} of {count(blocks)} {study.noun(blocks)}"
    labels = [study.labels.get((str(d), str(w)), str(d)) for d, w in pairs]
    return "; ".join(shorten(label, 60) for label in labels)


def _message(part: pd.DataFrame) -> str:
    """Return the most frequent message, and how many others there are."""
    messages = part["message"].fillna("").astype(str)
    counts = messages.value_counts(sort=False)
    first = min(counts.index, key=lambda text: (-counts[text], text))
    others = len(counts) - 1
    more = f" (and {count(others)} other messages)" if others else ""
    return shorten(first, _MOST_LETTERS) + more
