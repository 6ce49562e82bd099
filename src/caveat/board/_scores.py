"""Scores under one measure and one selection rule: means, intervals, ranks, verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.board._floors import Floor, find_floor, mean_free
from caveat.board._study import (
    CellFacts,
    Cells,
    Choice,
    Measure,
    Scorer,
    Study,
    distinct_titles,
)
from caveat.board._verdict import ALPHA, Verdict, beside, decide
from caveat.eapp.result import CLUSTERS
from caveat.pages import Download, count, decimals, fixed, shorten, to_csv, to_latex
from caveat.pages.claims import Estimate
from caveat.statistics import (
    AverageRanks,
    FriedmanTest,
    Interval,
    average_ranks,
    bounded_interval,
    cliques_by_difference,
    critical_difference,
    friedman_test,
)

FEWEST = 5  # data sets that an interval can be over
OVER_REPEATS = "corrected resampled t-tests over repeats, paired, Holm-corrected"


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
        """What the intervals are over: data sets, if there are five, or repeats."""
        scored = np.isfinite(self.cells.mean).any(axis=1)
        datasets = set(self.blocks["dataset"].to_numpy()[scored])
        return "data sets" if len(datasets) >= FEWEST else "repeats"

    @property
    def alone(self) -> bool:
        """Whether every number is one run, so that there are no intervals."""
        return self.over == "repeats" and self.cells.repeats == 1

    @cached_property
    def _searches(self) -> pd.DataFrame:
        """Every search: data set, repeat, learner, level, value."""
        layout, blocks = self.cells.layout, self.blocks
        return pd.DataFrame(
            {
                "dataset": blocks["dataset"].to_numpy()[layout.block],
                "level": blocks["level"].to_numpy()[layout.block],
                "repeat": layout.repeat,
                "learner": np.array(self.cells.learners, dtype=object)[layout.learner],
                "value": self.cells.value,
            }
        )

    @cached_property
    def by_repeat(self) -> pd.DataFrame:
        """Means over worlds, (data set, repeat) x learners; NaN if a world is missing.

        Only so do differences between two learners rest on the same worlds.
        """
        return self.by_repeat_of("")

    def by_repeat_of(self, level: str) -> pd.DataFrame:
        """Means over the worlds of a level; of all of them for the empty one."""
        rows = self._searches
        if level:
            rows = rows[(rows["level"] == level).to_numpy()]
        grouped = rows.groupby(
            ["dataset", "repeat", "learner"], observed=True, sort=False
        )["value"]
        means = grouped.mean().where(grouped.count() == grouped.size())
        table = means.unstack("learner")
        return table.reindex(columns=list(self.cells.learners)).sort_index()

    def interval_of(self, learner: str, level: str = "") -> Interval | None:
        """Mean and 95 % interval of a learner, overall or in a level; None if none."""
        units = self._units(
            np.where(
                self._of_level[level], self.cells.mean[:, self._place[learner]], np.nan
            )
        )
        if not len(units):
            return None
        ends = self.measure.range
        if self.over == "data sets" and len(units) >= FEWEST:
            return bounded_interval(units, range=ends)
        rows = self._searches
        rows = rows[(rows["learner"] == learner).to_numpy()]
        if level:
            rows = rows[(rows["level"] == level).to_numpy()]
        by_data = rows.groupby(["repeat", "dataset"])["value"].mean().unstack()
        whole = by_data.loc[:, by_data.notna().any()].dropna().mean(axis=1)
        found = bounded_interval(whole, range=ends, test_share=self.study.test_share)
        mean = float(units.mean())
        if not found.low <= mean <= found.high:
            found = replace(found, low=np.nan, high=np.nan)
        return replace(found, mean=mean)

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Mean and 95 % interval of every learner that has a value."""
        found = {name: self.interval_of(name) for name in self._place}
        return {name: one for name, one in found.items() if one is not None}

    def estimate(self, learner: str, level: str = "") -> Estimate:
        """Give the mean as a claim may show it."""
        found = self.interval_of(learner, level) if level else self.intervals[learner]
        assert found is not None
        basis = f"{found.n} {self.over}"
        one = Estimate.of(found, self.measure.title, basis)
        return replace(one, digits=self.places)

    @cached_property
    def places(self) -> int:
        """Decimals down a column of means: what half of the intervals support."""
        halves = [(one.high - one.low) / 2 for one in self.intervals.values()]
        known = [half for half in halves if np.isfinite(half) and half > 0]
        places = decimals(float(np.median(known)) if known else None)
        means = [abs(one.mean) for one in self.intervals.values()]
        if not means or max(means) > 1:
            return places
        # Scores below one need two decimals to be scores at all, and more if 0.997
        # would read as perfect.
        perfect = any(round(mean, 2) in (0, 1) and mean not in (0, 1) for mean in means)
        return 3 if perfect else max(places, 2)

    @cached_property
    def _dataset_codes(self) -> NDArray[np.intp]:
        return pd.factorize(self.blocks["dataset"])[0]

    def _units(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        """Means of data sets, over their blocks."""
        known = np.isfinite(means)
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
        """Friedman's test of the average ranks; None unless blocks are data sets.

        Worlds of one data set are no independent blocks, and a few data sets no sample.
        """
        ranks, alike = self.rank_table, len(self.blocks) == len(self.study.datasets)
        if ranks is None or not alike or self.verdict.kind != "data sets":
            return None
        return friedman_test(ranks)

    @cached_property
    def critical_difference(self) -> float | None:
        """Nemenyi's critical difference, if Friedman's test finds any difference."""
        ranks = self.rank_table
        if ranks is None or self.friedman is None or self.friedman.tied_f_p >= ALPHA:
            return None
        return critical_difference(ranks.n_learners, ranks.n_blocks, alpha=ALPHA)

    @cached_property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """Learners that ranks do not tell apart; none where ranks test nothing."""
        if self.rank_table is None or self.friedman is None:
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

    @cached_property
    def verdict(self) -> Verdict:
        """What paired, corrected tests say about who is first."""
        measure, ours = self.measure, self.study.competing
        return decide(
            self.by_repeat[list(ours)],
            tuple(one for one in self.order if one in ours),
            sign=measure.sign,
            unit=measure.title,
            span=measure.range,
            test_share=self.study.test_share,
        )

    @property
    def leaders(self) -> tuple[str, ...]:
        """The first and all that no test tells from it."""
        return self.verdict.leaders

    @cached_property
    def best_sets(self) -> Mapping[int, Verdict]:
        """Per block who is not told from the first there, where a test was made."""
        found = {}
        ours = list(self.study.competing)
        rows, layout = self._searches, self.cells.layout
        rows = rows.assign(block=layout.block)
        table = rows.pivot_table(
            index=["block", "repeat"], columns="learner", values="value", observed=True
        ).reindex(columns=ours)
        for block, part in table.groupby(level="block"):
            if part.notna().any().sum() < 1:
                continue
            sign = self.measure.sign
            means = part.mean().dropna()
            order = tuple(sorted(means.index, key=lambda one: -sign * means[one]))
            verdict = decide(
                part[list(order)],
                order,
                sign=sign,
                unit="",
                span=self.measure.range,
                test_share=self.study.test_share,
            )
            if verdict.kind != "none":
                found[int(block)] = verdict
        return found

    @cached_property
    def best_set_counts(self) -> dict[str, int]:
        """In how many blocks a learner is in the best set, if it was tested at all."""
        counts: dict[str, int] = {}
        for verdict in self.best_sets.values():
            for name in verdict.compared:
                counts[name] = counts.get(name, 0) + (name in verdict.leaders)
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


def score(scorer: Scorer, measure: Measure, choice: Choice) -> Scores:
    """Score every learner by one measure, chosen by one rule."""
    return Scores(scorer.study, measure, choice, scorer.cells(measure, choice).cells)


@dataclass(frozen=True)
class Context:
    """A study on its way to becoming a chapter.

    Attributes
    ----------
    study : Study
    prefix : str
        Begins names of files and ids: empty, or the chapter's.
    excel_safe : bool
        Whether CSV files are for spreadsheets.
    """

    study: Study
    prefix: str = ""
    excel_safe: bool = False

    @cached_property
    def scorer(self) -> Scorer:
        """Choices by every rule, made once."""
        return Scorer(self.study)

    @cached_property
    def scores(self) -> Scores:
        """The main measure under the main rule."""
        return score(self.scorer, self.study.measures[0], self.study.choices[0])

    @property
    def measure(self) -> Measure:
        """The main measure."""
        return self.study.measures[0]

    @property
    def unit(self) -> str:
        """How pages call the main measure."""
        return self.measure.title

    @cached_property
    def free(self) -> dict[str, float]:
        """The free part of the data sets for which it is known, by the main measure."""
        return self.scorer.free(self.measure)

    def free_of(self, level: str = "") -> float:
        """Mean free part of a level's data sets; NaN unless known for all of them."""
        return mean_free(self.study, self.free, level)

    @cached_property
    def floor(self) -> Floor:
        """What is reached without learning, by the main measure."""
        clusters = Floor(self.free_of(), CLUSTERS, self.scorer.clusters(self.measure))
        return find_floor(self.study, self.scores, clusters)

    @cached_property
    def widest_search(self) -> float:
        """The largest distance of two rows of one search, by the main measure."""
        return self.scorer.widest(self.measure)

    def beside(self, floor: Floor, level: str = "") -> dict[str, Estimate]:
        """Hold every learner against a floor, on the splits that both were run on."""
        table = self.scores.by_repeat_of(level)[list(self.study.competing)]
        measure = self.measure
        return beside(
            table,
            floor.on(table.index),
            sign=measure.sign,
            unit=measure.title,
            span=measure.range,
            test_share=self.study.test_share,
        )

    @cached_property
    def above_floor(self) -> tuple[str, ...]:
        """Learners that a paired test, each by itself, sees above the floor."""
        if not np.isfinite(self.floor.value):
            return ()
        found = self.beside(self.floor)
        return tuple(one for one, gap in found.items() if (gap.low or 0.0) > 0)

    @cached_property
    def names(self) -> dict[str, str]:
        """Learners as pages spell them."""
        everyone = (*self.study.learners, *self.study.references)
        return distinct_titles(everyone, "learner", self.study.glossary)

    @cached_property
    def places(self) -> int:
        """Decimals that the intervals of the main scores support."""
        return self.scores.places

    def number(self, value: float) -> str:
        """Write a score of the main measure."""
        return fixed(value, self.places)

    @property
    def is_mean(self) -> bool:
        """Whether the numbers are means; one run in one block is none."""
        return self.scores.cells.repeats > 1 or len(self.study.blocks) > 1

    @property
    def where(self) -> str:
        """What the scores are over: ``20 worlds of adult``."""
        study = self.study
        blocks, data = len(study.blocks), study.datasets
        if blocks == len(data):
            return f"{count(blocks)} data sets" if blocks > 1 else shorten(data[0], 40)
        of = shorten(data[0], 40) if len(data) == 1 else f"{count(len(data))} data sets"
        return f"{count(blocks)} {study.noun(blocks)} of {of}"

    def in_level(self, level: str) -> str:
        """Say where: ``in the hard worlds``, ``on iris``; empty for the empty level."""
        if not level:
            return ""
        shown, many = self.study.level_title(level), self.study.noun.many
        if self.study.factor == "data set":
            return f"on {shown}"
        alone = shown == shorten(level, 40)
        return f"in the {shown} {many}" if alone else f"in {many} with {shown}"

    def csv(self, name: str, frame: pd.DataFrame) -> Download:
        """Make a CSV file of a table."""
        text = to_csv(frame, excel_safe=self.excel_safe)
        return Download(f"tables/{self.prefix}{name}.csv", "CSV", text.encode("utf-8"))

    def latex(self, name: str, frame: pd.DataFrame, places: int) -> Download:
        """Make a LaTeX file of a table."""
        text = to_latex(frame, digits=places)
        return Download(
            f"tables/{self.prefix}{name}.tex", "LaTeX", text.encode("utf-8")
        )
