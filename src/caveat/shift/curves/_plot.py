"""The picture of a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from caveat.shift.registry import MEASURES

if TYPE_CHECKING:
    from caveat.shift.curves._curve_table import ShiftCurve

# The house's colours: blue is what the model is worth, grey is for reference.
_EARNED, _TINT, _MUTED, _RULE = "#0d448e", "#e2eaf5", "#585e66", "#dcd8ce"


def draw(curve: ShiftCurve, measure: str, ax: Axes | None) -> Axes:
    """Draw a line over the number of missing columns, or a dot for each row."""
    named = [name for name in ("column", "stage") if name in curve.table]
    if ax is None:
        height = 1.2 + 0.26 * len(curve.of(measure)) if named else 2.6
        ax = Figure(figsize=(7.0, height), layout="constrained").add_subplot()
    if named:
        _dots(curve, measure, named[0], ax)
    else:
        _line(curve, measure, ax)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(_MUTED)
    ax.tick_params(colors=_MUTED, left=False, labelsize=8)
    ax.set_axisbelow(True)
    return ax


def _title(measure: str) -> str:
    return MEASURES[measure].title if measure in MEASURES else measure


def _line(curve: ShiftCurve, measure: str, ax: Axes) -> None:
    rows = curve.of(measure)
    closed = rows["value"].iloc[0]
    ax.axhline(closed, color=_RULE, linewidth=1)
    # Named, so that no band stands naked.
    if (rows["se"] > 0).any():
        ax.fill_between(rows["k"], rows["low"], rows["high"], color=_TINT, linewidth=0)
        ax.annotate(
            "band: 95 % interval over subsets",
            (0.0, 0.0),
            xycoords="axes fraction",
            xytext=(2, 4),
            textcoords="offset points",
            fontsize=8,
            color=_MUTED,
        )
    ax.plot(
        rows["k"],
        rows["value"],
        color=_EARNED,
        linewidth=1.75,
        marker="o",
        markersize=4,
    )
    last = rows.iloc[-1]
    ax.annotate(
        f"{last['value']:.3g}",
        (last["k"], last["value"]),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize=8.5,
        color=_EARNED,
    )
    ax.grid(axis="y", color=_RULE, linewidth=0.6)
    added = curve.scenario == "increment"
    ax.set_xlabel(
        f"new columns, beside {len(curve.columns)}"
        if added
        else f"columns missing, of {len(curve.columns)}",
        loc="left",
        fontsize=8.5,
        color=_MUTED,
    )
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.set_title(_title(measure), loc="left", fontsize=9, fontweight="bold")


def _dots(curve: ShiftCurve, measure: str, label: str, ax: Axes) -> None:
    rows = curve.of(measure)
    closed, rest = rows["value"].iloc[0], rows.iloc[1:]
    places = range(len(rest))
    ax.axvline(closed, color=_MUTED, linewidth=1)
    ax.annotate(
        f"all columns {closed:.3g}",
        (closed, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        fontsize=8,
        color=_MUTED,
    )
    ax.hlines(places, closed, rest["value"], color=_TINT, linewidth=2.2)
    ax.plot(rest["value"], places, "o", color=_EARNED, markersize=6, linestyle="none")
    ax.set_yticks(list(places), [str(name) for name in rest[label]])
    ax.set_ylim(-0.6, len(rest) - 0.4)
    ax.grid(axis="y", color=_RULE, linewidth=0.6)
    word = "this column" if label == "column" else "these columns"
    ax.set_xlabel(
        f"{_title(measure)} when {word} vanishes"
        if label == "column"
        else f"{_title(measure)} when {word} vanish",
        loc="left",
        fontsize=8.5,
        color=_MUTED,
    )
    ax.xaxis.set_major_locator(MaxNLocator(5))
