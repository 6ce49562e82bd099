"""Clusters of items: how the Intermediate and Hard variants see features."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]


def cluster_items(
    X: Any, n_clusters: int, random_state: Any, *, legacy: bool
) -> NDArray:
    """Cluster the items by k-means on features scaled to [0, 1].

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_items, n_features)
    n_clusters : int
    random_state : int or RandomState
    legacy : bool
        Draw the first centres as scikit-learn 1.2 did.

    Returns
    -------
    ndarray of shape (n_items,)
        Cluster numbers; none of the clusters is empty.
    """
    if n_clusters > X.shape[0]:
        raise InvalidInput(
            f"n_clusters: found {n_clusters} for {X.shape[0]} items; use fewer"
        )
    scaled: Any
    if sparse.issparse(X):
        scaled = MaxAbsScaler().fit_transform(X)
    else:
        scaled = MinMaxScaler().fit_transform(X)
    init: Any = "k-means++"
    if legacy:
        init = first_centres(scaled, n_clusters, RandomState(random_state))
    means = KMeans(
        n_clusters,
        init=init,
        n_init=1,
        max_iter=300,
        tol=1e-4,
        random_state=random_state,
        algorithm="lloyd",
    )
    labels = means.fit_predict(scaled)
    sizes = np.bincount(labels, minlength=n_clusters)
    if sizes.min() == 0:
        raise InvalidInput(
            f"n_clusters: cluster {int(sizes.argmin())} of {n_clusters} is empty; "
            "use fewer clusters"
        )
    return labels


def first_centres(X: Floats, n_clusters: int, rng: RandomState) -> Floats:
    """k-means++ with greedy candidates, drawing as scikit-learn 1.2 did.

    Later versions draw the first centre in another way, and so all that follows.
    """
    mean = X.mean(axis=0)
    centred = X - mean
    candidates = 2 + int(log(n_clusters))
    chosen = [int(rng.randint(len(X)))]
    nearest = _squared_distances(centred, centred[chosen[0]])
    for _ in range(1, n_clusters):
        draws = rng.random_sample(candidates) * nearest.sum()
        rows = np.minimum(np.searchsorted(np.cumsum(nearest), draws), len(X) - 1)
        options = [
            np.minimum(nearest, _squared_distances(centred, centred[row]))
            for row in rows
        ]
        best = int(np.argmin([option.sum() for option in options]))
        chosen.append(int(rows[best]))
        nearest = options[best]
    return centred[chosen] + mean


def _squared_distances(X: Floats, centre: Floats) -> Floats:
    gaps = X - centre
    return np.einsum("ij,ij->i", gaps, gaps)
