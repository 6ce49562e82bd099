"""The scan of a table: all questions, in order, in this process."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.audit.scan._column import Column, read_column
from caveat.audit.scan._drift import drift
from caveat.audit.scan._duplicates import copies, near_copies
from caveat.audit.scan._evidence import Evidence
from caveat.audit.scan._finding import Finding, Floor, Scan, ordered
from caveat.audit.scan._groups import groups as find_groups
from caveat.audit.scan._labels import label_errors, nothing_told
from caveat.audit.scan._leaks import leaks, missing_leaks
from caveat.audit.scan._order import order_findings
from caveat.audit.scan._pairs import pair_leaks
from caveat.audit.scan._questions import (
    ABOUT_CELLS,
    Question,
    ask,
    ask_shuffled,
    bins_of,
    questions_of,
    with_order,
    words_question,
)
from caveat.audit.scan._shape import outliers, shape
from caveat.audit.scan._single_question import Score, folds_of, interval
from caveat.audit.scan._target import Target, target_of
from caveat.datasets import Dataset
from caveat.exceptions import InvalidInput, UnknownName

_MOST_CELLS = 6_000_000
_LEAST_ROWS, _MOST_ROWS = 2_000, 100_000
_NULL_ROWS = 10_000


def scan(
    data: Dataset,
    *,
    groups: str | None = None,
    time: str | None = None,
    test: Dataset | None = None,
    seed: int = 0,
) -> Scan:
    """Ask every column, pair and order of a table how well it tells the target.

    Parameters
    ----------
    data : Dataset
        With one target: classes or numbers.
    groups, time : str, optional
        Columns that name groups of rows, or when they came.
    test : Dataset, optional
        Other rows with the same columns, to look for drift.
    seed : int
        Of samples, folds and shuffles: same table, same seed, same findings.

    Returns
    -------
    Scan

    Warnings
    --------
    A column that tells the target nearly without a mistake may be legitimate, and a
    leak may be weak: the scan can rank suspicion, only you know when a cell is filled.

    Examples
    --------
    >>> from caveat.datasets import from_frame
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"age": rng.normal(50, 9, 300), "sick": [0, 1] * 150})
    >>> table["billed"] = 7 * table["sick"] + rng.integers(0, 3, 300)
    >>> found = scan(from_frame(table, "sick")).findings[0]
    >>> found.kind, found.severity, found.columns
    ('leak', 'serious', ('billed',))
    """
    if data.y is None or data.task not in ("binary", "multiclass", "regression"):
        raise InvalidInput(
            f"the scan needs one target; {data.name!r} has the task {data.task!r}"
        )
    for role, name in (("groups", groups), ("time", time)):
        if name is not None and name not in data.X.columns:
            raise UnknownName.among(f"column ({role})", name, map(str, data.X.columns))
    rows, sampled = _rows(data, seed)
    target = target_of(data.y.iloc[rows], data.task)
    columns = [
        read_column(data.X[name].iloc[rows], str(name), data.kinds[name])
        for name in data.X.columns
    ]
    evidence, null = _asked(columns, target, rows, groups, time, seed)
    floor = _floor(evidence, null)
    findings = _findings(evidence, len(data))
    if test is not None:
        findings += drift(data, test, seed)
    return Scan(ordered(findings), _table(evidence), floor, sampled)


def _rows(data: Dataset, seed: int) -> tuple[NDArray[np.intp], str]:
    """Choose rows of a long table, keeping their order, and say so."""
    rows, wide = len(data), max(1, data.X.shape[1])
    most = int(np.clip(_MOST_CELLS // wide, _LEAST_ROWS, _MOST_ROWS))
    if rows <= most:
        return np.arange(rows), ""
    chosen = np.random.default_rng([seed, 0]).choice(rows, most, replace=False)
    return np.sort(chosen), f"{most:,} of {rows:,} rows, drawn at random"


def _asked(
    columns: list[Column],
    target: Target,
    rows: NDArray[np.intp],
    groups: str | None,
    time: str | None,
    seed: int,
) -> tuple[Evidence, NDArray[np.float64]]:
    fold = folds_of(target, seed)
    questions = [question for one in columns for question in questions_of(one)]
    questions += [
        words_question(one, target, fold) for one in columns if one.text is not None
    ]
    questions += _of_rows(columns, target)
    values = ask(questions, target, fold)
    many = 40 if len(questions) <= 200 else 20
    # Shuffled targets need no more rows than make their band narrow.
    some = np.arange(len(target))
    if len(some) > _NULL_ROWS:
        rng = np.random.default_rng([seed, 9])
        some = np.sort(rng.choice(len(some), _NULL_ROWS, replace=False))
    null = ask_shuffled(
        [question.rows(some) for question in questions],
        target.rows(some),
        fold[some],
        shuffles=many,
        seed=seed,
    )
    # A band narrows with the root of the rows.
    shrink = np.sqrt(len(some) / len(target))
    scores = [
        Score(
            float(value),
            *interval(float(value), target),
            target.nothing + (float(null[:, j].mean()) - target.nothing) * shrink,
            float(null[:, j].std(ddof=1)) * shrink,
        )
        for j, value in enumerate(values)
    ]
    null = target.nothing + (null - target.nothing) * shrink
    evidence = Evidence(
        tuple(columns),
        target,
        fold,
        tuple(questions),
        tuple(scores),
        rows,
        groups,
        time,
        seed,
    )
    return evidence, null


def _of_rows(columns: list[Column], target: Target) -> list[Question]:
    """Ask for the position of a row, and for how many of its cells are missing."""
    position = np.arange(len(target), dtype=float)
    found = [
        with_order(
            "",
            "position",
            "the order of the rows",
            bins_of(position, len(position)),
            position,
        )
    ]
    gaps = np.sum([one.missing for one in columns], axis=0).astype(float)
    if sum(bool(one.missing.any()) for one in columns) > 1 and np.ptp(gaps) > 0:
        label = "the number of missing cells in a row"
        levels = bins_of(gaps, len(gaps))
        found.append(with_order("", "gaps", label, levels, gaps))
    return found


def _floor(evidence: Evidence, null: NDArray[np.float64]) -> Floor:
    """Take the best of the constant answer and all columns, with one p-value."""
    target = evidence.target
    value, low, high, name = target.nothing, target.nothing, target.nothing, ""
    columns = [
        j
        for j, question in enumerate(evidence.questions)
        if question.about in ABOUT_CELLS
    ]
    p_value = 1.0
    if columns:
        best = max(columns, key=lambda j: evidence.scores[j].value)
        score = evidence.scores[best]
        largest = null[:, columns].max(axis=1)
        p_value = float((1 + (largest >= score.value).sum()) / (1 + len(largest)))
        if score.value > value:
            value, low, high = score.value, score.low, score.high
            name = evidence.questions[best].column
    return Floor(value, low, high, target.measure, name, p_value, len(null))


def _findings(evidence: Evidence, rows: int) -> list[Finding]:
    found = find_groups(evidence)
    grouped = tuple(name for one in found for name in one.columns)
    told = leaks(evidence, grouped) + missing_leaks(evidence)
    leaking = frozenset(name for one in told for name in one.columns)
    found += told
    found += pair_leaks(evidence.smaller)
    found += order_findings(evidence, grouped, leaking)
    found += copies(evidence)
    found += near_copies(evidence)
    if not found or all(one.severity != "serious" for one in found):
        found += label_errors(evidence.smaller, leaking)
        found += nothing_told(evidence.smaller)
    found += outliers(evidence)
    found += shape(evidence, rows)
    return [_clean(one) for one in found]


def _clean(found: Finding) -> Finding:
    """Make plain Python numbers of what NumPy computed."""
    plain: dict[str, Any] = {
        name: None if getattr(found, name) is None else float(getattr(found, name))
        for name in ("number", "low", "high", "size")
    }
    return replace(found, **plain)


def _table(evidence: Evidence) -> pd.DataFrame:
    rows = []
    for column in evidence.columns:
        best = max(
            (
                (score, question)
                for question, score in zip(
                    evidence.questions, evidence.scores, strict=True
                )
                if question.column == column.name
                and question.about in (*ABOUT_CELLS, "missing")
            ),
            key=lambda pair: pair[0].value,
            default=None,
        )
        rows.append(
            {
                "column": column.name,
                "kind": column.kind,
                "alone": best[0].value if best else None,
                "low": best[0].low if best else None,
                "high": best[0].high if best else None,
                "null_high": best[0].null_high if best else None,
                "measure": evidence.target.measure,
                "note": _note(column, best[1] if best else None),
            }
        )
    return pd.DataFrame(rows)


def _note(column: Column, question: Question | None) -> str:
    if question is None:
        return "one value only" if column.distinct == 1 else "no value at all"
    if question.about == "missing":
        return "by its gaps"
    if question.about == "words":
        return "by its words"
    return "a value per row" if column.names_rows else ""
