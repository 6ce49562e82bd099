"""Clusters get numbers: the mean of their training rows, for a measured target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caveat.ranking import concordance

if TYPE_CHECKING:
    from caveat.eapp.folds._fold import FoldResult, Plan

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ShuffledNumbers:
    """Shuffles of a measured target, and at the end the target as it is.

    Attributes
    ----------
    numbers : ndarray of shape (n,)
    strata : list of ndarray
        Rows within which numbers change places.
    shuffles, seed : int
    """

    numbers: Floats
    strata: list[NDArray[np.int64]]
    shuffles: int
    seed: int

    def vector(self, index: int) -> Floats:
        """Return one shuffle; number `shuffles` is the target itself."""
        if index == self.shuffles:
            return self.numbers
        rng = np.random.default_rng([self.seed, index])
        shuffled = np.empty_like(self.numbers)
        for rows in self.strata:
            shuffled[rows] = rng.permutation(self.numbers[rows])
        return shuffled


@dataclass(frozen=True)
class _Seen:
    """One k: the clusters of the training rows, and what test rows are between."""

    members: NDArray[np.int64]
    between: Pair
    k: int


@dataclass(frozen=True)
class Pair:
    """The two nearest clusters of every point, and the weight of the nearest."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weight: Floats

    @classmethod
    def of(cls, distances: Floats) -> Pair:
        """Find them; a point's weights are 1/d, as shares."""
        points = np.arange(len(distances))
        order = np.argsort(distances, axis=1, kind="stable")
        first, second = order[:, 0], order[:, 1]
        near, far = distances[points, first], distances[points, second]
        total = near + far
        weight = np.divide(far, total, out=np.full(len(total), 0.5), where=total > 0)
        return cls(first, second, weight)

    def predict(self, means: Floats) -> Floats:
        """Weigh the means of the two clusters."""
        return self.weight * means[self.first] + (1 - self.weight) * means[self.second]


class Prediction:
    """The judge of one fold, for numbers: concordance on the held-out rows.

    Clusterings do not depend on the target, so all k wait until every shuffle can be
    made once for all of them.
    """

    def __init__(
        self,
        plan: Plan,
        train: NDArray[np.int64],
        test: NDArray[np.int64],
        numbers: ShuffledNumbers,
    ) -> None:
        self.plan, self._numbers = plan, numbers
        self._train, self._test = train, test
        self._seen: list[_Seen] = []

    def see(
        self, result: FoldResult, k: int, on_train: Floats, on_test: Floats
    ) -> None:
        """Keep what a prediction needs of one k."""
        members = on_train.argmin(axis=1)
        self._seen.append(_Seen(members, Pair.of(on_test), k))
        means = cluster_means(self._numbers.numbers[self._train], members, k)
        result.means[k] = means
        fitted = Pair.of(on_train).predict(means)
        row = self.plan.ks.index(k)
        result.train[row, 0] = concordance(self._numbers.numbers[self._train], fitted)

    def finish(self, result: FoldResult) -> None:
        """Predict for the target and all its shuffles."""
        for index in range(self.plan.shuffles + 1):
            numbers = self._numbers.vector(index)
            on_train, on_test = numbers[self._train], numbers[self._test]
            for seen in self._seen:
                means = cluster_means(on_train, seen.members, seen.k)
                row = self.plan.ks.index(seen.k)
                result.honest[row, index] = concordance(
                    on_test, seen.between.predict(means)
                )


def cluster_means(numbers: Floats, members: NDArray[np.int64], k: int) -> Floats:
    """Mean of every cluster; an empty one has the mean of all.

    Examples
    --------
    >>> cluster_means(np.array([1.0, 3.0, 8.0]), np.array([0, 0, 2]), 3)
    array([2., 4., 8.])
    """
    sizes = np.bincount(members, minlength=k)
    sums = np.bincount(members, weights=numbers, minlength=k)
    return np.where(sizes > 0, sums / np.maximum(sizes, 1), numbers.mean())
