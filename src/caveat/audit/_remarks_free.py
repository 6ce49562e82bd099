"""Caveats about what is free and about columns that vanish."""

from __future__ import annotations

import math

from caveat import pages as kit
from caveat.audit._reading import Reading
from caveat.audit._remark import Remark, number, verb


def free_score(reading: Reading) -> list[Remark]:
    """Hold the score against what clusters reach without a label."""
    best, free = reading.best, reading.free
    if best is None or free is None or math.isnan(free.value) or not reading.has_skill:
        return []
    unit = "AUC of the upper half" if reading.regression else "AUC"
    measured = kit.say(
        "EAPP at 1/p₀ = {k}, {p}.", k=f"{free.k_star:.3g}", p=kit.p_value(free.p)
    )
    if free.value >= best.upper and free.p < 0.05:
        return [
            Remark(
                "below-free",
                "free",
                "serious",
                kit.say(
                    "{model} has {score} {unit}; clusters have {free} without seeing "
                    "one label. No model earns anything here.",
                    model=best.title,
                    score=number(best.upper),
                    unit=unit,
                    free=kit.strong(number(free.value)),
                ),
                number(free.value),
                measured,
                1.0,
            )
        ]
    share = (free.value - 0.5) / max(best.upper - 0.5, 1e-12)
    if free.verdict in ("chance", "not tested", "undefined") or share < 0.4:
        return []
    driver = _driver(reading)
    tail = (
        kit.say("Either the task is easy, or {column} gives it away.", column=driver)
        if driver is not None
        else kit.prose("Either the task is easy, or something gives it away.")
    )
    return [
        Remark(
            "free",
            "free",
            "serious" if share >= 0.75 else "careful",
            kit.join(
                [
                    kit.say(
                        "{score} {unit}; {free} of it is reachable without any label.",
                        score=number(best.upper),
                        unit=unit,
                        free=kit.strong(number(free.value)),
                    ),
                    tail,
                ]
            ),
            number(free.value),
            measured,
            share,
        )
    ]


def _driver(reading: Reading) -> kit.Span | None:
    """Name the column that the free part rests on, if one stands out."""
    free = reading.free
    if free is None or not len(free.drivers) or "drop" not in free.drivers:
        return None
    drops = free.drivers.sort_values("drop", ascending=False)
    if float(drops["drop"].iloc[0]) < 0.02:
        return None
    return kit.code(str(drops["column"].iloc[0]))


def vanishing(reading: Reading) -> list[Remark]:
    """Say what happens if the most used column of the best model vanishes."""
    best = reading.best
    if best is None or not reading.has_skill or best.name not in reading.shifted:
        return []
    one = reading.shifted[best.name]
    lost = reading.sign * (one.closed - one.worst)
    earned = reading.earned(one.closed)
    share = lost / earned if earned > 0 else 0.0
    free = reading.free.value if reading.free is not None else float("nan")
    below = (
        not reading.regression
        and reading.free is not None
        and reading.free.p < 0.05
        and one.worst < free <= one.closed
        and lost > 0.03
    )
    if share < 0.15 and not below:
        return []
    tail = ", below what clustering gives for free" if below else ""
    return [
        Remark(
            "vanish",
            "tomorrow",
            "serious" if share >= 0.5 or (below and share >= 0.2) else "careful",
            kit.say(
                "If {column} vanishes, {model} {verb} from {before} to {after}{tail}.",
                column=kit.code(one.most_used),
                model=one.title,
                verb=verb(reading),
                before=number(one.closed),
                after=kit.strong(number(one.worst)),
                tail=tail,
            ),
            number(one.worst),
            "One column missing, filled in by its mean or most frequent value.",
            share,
            one.most_used,
        )
    ]


def policies(reading: Reading) -> list[Remark]:
    """Whether another way to fill in the most used column saves something."""
    best = reading.best
    if best is None or best.name not in reading.shifted or not reading.has_skill:
        return []
    one = reading.shifted[best.name]
    known = one.policies.drop("refitted", errors="ignore")
    if "mean" not in known or len(known) < 2:
        return []
    order = (reading.sign * known).sort_values(ascending=False, kind="stable")
    top, gain = str(order.index[0]), float(order.iloc[0] - reading.sign * known["mean"])
    lost = reading.sign * (one.closed - float(known["mean"]))
    if lost <= 0 or gain < 0.2 * lost or gain < 0.01 * abs(one.closed):
        return []
    return [
        Remark(
            "policy",
            "tomorrow",
            "note",
            kit.say(
                "Without {column}, {model} keeps {kept} if it is filled in by {policy} "
                "instead of its mean.",
                column=kit.code(one.most_used),
                model=one.title,
                kept=kit.strong(number(float(known[top]))),
                policy=top,
            ),
            number(float(known[top])),
            "The model stays as it was fitted.",
            gain,
        )
    ]
