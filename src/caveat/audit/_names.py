"""A page for other eyes: columns, classes, file and target without their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from caveat.audit._reading import Reading


def without_names(reading: Reading) -> Reading:
    """Replace every name of the user's by a number, in the order of the table."""
    columns = _numbered(_columns_of(reading), "column")
    classes = _numbered(
        [str(label) for label in reading.classes.get("label", [])], "class"
    )
    scenario = dict(reading.scenario)
    scenario["aside"] = {columns[k]: v for k, v in scenario["aside"].items()}
    for role in ("groups", "time", "weights"):
        if scenario.get(role):
            scenario[role] = columns[str(scenario[role])]
    scenario["strata"] = [columns[name] for name in scenario["strata"]]
    labels = reading.classes
    if len(labels):
        labels = labels.assign(label=labels["label"].astype(str).map(classes))
    free = reading.free
    if free is not None:
        free = replace(free, drivers=_renamed(free.drivers, columns))
    return replace(
        reading,
        facts={**reading.facts, "file": "the file", "target": "the target"},
        spec={**reading.spec, "scenario": scenario},
        columns=_renamed(reading.columns, columns),
        classes=labels,
        free=free,
        shifted={
            name: replace(
                one,
                most_used=columns[one.most_used],
                single=one.single.rename(index=columns),
            )
            for name, one in reading.shifted.items()
        },
        others=[replace(one, column=columns[one.column]) for one in reading.others],
        within=_renamed(reading.within, columns),
    )


def _columns_of(reading: Reading) -> list[str]:
    scenario = reading.scenario
    found = [str(name) for name in reading.columns.get("column", [])]
    found += [str(name) for name in scenario["aside"]]
    found += [
        str(scenario[r]) for r in ("groups", "time", "weights") if scenario.get(r)
    ]
    found += [str(name) for name in scenario["strata"]]
    for one in reading.shifted.values():
        found += [one.most_used, *map(str, one.single.index)]
    found += [one.column for one in reading.others]
    if reading.free is not None:
        found += [str(name) for name in reading.free.drivers.get("column", [])]
    return found


def _numbered(names: list[str], word: str) -> dict[str, str]:
    return {
        name: f"{word} {number}"
        for number, name in enumerate(sorted(set(names)), start=1)
    }


def _renamed(frame: pd.DataFrame, names: Mapping[str, Any]) -> pd.DataFrame:
    if "column" not in frame:
        return frame
    return frame.assign(column=frame["column"].astype(str).map(names))
