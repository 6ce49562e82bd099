"""Two columns that tell the target only together: sums, differences, ratios, equality.

All pairs are screened by closed formulas on a sample of rows; the few that stand out
are asked properly, cross-fitted like a single column.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from caveat.audit.scan._column import Column
from caveat.audit.scan._evidence import Evidence
from caveat.audit.scan._finding import Finding
from caveat.audit.scan._questions import bins_of, with_order
from caveat.audit.scan._single_question import (
    Score,
    interval,
    score_levels,
    score_order,
)
from caveat.audit.scan._target import Target
from caveat.pages import capital

_MOST_ROWS = 4_000
_MOST_COLUMNS = 300
_ASKED = 12
_MOST_CELLS = 400
_MOST_DATES = 8


@dataclass(frozen=True)
class Pair:
    """Two columns, how they are combined, and the combination's values or levels."""

    first: str
    second: str
    how: str
    values: NDArray[np.float64] | None = None
    levels: NDArray[np.intp] | None = None


def pair_leaks(evidence: Evidence) -> list[Finding]:
    """Find pairs that tell nearly everything while neither column does."""
    target = evidence.target
    alone = {q.column: s.value for q, s in evidence.answers("value")}
    # A column that tells all by itself needs no second; one that tells much may.
    columns = [
        one
        for one in evidence.columns
        if one.distinct > 1
        and one.kind not in ("date", "text")
        and not one.names_rows
        and alone.get(one.name, 0.0) < 0.999
    ]
    columns.sort(key=lambda one: -alone.get(one.name, 0.0))
    columns = columns[:_MOST_COLUMNS]
    best: tuple[Pair, Score] | None = None
    for pair in (*_candidates(columns, evidence), *_durations(evidence)):
        value = _ask(pair, evidence)
        if best is None or value > best[1].value:
            best = pair, Score(value, *interval(value, target))
    if best is None:
        return []
    pair, score = best
    single = max(alone.get(pair.first, target.nothing), target.nothing)
    single = max(single, alone.get(pair.second, target.nothing))
    if score.low <= interval(single, target)[1]:
        return []  # what one of the two tells alone
    rest = max(evidence.without(pair.first, pair.second), single)
    severity = _severity(pair, score, rest, target)
    return [_finding(pair, score, rest, severity, target)] if severity else []


def _severity(pair: Pair, score: Score, rest: float, target: Target) -> str:
    """Two legitimate columns add up, too; a made sum leaves next to nothing over."""
    error, others = 1 - score.value, max(1 - rest, 1e-9)
    serious, careful = (0.985, 0.96) if target.regression else (0.975, 0.96)
    sharper, sharp = 0.2, 0.3
    if pair.how in ("equals", "and") and not target.regression:
        serious, careful, sharper, sharp = 0.94, 0.92, 0.4, 0.6
    if score.low >= serious and error <= sharper * others:
        return "serious"
    return "careful" if score.low >= careful and error <= sharp * others else ""


def _candidates(columns: list[Column], evidence: Evidence) -> Iterator[Pair]:
    numbers = [
        one for one in columns if one.order is not None and one.kind != "category"
    ]
    yield from _sums(numbers, evidence)
    yield from _products(numbers, evidence)
    yield from _equalities(columns, evidence)
    yield from _tables(columns, evidence)


def _matrix(columns: list[Column], rows: NDArray[np.intp]) -> NDArray[np.float64]:
    found = []
    for one in columns:
        assert one.order is not None
        order = one.order[rows]
        known = np.isfinite(order)
        middle = np.median(order[known]) if known.any() else 0.0
        found.append(np.where(known, order, middle))
    return np.column_stack(found) if found else np.zeros((len(rows), 0))


def _some_rows(evidence: Evidence) -> NDArray[np.intp]:
    rows = len(evidence.target)
    if rows <= _MOST_ROWS:
        return np.arange(rows)
    rng = np.random.default_rng([evidence.seed, 7])
    return np.sort(rng.choice(rows, _MOST_ROWS, replace=False))


def _responses(target: Target) -> NDArray[np.float64]:
    if target.regression:
        return np.column_stack([target.numbers, target.ranks])
    labels = np.arange(1 if target.classes == 2 else 0, target.classes)
    return (target.codes[:, None] == labels).astype(float)


def _sums(columns: list[Column], evidence: Evidence) -> Iterator[Pair]:
    """Weighted sums by the closed formula of a regression on two columns."""
    if len(columns) < 2:
        return
    rows = _some_rows(evidence)
    X = _standardised(_matrix(columns, rows))
    Y = _standardised(_responses(evidence.target.rows(rows)))
    # Numbers of one sign: ratios and products are sums of logarithms.
    L = _logarithms(_matrix(columns, rows))
    log_y = _standardised(_log_target(evidence.target.rows(rows)))
    for table, answers, how in ((X, Y, "sum"), (L, log_y, "ratio")):
        told = _two_column_r2(table, answers)
        for i, j in _top(told):
            yield _weighted(columns, i, j, how, evidence)


def _two_column_r2(
    X: NDArray[np.float64], Y: NDArray[np.float64]
) -> NDArray[np.float64]:
    n = len(X)
    among = X.T @ X / n
    best = np.zeros_like(among)
    room = np.maximum(1 - among**2, 1e-9)
    for answer in Y.T:
        r = X.T @ answer / n
        told = (r[:, None] ** 2 + r**2 - 2 * np.outer(r, r) * among) / room
        # What the pair adds to its better column: two copies of one add nothing.
        told -= np.maximum(r[:, None] ** 2, r**2)
        best = np.maximum(best, told)
    best[among**2 > 1 - 1e-7] = 0
    return best


def _top(told: NDArray[np.float64], most: int = _ASKED) -> Iterator[tuple[int, int]]:
    i, j = np.triu_indices(len(told), 1)
    for one in np.argsort(-told[i, j], kind="stable")[:most]:
        yield int(i[one]), int(j[one])


def _weighted(
    columns: list[Column], i: int, j: int, how: str, evidence: Evidence
) -> Pair:
    """Fit the weights of two columns on the rows of one fold, and take a sum or ratio.

    Plain weights are tried first: people add, subtract and divide.
    """
    rows = np.arange(len(evidence.target))
    values = _matrix([columns[i], columns[j]], rows)
    a, b = values.T
    options: list[tuple[str, NDArray[np.float64]]] = []
    if how == "sum":
        options = [("+", a + b), ("-", a - b)]
        X = np.column_stack([_standardised(values), np.ones(len(a))])
        some = evidence.fold == 0
        answers = _responses(evidence.target)
        for answer in answers.T[:3]:
            weights = np.linalg.lstsq(X[some], answer[some], rcond=None)[0]
            options.append(("with", X @ weights))
    else:
        safe = np.where(np.abs(b) > 1e-12, b, np.nan)
        quotient = np.nan_to_num(a / safe, nan=0.0, posinf=0.0, neginf=0.0)
        options = [("times", a * b), ("/", quotient)]
    scored = [
        (score_order(one, rankdata(one), evidence.target), k)
        for k, (_, one) in enumerate(options)
    ]
    best = max(scored)[0]
    # The plain form wins unless weights tell clearly more.
    k = next(k for value, k in scored if value >= best - 0.002)
    return Pair(columns[i].name, columns[j].name, options[k][0], options[k][1])


def _products(columns: list[Column], evidence: Evidence) -> Iterator[Pair]:
    """Interactions: the target follows the product of two centred columns."""
    if len(columns) < 2:
        return
    rows = _some_rows(evidence)
    X = _standardised(_matrix(columns, rows))
    X = np.clip(X, -3, 3)
    Y = _standardised(_responses(evidence.target.rows(rows)))
    told = np.zeros((X.shape[1], X.shape[1]))
    for answer in Y.T[:4]:
        told = np.maximum(told, np.abs((X * answer[:, None]).T @ X / len(X)))
    for i, j in _top(told, 4):
        whole = _matrix([columns[i], columns[j]], np.arange(len(evidence.target)))
        a, b = (whole - np.median(whole, axis=0)).T
        yield Pair(columns[i].name, columns[j].name, "times", a * b)


def _equalities(columns: list[Column], evidence: Evidence) -> Iterator[Pair]:
    """Whether two columns hold the same value, where their values are comparable."""
    rows = _some_rows(evidence)
    plain = columns[:80]
    answers = _responses(evidence.target)
    few = {}
    for one in plain:
        if one.order is not None:
            few[one.name] = np.nan_to_num(one.order, nan=-9.9e99)
    scored: list[tuple[float, Pair]] = []
    names = list(few)
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            same = (few[first][rows] == few[second][rows]).astype(float)
            share = same.mean()
            if not 0.02 < share < 0.98:
                continue
            told = max(
                abs(float(np.corrcoef(same, one[rows])[0, 1])) for one in answers.T[:4]
            )
            whole = (few[first] == few[second]).astype(np.intp)
            scored.append((told, Pair(first, second, "equals", levels=whole)))
    scored.sort(key=lambda pair: -pair[0])
    yield from (pair for _, pair in scored[:4])


def _durations(evidence: Evidence) -> Iterator[Pair]:
    """Time between two dates."""
    dates = [one for one in evidence.columns if one.kind == "date"][:_MOST_DATES]
    for first, second in combinations(dates, 2):
        if first.order is not None and second.order is not None:
            yield Pair(first.name, second.name, "-", second.order - first.order)


def _tables(columns: list[Column], evidence: Evidence) -> Iterator[Pair]:
    """Cross tables of columns with few values: what tells only in combination."""
    few = [one for one in columns if one.distinct <= 20][:40]
    rows = _some_rows(evidence)
    target, fold = evidence.target.rows(rows), evidence.fold[rows]
    scored: list[tuple[float, int, int]] = []
    for i, first in enumerate(few):
        for j in range(i + 1, len(few)):
            second = few[j]
            if (first.distinct + 1) * (second.distinct + 1) > _MOST_CELLS:
                continue
            cells = (1 + first.identity[rows]) * (second.distinct + 1)
            cells = cells + 1 + second.identity[rows]
            scored.append((score_levels(cells, target, fold), i, j))
    scored.sort(key=lambda one: -one[0])
    for _, i, j in scored[:4]:
        cells = (1 + few[i].identity) * (few[j].distinct + 1) + 1 + few[j].identity
        yield Pair(few[i].name, few[j].name, "and", levels=cells)


def _ask(pair: Pair, evidence: Evidence) -> float:
    target, fold = evidence.target, evidence.fold
    if pair.levels is not None:
        return score_levels(pair.levels, target, fold)
    assert pair.values is not None
    question = with_order(
        pair.first, "pair", "", bins_of(pair.values, len(target)), pair.values
    )
    found = score_levels(question.levels, target, fold)
    if question.values is None or question.ranks is None:
        return found
    return max(found, score_order(question.values, question.ranks, target))


def _standardised(X: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = X - X.mean(axis=0)
    scale = centred.std(axis=0)
    return centred / np.where(scale > 0, scale, 1.0)


def _logarithms(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of columns of one sign; others become constant."""
    size = np.abs(X)
    one_sign = ((X > 0).all(axis=0)) | ((X < 0).all(axis=0))
    return _standardised(np.where(one_sign, np.log(np.maximum(size, 1e-300)), 0.0))


def _log_target(target: Target) -> NDArray[np.float64]:
    if not target.regression:
        return _responses(target)
    numbers = target.numbers
    if (numbers > 0).all():
        return np.log(numbers)[:, None]
    return target.ranks[:, None]


_WORDS = {
    "+": "{} + {}",
    "-": "{} - {}",
    "with": "{} and {} in a weighted sum",
    "times": "{} times {}",
    "/": "{} / {}",
    "equals": "whether {} equals {}",
    "and": "{} and {} together",
}


def _finding(
    pair: Pair, score: Score, rest: float, severity: str, target: Target
) -> Finding:
    words = _WORDS[pair.how].format(repr(pair.first), repr(pair.second))
    return Finding.scored(
        kind="pair-leak",
        severity=severity,
        columns=(pair.first, pair.second),
        score=score,
        measure=target.measure,
        sentence=(
            f"{capital(words)}: this alone tells the target, "
            f"{score.words(target.title)}; without the pair, or by one of the two, "
            f"{rest:.3f} is reached."
        ),
        fix=(
            f"The target is made from {pair.first!r} and {pair.second!r}, or they from "
            "it: leave both out unless both are known beforehand."
        ),
        size=1.05 + target.share(score.low),
    )
