"""Further sections of the page: when an outage is noticed, what to back up, curves."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from caveat import pages
from caveat.measures import get as get_measure
from caveat.shift.page._claims import (
    CONSTANT,
    backup,
    filled_in,
    filling,
    unpriced,
)
from caveat.shift.prices._monitors import UNFIT
from caveat.shift.registry import MEASURES
from caveat.shift.result import Result
from caveat.statistics import bounded_interval

_MOST_ROWS = 40


def monitor_section(found: Result) -> pages.Section:
    """Say which monitor notices each outage first."""
    rows = []
    frame = found.monitors.assign(at=found.monitors["rows"].fillna(math.inf))
    order = frame.sort_values(["outage", "at"], kind="stable")
    for row in order.head(_MOST_ROWS).to_dict("records"):
        known = math.isfinite(row["at"])
        blank = "not noticed" if row["false_alarms"] < UNFIT else "cries anyway"
        rows.append(
            pages.Row(
                [
                    pages.Cell(str(row["outage"])),
                    pages.Cell(pages.code(str(row["column"]))),
                    pages.Cell(str(row["monitor"])),
                    pages.Cell(pages.count(round(row["at"])), value=row["at"])
                    if known
                    else pages.Cell(blank, tone="muted"),
                    pages.Cell(pages.percent(row["false_alarms"])),
                ]
            )
        )
    blind = [
        str(name)
        for name, mine in frame.groupby("outage", sort=False)
        if not (mine["at"] < math.inf).any()
    ]
    words: pages.Words = "Every outage is noticed by one of four simple monitors"
    if blind:
        words = pages.say("No simple monitor notices {what}", what=pages.names(blind))
    table = pages.Table(
        "monitors",
        "After how many rows a monitor of one column cries out",
        [
            pages.Column("Outage", "name"),
            pages.Column("Column", "text"),
            pages.Column("Monitor", "text"),
            pages.Column("Rows", best="min"),
            pages.Column("False alarms"),
        ],
        rows,
        conditions="Counted are rows that fail, in random order: the median over 40 "
        "streams. False alarms: the share of intact streams of up to 512 rows; a "
        "monitor that cries over one in five of them tells nothing of an outage.",
        downloads=[pages.Download.csv("monitors.csv", found.monitors)],
    )
    return pages.Section("monitors", "Who would notice", words, blocks=[table])


def backup_section(found: Result) -> pages.Section:
    """Name the columns to back up, and the pairs that cost more than their sum."""
    lead = (
        "The cheapest set, found exactly; a loss counts by the upper end of its 95 % "
        f"interval, each for itself.{unpriced(found)}"
    )
    blocks: list[Any] = []
    if not found.pairs.empty:
        order = found.pairs.sort_values("loss", ascending=False).head(_MOST_ROWS)
        rows = [
            pages.Row(
                [
                    pages.Cell(pages.code(f"{row['left']}, {row['right']}")),
                    pages.Cell(pages.fixed(row["loss"], 3), value=row["loss"]),
                    pages.Cell(_interval(row, "low", "high")),
                    pages.Cell(pages.signed(row["more"], 3), value=row["more"]),
                    pages.Cell(_interval(row, "more_low", "more_high")),
                ]
            )
            for row in order.to_dict("records")
        ]
        blocks.append(
            pages.Table(
                "pairs",
                pages.say("What pairs of columns cost {who}", who=found.deployed),
                [
                    pages.Column("Both gone", "name"),
                    pages.Column("Loss", best="max", sorted=True),
                    pages.Column("95 %"),
                    pages.Column("More than their sum"),
                    pages.Column("95 %", below="corrected for all pairs"),
                ],
                rows,
                conditions=f"{found.conditions} {filled_in(found)}",
                downloads=[pages.Download.csv("pairs.csv", found.pairs)],
            )
        )
    return pages.Section(
        "protect",
        "What to protect",
        backup(found),
        lead=lead,
        blocks=blocks,
    )


def curve_section(found: Result) -> pages.Section:
    """Show one published scenario as it is asked for on the command line."""
    frame = found.curves
    keys = [*("model", "measure", "k"), *(["column"] if "column" in frame else [])]
    share = found.test_rows / (found.test_rows + found.training_rows)
    rows = [
        _curve_row(dict(zip(keys, key, strict=True)), part, share)
        for key, part in frame.groupby(keys, sort=False, dropna=False)
    ]
    floors = frame.groupby("measure", sort=False)["constant"].mean()
    for name, floor in floors.items():
        known = f"{floor:.3f}" if math.isfinite(floor) else "not known"
        cells = (CONSTANT.capitalize(), str(name), "", "", known, "", "")
        rows.append(pages.Row([pages.Cell(text) for text in cells], "bottom"))
    scenario, splits = str(frame["scenario"].iloc[0]), int(frame["split"].nunique())
    over = "1 split, so without interval"
    if splits > 1:
        over = f"{splits} splits; 95 % intervals over splits, corrected for shared rows"
    return pages.Section(
        "scenario",
        f"Scenario {scenario}",
        f"{pages.plural(len(rows) - len(floors), 'mean')}, every split in curves.csv",
        blocks=[
            pages.Table(
                "scenario",
                f"Scenario {scenario}",
                [
                    pages.Column("Model", "name"),
                    pages.Column("Measure", "text"),
                    pages.Column("Missing"),
                    pages.Column("Column", "text"),
                    pages.Column("Mean"),
                    pages.Column("95 %"),
                    pages.Column("Subsets", below="of each split"),
                ],
                rows,
                conditions=f"Means over {over}. {filling(found)}.",
                brief=True,
                downloads=[pages.Download.csv("curves.csv", frame)],
            )
        ],
    )


def _curve_row(key: dict[str, Any], part: pd.DataFrame, share: float) -> pages.Row:
    name = str(key["measure"])
    ends = get_measure(name).range if name in MEASURES else (-math.inf, math.inf)
    mean = bounded_interval(part["value"], range=ends, test_share=share)
    gone = key.get("column")
    return pages.Row(
        [
            pages.Cell(str(key["model"])),
            pages.Cell(name),
            pages.Cell(str(key["k"]), value=float(key["k"])),
            pages.Cell("" if pd.isna(gone) else pages.code(str(gone))),
            pages.Cell(pages.fixed(mean.mean, 3), value=mean.mean),
            pages.Cell(_interval(vars(mean), "low", "high")),
            pages.Cell(pages.count(int(part["n_subsets"].max()))),
        ]
    )


def _interval(row: dict[str, Any], low: str, high: str) -> str:
    if row[low] is None or math.isnan(row[low]):
        return ""
    return f"{pages.fixed(row[low], 3)} to {pages.fixed(row[high], 3)}"
