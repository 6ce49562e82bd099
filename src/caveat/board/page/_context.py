"""What all sections of a chapter share: the study, its main scores, its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from caveat.board.page._scorer import Scorer
from caveat.board.page._scores import Scores
from caveat.board.page._study import Measure, Study, distinct_titles
from caveat.pages import Download, count, decimals, fixed, shorten
from caveat.pages._export import to_csv, to_latex


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
        return self.scorer.scores(self.study.measures[0], self.study.choices[0])

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
    def names(self) -> dict[str, str]:
        """Learners as pages spell them."""
        everyone = (*self.study.learners, *self.study.references)
        return distinct_titles(everyone, "learner", self.study.glossary)

    @cached_property
    def places(self) -> int:
        """Decimals that the intervals of the main scores support."""
        return score_places(self.scores)

    def number(self, value: float) -> str:
        """Write a score of the main measure."""
        return fixed(value, self.places)

    def gap(self, value: float) -> str:
        """Write a difference: as many decimals as it takes to be seen, up to three."""
        for places in range(self.places, max(self.places, 3) + 1):
            text = fixed(abs(value), places)
            if float(text.replace(",", "")) > 0 or not value:
                return text
        return f"less than {fixed(10.0**-places, places)}"

    def better(self, one: float, other: float) -> bool:
        """Whether one score is better than another; false if either is unknown."""
        return self.measure.sign * (one - other) > 0

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

    def relative(self, amount: float) -> float:
        """Size of a difference against what the best learner earned."""
        if not self.scores.intervals:
            return 0.0
        best = self.scores.intervals[self.scores.order[0]].mean
        free = self.free_of()
        earned = abs(best - free) if np.isfinite(free) else abs(best)
        return float(abs(amount) / earned) if earned else float("inf")

    def csv(self, name: str, frame: pd.DataFrame, label: str = "CSV") -> Download:
        """Make a CSV file of a table."""
        text = to_csv(frame, excel_safe=self.excel_safe)
        return Download(f"tables/{self.prefix}{name}.csv", label, text.encode("utf-8"))

    def latex(self, name: str, frame: pd.DataFrame, places: int) -> Download:
        """Make a LaTeX file of a table."""
        text = to_latex(frame, digits=places)
        return Download(
            f"tables/{self.prefix}{name}.tex", "LaTeX", text.encode("utf-8")
        )


def mean_free(study: Study, free: Mapping[str, float], level: str = "") -> float:
    """Mean free part of a level's data sets; NaN unless known for all of them."""
    known = [free.get(dataset, float("nan")) for dataset in study.datasets_of(level)]
    return float(np.mean(known))


def score_places(scores: Scores) -> int:
    """Decimals down a column of means: what half of the intervals support."""
    halves = [(one.high - one.low) / 2 for one in scores.intervals.values()]
    known = [half for half in halves if np.isfinite(half) and half > 0]
    places = decimals(float(np.median(known)) if known else None)
    means = [abs(one.mean) for one in scores.intervals.values()]
    if not means or max(means) > 1:
        return places
    # Scores below one need two decimals to be scores at all, and more if 0.997 would
    # read as perfect.
    perfect = any(round(mean, 2) in (0, 1) and mean not in (0, 1) for mean in means)
    return 3 if perfect else max(places, 2)
