"""Scores under one measure and one selection rule: cells, means, ranks, best sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from caveat.report._best_set import best_set
from caveat.report._cliques import cliques_by_difference
from caveat.report._friedman import FriedmanTest, critical_difference, friedman_test
from caveat.report._intervals import Interval, mean_interval
from caveat.report._ranks import AverageRanks, average_ranks
from caveat.report._selection import select
from caveat.report.page._study import Choice, Measure, Noun, Study

ALPHA = 0.05


class CellFacts(NamedTuple):
    """Searches of one learner in one block: their mean, and how many of which kind."""

    mean: float
    n: int
    planned: int
    incomplete: int
    open: int


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
    measure, choice
        Which measure, and how configurations were chosen.
    values : DataFrame
        One row per search: ``learner``, ``block``, ``repeat``, ``value``, ``regret``,
        ``complete``, ``open`` (still waiting for trials).
    cells : DataFrame
        One row per learner and block that was planned: ``mean``, ``n`` (searches that
        gave a value), ``planned``, ``incomplete`` and ``open`` searches.
    blocks : DataFrame
        As in `Study`.
    """

    measure: Measure
    choice: Choice
    values: pd.DataFrame
    cells: pd.DataFrame
    blocks: pd.DataFrame
    learners: tuple[str, ...]
    references: tuple[str, ...]
    noun: Noun

    @cached_property
    def means(self) -> pd.DataFrame:
        """Mean over repeats: blocks x learners, NaN where there is none."""
        wide = self.cells["mean"].unstack("learner")
        return wide.reindex(index=self.blocks.index, columns=list(self.learners))

    @cached_property
    def over(self) -> str:
        """What the intervals are over: data sets, worlds or repeats."""
        scored = self.blocks.loc[self.means.notna().any(axis=1).to_numpy()]
        if scored["dataset"].nunique() > 1:
            return "data sets"
        return "worlds" if len(scored) > 1 else "repeats"

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Mean and 95 % interval of every learner and reference that has a value."""
        found = {}
        for name in (*self.learners, *self.references):
            sample = self._sample(name)
            if len(sample):
                found[name] = mean_interval(sample)
        return found

    def _sample(self, learner: str) -> np.ndarray:
        """Means of the outermost units that vary, as `nested_mean_interval` takes."""
        if learner not in self.cells.index.get_level_values("learner"):
            return np.empty(0)
        means = self.cells["mean"].xs(learner, level="learner").dropna()
        if self.over == "repeats":
            rows = self.values["learner"].eq(learner)
            return self.values.loc[rows, "value"].dropna().to_numpy(dtype=float)
        if self.over == "data sets":
            dataset = self.blocks["dataset"].reindex(means.index)
            means = means.groupby(dataset, sort=False).mean()
        return means.to_numpy(dtype=float)

    @cached_property
    def level_means(self) -> pd.DataFrame:
        """Means within each level of the factor: learners x levels."""
        cells = self.cells.reset_index()
        cells["level"] = self.blocks["level"].reindex(cells["block"]).to_numpy()
        cells["dataset"] = self.blocks["dataset"].reindex(cells["block"]).to_numpy()
        keys = ["learner", "level"]
        if self.over == "data sets":
            inner = cells.groupby([*keys, "dataset"], sort=False)["mean"].mean()
            means = inner.groupby(keys, sort=False).mean()
        else:
            means = cells.groupby(keys, sort=False)["mean"].mean()
        return means.unstack("level")

    @cached_property
    def facts(self) -> dict[tuple[int, str], CellFacts]:
        """What is known of each block and learner that was planned."""
        rows = self.cells.itertuples(name=None)
        return {
            key: CellFacts(mean, int(n), int(planned), int(incomplete), int(open_))
            for key, mean, n, planned, incomplete, open_ in rows
        }

    @cached_property
    def counts(self) -> dict[tuple[str, str], Counts]:
        """Blocks by learner and level; the empty level counts all of them."""
        levels = dict(self.blocks["level"])
        found: dict[tuple[str, str], Counts] = {}
        for (block, learner), cell in self.facts.items():
            one = Counts(1, int(cell.n > 0), int(cell.open > 0))
            for level in dict.fromkeys(("", levels.get(block, ""))):
                known = found.get((learner, level), Counts(0, 0, 0))
                found[learner, level] = Counts(
                    *(a + b for a, b in zip(known, one, strict=True))
                )
        return found

    def count(self, learner: str, level: str = "") -> Counts:
        """How many blocks of a level were planned for a learner, and what they gave."""
        return self.counts.get((learner, level), Counts(0, 0, 0))

    @cached_property
    def rank_table(self) -> AverageRanks | None:
        """Average ranks; None with fewer than two learners or no block to rank.

        A failed cell is last. A block in which a learner was not planned, or has
        not been run yet, takes no part.
        """
        planned = self.cells["planned"].unstack("learner").reindex_like(self.means)
        waiting = self.cells["open"].unstack("learner").reindex_like(self.means)
        absent = planned.isna() | (self.means.isna() & (waiting > 0))
        usable = self.means[~absent.any(axis=1).to_numpy()]
        if len(self.learners) < 2 or usable.isna().all(axis=None):
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
        sign = self.measure.sign
        return tuple(
            sorted(
                self.learners,
                key=lambda one: (
                    -sign * self.intervals[one].mean
                    if one in self.intervals
                    else np.inf
                ),
            )
        )

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
        ranks = self.rank_table
        assert ranks is not None
        first = ranks.ranks.iloc[0]
        reach = self.critical_difference
        near = (
            ranks.ranks if reach is None else ranks.ranks[ranks.ranks - first < reach]
        )
        counts = self.best_set_counts
        return tuple(
            one
            for place, one in enumerate(near.index)
            if one in self.intervals and (place == 0 or counts[one] > 0)
        )

    @cached_property
    def best_sets(self) -> Mapping[int, tuple[str, ...]]:
        """Per block the learners that t-tests cannot tell from the best mean."""
        values = self.values[self.values["learner"].isin(self.learners)]
        found = {}
        for block, part in values.dropna(subset="value").groupby("block", sort=True):
            samples = {
                name: one.to_numpy(dtype=float)
                for name, one in part.groupby("learner", sort=False)["value"]
            }
            ordered = {name: samples[name] for name in self.learners if name in samples}
            found[int(str(block))] = best_set(
                ordered, direction=self.measure.direction, alpha=ALPHA
            ).members
        return found

    @cached_property
    def best_set_counts(self) -> dict[str, int]:
        """In how many blocks each learner is in the best set."""
        counts = dict.fromkeys(self.learners, 0)
        for members in self.best_sets.values():
            for name in members:
                counts[name] += 1
        return counts

    @cached_property
    def regrets(self) -> pd.Series:
        """Mean regret of each learner: over repeats, then over blocks."""
        per_block = self.values.groupby(["learner", "block"], sort=False)[
            "regret"
        ].mean()
        return per_block.groupby("learner", sort=False).mean()


class Scorer:
    """Chooses once per rule, then scores any measure under it.

    Parameters
    ----------
    study : Study
    """

    def __init__(self, study: Study) -> None:
        self.study = study
        table = study.table
        groups = table.groups
        self._ours = ~groups["baseline"].fillna(False).astype(bool).to_numpy()
        self._block = block_numbers(study, groups)
        self._open = groups["missing"].to_numpy() > 0
        rows = np.bincount(table.code[table.code >= 0], minlength=len(groups))
        self._single = rows <= 1
        directions = {one.column: one.direction for one in study.measures}
        columns = [one.column for one in study.measures]
        # By a measure itself: the best row there is, which regret is held against.
        self._best = {
            one.name: select(table, one.column, direction=directions)[one.column]
            for one in study.measures
        }
        self._chosen = {
            one.name: select(table, one.name)[columns]
            for one in study.choices
            if one.name is not None
        }

    def free(self, measure: Measure) -> pd.Series:
        """Mean of the baseline on each data set, which it reaches without a label."""
        groups = self.study.table.groups[~self._ours]
        values = self._best[measure.name][~self._ours]
        per_data_set = values.groupby(groups["dataset"].astype(str)).mean()
        return per_data_set.reindex(list(self.study.datasets))

    def scores(self, measure: Measure, choice: Choice) -> Scores:
        """Score every learner by one measure, chosen by one rule."""
        groups = self.study.table.groups
        best = self._best[measure.name].to_numpy(dtype=float)
        if choice.name is None:
            # Without a rule there is nothing to choose by, only single rows count.
            value = np.where(self._single, best, np.nan)
        else:
            value = self._chosen[choice.name][measure.column].to_numpy(dtype=float)
        values = pd.DataFrame(
            {
                "learner": groups["learner"].astype(str),
                "block": self._block,
                "repeat": groups["repeat"],
                "value": value,
                # Adding 0 turns -0.0 into 0.0.
                "regret": measure.sign * (best - value) + 0.0,
                "complete": groups["complete"].to_numpy(dtype=bool),
                "open": self._open,
            }
        )[self._ours]
        return Scores(
            measure=measure,
            choice=choice,
            values=values,
            cells=_cells(values),
            blocks=self.study.blocks,
            learners=self.study.learners,
            references=self.study.references,
            noun=self.study.noun,
        )


def _cells(values: pd.DataFrame) -> pd.DataFrame:
    has_value = values["value"].notna()
    return (
        values.assign(
            n=has_value, incomplete=has_value & ~values["complete"], planned=True
        )
        .groupby(["block", "learner"], sort=True)
        .agg(
            mean=("value", "mean"),
            n=("n", "sum"),
            planned=("planned", "sum"),
            incomplete=("incomplete", "sum"),
            open=("open", "sum"),
        )
    )


def block_numbers(study: Study, frame: pd.DataFrame) -> np.ndarray:
    """Return the number of each row's block; -1 for none, as baselines have."""
    index = pd.MultiIndex.from_frame(study.blocks[["dataset", "world"]])
    pairs = frame[["dataset", "world"]].astype(object).fillna("").astype(str)
    return index.get_indexer(pd.MultiIndex.from_frame(pairs))
