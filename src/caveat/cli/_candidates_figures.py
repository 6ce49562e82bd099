"""The figures of `caveat candidates`: sizes, labels, annotators, what goes together.

The labels, the annotators and the matrix are the parts of Figure 2 of Wang et al.
(2025), Realistic evaluation of deep partial-label learning algorithms, ICLR.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from caveat import pages as kit
from caveat.cli._candidates_look import Look
from caveat.pages import percent

if TYPE_CHECKING:
    from caveat.pages import Canvas

_MOST_LABELS = 20
_MOST_CLASSES = 30
_LEGIBLE = 12
"""With more classes the cells of the matrix are too small for numbers."""


def size_line(look: Look) -> kit.Figure:
    """Draw the sizes of the sets as one bar of all items."""
    sizes = look.found.histogram
    shares = {size: count / look.found.n_items for size, count in sizes.items()}

    def draw(canvas: Canvas) -> None:
        axes = kit.number_line(canvas)
        start = 0.0
        for size, share in shares.items():
            certain = size == 1
            axes.axvspan(
                start,
                start + share,
                facecolor=canvas.colour("earned" if certain else "free-tint"),
                edgecolor=canvas.colour("page"),
                linewidth=1.0,
            )
            if share * canvas.width > 0.35:
                words = "1 candidate" if certain and share > 0.25 else str(size)
                token = "page" if certain else "ink"
                axes.text(start + share / 2, 0.5, words, ha="center", va="center",
                          color=canvas.colour(token), fontsize=8.5)  # fmt: skip
            start += share
        kit.value_axis(axes, canvas, 0.0, 1.0, "")

    spoken = ", ".join(f"{size}: {percent(share)}" for size, share in shares.items())
    return kit.Figure(
        "sizes",
        "",
        f"Share of items by the size of their set. {spoken}.",
        draw,
        size=(10.5, 1.5),
        phone_size=(3.6, 1.5),
        conditions="Share of the items by the number of their candidates.",
        one_line=True,
    )


def label_bars(look: Look) -> kit.Figure:
    """Draw how often every label is a candidate, and how often it is true."""
    frame = _labels(look)
    shown = frame.head(_MOST_LABELS)
    first, last = frame.iloc[0], frame.iloc[-1]

    def draw(canvas: Canvas) -> None:
        left = 1.2 if canvas.phone else 1.9
        axes = canvas.axes(left, 0.5, canvas.width - left - 0.3, canvas.height - 0.6)
        places = np.arange(len(shown))[::-1]
        axes.barh(places, shown["candidate"], height=0.62, color=canvas.colour("c8"))
        if "true" in shown:
            for place, share in zip(places, shown["true"], strict=True):
                kit.interval(axes, canvas, place, np.nan, share, np.nan)
        names = [kit.shorten(name, 14 if canvas.phone else 24) for name in shown.label]
        kit.row_names(axes, canvas, list(places), names)
        axes.set_ylim(-0.6, len(shown) - 0.4)
        top = 1.08 * float(frame["candidate"].max())
        kit.value_axis(axes, canvas, 0.0, top, "share of the items", most=4)

    more = len(frame) - len(shown)
    left_out = f" The {more} rarest labels are in the CSV only." if more else ""
    dots = " Dot: how often it is the true label." if "true" in frame else ""
    height = 0.8 + 0.26 * len(shown)
    title = kit.say(
        "{first} is named for {most} of the items, {last} for {least}",
        first=kit.shorten(str(first.label), 24),
        most=percent(float(first.candidate)),
        last=kit.shorten(str(last.label), 24),
        least=percent(float(last.candidate)),
    )
    return kit.Figure(
        "labels",
        title,
        f"{title}. "
        + "; ".join(
            f"{row['label']} {percent(row['candidate'])}"
            for row in shown.to_dict("records")
        ),
        draw,
        size=(7.0, height),
        phone_size=(3.6, height),
        conditions=f"Bar: how often a label is a candidate.{dots}{left_out}",
        downloads=[kit.Download.csv("labels.csv", frame)],
    )


def _labels(look: Look) -> pd.DataFrame:
    classes = [str(label) for label in look.data.sets.classes]
    frame = pd.DataFrame({"label": classes, "candidate": look.found.frequencies})
    if look.data.y is not None:
        shares = pd.Series(look.data.y.astype(str)).value_counts(normalize=True)
        frame["true"] = shares.reindex(classes).fillna(0.0).to_numpy()
    return frame.sort_values(["candidate", "label"], ascending=[False, True])


def annotator_figure(look: Look) -> kit.Figure:
    """Draw what every further annotator adds: larger sets, less noise."""
    curve = look.curve
    assert curve is not None
    noisy = curve["noise"].notna().all()
    panels = [("mean_size", "candidates of an item", "earned")]
    if noisy:
        panels.append(("noise", "true label missing", "serious"))

    def draw(canvas: Canvas) -> None:
        width = canvas.width / len(panels)
        tall = (canvas.height - 0.2) / len(panels)
        for place, (name, words, token) in enumerate(panels):
            if canvas.phone:
                box = (0.5, 0.5 + (len(panels) - 1 - place) * tall, canvas.width - 0.8)
                axes = canvas.axes(*box, tall - 0.85)
            else:
                box = (0.5 + place * width, 0.5, width - 0.8)
                axes = canvas.axes(*box, canvas.height - 0.9)
            axes.plot(
                curve["annotators"],
                curve[name],
                color=canvas.colour(token),
                marker="o",
                markersize=6,
                linewidth=2.0,
                clip_on=False,
            )
            top = max(1.12 * float(curve[name].max()), 1e-9)
            kit.upright_axis(axes, canvas, 0.0, top, words, most=4)
            axes.set_xticks(curve["annotators"])
            axes.set_xlabel("annotators", loc="left", color=canvas.colour("muted"))

    first, last = curve.iloc[0], curve.iloc[-1]
    title = f"From {first.mean_size:.2f} to {last.mean_size:.2f} candidates"
    if noisy:
        title = (
            f"The true label is missing in {percent(float(last.noise))} of the items "
            f"instead of {percent(float(first.noise))}"
        )
    return kit.Figure(
        "annotators",
        title,
        f"{title}. Sets grow from {first.mean_size:.2f} to {last.mean_size:.2f} "
        f"candidates with {int(last.annotators)} annotators.",
        draw,
        size=(7.0, 2.4),
        phone_size=(3.6, 2.2 * len(panels)),
        conditions="The union of the sets of the first annotators of an item.",
        downloads=[kit.Download.csv("annotators.csv", curve)],
    )


def flip_matrix(look: Look) -> kit.Figure:
    """Draw how often a label is a candidate of the items of every class."""
    classes = [str(label) for label in look.data.sets.classes]
    flipping = look.found.flipping
    assert flipping is not None
    frame = pd.DataFrame(
        flipping, index=pd.Index(classes, name="true"), columns=classes
    )
    true, other, share = look.confusions(1)[0]
    title = kit.say(
        "{share} of the items that are {true} could be {other}, too",
        share=percent(share),
        true=kit.shorten(true, 24),
        other=kit.shorten(other, 24),
    )
    downloads = [kit.Download.csv("flipping.csv", frame.reset_index())]
    if len(classes) > _MOST_CLASSES:
        return kit.Figure(
            "flipping",
            title,
            str(title),
            None,
            downloads=downloads,
            cannot=f"{len(classes)} classes are too many to be drawn; the matrix is in "
            "the CSV.",
        )

    def draw(canvas: Canvas) -> None:
        left = 1.0 if canvas.phone else 1.5
        side = min(canvas.width - left - 0.2, canvas.height - 0.95)
        axes = canvas.axes(left, canvas.height - 0.75 - side, side, side)
        size = side / len(classes)
        for row in range(len(classes)):
            for column in range(len(classes)):
                _cell(axes, canvas, row, column, flipping[row, column], len(classes))
        axes.set_xlim(-0.5, len(classes) - 0.5)
        axes.set_ylim(len(classes) - 0.5, -0.5)
        long = 10 if canvas.phone else 16
        names = [kit.shorten(name, long) for name in classes]
        axes.set_yticks(range(len(classes)), names)
        axes.xaxis.tick_top()
        across = [name if size > 0.55 else name[:3] for name in names]
        axes.set_xticks(range(len(classes)), across, rotation=0 if size > 0.3 else 90)
        axes.tick_params(length=0)
        for label in [*axes.get_xticklabels(), *axes.get_yticklabels()]:
            label.set_color(canvas.colour("ink"))
            label.set_fontsize(8 if len(classes) <= _LEGIBLE else 6.5)
        for spine in axes.spines.values():
            spine.set_visible(False)

    return kit.Figure(
        "flipping",
        title,
        f"{title}. The largest share off the diagonal is {share:.2f}.",
        draw,
        size=(7.0, min(5.2, 1.2 + 0.42 * len(classes) + 0.4)),
        phone_size=(3.6, min(3.6, 1.2 + 0.42 * len(classes) + 0.4)),
        conditions="Row: the true label. Column: how often a label is a candidate of "
        "such items.",
        downloads=downloads,
    )


def _cell(
    axes: Any, canvas: Canvas, row: int, column: int, share: float, classes: int
) -> None:
    """Shade one cell by its share; an absent class has none."""
    if np.isnan(share):
        return
    token = "c8" if row == column else "earned"
    axes.fill_between(
        [column - 0.48, column + 0.48],
        row - 0.48,
        row + 0.48,
        color=canvas.colour(token),
        alpha=max(float(share), 0.02),
        linewidth=0,
    )
    if classes <= _LEGIBLE:
        axes.text(column, row, f"{100 * share:.0f}", ha="center", va="center",
                  color=canvas.colour("page" if share > 0.6 else "ink"),
                  fontsize=8)  # fmt: skip


def algorithm_dots(look: Look) -> kit.Figure:
    """Draw what the criterion says of every algorithm, the chosen one filled."""
    advice = look.advice
    assert advice is not None
    order = advice.table.sort_values(advice.criterion, ascending=False, kind="stable")
    values = order[advice.criterion].astype(float)
    chance = float(look.data.sets.matrix.mean())
    low = max(0.0, min(chance, float(values.min())) - 0.05)
    words = advice.criterion.replace("-", " ")

    def draw(canvas: Canvas) -> None:
        left = 1.2 if canvas.phone else 1.9
        axes = canvas.axes(left, 0.5, canvas.width - left - 0.6, canvas.height - 0.6)
        guessed = advice.criterion == "covering-rate"
        if guessed:
            kit.free_part(axes, canvas, low, chance)
        places = range(len(order) - 1, -1, -1)
        for place, name, value in zip(places, order.algorithm, values, strict=True):
            chosen = name == advice.algorithm
            kit.interval(axes, canvas, place, np.nan, value, np.nan, filled=chosen)
            kit.row_value(axes, canvas, place, kit.fixed(value, 3))
        kit.row_names(axes, canvas, places, list(order.algorithm))
        axes.set_ylim(-0.6, len(order) - 0.4)
        kit.value_axis(axes, canvas, low, 1.005, words)

    height = 0.9 + 0.32 * len(order)
    title = f"{advice.algorithm} is chosen by the {words} of held-out sets"
    spoken = "; ".join(
        f"{name} {value:.3f}"
        for name, value in zip(order.algorithm, values, strict=True)
    )
    return kit.Figure(
        "algorithms",
        title,
        f"{title}. {spoken}.",
        draw,
        size=(7.0, height),
        phone_size=(3.6, height),
        conditions=f"{advice.held:,} sets were held out. Hatched: a random guess."
        if advice.criterion == "covering-rate"
        else f"{advice.held:,} sets were held out.",
        downloads=[kit.Download.csv("algorithms.csv", advice.table)],
    )
