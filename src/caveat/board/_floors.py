"""What is reached without learning: on the whole, and on every split."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from caveat.board._study import Study
from caveat.models import is_constant

if TYPE_CHECKING:
    from caveat.board._scores import Scores

CONSTANT = "the constant answer"
#: What trials write down of their split, besides the constant answer.
RECORDED = {
    "always-positive": "the positive class, always answered",
    "group-majority": "the majority of each group",
    "popularity": "popularity, which looks at no feature",
    "every-label": "every label for everybody",
    "no-label": "no label for anybody",
}


@dataclass(frozen=True)
class Floor:
    """A score that needs no learning; NaN where none is known.

    `each` are its values by data set and repeat, where it was measured there; None if
    it is the same everywhere by definition.
    """

    value: float
    name: str
    each: pd.Series | None = None

    def on(self, index: pd.Index) -> pd.Series:
        """Give its values on these splits; NaN where it was not measured."""
        if self.each is None:
            return pd.Series(self.value, index=index)
        return self.each.reindex(index)

    def of(self, datasets: Iterable[str]) -> float:
        """Give its mean over these data sets; NaN where one of them lacks it."""
        if self.each is None:
            return self.value
        means = self.each.groupby(level="dataset").mean()
        return float(means.reindex(list(datasets)).mean(skipna=False))


def mean_free(study: Study, free: Mapping[str, float], level: str = "") -> float:
    """Mean free part of a level's data sets; NaN unless known for all of them."""
    known = [free.get(dataset, float("nan")) for dataset in study.datasets_of(level)]
    return float(np.mean(known))


def find_floor(study: Study, scores: Scores, clusters: Floor) -> Floor:
    """Take the highest of the constant answer, clusters and what trials wrote down.

    The constant answer has the same score everywhere by some measures (0.5 AUC); by
    others it is known where a learner of that kind was run.
    """
    sign = scores.measure.sign
    found = [clusters, constant_answer(study, scores), *recorded(study, scores)]
    known = [one for one in found if np.isfinite(one.value)]
    return max(known, key=lambda one: sign * one.value, default=clusters)


def recorded(study: Study, scores: Scores) -> list[Floor]:
    """Give the floors that trials wrote down by the main measure.

    Answering the positive class is one: a learner that answers the largest class has
    an F1 of 0 where the other one is positive, and so is no floor.
    """
    found = [
        _recorded(study, f"fact.{name}-{scores.measure.name}", words)
        for name, words in RECORDED.items()
    ]
    return [floor for floor in found if np.isfinite(floor.value)]


def constant_answer(study: Study, scores: Scores) -> Floor:
    """Score of the constant answer; NaN if neither measure, row nor learner tells."""
    for name in study.learners:
        if is_constant(name) and name in scores.intervals:
            return Floor(scores.intervals[name].mean, CONSTANT, scores.by_repeat[name])
    constant = scores.measure.constant
    if constant is not None:
        return Floor(float(constant), CONSTANT)
    return _recorded(study, f"fact.constant-{scores.measure.name}", CONSTANT)


def _recorded(study: Study, column: str, words: str) -> Floor:
    """Take a floor from what every trial wrote down of its split."""
    table = study.table
    if column not in table.rows:
        return Floor(float("nan"), words)
    known = table.code >= 0
    groups = table.groups[["dataset", "repeat"]].astype({"dataset": str})
    where = groups.iloc[table.code[known]].reset_index(drop=True)
    values = where.assign(value=table.rows[column].to_numpy(dtype=float)[known])
    each = values.groupby(["dataset", "repeat"])["value"].mean()
    mean = values.groupby("dataset")["value"].mean().mean(skipna=False)
    return Floor(float(mean), words, each)
