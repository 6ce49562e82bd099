"""The key fact behind the exact search: a point has few scores, however many labelings.

Sort a point's centroids by distance. Whatever the labeling, one of d₊ and d₋ is the
nearest distance, and the other is the distance at the first rank r whose label
differs from the nearest one's. So over all 2^k labelings a point takes 2(k - 1)
scores: r = 1 .. k-1, with a plus if the nearest centroid is positive, else a minus.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.eapp.labelings._scores import gap, score_kind

# So many centroids are sorted by insertion.
_FEW = 64


@dataclass(frozen=True)
class Neighbours:
    """Every point's centroids by distance, and the scores that this allows.

    Attributes
    ----------
    order : ndarray of uint16, shape (n, k)
        Clusters from near to far; equal distances keep the clusters' order.
    gaps : ndarray of float64, shape (n, k - 1)
        Score with a positive nearest cluster and the other label first met at
        rank r = 1 .. k-1. Its negative is the score with a negative nearest cluster.
    """

    order: NDArray[np.uint16]
    gaps: NDArray[np.float64]

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.order)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self.order.shape[1]

    def ranks(self) -> NDArray[np.uint8]:
        """Return where cluster j comes in every point's order, cluster by cluster.

        One row per cluster, so that flipping a cluster streams through one row.
        """
        return _ranks(self.order)


def neighbours(distances: NDArray[np.float64], score: str) -> Neighbours:
    """Sort every point's centroids and tabulate its scores."""
    distances = np.ascontiguousarray(distances)
    if distances.shape[1] <= _FEW:
        order = _sorted_few(distances)
    else:
        order = np.argsort(distances, axis=1, kind="stable").astype(np.uint16)
    return Neighbours(order, _gaps(distances, order, score_kind(score)))


@njit(cache=True, nogil=True)
def _sorted_few(distances: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Sort by insertion: stable, and the quickest for few."""
    n, k = distances.shape
    order = np.empty((n, k), np.uint16)
    row = np.empty(k, np.float64)
    for i in range(n):
        for j in range(k):
            value = distances[i, j]
            place = j
            while place > 0 and row[place - 1] > value:
                row[place] = row[place - 1]
                order[i, place] = order[i, place - 1]
                place -= 1
            row[place] = value
            order[i, place] = j
    return order


@njit(cache=True, nogil=True)
def _gaps(
    distances: NDArray[np.float64], order: NDArray[np.uint16], kind: int
) -> NDArray[np.float64]:
    n, k = distances.shape
    gaps = np.empty((n, k - 1), np.float64)
    for i in range(n):
        nearest = distances[i, order[i, 0]]
        for rank in range(1, k):
            gaps[i, rank - 1] = gap(nearest, distances[i, order[i, rank]], kind)
    return gaps


@njit(cache=True, nogil=True)
def _ranks(order: NDArray[np.uint16]) -> NDArray[np.uint8]:
    n, k = order.shape
    ranks = np.empty((k, n), np.uint8)
    for i in range(n):
        for place in range(k):
            ranks[order[i, place], i] = place
    return ranks
