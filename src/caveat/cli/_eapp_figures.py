"""The two figures of `caveat eapp`: the number line, and the curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caveat import pages as kit
from caveat.cli._eapp_remarks import conditions

if TYPE_CHECKING:
    from caveat.eapp import EAPP
    from caveat.pages import Canvas

_NAMES = (
    " Honest: cluster names chosen on training rows. Dashed: chosen on the rows they "
    "are scored on, as published."
)
_MEANS = " Honest: cluster means taken from training rows."


def where_read(model: EAPP) -> str:
    """Say at which number of clusters the value is read."""
    if model.measure_ == "concordance":
        return "k = 2"
    return f"1/p₀ = {model.k_star_:.4g}"


def curve_figure(model: EAPP, model_auc: float | None) -> kit.Figure:
    """Draw the curve, the null band and the value at 1/p₀."""
    null = model.null_at_k_star_

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes(0.45, 0.5, canvas.width - 0.5, canvas.height - 0.85)
        tokens = ("earned", "published", "null", "faint", "muted", "panel", "rule")
        palette = {name: canvas.colour(name) for name in (*tokens, "ink", "page")}
        palette["slate"] = canvas.colour("c8")
        model.plot(
            axes,
            palette=palette,
            title=False,
            narrow=canvas.phone,
            model_auc=model_auc,
        )

    finding = _finding(model)
    numbers = model.measure_ == "concordance"
    published = "" if numbers else f"the published way gives {model.value_paper_:.3f}, "
    return kit.Figure(
        "curve",
        finding,
        f"{finding}. At {where_read(model)} the honest value is "
        f"{model.value_:.3f}, {published}"
        f"shuffled labels {null['low']:.3f} to {null['high']:.3f}.",
        draw,
        size=(7.0, 3.2),
        phone_size=(3.6, 3.4),
        conditions=conditions(model) + (_MEANS if numbers else _NAMES),
        downloads=[kit.Download.csv("curve.csv", model.curve_)],
    )


def _finding(model: EAPP) -> str:
    curve = model.curve_
    above = (curve["honest"] > curve["null_high"]).sum()
    if curve["null_high"].isna().all():
        return "The free part, for every number of clusters"
    if above == len(curve):
        return "The free part lies above shuffled labels at every k"
    if above == 0:
        return "The free part lies within what shuffled labels give"
    return f"The free part lies above shuffled labels at {above} of {len(curve)} k"


def number_line(model: EAPP, model_auc: float | None) -> kit.Figure | None:
    """Draw the number line: what chance gives, what is free, what a model has."""
    value, null = model.value_, model.null_at_k_star_
    if value != value:
        return None
    low = min(0.5, value, *(end for end in null.values() if end == end)) - 0.03

    def draw(canvas: Canvas) -> None:
        axes = kit.number_line(canvas)
        kit.free_part(axes, canvas, low, value)
        if null["low"] == null["low"]:
            axes.axvspan(null["low"], null["high"], color=canvas.colour("null"),
                         linewidth=0, zorder=3)  # fmt: skip
        kit.value_axis(axes, canvas, low, 1.0, "")
        above = [(value, f"free part {value:.2f}", "free", "bold")]
        if null["low"] == null["low"]:
            middle = (null["low"] + null["high"]) / 2
            above.append((middle, "chance", "muted", "normal"))
        kit.line_labels(axes, canvas, 1.06, above)
        if model_auc is not None:
            axes.axvline(model_auc, color=canvas.colour("earned"), linewidth=2.2)
            earned = (model_auc, f"model {model_auc:.2f}", "earned", "bold")
            kit.line_labels(axes, canvas, 1.34, [earned])

    return kit.Figure(
        "line",
        "",
        f"The free part is {value:.2f}; shuffled labels give {null['low']:.2f} to "
        f"{null['high']:.2f}.",
        draw,
        size=(10.5, 1.7),
        phone_size=(3.6, 1.7),
        conditions=f"{model.measure_[0].upper()}{model.measure_[1:]} on held-out rows.",
        one_line=True,
    )
