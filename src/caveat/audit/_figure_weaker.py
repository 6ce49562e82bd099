"""What weaker labels reach, on one axis each: dots, intervals, what is free."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from caveat import pages as kit
from caveat.audit._reading_weaker import LabelModel, ManyTargets, Means
from caveat.audit._remark import number

if TYPE_CHECKING:
    from caveat.pages import Canvas

_SIDES = ("labels within a row", "rows within a label")


@dataclass(frozen=True)
class Mark:
    """A line across a figure: what something else reaches."""

    value: float
    label: str
    token: str = "c8"


def side_panels(found: ManyTargets) -> kit.Figure:
    """Draw both kinds of pairs for every model, and what popularity orders."""
    models = list(found.models.values())
    ends = [end for one in models for side in one.sides for end in side]
    low, high = kit.value_range([*ends, 0.5, found.popularity])
    high = min(high, 1.005)

    def draw(canvas: Canvas) -> None:
        room = 0.3 * len(models)
        half = (canvas.width - 1.4) / 2
        for place, title in enumerate(_SIDES):
            left, bottom, width = 1.35 + place * half, 0.5, half - 0.25
            if canvas.phone:
                left, width = 1.25, canvas.width - 1.45
                bottom = 0.5 + (1 - place) * (room + 0.85)
            axes = canvas.axes(left, bottom, width, room)
            canvas.text(left, bottom + room + 0.1, title, size=9, weight="bold")
            axes.axvline(0.5, color=canvas.colour("faint"), linewidth=0.75)
            if place == 0:
                kit.free_part(axes, canvas, low, found.popularity)
            for row, one in enumerate(models):
                side = one.sides[place]
                kit.interval(axes, canvas, row, side[1], side[0], side[2])
            axes.set_ylim(len(models) - 0.4, -0.6)
            shown = place == 0 or canvas.phone
            names = [kit.shorten(one.title, 18) if shown else "" for one in models]
            kit.row_names(axes, canvas, list(range(len(models))), names)
            kit.value_axis(axes, canvas, low, high, "share of pairs in order", most=4)

    best = models[0]
    room = 0.3 * len(models)
    return kit.Figure(
        "sides",
        kit.say(
            "Popularity alone orders {free} of the label pairs of a row, {model} "
            "{value}",
            free=number(found.popularity),
            model=best.title,
            value=number(best.labels[0]),
        ),
        f"Share of pairs in the right order: {best.title} {best.labels[0]:.2f} of the "
        f"labels within a row, {best.instances[0]:.2f} of the rows within a label; "
        f"label popularity {found.popularity:.2f}, chance 0.50.",
        draw,
        size=(7.0, room + 1.0),
        phone_size=(3.6, 2 * (room + 0.85) + 0.35),
        conditions=f"{kit.plural(best.folds, 'fold')}, default settings, ties count "
        "one half. Line: 95 % interval over folds. Hatched: a list of the labels by "
        "popularity.",
        downloads=[kit.Download.csv("margins.csv", _sides(models))],
    )


def _sides(models: Sequence[LabelModel]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": one.name,
                "pairs": title,
                "order": side[0],
                "low": side[1],
                "high": side[2],
            }
            for one in models
            for title, side in zip(_SIDES, one.sides, strict=True)
        ]
    )


def learner_dots(
    name: str,
    title: kit.Words,
    rows: Sequence[tuple[str, Means]],
    *,
    unit: str,
    free: Mark | None,
    line: Mark | None,
    conditions: str,
    frame: pd.DataFrame,
) -> kit.Figure:
    """Draw a dot per learner with its interval, between what is free and what is full.

    Parameters
    ----------
    rows : sequence of (title, (mean, low, high))
        Best first; the first is filled, it is the one that was chosen.
    """
    ends = [end for _, means in rows for end in means]
    marks = [one.value for one in (free, line) if one is not None]
    low, high = kit.value_range([*ends, *marks])
    high = min(high, 1.005)

    def draw(canvas: Canvas) -> None:
        left, right = (1.35, 0.55) if canvas.phone else (1.9, 0.8)
        axes = canvas.axes(left, 0.5, canvas.width - left - right, canvas.height - 1.0)
        if free is not None:
            kit.free_part(axes, canvas, low, free.value)
        if line is not None:
            axes.axvline(line.value, color=canvas.colour(line.token), linewidth=1.2)
        reach = canvas.width - left - right
        _mark_labels(canvas, [free, line], (low, high), left, reach)
        places = list(range(len(rows) - 1, -1, -1))
        for place, (_, means) in zip(places, rows, strict=True):
            kit.interval(axes, canvas, place, means[1], means[0], means[2])
            kit.row_value(axes, canvas, place, kit.fixed(means[0], 3))
        names = [kit.shorten(one, 16 if canvas.phone else 24) for one, _ in rows]
        kit.row_names(axes, canvas, places, names)
        axes.set_ylim(-0.7, len(rows) - 0.3)
        kit.value_axis(axes, canvas, low, high, unit)

    height = 1.25 + 0.32 * len(rows)
    spoken = [f"{one} {means[0]:.3f}" for one, means in rows]
    spoken += [
        f"{one.label} {one.value:.3f}" for one in (free, line) if one is not None
    ]
    return kit.Figure(
        name,
        title,
        "; ".join(spoken),
        draw,
        size=(7.0, height),
        phone_size=(3.6, height),
        conditions=conditions,
        downloads=[kit.Download.csv(f"{name}.csv", frame)],
    )


def _mark_labels(
    canvas: Canvas,
    marks: Sequence[Mark | None],
    ends: tuple[float, float],
    left: float,
    width: float,
) -> None:
    """Write what the lines are above them; the second is lifted if they collide."""
    taken: list[tuple[float, float]] = []
    for mark in marks:
        if mark is None:
            continue
        text = f"{mark.label} {number(mark.value)}"
        size = kit.text_width(text, 8)
        x = left + width * (mark.value - ends[0]) / (ends[1] - ends[0]) - size / 2
        x = min(max(x, 0.05), canvas.width - size - 0.05)
        y = canvas.height - 0.44
        if any(x < b + 0.1 and x + size > a - 0.1 for a, b in taken):
            y += 0.18
        taken.append((x, x + size))
        canvas.text(x, y, text, size=8, token=mark.token)


def known(value: float) -> bool:
    """Whether a number is there."""
    return not math.isnan(value)
