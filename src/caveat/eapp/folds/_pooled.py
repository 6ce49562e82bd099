"""One AUC over the held-out scores of all folds, for folds too small for their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.labelings._neighbours import Neighbours
from caveat.ranking import pair_counts


def pooled_aucs(
    parts: Sequence[tuple[Neighbours, NDArray[np.bool_]]], vectors: LabelVectors
) -> NDArray[np.float64]:
    """AUC of every label vector over the points of all folds together.

    Parameters
    ----------
    parts : sequence of (Neighbours, labels)
        Per fold: the held-out points, and for every vector a labeling of the clusters,
        chosen on the fold's training part.
    vectors : LabelVectors
        Labels of the held-out points, fold after fold.
    """
    aucs = np.empty(vectors.count)
    for v in range(vectors.count):
        scores = [scores_of(near.order, near.gaps, labels[v]) for near, labels in parts]
        aucs[v] = pair_counts(vectors.vector(v), np.concatenate(scores)).auc
    return aucs


@njit(cache=True, nogil=True)
def scores_of(
    order: NDArray[np.uint16], gaps: NDArray[np.float64], labels: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Score points under a labeling, from their sorted centroids."""
    n, k = order.shape
    scores = np.empty(n)
    for i in range(n):
        nearest = labels[order[i, 0]]
        rank = 1
        while rank < k - 1 and labels[order[i, rank]] == nearest:
            rank += 1
        scores[i] = gaps[i, rank - 1] if nearest else -gaps[i, rank - 1]
    return scores
