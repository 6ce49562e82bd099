"""Scores with their spread: on the rows that were tested, and on resampled ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from caveat.measures import Measure
from caveat.pages.claims import Estimate
from caveat.statistics import split_interval

Floats = NDArray[np.float64]
_MOST_CELLS = 300_000
_NEARLY = 1e-3
FEW = 300
"""Resamples for what is asked of many columns at once."""


@dataclass(frozen=True)
class Score:
    """One number per split, and the same number on resampled rows.

    Differences of scores are paired: both sides were measured on the same rows, and
    their draws are of the same resampled rows.

    Attributes
    ----------
    values : array (splits,)
    draws : array (resamples, splits)
    bends : array (resamples, splits) or None
        For measures of pairs of rows: how far the draws are from sums over rows.
    range : (float, float)
        Where the number lies.
    test_share : float
        Share of all rows that one split tests.
    rows : int
        How many distinct rows were tested.
    """

    values: Floats
    draws: Floats
    bends: Floats | None
    range: tuple[float, float]
    test_share: float
    rows: int

    def __sub__(self, other: Score) -> Score:
        width = self.range[1] - self.range[0]
        shared = min(len(self.draws), len(other.draws))
        return replace(
            self,
            values=self.values - other.values,
            draws=self.draws[:shared] - other.draws[:shared],
            bends=None
            if self.bends is None or other.bends is None
            else self.bends[:shared] - other.bends[:shared],
            range=(-width, width),
        )

    def __neg__(self) -> Score:
        return replace(
            self,
            values=-self.values,
            draws=-self.draws,
            bends=None if self.bends is None else -self.bends,
            range=(-self.range[1], -self.range[0]),
        )

    @property
    def value(self) -> float:
        """The mean over the splits."""
        return float(self.values.mean())

    def estimate(self, measure: str, *, corrected_for: int = 1) -> Estimate:
        """Give the number with its 95 % interval.

        Parameters
        ----------
        measure : str
            As people say it.
        corrected_for : int
            How many such intervals are to hold together (Bonferroni).
        """
        found = split_interval(
            self.values,
            self.draws,
            bends=self.bends,
            test_share=self.test_share,
            rows=self.rows,
            range=self.range,
            confidence=1 - 0.05 / corrected_for,
        )
        known = math.isfinite(found.low) and math.isfinite(found.high)
        splits = len(self.values)
        over = f"{splits} splits" if splits > 1 else "1 split"
        return Estimate(
            self.value,
            measure,
            found.low if known else None,
            found.high if known else None,
            f"{over}, {self.rows} test rows, paired bootstrap",
            self.rows,
        )


class Resampling:
    """The same resampled rows for whatever is measured.

    Parameters
    ----------
    units : array (rows,)
        Which rows are drawn together: a number for each row, or for its group.
    tests : sequence of array
        The rows that each split tests.
    seed : int
    """

    def __init__(
        self, units: NDArray[np.intp], tests: Sequence[NDArray[np.intp]], seed: int
    ) -> None:
        self.tests = tests
        self.rows = len(np.unique(np.concatenate(tests)))
        self.test_share = float(np.mean([len(test) for test in tests]) / len(units))
        most = max(len(test) for test in tests)
        self.draws = int(np.clip(_MOST_CELLS // most, 200, 1000))
        n_units = int(units.max()) + 1
        rng = np.random.default_rng([seed, 1])
        drawn = np.stack(
            [
                np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)
                for _ in range(self.draws)
            ]
        ).astype(np.uint8)
        self.counts = drawn[:, units]

    def measure(
        self,
        measure: Measure,
        truth: NDArray,
        stack: Floats,
        split: int,
        most: int | None = None,
    ) -> tuple[Floats, Floats, Floats | None]:
        """Measure a stack of answers to the rows of one split.

        Only the first `most` resamples are taken, all if it is None.

        Returns
        -------
        values : array (answers,)
        draws : array (resamples, answers)
        bends : array (resamples, answers) or None
            What draws have beyond a sum over rows, for measures of pairs.
        """
        counts = self.counts[:most, self.tests[split]]
        values = measure.block(truth, stack)
        draws = measure.resampled(truth, stack, counts)
        if not measure.of_pairs:
            return values, draws, None
        # Weights that hardly differ from 1 change a number by a sum over the rows.
        nearly = 1.0 + _NEARLY * (counts - 1.0)
        slopes = (measure.resampled(truth, stack, nearly) - values) / _NEARLY
        return values, draws, draws - values - slopes

    def score(
        self,
        measure: Measure,
        values: Sequence[float],
        draws: Sequence[Floats],
        bends: Sequence[Floats],
    ) -> Score:
        """Put one number's values, draws and bends of all splits together."""
        return Score(
            np.array(values),
            np.column_stack(draws),
            np.column_stack(bends) if bends else None,
            measure.range,
            self.test_share,
            self.rows,
        )
