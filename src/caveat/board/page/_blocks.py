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
    """Return names as the study file lists them, whether plain or with settings."""
    found = []
    for item in spec.get(key) or []:
        if isinstance(item, Mapping):
            item = item.get("name") or str(item.get("file", "")).rsplit("/", 1)[-1]
        found.append(str(item))
    return found


def in_order(names: Iterable[str], wanted: Sequence[str]) -> list[str]:
    """Sort names as they are wanted; the others by name behind them."""
    place = {name: number for number, name in enumerate(dict.fromkeys(wanted))}
    return sorted(names, key=lambda one: (place.get(one, len(place)), natural(one)))


def find_blocks(
    trials: pd.DataFrame, spec: Mapping[str, Any]
) -> tuple[pd.DataFrame, str]:
    """List the data sets and worlds, grouped by the factor that says most.

    Returns
    -------
    blocks : DataFrame
        ``dataset``, ``world``, ``level`` (of the factor), ``label``, and the settings
        of the scenario that vary.
    factor : str
        Name of the factor; empty if nothing has few enough levels.
    """
    scenario = [
        name
        for name in trials.columns
        if name.startswith("scenario.") and trials[name].notna().any()
    ]
    frame = trials[["dataset", "world", *scenario]].astype(object)
    frame = frame.loc[~frame.duplicated(["dataset", "world"])].map(_text)
    levels = {name: set(frame[name]) - {""} for name in (*scenario, "dataset")}
    factors = [name for name in levels if len(levels[name]) > 1]
    few = [name for name in factors if len(levels[name]) <= _MOST_LEVELS]
    # Words say more than numbers, worlds more than data sets, many more than few.
    few.sort(
        key=lambda name: (
            name == "dataset",
            _is_counted(levels[name]),
            -len(levels[name]),
        )
    )
    factor = few[0] if few else ""
    order = [*few[:1], *(name for name in factors if name != factor)]
    orders = {name: _level_order(name, spec) for name in order}

    def key(row: dict[Any, Any]) -> list[Any]:
        return [
            (orders[name].get(row[name], len(orders[name])), natural(row[name]))
            for name in order
        ] + [natural(row["world"])]

    rows = sorted(frame.to_dict("records"), key=key)
    frame = pd.DataFrame(rows, columns=frame.columns)
    frame["level"] = frame[factor].replace("", "none") if factor else ""
    frame["label"] = [_label(row, order) for row in rows]
    kept = ["dataset", "world", "level", "label", *(f for f in order if f != "dataset")]
    return frame[kept], bare_name(factor)


def bare_name(column: str) -> str:
    """Return what a column of blocks is called on a page."""
    return "data set" if column == "dataset" else column.removeprefix("scenario.")


def told(name: str, value: str) -> str:
    """Write a setting so that it can be understood alone: numbers need their name.

    Examples
    --------
    >>> told("variant", "hard"), told("n_bags", "5")
    ('hard', 'n_bags 5')
    """
    return f"{name} {value}" if _is_counted({value}) else value


def _label(row: Mapping[Any, Any], order: Sequence[str]) -> str:
    parts = [told(bare_name(name), row[name]) for name in order if row[name]]
    return ", ".join(parts) or row["world"] or row["dataset"]


def _is_counted(values: Iterable[str]) -> bool:
    """Whether all values are numbers or switches, which mean nothing by themselves."""
    plain = [value.lstrip("-").replace(".", "", 1) for value in values]
    return all(one.isdigit() or one in ("True", "False") for one in plain)


def _text(value: Any) -> str:
    """Write a setting; whole numbers lose the point that a missing one gave them."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def _level_order(column: str, spec: Mapping[str, Any]) -> dict[str, int]:
    if column == "dataset":
        listed: Any = listed_names(spec, "datasets")
    else:
        listed = (spec.get("scenario") or {}).get(column.removeprefix("scenario."), [])
    values = listed if isinstance(listed, list) else [listed]
    return {str(value): place for place, value in enumerate(values)}
