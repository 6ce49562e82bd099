"""The free part by number of clusters, and every model with its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from caveat import pages as kit
from caveat.audit._drawing import end_labels, score_places
from caveat.audit._reading import Reading
from caveat.audit._reading_parts import Free, Score
from caveat.audit._remark import number

if TYPE_CHECKING:
    from caveat.pages import Canvas


def eapp_curve(free: Free, best: Score | None) -> kit.Figure:
    """Draw the free part for every number of clusters, with its null band."""
    curve = free.curve.sort_values("k")
    ks = curve["k"].to_numpy(dtype=float)
    values = curve[["honest", "paper", "null_low", "null_high"]].astype(float)
    every = [*values.to_numpy().ravel(), best.upper if best is not None else math.nan]
    low, high = kit.value_range(every)

    def draw(canvas: Canvas) -> None:
        room = 1.05 if canvas.phone else 1.5
        axes = canvas.axes(0.45, 0.5, canvas.width - 0.5 - room, canvas.height - 0.9)
        axes.fill_between(
            ks,
            values["null_low"],
            values["null_high"],
            color=canvas.colour("null"),
            linewidth=0,
        )
        ends = []
        lines = [
            ("honest", "earned", "-", "honest"),
            ("paper", "published", "--", "as published"),
        ]
        for name, token, style, label in lines:
            if values[name].notna().any():
                axes.plot(ks, values[name], style, color=canvas.colour(token))
                ends.append((float(values[name].iloc[-1]), label, token))
        middle = float(values[["null_low", "null_high"]].iloc[-1].mean())
        if not math.isnan(middle):
            ends.append((middle, "shuffled labels", "muted"))
        if best is not None and not math.isnan(best.upper):
            axes.axhline(best.upper, color=canvas.colour("c8"), linewidth=1)
            ends.append((best.upper, kit.shorten(best.title, 18), "c8"))
        if ks[0] <= free.k_star <= ks[-1]:
            axes.plot(
                [free.k_star],
                [free.value],
                marker="o",
                color=canvas.colour("free"),
                markeredgecolor=canvas.colour("page"),
                markersize=8,
                zorder=5,
            )
        end_labels(canvas, axes, ends, ks[-1], low, high)
        axes.set_xlim(ks[0], ks[-1])
        axes.set_xticks(_whole_ticks(ks))
        axes.set_xlabel("clusters, k", loc="left", color=canvas.colour("muted"))
        kit.upright_axis(axes, canvas, low, high, "AUC, held-out rows")

    above = int((values["honest"] > values["null_high"]).sum())
    if values["null_high"].isna().all():
        title = "The free part, for every number of clusters"
    elif above == len(curve):
        title = "The free part lies above shuffled labels at every k"
    elif above == 0:
        title = "The free part lies within what shuffled labels give"
    else:
        title = f"The free part lies above shuffled labels at {above} of {len(curve)} k"
    return kit.Figure(
        "eapp",
        title,
        f"{title}. At 1/p₀ = {free.k_star:.3g} it is {free.value:.3f}; shuffled labels "
        f"give {free.low:.3f} to {free.high:.3f}.",
        draw,
        size=(7.0, 3.0),
        phone_size=(3.6, 3.0),
        conditions="PCA, k-means. Honest: clusters are named on training "
        "rows. Dashed: on the rows they are scored on, as published. Grey: mean and "
        "95 % band of shuffled labels. Dot: 1/p₀.",
        downloads=[kit.Download.csv("free-part.csv", _public(curve))],
    )


def _whole_ticks(ks: np.ndarray) -> list[float]:
    step = max(1, math.ceil(len(ks) / 9))
    return list(ks[::step])


def _public(frame: pd.DataFrame) -> pd.DataFrame:
    known = ("key", "group", "study", "topic", "dataset", "repeat", "config")
    return frame.drop(columns=[name for name in known if name in frame])


def model_dots(reading: Reading) -> kit.Figure:
    """Draw every model with its interval, above the free part."""
    scores = list(reading.scores.values())
    free = reading.free
    line = float("nan")
    if free is not None and not reading.regression:
        line = free.value
    ends = [end for one in scores for end in (one.low, one.value, one.high)]
    low, high = kit.value_range([*ends, line])
    if not reading.regression:
        high = min(high, 1.005)
    constant = reading.constant
    places_shown = score_places(reading)

    def draw(canvas: Canvas) -> None:
        left = 1.25 if canvas.phone else 1.7
        right = 0.55 if canvas.phone else 1.2
        axes = canvas.axes(left, 0.5, canvas.width - left - right, canvas.height - 0.85)
        if not math.isnan(line):
            kit.free_part(axes, canvas, low, line)
            axes.annotate(
                f"free part {number(line)}",
                (line, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(0, 5),
                textcoords="offset points",
                color=canvas.colour("free"),
                ha="center",
                va="bottom",
                fontsize=8,
            )
        places = list(range(len(scores) - 1, -1, -1))
        for place, one in zip(places, scores, strict=True):
            kit.interval(axes, canvas, place, one.low, one.value, one.high)
            over = ""
            if not canvas.phone and not math.isnan(line):
                over = f"   {kit.signed(one.value - line)}"
            text = f"{kit.fixed(one.value, places_shown)}{over}"
            kit.row_value(axes, canvas, place, text)
        names = [kit.shorten(one.title, 20) for one in scores]
        kit.row_names(axes, canvas, places, names)
        axes.set_ylim(-0.7, len(scores) - 0.3)
        kit.value_axis(axes, canvas, low, high, f"{reading.unit}, held-out rows")

    height = 1.1 + 0.34 * len(scores)
    unit = (
        "" if math.isnan(line) else " The last number is the distance to the free part."
    )
    frame = pd.DataFrame(
        [
            {
                "model": one.name,
                reading.measure: one.value,
                "low": one.low,
                "high": one.high,
                "folds": one.folds,
                **one.further,
            }
            for one in [*scores, *([constant] if constant is not None else [])]
        ]
    )
    return kit.Figure(
        "models",
        _model_title(reading),
        "; ".join(
            f"{one.title} {one.value:.3f}, interval {one.low:.3f} to {one.high:.3f}"
            for one in scores
        ),
        draw,
        size=(7.0, height),
        phone_size=(3.6, height),
        conditions=f"{_split_words(reading)} Line: 95 % interval over folds, corrected "
        f"for their overlap.{unit}",
        downloads=[kit.Download.csv("models.csv", frame)],
    )


def _model_title(reading: Reading) -> kit.Prose:
    first, last = (
        next(iter(reading.scores.values())),
        list(reading.scores.values())[-1],
    )
    if len(reading.scores) == 1:
        return kit.say(
            "{model} has {value}", model=first.title, value=number(first.value)
        )
    return kit.say(
        "{first} has {best}, {last} {worst}",
        first=first.title,
        best=number(first.value),
        last=last.title,
        worst=number(last.value),
    )


def _split_words(reading: Reading) -> str:
    folds = reading.best.folds if reading.best is not None else 0
    scenario = reading.scenario
    if scenario.get("test"):
        return f"Default settings, the test file in {folds} parts."
    if scenario.get("groups"):
        return f"Default settings, {folds} folds of whole groups."
    if scenario.get("time"):
        return f"Default settings, {folds} folds of later rows."
    return f"Default settings, {folds} stratified folds."
