"""Curves with their bands: a value over what varies, beside the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from caveat.pages._axes import (
    left_of_values,
    round_ticks,
    spread,
    tick_texts,
    upright_axis,
)
from caveat.pages._canvas import text_width
from caveat.pages._model import Figure
from caveat.pages._prose import shorten
from caveat.pages.figures._range import axis_range, ends_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from caveat.pages._canvas import Canvas
    from caveat.pages.claims import Estimate
    from caveat.pages.figures._line import Mark

_TOKENS = ("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8")
_LINE = 0.16  # inches from one label at the right end to the next


@dataclass(frozen=True)
class Curve:
    """Values over what varies, labelled at the right end.

    Attributes
    ----------
    name : str
    at : sequence of float
        What varies: columns missing, bags, rows.
    values : sequence of Estimate
        Their intervals are the band.
    token : str
        Colour; empty for the next of the categorical ones.
    dashed : bool
        Whether it follows a paper's own, optimistic protocol.
    """

    name: str
    at: Sequence[float]
    values: Sequence[Estimate]
    token: str = ""
    dashed: bool = False


def curves(
    lines: Sequence[Curve],
    *,
    unit: str = "",
    varied: str = "",
    floor: Mark | None = None,
    limits: tuple[float, float] | None = None,
    **words: Any,
) -> Figure:
    """Draw curves with bands, named at their right ends.

    Parameters
    ----------
    lines : sequence of Curve
        At most eight.
    unit : str
        What the vertical axis shows.
    varied : str
        What the horizontal axis shows.
    floor : Mark, optional
        Drawn as a dashed line across, named at the right.
    limits : (float, float), optional
        Where the measure ends; the axis never goes beyond.
    **words : Any
        ``name``, ``title``, ``label``, ``conditions``, ``downloads``: as of `Figure`.
        Conditions must name what the band is.
    """
    known = [x for line in lines for one in line.values for x in one.numbers]
    low, high = axis_range([*known, *(floor.estimate.numbers if floor else ())], limits)
    across = [float(place) for line in lines for place in line.at]
    first, last = (min(across), max(across)) if across else (0.0, 1.0)
    drawn = [
        (line, line.token or _TOKENS[n % len(_TOKENS)]) for n, line in enumerate(lines)
    ]

    def draw(canvas: Canvas) -> None:
        told = [line.name for line in lines] + ([floor.label] if floor else [])
        longest = max((text_width(_brief(w, canvas)) for w in told), default=0.0)
        left, right = left_of_values(low, high), longest + 0.25
        room = canvas.width - left - right, canvas.height - 0.95
        axes = canvas.axes(left, 0.5, *room)
        ends = []
        for line, token in drawn:
            _draw_curve(axes, canvas, line, token)
            if line.values:
                ends.append((line.values[-1].value, line.name, token))
        if floor is not None:
            colour = canvas.colour("free")
            at = floor.estimate.value
            axes.axhline(at, color=colour, linestyle="--", linewidth=1.2, zorder=2)
            ends.append((at, floor.label, "free"))
        axes.set_xlim(first, last if last > first else first + 1)
        upright_axis(axes, canvas, low, high, unit)
        ticks, places = round_ticks(first, last, 4 if canvas.phone else 5)
        axes.set_xticks(ticks, tick_texts(ticks, places))
        muted = canvas.colour("muted")
        axes.set_xlabel(varied, x=0, ha="left", color=muted)
        _name_ends(canvas, ends, (low, high), (left + room[0] + 0.1, room[1]))

    return Figure(draw=draw, size=(7.0, 3.0), **words)


def decay(lines: Sequence[Curve], *, columns: int, **figure: Any) -> Figure:
    """Draw what a score becomes as more and more columns are missing."""
    varied = columns_missing(columns)
    return curves(lines, varied=varied, **figure)


def columns_missing(columns: int) -> str:
    """Name the axis along which columns vanish."""
    return f"columns missing, of {columns}"


def _brief(text: str, canvas: Canvas) -> str:
    return shorten(text, 12 if canvas.phone else 24)


def _draw_curve(axes: Axes, canvas: Canvas, line: Curve, token: str) -> None:
    colour = canvas.colour(token)
    style = "--" if line.dashed else "-"
    values = [one.value for one in line.values]
    axes.plot(line.at, values, color=colour, linestyle=style, zorder=4)
    ends = np.array([ends_of(one) for one in line.values], dtype=float).reshape(-1, 2)
    axes.fill_between(
        line.at, ends[:, 0], ends[:, 1], color=colour, alpha=0.16, linewidth=0, zorder=3
    )


def _name_ends(
    canvas: Canvas,
    ends: Sequence[tuple[float, str, str]],
    limits: tuple[float, float],
    place: tuple[float, float],
) -> None:
    """Name every line at its right end, moved apart so that none covers another.

    `place` is where names begin, and the height of the axes, in inches.
    """
    if not ends:
        return
    low, high = limits
    heights = [0.5 + (value - low) / (high - low) * place[1] for value, _, _ in ends]
    for y, (_, text, token) in zip(spread(heights, _LINE), ends, strict=True):
        canvas.text(place[0], y, _brief(text, canvas), token=token)
