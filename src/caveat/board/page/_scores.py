"""Scores under one measure and one selection rule: cells, means, ranks, best sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.board.page._cells import CellFacts, Cells
from caveat.board.page._study import Choice, Measure, Study
from caveat.statistics._best_set import best_set
from caveat.statistics._cliques import cliques_by_difference
from caveat.statistics._friedman import FriedmanTest, critical_difference, friedman_test
from caveat.statistics._intervals import Interval, mean_interval
from caveat.statistics._ranks import AverageRanks, average_ranks

ALPHA = 0.05


class Counts(NamedTuple):
    """Blocks that were planned, that gave a value, that still wait for trials."""

    planned: int
    given: int
    open: int


@dataclass(frozen=True)
class Scores:
    """Everything that a leaderboard says.

    Attributes
    ----------
    study : Study
    measure, choice
        Which measure, and how configurations were chosen.
    cells : Cells
        Means over repeats and what they rest on, by block and learner.
    """

    study: Study
    measure: Measure
    choice: Choice
    cells: Cells

    @property
    def blocks(self) -> pd.DataFrame:
        """The study's data sets and worlds."""
        return self.study.blocks

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.cells.learners)}

    @cached_property
    def _of_level(self) -> dict[str, NDArray[np.bool_]]:
        """Which blocks belong to a level; all of them to the empty one."""
        level = self.blocks["level"].to_numpy()
        masks = {one: level == one for one in self.study.levels}
        return {"": np.ones(len(level), dtype=bool)} | masks

    @cached_property
    def means(self) -> pd.DataFrame:
        """Mean over repeats: blocks x competing learners, NaN where there is none."""
        columns = [self._place[name] for name in self.study.learners]
        return pd.DataFrame(
            self.cells.mean[:, columns], columns=list(self.study.learners)
        )

    @cached_property
    def over(self) -> str:
        """What the intervals are over: data sets, worlds or repeats."""
        scored = np.isfinite(self.cells.mean).any(axis=1)
        datasets = self.blocks["dataset"].to_numpy()[scored]
        if len(set(datasets)) > 1:
            return "data sets"
        return "worlds" if len(datasets) > 1 else "repeats"

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Mean and 95 % interval of every learner that has a value, over units.

        The outermost units that vary are the sample, as in `nested_mean_interval`.
        """
        found = {}
        for name, number in self._place.items():
            sample = (
                self.cells.values_of(number)
                if self.over == "repeats"
                else self._units(self.cells.mean[:, number])
            )
            if len(sample):
                found[name] = mean_interval(sample)
        return found

    @cached_property
    def _dataset_codes(self) -> NDArray[np.intp]:
        return pd.factorize(self.blocks["dataset"])[0]

    def _units(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        """Means of blocks, or of data sets where the interval is over those."""
        known = np.isfinite(means)
        if self.over != "data sets":
            return means[known]
        codes = self._dataset_codes[known]
        sums = np.bincount(codes, means[known])
        counts = np.bincount(codes)
        return sums[counts > 0] / counts[counts > 0]

    @cached_property
    def level_means(self) -> dict[str, dict[str, float]]:
        """Mean by level and learner, where there is one; all blocks under ''."""
        found: dict[str, dict[str, float]] = {}
        for level, mask in self._of_level.items():
            column = {}
            for name, number in self._place.items():
                sample = self._units(np.where(mask, self.cells.mean[:, number], np.nan))
                if len(sample):
                    column[name] = float(sample.mean())
            found[level] = column
        return found

    def cell(self, block: int, learner: str) -> CellFacts | None:
        """Return what is known of a learner in a block; None if it was not planned."""
        return self.cells.facts(block, self._place[learner])

    def count(self, learner: str, level: str = "") -> Counts:
        """How many blocks of a level were planned for a learner, and what they gave."""
        number, mask = self._place.get(learner), self._of_level[level]
        if number is None:
            return Counts(0, 0, 0)
        columns = (self.cells.planned, self.cells.n, self.cells.open)
        return Counts(*(int((one[mask, number] > 0).sum()) for one in columns))

    @cached_property
    def rank_table(self) -> AverageRanks | None:
        """Average ranks; None with fewer than two learners or no block to rank.

        A failed cell is last. A block in which a learner was not planned, or has
        not been run yet, takes no part.
        """
        columns = [self._place[name] for name in self.study.learners]
        planned = self.cells.planned[:, columns] > 0
        waits = (self.cells.n[:, columns] == 0) & (self.cells.open[:, columns] > 0)
        usable = self.means[(planned & ~waits).all(axis=1)]
        if len(columns) < 2 or usable.isna().all(axis=None):
            return None
        return average_ranks(usable, direction=self.measure.direction, missing="worst")

    @cached_property
    def friedman(self) -> FriedmanTest | None:
        """Friedman's test of the average ranks; None where there are too few."""
        ranks = self.rank_table
        return None if ranks is None or ranks.n_blocks < 2 else friedman_test(ranks)

    @cached_property
    def differ(self) -> bool:
        """Whether the test finds any difference between average ranks."""
        return self.friedman is not None and self.friedman.tied_f_p < ALPHA

    @cached_property
    def critical_difference(self) -> float | None:
        """Nemenyi's critical difference, if Friedman's test finds any difference."""
        ranks = self.rank_table
        if ranks is None or not self.differ:
            return None
        return critical_difference(ranks.n_learners, ranks.n_blocks, alpha=ALPHA)

    @cached_property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """Learners that cannot be told apart; all of them without a difference."""
        if self.rank_table is None:
            return ()
        if self.critical_difference is None:
            return (tuple(self.rank_table.ranks.index),)
        return cliques_by_difference(self.rank_table.ranks, self.critical_difference)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Learners, best mean first; those without a value last."""
        sign, known = self.measure.sign, self.intervals

        def key(name: str) -> float:
            return -sign * known[name].mean if name in known else np.inf

        return tuple(sorted(self.study.learners, key=key))

    @property
    def compared_by(self) -> str:
        """What tells learners apart: ``ranks``, ``repeats`` or ``nothing``."""
        if self.friedman is not None:
            return "ranks"
        return "repeats" if len(self.best_sets) == 1 else "nothing"

    @cached_property
    def leaders(self) -> tuple[str, ...]:
        """The best and all that cannot be told from it.

        Two kinds of evidence tell a learner from the first: average ranks over blocks,
        and t-tests over repeats that keep it out of the best set of every block. The
        former sees little in few blocks, the latter in few repeats.
        """
        scored = [one for one in self.order if one in self.intervals]
        if len(scored) < 2 or self.compared_by == "nothing":
            return tuple(scored[:1])
        if self.compared_by == "repeats":
            return tuple(next(iter(self.best_sets.values())))
        assert self.rank_table is not None
        ranks = self.rank_table.ranks
        reach = self.critical_difference
        near = ranks if reach is None else ranks[ranks - ranks.iloc[0] < reach]
        counts = self.best_set_counts
        return tuple(
            one
            for place, one in enumerate(near.index)
            if one in self.intervals and (place == 0 or counts[one] > 0)
        )

    @cached_property
    def best_sets(self) -> Mapping[int, tuple[str, ...]]:
        """Per block the learners that t-tests cannot tell from the best mean."""
        found = {}
        for block, samples in self.cells.samples().items():
            ours = {one: samples[one] for one in self.study.learners if one in samples}
            if ours:
                found[block] = best_set(
                    ours, direction=self.measure.direction, alpha=ALPHA
                ).members
        return found

    @cached_property
    def best_set_counts(self) -> dict[str, int]:
        """In how many blocks each learner is in the best set."""
        counts = dict.fromkeys(self.study.learners, 0)
        for members in self.best_sets.values():
            for name in members:
                counts[name] += 1
        return counts

    @cached_property
    def regrets(self) -> dict[str, float]:
        """Mean regret of each learner: over repeats, then over blocks."""
        found = {}
        for name, number in self._place.items():
            known = self.cells.regret[:, number]
            known = known[np.isfinite(known)]
            if len(known):
                found[name] = float(known.mean())
        return found
