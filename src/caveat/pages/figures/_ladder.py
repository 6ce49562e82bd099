"""The ladder: what survives of a score, one rung per remedy that was tried."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caveat.pages._axes import (
    free_part,
    interval,
    row_axes,
    row_names,
    row_value,
    value_axis,
)
from caveat.pages._canvas import text_width
from caveat.pages._model import Download, Figure, Words
from caveat.pages._prose import shorten
from caveat.pages.figures._range import axis_range, ends_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from caveat.pages._canvas import Canvas
    from caveat.pages.claims import Estimate
    from caveat.pages.figures._line import Mark


Written = tuple[float, float, float, float]
_NOTE = 0.34  # height of a note, in rows


@dataclass(frozen=True)
class Rung:
    """A step of the ladder; each keeps the steps above it.

    Attributes
    ----------
    name : str
        What was done: "without discharge_code", "patients kept together".
    estimate : Estimate
        The score with all kept steps so far and this one.
    change : Estimate or None
        Against the rung it is held against, paired; None for the first.
    cause : str
        What the change is due to: "a leak".
    """

    name: str
    estimate: Estimate
    change: Estimate | None = None
    cause: str = ""

    @property
    def decided(self) -> bool:
        """Whether the change lies beyond its interval."""
        one = self.change
        if one is None or not one.has_interval:
            return False
        assert one.low is not None
        assert one.high is not None
        return one.low > 0 or one.high < 0

    @property
    def token(self) -> str:
        """Grey where nothing changes beyond its interval."""
        return "earned" if self.change is None or self.decided else "faint"

    @property
    def note(self) -> str:
        """The change in words: "−0.11 a leak"."""
        if self.change is None:
            return ""
        text = self.brief
        if not self.decided and self.change.interval:
            text += f" ({self.change.interval})"
        return f"{text} {self.cause}".strip()

    @property
    def brief(self) -> str:
        """The change as a number alone: "−0.11"."""
        if self.change is None:
            return ""
        text = self.change.text
        return text if text.startswith(("−", "-")) else f"+{text}"


def ladder(
    rungs: Sequence[Rung],
    *,
    label: str,
    unit: str = "",
    floor: Mark | None = None,
    limits: tuple[float, float] | None = None,
    conditions: Words = "",
    downloads: Sequence[Download] = (),
    name: str = "ladder",
) -> Figure:
    """Draw a score as it stands, and what is left after each remedy.

    Parameters
    ----------
    rungs : sequence of Rung
        The first is the score as it stands.
    label : str
        The finding with its numbers, for those who cannot see the drawing.
    unit : str
        What the axis shows.
    floor : Mark, optional
        What needs no learning; hatched from the edge up to it, named above.
    limits : (float, float), optional
        Where the measure ends; the axis never goes beyond.
    conditions : Prose, Span or str
    downloads : sequence of Download
    name : str
        Names its files.
    """
    known = [number for rung in rungs for number in rung.estimate.numbers]
    low, high = axis_range([*known, *(floor.estimate.numbers if floor else ())], limits)

    def draw(canvas: Canvas) -> None:
        left = 1.2 if canvas.phone else 2.6
        texts = [rung.estimate.text for rung in rungs]
        axes = row_axes(canvas, left, texts, bottom=0.5, top=0.3)
        room = axes.get_position().width * canvas.width
        axes.set_ylim(len(rungs) - 0.4, -0.6)
        value_axis(axes, canvas, low, high, unit)
        if floor is not None:
            free_part(axes, canvas, low, floor.estimate.value)
            _name_floor(axes, canvas, floor, left, room)
        bar = math.nan if floor is None else floor.estimate.value
        notes = [
            _write_note(axes, canvas, rungs, place, room, bar)
            for place in range(1, len(rungs))
        ]
        for place in range(len(rungs)):
            _draw_rung(axes, canvas, rungs, place, [one for one in notes if one])
        names = [shorten(rung.name, 18 if canvas.phone else 34) for rung in rungs]
        row_names(axes, canvas, list(range(len(rungs))), names)

    height = 0.95 + 0.42 * len(rungs)
    return Figure(
        name,
        "",
        label,
        draw,
        size=(10.5, height),
        phone_size=(3.6, height),
        conditions=conditions,
        downloads=downloads,
        one_line=True,
    )


def _last_kept(rungs: Sequence[Rung], place: int) -> int:
    """Find the rung above that this one is held against: the last that counted."""
    above = [n for n in range(place) if n == 0 or rungs[n].decided]
    return above[-1] if above else 0


def _draw_rung(
    axes: Axes,
    canvas: Canvas,
    rungs: Sequence[Rung],
    place: int,
    notes: Sequence[Written],
) -> None:
    rung, one = rungs[place], rungs[place].estimate
    survives = place == _last_kept(rungs, len(rungs))
    if place:
        before = _last_kept(rungs, place)
        start = rungs[before].estimate.value
        for top, bottom in _beside(notes, start, before + 0.15, place):
            axes.plot(
                [start, start],
                [top, bottom],
                color=canvas.colour("faint"),
                linewidth=1,
                linestyle="-" if rung.decided else ":",
                zorder=2,
            )
        if rung.decided:
            lost = "serious" if rung.change.value < 0 else "earned"  # type: ignore[union-attr]
            line: dict[str, Any] = {
                "color": canvas.colour(lost),
                "linewidth": 1.4,
                "zorder": 2,
            }
            axes.plot([one.value, start], [place, place], **line)
    low, high = ends_of(one)
    token = "earned" if survives and len(rungs) > 1 else rung.token
    interval(axes, canvas, place, low, one.value, high, token=token)
    bold = {"weight": "bold", "token": "earned"} if survives else {}
    row_value(axes, canvas, place, one.text, **bold)


def _beside(
    notes: Sequence[Written], at: float, top: float, bottom: float
) -> list[tuple[float, float]]:
    """Part a line from `top` down to `bottom` so that it crosses no note."""
    parts, begin = [], top
    for left, right, above, below in sorted(notes, key=lambda one: one[2]):
        if left <= at <= right and begin < below and above < bottom:
            if above > begin:
                parts.append((begin, above))
            begin = below
    return [*parts, (begin, bottom)] if begin < bottom else parts


def _write_note(
    axes: Axes,
    canvas: Canvas,
    rungs: Sequence[Rung],
    place: int,
    room: float,
    bar: float,
) -> Written | None:
    """Write the change where there is room, in words or as a number alone.

    Beside the interval of what changes nothing, else above the line; within the axes,
    and not across the floor at `bar`. Returns the place that it takes: left, right, top
    and bottom, in units of the axes.
    """
    rung, start = rungs[place], rungs[_last_kept(rungs, place)].estimate.value
    low, high = axes.get_xlim()
    scale = (high - low) / room
    token = "muted"
    if rung.decided:
        token = "serious" if rung.change.value < 0 else "earned"  # type: ignore[union-attr]
    style: dict[str, Any] = {"size": 8, "zorder": 5, "color": canvas.colour(token)}
    gap = 0.08 * scale
    for text in dict.fromkeys((rung.note, rung.brief)):
        wide = text_width(text, 8) * scale
        left = max(ends_of(rung.estimate)[1], start) + gap
        if not rung.decided and left + wide < high and not left < bar < left + wide:
            axes.text(left, place, text, va="center", **style)
            return left, left + wide, place - _NOTE / 2, place + _NOTE / 2
        left = (rung.estimate.value + start - wide) / 2
        left = min(max(left, low), high - wide)
        if left - gap < bar < left + wide + gap:
            left = bar + gap
        if low <= left and left + wide <= high:
            axes.text(left, place - 0.16, text, **style)
            return left, left + wide, place - 0.16 - _NOTE, place - 0.08
    return None


def _name_floor(
    axes: Axes, canvas: Canvas, floor: Mark, left: float, room: float
) -> None:
    text = f"floor {floor.estimate.text}: {floor.label}"
    low, high = axes.get_xlim()
    at = left + (floor.estimate.value - low) / (high - low) * room
    half = text_width(text, 8.5, "bold") / 2
    at = min(max(at, half + 0.02), canvas.width - half - 0.02)
    top = canvas.height - 0.15
    canvas.text(at, top, text, weight="bold", token="free", ha="center")
