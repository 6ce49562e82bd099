"""Clusters named after several classes at once: the best of all C^k ways, exactly.

The score of class c is t for the clusters named c against those of any other name, so
its AUC depends on the set S_c of its clusters only. The macro AUC is a sum over
classes, and the sets partition the clusters: the best sum over all partitions of a set
follows from those of its subsets, in 3^k steps a class instead of C^k in all.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.eapp.labelings._evaluation import labels_of
from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.labelings._many_vectors import sums_by_mask
from caveat.eapp.labelings._neighbours import Neighbours
from caveat.eapp.labelings._rank_table import RankTable

# With more clusters, 3^k steps for every shuffle take too long.
MOST_JOINT = 12


def name_jointly(
    near: Neighbours,
    vectors: LabelVectors,
    classes: int,
    table: RankTable | None = None,
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Name every cluster after one class, every class at least once.

    Parameters
    ----------
    near : Neighbours
        Of the points.
    vectors : LabelVectors
        Labels of the same points: `classes` vectors in a row are one problem.
    classes : int
        Number of classes, at most that of the clusters.
    table : RankTable, optional
        Rank table in which all points are cells, if there is one already.

    Returns
    -------
    labels : ndarray of bool, shape (count, k)
        Which clusters are named after the class of each vector.
    aucs : ndarray of shape (count,)
        AUC of each class; their mean is the largest that any naming has.
    """
    positives = vectors.positives
    pairs = np.maximum(positives * (near.n_points - positives), 1)
    aucs = 0.5 + sums_by_mask(near, vectors, table) / (2 * pairs)
    problems = aucs.reshape(len(aucs), -1, classes)
    masks = np.array(
        [
            best_partition(np.ascontiguousarray(problems[:, problem].T))
            for problem in range(problems.shape[1])
        ]
    ).ravel()
    return labels_of(masks, near.n_clusters), aucs[masks, np.arange(vectors.count)]


@njit(cache=True, nogil=True)
def best_partition(gains: NDArray[np.float64]) -> NDArray[np.int64]:
    """Cut a set into parts, one for each row of gains, with the largest sum.

    Parameters
    ----------
    gains : ndarray of shape (parts, 2^k)
        Gain of every part for every subset, as a mask.

    Returns
    -------
    ndarray of int64, shape (parts,)
        The subset of every part, none empty; they share no element and miss none.
    """
    parts, size = gains.shape
    best = np.full((parts, size), -np.inf)
    last = np.zeros((parts, size), np.int64)
    for subset in range(1, size):
        best[0, subset] = gains[0, subset]
        last[0, subset] = subset
    for part in range(1, parts):
        for subset in range(1, size):
            # All subsets of a mask, from the largest down.
            own = subset
            while own > 0:
                value = best[part - 1, subset ^ own] + gains[part, own]
                if value > best[part, subset]:
                    best[part, subset] = value
                    last[part, subset] = own
                own = (own - 1) & subset
    chosen = np.zeros(parts, np.int64)
    rest = size - 1
    for part in range(parts - 1, -1, -1):
        chosen[part] = last[part, rest]
        rest ^= chosen[part]
    return chosen
