"""Rows of dots with intervals: who has what, beside the floor."""

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
from caveat.pages._model import Figure
from caveat.pages.figures._range import axis_range, ends_of

if TYPE_CHECKING:
    from caveat.pages._canvas import Canvas
    from caveat.pages.claims import Estimate


@dataclass(frozen=True)
class Dot:
    """A row: its name, its value, and how it is drawn; oracles are open dots."""

    name: str
    estimate: Estimate
    token: str = "earned"
    filled: bool = True


def score_dots(
    rows: Sequence[Dot],
    *,
    unit: str = "",
    floor: Estimate | None = None,
    limits: tuple[float, float] | None = None,
    zero: float | None = None,
    **words: Any,
) -> Figure:
    """Draw a dot with its interval for every row, best first as given.

    Parameters
    ----------
    rows : sequence of Dot
    unit : str
        What the axis shows.
    floor : Estimate, optional
        Hatched from the edge up to it.
    limits : (float, float), optional
        Where the measure ends; the axis never goes beyond.
    zero : float, optional
        A thin line to compare with: 0 where the rows are differences, or the intact
        model's value.
    **words : Any
        ``name``, ``title``, ``label``, ``conditions``, ``downloads``: as of `Figure`.
    """
    known = [number for row in rows for number in row.estimate.numbers]
    marks = [*known, *(floor.numbers if floor else ())]
    low, high = axis_range(marks if zero is None else [*marks, zero], limits)

    def draw(canvas: Canvas) -> None:
        left = 1.15 if canvas.phone else 1.9
        axes = row_axes(canvas, left, [row.estimate.text for row in rows])
        if floor is not None:
            free_part(axes, canvas, low, floor.value)
        if zero is not None:
            axes.axvline(zero, color=canvas.colour("c8"), linewidth=1, zorder=2)
        for place, row in enumerate(rows):
            one, (below, above) = row.estimate, ends_of(row.estimate)
            style = {"token": row.token, "filled": row.filled}
            interval(axes, canvas, place, below, one.value, above, **style)  # type: ignore[arg-type]
            row_value(axes, canvas, place, one.text)
        named_rows(axes, canvas, [row.name for row in rows])
        value_axis(axes, canvas, low, high, unit)

    return Figure.of_rows(len(rows), draw, **words)
