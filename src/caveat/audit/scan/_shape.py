"""What counts and values show without any model: too few, too uneven, too far out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caveat.audit.scan._column import Column
from caveat.audit.scan._evidence import Evidence
from caveat.audit.scan._finding import Finding
from caveat.audit.scan._target import Target

_MOST_LISTED = 200


def shape(evidence: Evidence, rows: int) -> list[Finding]:
    """Find few rows, many columns, and rare classes.

    Parameters
    ----------
    evidence : Evidence
    rows : int
        Of the whole table.
    """
    found = []
    usable = sum(one.distinct > 1 for one in evidence.columns)
    if rows < 100:
        found.append(
            Finding(
                kind="small",
                severity="careful",
                number=float(rows),
                measure="rows",
                sentence=f"{rows} rows: every score will have a wide interval.",
                fix="Collect more rows, or report intervals only.",
                size=0.5,
            )
        )
    elif usable > rows / 2:
        found.append(
            Finding(
                kind="small",
                severity="careful",
                number=usable / rows,
                measure="share",
                sentence=(
                    f"{usable:,} columns for {rows:,} rows: some fit the target by "
                    "chance."
                ),
                fix="Choose columns inside each training part only.",
                size=0.5,
            )
        )
    if not evidence.target.regression:
        found += _imbalance(evidence, rows)
    return found


def _imbalance(evidence: Evidence, rows: int) -> list[Finding]:
    counts = np.bincount(evidence.target.codes, minlength=evidence.target.classes)
    # An even share depends on how many classes there are.
    rare = float(counts.min() / counts.sum()) * evidence.target.classes / 2
    if rare >= 0.1:
        return []
    few = round(int(counts.min()) * rows / int(counts.sum()))
    return [
        Finding(
            kind="imbalance",
            severity="careful" if rare < 0.05 else "note",
            number=float(counts.min() / counts.sum()),
            measure="share",
            sentence=(
                f"The rarest class has {few:,} of {rows:,} rows: accuracy says little, "
                "and a score rests on these few."
            ),
            fix="Judge by average precision or AUC, with folds that keep the classes.",
            size=0.4 + (0.1 - rare),
        )
    ]


def outliers(evidence: Evidence) -> list[Finding]:
    """Find cells far beyond all others of their column."""
    columns, rows, farthest = [], [], 0.0
    asked = [*evidence.columns, *_amounts(evidence.target)]
    for column in asked:
        out, far = _far_out(column)
        if out.any():
            columns.append(column.name)
            rows += [int(i) for i in evidence.row_numbers[out]]
            farthest = max(farthest, far)
    if not columns:
        return []
    distinct = sorted(set(rows))
    called = [repr(name) if name else "the target" for name in columns]
    named = ", ".join(called[:3])
    more = f" and {len(columns) - 3} more columns" if len(columns) > 3 else ""
    return [
        Finding(
            kind="outlier",
            severity="careful",
            columns=tuple(name for name in columns if name),
            rows=tuple(distinct[:_MOST_LISTED]),
            number=float(len(distinct)),
            measure="rows",
            sentence=(
                f"{len(distinct):,} rows hold a value far outside the rest of {named}"
                f"{more}: up to {farthest:,.0f} times the spread."
            ),
            fix="Check whether these cells are measured, typed wrongly or a code.",
            size=0.6,
        )
    ]


def _amounts(target: Target) -> list[Column]:
    """Give a target of numbers as a column without a name."""
    if not target.regression:
        return []
    values, identity = np.unique(target.numbers, return_inverse=True)
    return [Column("", "number", identity, len(values), target.numbers)]


def _far_out(column: Column) -> tuple[NDArray[np.bool_], float]:
    """Mark cells beyond a gap wider than all the rest of the column together.

    Long tails are no outliers: amounts from 0 up are looked at by their logarithm
    too (those of 0 apart), and must stand apart there as well.
    """
    none = np.zeros(len(column.identity), dtype=bool)
    if column.order is None or column.kind not in ("number", "integer"):
        return none, 0.0
    known = np.isfinite(column.order)
    if known.sum() < 30 or column.distinct < 10 or column.names_rows:
        return none, 0.0
    values = column.order
    out, far = _beyond(values, known)
    inside = values[known]
    if out.any() and (inside >= 0).all():
        some = known & (values > 0)
        by_size, _ = _beyond(np.log(np.where(some, values, 1.0)), some)
        out &= by_size
    return out, far if out.any() else 0.0


def _beyond(
    values: NDArray[np.float64], known: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], float]:
    low, middle, high = np.quantile(values[known], (0.1, 0.5, 0.9))
    scale = (high - low) / 2.56
    if not scale > 0:
        return np.zeros(len(values), dtype=bool), 0.0
    distance = np.where(known, np.abs(values - middle) / scale, 0.0)
    ordered = np.sort(distance[known])
    # At most two in a hundred may lie beyond, and the gap before them must be wide.
    start = max(1, int(0.98 * len(ordered)))
    gaps = np.diff(ordered[start - 1 :])
    if not len(gaps) or not (ordered[-1] > 8):
        return np.zeros(len(values), dtype=bool), 0.0
    wide = np.flatnonzero((gaps > 3) & (gaps > 0.6 * ordered[start - 1 : -1]))
    if not len(wide):
        return np.zeros(len(values), dtype=bool), 0.0
    cut = ordered[start - 1 + wide[0]]
    return known & (distance > max(cut, 6.0)), float(ordered[-1])
