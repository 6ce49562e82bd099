"""Folds for items with candidate sets."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from caveat.candidates._candidates import Mask, as_candidates

#: Standard errors between the sets learnt from and those scored that are no chance.
FAR = 6.0


class CandidateKFold:
    """Shuffled folds in which every class is a candidate about equally often.

    Scikit-learn takes candidate sets for many labels and cuts the rows as they come.
    Rows that are sorted by class then leave whole classes out of training.

    Parameters
    ----------
    n_splits : int, default=5
    random_state : int, RandomState or None, default=None

    Examples
    --------
    >>> sets = [{0}, {0, 1}, {0}, {1, 2}, {1}, {1, 0}, {2}, {2, 0}, {2}]
    >>> folds = CandidateKFold(3, random_state=0).split(None, sets)
    >>> [len(test) for _, test in folds]
    [3, 3, 3]
    """

    def __init__(self, n_splits: int = 5, random_state: Any = None) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def split(
        self, X: Any, y: Any, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Give row numbers of training and test, fold after fold."""
        matrix = as_candidates(y, warn=False).matrix
        # The rarest candidate of an item says most about it.
        kind = np.where(matrix, matrix.sum(axis=0), len(matrix) + 1).argmin(axis=1)
        folds = StratifiedKFold(
            self.n_splits, shuffle=True, random_state=self.random_state
        )
        with warnings.catch_warnings():
            # A class with fewer items than folds is in some of them only.
            warnings.filterwarnings("ignore", message="The least populated class")
            yield from folds.split(np.zeros(len(kind)), kind)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Give the number of folds."""
        return self.n_splits


@dataclass(frozen=True)
class Shares:
    """How often each class is a candidate, among how many items."""

    of: NDArray[np.float64]
    items: int

    @classmethod
    def found(cls, matrix: Mask) -> Shares:
        """Count."""
        return cls(matrix.mean(axis=0), len(matrix))


def warn_if_sorted(learnt: Shares, scored: Shares, classes: Sequence[Any]) -> None:
    """Warn where scored sets come from other classes than those learnt from."""
    total = learnt.items + scored.items
    pooled = (learnt.of * learnt.items + scored.of * scored.items) / total
    error = np.sqrt(pooled * (1 - pooled) * (1 / learnt.items + 1 / scored.items))
    apart = np.abs(scored.of - learnt.of) / np.maximum(error, 1e-12)
    worst = int(apart.argmax())
    if apart[worst] <= FAR:
        return
    warnings.warn(
        f"class {classes[worst]!r} is a candidate of {scored.of[worst]:.0%} of the "
        f"items scored, but of {learnt.of[worst]:.0%} of those learnt from: were rows "
        "that are sorted by class cut without shuffling? Pass "
        "cv=caveat.candidates.CandidateKFold()",
        UserWarning,
        stacklevel=3,
    )
