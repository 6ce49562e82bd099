"""The sections of the page: what was found first, then the evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from caveat.audit._figures import (
    column_dots,
    csv,
    decay_panels,
    eapp_curve,
    model_dots,
    policy_dots,
)
from caveat.audit._reading import Reading
from caveat.audit._remarks import Remark, number, percent
from caveat.report import kit

_KINDS = {
    "numerical": "number",
    "categorical": "category",
    "boolean": "yes or no",
    "date": "date",
}
_ASIDE = {
    "identifier": "set aside: names rows",
    "constant": "set aside: one value",
    "empty": "set aside: no value",
    "free text": "set aside: free text",
    "names a group": "set aside: says which rows belong together",
    "groups": "keeps rows together",
    "time": "orders the rows",
    "weights": "weighs the rows",
}
_MOST_COLUMNS = 12


def caveats_of(section: str, remarks: Sequence[Remark]) -> list[kit.Caveat]:
    """Return the caveats of a section as the page shows them, worst first."""
    return [
        kit.Caveat(
            remark.severity,  # type: ignore[arg-type]
            remark.sentence,
            remark.number,
            how=remark.how,
            name=f"caveat-{place}",
            size=remark.rank,
        )
        for place, remark in enumerate(remarks, start=1)
        if remark.section == section
    ]


def data_section(reading: Reading, remarks: Sequence[Remark]) -> kit.Section:
    """Say what was found in the table, and what was assumed."""
    table = reading.table
    rows = kit.count(int(table.get("rows", reading.facts["whole-rows"])))
    count = int(table.get("columns", 0))
    aside = reading.scenario["aside"]
    parts = [f"{rows} rows", kit.plural(count, "column")]
    if reading.regression:
        parts.append(f"median {number(float(table.get('target-median', math.nan)))}")
    elif len(reading.classes) == 2:
        share = reading.classes["rows"].iloc[1] / max(1, reading.classes["rows"].sum())
        parts.append(f"{percent(float(share))} {_label(reading)}")
    else:
        parts.append(f"{kit.count(len(reading.classes))} classes")
    heading = ", ".join(parts)
    if aside:
        many = "one column" if len(aside) == 1 else f"{kit.word(len(aside))} columns"
        heading += f"; {many} set aside"
    return kit.Section(
        "data",
        "The data",
        heading,
        lead=_assumed(reading),
        blocks=[*_column_tables(reading, remarks), _assumptions(reading)],
        caveats=caveats_of("data", remarks),
    )


def _label(reading: Reading) -> str:
    return kit.shorten(str(reading.classes["label"].iloc[1]), 18)


def _assumed(reading: Reading) -> str:
    tasks = {
        "binary": "two classes",
        "multiclass": "several classes",
        "regression": "numbers",
    }
    words = f"The target was read as {tasks[str(reading.facts['task'])]}. "
    return words + "Everything assumed here can be changed by an option."


def _column_tables(
    reading: Reading, remarks: Sequence[Remark]
) -> list[kit.Table | kit.Notice]:
    known = reading.columns
    if not len(known):
        return [kit.Notice("The columns were not looked at: the time was over.")]
    said = {remark.column: remark for remark in reversed(remarks) if remark.column}
    stars = {
        remark.column: f"caveat-{place}"
        for place, remark in enumerate(remarks, start=1)
        if remark.column and remark.section == "data"
    }
    order = known.assign(
        first=[
            str(row["column"]) in said or bool(row["aside"])
            for row in known.to_dict("records")
        ]
    ).sort_values(["first", "alone"], ascending=[False, False], kind="stable")
    columns = [
        kit.Column("Column", "name"),
        kit.Column("Read as", "text"),
        kit.Column("Missing", best="max"),
        kit.Column(
            "Alone, R²" if reading.regression else "Alone, AUC",
            best="max",
            term="term-alone",
        ),
        kit.Column("Seen", "text"),
    ]
    rows = [
        kit.Row(
            [
                kit.Cell(kit.code(kit.shorten(str(row["column"]), 40))),
                kit.Cell(_read_as(row)),
                kit.Cell(percent(float(row["missing"])), value=float(row["missing"])),
                _alone(row, stars),
                kit.Cell(_seen(row, said), tone="muted"),
            ]
        )
        for row in order.head(_MOST_COLUMNS).to_dict("records")
    ]
    public = known[["column", "kind", "missing", "distinct", "alone", "aside"]]
    left = int(reading.table.get("columns", len(known))) - len(rows)
    return [
        kit.Table(
            "columns",
            "Columns, the remarkable ones first",
            columns,
            rows,
            conditions=(
                f"{kit.capital(kit.plural(left, 'more column'))} in the CSV. "
                if left > 0
                else ""
            )
            + "Alone: bins of one column, judged on other rows.",
            downloads=[csv("table.csv", public)],
        )
    ]


def _read_as(row: dict[str, Any]) -> str:
    kind = _KINDS.get(str(row["kind"]), str(row["kind"]))
    if str(row["aside"]) == "identifier":
        kind = "identifier"
    if kind == "category":
        return f"category, {kit.count(int(row['distinct']))}"
    return kind


def _alone(row: dict[str, Any], stars: dict[str, str]) -> kit.Cell:
    value = row["alone"]
    if value is None or value != value:
        return kit.Cell("–", tone="muted")
    star = stars.get(str(row["column"]), "")
    return kit.Cell(kit.fixed(float(value), 2), value=float(value), star=star)


def _seen(row: dict[str, Any], said: dict[str, Remark]) -> str:
    if row["aside"]:
        words = _ASIDE.get(str(row["aside"]), str(row["aside"]))
        if row["aside"] in ("identifier", "names a group"):
            words += f", {kit.count(int(row['distinct']))} values"
        return words
    remark = said.get(str(row["column"]))
    words = {
        "leak": "predicts the target alone",
        "gap": "missing depends on the target",
        "vanish": "most used by the best model",
        "within": "the score tells its levels apart",
        "split": "orders the rows",
    }
    return words.get(remark.kind, "") if remark is not None else ""


def _assumptions(reading: Reading) -> kit.Facts:
    scenario = reading.scenario
    pairs: list[tuple[str, Any]] = [
        (
            "Target",
            kit.say(
                "{target}, read as {task}; {option} changes it",
                target=kit.code(str(reading.facts["target"])),
                task=str(reading.facts["task"]),
                option=kit.code("--task"),
            ),
        )
    ]
    if len(reading.classes) == 2:
        pairs.append(
            (
                "Class 1",
                kit.say(
                    "{label}; {option} changes it",
                    label=kit.code(_label(reading)),
                    option=kit.code("--positive"),
                ),
            )
        )
    split = "random folds, classes in their shares; --groups and --time change it"
    if scenario.get("test"):
        split = "all rows are learnt from, a test file judges"
    elif scenario.get("groups"):
        split = f"whole groups of {scenario['groups']}"
    elif scenario.get("time"):
        split = f"later rows by {scenario['time']} judge"
    pairs.append(("Folds", split))
    pairs.append(("Kinds", "from the cells; --kinds changes them"))
    if scenario["aside"]:
        names = [
            kit.code(kit.shorten(name, 40)) for name in list(scenario["aside"])[:6]
        ]
        pairs.append(
            (
                "Set aside",
                kit.join(names, ", ")
                + kit.say("; {option} takes one back", option=kit.code("--keep")),
            )
        )
    return kit.Facts(pairs)


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
        "not tested": f"Clusters reach {value} AUC; no labels were shuffled",
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
        downloads=[csv("drivers.csv", drivers[["column", "drop"]])],
    )


def models_section(reading: Reading, remarks: Sequence[Remark]) -> kit.Section:
    """Who clears the bar, and which differences are real."""
    caveats = caveats_of("models", remarks)
    if reading.best is None:
        return kit.Section(
            "models",
            "The models",
            "No model gave a value",
            lead="Every fit failed or the time was over before the first one ended.",
            blocks=[kit.Notice("Give it more time with --minutes, or fewer columns.")],
            caveats=caveats,
        )
    return kit.Section(
        "models",
        "The models",
        _models_heading(reading),
        lead=(
            "Each model learns on all folds but one and is judged on that one. "
            "Settings are the defaults, nothing was tuned."
        ),
        blocks=[
            model_dots(reading),
            _model_table(reading, remarks),
            *_split_table(reading),
        ],
        caveats=caveats,
    )


def _models_heading(reading: Reading) -> str:
    free = reading.free
    scores = list(reading.scores.values())
    if not reading.has_skill:
        return "No model does better than chance"
    bar = "a constant answer"
    clear = sum(reading.earned(one.value) > 0 for one in scores)
    if free is not None and not math.isnan(free.value):
        bar = "the free part"
        clear = sum(one.upper > free.value for one in scores)
    if clear == len(scores):
        first = f"Every model clears {bar}" if clear > 1 else f"It clears {bar}"
    elif clear == 0:
        first = f"No model clears {bar}"
    else:
        first = f"{kit.capital(kit.word(clear))} of {kit.word(len(scores))} clear {bar}"
    ties = [one for one in reading.differences if not one.is_real]
    if not reading.differences:
        return first
    if not ties:
        return f"{first}; the best is ahead of all others"
    if len(ties) == 1:
        return f"{first}; the two best cannot be told apart"
    return f"{first}; the best {kit.word(len(ties) + 1)} cannot be told apart"


def _model_table(reading: Reading, remarks: Sequence[Remark]) -> kit.Table:
    names = {"accuracy": "Accuracy", "log-loss": "Log-loss", "r2": "R²", "mae": "MAE"}
    further = [
        name
        for name in names
        if any(name in one.further for one in reading.scores.values())
    ][:2]
    free = reading.free
    with_room = free is not None and not math.isnan(free.value) and free.value < 1
    best_way: Any = "min" if reading.regression else "max"
    columns = [
        kit.Column("Model", "name"),
        kit.Column(
            reading.unit, best=best_way, sorted=True, term=f"term-{reading.measure}"
        ),
        kit.Column("95 % interval", term="term-interval"),
    ]
    if with_room:
        columns.append(kit.Column("Headroom used", best="max", term="term-headroom"))
    columns += [kit.Column(names[name], term=f"term-{name}") for name in further]
    columns += [kit.Column("Ties with the best", "text"), kit.Column("Fold, s")]
    ties = {one.other for one in reading.differences if not one.is_real}
    star = next(
        (
            f"caveat-{place}"
            for place, remark in enumerate(remarks, start=1)
            if remark.severity == "serious" and remark.section == "models"
        ),
        "",
    )
    rows = []
    for place, one in enumerate(reading.scores.values()):
        half = (one.high - one.low) / 2
        places = 3 if abs(one.value) < 10 else 1
        if not math.isnan(half):
            places = min(
                places, max(2 if abs(one.value) < 10 else 0, kit.decimals(half))
            )
        cells = [
            kit.Cell(one.title),
            kit.Cell(
                kit.fixed(one.value, places),
                value=one.value,
                tone="strong",
                star=star if place == 0 else "",
            ),
            kit.Cell(
                f"{kit.fixed(one.low, places)} to {kit.fixed(one.high, places)}"
                if not math.isnan(one.low)
                else "–"
            ),
        ]
        if with_room and free is not None:
            room = (one.upper - free.value) / (1 - free.value)
            cells.append(kit.Cell(kit.fixed(room, 2), value=room))
        for name in further:
            value = one.further.get(name, math.nan)
            cells.append(kit.Cell(kit.fixed(value, 3 if abs(value) < 10 else 1)))
        tie = "best" if place == 0 else "yes" if one.name in ties else "no"
        cells += [
            kit.Cell(tie, tone="muted"),
            kit.Cell(kit.significant(one.seconds), value=one.seconds),
        ]
        rows.append(kit.Row(cells))
    blank = kit.Cell()
    if reading.constant is not None:
        value = reading.constant.value
        cells = [
            kit.Cell("constant answer"),
            kit.Cell(kit.fixed(value, 3 if abs(value) < 10 else 1)),
        ]
        cells += [blank] * (len(columns) - 2)
        rows.append(kit.Row(cells, place="bottom"))
    return kit.Table(
        "models",
        kit.say("{unit} of every model over folds", unit=reading.unit),
        columns,
        rows,
        conditions="Headroom: share of what the free part leaves open. Ties: corrected "
        "resampled t-test against the best, level 0.05."
        if with_room
        else "Ties: corrected resampled t-test against the best, level 0.05.",
    )


def _split_table(reading: Reading) -> list[kit.Table]:
    if not reading.others or reading.best is None:
        return []
    rows = []
    for split in reading.others:
        for name, score in reading.scores.items():
            other = split.scores.get(name)
            if other is None:
                continue
            words = "whole groups of" if split.by == "groups" else "later rows by"
            rows.append(
                kit.Row(
                    [
                        kit.Cell(score.title),
                        kit.Cell(
                            kit.say(
                                "{words} {column}",
                                words=words,
                                column=kit.code(kit.shorten(split.column, 30)),
                            )
                        ),
                        kit.Cell(number(score.value), value=score.value),
                        kit.Cell(number(other.value), value=other.value, tone="strong"),
                    ]
                )
            )
    return [
        kit.Table(
            "splits",
            "The same models where rows are split in another way",
            [
                kit.Column("Model", "name"),
                kit.Column("Folds of", "text"),
                kit.Column("Random"),
                kit.Column("So", best="min" if reading.regression else "max"),
            ],
            rows,
            titled=True,
        )
    ]


def tomorrow_section(reading: Reading, remarks: Sequence[Remark]) -> kit.Section:
    """Say what breaks the models when columns vanish."""
    caveats = caveats_of("tomorrow", remarks)
    best = reading.best
    if best is None or not reading.shifted:
        return kit.Section(
            "tomorrow",
            "Tomorrow",
            "What happens when columns vanish is not known",
            lead="A fitted model meets rows whose columns are gone.",
            blocks=[
                kit.Notice("There was no time for it; give it more with --minutes.")
            ],
            caveats=caveats,
        )
    one = reading.shifted.get(best.name) or next(iter(reading.shifted.values()))
    lost = reading.sign * (one.closed - one.worst)
    earned = reading.earned(one.closed)
    share = lost / earned if earned > 0 else 0.0
    if not reading.has_skill:
        heading = "There is nothing to lose: no model does better than chance"
    elif share >= 0.5:
        heading = "One column carries the model; lose it and the advantage is gone"
    elif share >= 0.15:
        heading = (
            f"One lost column costs up to {number(lost)} {reading.unit}; "
            "no other matters as much"
        )
    else:
        heading = (
            f"No single column is missed much: {number(max(lost, 0.0))} "
            f"{reading.unit} at worst"
        )
    return kit.Section(
        "tomorrow",
        "Tomorrow",
        heading,
        lead="A fitted model meets rows from which columns have vanished. It is not "
        "fitted again, what is gone is filled in.",
        blocks=[
            decay_panels(reading),
            column_dots(reading),
            policy_dots(reading, one),
        ],
        caveats=caveats,
        wide=True,
    )
