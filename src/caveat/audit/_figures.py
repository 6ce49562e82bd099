"""The figures of an audit, each drawn by one function for wide screens and phones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from caveat.audit._reading import Free, Reading, Score, Shifted
from caveat.audit._remarks import number
from caveat.report import kit

if TYPE_CHECKING:
    from caveat.report.kit import Canvas

_MOST_COLUMNS = 10
_MOST_PANELS = 4
_COLOURS = ("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8")


def csv(name: str, frame: pd.DataFrame) -> kit.Download:
    """Make a file of a table behind a figure."""
    return kit.Download(name, "CSV", frame.to_csv(index=False).encode("utf-8"))


def score_range(values: Sequence[float], pad: float = 0.06) -> tuple[float, float]:
    """Return a range that holds all known values with some air."""
    known = np.array([one for one in values if one == one], dtype=float)
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    air = pad * (high - low) or 0.05 * max(1.0, abs(high))
    return low - air, high + air


def anatomy(reading: Reading) -> kit.Figure | None:
    """Draw one line: chance, free, earned, and the worst loss."""
    best, free = reading.best, reading.free
    if best is None:
        return None
    shown = reading.shifted.get(best.name)
    worst = shown.worst if shown is not None else float("nan")
    chance = reading.chance
    has_free = (
        free is not None and not math.isnan(free.value) and not reading.regression
    )
    free_value = free.value if free is not None and has_free else float("nan")
    band = (free.low, free.high) if free is not None and has_free else (chance, chance)
    low, high = score_range([chance, best.value, worst, free_value, *band])
    base = free_value if has_free else chance
    side = "left" if reading.regression else "right"

    def draw(canvas: Canvas) -> None:
        bottom = 0.42
        axes = canvas.axes(0.2, bottom, canvas.width - 0.4, canvas.height - 1.05)
        axes.set_ylim(0, 1)
        axes.set_yticks([])
        if not math.isnan(band[0]) and band[1] > band[0]:
            axes.axvspan(*band, 0.45, 1.0, color=canvas.colour("null"), linewidth=0)
        axes.plot([chance, chance], [0.45, 1], color=canvas.colour("faint"), lw=1.2)
        if has_free and free_value > chance:
            axes.barh(
                [0.72],
                [free_value - chance],
                left=chance,
                height=0.5,
                facecolor=canvas.colour("free-tint"),
                edgecolor=canvas.colour("free"),
                hatch="////",
                linewidth=0,
            )
        if reading.sign * (best.value - base) > 0:
            axes.barh(
                [0.72],
                [best.value - base],
                left=base,
                height=0.5,
                color=canvas.colour("earned-fill"),
                linewidth=0,
            )
        axes.plot(
            [best.value, best.value], [0.45, 1], color=canvas.colour("earned"), lw=2.2
        )
        if not math.isnan(worst):
            arrow = {
                "arrowstyle": "->",
                "color": canvas.colour("serious"),
                "linewidth": 1.8,
            }
            axes.annotate("", (worst, 0.24), (best.value, 0.24), arrowprops=arrow)
        _anatomy_words(
            canvas, axes, reading, (low, high, chance, free_value, worst), side
        )
        kit.value_axis(axes, canvas, low, high, reading.unit)

    words = [f"{best.title} has {number(best.value)} {reading.unit}"]
    if has_free:
        words.append(f"clusters have {number(free_value)} without a label")
    words.append(f"chance is {number(chance)}")
    if shown is not None:
        words.append(f"without {shown.most_used} it has {number(worst)}")
    bands = ""
    if has_free and not math.isnan(band[0]):
        bands = " Grey: where 95 % of shuffled labels land."
    return kit.Figure(
        "anatomy",
        "",
        "; ".join(words) + ".",
        draw,
        size=(10.5, 2.0),
        phone_size=(3.6, 2.3),
        conditions=f"{reading.unit} on held-out rows, {best.folds} folds.{bands} "
        "Hatched: free. Solid: earned. Arrow: the worst loss of one column.",
        one_line=True,
    )


def _anatomy_words(
    canvas: Canvas, axes: object, reading: Reading, places: tuple, side: str
) -> None:
    """Label the parts above the bar; what would collide is lifted a line."""
    low, high, chance, free, worst = places
    best = reading.best
    assert best is not None
    inches = canvas.width - 0.4

    def at(value: float) -> float:
        return 0.2 + inches * (value - low) / (high - low)

    top = canvas.height - 0.58
    labels = [(chance, f"chance {number(chance)}", "muted", "normal")]
    if not math.isnan(free):
        labels.append((free, f"free {number(free)}", "free", "bold"))
    labels.append((best.value, f"{best.title} {number(best.value)}", "earned", "bold"))
    taken: list[list[tuple[float, float]]] = [[], [], []]
    for value, text, token, weight in reversed(labels):
        width = kit.text_width(text, 8.5, weight)
        x = min(max(at(value), 0.06 + width / 2), canvas.width - 0.06 - width / 2)
        reach = (x - width / 2 - 0.08, x + width / 2 + 0.08)
        for line, used in enumerate(taken):
            if all(reach[1] < a or reach[0] > b for a, b in used):
                used.append(reach)
                y = top + 0.17 * line + 0.06
                canvas.text(x, y, text, token=token, weight=weight, ha="center")
                break
    if not math.isnan(worst):
        shown = reading.shifted[best.name]
        text = f"without {kit.shorten(shown.most_used, 26)} {number(worst)}"
        width = kit.text_width(text, 8)
        x = min(max(at(worst), 0.1), canvas.width - 0.1 - width)
        if side == "left":
            x = max(0.1, min(at(worst) - width, canvas.width - 0.1 - width))
        y = 0.42 + (canvas.height - 1.05) * 0.09
        canvas.text(x, y, text, size=8, token="serious")


def eapp_curve(free: Free, best: Score | None) -> kit.Figure:
    """Draw the free part for every number of clusters, with its null band."""
    curve = free.curve.sort_values("k")
    ks = curve["k"].to_numpy(dtype=float)
    values = curve[["honest", "paper", "null_low", "null_high"]].astype(float)
    every = [*values.to_numpy().ravel(), best.upper if best is not None else math.nan]
    low, high = score_range(every)

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
        _end_labels(canvas, axes, ends, ks[-1], low, high)
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
        conditions="PCA, k-means, 200 shuffles. Honest: clusters are named on training "
        "rows. Dashed: on the rows they are scored on, as published. Grey: mean and "
        "95 % band of shuffled labels. Dot: 1/p₀.",
        downloads=[csv("free-part.csv", _public(curve))],
    )


def _whole_ticks(ks: np.ndarray) -> list[float]:
    step = max(1, math.ceil(len(ks) / 9))
    return list(ks[::step])


def _public(frame: pd.DataFrame) -> pd.DataFrame:
    known = ("key", "group", "study", "topic", "dataset", "repeat", "config")
    return frame.drop(columns=[name for name in known if name in frame])


def _end_labels(
    canvas: Canvas,
    axes: object,
    ends: Sequence[tuple[float, str, str]],
    x: float,
    low: float,
    high: float,
) -> None:
    """Write labels at the right ends of lines, apart from one another."""
    gap = (high - low) * 0.17 / (canvas.height - 0.9)
    places = kit.spread([value for value, _, _ in ends], gap)
    for place, (_, label, token) in zip(places, ends, strict=True):
        axes.annotate(  # type: ignore[attr-defined]
            label,
            (x, place),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            color=canvas.colour(token),
            annotation_clip=False,
            fontsize=8,
        )


def model_dots(reading: Reading) -> kit.Figure:
    """Draw every model with its interval, above the free part."""
    scores = list(reading.scores.values())
    free = reading.free
    line = float("nan")
    if free is not None and not reading.regression:
        line = free.value
    ends = [end for one in scores for end in (one.low, one.value, one.high)]
    low, high = score_range([*ends, line])
    if not reading.regression:
        high = min(high, 1.005)
    constant = reading.constant

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
            axes.annotate(
                f"{_places(one, reading)}{over}",
                (1.0, place),
                xycoords=("axes fraction", "data"),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                color=canvas.colour("ink"),
            )
        axes.set_yticks(places, [kit.shorten(one.title, 20) for one in scores])
        axes.set_ylim(-0.7, len(scores) - 0.3)
        for label in axes.get_yticklabels():
            label.set_color(canvas.colour("ink"))
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
        downloads=[csv("models.csv", frame)],
    )


def _places(one: Score, reading: Reading) -> str:
    if abs(one.value) >= 10:
        return kit.significant(one.value, 4)
    half = (one.high - one.low) / 2
    return kit.fixed(one.value, max(2, kit.decimals(half)))


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


def decay_panels(reading: Reading) -> kit.Figure:
    """Draw small multiples: how each model decays as columns vanish."""
    shown = list(reading.shifted.values())[:_MOST_PANELS]
    free = reading.free
    line = (
        free.value
        if free is not None and not reading.regression and free.p < 0.05
        else float("nan")
    )
    values = [
        value for one in shown for value in one.decay["value"].astype(float).to_numpy()
    ]
    low, high = score_range([*values, line, reading.chance])
    if not reading.regression:
        high = min(high, 1.01)
    styles = {
        "most": ("serious", "most used first"),
        "random": ("earned", "at random"),
        "least": ("c3", "least used first"),
    }

    def panel(canvas: Canvas, axes: object, one: Shifted, last: bool) -> None:
        ends = []
        for scenario, (token, label) in styles.items():
            rows = one.decay[one.decay["scenario"] == scenario].sort_values("k")
            if not len(rows):
                continue
            k = rows["k"].to_numpy(dtype=float)
            v = rows["value"].to_numpy(dtype=float)
            axes.plot(k, v, color=canvas.colour(token))  # type: ignore[attr-defined]
            if scenario == "random":
                axes.fill_between(  # type: ignore[attr-defined]
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
            axes.axhline(  # type: ignore[attr-defined]
                line, color=canvas.colour("free"), linestyle="--", linewidth=1.2
            )
            ends.append((line, "free part", "free"))
        axes.set_xlim(0, one.columns)  # type: ignore[attr-defined]
        ticks, _ = kit.round_ticks(0, one.columns, 4)
        whole = [tick for tick in ticks if float(tick).is_integer()]
        axes.set_xticks(whole, [kit.count(int(tick)) for tick in whole])  # type: ignore[attr-defined]
        if last:
            _end_labels(canvas, axes, ends, one.columns, low, high)

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
            "With half of the columns gone at random, {model} keeps {value}",
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
        downloads=[csv("decay.csv", data)],
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
    low, high = score_range([*shown.to_numpy().ravel(), 0.0])

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
        axes.set_yticks(
            places,
            [kit.shorten(one, 16 if canvas.phone else 26) for one in shown.index],
        )
        axes.set_ylim(-0.7, len(shown) - 0.3)
        for label in axes.get_yticklabels():
            label.set_color(canvas.colour("ink"))
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
            value=number(float(shown[names[0]].iloc[0])),
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
        downloads=[csv("columns.csv", losses.rename_axis("column").reset_index())],
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
    low, high = score_range([*shown, one.closed, reading.chance])
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
            axes.annotate(
                number(float(value)),
                (1.0, place),
                xycoords=("axes fraction", "data"),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
                color=canvas.colour("ink"),
            )
        axes.set_yticks(places, [_POLICY_TITLES[str(name)] for name in shown.index])
        axes.set_ylim(-0.7, len(shown) - 0.3)
        for label in axes.get_yticklabels():
            label.set_color(canvas.colour("ink"))
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
        downloads=[csv("policies.csv", shown.rename_axis("policy").reset_index())],
    )
