"""The free part on the page of `caveat eapp`: the curve, its table, every class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caveat import pages as kit
from caveat.cli._eapp_figures import curve_figure
from caveat.cli._remark import Remark, caveats_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from caveat.eapp import EAPP

_LEAD_NUMBERS = (
    "EAPP sorts the rows into k clusters by their features alone, then predicts the "
    "means of the two nearest. Concordance is the share of pairs in the right order."
)
_LEAD = (
    "EAPP sorts the rows into k clusters by their features alone, then calls each "
    "cluster 0 or 1. It is the bar a classifier has to clear, as the majority class is "
    "for accuracy."
)


def free_section(
    model: EAPP, remarks: Sequence[Remark], model_auc: float | None
) -> kit.Section:
    """Say what clustering reaches, and how far that lies from chance."""
    value, unit = f"{model.value_:.2f}", model.measure_
    what, how = "the classes", "before any label is used"
    if unit != "AUC":
        what, how = "the target", "by their means alone"
    headings = {
        "chance": (f"Clusters show no sign of {what}: {value}, as shuffled labels do"),
        "weak": f"Clusters know a little: {value} {unit} {how}",
        "partly trivial": (f"Clusters know a part: {value} {unit} {how}"),
        "trivially separable or biased": (
            f"Clusters already know the answer: {value} {unit} {how}"
        ),
        "not tested": (
            f"Clusters reach {value} {unit}; too few shuffles to tell it from chance"
        ),
        "undefined": "The data do not hold enough clusters for a value at 1/p₀",
    }
    return kit.Section(
        "free",
        "The free part",
        headings[model.verdict_],
        lead=_LEAD if unit == "AUC" else _LEAD_NUMBERS,
        blocks=[curve_figure(model, model_auc), _curve_table(model)],
        caveats=caveats_of(remarks),
    )


def _curve_table(model: EAPP) -> kit.Table:
    columns = [
        kit.Column("Clusters", "name"),
        kit.Column("Honest"),
        kit.Column("Shuffled, 95 %"),
    ]
    rows = [
        [
            kit.Cell(str(row.k), value=float(row.k)),
            kit.Cell(kit.fixed(row.honest), value=row.honest, tone="strong"),
            kit.Cell(_range(row.null_low, row.null_high)),
        ]
        for row in model.curve_.itertuples()
    ]
    if model.measure_ == "AUC":
        columns += [
            kit.Column("As published"),
            kit.Column("Published, shuffled"),
            kit.Column("Labeling", "text"),
        ]
        for cells, found in zip(rows, model.curve_.itertuples(), strict=True):
            cells += _published(found)
    return kit.Table(
        "values", "The curve in numbers", columns, list(map(kit.Row, rows)), titled=True
    )


def _published(row: Any) -> list[kit.Cell]:
    """Write what only names can have: the published value, and how they were found."""
    return [
        kit.Cell(kit.fixed(row.paper), value=row.paper),
        kit.Cell(_range(row.paper_null_low, row.paper_null_high)),
        kit.Cell("exact" if row.exact else "searched", tone="muted"),
    ]


def class_section(model: EAPP) -> kit.Section:
    """Say which class is the easiest."""
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


def _range(low: float, high: float) -> str:
    return "" if low != low else f"{low:.2f} to {high:.2f}"
