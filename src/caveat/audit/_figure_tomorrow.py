"""Columns that vanish: how models decay, what carries them, what helps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from caveat import pages as kit
from caveat.audit._drawing import end_labels
from caveat.audit._reading import Reading
from caveat.audit._reading_parts import Shifted
from caveat.audit._remark import loss, number

if TYPE_CHECKING:
    from caveat.pages import Canvas


_MOST_COLUMNS = 10

_MOST_PANELS = 4

_COLOURS = ("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8")


def decay_panels(reading: Reading) -> kit.Figure:
    """Draw small multiples: how each model decays as columns vanish."""
    shown = list(reading.shifted.values())[:_MOST_PANELS]
    free = reading.free
    line = (
        free.value
        if free is not None and not reading.regression and free.p < 0.05
        else float("nan")
    )
    values = [float(value) for one in shown for value in one.decay["value"]]
    low, high = kit.value_range([*values, line, reading.chance])
    if not reading.regression:
        high = min(high, 1.01)
    styles = {
        "most": ("serious", "most used first"),
        "random": ("earned", "at random"),
        "least": ("c3", "least used first"),
    }

    def panel(canvas: Canvas, axes: Any, one: Shifted, last: bool) -> None:
        ends = []
        for scenario, (token, label) in styles.items():
            rows = one.decay[one.decay["scenario"] == scenario].sort_values("k")
            if not len(rows):
                continue
            k = rows["k"].to_numpy(dtype=float)
            v = rows["value"].to_numpy(dtype=float)
            axes.plot(k, v, color=canvas.colour(token))
            if scenario == "random":
                axes.fill_between(
                    k,
                    rows["low"].astype(float),
                    rows["high"].astype(float),
                    color=canvas.colour(token),
                    alpha=0.18,
                    linewidth=0,
                )
            middle = len(v) // 2
            ends.append((v[middle], label, token))
        if not math.isnan(line):
            axes.axhline(
                line, color=canvas.colour("free"), linestyle="--", linewidth=1.2
            )
            ends.append((line, "free part", "free"))
        axes.set_xlim(0, one.columns)
        ticks, _ = kit.round_ticks(0, one.columns, 4)
        whole = [tick for tick in ticks if float(tick).is_integer()]
        axes.set_xticks(whole, [kit.count(int(tick)) for tick in whole])
        if last:
            end_labels(canvas, axes, ends, one.columns, low, high)

    def draw(canvas: Canvas) -> None:
        room = 1.05 if canvas.phone else 1.2
        if canvas.phone:
            each = (canvas.height - 0.3) / len(shown)
            for place, one in enumerate(shown):
                bottom = canvas.height - each * (place + 1) + 0.42
                axes = canvas.axes(0.45, bottom, canvas.width - 0.5 - room, each - 0.9)
                panel(canvas, axes, one, True)
                kit.upright_axis(axes, canvas, low, high, "")
                canvas.text(0.45, bottom + each - 0.78, one.title, weight="bold")
                axes.set_xlabel(
                    f"columns missing, of {one.columns}",
                    loc="left",
                    color=canvas.colour("muted"),
                )
            return
        wide = (canvas.width - 0.5 - room) / len(shown)
        for place, one in enumerate(shown):
            axes = canvas.axes(
                0.45 + wide * place, 0.5, wide - 0.25, canvas.height - 1.05
            )
            panel(canvas, axes, one, place == len(shown) - 1)
            kit.upright_axis(axes, canvas, low, high, "")
            if place:
                axes.set_yticklabels([])
            canvas.text(
                0.45 + wide * place,
                canvas.height - 0.3,
                kit.shorten(one.title, 22),
                weight="bold",
            )
        first = shown[0].columns
        canvas.text(0.45, 0.14, f"columns missing, of {first}", size=8.5, token="muted")

    best = shown[0]
    asked = best.decay[best.decay["scenario"] == "random"]
    sampled = (
        bool((asked["subsets"] < asked["possible"]).any()) if len(asked) else False
    )
    data = pd.concat(
        [
            one.decay.assign(model=one.name)[
                ["model", "scenario", "k", "value", "low", "high", "subsets"]
            ]
            for one in shown
        ]
    )
    half = _half_gone(best)
    return kit.Figure(
        "decay",
        kit.say(
            "With half of the columns gone at random, {model} has {value}",
            model=best.title,
            value=number(half),
        ),
        f"{best.title} has {number(best.closed)} with all columns and {number(half)} "
        "with half of them gone at random.",
        draw,
        size=(10.0 if len(shown) > 2 else 7.0, 3.0),
        phone_size=(3.6, 0.3 + 2.1 * len(shown)),
        conditions=f"{reading.unit} on {kit.count(best.test_rows)} held-out rows of "
        "one fold; missing columns take their training mean or most frequent value. "
        "Used: by what is lost without the column."
        + (
            " Band: 95 % interval over drawn subsets of columns."
            if sampled
            else " All subsets were taken."
        ),
        downloads=[kit.Download.csv("decay.csv", data)],
    )


def _half_gone(one: Shifted) -> float:
    rows = one.decay[one.decay["scenario"] == "random"]
    half = -(-one.columns // 2)
    at = rows[rows["k"] == half]["value"]
    return float(at.iloc[0]) if len(at) else float("nan")


def column_losses(reading: Reading) -> pd.DataFrame:
    """Return what every model loses without each column, the worst first."""
    losses = {
        name: reading.sign * (one.closed - one.single)
        for name, one in reading.shifted.items()
    }
    frame = pd.DataFrame(losses)
    first = next(iter(losses))
    return frame.sort_values(first, ascending=False, kind="stable")


def column_dots(reading: Reading) -> kit.Figure:
    """Draw what is lost when each of the most used columns vanishes."""
    losses = column_losses(reading)
    shown = losses.head(_MOST_COLUMNS)
    names = list(losses.columns)
    top = str(shown.index[0])
    first = reading.shifted[names[0]]
    low, high = kit.value_range([*shown.to_numpy().ravel(), 0.0])

    def draw(canvas: Canvas) -> None:
        left = 1.35 if canvas.phone else 1.9
        axes = canvas.axes(left, 0.5, canvas.width - left - 0.2, canvas.height - 0.95)
        places = list(range(len(shown) - 1, -1, -1))
        axes.axvline(0, color=canvas.colour("faint"), linewidth=1)
        for column, name in enumerate(names[: len(_COLOURS)]):
            token = _COLOURS[column]
            for place, value in zip(places, shown[name].to_numpy(), strict=True):
                if value == value:
                    kit.interval(
                        axes,
                        canvas,
                        place,
                        math.nan,
                        float(value),
                        math.nan,
                        token=token,
                        marker=kit.MARKERS[column],
                    )
        x = 0.05 if canvas.phone else left
        for column, name in enumerate(names[: len(_COLOURS)]):
            title = kit.shorten(reading.shifted[name].title, 20)
            canvas.text(
                x,
                canvas.height - 0.18,
                title,
                size=8,
                weight="bold",
                token=_COLOURS[column],
            )
            x += kit.text_width(title, 8, "bold") + (0.12 if canvas.phone else 0.25)
        long = 16 if canvas.phone else 26
        titles = [kit.shorten(one, long) for one in shown.index]
        kit.row_names(axes, canvas, places, titles)
        axes.set_ylim(-0.7, len(shown) - 0.3)
        kit.value_axis(
            axes, canvas, low, high, f"{reading.unit} lost when the column vanishes"
        )

    height = 1.1 + 0.25 * len(shown)
    more = len(losses) - len(shown)
    return kit.Figure(
        "columns",
        kit.say(
            "{column} carries {model} most: it loses {value} without it",
            column=kit.code(top),
            model=first.title,
            value=loss(float(shown[names[0]].iloc[0])),
        ),
        f"Without {top}, {first.title} loses {float(shown[names[0]].iloc[0]):.3f}.",
        draw,
        size=(7.0, height),
        phone_size=(3.6, height),
        conditions="One column missing at a time, mean imputation, one fold."
        + (
            f" {kit.capital(kit.word(more))} further columns in the CSV."
            if more
            else ""
        ),
        downloads=[
            kit.Download.csv("columns.csv", losses.rename_axis("column").reset_index())
        ],
    )


_POLICY_TITLES = {
    "mean": "mean",
    "median": "median",
    "zero": "zero",
    "gaussian": "gaussian",
    "marginalise": "marginalised",
    "native": "native NaN",
    "refitted": "refitted without it",
}


def policy_dots(reading: Reading, one: Shifted) -> kit.Figure:
    """Draw what the best model is worth by each way to fill in its most used column."""
    order = (reading.sign * one.policies).sort_values(ascending=False, kind="stable")
    shown = one.policies[order.index]
    low, high = kit.value_range([*shown, one.closed, reading.chance])
    if not reading.regression:
        low = max(low, min(float(shown.min()), one.closed) - 0.08)

    def draw(canvas: Canvas) -> None:
        left, right = 1.4, 0.6
        axes = canvas.axes(left, 0.5, canvas.width - left - right, canvas.height - 0.85)
        axes.axvline(one.closed, color=canvas.colour("c8"), linewidth=1)
        axes.annotate(
            f"intact {number(one.closed)}",
            (one.closed, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 4),
            textcoords="offset points",
            ha="right" if reading.sign > 0 else "left",
            va="bottom",
            color=canvas.colour("c8"),
            fontsize=8,
        )
        places = list(range(len(shown) - 1, -1, -1))
        for place, (policy, value) in zip(places, shown.items(), strict=True):
            axes.plot(
                [one.closed, value],
                [place, place],
                color=canvas.colour("serious-tint"),
                linewidth=4,
                solid_capstyle="butt",
            )
            kit.interval(
                axes,
                canvas,
                place,
                math.nan,
                float(value),
                math.nan,
                filled=policy != "refitted",
                token="earned" if policy == "refitted" else "serious",
            )
            kit.row_value(axes, canvas, place, number(float(value)))
        titles = [_POLICY_TITLES[str(name)] for name in shown.index]
        kit.row_names(axes, canvas, places, titles)
        axes.set_ylim(-0.7, len(shown) - 0.3)
        kit.value_axis(
            axes, canvas, low, high, f"{reading.unit} of {one.title} without the column"
        )

    height = 1.0 + 0.27 * len(shown)
    filled = shown.drop("refitted", errors="ignore")
    best = str(filled.index[0])
    return kit.Figure(
        "policies",
        kit.say(
            "Without {column}, filling in by {policy} keeps {value}",
            column=kit.code(one.most_used),
            policy=_POLICY_TITLES[best],
            value=number(float(filled.iloc[0])),
        ),
        "; ".join(f"{name} {value:.3f}" for name, value in shown.items()),
        draw,
        size=(7.0, height),
        phone_size=(3.6, height),
        conditions=f"{one.title}, one fold. Filled: the model as it was fitted. Open: "
        "one fitted again without the column.",
        downloads=[
            kit.Download.csv("policies.csv", shown.rename_axis("policy").reset_index())
        ],
    )
