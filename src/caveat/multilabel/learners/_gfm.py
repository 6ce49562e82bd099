"""GFM: the set of labels with the largest expected F-measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.multilabel._arrays import ByteArray, FloatArray, IntArray
from caveat.multilabel.learners._ml_knn import NeighbourClassifier
from caveat.multilabel.thresholds._threshold import check_beta


class GFM(NeighbourClassifier):
    """General F-measure maximiser [1]_ with neighbours as the estimate.

    Needs Δ_is, the probability that label i is relevant and s labels are; here
    the share of the k nearest training rows of which that is true. For every size
    it takes the labels with the largest Σ_s Δ_is / (s + size), and compares.

    Parameters
    ----------
    k : int, default=10
        Neighbours (Euclidean; ties to the lowest row number).
    beta : float, default=1.0
        Weight of recall in the F-measure.
    scaling : {'auto', 'standard', 'max-abs', 'none'}, default='none'
        Scaling of the features before distances are taken.

    Warnings
    --------
    It maximises the expected F-measure of every instance, and no other measure.
    Its marginals take k + 1 values, so rankings by them have many ties.

    References
    ----------
    .. [1] W. Waegeman, K. Dembczynski, A. Jachnik, W. Cheng, E. Hüllermeier (2014).
       On the Bayes-optimality of F-measure maximizers. JMLR 15.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> Y = [[1, 0, 1], [1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 0]]
    >>> GFM(k=3).fit(X, Y).predict([[0.05], [1.05]])
    array([[1, 0, 1],
           [0, 1, 0]])
    """

    def __init__(
        self,
        k: int = 10,
        *,
        beta: float = 1.0,
        scaling: str | None = "none",
    ) -> None:
        self.k = k
        self.beta = beta
        self.scaling = scaling

    def _fit(self, X: Any, Y: ByteArray) -> None:
        check_beta(self.beta)
        self._fit_neighbours(X)
        rows, labels = np.nonzero(Y)
        self.labels_ = labels.astype(np.int64)
        sizes = np.bincount(rows, minlength=len(Y))
        self.ends_ = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def _scores(self, X: Any) -> FloatArray:
        """Give the share of neighbours that have each label."""
        return self._solve(X)[0]

    def _decide(self, scores: FloatArray, X: Any) -> NDArray[np.int64]:
        return self._solve(X)[1].astype(np.int64)

    def _solve(self, X: Any) -> tuple[FloatArray, ByteArray]:
        neighbours = self._neighbours(X)
        marginals = np.zeros((len(neighbours), self.n_labels_))
        chosen = np.zeros(marginals.shape, dtype=np.uint8)
        _maximise(
            neighbours,
            self.labels_,
            self.ends_,
            float(self.beta) ** 2,
            marginals,
            chosen,
        )
        return marginals, chosen


@njit(cache=True, nogil=True)
def _maximise(
    neighbours: IntArray,
    labels: IntArray,
    ends: IntArray,
    weight: float,
    marginals: FloatArray,
    chosen: ByteArray,
) -> None:
    """Find, row by row, the set with the largest expected F-measure."""
    n_rows, k = neighbours.shape
    n_labels = marginals.shape[1]
    share = 1.0 / k
    gains = np.empty(n_labels)
    seen = np.empty(n_labels, dtype=np.int64)
    for row in range(n_rows):
        # The empty set is right exactly when nothing is relevant: E_0 = p_0.
        best = 0.0
        for n in range(k):
            a = neighbours[row, n]
            if ends[a] == ends[a + 1]:
                best += share
            for q in range(ends[a], ends[a + 1]):
                marginals[row, labels[q]] += share
        count = 0
        for j in range(n_labels):
            if marginals[row, j] > 0.0:
                seen[count] = j
                count += 1
        # A label that no neighbour carries adds nothing, so sizes above `count`
        # only lower the value.
        for size in range(1, count + 1):
            for q in range(count):
                gains[seen[q]] = 0.0
            for n in range(k):
                a = neighbours[row, n]
                s = ends[a + 1] - ends[a]
                value = share * (1.0 + weight) / (weight * s + size)
                for q in range(ends[a], s + ends[a]):
                    gains[labels[q]] += value
            _sort_down(gains, seen, count)
            total = 0.0
            for q in range(size):
                total += gains[seen[q]]
            if total > best + 1e-12:
                best = total
                for q in range(count):
                    chosen[row, seen[q]] = q < size


@njit(cache=True, nogil=True)
def _sort_down(gains: FloatArray, labels: IntArray, count: int) -> None:
    """Order labels by falling gain, equal ones by number.

    Insertion sort: from one size to the next the order hardly changes.
    """
    for k in range(1, count):
        label = labels[k]
        q = k
        while q > 0 and (
            gains[labels[q - 1]] < gains[label]
            or (gains[labels[q - 1]] == gains[label] and labels[q - 1] > label)
        ):
            labels[q] = labels[q - 1]
            q -= 1
        labels[q] = label
