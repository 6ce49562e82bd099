"""Further sections of the page: when an outage is noticed, what to back up, curves."""

from __future__ import annotations

import math
from typing import Any

from caveat import pages
from caveat.shift.result import Result

_MOST_ROWS = 40


def monitor_section(found: Result) -> pages.Section:
    """Say which monitor notices each outage first."""
    rows = []
    frame = found.monitors.assign(at=found.monitors["rows"].fillna(math.inf))
    order = frame.sort_values(["outage", "at"], kind="stable")
    for row in order.head(_MOST_ROWS).to_dict("records"):
        known = math.isfinite(row["at"])
        rows.append(
            pages.Row(
                [
                    pages.Cell(str(row["outage"])),
                    pages.Cell(pages.code(str(row["column"]))),
                    pages.Cell(str(row["monitor"])),
                    pages.Cell(pages.count(round(row["at"])), value=row["at"])
                    if known
                    else pages.Cell("not noticed", tone="muted"),
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
        conditions="Median over 40 streams of rows in random order. False alarms: the "
        "share of intact streams of up to 512 rows.",
        downloads=[pages.Download.csv("monitors.csv", found.monitors)],
    )
    return pages.Section("monitors", "Who would notice", words, blocks=[table])


def backup_section(found: Result) -> pages.Section:
    """Name the columns to back up, and the pairs that cost more than their sum."""
    assert found.backup is not None
    limit = pages.fixed(found.protect or 0.0, 3)
    words = pages.say(
        "Any one or two columns may fail at a loss of {limit}", limit=limit
    )
    if found.backup:
        words = pages.say(
            "Back up {columns}: any two of the others then cost at most {limit}",
            columns=pages.names(list(found.backup), most=6),
            limit=limit,
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
                conditions=found.conditions,
                downloads=[pages.Download.csv("pairs.csv", found.pairs)],
            )
        )
    return pages.Section(
        "protect",
        "What to protect",
        words,
        lead="The cheapest set, found exactly; a loss counts by the upper end of its "
        "interval. Pairs were taken of the 15 columns that correlate most with the "
        "target.",
        blocks=blocks,
    )


def curve_section(found: Result) -> pages.Section:
    """Show one published scenario as it is asked for on the command line."""
    frame = found.curves
    rows = [
        pages.Row(
            [
                pages.Cell(str(row["model"])),
                pages.Cell(str(row["measure"])),
                pages.Cell(str(row["k"]), value=float(row["k"])),
                pages.Cell(str(row.get("column") or "")),
                pages.Cell(pages.fixed(row["value"], 3), value=row["value"]),
                pages.Cell(pages.fixed(row["se"], 3)),
                pages.Cell(pages.count(int(row["n_subsets"]))),
            ]
        )
        for row in frame[frame["split"] == 0].to_dict("records")
    ]
    scenario = str(frame["scenario"].iloc[0])
    return pages.Section(
        "scenario",
        f"Scenario {scenario}",
        f"{pages.count(len(frame))} numbers, tidy in curves.csv",
        blocks=[
            pages.Table(
                "scenario",
                f"Scenario {scenario}, first split",
                [
                    pages.Column("Model", "name"),
                    pages.Column("Measure", "text"),
                    pages.Column("Missing"),
                    pages.Column("Column", "text"),
                    pages.Column("Value"),
                    pages.Column("Standard error", below="over subsets"),
                    pages.Column("Subsets"),
                ],
                rows,
                brief=True,
            )
        ],
    )


def _interval(row: dict[str, Any], low: str, high: str) -> str:
    if row[low] is None or math.isnan(row[low]):
        return ""
    return f"{pages.fixed(row[low], 3)} to {pages.fixed(row[high], 3)}"
