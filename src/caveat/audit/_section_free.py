"""The free part: how much of the score clusters reach without labels."""

from __future__ import annotations

import math
from collections.abc import Sequence

from caveat import pages as kit
from caveat.audit._figure_scores import eapp_curve
from caveat.audit._margin import caveats_of
from caveat.audit._reading import Reading
from caveat.audit._remark import Remark, number


def free_section(reading: Reading, remarks: Sequence[Remark]) -> kit.Section:
    """How much of the score clusters reach without labels."""
    free = reading.free
    if free is None or math.isnan(free.value):
        why = (
            "EAPP needs enough distinct rows for as many clusters as 1/p₀."
            if free is not None
            else "There was no time for it, or it failed; see the caveats."
        )
        return kit.Section(
            "free",
            "The free part",
            "The free part is not known",
            lead="EAPP sorts rows into clusters by their features alone.",
            blocks=[kit.Notice(why)],
            caveats=caveats_of("free", remarks),
        )
    value = number(free.value)
    what = "upper half" if reading.regression else "classes"
    headings = {
        "chance": (
            f"Clusters show no sign of the {what}: {value}, as shuffled labels do"
        ),
        "weak": f"Clusters know a little: {value} AUC before any label is used",
        "partly trivial": f"Clusters know a part: {value} AUC before any label is used",
        "trivially separable or biased": (
            f"Clusters already know the answer: {value} AUC before any label is used"
        ),
        "not tested": (
            f"Clusters reach {value} AUC; too few shuffles to tell it from chance"
        ),
    }
    lead = (
        "EAPP sorts the rows into k clusters by their features alone, then names each "
        "cluster. It is the bar a classifier has to clear."
    )
    if reading.regression:
        lead = (
            "EAPP needs classes: here rows above the median, and the rest. It sorts "
            "rows into clusters by features alone, then names each cluster."
        )
    elif free.merged:
        lead += " Beyond the eleven largest, classes count as one here."
    blocks: list[kit.Block] = [eapp_curve(free, reading.best)]
    blocks.append(_driver_table(reading))
    return kit.Section(
        "free",
        "The free part",
        headings.get(free.verdict, f"Clusters reach {value} AUC"),
        lead=lead,
        blocks=blocks,
        caveats=caveats_of("free", remarks),
    )


def _driver_table(reading: Reading) -> kit.Block:
    free = reading.free
    assert free is not None
    if not len(free.drivers) or "drop" not in free.drivers:
        return kit.Notice(
            "Which columns drive it was not asked: that takes too long for so many."
        )
    drivers = free.drivers.sort_values("drop", ascending=False, kind="stable")
    rows = [
        kit.Row(
            [
                kit.Cell(kit.code(kit.shorten(str(row["column"]), 40))),
                kit.Cell(
                    kit.signed(float(row["drop"]), 3),
                    value=float(row["drop"]),
                    tone="strong" if place == 0 else "",
                ),
            ]
        )
        for place, row in enumerate(drivers.head(6).to_dict("records"))
    ]
    return kit.Table(
        "drivers",
        "What drives the free part: AUC lost when the column is shuffled",
        [
            kit.Column("Column", "name"),
            kit.Column("AUC lost", best="max", sorted=True, term="term-driver"),
        ],
        rows,
        titled=True,
        downloads=[kit.Download.csv("drivers.csv", drivers[["column", "drop"]])],
    )
