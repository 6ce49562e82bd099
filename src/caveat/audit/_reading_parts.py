"""The numbers of an audit, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Score:
    """A model over folds.

    Attributes
    ----------
    name, title : str
    value, low, high : float
        Mean over folds and its 95 % interval; NaN without two folds.
    folds : int
    upper : float
        Mean AUC (of numbers: for the upper half), to be held against the free part.
    seconds : float
        Median time of a fold.
    further : dict of str to float
        Means of the other measures.
    values : dict of (round, fold) to float
    """

    name: str
    title: str
    value: float
    low: float
    high: float
    folds: int
    upper: float
    seconds: float
    further: Mapping[str, float]
    values: Mapping[tuple[int, int], float]


@dataclass(frozen=True)
class Difference:
    """Best model minus another, positive if the best is better."""

    other: str
    value: float
    low: float
    high: float
    p: float

    @property
    def is_real(self) -> bool:
        """Whether folds can tell it from nothing."""
        return self.p < 0.05


@dataclass(frozen=True)
class Free:
    """The free part: EAPP at 1/p₀, and what shuffled labels give."""

    value: float
    paper: float
    low: float
    high: float
    p: float
    skill: float
    verdict: str
    k_star: float
    merged: bool
    rows: int
    curve: pd.DataFrame
    drivers: pd.DataFrame


@dataclass(frozen=True)
class Shifted:
    """One model while columns vanish."""

    name: str
    title: str
    closed: float
    most_used: str
    single: pd.Series
    decay: pd.DataFrame
    policies: pd.Series
    test_rows: int
    columns: int

    @property
    def worst(self) -> float:
        """Score without the column that is missed most."""
        return float(self.single[self.most_used])


@dataclass(frozen=True)
class Split:
    """The models where rows are split in another way."""

    by: str
    column: str
    scores: dict[str, Score]
