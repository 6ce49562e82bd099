"""Labels beside their marks: nudged by a rule, dropped where they still collide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from caveat.pages._canvas import text_width

_HEIGHT = 0.14  # inches of a line of text
_TOO_CLOSE = 0.04


class Box(NamedTuple):
    """A rectangle in inches."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box, gap: float = 0.0) -> bool:
        """Whether the two overlap, or come closer than the gap."""
        return (
            self.left < other.right + gap
            and other.left < self.right + gap
            and self.bottom < other.top
            and other.bottom < self.top
        )

    def inside(self, other: Box) -> bool:
        """Whether it lies wholly in another."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.bottom >= other.bottom
            and self.top <= other.top
        )


@dataclass(frozen=True)
class Label:
    """A text and where it stands: `x` is its left end, centre or right end."""

    text: str
    x: float
    y: float
    align: str
    weight: str


def below_line(
    wanted: Sequence[tuple[float, str, str]],
    *,
    left: float,
    right: float,
    rows: Sequence[float],
    size: float = 8.5,
) -> list[Label]:
    """Place labels under marks on a line, the most important ones given first.

    Parameters
    ----------
    wanted : sequence of (x, text, weight)
        Inches along the line; earlier ones take their place first.
    left, right : float
        Where texts must end.
    rows : sequence of float
        Heights of the rows of text, nearest first.
    size : float
        In points.

    Returns
    -------
    list of Label, without those that found no room.
    """
    taken: list[Box] = []
    placed = []
    for x, text, weight in wanted:
        width = text_width(text, size, weight)
        centre = min(max(x, left + width / 2), right - width / 2)
        if width > right - left:
            continue
        for y in rows:
            box = Box(centre - width / 2, y, centre + width / 2, y + _HEIGHT)
            if not any(box.meets(other, 0.09) for other in taken):
                taken.append(box)
                placed.append(Label(text, centre, y, "center", weight))
                break
    return placed


@dataclass(frozen=True)
class Mark:
    """A point to be labelled, and how far its interval reaches down and up."""

    x: float
    y: float
    text: str
    weight: str = "normal"
    down: float = 0.0
    up: float = 0.0


def around_points(
    marks: Sequence[Mark],
    *,
    bounds: Box,
    obstacles: Sequence[Box] = (),
    size: float = 8.5,
) -> list[Label]:
    """Place labels right of, left of, above or below their points.

    Parameters
    ----------
    marks : sequence of Mark
        Inches; earlier ones choose first.
    bounds : Box
        Where texts must stay.
    obstacles : sequence of Box
        What they must not cover, besides the points and one another.
    size : float
        In points.

    Returns
    -------
    list of Label, without those that found no room.
    """
    taken = [*obstacles]
    taken += [Box(m.x - 0.06, m.y - 0.06, m.x + 0.06, m.y + 0.06) for m in marks]
    placed = []
    for mark in marks:
        width = text_width(mark.text, size, mark.weight)
        beyond = (
            ("center", 0.0, mark.up + 0.1),
            ("center", 0.0, -mark.down - 0.1),
        )
        for align, dx, dy in (*_SIDES, *beyond):
            x, y = mark.x + dx, mark.y + dy
            start = x - {"left": 0.0, "center": width / 2, "right": width}[align]
            box = Box(start, y - _HEIGHT / 2, start + width, y + _HEIGHT / 2)
            free = not any(box.meets(other, _TOO_CLOSE) for other in taken)
            if free and box.inside(bounds):
                taken.append(box)
                placed.append(Label(mark.text, x, y, align, mark.weight))
                break
    return placed


_SIDES = (
    ("left", 0.12, 0.0),
    ("right", -0.12, 0.0),
    ("left", 0.08, 0.13),
    ("left", 0.08, -0.13),
    ("right", -0.08, 0.13),
    ("right", -0.08, -0.13),
)
