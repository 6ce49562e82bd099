"""Comparing two ledgers: which trials they share, and which numbers differ."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from caveat.study.ledger._export import tidy
from caveat.study.ledger._records import Records


@dataclass(frozen=True)
class Difference:
    """One cell in which two ledgers differ."""

    key: str
    where: str
    first: str
    second: str


@dataclass(frozen=True)
class Comparison:
    """What two ledgers have in common, and what not."""

    shared: int
    only_first: int
    only_second: int
    compared: int
    differences: list[Difference] = field(default_factory=list)


def compare(first: Records, second: Records, *, tolerance: float = 0.0) -> Comparison:
    """Compare the results of two ledgers trial by trial.

    Parameters
    ----------
    first, second : Records
    tolerance : float
        Largest absolute difference of two numbers that counts as equal.

    Returns
    -------
    Comparison
        Differences in key order. States and texts must be the same, numbers
        within the tolerance, and undefined cells undefined in both.
    """
    left, right = (_indexed(records) for records in (first, second))
    keys = [set(frame.index.get_level_values("key")) for frame in (left, right)]
    shared = keys[0] & keys[1]
    left, right = (
        frame[frame.index.get_level_values("key").isin(list(shared))]
        for frame in (left, right)
    )
    columns = sorted(
        name
        for name in {*left.columns, *right.columns}
        if "." in name or name in ("state", "reason")
    )
    index = left.index.union(right.index)
    differences: list[Difference] = []
    for name in columns:
        pair = [
            frame.reindex(index)[name]
            if name in frame.columns
            else pd.Series(np.nan, index=index)
            for frame in (left, right)
        ]
        for place in np.flatnonzero(_differs(pair[0], pair[1], tolerance)):
            key, config, checkpoint = index[int(place)]
            where = f"{name}, configuration {config:g}"
            if not np.isnan(checkpoint):
                where += f", checkpoint {checkpoint:g}"
            values = [_shown(side.iloc[place]) for side in pair]
            differences.append(Difference(key, where, *values))
    return Comparison(
        shared=len(shared),
        only_first=len(keys[0] - shared),
        only_second=len(keys[1] - shared),
        compared=len(index) * len(columns),
        differences=sorted(differences, key=lambda item: (item.key, item.where)),
    )


def _indexed(records: Records) -> pd.DataFrame:
    frame = tidy(records)
    for name in ("config", "checkpoint"):
        frame[name] = frame[name].astype(float)
    frame["config"] = frame["config"].fillna(-1.0)
    return frame.set_index(["key", "config", "checkpoint"])


def _differs(first: pd.Series, second: pd.Series, tolerance: float) -> np.ndarray:
    absent = first.isna().to_numpy() & second.isna().to_numpy()
    try:
        a, b = (side.to_numpy(dtype=float) for side in (first, second))
    except (TypeError, ValueError):
        return (first.astype(str) != second.astype(str)).to_numpy() & ~absent
    one = np.isnan(a) != np.isnan(b)
    with np.errstate(invalid="ignore"):
        return (one | (np.abs(a - b) > tolerance)) & ~absent


def _shown(value: object) -> str:
    return "absent" if value is None or value != value else f"{value}"
