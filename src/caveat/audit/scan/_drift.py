"""Columns whose values differ between training and test rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.audit.scan._column import read_column
from caveat.audit.scan._finding import Finding
from caveat.audit.scan._questions import ask, ask_shuffled, questions_of
from caveat.audit.scan._single_question import Score, folds_of, interval
from caveat.audit.scan._target import Target
from caveat.datasets import Dataset
from caveat.exceptions import listing

_MOST_ROWS = 20_000
_SHUFFLES = 40


def drift(data: Dataset, test: Dataset, seed: int) -> list[Finding]:
    """Ask every column how well it alone tells test rows from training rows."""
    shared = [name for name in data.X.columns if name in test.X.columns]
    strange = _strange([name for name in test.X.columns if name not in data.X.columns])
    if not shared or len(test) < 20 or len(data) < 20:
        return strange
    rng = np.random.default_rng([seed, 8])
    frames = [_some(one.X[shared], rng) for one in (data, test)]
    from_test = np.repeat([0, 1], [len(frame) for frame in frames])
    target = Target(from_test, from_test.astype(float), 2, False)
    fold = folds_of(target, seed)
    whole = pd.concat(frames, ignore_index=True)
    questions = [
        question
        for name in shared
        for question in questions_of(
            read_column(whole[name], str(name), data.kinds[name])
        )
        if question.about in ("value", "letters", "missing")
    ]
    if not questions:
        return strange
    values = ask(questions, target, fold)
    null = ask_shuffled(questions, target, fold, shuffles=_SHUFFLES, seed=seed)
    found: dict[str, Finding] = {}
    for j in np.argsort(-values, kind="stable"):
        question, value = questions[j], float(values[j])
        low, high = interval(value, target)
        score = Score(
            value, low, high, float(null[:, j].mean()), float(null[:, j].std(ddof=1))
        )
        told = score.p_value * len(questions) < 0.01 and low > 0.57
        if told and question.column not in found:
            found[question.column] = _finding(question.column, score)
    return [*list(found.values())[:10], *strange]


def _some(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    if len(frame) <= _MOST_ROWS:
        return frame
    chosen: NDArray[np.intp] = np.sort(
        rng.choice(len(frame), _MOST_ROWS, replace=False)
    )
    return frame.iloc[chosen]


def _strange(names: list[str]) -> list[Finding]:
    """Say which columns only the test rows have: no model can have learnt them."""
    if not names:
        return []
    sentence = f"Only the test rows have {listing(names)}; left out."
    fix = "Find out why the training rows lack it, or leave it out of the test file."
    return [Finding(kind="drift", severity="note", sentence=sentence, fix=fix)]


def _finding(name: str, score: Score) -> Finding:
    return Finding.scored(
        kind="drift",
        severity="serious" if score.low > 0.7 else "careful",
        columns=(name,),
        score=score,
        measure="auc",
        sentence=(
            f"Column {name!r} differs between training and test rows: it alone tells "
            f"them apart with {score.words('AUC')}."
        ),
        fix=f"Find out why {name!r} changed, and judge without it too.",
        size=0.7 + 2 * score.low - 1,
    )
