"""Pictures of margins, ranks and relative performance.

Each function returns a matplotlib `Figure`, drawn without pyplot: save it with
``figure.savefig("margins.svg")``. Marks differ in colour and in shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from caveat.exceptions import InvalidInput
from caveat.measures import DOUBLE, INSTANCE_WISE, LABEL_WISE
from caveat.measures import LABEL_MEASURES as MEASURES
from caveat.multilabel import MarginProfile
from papers.multilabel.ranks import average_ranks, relative_performance

COLOURS = ("#0d448e", "#b55508", "#1d8071", "#6e113a", "#413801", "#855bdc",
           "#854b45", "#4c5264")  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "o")
INK, MUTED, RULE, FREE = "#1d2126", "#585e66", "#dcd8ce", "#a84c04"
ROW = 0.26
"""Height of one row of a dot plot, in inches."""


def plot_margin_profile(profile: MarginProfile) -> Figure:
    """Draw which margin a model serves, and how far each measure gets.

    On the left the two kinds of pairs, with chance at 0.5 and, for labels within
    an instance, what popularity alone would give. On the right the measures,
    grouped by the margin that is proved to serve them: the dot stands at the share
    of the way from no knowledge (0) to the best attainable value (1).

    Parameters
    ----------
    profile : MarginProfile
        From `margin_profile`.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> from caveat.multilabel import margin_profile
    >>> Y, scores = [[1, 0], [0, 1], [1, 0]], [[3, 1], [2, 5], [4, 0]]
    >>> len(plot_margin_profile(margin_profile(Y, scores)).axes)
    2
    """
    if not isinstance(profile, MarginProfile):
        raise InvalidInput(
            f"profile is {type(profile).__name__}; pass the result of margin_profile"
        )
    groups = _grouped(profile.table)
    height = 1.0 + ROW * (len(profile.table) + len(groups))
    figure = Figure(figsize=(10.5, height))
    left = figure.add_axes((0.17, 0.45 / height, 0.23, 1 - 0.85 / height))
    right = figure.add_axes((0.60, 0.45 / height, 0.33, 1 - 0.85 / height))
    _draw_sides(left, profile)
    _draw_reach(right, groups)
    return figure


def _draw_sides(axes: Axes, profile: MarginProfile) -> None:
    rows = [
        ("labels within\nan instance", profile.label_wise, LABEL_WISE),
        ("instances within\na label", profile.instance_wise, INSTANCE_WISE),
    ]
    axes.axvline(0.5, color=MUTED, linewidth=0.75)
    axes.text(0.5, -0.62, "chance", color=MUTED, fontsize=8, ha="center")
    for position, (name, side, kind) in enumerate(rows):
        style = _STYLE[kind]
        axes.plot([side.low, side.high], [position] * 2, color=style[0], linewidth=2.2)
        axes.plot(
            side.order, position, style[1], color=style[0], markersize=7, label=name
        )
        axes.text(
            side.order, position - 0.16, f"{side.order:.2f}", color=style[0],
            fontsize=8.5, ha="center",
        )  # fmt: skip
    axes.plot(profile.popularity, 0, "|", color=FREE, markersize=16)
    axes.text(
        profile.popularity, 0.26, "popularity", color=FREE, fontsize=8, ha="center"
    )
    axes.set_yticks([0, 1], [name for name, _, _ in rows], fontsize=8.5)
    axes.set_ylim(1.6, -0.8)
    lowest = min(profile.label_wise.low, profile.instance_wise.low, 0.45)
    axes.set_xlim(min(0.45, lowest - 0.03), 1.0)
    axes.set_title("pairs in the right order", fontsize=9, loc="left", weight="bold")
    _plain(axes)


_STYLE = {
    LABEL_WISE: (COLOURS[0], "o"),
    INSTANCE_WISE: (COLOURS[1], "s"),
    "either": (COLOURS[2], "^"),
    DOUBLE: (COLOURS[3], "D"),
}


def _grouped(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Split the measures by who is proved to serve them."""
    kinds = {
        name: "either"
        if {LABEL_WISE, INSTANCE_WISE} <= set(MEASURES[name].served_by)
        else next(iter(MEASURES[name].served_by), "")
        for name in table.index
    }
    there = {
        kind: table.loc[[name for name in table.index if kinds[name] == kind]]
        for kind in _STYLE
    }
    return {kind: part for kind, part in there.items() if len(part)}


def _draw_reach(axes: Axes, groups: dict[str, pd.DataFrame]) -> None:
    ticks: list[tuple[float, str]] = []
    position = 0.0
    for kind, part in groups.items():
        colour, marker = _STYLE[kind]
        title = {"either": "served by either margin", DOUBLE: "served by both at once"}
        axes.text(
            -0.02, position, title.get(kind, f"served by the {kind} margin"),
            color=colour, fontsize=8.5, weight="bold", ha="right", va="center",
            transform=axes.get_yaxis_transform(),
        )  # fmt: skip
        for name, row in part.iterrows():
            position += 1
            ticks.append((position, MEASURES[str(name)].title))
            reach = min(max(float(row["reach"]), 0.0), 1.0)
            axes.plot([0, reach], [position] * 2, color=RULE, linewidth=1.2)
            axes.plot(
                reach, position, marker, color=colour, markersize=6,
                fillstyle="full" if row["promised"] else "none",
            )  # fmt: skip
            axes.text(
                1.03, position, f"{row['value']:.3f}", fontsize=8.5, va="center",
                color=INK, transform=axes.get_yaxis_transform(),
            )  # fmt: skip
        position += 1
    axes.set_yticks([y for y, _ in ticks], [name for _, name in ticks], fontsize=8.5)
    axes.set_ylim(position - 0.4, -0.8)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xticks([0, 0.5, 1], ["no knowledge", "half way", "best"])
    axes.set_title(
        "filled: promised by Table 2 for the margin served",
        fontsize=9, loc="left", weight="bold",
    )  # fmt: skip
    _plain(axes)


def plot_average_ranks(frame: pd.DataFrame) -> Figure:
    """Draw the average rank of every method on every measure (Figure 4).

    Parameters
    ----------
    frame : DataFrame
        As for `average_ranks`.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "method": ["LIMO", "BR"], "measure": ["coverage"] * 2, "value": [1.0, 2.0]
    ... })
    >>> plot_average_ranks(frame).axes[0].get_xlabel()
    'average rank, 1 is best'
    """
    table = average_ranks(frame)
    rows = {
        str(name): {str(method): float(rank) for method, rank in row.items()}
        for name, row in table.iterrows()
    }
    figure, axes = _dot_rows(rows)
    axes.set_xlim(0.7, len(table.columns) + 0.3)
    axes.set_xlabel("average rank, 1 is best", fontsize=8.5, loc="left")
    return figure


def plot_relative_performance(frame: pd.DataFrame) -> Figure:
    """Draw the measures rescaled to the best (left) and the worst method (right).

    Parameters
    ----------
    frame : DataFrame
        As for `relative_performance`. The number at the right is the worst value
        itself (Figures 2 and 3 of the paper).

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "method": ["LIMO", "BR"], "measure": ["coverage"] * 2, "value": [1.0, 2.0]
    ... })
    >>> figure = plot_relative_performance(frame)
    >>> [text.get_text() for text in figure.axes[0].texts][-1]
    '2.000'
    """
    table = relative_performance(frame)
    rows: dict[str, dict[str, float]] = {}
    worst = {}
    for name, part in table.groupby("measure", sort=False):
        rows[str(name)] = dict(zip(part["method"], part["relative"], strict=True))
        worst[str(name)] = float(part["worst"].iloc[0])
    figure, axes = _dot_rows(rows)
    axes.set_xlim(1.03, -0.03)
    axes.set_xticks([1, 0.5, 0], ["best", "half way", "worst"])
    axes.set_xlabel("relative performance", fontsize=8.5, loc="left")
    for position, value in enumerate(worst.values()):
        axes.text(
            1.02, position, f"{value:.3f}", fontsize=8.5, va="center", color=MUTED,
            transform=axes.get_yaxis_transform(),
        )  # fmt: skip
    return figure


def _dot_rows(rows: Mapping[str, Mapping[str, float]]) -> tuple[Figure, Axes]:
    """One row per measure, one mark per method, names above the first row."""
    methods = list(dict.fromkeys(name for row in rows.values() for name in row))
    height = 1.2 + ROW * len(rows)
    figure = Figure(figsize=(7.0, height))
    axes = figure.add_axes((0.22, 0.5 / height, 0.66, ROW * len(rows) / height))
    for number, method in enumerate(methods):
        colour, marker = COLOURS[number % 8], MARKERS[number % 8]
        hollow = number % 8 == 7
        places = [k for k, row in enumerate(rows.values()) if method in row]
        axes.plot(
            [row[method] for row in rows.values() if method in row], places, marker,
            color=colour, markersize=6, fillstyle="none" if hollow else "full",
            label=method,
        )  # fmt: skip
    figure.legend(
        loc="upper left", ncols=min(len(methods), 6), frameon=False, fontsize=8.5,
        handletextpad=0.2, columnspacing=1.2,
    )  # fmt: skip
    axes.set_yticks(
        range(len(rows)), [MEASURES[name].title for name in rows], fontsize=8.5
    )
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    _plain(axes)
    return figure, axes


def _plain(axes: Any) -> None:
    """Hairlines only: no box, no ticks on the left."""
    for name in ("top", "right", "left"):
        axes.spines[name].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    axes.spines["bottom"].set_linewidth(0.75)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", length=3, labelsize=8, color=MUTED, labelcolor=INK)
    axes.set_axisbelow(True)
