"""The table itself: its columns one by one, its copies, what is missing where."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.audit._alone import levels_of, score_alone
from caveat.audit._table import Table

Row = dict[str, Any]

_MOST_ROWS = 5_000
_MOST_CELLS = 20_000_000
_MOST_LISTED = 1_500
_NO_GAP: Row = {"gap_high": None, "gap_low": None, "gap_p": None}


def examine(table: Table, look: Mapping[str, Any]) -> tuple[Row, list[Row], list[Row]]:
    """Describe a table without quoting a cell of it.

    Parameters
    ----------
    table : Table
    look : mapping
        ``aside`` (columns and why), ``seed``.

    Returns
    -------
    facts : dict
        Rows, columns, copies, quantiles of a target of numbers.
    columns : list of dict
        ``column, kind, missing, distinct, alone, gap_high, gap_low, gap_p, aside``.
    classes : list of dict
        ``label, rows``.

    Warnings
    --------
    What a column tells alone is read off bins of it, on at most 5,000 rows; two columns
    that tell something only together stay unseen.
    """
    learnt = np.flatnonzero(~table.held)
    facts = _facts(table, learnt)
    single = look.get("single", True)
    if look.get("screen"):
        facts["columns"] = look["screen"]["of"]
    rows = _some(learnt, table, look["seed"])
    upper = table.upper[rows]
    high = upper == 1 if len(table.classes) in (0, 2) else upper == _largest(upper)
    found = []
    for name in table.whole.columns:
        column = table.whole[name].iloc[rows]
        missing = column.isna().to_numpy()
        entry: Row = {
            "column": str(name),
            "kind": "date" if name in table.dates else table.kinds[name],
            "missing": float(table.whole[name].iloc[learnt].isna().mean()),
            "distinct": int(table.whole[name].iloc[learnt].nunique()),
            "aside": look["aside"].get(name, _role(name, look)),
            "alone": None,
            **(_gap(missing, high) if single else _NO_GAP),
        }
        if single and name in table.X.columns and missing.mean() < 1:
            levels = levels_of(column, table.kinds[name] == "categorical")
            entry["alone"] = _known(
                score_alone(
                    levels,
                    table.y[rows],
                    regression=not table.classes,
                    seed=look["seed"],
                )
            )
        found.append(entry)
    found.sort(key=lambda one: -(one["alone"] if one["alone"] is not None else -9.0))
    facts["listed"] = min(len(found), _MOST_LISTED)
    found = [one for one in found if one["aside"] or one["gap_p"] is not None][
        : _MOST_LISTED // 3
    ] + found[:_MOST_LISTED]
    distinct = {one["column"]: one for one in found}
    counts = np.bincount(table.upper[learnt])
    classes = (
        []
        if not single
        else [
            {"label": label, "rows": int(counts[code]) if code < len(counts) else 0}
            for code, label in enumerate(table.classes)
        ]
    )
    return facts, list(distinct.values()), classes


def _some(learnt: NDArray[np.intp], table: Table, seed: int) -> NDArray[np.intp]:
    most = max(500, min(_MOST_ROWS, _MOST_CELLS // max(1, table.whole.shape[1])))
    if len(learnt) <= most:
        return learnt
    return np.sort(np.random.default_rng(seed).choice(learnt, most, replace=False))


def _facts(table: Table, learnt: NDArray[np.intp]) -> Row:
    copies, same = table.copies[learnt], table.same_features[learnt]
    distinct = len(np.unique(copies))
    # Rows that agree in every feature but not in the target.
    pairs = np.unique(np.stack([same, copies]), axis=1)[0]
    torn = np.unique(pairs)[np.unique(pairs, return_counts=True)[1] > 1]
    facts: Row = {
        "rows": len(learnt),
        "test-rows": int(table.held.sum()),
        "columns": table.whole.shape[1],
        "features": table.X.shape[1],
        "copies": len(learnt) - distinct,
        "contradictions": int(np.isin(same, torn).sum()),
        "missing-cells": float(table.X.iloc[learnt].isna().to_numpy().mean()),
    }
    if table.held.any():
        seen = set(table.copies[learnt].tolist())
        facts["test-copies"] = sum(
            one in seen for one in table.copies[table.held].tolist()
        )
    if not table.classes:
        names = ("low", "quarter", "median", "three-quarters", "high")
        for name, share in zip(names, (0.05, 0.25, 0.5, 0.75, 0.95), strict=True):
            facts[f"target-{name}"] = float(np.quantile(table.y[learnt], share))
    return facts


def _gap(missing: NDArray[np.bool_], high: NDArray[np.bool_]) -> Row:
    """Compare how much is missing in two parts of the rows (two proportions, z)."""
    n_high, n_low = int(high.sum()), int((~high).sum())
    if not missing.any() or n_high < 10 or n_low < 10:
        return dict(_NO_GAP)
    a, b = float(missing[high].mean()), float(missing[~high].mean())
    share = float(missing.mean())
    error = math.sqrt(share * (1 - share) * (1 / n_high + 1 / n_low))
    if error == 0:
        return dict(_NO_GAP)
    p = math.erfc(abs(a - b) / error / math.sqrt(2))
    return {"gap_high": a, "gap_low": b, "gap_p": p}


def _largest(codes: NDArray[np.intp]) -> int:
    return int(np.bincount(codes).argmax())


def _role(name: object, look: Mapping[str, Any]) -> str:
    roles = [role for role in ("groups", "time", "weights") if look.get(role) == name]
    return roles[0] if roles else ""


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
