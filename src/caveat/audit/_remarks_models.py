"""Caveats about the models: no skill, other splits, levels, ties, cut short."""

from __future__ import annotations

import math

import numpy as np

from caveat import pages as kit
from caveat.audit._reading import Reading
from caveat.audit._reading_parts import Score
from caveat.audit._remark import Remark, home, number, verb


def no_skill(reading: Reading) -> list[Remark]:
    """No model is better than an answer that looks at no column."""
    best = reading.best
    if best is None or reading.has_skill:
        return []
    what = "a constant answer" if reading.regression else "chance"
    return [
        Remark(
            "no-skill",
            "models",
            "serious",
            kit.say(
                "No model does better than {what}: the best has {value} {unit}, and "
                "{why}.",
                what=what,
                value=kit.strong(number(best.value)),
                unit=reading.unit,
                why=_why_chance(reading),
            ),
            number(best.value),
            "As shuffled labels would do. Nothing below is worth more than this.",
            1.0,
        )
    ]


def _why_chance(reading: Reading) -> kit.Prose:
    """Say what does not tell the best score from chance: folds, or the rows."""
    best = reading.best
    assert best is not None
    edge = best.high if reading.regression else best.low
    if math.isnan(edge) or reading.earned(edge) > 0:
        return kit.say(
            "chance alone may reach {luck} with so few rows",
            luck=number(reading.chance + reading.luck),
        )
    return kit.say(
        "its interval, {low} to {high}, holds {chance}",
        low=number(best.low),
        high=number(best.high),
        chance=number(reading.chance),
    )


def turned_scores(reading: Reading) -> list[Remark]:
    """Find scores of the user's that put the classes in the wrong order."""
    given = reading.scores.get("predictions")
    if given is None or reading.regression or given.value >= 0.5 - reading.luck:
        return []
    label = str(reading.classes["label"].iloc[0]) if len(reading.classes) else ""
    return [
        Remark(
            "turned",
            "models",
            "serious",
            kit.say(
                "The scores from the file have {value} AUC; turned round they have "
                "{other}. Are they about {label}?",
                value=kit.strong(number(given.value)),
                other=number(1 - given.value),
                label=kit.code(label),
            ),
            number(given.value),
            kit.say(
                "{option} makes it class 1.", option=kit.code(f"--positive {label}")
            ),
            1.0,
        )
    ]


def other_splits(reading: Reading) -> list[Remark]:
    """Hold the score against another, more honest way of splitting the rows."""
    best = reading.best
    if best is None or not reading.has_skill:
        return []
    found = []
    for split in reading.others:
        other = split.scores.get(best.name)
        if other is None:
            continue
        lost = reading.sign * (best.value - other.value)
        share = lost / max(reading.earned(best.value), 1e-12)
        if lost <= 2 * _noise(best, other) or share < 0.1:
            continue
        words = {
            "groups": "Split by {column}, {model} {verb} from {before} to {after}: "
            "rows of one {column} are alike, and random folds put them on both sides.",
            "time": "Judged on later rows by {column}, {model} {verb} from {before} to "
            "{after}: what held before does not hold after.",
        }
        option = "--groups" if split.by == "groups" else "--time"
        found.append(
            Remark(
                "split",
                "models",
                "serious" if share >= 0.25 else "careful",
                kit.say(
                    words[split.by],
                    column=kit.code(split.column),
                    model=best.title,
                    verb=verb(reading),
                    before=number(best.value),
                    after=kit.strong(number(other.value)),
                ),
                number(other.value),
                kit.say(
                    "{folds} folds. {option} makes it the rule.",
                    folds=kit.capital(kit.word(other.folds)),
                    option=kit.code(f"{option} {split.column}"),
                ),
                share,
                split.column,
            )
        )
    return found


def _noise(first: Score, second: Score) -> float:
    """Return the standard error of the difference of two means over folds."""
    halves = [
        (one.high - one.low) / 4 if not math.isnan(one.high) else 0.0
        for one in (first, second)
    ]
    return math.hypot(*halves)


def within_levels(reading: Reading) -> list[Remark]:
    """Find the column whose levels the score mostly tells apart."""
    best = reading.best
    if best is None or not reading.has_skill or not len(reading.within):
        return []
    mine = reading.within[reading.within["learner"] == best.name]
    if not len(mine):
        return []
    mine = mine.assign(
        share=(mine["overall"] - mine["value"])
        / np.maximum(mine["overall"] - 0.5, 1e-12)
    )
    row = mine.sort_values("share", ascending=False).iloc[0]
    share = float(row["share"])
    if share < 0.25 or row["overall"] - row["value"] < 0.05:
        return []
    unit = "AUC of the upper half" if reading.regression else "AUC"
    return [
        Remark(
            "within",
            "models",
            "serious" if share >= 0.5 else "careful",
            kit.say(
                "Among rows of one {column}, {model} has {value} {unit}, over all rows "
                "{overall}: much of the score tells {column} apart.",
                column=kit.code(str(row["column"])),
                model=best.title,
                value=kit.strong(number(float(row["value"]))),
                unit=unit,
                overall=number(float(row["overall"])),
            ),
            number(float(row["value"])),
            "Only pairs of rows with the same value are compared. Is the column the "
            "matter, or beside it?",
            share,
            str(row["column"]),
        )
    ]


def ties(reading: Reading) -> list[Remark]:
    """Whether the best model is better than the next."""
    if not reading.differences or reading.best is None or not reading.has_skill:
        return []
    closest = min(reading.differences, key=lambda one: one.value)
    if closest.is_real:
        return []
    other = reading.scores[closest.other]
    places = 3 if abs(closest.value) < 10 and not reading.regression else 2
    shown = kit.fixed(closest.value, places)
    return [
        Remark(
            "tie",
            "models",
            "careful",
            kit.say(
                "{best} and {other} differ by {value}, which {folds} folds cannot tell "
                "from nothing.",
                best=reading.best.title,
                other=other.title,
                value=kit.strong(shown),
                folds=kit.word(reading.best.folds),
            ),
            shown,
            kit.say(
                "Corrected t-test over folds, interval {low} to {high}.",
                low=kit.fixed(closest.low, places),
                high=kit.fixed(closest.high, places),
            ),
        )
    ]


def unfinished(reading: Reading) -> list[Remark]:
    """Say what was cut short, and what gave no value."""
    found = []
    left, total = sum(reading.open_parts.values()), sum(reading.states.values())
    if left:
        found.append(
            Remark(
                "cut",
                home(reading),
                "note",
                kit.say(
                    "Stopped when the time was over: {left} of {total} trials were "
                    "left undone.",
                    left=kit.strong(kit.count(left)),
                    total=kit.count(total),
                ),
                kit.count(left),
                "The same command goes on where this one stopped.",
                left / max(1, total),
            )
        )
    if reading.failures:
        count = len(reading.failures)
        names = sorted({name for _, name, _ in reading.failures})
        found.append(
            Remark(
                "failed",
                home(reading),
                "careful",
                kit.say(
                    "{count} of {total} trials gave no value ({names}); none was "
                    "filled in.",
                    count=kit.strong(kit.count(count)),
                    total=kit.count(total),
                    names=kit.names(names),
                ),
                kit.count(count),
                kit.say(
                    "{states}.",
                    states=", ".join(sorted({s for _, _, s in reading.failures})),
                ),
                count / max(1, total),
            )
        )
    return found
