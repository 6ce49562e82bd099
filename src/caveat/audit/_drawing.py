"""What the figures of an audit have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from caveat import pages as kit
from caveat.audit._reading import Reading

if TYPE_CHECKING:
    from caveat.pages import Canvas


def score_places(reading: Reading) -> int:
    """Say how many decimals the narrowest interval supports, for all scores alike."""
    halves = [(one.high - one.low) / 2 for one in reading.scores.values()]
    known = [half for half in halves if half > 0]
    small = all(abs(one.value) < 10 for one in reading.scores.values())
    least, most = (2, 3) if small else (0, 2)
    return max(least, min(most, kit.decimals(min(known)))) if known else most


def end_labels(
    canvas: Canvas,
    axes: Any,
    ends: Sequence[tuple[float, str, str]],
    x: float,
    low: float,
    high: float,
) -> None:
    """Write labels at the right ends of lines, apart from one another."""
    tall = axes.get_position().height * canvas.sheet.get_figheight()
    gap = (high - low) * 0.17 / max(tall, 0.1)
    places = kit.spread([value for value, _, _ in ends], gap)
    for place, (_, label, token) in zip(places, ends, strict=True):
        axes.annotate(
            label,
            (x, place),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            color=canvas.colour(token),
            annotation_clip=False,
            fontsize=8,
        )
