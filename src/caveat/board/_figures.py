"""Figures that only a report has: average ranks, and quality against time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from caveat.pages import (
    Box,
    Canvas,
    Figure,
    Mark,
    Words,
    around_points,
    fixed,
    interval,
    left_of_values,
    prose,
    shorten,
    text_width,
    upright_axis,
)
from caveat.pages.figures import interval_range

_STEP = 0.19  # inches from one name to the next
_BAR = 0.085  # inches from one bar to the next


def critical_difference_figure(
    ranks: pd.Series,
    cliques: Sequence[Sequence[str]],
    difference: float | None,
    *,
    cannot: Words = "",
    **words: Any,
) -> Figure:
    """Draw average ranks, best at the left, with a bar over each clique.

    Parameters
    ----------
    ranks : Series
        Average ranks, best first.
    cliques : sequence of sequences of names
        Learners that cannot be told apart.
    difference : float or None
        The critical difference, drawn as a ruler.
    cannot, **words
        As in `Figure`.
    """
    half = -(-len(ranks) // 2)
    height = 0.72 + _BAR * len(cliques) + 0.12 + _STEP * half + 0.05
    return Figure(
        draw=None
        if cannot
        else lambda canvas: _draw_ranks(canvas, ranks, cliques, difference),
        cannot=cannot,
        size=(7.0, height),
        phone_size=(3.6, height),
        **words,
    )


def _names_that_fit(ranks: pd.Series, most: float) -> tuple[dict[str, str], float]:
    """Shorten names until they and their ranks fit beside the axis; give the width."""
    for longest in range(30, 5, -1):
        names = {one: shorten(one, longest) for one in ranks.index}
        texts = [f"{names[one]} {fixed(rank, 2)}" for one, rank in ranks.items()]
        width = max(text_width(text, 8, "bold") for text in texts) + 0.12
        if width <= most:
            break
    return names, width


def _draw_ranks(
    canvas: Canvas,
    ranks: pd.Series,
    cliques: Sequence[Sequence[str]],
    difference: float | None,
) -> None:
    count = len(ranks)
    first = set(cliques[0]) if cliques and ranks.index[0] in cliques[0] else set()
    names, side = _names_that_fit(ranks, canvas.width * 0.36)
    left, right = side, canvas.width - side
    line = canvas.height - 0.58
    axes = canvas.axes(0, 0, canvas.width, canvas.height)
    axes.set_xlim(0, canvas.width)
    axes.set_ylim(0, canvas.height)
    axes.set_axis_off()

    def place(rank: float) -> float:
        return left + (rank - 1) / max(count - 1, 1) * (right - left)

    axes.plot([left, right], [line, line], color=canvas.colour("faint"), linewidth=0.75)
    every = max(1, -(-count // (6 if canvas.phone else 12)))
    for tick in range(1, count + 1, every):
        x = place(tick)
        axes.plot(
            [x, x], [line, line + 0.05], color=canvas.colour("faint"), linewidth=0.75
        )
        canvas.text(x, line + 0.13, str(tick), size=8, token="muted", ha="center")
    if difference is not None and difference < count - 1:
        _ruler(canvas, left, place(1 + difference), difference)
    bottom = line - 0.05 - _BAR * len(cliques) - 0.08
    half = -(-count // 2)
    for number, (one, rank) in enumerate(ranks.items()):
        at_left = number < half
        row = number if at_left else count - 1 - number
        y = bottom - _STEP * (row + 0.5)
        x = place(rank)
        stop = left - 0.02 if at_left else right + 0.02
        axes.plot(
            [x, x, stop],
            [line, y, y],
            color=canvas.colour("faint"),
            linewidth=0.75,
            solid_joinstyle="miter",
            zorder=1,
        )
        axes.plot(
            [x],
            [line],
            "o",
            color=canvas.colour("ink"),
            markersize=4.5,
            markeredgewidth=0,
            zorder=4,
        )
        shown = fixed(rank, 2)
        text = f"{names[one]} {shown}" if at_left else f"{shown} {names[one]}"
        canvas.text(
            stop - 0.04 if at_left else stop + 0.04,
            y,
            text,
            size=8,
            weight="bold" if one in first else "normal",
            ha="right" if at_left else "left",
        )
    for number, clique in enumerate(cliques):
        y = line - 0.09 - _BAR * number
        ends = [place(ranks[one]) for one in clique]
        axes.plot(
            [min(ends) - 0.04, max(ends) + 0.04],
            [y, y],
            color=canvas.colour("earned-fill"),
            linewidth=3.2,
            solid_capstyle="butt",
            zorder=3,
        )


def _ruler(canvas: Canvas, left: float, right: float, difference: float) -> None:
    y = canvas.height - 0.26
    axes = canvas.sheet.axes[0]
    colour = canvas.colour("ink")
    axes.plot([left, right], [y, y], color=colour, linewidth=1.2, solid_capstyle="butt")
    for x in (left, right):
        axes.plot([x, x], [y - 0.04, y + 0.04], color=colour, linewidth=1.2)
    text = f"critical difference {fixed(difference, 2)}"
    canvas.text(left, canvas.height - 0.1, text, size=8, token="muted")


@dataclass(frozen=True)
class Point:
    """A learner: its time, its mean with interval (NaN if none).

    `frontier` is whether nothing is both faster and better.
    """

    learner: str
    seconds: float
    mean: float
    low: float
    high: float
    frontier: bool = False


@dataclass(frozen=True)
class Cost:
    """What the figure shows.

    Attributes
    ----------
    points : sequence of Point
    unit : str
    over : str
        What the means are over: ``20 worlds``.
    time : str
        What the seconds are of.
    direction : {"max", "min"}
    free : float or None
    places : int
    is_mean : bool
        Whether the scores are means.
    """

    points: Sequence[Point]
    unit: str
    over: str
    time: str
    direction: str = "max"
    free: float | None = None
    places: int = 3
    is_mean: bool = True

    @property
    def shown(self) -> tuple[float, float]:
        """The part of the axis that is shown."""
        sign = 1.0 if self.direction == "max" else -1.0
        best = max((one.mean for one in self.points), key=lambda mean: sign * mean)
        anchors = [best] if self.free is None else [best, self.free]
        return interval_range([(p.low, p.mean, p.high) for p in self.points], anchors)

    @property
    def inside(self) -> list[Point]:
        """Points on the shown part of the axis."""
        low, high = self.shown
        return [one for one in self.points if low <= one.mean <= high]

    @property
    def outside(self) -> list[Point]:
        """Points off the scale."""
        return [one for one in self.points if one not in self.inside]


def cost_figure(cost: Cost, *, conditions: Words, **words: Any) -> Figure:
    """Draw quality against time: frontier filled, the dominated open and grey."""
    off = bool(cost.outside)
    return Figure(
        draw=lambda canvas: _draw_cost(canvas, cost),
        size=(7.0, 2.95),
        phone_size=(3.6, 3.3),
        conditions=prose(conditions) + (" Triangle: off the scale." * off),
        **words,
    )


def with_frontier(points: Sequence[Point], direction: str) -> list[Point]:
    """Mark the points that nothing is both faster and better than, fastest first.

    Examples
    --------
    >>> points = [Point("a", 1.0, 0.7, 0.6, 0.8), Point("b", 2.0, 0.6, 0.5, 0.7),
    ...           Point("c", 3.0, 0.8, 0.7, 0.9)]
    >>> [(p.learner, p.frontier) for p in with_frontier(points, "max")]
    [('a', True), ('b', False), ('c', True)]
    """
    sign = 1.0 if direction == "max" else -1.0
    marked, best = [], -math.inf
    for point in sorted(points, key=lambda one: (one.seconds, -sign * one.mean)):
        marked.append(replace(point, frontier=sign * point.mean > best))
        best = max(best, sign * point.mean)
    return marked


class _Plot:
    """The axes of one drawing, and where its values lie in inches."""

    def __init__(self, canvas: Canvas, cost: Cost) -> None:
        self.canvas, self.cost = canvas, cost
        points = cost.points
        self.low, self.high = cost.shown
        self.left = left_of_values(self.low, self.high)
        self.bottom = 0.55 if canvas.phone else 0.5
        self.width = canvas.width - self.left - 0.1
        self.height = canvas.height - self.bottom - 0.32
        self.axes = canvas.axes(self.left, self.bottom, self.width, self.height)
        of, over = ("mean ", "over") if cost.is_mean else ("", "on")
        label = f"{of}{shorten(cost.unit, 20)} {over} {shorten(cost.over, 30)}"
        upright_axis(self.axes, canvas, self.low, self.high, label)
        self.start, self.stop = _time_axis(
            self.axes, canvas, [one.seconds for one in points], cost.time
        )

    def inches(self, seconds: float, value: float) -> tuple[float, float]:
        """Where a point lies on the sheet."""
        x = math.log(seconds / self.start) / math.log(self.stop / self.start)
        y = (value - self.low) / (self.high - self.low)
        return self.left + x * self.width, self.bottom + y * self.height

    def box(self, seconds: tuple[float, float], values: tuple[float, float]) -> Box:
        """Return what a line takes on the sheet, with a little room around it."""
        left, bottom = self.inches(seconds[0], values[0])
        right, top = self.inches(seconds[1], values[1])
        return Box(left - 0.02, bottom - 0.02, right + 0.02, top + 0.02)


def _draw_cost(canvas: Canvas, cost: Cost) -> None:
    plot = _Plot(canvas, cost)
    taken = [*_staircase(plot), *_intervals(plot)]
    if cost.free is not None:
        taken.append(_free_line(plot, taken))
    sign = 1.0 if cost.direction == "max" else -1.0
    order = sorted(
        plot.cost.inside, key=lambda one: (not one.frontier, -sign * one.mean)
    )
    labelled = []
    for one in order:
        x, y = plot.inches(one.seconds, one.mean)
        ends = [plot.inches(one.seconds, end)[1] for end in (one.low, one.high)]
        down, up = np.nan_to_num([y - ends[0], ends[1] - y])
        weight = "bold" if one.frontier else "normal"
        text = shorten(one.learner, 18 if canvas.phone else 30)
        labelled.append(Mark(x, y, text, weight, float(down), float(up)))
    labelled += [_off_the_scale(plot, one) for one in plot.cost.outside]
    bounds = Box(plot.left, plot.bottom + 0.02, canvas.width, canvas.height - 0.22)
    for label in around_points(labelled, bounds=bounds, obstacles=taken):
        canvas.text(
            label.x,
            label.y,
            label.text,
            weight=label.weight,
            token="ink" if label.weight == "bold" else "muted",
            ha=label.align,
        )


def _off_the_scale(plot: _Plot, point: Point) -> Mark:
    """Point to what lies beyond the axis, with its value."""
    below = point.mean < plot.low
    edge = plot.low if below else plot.high
    plot.axes.plot(
        [point.seconds],
        [edge],
        marker="v" if below else "^",
        color=plot.canvas.colour("muted"),
        markersize=5,
        linestyle="none",
        clip_on=False,
        zorder=4,
    )
    x, y = plot.inches(point.seconds, edge)
    text = f"{shorten(point.learner, 18)} {fixed(point.mean, plot.cost.places)}"
    return Mark(x, y + (0.1 if below else -0.1), text)


def _intervals(plot: _Plot) -> list[Box]:
    taken = []
    for one in plot.cost.inside:
        interval(
            plot.axes,
            plot.canvas,
            one.seconds,
            one.low,
            one.mean,
            one.high,
            token="earned" if one.frontier else "faint",
            filled=one.frontier,
            upright=True,
            width=1.5,
        )
        if np.isfinite(one.low) and np.isfinite(one.high):
            taken.append(plot.box((one.seconds, one.seconds), (one.low, one.high)))
    return taken


def _staircase(plot: _Plot) -> list[Box]:
    """Draw the frontier; return what it takes."""
    x: list[float] = []
    y: list[float] = []
    for one in sorted(plot.cost.points, key=lambda one: one.seconds):
        if one.frontier:
            x += [one.seconds, one.seconds] if y else [one.seconds]
            y += [y[-1], one.mean] if y else [one.mean]
    x, y = [*x, plot.stop], [*y, y[-1]]
    plot.axes.plot(
        x, y, color=plot.canvas.colour("earned"), linewidth=1.2, alpha=0.6, zorder=2
    )
    return [
        plot.box((x[n], x[n + 1]), (min(y[n : n + 2]), max(y[n : n + 2])))
        for n in range(len(x) - 1)
    ]


def _time_axis(
    axes: Axes, canvas: Canvas, seconds: Sequence[float], label: str
) -> tuple[float, float]:
    start, stop = min(seconds) * 0.55, max(seconds) * 4
    # At least one power of ten in sight, or the axis would have no number.
    if math.floor(math.log10(stop)) < math.ceil(math.log10(start)):
        start = min(start, 10.0 ** math.floor(math.log10(start)))
    powers = range(math.ceil(math.log10(start)), math.floor(math.log10(stop)) + 1)
    every = max(1, -(-len(powers) // (4 if canvas.phone else 6)))
    ticks = [10.0**power for power in powers][::every]
    axes.set_xscale("log")
    axes.set_xlim(start, stop)
    axes.set_xticks(ticks, [_time_text(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlabel(f"{label}, log scale", loc="left", color=canvas.colour("muted"))
    return start, stop


def _time_text(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:g} µs"
    if seconds < 0.01:
        return f"{seconds * 1e3:g} ms"
    return f"{seconds:,g} s" if seconds < 1e6 else f"{seconds:.0e} s"


def _free_line(plot: _Plot, taken: Sequence[Box]) -> Box:
    """Draw the free part and name it, where nothing else stands if possible."""
    canvas, free = plot.canvas, plot.cost.free
    assert free is not None
    plot.axes.axhline(
        free, color=canvas.colour("free"), linewidth=1.3, linestyle=(0, (4, 2.5))
    )
    words = "clusters" if canvas.phone else "what clusters reach"
    text = f"{words} {fixed(free, plot.cost.places)}"
    width = text_width(text, weight="bold")
    right, y = plot.inches(plot.stop, free)
    places = [
        Box(x - width, y + dy - 0.07, x, y + dy + 0.07)
        for dy in (0.1, -0.1)
        for x in (right, plot.left + width, (right + plot.left + width) / 2)
    ]
    inside = [box for box in places if plot.bottom < box.bottom < canvas.height - 0.4]
    clear = [box for box in inside if not any(box.meets(one) for one in taken)]
    box = (clear or inside or places)[0]
    canvas.text(
        box.right,
        (box.bottom + box.top) / 2,
        text,
        weight="bold",
        token="free",
        ha="right",
    )
    return box
