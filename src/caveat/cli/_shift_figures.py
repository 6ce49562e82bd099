"""The figures of `caveat shift`: each column, the decay, and one line of it all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from caveat import pages as kit
from caveat.cli._shift_remarks import best_model, short

if TYPE_CHECKING:
    import pandas as pd

    from caveat.cli._shift_result import Shifted
    from caveat.pages import Canvas

_MOST_COLUMNS = 25


def deployed(result: Shifted) -> tuple[str, pd.Series]:
    """Find the model that one would deploy, and its row."""
    name = best_model(result.look)
    return name, result.look.models.loc[name]


def column_figure(result: Shifted) -> kit.Figure:
    """Draw what the deployed model is worth without each column."""
    name, row = deployed(result)
    look = result.look
    single = look.singles[name].of().iloc[1:].set_index("column")["value"]
    order = single.sort_values(ascending=look.larger_is_better, kind="stable")
    shown = order.head(_MOST_COLUMNS)
    closed = float(row["closed"])

    def draw(canvas: Canvas) -> None:
        left = min(2.4, 0.42 * canvas.width)
        axes = canvas.axes(left, 0.5, canvas.width - left - 0.55, canvas.height - 0.75)
        low, high = kit.value_range([*shown, closed])
        for place, value in enumerate(reversed(shown.to_list())):
            axes.plot(
                [closed, value],
                [place, place],
                color=canvas.colour("serious-tint"),
                linewidth=4,
                solid_capstyle="butt",
            )
            kit.interval(axes, canvas, place, np.nan, value, np.nan)
            kit.row_value(axes, canvas, place, short(value))
        axes.axvline(closed, color=canvas.colour("c8"), linewidth=1)
        names = [kit.shorten(label, 30) for label in reversed(shown.index)]
        kit.row_names(axes, canvas, range(len(shown)), names)
        axes.set_ylim(-0.7, len(shown) - 0.3)
        kit.value_axis(axes, canvas, low, high, f"{result.title} when it vanishes")

    height = 1.0 + 0.24 * len(shown)
    return kit.Figure(
        "columns",
        kit.say("What {model} is worth without each column", model=name),
        f"{name} has {short(closed)} with all columns; without {shown.index[0]} "
        f"{short(float(shown.iloc[0]))}.",
        draw,
        size=(7.0, height),
        phone_size=(3.6, height),
        conditions=(
            f"{result.conditions} The vertical line is the intact model; a lost column "
            "has the training mean or the most frequent value in every row."
        ),
        downloads=[kit.Download.csv("columns.csv", look.columns.reset_index())],
    )


def decay_figure(result: Shifted) -> kit.Figure:
    """Draw how all models decay as columns vanish."""
    import pandas as pd

    look = result.look
    robust = str(look.models.index[0])
    curves = {name: look.curves[name].of() for name in look.models.index}

    def draw(canvas: Canvas) -> None:
        room = 1.0 if canvas.phone else 1.7
        axes = canvas.axes(0.5, 0.5, canvas.width - 0.5 - room, canvas.height - 0.9)
        every = [value for rows in curves.values() for value in rows["value"]]
        low, high = kit.value_range([*every, look.floor])
        ends = []
        for number, (name, rows) in enumerate(curves.items()):
            colour = canvas.colour(f"c{number % 8 + 1}")
            axes.fill_between(
                rows["k"],
                rows["low"],
                rows["high"],
                color=colour,
                alpha=0.15,
                linewidth=0,
            )
            axes.plot(rows["k"], rows["value"], color=colour)
            ends.append((float(rows["value"].iloc[len(rows) // 2]), name, colour))
        last = float(next(iter(curves.values()))["k"].max())
        gap = (high - low) * 0.17 / (canvas.height - 0.9)
        finals = [float(rows["value"].iloc[-1]) for rows in curves.values()]
        for place, (_, name, colour) in zip(kit.spread(finals, gap), ends, strict=True):
            axes.annotate(
                kit.shorten(name, 12 if canvas.phone else 24),
                (last, place),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                color=colour,
                annotation_clip=False,
            )
        if look.floor == look.floor:
            axes.axhline(look.floor, color=canvas.colour("faint"), linewidth=1)
            axes.text(
                0,
                look.floor,
                "constant answer",
                color=canvas.colour("muted"),
                va="bottom",
            )
        axes.set_xlim(0, last)
        # No half columns.
        axes.xaxis.get_major_locator().set_params(integer=True)
        count = len(look.columns)
        axes.set_xlabel(
            f"columns missing, of {count}", loc="left", color=canvas.colour("muted")
        )
        kit.upright_axis(axes, canvas, low, high, result.title)

    data = [
        curve.tidy(model=name).drop(columns=["mask"])
        for name, curve in look.curves.items()
    ]
    return kit.Figure(
        "decay",
        kit.say("How the models decay as columns vanish"),
        f"On average over degrees {robust} has "
        f"{short(float(look.models['area'].iloc[0]))}.",
        draw,
        size=(7.0, 3.2),
        phone_size=(3.6, 3.2),
        conditions=f"{result.conditions} Mean over subsets of columns; band: 95 % "
        "interval of that mean.",
        downloads=[kit.Download.csv("decay.csv", pd.concat(data))],
    )


def one_line(result: Shifted) -> kit.Figure:
    """Draw the number line: the constant answer, the intact model, its worst loss."""
    name, row = deployed(result)
    closed, worst, floor = float(row["closed"]), float(row["worst"]), result.look.floor
    known = [value for value in (closed, worst, floor) if value == value]
    low, high = kit.value_range(known)

    def draw(canvas: Canvas) -> None:
        axes = kit.number_line(canvas)
        if floor == floor:
            axes.axvline(floor, color=canvas.colour("faint"), linewidth=1.4)
            axes.barh([0.4], [closed - floor], left=floor, height=0.5,
                      color=canvas.colour("earned-fill"))  # fmt: skip
        arrow = {"arrowstyle": "->", "color": canvas.colour("serious"), "linewidth": 2}
        axes.annotate("", (worst, 0.82), (closed, 0.82), arrowprops=arrow)
        kit.value_axis(axes, canvas, low, high, "")
        lost = f"without {kit.shorten(row['worst_column'], 24)} {short(worst)}"
        kit.line_labels(axes, canvas, 0.98, [(worst, lost, "serious", "normal")])
        above = [(closed, f"{name} {short(closed)}", "earned", "bold")]
        if floor == floor:
            above.append((floor, "constant answer", "muted", "normal"))
        kit.line_labels(axes, canvas, 1.36, above)

    return kit.Figure(
        "line",
        "",
        f"{name} has {short(closed)} with all columns and {short(worst)} without "
        f"{row['worst_column']}; a constant answer has {short(floor)}.",
        draw,
        size=(10.5, 1.7),
        phone_size=(3.6, 1.7),
        conditions=f"{result.title} on held-out rows.",
        one_line=True,
    )
