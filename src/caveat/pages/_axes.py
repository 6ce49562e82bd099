"""The habits of all figures: where ticks sit, how dots, intervals and labels look."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from caveat.pages._canvas import Canvas, text_width
from caveat.pages._labels import below_line
from caveat.pages._numbers import MINUS, fixed
from caveat.pages._prose import shorten

DOT: dict[str, Any] = {"markersize": 7, "markeredgewidth": 1.2}


def round_ticks(
    low: float, high: float, most: int = 5
) -> tuple[NDArray[np.float64], int]:
    """Choose at most `most` round numbers within a range, and their decimals.

    Examples
    --------
    >>> ticks, places = round_ticks(0.72, 0.92)
    >>> ticks.round(3).tolist(), places
    ([0.75, 0.8, 0.85, 0.9], 2)
    """
    span = high - low
    if not span > 0:
        return np.array([low]), 3
    for exponent in range(math.floor(math.log10(span)) - 2, 400):
        for digit in (1, 2, 2.5, 5):
            step = digit * 10.0**exponent
            first = math.ceil(low / step - 1e-9)
            last = math.floor(high / step + 1e-9)
            if last - first + 1 <= most:
                places = max(0, -exponent + (digit == 2.5))
                return np.arange(first, last + 1, dtype=np.float64) * step, places
    raise AssertionError("a step of ten times the range leaves at most one tick")


def value_axis(
    axes: Axes, canvas: Canvas, low: float, high: float, label: str, most: int = 5
) -> None:
    """Make the horizontal axis one of values: grid across, label at its left end.

    There are fewer than `most` ticks where their numbers would touch.
    """
    room = axes.get_position().width * canvas.width
    ticks, places = round_ticks(low, high, most)
    # Two numbers that fit the axis may still be near one another: the step counts.
    while len(ticks) > 1 and (ticks[1] - ticks[0]) / (high - low) * room < (
        tick_room(low, high, most) + 0.1
    ):
        most -= 1
        ticks, places = round_ticks(low, high, most)
    axes.set_xlim(low, high)
    axes.set_xticks(ticks, tick_texts(ticks, places))
    axes.grid(axis="x", color=canvas.colour("rule"))
    axes.spines["left"].set_visible(False)
    if label:
        start, size = _label_place(axes, canvas, label)
        ink = canvas.colour("muted")
        axes.set_xlabel(label, x=start, ha="left", color=ink, size=size)


def tick_room(low: float, high: float, most: int = 5) -> float:
    """Inches of the longest number beside the ticks of a range."""
    ticks, places = round_ticks(low, high, most)
    texts = tick_texts(ticks, places)
    return max((text_width(text, 8) for text in texts), default=0.0)


def tick_texts(ticks: NDArray[np.float64], places: int) -> list[str]:
    """Write ticks with their decimals, as powers of ten where those are many."""
    if places > 6:
        return [f"{tick:.3g}".replace("-", MINUS) for tick in ticks]
    return [fixed(tick, places) for tick in ticks]


def left_of_values(low: float, high: float) -> float:
    """Inches that an upright axis leaves at its left for its numbers."""
    return max(0.45, tick_room(low, high) + 0.15)


def row_axes(
    canvas: Canvas,
    left: float,
    values: Sequence[str],
    *,
    bottom: float = 0.45,
    top: float = 0.1,
) -> Axes:
    """Make the axes of rows, with room at their right for the longest value."""
    longest = max((text_width(text, 8.5, "bold") for text in values), default=0.0)
    right = max(0.55, longest + 0.2)
    room = canvas.height - bottom - top
    return canvas.axes(left, bottom, canvas.width - left - right, room)


def _label_place(axes: Axes, canvas: Canvas, label: str) -> tuple[float, float]:
    """Find where a label of an axis begins, in widths of the axes, and its size.

    At their left end; a long one further left, so that it ends on the sheet; one that
    is longer than the sheet is written smaller.
    """
    # On a screen letters stand on whole pixels, which makes some texts wider.
    box, width = axes.get_position(), 1.08 * text_width(label)
    size = 8.5 * min(1.0, (canvas.width - 0.1) / max(width, 1e-9))
    left, room = box.x0 * canvas.width, box.width * canvas.width
    latest = canvas.width - 0.05 - width * size / 8.5 - left
    return max(min(0.0, latest), 0.05 - left) / room, size


def upright_axis(
    axes: Axes, canvas: Canvas, low: float, high: float, label: str, most: int = 5
) -> None:
    """Make the vertical axis one of values; its label lies above it, not rotated."""
    ticks, places = round_ticks(low, high, most)
    axes.set_ylim(low, high)
    axes.set_yticks(ticks, tick_texts(ticks, places))
    axes.grid(axis="y", color=canvas.colour("rule"))
    axes.spines["left"].set_visible(False)
    start, size = _label_place(axes, canvas, label)
    axes.text(
        start,
        1.04,
        label,
        transform=axes.transAxes,
        color=canvas.colour("muted"),
        va="bottom",
        size=size,
    )


def value_range(values: Iterable[float], air: float = 0.06) -> tuple[float, float]:
    """Find a range that holds all known values with some air.

    Examples
    --------
    >>> value_range([1.0, float("nan"), 0.0])
    (-0.06, 1.06)
    """
    known = np.array([value for value in values if value == value], dtype=float)
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    pad = air * (high - low) or 0.05 * max(1.0, abs(high))
    return low - pad, high + pad


def row_names(
    axes: Axes, canvas: Canvas, places: Sequence[int], names: Sequence[str]
) -> None:
    """Name the rows of a figure at its left, without ticks."""
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0)
    for label in axes.get_yticklabels():
        label.set_color(canvas.colour("ink"))


def named_rows(axes: Axes, canvas: Canvas, names: Sequence[str]) -> None:
    """Make room for a row per name, the first on top, and name them."""
    axes.set_ylim(len(names) - 0.4, -0.6)
    short = [shorten(name, 14 if canvas.phone else 26) for name in names]
    row_names(axes, canvas, list(range(len(names))), short)


def row_value(
    axes: Axes,
    canvas: Canvas,
    place: int,
    text: str,
    *,
    token: str = "ink",
    weight: str = "normal",
) -> None:
    """Write the number of a row at its right, outside the axes."""
    axes.annotate(
        text,
        (1.0, place),
        xycoords=("axes fraction", "data"),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        color=canvas.colour(token),
        weight=weight,
    )


def number_line(canvas: Canvas, low: float, high: float) -> Axes:
    """Make the axes of a figure that is one line of values, 0 to 1 upwards."""
    side = max(0.2, tick_room(low, high) / 2 + 0.05)
    axes = canvas.axes(side, 0.5, canvas.width - 2 * side, canvas.height - 0.95)
    axes.set_ylim(0, 1)
    axes.set_yticks([])
    value_axis(axes, canvas, low, high, "")
    return axes


def line_labels(
    axes: Axes,
    canvas: Canvas,
    height: float,
    wanted: Sequence[tuple[float, str, str, str]],
) -> None:
    """Name values of a number line above it, without leaving the sheet.

    Parameters
    ----------
    axes : Axes
        Those of `number_line`.
    canvas : Canvas
        The sheet.
    height : float
        Where the texts stand: the line is 0 to 1 high.
    wanted : sequence of (value, text, token of the colour, weight)
        Earlier ones take their place first; where there is no room left, a text is
        left out.
    """
    box, (low, high) = axes.get_position(), axes.get_xlim()
    left, width = box.x0 * canvas.width, box.width * canvas.width
    tokens = {text: token for _, text, token, _ in wanted}
    places = [
        (left + (value - low) / (high - low) * width, text, weight)
        for value, text, _, weight in wanted
    ]
    for label in below_line(places, left=0.02, right=canvas.width - 0.02, rows=[0.0]):
        axes.text(
            low + (label.x - left) / width * (high - low),
            height,
            label.text,
            ha="center",
            va="bottom",
            fontsize=8.5,
            color=canvas.colour(tokens[label.text]),
            weight=label.weight,
        )


def interval(
    axes: Axes,
    canvas: Canvas,
    at: float,
    low: float,
    value: float,
    high: float,
    *,
    token: str = "earned",
    marker: str = "o",
    filled: bool = True,
    upright: bool = False,
    width: float = 2.2,
) -> None:
    """Draw a dot and its interval; without an interval (NaN) the dot alone."""
    colour = canvas.colour(token)
    ends, fixed_ = [low, high], [at, at]
    line = (fixed_, ends) if upright else (ends, fixed_)
    dot = ([at], [value]) if upright else ([value], [at])
    if np.isfinite(ends).all():
        axes.plot(*line, color=colour, linewidth=width, solid_capstyle="butt", zorder=3)
    axes.plot(
        *dot,
        marker=marker,
        linestyle="none",
        color=colour if filled else canvas.colour("page"),
        markeredgecolor=canvas.colour("page") if filled else colour,
        zorder=4,
        clip_on=False,
        **DOT,
    )


def free_part(
    axes: Axes, canvas: Canvas, edge: float, value: float, *, upright: bool = False
) -> None:
    """Hatch what is free: from the edge of the axis to the value."""
    span, line = (
        (axes.axhspan, axes.axhline) if upright else (axes.axvspan, axes.axvline)
    )
    span(
        edge,
        value,
        facecolor=canvas.colour("free-tint"),
        edgecolor=canvas.colour("free"),
        hatch="////",
        linewidth=0,
        zorder=1,
    )
    line(value, color=canvas.colour("free"), linewidth=1.4, zorder=2)


def spread(places: Sequence[float], gap: float) -> NDArray[np.float64]:
    """Move sorted or unsorted label places apart until none is closer than the gap.

    Groups that touch are centred on the mean of what they label, so nothing drifts.

    Examples
    --------
    >>> spread([0.0, 0.1, 5.0], 1.0).tolist()
    [-0.45, 0.55, 5.0]
    """
    order = np.argsort(places, kind="stable")
    clusters: list[tuple[float, list[int]]] = []
    for index in order:
        clusters.append((float(places[index]), [int(index)]))
        while len(clusters) > 1 and _touch(clusters[-2], clusters[-1], gap):
            centre, members = clusters.pop()
            before, earlier = clusters.pop()
            joined = earlier + members
            mean = (before * len(earlier) + centre * len(members)) / len(joined)
            clusters.append((mean, joined))
    moved = np.empty(len(places))
    for centre, members in clusters:
        offsets = (np.arange(len(members)) - (len(members) - 1) / 2) * gap
        moved[members] = centre + offsets
    return moved


def _touch(
    first: tuple[float, list[int]], second: tuple[float, list[int]], gap: float
) -> bool:
    reach = (len(first[1]) + len(second[1])) / 2 * gap
    return second[0] - first[0] < reach - 1e-12
