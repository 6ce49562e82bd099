"""Caveats about the table: leaks, gaps, copies, and conditions to know."""

from __future__ import annotations

from caveat import pages as kit
from caveat.audit._reading import Reading
from caveat.audit._remark import Remark, home


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
                    high=kit.strong(kit.percent(high)),
                    side=_side(reading),
                    low=kit.percent(low),
                ),
                kit.percent(high),
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
    screen = reading.scenario["screen"]
    if screen:
        shown = kit.count(len(screen["only"]))
        how = (
            f"those that go with the target most in {kit.count(screen['rows'])} rows, "
            "which judge nothing"
            if screen["rows"]
            else "picked at random, for there are too few rows to choose by"
        )
        found.append(
            Remark(
                "screened",
                "data",
                "careful",
                kit.say(
                    "{shown} of {all} columns were looked at: {how}.",
                    shown=kit.strong(shown),
                    all=kit.count(screen["of"]),
                    how=how,
                ),
                shown,
                kit.say(
                    "By their correlation, one by one. {keep} keeps a column, more "
                    "{minutes} keep more.",
                    keep=kit.code("--keep"),
                    minutes=kit.code("--minutes"),
                ),
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
                        "The rarest class, {label}, has {rows}: its part of every "
                        "score is a guess.",
                        label=kit.code(str(rarest["label"])),
                        rows=kit.strong(kit.plural(few, "row")),
                    ),
                    kit.plural(few, "row"),
                )
            )
    if rows and rows < 200:
        found.append(
            Remark(
                "small",
                home(reading),
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
                home(reading),
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
