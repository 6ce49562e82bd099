"""A clustering, reduced to what EAPP uses: centroids, in a repeatable order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Clusters:
    """Centroids and, for Mahalanobis distances, the spread around them.

    Attributes
    ----------
    centroids : ndarray of shape (k, d)
    spreads : ndarray of shape (k, d) or None
        Standard deviation per cluster and axis; None for Euclidean distances.
    sizes : ndarray of int, shape (k,) or None
        Training points nearest to each, once they were counted.
    """

    centroids: Floats
    spreads: Floats | None = None
    sizes: NDArray[np.int64] | None = None

    def distances(self, Z: Floats) -> Floats:
        """Distance of every point to every centroid, shape (n, k)."""
        if self.spreads is None:
            return cdist(Z, self.centroids)
        columns = [
            cdist(Z / spread, (centroid / spread)[None])
            for centroid, spread in zip(self.centroids, self.spreads, strict=True)
        ]
        return np.hstack(columns)

    def n_distinct(self) -> int:
        """Count the centroids that differ by more than rounding."""
        scale = np.abs(self.centroids).max(initial=0.0) or 1.0
        return len(np.unique(np.round(self.centroids / scale, 12), axis=0))

    def ordered(self, distances: Floats) -> tuple[Clusters, Floats]:
        """Sort clusters by decreasing training size, then by centroid.

        Parameters
        ----------
        distances : ndarray of shape (n, k)
            Of the training points.

        Returns
        -------
        Clusters and distances, both in the new order.
        """
        k = len(self.centroids)
        sizes = np.bincount(distances.argmin(axis=1), minlength=k)
        keys = [*self.centroids.T[::-1], -sizes]
        order = np.lexsort(keys)
        spreads = None if self.spreads is None else self.spreads[order]
        sorted_distances = np.ascontiguousarray(distances[:, order])
        found = Clusters(self.centroids[order], spreads, sizes[order])
        return found, sorted_distances


def member_means(Z: Floats, members: NDArray[np.int64], k: int) -> Floats:
    """Mean of the members of clusters 0 .. k-1; negative numbers belong to none."""
    inside = members >= 0
    labels, points = members[inside], Z[inside]
    sums = np.zeros((k, Z.shape[1]))
    np.add.at(sums, labels, points)
    return sums / np.bincount(labels, minlength=k)[:, None]


def has_distinct(Z: Floats, count: int) -> int:
    """Count distinct rows, but no further than `count`."""
    few = len(np.unique(Z[: 4 * count], axis=0))
    if few < count and len(Z) > 4 * count:
        few = len(np.unique(Z, axis=0))
    return min(few, count)
