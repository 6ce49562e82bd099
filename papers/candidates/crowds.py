"""Crowds: what simulations and three people per image say of our labels.

`section` tells of crowds.csv, which ``python -m benchmarks.crowd_simulation`` writes,
and of crowd-images.csv, which ``python -m papers.candidates.crowd_images`` writes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from papers.candidates.floors import ONE_LABEL, percent

HERE = Path(__file__).parent
LEAST, MOST_ERROR, OTHER = -1.0, 0.05, "other kinds"
SHOWN = ("vote", "ours", "dawid_skene", "plain")
VOTE, UNION = "vote", "PRODEN on the union"
#: What 80 crowds of a cell say (seeds 200 to 279) where 20 do not tell, and why.
REASONS = {
    ("spread of skill", "0.3"): "20 crowds do not tell; 80 give -0.1 (-0.4 to +0.2)",
    ("mean skill", "0.4"): "people are wrong more often than right, and whose answers "
    "count is hardly to be learnt; 80 crowds give -0.7 (-1.9 to +0.5), and a "
    "calibration error of 0.058",
    ("items", "30"): "20 crowds of 30 items are 600 items in all; 80 give +0.5 (-0.5 "
    "to +1.4)",
    (OTHER, "2 classes, 9 to 1"): "half of our kinds of people err by what they name "
    "overall, which makes a rare class as frequent as it is named; in truth people are "
    "equally good at both classes here, as `DawidSkene` takes them to be, and 300 "
    "items hardly tell which; 80 crowds give -1.4 (-1.8 to -0.9): with so rare a class "
    "`DawidSkene` is the better choice",
    (OTHER, "a fifth of the items misleads all"): "everybody is wrong alike there, "
    "which no answer shows",
    (OTHER, "items of unequal difficulty"): "the model knows hard people, not hard "
    "items, and so is too sure of those (it has the most right labels all the same)",
    (OTHER, "450 people, 2 answers each"): "two answers each say next to nothing of a "
    "person; 80 crowds give -0.1 (-0.3 to +0.2), and an error of 0.039",
    (OTHER, "450 people, a third guesses"): "the same; 80 crowds give -0.7 (-1.0 to "
    "-0.3)",
    (OTHER, "two of six copy a third"): "the copies agree with each other, so they "
    "look good: all models that take people for independent fall for it, and only the "
    "vote does not learn from it",
    (OTHER, "3 of 8 turn the classes alike"): "the best other way is right in some "
    "crowds and lost in the rest; 80 give +9.4 (+3.4 to +15.5)",
    (OTHER, "grades"): "errors go to the neighbouring grade, which the model has to "
    "learn for everybody; 80 crowds give -0.2 (-1.2 to +0.7)",
    (OTHER, "30 people, yes or no"): "20 crowds do not tell; 80 give +0.0 (-0.3 to "
    "+0.3)",
    (OTHER, "20 items"): "400 items in all; 80 crowds give +0.1 (-0.6 to +0.7)",
    (OTHER, "7 weak people, yes or no"): "people who are hardly better than a coin "
    "teach little of each other; 80 crowds give -0.5 (-1.2 to +0.1)",
}
SAME = "not to be told from"
OURS = ("network from soft targets", "joint")
PARTS = {
    "labels": "Labels of the training images",
    "test": "Test images, labelled by a network that learnt from such labels",
}


def section() -> str:
    """Tell of both."""
    cells = pd.read_csv(HERE / "crowds.csv", dtype={"level": str})
    return f"{_simulated(cells)}\n{_pictures(pd.read_csv(HERE / 'crowd-images.csv'))}"


def _simulated(cells: pd.DataFrame) -> str:
    low = cells[cells["low"] <= LEAST]
    unsure = cells[cells["calibration"] >= MOST_ERROR]
    other = cells["factor"] == OTHER
    flagged = cells[~other].dropna(subset=["recall"])
    tables = "\n\n".join(_table(cells[own]) for own in (~other, other) if own.any())
    return f"""### Simulated crowds

{len(cells) - other.sum()} kinds of crowds: 5 people of skill 0.65, 300 items and 4
classes unless the row says otherwise (`benchmarks/crowd_simulation.py`).
{_drawn(cells, other)} Right
labels in percent: the vote, ours (what `caveat candidates` suggests without features),
Dawid-Skene, and Dawid-Skene without any prior. Gap: ours minus the best of these
three, in points, with a 95 % interval, paired over crowds. Error: expected calibration
error of ours.

{tables}

{_held(cells, low, "the interval of the gap lies above -1 point")}

{_held(cells, unsure, "the calibration error is below 0.05")}

People who guess or work against the others: of those who are flagged, the share who do
(precision), and of those who do, the share who are flagged (recall).

| what varies | | precision | recall |
| --- | --- | --- | --- |
{_found(flagged)}
"""


def _drawn(cells: pd.DataFrame, other: pd.Series) -> str:
    first = int(cells.loc[~other, "crowds"].min())
    more = int(cells.loc[other, "crowds"].min())
    return (
        f"Below them {other.sum()} kinds that break the models' rules: 4 answers of 8 "
        "people of\nskill 0.45 to 0.9 on 300 items "
        f"(`benchmarks/crowd_other_kinds.py`). {first} crowds of each,\n{more} of the "
        "others, by seeds from 200 on; our default was settled on crowds of the\nseeds "
        "1000 to 1019, but for what it says where no item has two answers: one skill\n"
        "for all, after a look at that row of this table (it had an error of 0.073)."
    )


def _table(cells: pd.DataFrame) -> str:
    rows = "\n".join(_row(cell) for cell in cells.itertuples())
    return (
        "| what varies | | free: vote | ours | Dawid-Skene | no prior | gap | error |\n"
        f"| --- | --- | --- | --- | --- | --- | --- | --- |\n{rows}"
    )


def _row(cell: tuple) -> str:
    shares = " | ".join(f"{100 * getattr(cell, way):.1f}" for way in SHOWN)
    gap = f"{cell.difference:+.1f} ({cell.low:+.1f} to {cell.high:+.1f})"
    names = f"{cell.factor} | {cell.level}"
    return f"| {names} | {shares} | {gap} | {cell.calibration:.3f} |"


def _held(cells: pd.DataFrame, broken: pd.DataFrame, what: str) -> str:
    """Say for how many kinds it holds, and why it does not for the others."""
    held = f"In {len(cells) - len(broken)} of {len(cells)} kinds {what}."
    others = [
        f"Not so for {cell.factor}, {cell.level}: {_reason(cell)}."
        for cell in broken.itertuples()
    ]
    return " ".join([held, *others])


def _reason(cell: tuple) -> str:
    where = (cell.factor, cell.level)
    if where not in REASONS:
        raise LookupError(f"crowds.csv: {where} does not hold and nobody says why")
    return REASONS[where]


def _found(cells: pd.DataFrame) -> str:
    def share(value: float) -> str:
        return f"{value:.2f}" if np.isfinite(value) else "nobody"

    return "\n".join(
        f"| {cell.factor} | {cell.level} | {share(cell.precision)} | "
        f"{share(cell.recall)} |"
        for cell in cells.itertuples()
    )


def _pictures(rows: pd.DataFrame) -> str:
    parts = []
    for part, title in PARTS.items():
        own = rows[rows["part"] == part]
        free = percent("pictures, training" if part == "labels" else "pictures")
        lines = "\n".join(
            [
                f"| {ONE_LABEL} | {free.mean():.1f} |  |  |",
                *(_image_row(row) for row in own.itertuples()),
            ]
        )
        parts.append(
            f"{title} ({int(own['images'].iloc[0]):,}):\n\n"
            "| labels by | right, % | over the vote | over PRODEN on the union |\n"
            f"| --- | --- | --- | --- |\n{lines}\n\n{_verdict(own)}\n"
        )
    return (
        "### Three people per image\n\n"
        "A part of CIFAR-10 with three people's labels each (CIFAR-10N). One network "
        "on frozen\nfeatures learns from all of them, so that labels are compared and "
        "not networks\n(`papers/candidates/crowd_images.py`). 95 % intervals, a "
        "bootstrap over images;\ndifferences in points, paired. The network alone has "
        "not seen what people said of the image.\n\n" + "\n".join(parts)
    )


def _image_row(row: tuple) -> str:
    def points(name: str, sign: str) -> str:
        value, low, high = (
            100 * getattr(row, f"{name}{end}") for end in ("", "_low", "_high")
        )
        return f"{value:{sign}.1f} ({low:{sign}.1f} to {high:{sign}.1f})"

    over = [
        "" if row.way == other else points(name, "+")
        for other, name in ((VOTE, "over_vote"), (UNION, "over_union"))
    ]
    return f"| {row.way} | {points('accuracy', '')} | {over[0]} | {over[1]} |"


def _verdict(own: pd.DataFrame) -> str:
    """Say whether our ways are at least as good, by their intervals."""
    told = []
    for row in own[own["way"].isin(OURS)].itertuples():
        for other, name in ((VOTE, "over_vote"), (UNION, "over_union")):
            low, high = getattr(row, f"{name}_low"), getattr(row, f"{name}_high")
            word = "better than" if low > 0 else "worse than" if high < 0 else SAME
            told.append(f"{row.way} is {word} {other}")
    return f"By these intervals {_listed(told)}."


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
