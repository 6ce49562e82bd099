"""The number line: chance, the floor, and every score with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caveat.pages._axes import free_part, interval, line_labels, number_line
from caveat.pages._model import Figure, Words
from caveat.pages._prose import prose
from caveat.pages.figures._range import ends_of, interval_range

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    sign: float = 1,
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
    sign : {1, -1}
        -1 if smaller is better: the floor is then hatched from the right.
    conditions : Prose, Span or str
    name : str
        Names its files.
    """
    shown = [*marks, *([floor] if floor else [])]
    spans = [(*ends_of(m.estimate), m.estimate.value) for m in shown]
    fixed = [floor.estimate.value] if floor else []
    low, high = interval_range(
        [(bottom, value, top) for bottom, top, value in spans], [*fixed, *(band or ())]
    )
    if limits is not None:
        low, high = max(low, limits[0]), min(high, limits[1])
    inside = [m for m in shown if low <= m.estimate.value <= high]

    far = [f"{m.label} {m.estimate.text}" for m in shown if m not in inside]
    told = f" Off the scale, at its edge: {', '.join(far)}." if far else ""

    def rank(mark: Mark) -> bool:
        """Who is named last where there is no room for all."""
        return mark is not shown[0] and mark is not floor

    def draw(canvas: Canvas) -> None:
        axes = number_line(canvas, low, high)
        if floor is not None:
            edge = low if sign > 0 else high
            free_part(axes, canvas, edge, floor.estimate.value)
        if band is not None:
            axes.axvspan(*band, color=canvas.colour("null"), linewidth=0, zorder=3)
        for mark in marks:
            one = mark.estimate
            if mark not in inside:
                _at_edge(axes, canvas, low if one.value < low else high, mark.token)
                continue
            below, above = ends_of(one)
            interval(axes, canvas, 0.5, below, one.value, above, token=mark.token)
        words = [
            (m.estimate.value, f"{m.label} {m.estimate.text}", m.token, "bold")
            for m in sorted(inside, key=rank)
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
        conditions=prose(conditions) + told,
        one_line=True,
    )


def _at_edge(axes: Axes, canvas: Canvas, edge: float, token: str) -> None:
    """Point to a value that lies beyond the axis."""
    low, high = axes.get_xlim()
    axes.plot(
        [edge],
        [0.5],
        marker="<" if edge < (low + high) / 2 else ">",
        color=canvas.colour("muted" if token == "faint" else token),
        markersize=5,
        linestyle="none",
        clip_on=False,
        zorder=4,
    )
