"""The sections on margins, thresholds and labels of a page about many labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from caveat import pages as kit
from caveat.cli._remark import Remark, caveats_of
from caveat.measures import LABEL_MEASURES as MEASURES

if TYPE_CHECKING:
    from caveat.multilabel import Comparison
    from caveat.multilabel._compare import Judged
    from caveat.pages import Canvas


def margin_section(
    found: Comparison, leader: str, conditions: str, remarks: Sequence[Remark]
) -> kit.Section:
    verdicts = [judged.profile.verdict for judged in all_judged(found)]
    both = verdicts.count("both")
    heading = (
        f"{kit.capital(kit.word(both))} of {kit.word(len(verdicts))} models order "
        "labels and instances better than chance"
        if len(verdicts) > 1
        else found.models[leader].profile.verdict.replace(
            "both", "It serves both margins"
        )
    )
    if len(verdicts) == 1 and verdicts[0] != "both":
        heading = {
            "label-wise": "It serves the label-wise margin only",
            "instance-wise": "It serves the instance-wise margin only",
            "neither": "It serves neither margin",
        }[verdicts[0]]
    return kit.Section(
        "margins",
        "The margins",
        heading,
        lead="A measure that compares labels within an instance is served by the "
        "label-wise margin, one that compares instances within a label by the "
        "instance-wise margin; micro-AUC needs both.",
        blocks=[
            _sides_figure(found, conditions),
            _reach_table(found.models[leader], leader),
        ],
        caveats=caveats_of(remarks, "margins"),
    )


def _sides_figure(found: Comparison, conditions: str) -> kit.Figure:
    models = best_first(found)
    free = found.models[models[0]].profile.popularity
    sides = [
        (
            "labels within an instance",
            [found.models[name].profile.label_wise for name in models],
        ),
        (
            "instances within a label",
            [found.models[name].profile.instance_wise for name in models],
        ),
    ]
    ends = [end for _, part in sides for side in part for end in (side.low, side.high)]
    finite = [end for end in ends if end == end]
    low = min([0.45, *(end - 0.02 for end in finite)])
    high = max([0.75, *(end + 0.02 for end in finite)])

    def draw(canvas: Canvas) -> None:
        room = 0.24 * len(models)
        for number, (title, part) in enumerate(sides):
            left = 1.35 + number * (canvas.width - 1.4) / 2
            width = (canvas.width - 1.4) / 2 - 0.25
            bottom = 0.5
            if canvas.phone:
                left, width = 1.25, canvas.width - 1.4
                bottom = 0.5 + (1 - number) * (room + 0.75)
            axes = canvas.axes(left, bottom, width, room)
            axes.set_title(title, loc="left", fontsize=9, weight="bold",
                           color=canvas.colour("ink"))  # fmt: skip
            axes.axvline(0.5, color=canvas.colour("faint"), linewidth=0.75)
            if number == 0:
                kit.free_part(axes, canvas, low, free)
            for place, side in enumerate(part):
                kit.interval(axes, canvas, place, side.low, side.order, side.high)
            axes.set_ylim(len(models) - 0.4, -0.6)
            shown = number == 0 or canvas.phone
            names = [kit.shorten(name, 18) if shown else "" for name in models]
            axes.set_yticks(range(len(models)), names)
            axes.tick_params(axis="y", length=0)
            kit.value_axis(axes, canvas, low, high, "share of pairs in order", most=4)

    top = found.models[models[0]].profile
    height = 0.24 * len(models)
    return kit.Figure(
        "sides",
        kit.say(
            "Popularity alone orders {free} of the label pairs of an instance",
            free=f"{free:.2f}",
        ),
        f"Share of pairs in the right order: {models[0]} {top.label_wise.order:.2f} of "
        f"labels within an instance, {top.instance_wise.order:.2f} of instances within "
        f"a label; label popularity {free:.2f}, chance 0.50.",
        draw,
        size=(7.0, height + 1.0),
        phone_size=(3.6, 2 * (height + 0.75) + 0.4),
        conditions=kit.say(
            "Lines are 95 % intervals over instances. Hatched: what a list of labels "
            "by popularity orders. {rest}",
            rest=conditions,
        ),
        downloads=[kit.Download.csv("margins.csv", _side_frame(found))],
    )


def _side_frame(found: Comparison) -> pd.DataFrame:
    rows = []
    for name, judged in found.models.items():
        for kind in ("label_wise", "instance_wise"):
            side = getattr(judged.profile, kind)
            rows.append(
                {
                    "model": name,
                    "pairs": kind.replace("_", "-"),
                    "order": side.order,
                    "low": side.low,
                    "high": side.high,
                    "share_positive": side.share_positive,
                }
            )
    return pd.DataFrame(rows)


def _reach_table(judged: Judged, name: str) -> kit.Table:
    columns = [
        kit.Column("Measure", "name"),
        kit.Column("Value"),
        kit.Column("Of the way to the best", best="max", sorted=True),
        kit.Column("Served by", "text"),
        kit.Column("Promised", "text"),
    ]
    rows = []
    for measure, row in judged.profile.table.sort_values(
        "reach", ascending=False
    ).iterrows():
        reach = float(row["reach"])
        rows.append(
            kit.Row(
                [
                    kit.Cell(MEASURES[str(measure)].title),
                    kit.Cell(fixed(row["value"]), value=row["value"]),
                    kit.Cell(
                        "–" if reach != reach else f"{max(reach, 0.0):.0%}",
                        value=reach,
                        tone="strong",
                    ),
                    kit.Cell(str(row["served_by"]), tone="muted"),
                    kit.Cell("yes" if row["promised"] else "no"),
                ]
            )
        )
    return kit.Table(
        "reach",
        kit.say("Which measures {who} can be expected to do well on", who=name),
        columns,
        rows,
        titled=True,
        conditions="From constant scores, or from choosing nothing, to the best value "
        "possible on these rows. Promised: Table 2 of Wu & Zhou (2017) for the margins "
        "that are served; it speaks of models without a single error.",
    )


def threshold_section(
    found: Comparison, leader: str, remarks: Sequence[Remark]
) -> kit.Section:
    thresholds = found.models[leader].thresholds
    if thresholds.empty:
        return kit.Section(
            "thresholds",
            "The thresholds",
            "Thresholds were not estimated: your scores came without training rows",
            blocks=[
                kit.Notice(
                    "Thresholds tuned on the rows they are judged on flatter every "
                    "F-measure; estimate them on training rows, with "
                    "caveat.multilabel.LabelThreshold or InstanceThreshold."
                )
            ],
        )
    honest = thresholds.drop(index="tuned on the test rows")
    spread = honest["macro_f1"].max() - honest["macro_f1"].min()
    columns = [kit.Column("Threshold", "name")] + [
        kit.Column(
            MEASURES[name].title,
            best="max" if MEASURES[name].larger_is_better else "min",
        )
        for name in thresholds.columns
    ]
    rows = [
        kit.Row(
            [kit.Cell(str(name))]
            + [kit.Cell(kit.fixed(value), value=value) for value in row],
            place="bottom" if name == "tuned on the test rows" else "",
        )
        for name, row in zip(thresholds.index, thresholds.to_numpy(), strict=True)
    ]
    return kit.Section(
        "thresholds",
        "The thresholds",
        kit.say(
            "The choice of threshold moves the macro-F1 of {who} by {gap}",
            who=kit.name(leader),
            gap=f"{spread:.2f}",
        ),
        lead="Decisions are score > threshold. Each row is one way to find thresholds "
        "on training scores; the last looked at the test rows and is not a result.",
        blocks=[
            kit.Table(
                "cuts", "Decision measures by threshold", columns, rows, titled=False
            )
        ],
        caveats=caveats_of(remarks, "thresholds"),
    )


def label_section(found: Comparison, leader: str) -> kit.Section:
    table = found.models[leader].labels
    known = table.dropna(subset=["auc"]).sort_values("auc")
    if known.empty:
        heading: kit.Words = "No label has both classes here"
    else:
        heading = kit.say(
            "{label} is the hardest label for {who}: {value} AUC",
            label=kit.code(str(known.index[0])),
            who=kit.name(leader),
            value=f"{known['auc'].iloc[0]:.2f}",
        )
    shown = known.head(15)
    columns = [
        kit.Column("Label", "name"),
        kit.Column("Positives", best="max"),
        kit.Column("AUC", best="min", sorted=True),
    ]
    if "f1" in table:
        columns += [kit.Column("Chosen", best="max"), kit.Column("F1", best="max")]
    rows = []
    for name, row in shown.iterrows():
        cells = [
            kit.Cell(kit.code(str(name))),
            kit.Cell(kit.count(int(row["positives"])), value=float(row["positives"])),
            kit.Cell(kit.fixed(row["auc"]), value=row["auc"], tone="strong"),
        ]
        if "f1" in table:
            cells += [
                kit.Cell(kit.count(int(row["chosen"])), value=float(row["chosen"])),
                kit.Cell(kit.fixed(row["f1"]), value=row["f1"]),
            ]
        rows.append(kit.Row(cells))
    return kit.Section(
        "labels",
        "The labels",
        heading,
        lead="The labels that the model orders worst; all of them are in the CSV.",
        blocks=[
            kit.Table(
                "labels-table",
                kit.say("Labels of {who}, hardest first", who=leader),
                columns,
                rows,
                downloads=[kit.Download("labels.csv", "CSV", table.to_csv().encode())],
            )
        ],
    )


def all_judged(found: Comparison) -> list[Judged]:
    return list(found.models.values())


def best_first(found: Comparison) -> list[str]:
    def key(name: str) -> float:
        value = found.models[name].result.get("average_precision", float("nan"))
        return -value if value == value else float("inf")

    return sorted(found.models, key=key)


def fixed(value: float) -> str:
    return kit.fixed(value, 3 if abs(value) < 100 else 1)
