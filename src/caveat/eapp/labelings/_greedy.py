"""Good labelings without enumeration: try prefixes, then climb.

*Prefix*: order the clusters by their share of positives, classes weighed alike, and
try the first 1, 2, .. k-1 of them as the positive ones. *Climb*: from the best of
these, flip the single cluster that helps most until none helps.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.eapp.labelings._evaluation import masks_of, rank_sum
from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.labelings._neighbours import Neighbours
from caveat.eapp.labelings._rank_table import RankTable, rank_table


def class_shares(
    near: Neighbours, positive: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return which part of the positives, and of the negatives, is nearest to each."""
    nearest = near.order[:, 0]
    k = near.n_clusters
    inside = np.bincount(nearest[positive], minlength=k)
    outside = np.bincount(nearest[~positive], minlength=k)
    return inside / inside.sum(), outside / outside.sum()


def prefix_and_climb(near: Neighbours, positive: NDArray[np.bool_]) -> tuple[int, int]:
    """Find a good labeling of one label vector, as `search_all` returns it."""
    vectors = LabelVectors.of(positive[:, None])
    sums, labels = greedy_for_each(near, vectors)
    pairs = int(positive.sum()) * int((~positive).sum())
    return int(sums[0]) + pairs, masks_of(labels)[0]


def greedy_for_each(
    near: Neighbours, vectors: LabelVectors, table: RankTable | None = None
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find a good labeling for every label vector.

    Returns
    -------
    sums : ndarray of int64, shape (count,)
        Σ as in `caveat.eapp.labelings._many_vectors`.
    labels : ndarray of bool, shape (count, k)
        Which clusters are positive.
    """
    full_table = rank_table(near) if table is None else table
    sums = np.empty(vectors.count, np.int64)
    labels = np.empty((vectors.count, near.n_clusters), bool)
    words = np.zeros(full_table.n_words, np.uint64)
    for v in range(vectors.count):
        positive = vectors.vector(v)
        inside, outside = class_shares(near, positive)
        total = inside + outside
        share = np.divide(inside, total, out=np.full_like(total, 0.5), where=total > 0)
        sums[v] = _climb(
            near.order,
            full_table.place,
            full_table.low,
            full_table.high,
            full_table.half,
            words,
            positive,
            np.argsort(-share, kind="stable"),
            labels[v],
        )
    return sums, labels


@njit(cache=True, nogil=True)
def _climb(
    order: NDArray[np.uint16],
    place: NDArray[np.int32],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    half: int,
    words: NDArray[np.uint64],
    positive: NDArray[np.bool_],
    by_share: NDArray[np.int64],
    labels: NDArray[np.bool_],
) -> int:
    """Write the labeling that was found into `labels` and return its Σ."""
    k = len(by_share)
    before = np.zeros(len(words), np.uint32)
    trial = np.zeros(k, np.bool_)
    best = -(2**62)
    for j in by_share[:-1]:
        trial[j] = True
        value = rank_sum(order, place, low, high, half, words, before, positive, trial)
        if value > best:
            best = value
            for other in range(k):
                labels[other] = trial[other]
    while True:
        chosen = -1
        count = labels.sum()
        for j in range(k):
            if count == (1 if labels[j] else k - 1):
                continue  # the flip would make all labels alike
            labels[j] = not labels[j]
            value = rank_sum(
                order, place, low, high, half, words, before, positive, labels
            )
            labels[j] = not labels[j]
            if value > best:
                best = value
                chosen = j
        if chosen < 0:
            return best
        labels[chosen] = not labels[chosen]
