"""The one-line figure: the free part, every learner, the reference, on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes

from caveat.board.figures._range import shown_range
from caveat.pages import Canvas, Words, fixed, shorten, text_width, word
from caveat.pages._axes import DOT, round_ticks
from caveat.pages._labels import below_line
from caveat.pages._model import Download, Figure


@dataclass(frozen=True)
class Field:
    """What the figure shows.

    Attributes
    ----------
    means : mapping of learner to mean, best first
    leaders : sequence of str
        Learners that cannot be told from the first.
    unit : str
        The measure.
    direction : {"max", "min"}
    free, reference : float or None
        The free part; what full labels give.
    places : int
        Decimals.
    """

    means: pd.Series
    leaders: Sequence[str]
    unit: str
    direction: str = "max"
    free: float | None = None
    reference: float | None = None
    places: int = 3


def field_figure(
    name: str,
    field: Field,
    *,
    label: str,
    conditions: Words,
    downloads: Sequence[Download] = (),
) -> Figure:
    """Draw the whole field on one axis."""
    return Figure(
        name=name,
        title="",
        label=label,
        draw=lambda canvas: _draw(canvas, field),
        size=(10.5, 1.75),
        phone_size=(3.6, 2.0),
        conditions=conditions,
        downloads=downloads,
        one_line=True,
    )


def _draw(canvas: Canvas, field: Field) -> None:
    anchors = [v for v in (field.free, field.reference) if v is not None]
    means = field.means.to_numpy(dtype=float)
    low, high = shown_range(means.tolist(), [*anchors, means[0]])
    axes = canvas.axes(0.02, 0.42, canvas.width - 0.04, canvas.height - 0.42)
    axes.set_xlim(low, high)
    axes.set_ylim(0, canvas.height - 0.42)
    line = canvas.height - 0.42 - 0.62
    _axis(axes, canvas, field, low, high)
    axes.plot([low, high], [line, line], color=canvas.colour("rule"), linewidth=1.2)
    if field.free is not None:
        _free(axes, canvas, field, (low, high), line)
    if field.reference is not None:
        _reference(axes, canvas, field, (low, high), line)
    _leaders(axes, canvas, field, (low, high), line)
    inside = (means >= low) & (means <= high)
    for mean, learner in zip(means[inside], field.means.index[inside], strict=True):
        token = "earned" if learner in field.leaders else "faint"
        axes.plot(
            [mean],
            [line],
            "o",
            color=canvas.colour(token),
            markeredgecolor=canvas.colour("page"),
            zorder=5,
            **DOT,
        )
    _names(canvas, field, (low, high), line)
    _outside(axes, canvas, field, (low, high), line)


def _axis(axes: Axes, canvas: Canvas, field: Field, low: float, high: float) -> None:
    ticks, places = round_ticks(low, high, 4 if canvas.phone else 6)
    texts = [fixed(tick, places) for tick in ticks]
    unit = shorten(field.unit, 24)
    behind = text_width(texts[-1], 8) / 2 + 0.06
    end = _inches(canvas, ticks[-1], low, high) + behind + text_width(unit, 8)
    # The unit stands behind the last number, or in its place at the end of the axis.
    if end > canvas.width - 0.02:
        room = canvas.width - text_width(unit, 8) - 0.1
        kept = [
            _inches(canvas, tick, low, high) + text_width(text, 8) / 2 < room
            for tick, text in zip(ticks, texts, strict=True)
        ]
        ticks, texts = (
            ticks[kept],
            [t for t, keep in zip(texts, kept, strict=True) if keep],
        )
        end = canvas.width - 0.02
    axes.set_xticks(ticks, texts)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    canvas.text(end, 0.285, unit, size=8, token="muted", ha="right")


def _free(
    axes: Axes, canvas: Canvas, field: Field, ends: tuple[float, float], line: float
) -> None:
    assert field.free is not None
    larger_is_better = field.direction == "max"
    edge = ends[0] if larger_is_better else ends[1]
    height = canvas.height - 0.42
    span = (line - 0.16) / height, (line + 0.16) / height
    axes.axvspan(
        edge,
        field.free,
        *span,
        facecolor=canvas.colour("free-tint"),
        edgecolor=canvas.colour("free"),
        hatch="////",
        linewidth=0,
        zorder=2,
    )
    axes.plot(
        [field.free, field.free],
        [line - 0.16, line + 0.28],
        color=canvas.colour("free"),
        linewidth=1.6,
        solid_capstyle="butt",
        zorder=3,
    )
    words = "free: " if canvas.phone else "free: EAPP, no labels "
    axes.text(
        edge,
        line + 0.38,
        f"{words}{fixed(field.free, field.places)}",
        color=canvas.colour("free"),
        fontweight="bold",
        ha="left" if larger_is_better else "right",
    )


def _reference(
    axes: Axes, canvas: Canvas, field: Field, ends: tuple[float, float], line: float
) -> None:
    assert field.reference is not None
    axes.plot(
        [field.reference, field.reference],
        [line - 0.16, line + 0.16],
        color=canvas.colour("ink"),
        linewidth=1.6,
        solid_capstyle="butt",
        zorder=3,
    )
    text = f"every label {fixed(field.reference, field.places)}"
    x = _inches(canvas, field.reference, *ends)
    width = text_width(text)
    x = min(max(x, width / 2 + 0.02), canvas.width - width / 2 - 0.02)
    # On a phone the line above is taken by the leaders' label.
    y = 0.42 + line + (0.66 if canvas.phone else 0.42)
    canvas.text(x, min(y, canvas.height - 0.08), text, ha="center")


def _leaders(
    axes: Axes, canvas: Canvas, field: Field, ends: tuple[float, float], line: float
) -> None:
    if len(field.leaders) < 2 or len(field.leaders) == len(field.means) == 2:
        return
    values = field.means[list(field.leaders)].to_numpy(dtype=float)
    values = values[(values >= ends[0]) & (values <= ends[1])]
    room = (ends[1] - ends[0]) * 0.012
    low, high = values.min() - room, values.max() + room
    height = canvas.height - 0.42
    axes.axvspan(
        low,
        high,
        (line - 0.16) / height,
        (line + 0.16) / height,
        facecolor=canvas.colour("earned-tint"),
        linewidth=0,
        zorder=1,
    )
    text = f"{word(len(field.leaders))} that cannot be told apart"
    width = text_width(text, weight="bold")
    x = _inches(canvas, (low + high) / 2, *ends)
    taken = 0.0
    if field.free is not None:
        free = text_width(f"free: EAPP, no labels {field.free:.3f}", weight="bold")
        taken = 0.0 if canvas.phone else free + 0.15
    left, right = width / 2 + 0.02, canvas.width - width / 2 - 0.02
    if field.direction == "max":
        left += taken
    else:
        right -= taken
    if left > right:
        return
    y = line + (0.58 if canvas.phone else 0.42) + 0.42
    canvas.text(
        min(max(x, left), right),
        min(y, canvas.height - 0.08),
        text,
        weight="bold",
        token="earned",
        ha="center",
    )


def _names(
    canvas: Canvas, field: Field, ends: tuple[float, float], line: float
) -> None:
    inside = field.means[(field.means >= ends[0]) & (field.means <= ends[1])]
    leaders = [name for name in inside.index if name in field.leaders]
    wanted = []
    together = ", ".join(shorten(name, 24) for name in reversed(leaders))
    room = canvas.width - 0.04
    if len(leaders) > 1 and text_width(together) <= room * (
        0.9 if canvas.phone else 0.5
    ):
        middle = (inside[leaders].min() + inside[leaders].max()) / 2
        wanted.append((_inches(canvas, middle, *ends), together, "normal"))
        rest = [name for name in inside.index if name not in field.leaders]
    else:
        rest = list(inside.index)
    wanted += [
        (_inches(canvas, inside[name], *ends), shorten(name, 24), "normal")
        for name in rest
    ]
    height = 0.42 + line
    rows = [height - 0.36, height - 0.53] + ([height - 0.7] if canvas.phone else [])
    for label in below_line(wanted, left=0.02, right=canvas.width - 0.02, rows=rows):
        token = "ink" if label.text == together or label.text in leaders else "muted"
        canvas.text(label.x, label.y + 0.07, label.text, token=token, ha="center")


def _outside(
    axes: Axes, canvas: Canvas, field: Field, ends: tuple[float, float], line: float
) -> None:
    """Point to what lies off the scale, with its value."""
    for side, sign in ((0, -1), (1, 1)):
        out = field.means[(sign * (field.means - ends[side])) > 0]
        if not len(out):
            continue
        edge, inner = ends[side], ends[side] - sign * 0.02 * (ends[1] - ends[0])
        axes.annotate(
            "",
            xy=(edge, line),
            xytext=(inner, line),
            arrowprops={"arrowstyle": "->", "color": canvas.colour("muted")},
        )
        first = out.index[0]
        text = f"{shorten(first, 20)} {fixed(out.iloc[0], field.places)}, off the scale"
        if len(out) > 1:
            text = f"{len(out)} learners off the scale"
        canvas.text(
            0.02 if side == 0 else canvas.width - 0.02,
            0.42 + line + 0.22,
            text,
            size=8,
            token="muted",
            ha="left" if side == 0 else "right",
        )


def _inches(canvas: Canvas, value: float, low: float, high: float) -> float:
    return float(0.02 + (value - low) / (high - low) * (canvas.width - 0.04))
