"""The page of `caveat eapp`: the free part, its conditions, and how to do it again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

import caveat
from caveat.cli._eapp_input import class_share, target_name
from caveat.cli._eapp_remarks import Remark, conditions
from caveat.report import kit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from caveat.baseline import EAPP
    from caveat.datasets import Dataset
    from caveat.report.kit import Canvas

_TITLES = {
    "trivially separable or biased": "Clusters already know the answer.",
    "partly trivial": "Clusters know part of the answer.",
    "weak": "Clusters know a little of the answer.",
    "chance": "Shuffled labels do as well.",
    "not tested": "No labels were shuffled to compare with.",
    "undefined": "There is no value at 1/p₀.",
}
_LEAD_NUMBERS = (
    "EAPP sorts the rows into k clusters by their features alone, then predicts the "
    "means of the two nearest. Concordance is the share of pairs in the right order."
)
_LEAD = (
    "EAPP sorts the rows into k clusters by their features alone, then calls each "
    "cluster 0 or 1. It is the bar a classifier has to clear, as the majority class is "
    "for accuracy."
)


@dataclass(frozen=True)
class Findings:
    """All that a page tells.

    Attributes
    ----------
    model : EAPP
        Fitted.
    dataset : Dataset
    remarks : sequence of Remark
    columns, probed : DataFrame or None
        Drivers, and the planted shifts.
    model_auc : float or None
        A model's AUC, to compare.
    """

    model: EAPP
    dataset: Dataset
    remarks: Sequence[Remark]
    columns: pd.DataFrame | None
    probed: pd.DataFrame | None
    model_auc: float | None


def write_page(found: Findings, command: str, file: str, out: str) -> Path:
    """Write the page and its files; return the page's path."""
    model, dataset, remarks = found.model, found.dataset, found.remarks
    columns, model_auc = found.columns, found.model_auc
    target = target_name(dataset)
    sections = [_data_section(model, dataset), _free_section(model, remarks, model_auc)]
    if len(model.per_class_) > 1:
        sections.append(_class_section(model))
    if columns is not None:
        sections.append(_driver_section(columns))
    if found.probed is not None:
        sections.append(_probe_section(found.probed))
    sections.append(_again_section(model, command))
    chapter = kit.Chapter(
        "",
        kit.say(
            "EAPP of {file}, target {target}",
            file=kit.code(file),
            target=kit.code(target),
        ),
        kit.say(
            "{score} {verdict}", score=_score(model), verdict=_TITLES[model.verdict_]
        ),
        _lede(model),
        figure=_one_line(model, model_auc),
        sections=sections,
        checks="The value at 1/p₀ was held against shuffled labels.",
    )
    return kit.write(kit.Page([chapter]), out)


def where_read(model: EAPP) -> str:
    """Say at which number of clusters the value is read."""
    if model.measure_ == "concordance":
        return "k = 2"
    return f"1/p₀ = {model.k_star_:.4g}"


def _score(model: EAPP) -> str:
    if model.value_ != model.value_:
        return "Clustering has no score here."
    return f"Clustering scores {model.value_:.2f} without seeing one label."


def _lede(model: EAPP) -> str:
    null = model.null_at_k_star_
    if null["low"] != null["low"]:
        return model.verdict_text_
    words = f"Shuffled labels give {null['low']:.2f} to {null['high']:.2f}. "
    if model.verdict_ == "trivially separable or biased":
        words += (
            "Either the task is easy, or something beside the matter gives the classes "
            "away. "
        )
    return words + "Whatever a model scores, this much of it is free."


def _data_section(model: EAPP, dataset: Dataset) -> kit.Section:
    rows, width = dataset.X.shape
    what = "pictures" if dataset.image_shape else "rows"
    unit = "pixels" if dataset.image_shape else "columns"
    kinds = list(dataset.kinds.values())
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
    facts: list[tuple[str, Any]] = [
        ("Read as", ", ".join(f"{kit.count(n)} {kind}" for kind, n in counts.items())),
        ("Read at", where_read(model)),
    ]
    facts += [("Noted", text) for text in dataset.notes]
    return kit.Section(
        "data",
        "The data",
        f"{kit.count(rows)} {what}, {kit.count(width)} {unit}, "
        f"{class_share(dataset, model)}",
        blocks=[kit.Facts(facts)],
    )


def _free_section(
    model: EAPP, remarks: Sequence[Remark], model_auc: float | None
) -> kit.Section:
    value, unit = f"{model.value_:.2f}", model.measure_
    what = "the classes" if unit == "AUC" else "the target"
    headings = {
        "chance": (f"Clusters show no sign of {what}: {value}, as shuffled labels do"),
        "weak": f"Clusters know a little: {value} {unit} before any label is used",
        "partly trivial": (
            f"Clusters know a part: {value} {unit} before any label is used"
        ),
        "trivially separable or biased": (
            f"Clusters already know the answer: {value} {unit} before any label is used"
        ),
        "not tested": f"Clusters reach {value} {unit}; no labels were shuffled",
        "undefined": "The data do not hold enough clusters for a value at 1/p₀",
    }
    return kit.Section(
        "free",
        "The free part",
        headings[model.verdict_],
        lead=_LEAD if unit == "AUC" else _LEAD_NUMBERS,
        blocks=[_curve_figure(model, model_auc), _curve_table(model)],
        caveats=[
            kit.Caveat(
                remark.severity,  # type: ignore[arg-type]
                remark.sentence if remark.number else kit.prose(remark.sentence),
                remark.number,
                remark.how,
            )
            for remark in remarks
        ],
    )


def _curve_figure(model: EAPP, model_auc: float | None) -> kit.Figure:
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
    return kit.Figure(
        "curve",
        finding,
        f"{finding}. At {where_read(model)} the honest value is "
        f"{model.value_:.3f}, the published way gives {model.value_paper_:.3f}, "
        f"shuffled labels {null['low']:.3f} to {null['high']:.3f}.",
        draw,
        size=(7.0, 3.2),
        phone_size=(3.6, 3.4),
        conditions=(
            f"{conditions(model)} Honest: cluster names chosen on training rows. "
            "Dashed: chosen on the rows they are scored on, as published."
        ),
        downloads=[
            kit.Download(
                "curve.csv", "CSV", model.curve_.to_csv(index=False).encode("utf-8")
            )
        ],
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


def _curve_table(model: EAPP) -> kit.Table:
    columns = [
        kit.Column("Clusters", "name"),
        kit.Column("Honest"),
        kit.Column("As published"),
        kit.Column("Shuffled, 95 %"),
        kit.Column("Published, shuffled"),
        kit.Column("Labeling", "text"),
    ]
    rows = [
        kit.Row(
            [
                kit.Cell(str(row.k), value=float(row.k)),
                kit.Cell(kit.fixed(row.honest), value=row.honest, tone="strong"),
                kit.Cell(kit.fixed(row.paper), value=row.paper),
                kit.Cell(_range(row.null_low, row.null_high)),
                kit.Cell(_range(row.paper_null_low, row.paper_null_high)),
                kit.Cell("exact" if row.exact else "searched", tone="muted"),
            ]
        )
        for row in model.curve_.itertuples()
    ]
    return kit.Table("values", "The curve in numbers", columns, rows, titled=True)


def _class_section(model: EAPP) -> kit.Section:
    classes = model.per_class_.sort_values("value", ascending=False)
    top = classes.iloc[0]
    columns = [
        kit.Column("Class", "name"),
        kit.Column("Share"),
        kit.Column("1/p₀"),
        kit.Column("Honest", best="max", sorted=True),
        kit.Column("Shuffled, 95 %"),
        kit.Column("Verdict", "text"),
    ]
    rows = [
        kit.Row(
            [
                kit.Cell(kit.code(str(row.label))),
                kit.Cell(kit.share(row.share), value=row.share),
                kit.Cell(f"{row.k_star:.4g}", value=row.k_star),
                kit.Cell(kit.fixed(row.value), value=row.value, tone="strong"),
                kit.Cell(_range(row.null_low, row.null_high)),
                kit.Cell(row.verdict, tone="muted"),
            ]
        )
        for row in classes.itertuples()
    ]
    return kit.Section(
        "classes",
        "The classes",
        kit.say(
            "{label} is the easiest of {count} classes: {value}",
            label=str(top["label"]),
            count=kit.word(len(classes)),
            value=f"{top['value']:.2f}",
        ),
        lead="Every class against the rest, read at its own 1/p₀.",
        blocks=[kit.Table("by-class", "EAPP of every class", columns, rows)],
    )


def _driver_section(columns: pd.DataFrame) -> kit.Section:
    first = columns.iloc[0]
    best = columns.sort_values("alone", ascending=False).iloc[0]
    shown = columns.head(20)
    if best["column"] not in shown["column"].tolist():
        shown = pd.concat([shown, best.to_frame().T])
    rows = [
        kit.Row(
            [
                kit.Cell(kit.code(str(row.column))),
                kit.Cell(kit.signed(row.drop, 3), value=row.drop, tone="strong"),
                kit.Cell(kit.fixed(row.alone), value=row.alone),
            ]
        )
        for row in shown.itertuples()
    ]
    return kit.Section(
        "drivers",
        "What drives it",
        kit.say(
            "Shuffling {column} costs {drop} of the free part",
            column=kit.code(str(first["column"])),
            drop=f"{first['drop']:.2f}",
        )
        if first["drop"] == first["drop"]
        else "Every column alone",
        lead=(
            "Lost: held-out values of one column change places; names and centroids "
            "stay. Alone: the free part of that column by itself."
        ),
        blocks=[
            kit.Table(
                "columns",
                "What each column carries, among the others and alone",
                [
                    kit.Column("Column", "name"),
                    kit.Column("Lost when shuffled", best="max", sorted=True),
                    kit.Column("Alone", best="max"),
                ],
                rows,
                downloads=[
                    kit.Download(
                        "drivers.csv",
                        "CSV",
                        columns.to_csv(index=False).encode("utf-8"),
                    )
                ],
            )
        ],
        caveats=[
            kit.Caveat(
                "note",
                "Two columns that say the same hide each other from shuffling.",
                "Two",
                how="The last column of the table looks at each alone.",
            )
        ],
    )


def _probe_section(probed: pd.DataFrame) -> kit.Section:
    threshold = probed.attrs["threshold"]
    unseen = f"A shift of {probed['s'].max():g} standard deviations stays unseen"
    rows = [
        kit.Row(
            [
                kit.Cell(f"{row.s:g}", value=row.s),
                kit.Cell(kit.fixed(row.eapp), value=row.eapp, tone="strong"),
                kit.Cell(kit.fixed(row.null_high), value=row.null_high),
                kit.Cell("yes" if row.detected else "no", tone="muted"),
            ]
        )
        for row in probed.itertuples()
    ]
    return kit.Section(
        "probe",
        "How coarse a bias must be",
        unseen
        if threshold != threshold
        else f"A shift of {threshold:g} standard deviations would be seen",
        lead=(
            "Labels are shuffled, so that they know nothing; then class 1 is shifted "
            "by so many standard deviations, and the free part computed again."
        ),
        blocks=[
            kit.Table(
                "shifts",
                "The free part after a planted shift",
                [
                    kit.Column("Shift, sd", "name"),
                    kit.Column("Value"),
                    kit.Column("Shuffled, 97.5 %"),
                    kit.Column("Seen", "text"),
                ],
                rows,
                downloads=[
                    kit.Download(
                        "probe.csv", "CSV", probed.to_csv(index=False).encode("utf-8")
                    )
                ],
            )
        ],
    )


def _again_section(model: EAPP, command: str) -> kit.Section:
    facts: list[tuple[str, Any]] = [
        ("Conditions", conditions(model)),
        ("caveat", caveat.__version__),
    ]
    return kit.Section(
        "again",
        "Do it again",
        "The same file, command and seed give the same page, byte for byte",
        blocks=[kit.Facts(facts, command=command)],
    )


def _one_line(model: EAPP, model_auc: float | None) -> kit.Figure | None:
    """Draw the number line: what chance gives, what is free, what a model has."""
    value, null = model.value_, model.null_at_k_star_
    if value != value:
        return None
    low = min(0.5, value, *(end for end in null.values() if end == end)) - 0.03

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes(0.2, 0.5, canvas.width - 0.4, canvas.height - 0.95)
        axes.set_ylim(0, 1)
        axes.set_yticks([])
        kit.free_part(axes, canvas, low, value)
        if null["low"] == null["low"]:
            axes.axvspan(null["low"], null["high"], color=canvas.colour("null"),
                         linewidth=0, zorder=3)  # fmt: skip
            axes.text(null["low"], -0.04, "chance", color=canvas.colour("muted"),
                      va="top", fontsize=8)  # fmt: skip
        # Near the left end the words would leave the picture on that side.
        side = "right" if value - low > 0.4 * (1 - low) else "left"
        axes.text(value, 1.06, f"free part {value:.2f}", color=canvas.colour("free"),
                  ha=side, va="bottom", weight="bold")  # fmt: skip
        if model_auc is not None:
            colour = canvas.colour("earned")
            axes.axvline(model_auc, color=colour, linewidth=2.2)
            axes.text(
                model_auc,
                1.34,
                f"model {model_auc:.2f}",
                color=colour,
                ha="right" if model_auc > 0.9 else "center",
                va="bottom",
                weight="bold",
            )
        kit.value_axis(axes, canvas, low, 1.0, "")

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


def _range(low: float, high: float) -> str:
    return "" if low != low else f"{low:.2f} to {high:.2f}"
