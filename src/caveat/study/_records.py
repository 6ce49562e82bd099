"""Reading a ledger back: trials, rows of selection tables, curves, glossary.

Built for ledgers of 100,000 trials: records are read in chunks and parsed by pydantic's
reader (exact to the last bit, several times as fast as `json`), numbers go straight
into arrays, and names are stored once (categoricals).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa
from numpy.typing import NDArray
from pydantic_core import from_json
from sqlalchemy.engine import Connection

from caveat.study._canonical import canonical
from caveat.study._schema import attempt, glossary, plan, result, study, trial

_CHUNK = 2_000
_IDENTITY = ["key", "group", "study", "topic", "dataset", "learner", "repeat", "world"]


@dataclass(frozen=True)
class Records:
    """Everything a report reads.

    Attributes
    ----------
    trials : DataFrame
        One row per trial: what it was, how it ended, what it cost.
    rows : DataFrame
        One row per line of a selection table.
    glossary : dict of (kind, name) to dict
        What names meant at run time: titles, directions, warnings.
    studies : dict of str to dict
        The specs of the studies.
    """

    trials: pd.DataFrame
    rows: pd.DataFrame
    glossary: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    studies: dict[str, dict[str, Any]] = field(default_factory=dict)
    _details: dict[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    def curves(self, name: str) -> pd.DataFrame:
        """Return the named curve of all trials, with identifying columns in front."""
        found = [
            {"key": key, **row}
            for key, detail in self._details.items()
            for row in detail["curves"].get(name, [])
        ]
        if not found:
            return pd.DataFrame(columns=_IDENTITY)
        identity = self.trials[_IDENTITY]
        return identity.merge(pd.DataFrame(found), on="key", how="right")

    @cached_property
    def curve_names(self) -> list[str]:
        """Names of all curves that were recorded."""
        return sorted(
            {name for item in self._details.values() for name in item["curves"]}
        )

    def notes(self) -> dict[str, list[str]]:
        """Return notes by trial key."""
        return {
            key: item["notes"] for key, item in self._details.items() if item["notes"]
        }

    def digests(self) -> pd.DataFrame:
        """Digests of splits, bags and the like, one row per trial."""
        rows = [
            {"key": key, **item["digests"]}
            for key, item in self._details.items()
            if item["digests"]
        ]
        return pd.DataFrame(rows, columns=None if rows else ["key"])


def read_records(
    connection: Connection, name: str | None, now: sa.ColumnElement[float]
) -> Records:
    """Read all records of one study, or of all."""
    with _no_collection():
        return _read(connection, name, now)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector from walking millions of plain numbers."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read(
    connection: Connection, name: str | None, now: sa.ColumnElement[float]
) -> Records:
    costs = _read_costs(connection)
    trials: list[dict[str, Any]] = []
    worlds: list[dict[str, Any]] = []
    tables = _Tables()
    details: dict[str, Mapping[str, Any]] = {}
    for row in connection.execution_options(yield_per=_CHUNK).execute(
        _query(name, now)
    ):
        spec = from_json(row.spec)
        facts = _trial_facts(row, spec)
        facts.update(costs.get(row.key, _NO_COST))
        trials.append(facts)
        worlds.append(spec["world"])
        if row.record is not None:
            record = from_json(row.record)
            tables.add(len(trials) - 1, record.pop("table"), spec)
            if record["curves"] or record["notes"] or record["digests"]:
                details[row.key] = record
    frame = _trials_frame(trials, worlds)
    return Records(
        trials=frame,
        rows=tables.frame(frame),
        glossary=_read_glossary(connection, set(frame["topic"])),
        studies=_read_studies(connection, name),
        _details=details,
    )


def _query(name: str | None, now: sa.ColumnElement[float]) -> sa.Select[Any]:
    """Trials with their results in key order, each once, with its first study."""
    wanted = sa.select(plan.c.key, sa.func.min(plan.c.study).label("study")).where(
        plan.c.place.is_not(None)
    )
    if name is not None:
        wanted = wanted.where(plan.c.study == name)
    members = wanted.group_by(plan.c.key).subquery()
    held = sa.and_(trial.c.owner.is_not(None), trial.c.expires >= now)
    return (
        sa.select(
            trial.c.key,
            trial.c.search,
            trial.c.spec,
            members.c.study,
            sa.func.coalesce(
                result.c.state, sa.case((held, "running"), else_="pending")
            ).label("state"),
            result.c.record,
            result.c.reason,
            result.c.error,
        )
        .join(members, members.c.key == trial.c.key)
        .outerjoin(result, result.c.key == trial.c.key)
        .order_by(trial.c.key)
    )


_NO_COST: dict[str, Any] = {
    "seconds": None,
    "rss": None,
    "host": None,
    "versions": None,
}


def _read_costs(connection: Connection) -> dict[str, dict[str, Any]]:
    """Read what the attempt that gave each trial's result has cost."""
    query = (
        sa.select(
            attempt.c.key,
            attempt.c.seconds,
            attempt.c.rss,
            attempt.c.host,
            attempt.c.versions,
        )
        .join(result, result.c.key == attempt.c.key)
        .where(attempt.c.outcome == result.c.state)
        .order_by(attempt.c.id)
    )
    return {
        key: {"seconds": seconds, "rss": rss, "host": host, "versions": versions}
        for key, seconds, rss, host, versions in connection.execute(query)
    }


def _read_glossary(
    connection: Connection, topics: set[str]
) -> dict[tuple[str, str], dict[str, Any]]:
    """Read what names mean in these topics; the baseline's words give way."""
    query = sa.select(glossary).where(glossary.c.topic.in_(sorted(topics)))
    rows = connection.execute(query).all()
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: (row.topic != "eapp", *row)):
        found[row.kind, row.name] = {"topic": row.topic, **from_json(row.facts)}
    return found


def _read_studies(
    connection: Connection, name: str | None
) -> dict[str, dict[str, Any]]:
    query = sa.select(study.c.name, study.c.spec).order_by(study.c.name)
    if name is not None:
        query = query.where(study.c.name == name)
    return {found: from_json(spec) for found, spec in connection.execute(query)}


def dataset_name(reference: str | Mapping[str, Any]) -> str:
    """Return how pages call a data set: its name, or its file's."""
    return reference if isinstance(reference, str) else Path(reference["file"]).name


def world_text(world: Mapping[str, Any]) -> str:
    """Write a scenario in one line.

    Examples
    --------
    >>> world_text({"variant": "naive", "n_bags": 5})
    'variant=naive, n_bags=5'
    """
    return ", ".join(
        f"{key}={value if isinstance(value, str) else canonical(value)}"
        for key, value in world.items()
    )


def _trial_facts(row: Any, spec: Mapping[str, Any]) -> dict[str, Any]:
    error = from_json(row.error) if row.error else {}
    return {
        "key": row.key,
        "group": row.search,
        "study": row.study,
        "topic": spec["topic"],
        "dataset": dataset_name(spec["dataset"]["reference"]),
        "learner": spec["learner"]["name"],
        "params": canonical(spec["learner"]["params"] or {}),
        "repeat": spec["repeat"],
        "world": world_text(spec["world"]),
        "protocol": spec["protocol"],
        "state": row.state,
        "reason": row.reason or "",
        "message": error.get("message", ""),
        "frames": "\n".join(error.get("frames", [])),
        "configurations": len(spec["configurations"]),
        "group_size": spec["search"]["size"],
    }


_TRIAL_COLUMNS = [
    *["key", "group", "study", "topic", "dataset", "learner", "params", "repeat"],
    *["world", "protocol", "state", "reason", "message", "frames", "configurations"],
    *["group_size", "seconds", "rss", "host", "versions"],
]


def _trials_frame(
    trials: list[dict[str, Any]], worlds: list[dict[str, Any]]
) -> pd.DataFrame:
    frame = pd.DataFrame(trials, columns=_TRIAL_COLUMNS)
    for column in ("seconds", "rss"):
        frame[column] = frame[column].astype(float)
    names = dict.fromkeys(name for world in worlds for name in world)
    scenario = {
        f"scenario.{name}": pd.Series(
            [world.get(name) for world in worlds], index=frame.index, dtype=object
        )
        for name in names
    }
    studied = frame.groupby("study")["topic"].transform(
        lambda topics: (topics != "eapp").any()
    )
    baseline = (frame["topic"] == "eapp") & studied.astype(bool)
    return pd.concat(
        [frame, pd.DataFrame(scenario), baseline.rename("baseline")], axis=1
    )


class _Tables:
    """Collects selection tables into few large arrays."""

    def __init__(self) -> None:
        self._owners: list[int] = []
        self._lengths: list[int] = []
        self._params: dict[str, int] = {}
        self._param_codes: list[int] = []
        self._pending: dict[str, list[Any]] = {}
        self._pending_rows = 0
        self._total = 0
        self._parts: dict[str, list[tuple[int, NDArray]]] = {}

    def add(
        self, owner: int, table: Mapping[str, list[Any]], spec: Mapping[str, Any]
    ) -> None:
        count = len(table["config"])
        self._owners.append(owner)
        self._lengths.append(count)
        codes = {
            index: self._code({**spec["learner"]["params"], **params})
            for index, params in spec["configurations"]
        }
        self._param_codes.extend([codes.get(index, -1) for index in table["config"]])
        for name, values in table.items():
            known = self._pending.get(name)
            if known is None:
                known = self._pending[name] = [None] * self._pending_rows
            elif len(known) < self._pending_rows:
                known.extend([None] * (self._pending_rows - len(known)))
            known.extend(values)
        self._pending_rows += count
        if self._pending_rows >= 100_000:
            self._flush()

    def _code(self, params: Mapping[str, Any]) -> int:
        """Give distinct settings numbers, so that their texts are stored once."""
        text = canonical(params) if params else "{}"
        return self._params.setdefault(text, len(self._params))

    def _flush(self) -> None:
        for name, values in self._pending.items():
            values.extend([None] * (self._pending_rows - len(values)))
            self._parts.setdefault(name, []).append((self._total, _as_array(values)))
        self._total += self._pending_rows
        self._pending, self._pending_rows = {}, 0

    def frame(self, trials: pd.DataFrame) -> pd.DataFrame:
        """Assemble the frame: names as categoricals, numbers as floats."""
        self._flush()
        owners = np.repeat(np.asarray(self._owners, dtype=np.intp), self._lengths)
        columns: dict[str, Any] = {}
        for name in _IDENTITY:
            values = trials[name]
            columns[name] = (
                values.to_numpy()[owners]
                if name == "repeat"
                else pd.Categorical(values).take(owners)
            )
        columns["params"] = pd.Categorical.from_codes(
            np.asarray(self._param_codes, dtype=np.int32), pd.Index(list(self._params))
        )
        for name in ["config", "checkpoint", *sorted(self._parts)]:
            if name not in columns:
                columns[name] = self._column(name)
        columns["config"] = columns["config"].astype(np.int64)
        return pd.DataFrame(columns)

    def _column(self, name: str) -> NDArray:
        parts = self._parts.get(name, [])
        texts = any(values.dtype == object for _, values in parts)
        column = np.full(
            self._total, None if texts else np.nan, dtype=object if texts else float
        )
        for start, values in parts:
            column[start : start + len(values)] = values
        return column


def _as_array(values: list[Any]) -> NDArray:
    # A column or a class may be called "126": a text stays one.
    if str in set(map(type, values)):
        return np.array(values, dtype=object)
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.array(values, dtype=object)
