"""Caveats: sentences made from the numbers of an audit, worst first.

Every function takes the reading and returns the remarks of one kind, or none. Nothing
here looks at the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from caveat.audit._reading import Reading, Score
from caveat.report import kit

SECTIONS = ("data", "free", "models", "tomorrow")

# Kinds of caveats in the order of how much the headline would mislead without them.
_RANKS = {
    kind: 10.0 * (20 - place)
    for place, kind in enumerate(
        [
            *("no-skill", "leak", "split", "within", "below-free", "free", "vanish"),
            *("test-copies", "gap", "tie", "copies", "contradictions", "rare"),
            *("failed", "cut", "sampled", "aside", "policy", "small", "weights"),
        ]
    )
}


@dataclass(frozen=True)
class Remark:
    """A caveat before it is on the page.

    Attributes
    ----------
    kind : str
    section : {"data", "free", "models", "tomorrow"}
    severity : {"serious", "careful", "note"}
    sentence, how : Prose
    number : str
        What the sentence is about, as it is written there.
    size : float
        How much is at stake, 0 to 1.
    column : str
        The column it is about, if any.
    """

    kind: str
    section: str
    severity: str
    sentence: kit.Prose
    number: str
    how: kit.Prose | str = ""
    size: float = 0.0
    column: str = ""

    @property
    def rank(self) -> float:
        """Place among remarks of one severity; larger comes first."""
        return _RANKS[self.kind] + min(max(self.size, 0.0), 1.0)


def make_remarks(reading: Reading) -> list[Remark]:
    """Collect every caveat of an audit, worst first."""
    found = [remark for check in _CHECKS for remark in check(reading)]
    order = ("serious", "careful", "note")
    return sorted(found, key=lambda one: (order.index(one.severity), -one.rank))


def number(value: float, reading: Reading | None = None) -> str:
    """Write a score as prose does: two decimals, or three digits if it is large."""
    if math.isnan(value):
        return "–"
    if abs(value) >= 10:
        return kit.significant(value, 3)
    return kit.fixed(value, 2)


def percent(share: float) -> str:
    """Write a share, with a decimal where it is small."""
    places = 0 if share >= 0.1 or share == 0 else 1
    return f"{100 * share:.{places}f}{kit.NBSP}%"


def _verb(reading: Reading) -> str:
    return "rises" if reading.regression else "falls"


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
                "its interval, {low} to {high}, holds {chance}.",
                what=what,
                value=kit.strong(number(best.value)),
                unit=reading.unit,
                low=number(best.low),
                high=number(best.high),
                chance=number(reading.chance),
            ),
            number(best.value),
            "As shuffled labels would do. Nothing below is worth more than this.",
            1.0,
        )
    ]


def leaks(reading: Reading) -> list[Remark]:
    """Find columns that alone predict the target, far better than any other does."""
    known = reading.columns
    if not len(known) or "alone" not in known:
        return []
    alone = known.dropna(subset=["alone"]).sort_values("alone", ascending=False)
    values = alone["alone"].astype(float).to_numpy()
    found = []
    for place, row in enumerate(alone.head(3).to_dict("records")):
        value = float(row["alone"])
        following = values[place + 1] if place + 1 < len(values) else reading.chance
        if not _tells_all(value, float(following), reading.regression):
            break
        unit = "R²" if reading.regression else "AUC"
        found.append(
            Remark(
                "leak",
                "data",
                "serious",
                kit.say(
                    "{column} alone predicts the target: {value} {unit}. Is it known "
                    "before the target is?",
                    column=kit.code(row["column"]),
                    value=kit.strong(kit.fixed(value, 3 if value < 0.9995 else 2)),
                    unit=unit,
                ),
                kit.fixed(value, 3 if value < 0.9995 else 2),
                kit.say(
                    "Bins of the column, on other rows than they were learnt on. "
                    "{option} leaves it out.",
                    option=kit.code(f"--drop {row['column']}"),
                ),
                value,
                str(row["column"]),
            )
        )
    return found


def _tells_all(value: float, following: float, regression: bool) -> bool:
    if regression:
        return value >= 0.98 or (value >= 0.9 and value - following >= 0.2)
    return value >= 0.99 or (value >= 0.95 and value - following >= 0.1)


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
                    verb=_verb(reading),
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
                verb=_verb(reading),
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


def gaps(reading: Reading) -> list[Remark]:
    """Columns that are missing more often on one side of the target."""
    known = reading.columns
    if not len(known) or "gap_p" not in known:
        return []
    rows = known.dropna(subset=["gap_p"])
    limit = 0.001 / max(1, len(rows))
    found = []
    for row in rows.to_dict("records"):
        high, low = float(row["gap_high"]), float(row["gap_low"])
        if float(row["gap_p"]) > limit or abs(high - low) < 0.05:
            continue
        found.append(
            Remark(
                "gap",
                "data",
                "careful",
                kit.say(
                    "{column} is missing in {high} of {side} and {low} of the rest. "
                    "Check that it is recorded before the outcome is known.",
                    column=kit.code(row["column"]),
                    high=kit.strong(percent(high)),
                    side=_side(reading),
                    low=percent(low),
                ),
                percent(high),
                kit.say(
                    "{option} leaves it out.",
                    option=kit.code(f"--drop {row['column']}"),
                ),
                abs(high - low),
                str(row["column"]),
            )
        )
    return sorted(found, key=lambda one: -one.size)[:3]


def _side(reading: Reading) -> kit.Prose:
    if reading.regression:
        return kit.prose("the upper half")
    labels = reading.classes
    if len(labels) == 2:
        return kit.say("{label} rows", label=kit.code(str(labels["label"].iloc[1])))
    top = labels.sort_values("rows", ascending=False)["label"].iloc[0]
    return kit.say("{label} rows", label=kit.code(str(top)))


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


def copies(reading: Reading) -> list[Remark]:
    """Rows that occur more than once, and rows that contradict one another."""
    rows = int(reading.table.get("rows", 0))
    found = []
    count = int(reading.table.get("copies", 0))
    if rows and count:
        share = count / rows
        together = share <= 0.2
        found.append(
            Remark(
                "copies",
                "data",
                "careful" if share >= 0.05 else "note",
                kit.say(
                    "{count} of {rows} rows are exact copies of another.",
                    count=kit.strong(kit.count(count)),
                    rows=kit.count(rows),
                ),
                kit.count(count),
                "Copies stay in one fold."
                if together
                else "So many that folds do not keep them together: the table has few "
                "distinct rows.",
                share,
            )
        )
    torn = int(reading.table.get("contradictions", 0))
    if rows and torn:
        found.append(
            Remark(
                "contradictions",
                "data",
                "careful" if torn / rows >= 0.05 else "note",
                kit.say(
                    "{count} rows agree with another in every column, and not in the "
                    "target.",
                    count=kit.strong(kit.count(torn)),
                ),
                kit.count(torn),
                "No model can be right about all of them.",
                torn / rows,
            )
        )
    leaked = int(reading.table.get("test-copies", 0))
    if leaked:
        share = leaked / max(1, int(reading.table["test-rows"]))
        found.append(
            Remark(
                "test-copies",
                "data",
                "serious" if share >= 0.1 else "careful",
                kit.say(
                    "{count} rows of the test file are also in the training file.",
                    count=kit.strong(kit.count(leaked)),
                ),
                kit.count(leaked),
                "A model may know them by heart.",
                share,
            )
        )
    return found


def conditions(reading: Reading) -> list[Remark]:
    """Conditions to know: samples, small tables, rare classes, weights, set aside."""
    found = []
    rows, whole = int(reading.table.get("rows", 0)), int(reading.facts["whole-rows"])
    if rows and whole > rows:
        found.append(
            Remark(
                "sampled",
                "data",
                "note",
                kit.say(
                    "{rows} of {whole} rows were used, picked at random.",
                    rows=kit.strong(kit.count(rows)),
                    whole=kit.count(whole),
                ),
                kit.count(rows),
                kit.say("More {option} take more.", option=kit.code("--minutes")),
            )
        )
    if len(reading.classes):
        rarest = reading.classes.sort_values("rows").iloc[0]
        few = int(rarest["rows"])
        if few < 20:
            found.append(
                Remark(
                    "rare",
                    "data",
                    "careful",
                    kit.say(
                        "The rarest class, {label}, has {rows} rows: its part of every "
                        "score is a guess.",
                        label=kit.code(str(rarest["label"])),
                        rows=kit.strong(kit.count(few)),
                    ),
                    kit.count(few),
                )
            )
    if rows and rows < 200:
        found.append(
            Remark(
                "small",
                "models",
                "note",
                kit.say(
                    "The table has {rows} rows: a handful of them moves every number.",
                    rows=kit.strong(kit.count(rows)),
                ),
                kit.count(rows),
            )
        )
    if reading.scenario.get("weights"):
        found.append(
            Remark(
                "weights",
                "models",
                "note",
                kit.say(
                    "Rows count by {column} in every score; models are fitted "
                    "and clusters found with one weight for all.",
                    column=kit.code(str(reading.scenario["weights"])),
                ),
                "one",
            )
        )
    return found


def unfinished(reading: Reading) -> list[Remark]:
    """Say what was cut short, and what gave no value."""
    found = []
    left, total = sum(reading.open_parts.values()), sum(reading.states.values())
    if left:
        found.append(
            Remark(
                "cut",
                "models",
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
                "models",
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


_CHECKS: tuple[Callable[[Reading], list[Remark]], ...] = (
    *(no_skill, leaks, other_splits, within_levels, free_score, vanishing),
    *(policies, gaps, ties, copies, conditions, unfinished),
)
CHECKS = (
    "columns that tell the target alone, rows that belong together or come in time, "
    "levels that carry the score, the free part, columns that vanish, gaps that depend "
    "on the target, copies, and differences between models"
)
