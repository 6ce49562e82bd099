"""The data: what was found in the table, and what was assumed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from caveat import pages as kit
from caveat.audit._margin import caveats_of
from caveat.audit._reading import Reading
from caveat.audit._remark import Remark, number

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
    "another target": "set aside: another target",
    "makes the groups": "set aside: makes the groups",
    "holds candidates": "set aside: holds candidate labels",
}

_MOST_COLUMNS = 12


def data_section(reading: Reading, remarks: Sequence[Remark]) -> kit.Section:
    """Say what was found in the table, and what was assumed."""
    table = reading.table
    rows = kit.count(int(table.get("rows", reading.facts["whole-rows"])))
    count = int(table.get("columns", 0))
    aside = reading.scenario["aside"]
    parts: list[kit.Words] = [f"{rows} rows", kit.plural(count, "column")]
    if not reading.single:
        parts += _weaker_parts(reading)
    elif reading.regression:
        parts.append(f"median {number(float(table.get('target-median', math.nan)))}")
    elif len(reading.classes) == 2:
        share = reading.classes["rows"].iloc[1] / max(1, reading.classes["rows"].sum())
        label = kit.code(_label(reading))
        parts.append(kit.say("{share} {label}", share=kit.percent(share), label=label))
    else:
        parts.append(f"{kit.count(len(reading.classes))} classes")
    heading = kit.join(parts, ", ")
    if aside:
        many = "one column" if len(aside) == 1 else f"{kit.word(len(aside))} columns"
        heading = heading + f"; {many} set aside"
    return kit.Section(
        "data",
        "The data",
        heading,
        lead=_assumed(reading),
        blocks=[*_column_tables(reading, remarks), _assumptions(reading)],
        caveats=caveats_of("data", remarks, set(_stars(reading, remarks).values())),
    )


def _weaker_parts(reading: Reading) -> list[str]:
    """Say how many targets there are, or how many classes the candidates name."""
    found = []
    if reading.targets is not None:
        found.append(f"{kit.word(reading.targets.count)} targets")
        found.append(f"{reading.targets.per_row:.1f} of them a row")
    elif reading.scenario["targets"]:
        found.append(f"{kit.word(len(reading.scenario['targets']))} targets")
    if reading.sets is not None:
        found.append(f"{kit.word(int(reading.sets.facts['classes']))} classes")
        found.append(f"{float(reading.sets.facts['mean-size']):.1f} candidates a row")
    return found


def _stars(reading: Reading, remarks: Sequence[Remark]) -> dict[str, str]:
    """Return the caveat of each column whose number is shown with a star."""
    known = reading.columns
    if not len(known):
        return {}
    shown = set(known.dropna(subset=["alone"])["column"].astype(str))
    found: dict[str, str] = {}
    for place, remark in enumerate(remarks, start=1):
        if remark.section == "data" and remark.column in shown:
            found.setdefault(remark.column, f"caveat-{place}")
    return found


def _label(reading: Reading) -> str:
    return kit.shorten(str(reading.classes["label"].iloc[1]), 18)


def _assumed(reading: Reading) -> str:
    tasks = {
        "binary": "two classes",
        "multiclass": "several classes",
        "regression": "numbers",
    }
    if reading.single:
        words = f"The target was read as {tasks[str(reading.facts['task'])]}. "
    else:
        words = "There is no single target, so no score of one model stands here. "
    return words + "Everything assumed here can be changed by an option."


def _column_tables(
    reading: Reading, remarks: Sequence[Remark]
) -> list[kit.Table | kit.Notice]:
    known = reading.columns
    if not len(known):
        return [kit.Notice("The columns were not looked at: the time was over.")]
    said = {remark.column: remark for remark in reversed(remarks) if remark.column}
    used = _most_used(reading)
    stars = _stars(reading, remarks)
    order = known.assign(
        first=[
            str(row["column"]) in {*said, *used} or bool(row["aside"])
            for row in known.to_dict("records")
        ]
    ).sort_values(["first", "alone"], ascending=[False, False], kind="stable")
    columns = [
        kit.Column("Column", "name"),
        kit.Column("Read as", "text"),
        kit.Column("Missing", best="max"),
    ]
    if reading.single:
        alone = "Alone, R²" if reading.regression else "Alone, AUC"
        columns.append(kit.Column(alone, best="max", term="term-alone"))
    seen = [
        _seen(row, said, used) for row in order.head(_MOST_COLUMNS).to_dict("records")
    ]
    if any(seen):
        columns.append(kit.Column("Seen", "text"))
    rows = [
        kit.Row(
            [
                kit.Cell(kit.code(kit.shorten(str(row["column"]), 40))),
                kit.Cell(_read_as(row)),
                kit.Cell(
                    kit.percent(float(row["missing"])), value=float(row["missing"])
                ),
                *([_alone(row, stars)] if reading.single else []),
                *([kit.Cell(words, tone="muted")] if any(seen) else []),
            ]
        )
        for row, words in zip(
            order.head(_MOST_COLUMNS).to_dict("records"), seen, strict=True
        )
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
            + ("Alone: bins of one column, judged on other rows." * reading.single),
            downloads=[kit.Download.csv("table.csv", public)],
        )
    ]


def _read_as(row: Mapping[Any, Any]) -> str:
    kind = _KINDS.get(str(row["kind"]), str(row["kind"]))
    if str(row["aside"]) == "identifier":
        kind = "identifier"
    if kind == "category":
        return f"category, {kit.count(int(row['distinct']))}"
    return kind


def _alone(row: Mapping[Any, Any], stars: dict[str, str]) -> kit.Cell:
    value = row["alone"]
    if value is None or value != value:
        return kit.Cell("–", tone="muted")
    star = stars.get(str(row["column"]), "")
    return kit.Cell(kit.fixed(float(value), 2), value=float(value), star=star)


def _most_used(reading: Reading) -> dict[str, str]:
    """Return the column that each model misses most, and who that is."""
    found: dict[str, list[str]] = {}
    for one in reading.shifted.values():
        found.setdefault(one.most_used, []).append(one.title)
    return {column: f"most used by {who[0]}" for column, who in found.items()} | {
        column: "most used by several models"
        for column, who in found.items()
        if len(who) > 1
    }


def _seen(row: Mapping[Any, Any], said: dict[str, Remark], used: dict[str, str]) -> str:
    if row["aside"]:
        words = _ASIDE.get(str(row["aside"]), str(row["aside"]))
        if row["aside"] in ("identifier", "names a group"):
            words += f", {kit.count(int(row['distinct']))} values"
        return words
    remark = said.get(str(row["column"]))
    meanings = {
        "leak": "predicts the target alone",
        "gap": "missing depends on the target",
        "within": "the score tells its levels apart",
        "split": "orders the rows",
    }
    kind = remark.kind if remark is not None else ""
    return meanings.get(kind, used.get(str(row["column"]), ""))


def _assumptions(reading: Reading) -> kit.Facts:
    scenario = reading.scenario
    pairs: list[tuple[str, Any]] = []
    if scenario["targets"]:
        names = [kit.code(kit.shorten(str(name), 40)) for name in scenario["targets"]]
        more = f" and {len(names) - 8} more" if len(names) > 8 else ""
        pairs.append(("Targets", kit.join(names[:8], ", ") + more))
    if reading.single:
        pairs.insert(0, _target_pair(reading))
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
    what = "classes" if reading.single else "labels"
    split = f"random folds, {what} in their shares; --groups and --time change it"
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


def _target_pair(reading: Reading) -> tuple[str, kit.Prose]:
    return (
        "Target",
        kit.say(
            "{target}, read as {task}; {option} changes it",
            target=kit.code(str(reading.facts["target"])),
            task=str(reading.facts["task"]),
            option=kit.code("--task"),
        ),
    )
