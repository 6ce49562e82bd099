"""The number line: chance, the floor, and every score with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caveat.pages._axes import (
    free_part,
    interval,
    line_labels,
    number_line,
    value_axis,
)
from caveat.pages._model import Figure, Words
from caveat.pages.figures._range import axis_range, ends_of

if TYPE_CHECKING:
    from caveat.pages._canvas import Canvas
    from caveat.pages.claims import Estimate


@dataclass(frozen=True)
class Mark:
    """A value on the line: what it is, and in which colour it is drawn."""

    label: str
    estimate: Estimate
    token: str = "earned"


def score_line(
    marks: Sequence[Mark],
    *,
    label: str,
    floor: Mark | None = None,
    band: tuple[float, float] | None = None,
    limits: tuple[float, float] | None = None,
    conditions: Words = "",
    name: str = "line",
) -> Figure:
    """Draw values on one line, hatched up to the floor.

    Parameters
    ----------
    marks : sequence of Mark
        The scores.
    label : str
        The finding with its numbers, for those who cannot see the drawing.
    floor : Mark, optional
        What is reached without learning; hatched from the edge up to it.
    band : (float, float), optional
        Where 95 % of shuffled labels land.
    limits : (float, float), optional
        Where the measure ends; the axis never goes beyond.
    conditions : Prose, Span or str
    name : str
        Names its files.
    """
    shown = [*marks, *([floor] if floor else [])]
    known = [number for mark in shown for number in mark.estimate.numbers]
    low, high = axis_range([*known, *(band or ())], limits)

    def draw(canvas: Canvas) -> None:
        axes = number_line(canvas)
        if floor is not None:
            free_part(axes, canvas, low, floor.estimate.value)
        if band is not None:
            axes.axvspan(*band, color=canvas.colour("null"), linewidth=0, zorder=3)
        for mark in marks:
            one = mark.estimate
            below, above = ends_of(one)
            interval(axes, canvas, 0.5, below, one.value, above, token=mark.token)
        value_axis(axes, canvas, low, high, "")
        words = [
            (m.estimate.value, f"{m.label} {m.estimate.text}", m.token, "bold")
            for m in shown
        ]
        chance = [] if band is None else [(sum(band) / 2, "chance", "muted", "normal")]
        line_labels(axes, canvas, 1.06, words + chance)

    return Figure(
        name,
        "",
        label,
        draw,
        size=(10.5, 1.7),
        phone_size=(3.6, 1.7),
        conditions=conditions,
        one_line=True,
    )
