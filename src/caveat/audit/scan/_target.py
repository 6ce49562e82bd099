"""The target as the scan asks for it: few classes, or numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

# Classes beyond the most frequent share one: with many classes each has few rows.
MOST_CLASSES = 10


@dataclass(frozen=True, eq=False)
class Target:
    """What columns are asked to tell.

    Attributes
    ----------
    codes : array of int of shape (rows,)
        Class numbers; tenths of the ranks where the target is a number.
    numbers : array of float of shape (rows,)
        The number itself; for two classes 0 and 1, the rarer one is 1.
    classes : int
        How many class numbers there are.
    regression : bool
    """

    codes: NDArray[np.intp]
    numbers: NDArray[np.float64]
    classes: int
    regression: bool

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """Ranks of the numbers, ties shared."""
        return rankdata(self.numbers)

    @property
    def measure(self) -> str:
        """``r2`` for numbers, ``auc`` (mean over classes) for classes."""
        return "r2" if self.regression else "auc"

    @property
    def title(self) -> str:
        """The measure as sentences write it."""
        return "R²" if self.regression else "AUC"

    @property
    def nothing(self) -> float:
        """What the constant answer scores."""
        return 0.0 if self.regression else 0.5

    def __len__(self) -> int:
        return len(self.codes)

    def rows(self, chosen: NDArray[np.intp]) -> Target:
        """Keep some rows."""
        return Target(
            self.codes[chosen], self.numbers[chosen], self.classes, self.regression
        )

    def share(self, score: float) -> float:
        """Put a score between 0 (the constant answer) and 1 (perfect)."""
        return (score - self.nothing) / (1 - self.nothing)

    def words(self, score: float) -> str:
        """Say a score with its measure."""
        return f"{self.title} {score:.3f}"


def target_of(y: pd.Series, task: str) -> Target:
    """Read a target; see `Target`."""
    if task == "regression":
        numbers = y.to_numpy(dtype=np.float64)
        ranks = pd.Series(numbers).rank(pct=True).to_numpy()
        codes = np.minimum((ranks * 10).astype(np.intp), 9)
        codes = np.unique(codes, return_inverse=True)[1]
        return Target(codes, numbers, int(codes.max()) + 1, True)
    codes, names = pd.factorize(y.astype(object).map(str))
    counts = np.bincount(codes)
    # The most frequent first: of two classes the rarer one becomes number 1.
    place = np.empty(len(names), dtype=np.intp)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(names))
    codes = np.minimum(place[codes], MOST_CLASSES)
    return Target(codes, codes.astype(np.float64), int(codes.max()) + 1, False)
