"""The critical-difference diagram: average ranks, joined where tests see nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from caveat.pages import Canvas, Words, fixed, shorten, text_width
from caveat.pages._model import Download, Figure

_STEP = 0.19  # inches from one name to the next
_BAR = 0.085  # inches from one bar to the next


def critical_difference_figure(
    name: str,
    ranks: pd.Series,
    cliques: Sequence[Sequence[str]],
    difference: float | None,
    *,
    title: Words,
    label: str,
    conditions: Words,
    downloads: Sequence[Download] = (),
    cannot: Words = "",
) -> Figure:
    """Draw average ranks, best at the left, with a bar over each clique.

    Parameters
    ----------
    name : str
    ranks : Series
        Average ranks, best first.
    cliques : sequence of sequences of names
        Learners that cannot be told apart.
    difference : float or None
        The critical difference, drawn as a ruler.
    title, label, conditions, downloads, cannot
        As in `Figure`.
    """
    half = -(-len(ranks) // 2)
    height = 0.72 + _BAR * len(cliques) + 0.12 + _STEP * half + 0.05
    return Figure(
        name=name,
        title=title,
        label=label,
        draw=None
        if cannot
        else lambda canvas: _draw(canvas, ranks, cliques, difference),
        cannot=cannot,
        size=(7.0, height),
        phone_size=(3.6, height),
        conditions=conditions,
        downloads=downloads,
    )


def _draw(
    canvas: Canvas,
    ranks: pd.Series,
    cliques: Sequence[Sequence[str]],
    difference: float | None,
) -> None:
    count = len(ranks)
    first = set(cliques[0]) if cliques and ranks.index[0] in cliques[0] else set()
    for longest in range(30, 5, -1):
        names = {one: shorten(one, longest) for one in ranks.index}
        texts = {one: f"{names[one]} {fixed(rank, 2)}" for one, rank in ranks.items()}
        side = max(text_width(text, 8, "bold") for text in texts.values()) + 0.12
        if side <= canvas.width * 0.36:
            break
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
        text = texts[one] if at_left else f"{fixed(rank, 2)} {names[one]}"
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
