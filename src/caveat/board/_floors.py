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
    it is the same everywhere by definition. `is_mixed`: not one answer, but the best
    of several on each data set.
    """

    value: float
    name: str
    each: pd.Series | None = None
    is_mixed: bool = False

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
    """Take on every data set the best of what is free there.

    That is the constant answer, clusters and what trials wrote down; one of them where
    it is the best on all data sets. The constant answer has the same score everywhere
    by some measures (0.5 AUC); by others it is known where a learner of that kind was
    run. Not known if some data set has none.
    """
    sign = scores.measure.sign
    found = [clusters, constant_answer(study, scores), *recorded(study, scores)]
    table = sign * pd.DataFrame(
        [[one.of([data]) for one in found] for data in study.datasets],
        index=list(study.datasets),
        dtype=float,
    )
    highest = table.max(axis=1)
    if not len(table) or highest.isna().any():
        return Floor(float("nan"), clusters.name)
    for place, one in enumerate(found):
        if (table[place] >= highest - 1e-12).all():
            return one
    best = table.idxmax(axis=1)
    index = scores.by_repeat.index
    parts = [
        found[place].on(index[index.get_level_values(0) == data])
        for data, place in best.items()
    ]
    end = "highest" if sign > 0 else "lowest"
    words = f"the {end} free answer of each data set"
    return Floor(float(sign * highest.mean()), words, pd.concat(parts), is_mixed=True)


def recorded(study: Study, scores: Scores) -> list[Floor]:
    """Give the floors that trials wrote down by the main measure, on any data set.

    Answering the positive class is one: a learner that answers the largest class has
    an F1 of 0 where the other one is positive, and so is no floor. What was run as a
    learner, too, is not told twice.
    """
    found = [
        _recorded(study, f"fact.{name}-{scores.measure.name}", words)
        for name, words in RECORDED.items()
        if name not in constant_learners(study)
    ]
    return [one for one in found if one.each is not None and one.each.notna().any()]


def constant_learners(study: Study) -> list[str]:
    """Name the learners that answer alike for all rows."""
    return [one for one in study.learners if one in study.free or is_constant(one)]


def constant_answer(study: Study, scores: Scores) -> Floor:
    """Score of the constant answer; NaN if neither measure, row nor learner tells."""
    for name in constant_learners(study):
        if name in scores.intervals:
            words = RECORDED.get(name, CONSTANT)
            return Floor(scores.intervals[name].mean, words, scores.by_repeat[name])
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
