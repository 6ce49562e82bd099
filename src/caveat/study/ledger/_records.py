"""Reading a ledger back: trials, rows of selection tables, curves, glossary.

Built for ledgers of 100,000 trials: records are read in chunks and parsed by pydantic's
reader (exact to the last bit, several times as fast as `json`), numbers go straight
into arrays, and names are stored once (categoricals). No row is parsed before its
digest has been checked: what is damaged is left out, and named.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa
from numpy.typing import NDArray
from pydantic_core import from_json
from sqlalchemy.engine import Connection

from caveat.study.ledger._damage import Proofs, in_parts, trials_query
from caveat.study.ledger._digests import Damage, digest_of, study_digest
from caveat.study.ledger._old_schema import in_todays_words
from caveat.study.ledger._schema import plan, result, trial
from caveat.study.registry import BASELINE
from caveat.study.topic import dataset_name
from caveat.study.trials._canonical import canonical

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
    damaged : list of Damage
        What is no longer as it was written, and therefore left out: such trials have
        the state ``damaged``, or no row if nobody knows what they were.
    proven : bool
        Whether every row was checked against its digest; an old ledger has none.
    """

    trials: pd.DataFrame
    rows: pd.DataFrame
    glossary: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    studies: dict[str, dict[str, Any]] = field(default_factory=dict)
    damaged: list[Damage] = field(default_factory=list)
    proven: bool = True
    _details: dict[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    @property
    def digest(self) -> str:
        """Digest of all these records: SHA-256 over the sorted digests of each."""
        return trials_digest(self.trials)

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


def trials_digest(trials: pd.DataFrame) -> str:
    """Return the digest of the records that these trials have."""
    if "digest" not in trials.columns:
        return study_digest([])
    digests = trials["digest"].dropna().astype(str)
    return study_digest(digests[digests != ""])


def read_records(
    connection: Connection,
    name: str | None,
    now: sa.ColumnElement[float],
    *,
    proven: bool,
) -> Records:
    """Read all records of one study, or of all.

    Parameters
    ----------
    connection : Connection
    name : str or None
    now : column element
        The database's clock.
    proven : bool
        Whether the ledger's rows carry digests.
    """
    with _no_collection():
        return _read(connection, name, now, proven=proven)


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
    connection: Connection,
    name: str | None,
    now: sa.ColumnElement[float],
    *,
    proven: bool,
) -> Records:
    proofs = Proofs(connection, proven=proven)
    specs = proofs.specs(name)
    trials: list[dict[str, Any]] = []
    worlds: list[dict[str, Any]] = []
    tables = _Tables()
    details: dict[str, Mapping[str, Any]] = {}
    damaged: list[Damage] = []
    for row in connection.execute(in_parts(_query(name, now))):
        fault = proofs.fault(row)
        if fault:
            damaged.append(Damage(row.key, fault, rerun=True))
            if "description" in fault:
                continue
        spec = in_todays_words(from_json(row.spec))
        facts = _trial_facts(row, spec, fault)
        facts.update(_cost(proofs, facts))
        trials.append(facts)
        worlds.append(spec["world"])
        if row.record is not None and not fault:
            record = from_json(row.record)
            tables.add(len(trials) - 1, record.pop("table"), spec)
            if record["curves"] or record["notes"] or record["digests"]:
                details[row.key] = record
    frame = _trials_frame(trials, worlds)
    words, lost = _glossary(proofs, set(frame["topic"]))
    return Records(
        trials=frame,
        rows=tables.frame(frame),
        glossary=words,
        studies={key: in_todays_words(from_json(specs[key])) for key in specs},
        damaged=damaged + lost,
        proven=proven,
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
    state = sa.func.coalesce(
        result.c.state, sa.case((held, "running"), else_="pending")
    )
    return (
        trials_query()
        .add_columns(members.c.study, state.label("found"))
        .join(members, members.c.key == trial.c.key)
    )


def _cost(proofs: Proofs, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Look up what the attempt that gave a trial's result has cost, and its error."""
    seconds, rss, host, versions, error = proofs.costs.get(
        (facts["key"], facts["state"]), (None,) * 5
    )
    found = {"seconds": seconds, "rss": rss, "host": host, "versions": versions}
    if error:
        told = from_json(error)
        found["message"] = told.get("message", "")
        found["frames"] = "\n".join(told.get("frames", []))
    return found


def _glossary(
    proofs: Proofs, topics: set[str]
) -> tuple[dict[tuple[str, str], dict[str, Any]], list[Damage]]:
    """Read what names mean in these topics; the words of eapp give way."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    damaged = []
    rows = sorted(
        proofs.glossary(),
        key=lambda one: (one[0].topic != BASELINE, *map(str, one[0][:3])),
    )
    for row, whole in rows:
        if row.topic not in topics:
            continue
        if not whole:
            what = f"what {row.kind} {row.name!r} means"
            damaged.append(Damage(what, "it is not what was written", rerun=True))
            continue
        facts = in_todays_words(from_json(row.facts))
        found[row.kind, row.name] = {"topic": row.topic, **facts}
    return found, damaged


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


def _trial_facts(row: Any, spec: Mapping[str, Any], fault: str) -> dict[str, Any]:
    stored = row[4:8]
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
        "state": "damaged" if fault else row.found,
        "reason": "damaged" if fault else row.reason or "",
        "message": fault,
        "frames": "",
        "configurations": len(spec["configurations"]),
        "group_size": spec["search"]["size"],
        "digest": "" if fault or stored[0] is None else _digest(row, stored),
    }


def _digest(row: Any, stored: Any) -> str:
    """Return a record's digest: the one just checked, or computed for an old one."""
    return row[8] or digest_of(result.name, *stored)


_TRIAL_COLUMNS = [
    *["key", "group", "study", "topic", "dataset", "learner", "params", "repeat"],
    *["world", "protocol", "state", "reason", "message", "frames", "configurations"],
    *["group_size", "seconds", "rss", "host", "versions", "digest"],
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
        lambda topics: (topics != BASELINE).any()
    )
    baseline = (frame["topic"] == BASELINE) & studied.astype(bool)
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
        # Trials have different columns: a new one is empty for all rows so far, and one
        # that was not there for a while catches up before it goes on.
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
