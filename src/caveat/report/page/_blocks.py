"""Data sets and worlds in reading order, and the names that order them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

_MOST_LEVELS = 6
_DIGITS = re.compile(r"(\d+)")


def natural(text: object) -> list[tuple[int, Any]]:
    """Key that sorts 2 before 10, and "a2" before "a10"."""
    parts = _DIGITS.split(str(text))
    return [(0, int(part)) if part.isdigit() else (1, part.lower()) for part in parts]


def listed_names(spec: Mapping[str, Any], key: str) -> list[str]:
    """Names as the study file lists them, whether plain or with settings."""
    found = []
    for item in spec.get(key) or []:
        if isinstance(item, Mapping):
            item = item.get("name") or str(item.get("file", "")).rsplit("/", 1)[-1]
        found.append(str(item))
    return found


def in_order(names: Iterable[str], wanted: Sequence[str]) -> list[str]:
    place = {name: number for number, name in enumerate(dict.fromkeys(wanted))}
    return sorted(names, key=lambda one: (place.get(one, len(place)), natural(one)))


def find_blocks(
    trials: pd.DataFrame, spec: Mapping[str, Any]
) -> tuple[pd.DataFrame, str]:
    """List the data sets and worlds, grouped by the first factor with few levels."""
    scenario = [
        name
        for name in trials.columns
        if name.startswith("scenario.") and trials[name].notna().any()
    ]
    frame = trials[["dataset", "world", *scenario]].astype(object)
    frame = frame.loc[~frame.duplicated(["dataset", "world"])].map(_text)
    varying = [name for name in scenario if frame[name].nunique() > 1]
    factors = sorted(varying, key=lambda name: _place(name, spec))
    if frame["dataset"].nunique() > 1:
        factors = [*factors, "dataset"]
    factor = next((f for f in factors if 2 <= frame[f].nunique() <= _MOST_LEVELS), "")
    order = [factor, *(f for f in factors if f != factor)] if factor else factors
    orders = {name: _level_order(name, spec) for name in order}

    def key(row: dict[Any, Any]) -> list[Any]:
        return [
            (orders[name].get(row[name], len(orders[name])), natural(row[name]))
            for name in order
        ] + [natural(row["world"])]

    rows = sorted(frame.to_dict("records"), key=key)
    frame = pd.DataFrame(rows, columns=frame.columns)
    frame["level"] = frame[factor] if factor else ""
    frame["label"] = [
        ", ".join(row[name] for name in order) or row["world"] or row["dataset"]
        for row in rows
    ]
    kept = ["dataset", "world", "level", "label", *(f for f in order if f != "dataset")]
    return frame[kept], factor.removeprefix("scenario.").replace("dataset", "data set")


def _text(value: Any) -> str:
    """Write a setting; whole numbers lose the point that a missing one gave them."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def _place(column: str, spec: Mapping[str, Any]) -> tuple[int, str]:
    names = list(spec.get("scenario") or {})
    name = column.removeprefix("scenario.")
    return (names.index(name) if name in names else len(names), "")


def _level_order(column: str, spec: Mapping[str, Any]) -> dict[str, int]:
    if column == "dataset":
        listed: Any = listed_names(spec, "datasets")
    else:
        listed = (spec.get("scenario") or {}).get(column.removeprefix("scenario."), [])
    values = listed if isinstance(listed, list) else [listed]
    return {str(value): place for place, value in enumerate(values)}
