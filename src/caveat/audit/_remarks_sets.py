"""Caveats about candidate labels: noise, twins, what nobody checked."""

from __future__ import annotations

import math

from caveat import pages as kit
from caveat.audit._reading import Reading
from caveat.audit._remark import Remark, number


def candidate_labels(reading: Reading) -> list[Remark]:
    """Say how far candidates may be trusted."""
    if reading.sets is None:
        return []
    return [*_noise(reading), *_twins(reading), *_cost(reading), *_unchecked(reading)]


def _noise(reading: Reading) -> list[Remark]:
    assert reading.sets is not None
    noise = reading.sets.facts.get("noise")
    if noise is None or float(noise) == 0:
        return []
    share = float(noise)
    return [
        Remark(
            "noise",
            "sets",
            "serious" if share >= 0.1 else "careful",
            kit.say(
                "The true label is no candidate in {share} of the rows: no choice "
                "among candidates can be right there.",
                share=kit.strong(kit.percent(share)),
            ),
            kit.percent(share),
            kit.say("By {target}.", target=kit.code(str(reading.facts["target"]))),
            share,
        )
    ]


def _twins(reading: Reading) -> list[Remark]:
    assert reading.sets is not None
    pairs = reading.sets.confusions
    if not len(pairs) or float(pairs["share"].iloc[0]) < 0.9:
        return []
    row = pairs.iloc[0]
    share = float(row["share"])
    return [
        Remark(
            "same",
            "sets",
            "serious" if share >= 0.99 else "careful",
            kit.say(
                "{other} is a candidate of {share} of the rows that are {true}: sets "
                "hardly tell the two apart.",
                other=kit.code(str(row["other"])),
                share=kit.strong(kit.percent(share)),
                true=kit.code(str(row["true"])),
            ),
            kit.percent(share),
            "The ambiguity degree of Cour, Sapp and Taskar (2011).",
            share,
        )
    ]


def _cost(reading: Reading) -> list[Remark]:
    """Hold what candidates support against what every label supports."""
    assert reading.sets is not None
    best, full = reading.sets.best, reading.best
    if best is None or full is None or math.isnan(best.auc) or not reading.has_skill:
        return []
    share = (best.auc - 0.5) / max(full.value - 0.5, 1e-12)
    if share >= 0.75:
        return []
    return [
        Remark(
            "hidden",
            "sets",
            "serious" if share < 0.5 else "careful",
            kit.say(
                "Candidates support {value} AUC, every label {full}.",
                value=kit.strong(number(best.auc)),
                full=number(full.value),
            ),
            number(best.auc),
            kit.say("{model}, chosen without labels.", model=best.title),
            1 - share,
        )
    ]


def _unchecked(reading: Reading) -> list[Remark]:
    found = reading.sets
    assert found is not None
    best = found.best
    remarks = []
    if best is None:
        return []
    if best.unsure >= 0.2:
        remarks.append(
            Remark(
                "unsure",
                "sets",
                "careful",
                kit.say(
                    "{share} of the suggestions of {model} are unsure: below 70{gap}%.",
                    share=kit.strong(kit.percent(best.unsure)),
                    model=best.title,
                    gap=kit.NBSP,
                ),
                kit.percent(best.unsure),
                "Have those looked at first.",
                best.unsure,
            )
        )
    if math.isnan(best.right):
        count = kit.count(found.judged)
        remarks.append(
            Remark(
                "unchecked",
                "sets",
                "note",
                kit.say(
                    "Nobody checked the {count} suggestions, and the best of several "
                    "algorithms looks better than it is.",
                    count=kit.strong(count),
                ),
                count,
                kit.say("{option} checks them.", option=kit.code("--target COL")),
            )
        )
    return remarks
