"""Clusterers: latent points in, centroids out, for a whole range of k.

Each is a generator ``(Z, ks, seed) -> (k, Clusters or the reason why not)``, so that
what all k share (a tree, a graph, the clustering of k - 1) is computed once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans
from sklearn.manifold import spectral_embedding
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

from caveat.eapp.clusters._clusters import Clusters, member_means
from caveat.eapp.clusters._dbscan import DensityTree
from caveat.eapp.clusters._split_largest import split_largest

Floats = NDArray[np.float64]
Path = Iterator[tuple[int, Clusters | str]]

# Clusterers that compare all pairs of points get at most so many of them.
PAIRWISE_POINTS = 10_000
# Above, k-means tries its starts on a sample and then runs on all points.
KMEANS_POINTS = 100_000
KMEANS_SAMPLE = 50_000
# So many clusters cover the data from any good start; one k-means++ start will do.
MANY_CLUSTERS = 64


def kmeans_path(Z: Floats, ks: Sequence[int], seed: int) -> Path:
    """K-means from scratch for every k: ten k-means++ starts, the best one kept."""
    for k in ks:
        yield k, Clusters(kmeans_centroids(Z, k, seed))


def incremental_path(Z: Floats, ks: Sequence[int], seed: int) -> Path:
    """K-means that grows: the largest cluster is split, then all centroids move."""
    centroids = kmeans_centroids(Z, ks[0], seed)
    yield ks[0], Clusters(centroids)
    for k in range(ks[0] + 1, ks[-1] + 1):
        nearest = Clusters(centroids).distances(Z).argmin(axis=1)
        grown = split_largest(Z, nearest, centroids)
        if grown is None:
            for larger in ks[bisect_left(ks, k) :]:
                yield larger, f"no cluster of k = {k - 1} can be split"
            return
        centroids = _lloyd(Z, grown)
        if k in ks:
            yield k, Clusters(centroids)


def kmeans_centroids(Z: Floats, k: int, seed: int) -> Floats:
    """Run k-means from scratch; of many points, the starts see a sample."""
    sample = _sample(Z, KMEANS_SAMPLE, seed) if len(Z) > KMEANS_POINTS else Z
    starts = 10 if k <= MANY_CLUSTERS else 1
    found = KMeans(
        k, n_init=starts, tol=1e-4, max_iter=300, algorithm="lloyd", random_state=seed
    ).fit(sample)
    if sample is Z:
        return found.cluster_centers_
    return _lloyd(Z, found.cluster_centers_)


def _lloyd(Z: Floats, centroids: Floats) -> Floats:
    model = KMeans(
        len(centroids), init=centroids, n_init=1, tol=1e-4, max_iter=300, random_state=0
    )
    return model.fit(Z).cluster_centers_


def ward_path(Z: Floats, ks: Sequence[int], seed: int) -> Path:
    """Agglomerative, Ward's criterion."""
    return _tree_path("ward", Z, ks, seed)


def average_path(Z: Floats, ks: Sequence[int], seed: int) -> Path:
    """Agglomerative, mean distance between clusters."""
    return _tree_path("average", Z, ks, seed)


def complete_path(Z: Floats, ks: Sequence[int], seed: int) -> Path:
    """Agglomerative, largest distance between clusters."""
    return _tree_path("complete", Z, ks, seed)


def _tree_path(method: str, Z: Floats, ks: Sequence[int], seed: int) -> Path:
    points = _sample(Z, PAIRWISE_POINTS, seed)
    merges = linkage(points, method)[:, :2].astype(np.int64)
    for k in ks:
        yield k, Clusters(member_means(points, cut_tree(merges, k), k))


def cut_tree(merges: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Undo the last k - 1 merges of a tree and number the k clusters that are left.

    Examples
    --------
    >>> cut_tree(np.array([[0, 1], [2, 3], [4, 5]]), 2)
    array([0, 0, 1, 1])
    """
    n = len(merges) + 1
    root = np.arange(2 * n - 1)
    for step, (left, right) in enumerate(merges[: n - k]):
        root[left] = root[right] = n + step
    # Parents have larger numbers, so one pass from the top finds every root.
    for node in range(2 * n - 2, -1, -1):
        root[node] = root[root[node]]
    return np.unique(root[:n], return_inverse=True)[1]


def spectral_path(Z: Floats, ks: Sequence[int], seed: int) -> Path:
    """K-means on the leading eigenvectors of the graph of ten nearest neighbours."""
    points = _sample(Z, PAIRWISE_POINTS, seed)
    n = len(points)
    graph = kneighbors_graph(points, min(10, n - 1), include_self=True)
    adjacency = csr_matrix(0.5 * (graph + graph.T))
    most = min(ks[-1], n - 1)
    features = spectral_embedding(
        adjacency,
        n_components=most,
        eigen_solver="arpack",
        random_state=seed,
        drop_first=False,
    )
    for k in ks:
        if k > most:
            yield k, f"{n} points give {most} eigenvectors"
            continue
        model = KMeans(k, n_init=10, random_state=seed).fit(features[:, :k])
        yield k, Clusters(member_means(points, model.labels_.astype(np.int64), k))


def gmm_path(Z: Floats, ks: Sequence[int], seed: int) -> Path:
    """Gaussian mixture with diagonal covariances; distances to the means."""
    for k, model in _mixtures(Z, ks, seed):
        yield k, Clusters(model.means_)


def gmm_mahalanobis_path(Z: Floats, ks: Sequence[int], seed: int) -> Path:
    """Take the same mixture, but distances in units of each component's spread."""
    for k, model in _mixtures(Z, ks, seed):
        yield k, Clusters(model.means_, np.sqrt(model.covariances_))


def _mixtures(
    Z: Floats, ks: Sequence[int], seed: int
) -> Iterator[tuple[int, GaussianMixture]]:
    for k in ks:
        model = GaussianMixture(
            k,
            covariance_type="diag",
            reg_covar=1e-4,
            max_iter=200,
            random_state=seed,
        )
        yield k, model.fit(Z)


def dbscan_path(Z: Floats, ks: Sequence[int], seed: int) -> Path:
    """DBSCAN with five points to a core; for each k the radius with least noise."""
    points = _sample(Z, PAIRWISE_POINTS, seed)
    search = NearestNeighbors().fit(points)
    fifth = search.kneighbors(n_neighbors=min(5, len(points) - 1))[0][:, -1]
    tree = DensityTree.of(points, min_samples=5)
    best: dict[int, tuple[int, float]] = {}
    low, high = np.quantile(fifth, [0.01, 0.99])
    for radius in np.linspace(low, high, 100):
        found, noise = tree.counts(radius)
        if found not in best or noise < best[found][0]:
            best[found] = noise, radius
    for k in ks:
        if k in best:
            yield k, Clusters(member_means(points, tree.members(best[k][1]), k))
        else:
            yield k, f"no radius gives {k} clusters"


def _sample(Z: Floats, most: int, seed: int) -> Floats:
    """Take a seeded sample of the points if there are too many."""
    if len(Z) <= most:
        return Z
    chosen = np.random.default_rng(seed).choice(len(Z), most, replace=False)
    return Z[np.sort(chosen)]
