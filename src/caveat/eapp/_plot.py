"""The curve, drawn: honest solid, published dashed, chance grey."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from caveat.eapp.result import Result

# The light tokens of caveat's pages; a page passes its own.
PALETTE = {
    "earned": "#0d448e",
    "published": "#6e113a",
    "null": "#dfe2e6",
    "faint": "#868b92",
    "muted": "#585e66",
    "panel": "#f5f3ec",
    "rule": "#dcd8ce",
    "ink": "#1d2126",
    "page": "#ffffff",
    "slate": "#4c5264",
}
WIDTH, HEIGHT = 7.0, 3.2
HONEST = "honest"
PUBLISHED = "as published: optimistic"
PUBLISHED_SHUFFLED = "as published, shuffled"
SHUFFLED = "shuffled labels,\nmean and 95 % band"
SHORT = {
    HONEST: "honest",
    PUBLISHED: "published",
    PUBLISHED_SHUFFLED: "its shuffles",
    SHUFFLED: "shuffled,\n95 %",
}
# Inches from one line of words to the next.
APART = 0.16


def plot_curve(
    found: Result,
    ax: Axes | None = None,
    *,
    palette: Mapping[str, str] | None = None,
    title: bool = True,
    narrow: bool = False,
    labels: bool = True,
    model_auc: float | None = None,
) -> Axes:
    """Draw what EAPP found.

    Parameters
    ----------
    found : Result
    ax : Axes, optional
        Where to draw; a new figure of 7.0 x 3.2 inches if not given.
    palette : mapping of str to colour, optional
        Colours by the names of `PALETTE`.
    title : bool, default=True
        Whether the axes carry value, band and p-value in words.
    narrow : bool, default=False
        Whether the figure is only a phone wide; labels are shorter then.
    labels : bool, default=True
        Whether lines are named at their right end; of several panels only the last
        one needs it.
    model_auc : float, optional
        A model's AUC, drawn as a line to compare with.
    """
    colours = {**PALETTE, **(palette or {})}
    axes = _new_axes() if ax is None else ax
    curve = found.curve
    ks = curve["k"].to_numpy()
    width = max(ks[-1] - ks[0], 1)
    room = (0.42 if narrow else 0.34) * width if labels else 0.03 * width
    names: list[tuple[float, str, str]] = []

    if found.k_star > ks[0]:
        axes.axvspan(ks[0], found.k_star, color=colours["panel"], lw=0, zorder=0)
    _draw_null(axes, found, colours, names)
    for column, colour, dash, words in (
        ("paper", colours["published"], (0, (4, 2)), PUBLISHED),
        ("honest", colours["earned"], "-", HONEST),
    ):
        values = curve[column].to_numpy()
        if np.isnan(values).all():
            continue
        axes.plot(ks, values, color=colour, ls=dash, lw=1.75, solid_capstyle="round")
        names.append((_last(values), words, colour))
    _mark_value(axes, found, colours)
    if narrow:
        names = [(value, SHORT[words], colour) for value, words, colour in names]
    if model_auc is not None:
        axes.hlines(model_auc, ks[0], ks[-1], colours["slate"], lw=1.0)
        names.append((model_auc, f"model, {model_auc:.2f}", colours["slate"]))

    drawn = [curve[name] for name in ("honest", "null_low", "paper", "paper_null_mean")]
    lowest = np.nanmin([*np.concatenate(drawn), 1.0])
    axes.set_ylim(0.5 if lowest >= 0.5 else lowest - 0.02, 1.005)
    axes.set_xlim(ks[0] - 0.01 * width, ks[-1] + room)
    if labels:
        _write_labels(axes, ks[-1] + 0.03 * room, names)
    _name_value(axes, found, colours)
    _dress(axes, colours, ks, found.measure)
    if title:
        axes.set_title(_title(found), loc="left", fontsize=9, pad=18, weight="bold")
    return axes


def _new_axes() -> Axes:
    figure = Figure(figsize=(WIDTH, HEIGHT))
    return figure.add_axes((0.06, 0.16, 0.92, 0.64))


def _draw_null(
    axes: Axes,
    found: Result,
    colours: Mapping[str, str],
    labels: list[tuple[float, str, str]],
) -> None:
    """Draw what shuffled labels give, by either selection."""
    curve = found.curve
    ks = curve["k"].to_numpy()
    own = "" if found.honest else "paper_"
    mean = curve[f"{own}null_mean"].to_numpy()
    if np.isnan(mean).all():
        return
    axes.fill_between(
        ks,
        curve[f"{own}null_low"],
        curve[f"{own}null_high"],
        color=colours["null"],
        lw=0,
        zorder=1,
    )
    axes.plot(ks, mean, color=colours["faint"], lw=1.0)
    labels.append((_last(mean), SHUFFLED, colours["muted"]))
    other = curve["paper_null_mean"].to_numpy()
    if not own and not np.isnan(other).all():
        axes.plot(ks, other, color=colours["published"], lw=0.9, ls=(0, (1, 2)))
        labels.append((_last(other), PUBLISHED_SHUFFLED, colours["published"]))


def _mark_value(axes: Axes, found: Result, colours: Mapping[str, str]) -> None:
    """Mark 1/p₀ by a dotted line and the value there by a dot."""
    value = found.value
    colour = colours["earned" if found.honest else "published"]
    for k_star in sorted(set(found.classes["k_star"])):
        axes.vlines(k_star, 0, value, colours["muted"], lw=0.9, ls=(0, (1, 2)))
    if len(found.classes) == 1 and not np.isnan(value):
        axes.plot(
            [found.k_star],
            [value],
            "o",
            color=colour,
            ms=7,
            mec=colours["page"],
            mew=1.2,
        )


def _name_value(axes: Axes, found: Result, colours: Mapping[str, str]) -> None:
    """Write the value beside its dot, as near as no curve crosses the words."""
    value = found.value
    if len(found.classes) != 1 or np.isnan(value):
        return
    place = "k" if found.of_numbers else "1/p₀"
    words = f"{value:.2f} at {place} = {found.k_star:.3g}"
    inches = np.array([axes.bbox.width, axes.bbox.height]) / axes.figure.dpi
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    size = 8.5 / 72 / inches * (right - left, top - bottom)  # of one em, in data
    start = found.k_star + 0.8 * size[0]
    over = np.linspace(start, start + 0.62 * len(words) * size[0], 50)
    ks = found.curve["k"].to_numpy()
    lines = [
        np.interp(over[over <= ks[-1]], ks, found.curve[name])
        for name in ("honest", "paper", "null_mean", "paper_null_mean")
    ]
    heights = np.concatenate([line[np.isfinite(line)] for line in lines])
    half = 0.8 * size[1]
    free = [
        at
        for step in range(80)
        for at in (value + (1 + step / 4) * half, value - (1 + step / 4) * half)
        if bottom + half < at < 1 - half and not (np.abs(heights - at) < half).any()
    ]
    axes.text(
        start,
        free[0] if free else value + half,
        words,
        va="center",
        fontsize=8.5,
        weight="bold",
        color=colours["ink"],
    )


def _write_labels(axes: Axes, x: float, labels: list[tuple[float, str, str]]) -> None:
    """Write names at the right ends of the lines, nudged apart.

    From below, and then back down from the top of the axes, where the names of lines
    that end there would leave the sheet.
    """
    bottom, top = axes.get_ylim()
    line = APART * (top - bottom) / (axes.bbox.height / axes.figure.dpi)
    placed = sorted(labels)
    halves = [line * (1 + words.count("\n")) / 2 for _, words, _ in placed]
    heights, free = [], bottom - line / 2
    for (value, _, _), half in zip(placed, halves, strict=True):
        heights.append(max(value, free + half))
        free = heights[-1] + half
    free = top + line
    for place in reversed(range(len(placed))):
        heights[place] = min(heights[place], free - halves[place])
        free = heights[place] - halves[place]
    for height, (_, words, colour) in zip(heights, placed, strict=True):
        axes.text(x, height, words, color=colour, fontsize=8.5, va="center")


def _dress(
    axes: Axes, colours: Mapping[str, str], ks: np.ndarray, measure: str
) -> None:
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(colours["faint"])
    axes.spines["bottom"].set_bounds(ks[0], ks[-1])
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    ticks = [tick for tick in axes.get_yticks() if axes.get_ylim()[0] <= tick <= 1]
    axes.set_yticks(ticks)
    axes.hlines(ticks, ks[0], ks[-1], colours["rule"], lw=0.6, zorder=0.5)
    axes.set_xticks([k for k in ks if len(ks) <= 12 or k % 2 == 0])
    axes.tick_params(axis="y", length=0, labelsize=8, labelcolor=colours["muted"])
    axes.tick_params(axis="x", length=3, labelsize=8, labelcolor=colours["muted"])
    axes.set_xlabel(
        "clusters, k", loc="left", fontsize=8.5, color=colours["muted"], labelpad=5
    )
    axes.text(
        0,
        1.03,
        f"{measure}, held-out rows",
        transform=axes.transAxes,
        fontsize=8.5,
        color=colours["muted"],
    )


def _title(found: Result) -> str:
    _, low, high = found.null
    words = f"EAPP {found.value:.3f}"
    if not np.isnan(low):
        words += f"; shuffled labels {low:.2f} to {high:.2f}"
    if not np.isnan(found.p_value):
        words += f"; p = {found.p_value:.3f}"
    return words


def _last(values: np.ndarray) -> float:
    return float(values[~np.isnan(values)][-1])
