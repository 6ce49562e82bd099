"""Labelings at linear cost: every point speaks for its nearest cluster.

The paper's appendix C lets each sample contribute its class, weighted by distance, to
its closest centre, without a formula. Here a point weighs (d₂ - d₁) / (d₂ + d₁), its
margin between the nearest and the second nearest centroid, and classes count alike: a
cluster is positive if it holds more of the positives' weight than of the negatives'.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.eapp.labelings._label_vectors import LabelVectors, blocks


def contribution_for_each(
    distances: NDArray[np.float64], vectors: LabelVectors
) -> NDArray[np.bool_]:
    """Label the clusters once for every label vector.

    Parameters
    ----------
    distances : ndarray of shape (n, k)
        Of the points to the centroids.
    vectors : LabelVectors
        Labels of the points.

    Returns
    -------
    ndarray of bool, shape (count, k)
        Which clusters are positive: never none, never all.
    """
    nearest, weight = _margins(distances)
    k = distances.shape[1]
    inside = np.zeros((k, vectors.count))
    for rows in blocks(len(vectors), max(1, 2**24 // vectors.count)):
        _gather(nearest[rows], weight[rows], vectors.unpack(rows), inside)
    everywhere = np.bincount(nearest, weight, minlength=k)[:, None]
    positives = _shares(inside)
    negatives = _shares(everywhere - inside)
    labels = positives > negatives
    lead = positives - negatives
    columns = np.arange(vectors.count)
    none = ~labels.any(axis=0)
    labels[lead.argmax(axis=0)[none], columns[none]] = True
    every = labels.all(axis=0)
    labels[lead.argmin(axis=0)[every], columns[every]] = False
    return np.ascontiguousarray(labels.T)


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide every column by its sum; a class without any weight has no share."""
    total = weights.sum(axis=0)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


@njit(cache=True, nogil=True)
def _margins(
    distances: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    n, k = distances.shape
    nearest = np.zeros(n, np.int64)
    weight = np.zeros(n, np.float64)
    for i in range(n):
        first, second = np.inf, np.inf
        for j in range(k):
            value = distances[i, j]
            if value < first:
                first, second = value, first
                nearest[i] = j
            elif value < second:
                second = value
        if first + second > 0.0:
            weight[i] = (second - first) / (second + first)
    return nearest, weight


@njit(cache=True, nogil=True)
def _gather(
    nearest: NDArray[np.int64],
    weight: NDArray[np.float64],
    labels: NDArray[np.uint8],
    inside: NDArray[np.float64],
) -> None:
    for i in range(len(nearest)):
        for v in range(labels.shape[1]):
            inside[nearest[i], v] += weight[i] * labels[i, v]
