"""The numbers of one leaderboard: means, places, what is missing, where dots go."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from caveat.board.figures._range import interval_range
from caveat.board.page._context import Context, mean_free, score_places
from caveat.board.page._scores import Scores


class Standings:
    """One measure under one rule, ready to be shown.

    Parameters
    ----------
    context : Context
    scores : Scores
    seconds : Series
        Time of a search by learner.
    with_sets : bool
        Whether best sets are to be counted; they take a test per block and learner.
    """

    def __init__(
        self, context: Context, scores: Scores, seconds: pd.Series, with_sets: bool
    ) -> None:
        self.context, self.scores = context, scores
        self.study = context.study
        self.levels = self.study.levels
        self.places = score_places(scores)
        self.seconds: dict[str, float] = {str(k): float(v) for k, v in seconds.items()}
        self.sets = scores.best_set_counts if with_sets else None
        self.free = context.scorer.free(scores.measure)
        ranks = scores.rank_table
        self.ranks: dict[str, float] | None = None
        if ranks is not None:
            self.ranks = {str(k): float(v) for k, v in ranks.ranks.items()}
        self.rank_places = 2 if ranks is not None and ranks.n_blocks > 1 else 1

    @cached_property
    def order(self) -> list[str]:
        """Learners by average rank, then by mean."""
        if self.ranks is None:
            return list(self.scores.order)
        ranks = self.ranks
        return sorted(self.scores.order, key=lambda one: ranks.get(one, np.inf))

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """Mean by level and learner; the overall mean under the empty level."""
        intervals = self.scores.intervals
        overall = {one: interval.mean for one, interval in intervals.items()}
        return self.scores.level_means | {"": overall}

    @cached_property
    def heat(self) -> dict[tuple[str, str], int]:
        """First, second, third by level and learner; equal means share a place.

        Learners that miss a block of the level have no place: they are not comparable.
        """
        found = {}
        for level in self.levels:
            values = {
                one: self.scores.measure.sign * mean
                for one, mean in self.means[level].items()
                if one in self.study.learners and not self.misses(one, level)
            }
            for one, value in values.items() if len(values) > 1 else ():
                place = 1 + sum(other > value for other in values.values())
                if place <= 3:
                    found[level, one] = place
        return found

    def best(self, level: str) -> str:
        """Who has the best mean in a level."""
        sign, means = self.scores.measure.sign, self.means[level]
        known = [one for one in self.study.learners if one in means]
        return max(known, key=lambda one: sign * means[one], default="")

    def misses(self, learner: str, level: str = "") -> bool:
        """Whether a learner has no value in some block of the level."""
        count = self.scores.count(learner, level)
        return count.given < count.planned

    @property
    def repeats(self) -> int:
        """Most repeats of any cell."""
        return self.scores.cells.repeats

    def free_of(self, level: str = "") -> float:
        """Mean free part of a level's data sets; NaN unless known for all of them."""
        return mean_free(self.study, self.free, level)

    @cached_property
    def _ends(self) -> tuple[float, float]:
        free = self.free_of()
        anchors = [free] if np.isfinite(free) else []
        first = self.scores.intervals.get(self.best(""))
        if first is not None:
            anchors.append(first.mean)
        ends = [(one.low, one.mean, one.high) for one in self.scores.intervals.values()]
        return interval_range(ends, anchors, 0.04)

    def place(self, value: float | None) -> float | None:
        """Where a value lies on the strip: 0 to 1, or beyond if it is off the scale."""
        if value is None or not np.isfinite(value):
            return None
        low, high = self._ends
        return float((value - low) / (high - low))

    def frame(self) -> pd.DataFrame:
        """All numbers, unrounded, one row per learner."""
        rows = [self._row(one) for one in (*self.study.references, *self.order)]
        if np.isfinite(self.free_of()):
            rows.append({"learner": "free part (EAPP)", "mean": self.free_of()})
        return pd.DataFrame(rows).assign(
            over=self.scores.over,
            measure=self.scores.measure.name,
            rule=self.scores.choice.name or "",
        )

    def _row(self, learner: str) -> dict[str, Any]:
        found = self.scores.intervals.get(learner)
        count = self.scores.count(learner)
        row: dict[str, Any] = {
            "learner": learner,
            "average_rank": (self.ranks or {}).get(learner),
            "mean": found.mean if found else None,
            "low": found.low if found else None,
            "high": found.high if found else None,
            "blocks": count.given,
            "blocks_planned": count.planned,
        }
        for level in self.levels:
            row[f"mean {self.study.factor}={level}"] = self.means[level].get(learner)
        if self.sets is not None:
            row["best_set"] = self.sets.get(learner)
        if self.scores.choice.is_made:
            row["regret"] = self.scores.regrets.get(learner)
        row["seconds"] = self.seconds.get(learner)
        return row
