"""Several targets: which model orders them best, and which margin it serves."""

from __future__ import annotations

import pandas as pd

from caveat import pages as kit
from caveat.audit._figure_weaker import side_panels
from caveat.audit._reading import Reading
from caveat.audit._reading_weaker import MAIN, LabelModel, ManyTargets
from caveat.audit._remark import number
from caveat.measures import LABEL_MEASURES as MEASURES

NAME, EYEBROW = "targets", "Weaker labels: several targets"
_MOST_LABELS = 12
_PEEKED = "tuned on the test rows"
_SERVED = {
    "both": "labels within a row and rows within a label",
    "label-wise": "labels within a row only",
    "instance-wise": "rows within a label only",
    "neither": "neither kind of pairs",
}


def targets_section(reading: Reading) -> kit.Section:
    """Say who orders several targets best, and what popularity does alone."""
    found = reading.targets
    if found is None or found.best is None:
        return kit.Section(
            NAME,
            EYEBROW,
            "What can be learnt of several targets is not known",
            lead="Every target is a column of yes and no.",
            blocks=[kit.Notice("There was no time for it, or it failed; see caveats.")],
        )
    best = found.best
    return kit.Section(
        NAME,
        EYEBROW,
        _heading(found, best),
        lead=kit.say(
            "{count} yes-or-no columns are learnt together, and none of them is a "
            "feature of another. {model} puts in order: {serves}.",
            count=kit.capital(kit.word(found.count)),
            model=kit.capital(best.title),
            serves=_SERVED[best.serves],
        ),
        blocks=[
            side_panels(found),
            _measure_table(found),
            *_threshold_table(best),
            _label_table(found, best),
        ],
        wide=True,
    )


def _heading(found: ManyTargets, best: LabelModel) -> kit.Prose:
    value = best.measures[MAIN][0]
    if found.free is None:
        return kit.say(
            "{model} has an average precision of {value} over {count} targets",
            model=kit.capital(best.title),
            value=number(value),
            count=kit.word(found.count),
        )
    free = found.free.measures[MAIN][0]
    if value <= free:
        return kit.say(
            "No model beats a list of the labels by popularity: {free} average "
            "precision",
            free=number(free),
        )
    return kit.say(
        "{model} has an average precision of {value}, a list by popularity {free}",
        model=kit.capital(best.title),
        value=number(value),
        free=number(free),
    )


def _measure_table(found: ManyTargets) -> kit.Table:
    models = list(found.models.values())
    shown = [*models, *([found.free] if found.free is not None else [])]
    columns = [
        kit.Column("Measure", "name"),
        kit.Column("Served by", "text", term="term-margin"),
        *(kit.Column(kit.shorten(one.title, 18)) for one in shown),
    ]
    rows, frame = [], []
    for measure in MEASURES.values():
        name = measure.name.replace("_", "-")
        values = [one.measures.get(name, (float("nan"),) * 3) for one in shown]
        known = [value[0] for value in values[: len(models)] if value[0] == value[0]]
        best = (max if measure.larger_is_better else min)(known, default=None)
        margins = [one for one in measure.served_by if one != "double"]
        served = " or ".join(margins) or "both together"
        cells = [
            kit.Cell(_titled(measure.title), term=f"term-{name}"),
            kit.Cell(served, tone="muted"),
        ]
        for place, value in enumerate(values):
            leads = place < len(models) and value[0] == best
            shown_value = kit.fixed(value[0], 3 if abs(value[0]) < 10 else 1)
            tone = "strong" if leads else "muted" if place >= len(models) else ""
            cells.append(
                kit.Cell(
                    shown_value,
                    value=value[0],
                    tone=tone,
                    how=f"{kit.fixed(value[1], 3)} to {kit.fixed(value[2], 3)}",
                )
            )
        rows.append(kit.Row(cells))
        frame += [
            {
                "measure": name,
                "model": one.name,
                "value": v[0],
                "low": v[1],
                "high": v[2],
            }
            for one, v in zip(shown, values, strict=True)
        ]
    return kit.Table(
        "measures",
        "Eleven measures, the best model of each in bold",
        columns,
        rows,
        titled=True,
        conditions="Means over folds; intervals in the CSV. Losses, coverage and "
        "one-error: smaller is better. Served by: the margin that optimises a measure "
        "(Wu and Zhou, 2017, Table 2).",
        downloads=[kit.Download.csv("measures.csv", pd.DataFrame(frame))],
    )


def _titled(title: str) -> str:
    return kit.capital(title)


def _threshold_table(best: LabelModel) -> list[kit.Table]:
    table = best.thresholds
    if not len(table):
        return []
    columns = [kit.Column("Threshold", "name")]
    columns += [
        kit.Column(_titled(MEASURES[str(name).replace("-", "_")].title))
        for name in table.columns
    ]
    rows = [
        kit.Row(
            [kit.Cell(kit.capital(str(name)))]
            + [
                kit.Cell(kit.fixed(float(value), 3), value=float(value))
                for value in row
            ],
            place="bottom" if name == _PEEKED else "",
        )
        for name, row in zip(table.index, table.to_numpy(), strict=True)
    ]
    return [
        kit.Table(
            "thresholds",
            kit.say(
                "A label is given if its score is above a threshold: {model} by five "
                "of them",
                model=best.title,
            ),
            columns,
            rows,
            titled=True,
            conditions="Found on training scores; the last looked at the rows it is "
            "judged on, and is no result.",
        )
    ]


def _label_table(found: ManyTargets, best: LabelModel) -> kit.Table:
    table = found.per_label.sort_values("auc", kind="stable", na_position="last")
    rows = [
        kit.Row(
            [
                kit.Cell(kit.code(kit.shorten(str(row["label"]), 40))),
                kit.Cell(kit.percent(float(row["share"])), value=float(row["share"])),
                kit.Cell(
                    kit.fixed(float(row["auc"]), 2),
                    value=float(row["auc"]),
                    tone="strong",
                ),
            ]
        )
        for row in table.head(_MOST_LABELS).to_dict("records")
    ]
    left = len(table) - len(rows)
    return kit.Table(
        "labels",
        kit.say("Targets one by one, the hardest for {model} first", model=best.title),
        [
            kit.Column("Target", "name"),
            kit.Column("Yes", best="max"),
            kit.Column("AUC", best="min", sorted=True, term="term-auc"),
        ],
        rows,
        titled=True,
        conditions=f"{kit.capital(kit.plural(left, 'more target'))} in the CSV."
        if left > 0
        else "",
        downloads=[kit.Download.csv("labels.csv", table)],
    )
