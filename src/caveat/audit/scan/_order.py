"""What the order of the rows, an id or a date tells of the target."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from caveat.audit.scan._additive import Additive, score_answers
from caveat.audit.scan._column import Column
from caveat.audit.scan._evidence import Evidence
from caveat.audit.scan._finding import Finding
from caveat.audit.scan._questions import Question
from caveat.audit.scan._single_question import FOLDS, Score, interval
from caveat.audit.scan._target import Target
from caveat.datasets import name_words
from caveat.pages import capital

_RANDOM_HALVES = 6


def order_findings(
    evidence: Evidence, grouped: tuple[str, ...], leaking: Collection[str] = ()
) -> list[Finding]:
    """Find a target that follows dates, row numbers or the order of the rows.

    Parameters
    ----------
    evidence : Evidence
    grouped : tuple of str
        Columns already found to name groups: where a group's rows stand together,
        the order of the rows tells what the group does.
    leaking : collection of str
        Columns of which is known already that their cells or gaps tell the target.
    """
    dates = _dates(evidence)
    found = [*_trends(evidence, dates), *_ids(evidence, dates, leaking)]
    position = evidence.answers("position")
    if position:
        _, score = position[0]
        together = any(_stand_together(evidence.column(name)) for name in grouped)
        by_date = any(_follows_rows(evidence.column(name)) for name in dates)
        strong = evidence.target.share(score.low) > (0.6 if together else 0.0)
        # A number that runs with the rows says the same, and has a name.
        by_id = any(
            _follows_rows(evidence.column(name))
            for one in found
            for name in one.columns
        )
        if _tells(score, evidence) and strong and not by_date and not by_id:
            found.insert(0, _row_order(score, evidence, ()))
    by_rows = any(one.kind == "row-order" for one in found)
    found += _turn(evidence.smaller, dates, by_rows)
    return found


def _dates(evidence: Evidence) -> list[str]:
    named = [one.name for one in evidence.columns if one.kind == "date" or _years(one)]
    if evidence.time is not None and evidence.time not in named:
        named.insert(0, evidence.time)
    return named


def _years(column: Column) -> bool:
    """Whether whole numbers are years, by their name and size."""
    if column.order is None or column.kind != "integer":
        return False
    low, high = np.nanmin(column.order), np.nanmax(column.order)
    return name_words(column.name) == {"year"} and bool(low >= 1800 and high <= 2100)


def _tells(score: Score, evidence: Evidence) -> bool:
    excess = evidence.target.share(score.low)
    return evidence.is_told(score) and excess > (
        0.02 if evidence.target.regression else 0.1
    )


def _severity(score: Score, evidence: Evidence) -> str:
    return "serious" if evidence.target.share(score.low) > 0.4 else "careful"


def _row_order(score: Score, evidence: Evidence, columns: tuple[str, ...]) -> Finding:
    target = evidence.target
    what = f"Column {columns[0]!r}" if columns else "The order of the rows"
    return Finding.scored(
        kind="row-order",
        severity=_severity(score, evidence),
        columns=columns,
        score=score,
        measure=target.measure,
        sentence=(
            f"{what} tells the target: {score.words(target.title)}. Rows were "
            "collected or sorted by it."
        ),
        fix=(
            f"Leave {columns[0]!r} out of the features, and shuffle before splitting."
            if columns
            else "Shuffle before splitting, and ask how rows came into this order."
        ),
        size=0.98 + target.share(score.low),
    )


def _ids(
    evidence: Evidence, dates: list[str], leaking: Collection[str]
) -> list[Finding]:
    found: dict[str, Finding] = {}
    for question, score in [*evidence.answers("letters"), *evidence.answers("value")]:
        column, name = evidence.column(question.column), question.column
        if column.is_prose or not column.names_rows or name in {*dates, *found}:
            continue
        if not _tells(score, evidence):
            continue
        if question.about == "value":
            found[name] = _row_order(score, evidence, (name,))
        elif name not in leaking:
            found[name] = _lettered(question, score, evidence)
    return list(found.values())


def _lettered(question: Question, score: Score, evidence: Evidence) -> Finding:
    target, name = evidence.target, question.column
    return Finding.scored(
        kind="row-order",
        severity=_severity(score, evidence),
        columns=(name,),
        score=score,
        measure=target.measure,
        sentence=(
            f"{capital(question.label)} tell the target: "
            f"{score.words(target.title)}. Rows were named by it, or by what goes "
            "with it."
        ),
        fix=f"Leave {name!r} out of the features.",
        size=0.98 + target.share(score.low),
    )


def _trends(evidence: Evidence, dates: list[str]) -> list[Finding]:
    found = []
    for name in dates:
        whole = evidence.answer(name, "value")
        gaps = evidence.answer(name, "missing")
        if whole is not None and gaps is not None:
            share = evidence.target.share
            if share(gaps.value) > 0.9 * share(whole.value):
                continue  # its gaps tell it, not its moments
        if whole is not None and _tells(whole, evidence):
            found.append(
                _time(name, whole, evidence, f"The target changes with {name!r}", 0.9)
            )
            continue
        for question, score in evidence.answers("part"):
            if question.column == name and _tells(score, evidence):
                words = f"The target follows {question.label}"
                found.append(_time(name, score, evidence, words, 0.7))
                break
    return found


def _time(
    name: str, score: Score, evidence: Evidence, words: str, rank: float
) -> Finding:
    target = evidence.target
    return Finding.scored(
        kind="time",
        severity=_severity(score, evidence),
        columns=(name,),
        score=score,
        measure=target.measure,
        sentence=f"{words}: {score.words(target.title)} from it alone.",
        fix=f"Judge models on later rows: --time {name}.",
        size=rank + target.share(score.low),
    )


def _stand_together(column: Column) -> bool:
    """Whether rows with the same value mostly stand next to one another."""
    same = np.mean(column.identity[1:] == column.identity[:-1])
    return bool(same > 0.5)


def _follows_rows(column: Column) -> bool:
    """Whether a column goes up (or down) with the rows."""
    if column.order is None:
        return False
    known = np.isfinite(column.order)
    if known.sum() < 10:
        return False
    ranks = np.argsort(np.argsort(column.order[known], kind="stable"))
    line = np.arange(len(ranks))
    return bool(abs(np.corrcoef(ranks, line)[0, 1]) > 0.9)


def _turn(evidence: Evidence, dates: list[str], by_rows: bool) -> list[Finding]:
    """Ask whether what tells the target early also tells it late.

    A model of the earlier half judged on the later one is held against a model of the
    later half judged on rows of that half which it was not fitted on.
    """
    rows = len(evidence.target)
    if rows < 200:
        return []
    moment, name = _moments(evidence, dates)
    late = np.argsort(np.argsort(moment, kind="stable")) >= rows // 2
    usable = [
        one for one in evidence.telling if not one.names_rows and one.name != name
    ]
    gap, inside, across = _largest_gap(usable, evidence, late)
    part = evidence.target.rows(np.flatnonzero(late))
    errors = [
        np.diff(interval(min(max(s, 0.01), 0.999), part))[0] / 3.92
        for s in (inside, across)
    ]
    error = float(np.hypot(*errors))
    share = evidence.target.share(inside) - evidence.target.share(across)
    # Not the other way round: a score may be undefined where a class is rare.
    if not (gap >= 3.5 * error and share >= 0.12):
        return []
    # That the rows stand in the order of time is only a guess where no date says so.
    if _any_halves_differ(usable, evidence, (0.7 if name else 0.5) * gap):
        return []
    label = f"along {name!r}" if name else "along the rows"
    # Rows sorted by target or columns are no time, however their halves differ.
    is_sorted = not name and (by_rows or _halves_differ(usable, late))
    strong = gap - 2 * error > 0.1 and not is_sorted
    return [
        Finding(
            kind="row-order" if is_sorted else "time",
            severity="serious" if strong else "careful",
            columns=(name,) if name else (),
            number=gap,
            low=gap - 1.96 * error,
            high=gap + 1.96 * error,
            measure=evidence.target.measure,
            sentence=(
                f"What tells the target changes {label}: learnt in one half and judged "
                f"in the other, {evidence.target.words(across)} instead of "
                f"{inside:.3f}."
            ),
            fix=(
                f"Judge models on later rows: --time {name}."
                if name
                else "Judge models on later rows; say which column holds the time."
            ),
            size=0.9 + gap,
        )
    ]


def _largest_gap(
    columns: list[Column], evidence: Evidence, late: NDArray[np.bool_]
) -> tuple[float, float, float]:
    """Give the larger gap of both directions, with its two scores."""
    found = []
    for judged in (late, ~late):
        inside, across = _two_scores(columns, evidence, judged)
        found.append((inside - across, inside, across))
    return max(found, key=lambda one: -np.inf if np.isnan(one[0]) else one[0])


def _any_halves_differ(columns: list[Column], evidence: Evidence, most: float) -> bool:
    """Tell whether halves drawn at random differ about as much: then it is no time.

    Copies lift the score within a half, a few large numbers own an R²: both do so in
    any halves.
    """
    rows = len(evidence.target)
    rng = np.random.default_rng([evidence.seed, 11])
    halves = (rng.permutation(rows) >= rows // 2 for _ in range(_RANDOM_HALVES))
    return any(_largest_gap(columns, evidence, half)[0] > most for half in halves)


def _halves_differ(columns: list[Column], late: NDArray[np.bool_]) -> bool:
    """Tell whether the columns alone say in which half a row stands."""
    half = Target(late.astype(np.intp), late.astype(float), 2, False)
    fold = np.random.default_rng(0).permutation(len(late)) % FOLDS
    return Additive(columns, half, fold).score() > 0.75


def _moments(evidence: Evidence, dates: list[str]) -> tuple[NDArray[np.float64], str]:
    for name in dates:
        order = evidence.column(name).order
        if order is not None and np.isfinite(order).mean() > 0.9:
            return np.where(np.isfinite(order), order, np.nanmedian(order)), name
    return np.arange(len(evidence.target), dtype=float), ""


def _two_scores(
    columns: list[Column], evidence: Evidence, judged: NDArray[np.bool_]
) -> tuple[float, float]:
    """Score rows of one half by a model of the same half, and by one of the other."""
    fold = evidence.fold
    chosen = np.flatnonzero(judged)
    inner = Additive(
        [one.rows(chosen) for one in columns],
        evidence.target.rows(chosen),
        fold[chosen],
    )
    inside = inner.score()
    # Two parts: fitted on the rows not judged, asked of those judged.
    outer = Additive(columns, evidence.target, np.where(judged, 0, 1))
    answers = outer.answers()[chosen]
    across = score_answers(answers, evidence.target.rows(chosen), fold[chosen])
    return inside, across
