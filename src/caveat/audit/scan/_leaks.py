"""Columns that tell the target too well: by their value, their gaps, their number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caveat.audit.scan._column import Column
from caveat.audit.scan._evidence import Evidence
from caveat.audit.scan._finding import Finding
from caveat.audit.scan._questions import ABOUT_CELLS, Question
from caveat.audit.scan._single_question import Score
from caveat.audit.scan._target import Target
from caveat.pages import capital

_FEW_VALUES = 12


@dataclass(frozen=True)
class Bar:
    """From which lower end of the interval on a column that stands alone is a leak.

    A strong column is legitimate more often than not, so height is not enough: the
    column must also leave out at most a share of what all others together leave out.
    """

    serious: float
    careful: float
    sharper: float = 0.35
    sharp: float = 0.5


_AUC = Bar(serious=0.97, careful=0.95)
# Few levels, or two heaps with a valley between them: made from the target, perhaps
# with some noise. A legitimate number is densest where the classes meet.
_AUC_HEAPS = Bar(serious=0.94, careful=0.90, sharper=0.5, sharp=0.65)
_R2 = Bar(serious=0.95, careful=0.90)
_EXACT = 0.995


def leaks(evidence: Evidence, grouped: tuple[str, ...]) -> list[Finding]:
    """Find columns that tell the target nearly without a mistake, and far above all.

    Parameters
    ----------
    evidence : Evidence
    grouped : tuple of str
        Columns that name groups: their identity tells, which is another finding.
    """
    target = evidence.target
    asked = [one for about in ABOUT_CELLS for one in evidence.answers(about)]
    exact = {
        question.column
        for question, score in asked
        if score.value >= _EXACT and evidence.column(question.column).kind != "date"
    }
    found: dict[str, Finding] = {}
    for question, score in sorted(asked, key=lambda pair: -pair[1].value):
        column = evidence.column(question.column)
        if column.kind == "date" or question.column in {*found, *grouped}:
            continue
        if column.names_rows and question.about != "words":
            continue
        gaps = evidence.answer(question.column, "missing")
        if gaps is not None and target.share(gaps.value) > 0.9 * target.share(
            score.value
        ):
            continue  # its gaps tell it, not its values
        bar = _bar(question, column, target)
        if score.low < bar.careful or not evidence.is_told(score):
            continue
        rest = evidence.without(*(exact | {question.column}))
        severity = judge(score, rest, bar)
        if severity:
            found[question.column] = _leak(question, score, severity, target)
    return list(found.values())


def judge(score: Score, rest: float, bar: Bar) -> str:
    """Tell how serious it is that one question scores so far above the rest."""
    error, others = 1 - score.value, max(1 - rest, 1e-9)
    if score.low >= bar.serious and error <= bar.sharper * others:
        return "serious"
    if score.low >= bar.careful and error <= bar.sharp * others:
        return "careful"
    return ""


def _bar(question: Question, column: Column, target: Target) -> Bar:
    if target.regression:
        return _R2
    if question.values is None:
        is_made = column.kind != "integer"
    elif target.classes == 2 and column.distinct > _FEW_VALUES:
        is_made = has_valley(question.values, target.codes)
    else:
        is_made = column.distinct <= _FEW_VALUES
    return _AUC_HEAPS if is_made else _AUC


def has_valley(values: NDArray[np.float64], codes: NDArray[np.intp]) -> bool:
    """Tell whether the classes stand apart with a thin place between them.

    Each class weighs the same. The density between the two medians is compared with
    the lower of those around them, over windows of a quarter of their distance. Equal
    numbers are first spread over the room between neighbours.
    """
    steps = np.diff(np.unique(values))
    room = float(np.median(steps)) if len(steps) else 0.0
    rng = np.random.default_rng(0)
    values = values + room * rng.uniform(-0.5, 0.5, len(values))
    first, second = values[codes == 0], values[codes == 1]
    if len(first) < 10 or len(second) < 10:
        return False
    low, high = sorted((float(np.median(first)), float(np.median(second))))
    width = (high - low) / 8

    def density(centre: float) -> float:
        return float(
            np.mean(np.abs(first - centre) < width)
            + np.mean(np.abs(second - centre) < width)
        )

    inside = min(density(c) for c in np.linspace(low + 2 * width, high - 2 * width, 9))
    return inside < 0.7 * min(density(low), density(high))


def _leak(question: Question, score: Score, severity: str, target: Target) -> Finding:
    name = question.column
    return Finding.scored(
        kind="leak",
        severity=severity,
        columns=(name,),
        score=score,
        measure=target.measure,
        sentence=(
            f"{capital(question.label)} alone "
            f"{'tell' if question.about == 'words' else 'tells'} the target: "
            f"{score.words(target.title)}."
        ),
        fix=(
            f"Ask when {name!r} is known: if only with or after the target, leave it "
            "out."
        ),
        size=1 + target.share(score.low),
    )


def missing_leaks(evidence: Evidence) -> list[Finding]:
    """Find columns whose gaps depend on the target."""
    target = evidence.target
    found: list[Finding] = []
    for question, score in [*evidence.answers("missing"), *evidence.answers("gaps")]:
        if not evidence.is_told(score):
            continue
        excess = target.share(score.low)
        severity = _gap_severity(excess, target)
        if not severity:
            continue
        columns = (question.column,) if question.about == "missing" else ()
        if not columns and found:
            continue  # the row's gaps are those of the columns already named
        found.append(
            Finding.scored(
                kind="missing-leak",
                severity=severity,
                columns=columns,
                score=score,
                measure=target.measure,
                sentence=(
                    f"{capital(question.label)} tells the "
                    f"target: {score.words(target.title)} without one value."
                ),
                fix=(
                    "Find out why cells are missing: if they are filled in after the "
                    "target is known, leave the column out."
                ),
                size=0.9 + excess,
            )
        )
    return found


def _gap_severity(excess: float, target: Target) -> str:
    serious, careful = (0.3, 0.03) if target.regression else (0.3, 0.1)
    return "serious" if excess >= serious else "careful" if excess >= careful else ""
