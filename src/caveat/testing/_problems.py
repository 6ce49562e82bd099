"""Small made-up problems, one for each kind of learner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.testing._assertions import fresh, quietly

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Problem:
    """Items, the truth about them, and what a learner is told of it.

    Attributes
    ----------
    X : array of shape (n_items, 2)
    truth : array of shape (n_items,) or (n_items, n_labels)
        What `predict` should say.
    told : tuple
        What follows `X` in ``fit``.
    named : dict
        Keywords of ``fit``.
    """

    X: Floats
    truth: Labels
    told: tuple[Any, ...] = ()
    named: dict[str, Any] = field(default_factory=dict)

    def fit(self, estimator: Any, *told: Any, **changes: Any) -> Any:
        """Fit a clone, told this or something else."""
        model = fresh(estimator)
        X = changes.pop("X", self.X)
        return quietly(model.fit, X, *(told or self.told), **{**self.named, **changes})

    def share_right(self, model: Any) -> float:
        """How much of the truth a fitted learner finds."""
        return float((np.asarray(model.predict(self.X)) == self.truth).mean())

    @property
    def share_for_nothing(self) -> float:
        """How much of it the best constant answer has."""
        columns = self.truth.reshape(len(self.X), -1).T
        return float(np.mean([np.bincount(one).max() / len(one) for one in columns]))


def plain() -> Problem:
    """Two clusters and their labels."""
    X, y = _clusters(2)
    return Problem(X, y, (y,))


def bagged() -> Problem:
    """Two clusters in six bags, more of the one or of the other."""
    X, y = _clusters(2)
    rng = np.random.default_rng(2)
    bags = np.empty(len(y), dtype=int)
    for label, chances in enumerate([[4, 3, 2, 2, 1, 1], [1, 1, 2, 2, 3, 4]]):
        rows = np.flatnonzero(y == label)
        bags[rows] = rng.choice(6, len(rows), p=np.array(chances) / sum(chances))
    counts = np.array([np.bincount(y[bags == bag], minlength=2) for bag in range(6)])
    proportions = counts / counts.sum(axis=1, keepdims=True)
    return Problem(X, y, named={"bags": bags, "proportions": proportions})


def partly_labelled() -> Problem:
    """Three clusters; each false label is a candidate in three cases out of ten."""
    X, y = _clusters(3)
    extra = np.random.default_rng(1).random((len(y), 3)) < 0.3
    return Problem(X, y, (np.eye(3, dtype=bool)[y] | extra,))


def many_labelled() -> Problem:
    """Four clusters and two labels that each hold for two of them."""
    X, y = _clusters(4)
    Y = np.array([[0, 1], [1, 1], [1, 0], [0, 0]])[y]
    return Problem(X, Y, (Y,))


def _clusters(count: int) -> tuple[Floats, Labels]:
    rng = np.random.default_rng(7)
    y = np.arange(120) % count
    angle = 2 * np.pi * y / count
    X = 4 * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + rng.normal(size=X.shape), y
