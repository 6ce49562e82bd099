"""Two values per row and the line between: before and after, chosen and oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from caveat.pages._axes import (
    free_part,
    interval,
    named_rows,
    row_axes,
    row_value,
    value_axis,
)
from caveat.pages._model import Download, Figure, Words
from caveat.pages.figures._range import axis_range, ends_of

if TYPE_CHECKING:
    from caveat.pages._canvas import Canvas
    from caveat.pages.claims import Claim, Estimate


@dataclass(frozen=True)
class Pair:
    """A row: where it was (open dot) and where it is (filled), and the change."""

    name: str
    before: Estimate
    after: Estimate
    change: Estimate | None = None


def paired_dots(
    rows: Sequence[Pair],
    *,
    name: str,
    title: Words | Claim,
    label: str,
    unit: str = "",
    floor: Estimate | None = None,
    limits: tuple[float, float] | None = None,
    conditions: Words = "",
    downloads: Sequence[Download] = (),
) -> Figure:
    """Draw pairs of values on one axis; at the right stands the change.

    Parameters are those of `score_dots`, with pairs for dots. A line is oxblood where
    its change lies below 0 with its whole interval, grey where it may be nothing.
    """
    known = [x for r in rows for one in (r.before, r.after) for x in one.numbers]
    low, high = axis_range([*known, *(floor.numbers if floor else ())], limits)

    def draw(canvas: Canvas) -> None:
        left = 1.15 if canvas.phone else 1.9
        texts = [(row.change or row.after).text for row in rows]
        axes = row_axes(canvas, left, texts)
        if floor is not None:
            free_part(axes, canvas, low, floor.value)
        for place, row in enumerate(rows):
            token = _token(row.change)
            line: dict[str, Any] = {
                "color": canvas.colour(token),
                "linewidth": 1.6,
                "zorder": 2,
            }
            axes.plot([row.before.value, row.after.value], [place, place], **line)
            was, now = row.before.value, row.after.value
            interval(axes, canvas, place, was, was, was, token="faint", filled=False)
            bottom, top = ends_of(row.after)
            interval(axes, canvas, place, bottom, now, top)
            row_value(axes, canvas, place, texts[place])
        named_rows(axes, canvas, [row.name for row in rows])
        value_axis(axes, canvas, low, high, unit)

    return Figure.of_rows(
        len(rows),
        draw,
        name=name,
        title=title,
        label=label,
        conditions=conditions,
        downloads=downloads,
    )


def _token(change: Estimate | None) -> str:
    if change is None or not change.has_interval:
        return "faint"
    assert change.low is not None
    assert change.high is not None
    if change.high < 0:
        return "serious"
    return "earned" if change.low > 0 else "faint"
