"""Columns that name groups of rows: patients, shops, devices."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from caveat.audit.scan._column import Column
from caveat.audit.scan._duplicates import row_keys
from caveat.audit.scan._evidence import Evidence
from caveat.audit.scan._finding import Finding
from caveat.audit.scan._questions import bins_of, repeated
from caveat.audit.scan._single_question import (
    Score,
    interval,
    score_levels,
    score_order,
)
from caveat.audit.scan._target import Target

_SHUFFLES = 20
_CODES = 0.94
_MOST_IN_ONE = 0.25
_FEW_ROWS, _SOME_ROWS = 12, 60
_NAMES_GROUPS = re.compile(
    r"(^|[_\W])(patient|subject|person|user|customer|client|site|batch|session|group|"
    r"family|household|store|shop|school|device|machine|driver|account|speaker|"
    r"participant|animal|plot|well|slide|donor|cluster)s?([_\W]|$)|[_\W]?id$",
    re.IGNORECASE,
)


def groups(evidence: Evidence) -> list[Finding]:
    """Find columns whose identity tells more than their order, row after row alike.

    A column is a group by its repetition (many values, each in a few rows) *and* by
    its values telling the target of their other rows better than the order of the
    values does: ages repeat too, but neighbouring ages tell as much as the same age.
    Copies of a row repeat all its values and are another finding: the first counts.
    """
    shown = [one for one in evidence.columns if one.distinct > 1 and not one.names_rows]
    if shown:
        firsts = np.unique(row_keys(shown), return_index=True)[1]
        evidence = evidence.only(np.sort(firsts))
    target, found = evidence.target, []
    for column in evidence.columns:
        if not _repeats(column):
            continue
        identity = repeated(column.identity)
        value = score_levels(identity, target, evidence.fold)
        by_order = _order_score(column, evidence)
        null = _null(identity, evidence)
        low, high = interval(value, target)
        score = Score(value, low, high, float(null.mean()), float(null.std(ddof=1)))
        gain = target.share(value) - max(target.share(by_order), 0.0)
        told = evidence.is_told(score) and gain > 0.08
        if not told:
            continue
        alike = likeness(column, evidence)
        named = bool(_NAMES_GROUPS.search(column.name))
        if low >= _CODES and not (alike > 0.15 or named):
            continue  # codes that stand for the target: a leak
        known = int((~column.missing).sum())
        each = known / column.distinct
        # A category has many rows, and rows of a category may well be alike.
        if not (named or each <= _FEW_ROWS or (alike > 0.15 and each <= _SOME_ROWS)):
            continue
        strong = target.share(low) > 0.2 and (alike > 0.15 or named)
        found.append(
            Finding(
                kind="group",
                severity="serious" if strong else "careful",
                columns=(column.name,),
                number=value,
                low=low,
                high=high,
                measure=target.measure,
                sentence=_sentence(column, target, named, (value, low, high)),
                fix=f"Keep groups together in every split: --groups {column.name}.",
                size=0.95 + gain,
            )
        )
    found.sort(key=lambda one: -one.size)
    return found


def _sentence(
    column: Column, target: Target, named: bool, score: tuple[float, float, float]
) -> str:
    """Say what was measured: that groups have one target only where all of them do."""
    value, low, high = score
    each = f"{int((~column.missing).sum()) / column.distinct:.0f}"
    is_name = named or column.kind not in ("number", "integer")
    # A number has values, and its values make groups; only a name names them.
    verb, noun = ("names", "groups") if is_name else ("has", "values")
    many = f"{column.distinct:,} {noun} of about {each} rows"
    found = f"Column {column.name!r} {verb} {many}, and"
    number = f"{target.words(value)} ({low:.3f} to {high:.3f})"
    pure, several = one_target(column, target)
    if is_name and pure == several and not target.regression:
        share = "a group's rows share their target"
        return f"{found} {share}: {number} from the name alone."
    told = f"{found} rows of one {noun[:-1]} have like targets: {number} from the "
    if target.regression:
        return f"{told}others' mean."
    return f"{told}others' mean; {pure:,} of {several:,} have one target."


def one_target(column: Column, target: Target) -> tuple[int, int]:
    """Count the groups all of whose rows have one target, and those of several rows."""
    there = column.identity >= 0
    group, codes = column.identity[there], target.codes[there]
    table = np.zeros((column.distinct, target.classes), dtype=np.intp)
    np.add.at(table, (group, codes), 1)
    several = table.sum(axis=1) > 1
    return int(((table > 0).sum(axis=1) == 1)[several].sum()), int(several.sum())


def _repeats(column: Column) -> bool:
    if column.kind in ("date", "empty", "constant", "two values"):
        return False
    known = int((~column.missing).sum())
    largest = np.bincount(column.identity[~column.missing], minlength=1).max()
    return (
        max(10, known / 200) <= column.distinct <= known / 1.8
        and largest <= _MOST_IN_ONE * known
    )


def _order_score(column: Column, evidence: Evidence) -> float:
    if column.order is None:
        return evidence.target.nothing
    known = np.isfinite(column.order)
    values = np.where(known, column.order, np.median(column.order[known]))
    ranks = np.argsort(np.argsort(values, kind="stable")).astype(float)
    return max(
        score_levels(bins_of(column.order, len(values)), evidence.target, evidence.fold)
        if column.distinct > 64
        else evidence.target.nothing,
        score_order(values, ranks, evidence.target),
        _smooth(values, column.distinct, evidence),
    )


def _smooth(values: NDArray[np.float64], distinct: int, evidence: Evidence) -> float:
    """Score up to ten bins, each of some values: what neighbouring values share."""
    levels = bins_of(values, 25 * min(10, distinct // 3))
    return score_levels(levels, evidence.target, evidence.fold)


def _null(levels: NDArray[np.intp], evidence: Evidence) -> NDArray[np.float64]:
    rng = np.random.default_rng([evidence.seed, 3])
    return np.array(
        [
            score_levels(
                levels,
                evidence.target.rows(rng.permutation(len(levels))),
                evidence.fold,
            )
            for _ in range(_SHUFFLES)
        ]
    )


def likeness(column: Column, evidence: Evidence) -> float:
    """Return how alike rows of one group are in other columns, from 0 to 1.

    It is the second largest intraclass correlation among number columns: one column
    alone may be a legitimate property of the group.
    """
    found = []
    identity = column.identity
    size = np.bincount(identity[identity >= 0], minlength=column.distinct)
    for other in evidence.columns:
        if other.name == column.name or other.order is None or other.names_rows:
            continue
        known = (identity >= 0) & np.isfinite(other.order)
        if known.sum() < 20 or other.kind == "date":
            continue
        values = other.order[known]
        ranks = np.argsort(np.argsort(values, kind="stable")).astype(float)
        group = identity[known]
        size = np.bincount(group, minlength=column.distinct).astype(float)
        mean = np.bincount(group, ranks, minlength=column.distinct) / np.maximum(
            size, 1
        )
        within = float(((ranks - mean[group]) ** 2).sum())
        many = int((size > 0).sum())
        if len(ranks) - many < 10 or many < 2:
            continue
        between = float((size * (mean - ranks.mean()) ** 2).sum()) / (many - 1)
        within /= len(ranks) - many
        each = len(ranks) / many
        spread = between + (each - 1) * within
        found.append((between - within) / spread if spread > 0 else 0.0)
    found.sort(reverse=True)
    return float(found[1]) if len(found) > 1 else 0.0
