"""DBSCAN for all radii at once.

A point is a core from the radius on that holds `min_samples` points (itself included),
its core distance. Two cores are in one cluster as soon as a chain of cores links them,
each step no longer than the radius. So a minimum spanning tree over max(core distance
of either end, distance) holds the clusters of every radius: their number is that of the
cores less that of the tree's edges within the radius.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DensityTree:
    """The tree, and from which radius on a point is more than noise.

    Attributes
    ----------
    core : ndarray of shape (n,)
        Core distances.
    ends : ndarray of int, shape (n - 1, 2)
        Edges, shortest first.
    lengths : ndarray of shape (n - 1,)
    reach : ndarray of shape (n,)
        Radius from which on a point lies within reach of a core.
    patron : ndarray of int, shape (n,)
        That core.

    References
    ----------
    .. [1] M. Ester, H.-P. Kriegel, J. Sander, X. Xu (1996). A density-based algorithm
       for discovering clusters in large spatial databases with noise. KDD.
    .. [2] R. Campello, D. Moulavi, J. Sander (2013). Density-based clustering based on
       hierarchical density estimates. PAKDD.
    """

    core: Floats
    ends: NDArray[np.int64]
    lengths: Floats
    reach: Floats
    patron: NDArray[np.int64]

    @classmethod
    def of(cls, Z: Floats, min_samples: int = 5) -> DensityTree:
        """Build the tree, by one pass over all pairs of points."""
        others = min(min_samples - 1, len(Z) - 1)
        search = NearestNeighbors(n_neighbors=others).fit(Z)
        core = search.kneighbors()[0][:, -1]
        parent, length, reach, patron = _grow(np.ascontiguousarray(Z), core)
        order = 1 + np.argsort(length[1:], kind="stable")
        ends = np.column_stack([parent[order], order])
        return cls(core, ends, length[order], reach, patron)

    def counts(self, radius: float) -> tuple[int, int]:
        """Return the number of clusters and of noise points at a radius."""
        cores = int((self.core <= radius).sum())
        clusters = cores - int((self.lengths <= radius).sum())
        noise = int((np.minimum(self.core, self.reach) > radius).sum())
        return clusters, noise

    def members(self, radius: float) -> NDArray[np.int64]:
        """Return every point's cluster at a radius, -1 for noise.

        A point at the border goes with the core that reaches it first.
        """
        root = np.arange(len(self.core))
        for one, other in self.ends[self.lengths <= radius]:
            root[_root(root, one)] = _root(root, other)
        roots = np.array([_root(root, i) for i in range(len(root))])
        is_core = self.core <= radius
        belongs = np.where(is_core, roots, roots[self.patron])
        inside = is_core | (self.reach <= radius)
        members = np.full(len(root), -1, np.int64)
        members[inside] = np.unique(belongs[inside], return_inverse=True)[1]
        return members


def _root(root: NDArray[np.int64], node: int) -> int:
    while root[node] != node:
        root[node] = root[root[node]]
        node = root[node]
    return node


@njit(cache=True, nogil=True)
def _grow(
    Z: Floats, core: Floats
) -> tuple[NDArray[np.int64], Floats, Floats, NDArray[np.int64]]:
    """Grow the tree from point 0 (Prim); renumbering is left to the caller."""
    # `length` is the mutual reachability that links a point outside to the tree:
    # max(core of both, distance). `reach` is the radius from which some core has the
    # point within it, and `patron` that core: border points go with it.
    n, d = Z.shape
    parent = np.zeros(n, np.int64)
    length = np.full(n, np.inf)
    reach = np.full(n, np.inf)
    patron = np.zeros(n, np.int64)
    outside = np.ones(n, np.bool_)
    node = 0
    for _ in range(n):
        outside[node] = False
        nearest, next_node = np.inf, 0
        for i in range(n):
            if i == node:
                continue
            square = 0.0
            for j in range(d):
                square += (Z[i, j] - Z[node, j]) ** 2
            distance = np.sqrt(square)
            within = max(core[node], distance)
            if within < reach[i]:
                reach[i] = within
                patron[i] = node
            if outside[i]:
                weight = max(core[i], within)
                if weight < length[i]:
                    length[i] = weight
                    parent[i] = node
                if length[i] < nearest:
                    nearest, next_node = length[i], i
        node = next_node
    length[0] = 0.0
    return parent, length, reach, patron
