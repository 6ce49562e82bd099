"""Section *Cost*: what quality costs in seconds."""

from __future__ import annotations

from dataclasses import asdict, replace

import pandas as pd

from caveat.board.figures._cost import Cost, Point, cost_figure, with_frontier
from caveat.board.page import _caveats as caveats
from caveat.board.page import _sentences as sentences
from caveat.board.page._context import Context
from caveat.pages import Caveat, Figure, Notice, Section, name, plural, say


def cost_section(context: Context, seconds: pd.Series) -> Section:
    """Say which learners are worth their time."""
    points = _points(context, seconds)
    if not points:
        return Section(
            name="cost",
            eyebrow="Cost",
            heading="No times were recorded",
            blocks=[Notice("Times are recorded beside each trial while it runs.")],
        )
    sign = context.measure.sign
    best = max(points, key=lambda one: sign * one.mean)
    faster = [one for one in points if one.seconds < best.seconds]
    rival = max(faster, key=lambda one: sign * one.mean, default=None)
    heading = sentences.cost_heading(
        best=context.names[best.learner],
        rival=context.names[rival.learner] if rival else "",
        gap=context.gap(best.mean - rival.mean) if rival else "",
        unit=context.unit,
        ratio=rival.seconds / best.seconds if rival else 1.0,
        seconds=best.seconds,
    )
    hosts = context.study.trials["host"].dropna().astype(str)
    note = caveats.several_hosts(hosts[hosts != ""].nunique())
    notes: list[Caveat] = [note] if note else []
    return Section(
        name="cost",
        eyebrow="Cost",
        heading=sentences.so_far(heading, context.study.is_running),
        blocks=[_figure(context, points)],
        caveats=notes,
    )


def _figure(context: Context, points: list[Point]) -> Figure:
    study = context.study
    shown = [replace(one, learner=context.names[one.learner]) for one in points]
    title = sentences.cost_title(
        [one.learner for one in shown if one.frontier], len(shown)
    )
    blocks = len(study.blocks)
    over = (
        plural(blocks, study.noun.one, study.noun.many) if blocks > 1 else context.where
    )
    free = context.free_of()
    listed = ", ".join(
        f"{one.learner} {context.number(one.mean)} in {one.seconds:.2g} s"
        for one in shown
    )
    return cost_figure(
        f"{context.prefix}cost",
        Cost(
            points=shown,
            unit=context.unit,
            over=over,
            time="median seconds per search",
            direction=context.measure.direction,
            free=free if free == free else None,
            places=context.places,
        ),
        title=sentences.so_far(title, study.is_running),
        label=f"{context.unit} against seconds per search: {listed}.",
        conditions=say(
            "Time of a whole search, {size}, as recorded; {unit} with 95\u00a0% "
            "interval over {over}. Filled: nothing is both faster and better.",
            size=_configurations(context),
            unit=name(context.unit),
            over=context.scores.over,
        ),
        downloads=[context.csv("cost", pd.DataFrame([asdict(one) for one in points]))],
    )


def _points(context: Context, seconds: pd.Series) -> list[Point]:
    """Learners with a mean and a time, fastest first."""
    found = []
    for one in context.study.learners:
        interval, time = context.scores.intervals.get(one), seconds.get(one)
        # A logarithmic axis has no zero.
        if interval is not None and time is not None and time > 0:
            found.append(
                Point(one, float(time), interval.mean, interval.low, interval.high)
            )
    return with_frontier(found, context.measure.direction)


def _configurations(context: Context) -> str:
    sizes = context.study.trials["group_size"].dropna()
    low, high = int(sizes.min()), int(sizes.max())
    if low == high:
        return plural(high, "configuration")
    return f"{low} to {high} configurations"
