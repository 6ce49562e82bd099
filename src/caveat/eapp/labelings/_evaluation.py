"""AUC of given labelings: the value on held-out points, and the climb's compass."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.eapp.labelings._enumeration import bits_below, count_before, set_bit
from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.labelings._neighbours import Neighbours
from caveat.eapp.labelings._rank_table import RankTable


def labels_of(masks: NDArray[np.int64], n_clusters: int) -> NDArray[np.bool_]:
    """Spell out masks as a bool matrix of shape (labelings, clusters)."""
    return (masks[:, None] >> np.arange(n_clusters)) & 1 == 1


def masks_of(labels: NDArray[np.bool_]) -> list[int]:
    """Write labelings as Python integers: bit j is 1 where cluster j is positive."""
    packed = np.packbits(labels, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def evaluate_each(
    near: Neighbours,
    table: RankTable,
    vectors: LabelVectors,
    labels: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Compute Σ of every label vector under its own labeling.

    Parameters
    ----------
    near, table : Neighbours, RankTable
        Of the points; all of them are cells.
    vectors : LabelVectors
        Labels of the points.
    labels : ndarray of bool, shape (count, k)
        One labeling of the clusters for every vector.
    """
    sums = np.empty(vectors.count, np.int64)
    words = np.zeros(table.n_words, np.uint64)
    before = np.zeros(table.n_words, np.uint32)
    for v in range(vectors.count):
        sums[v] = rank_sum(
            near.order,
            table.place,
            table.low,
            table.high,
            table.half,
            words,
            before,
            vectors.vector(v),
            labels[v],
        )
    return sums


@njit(cache=True, nogil=True)
def rank_sum(
    order: NDArray[np.uint16],
    place: NDArray[np.int32],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    half: int,
    words: NDArray[np.uint64],
    before: NDArray[np.uint32],
    positive: NDArray[np.bool_],
    labels: NDArray[np.bool_],
) -> int:
    """Compute Σ_{y_i = 1} ρ_i for one labeling of any number of clusters."""
    n, k = order.shape
    states = np.empty(n, np.int32)  # ± the first rank with the other label
    words[:] = 0
    for i in range(n):
        nearest = labels[order[i, 0]]
        rank = 1
        while rank < k - 1 and labels[order[i, rank]] == nearest:
            rank += 1
        states[i] = rank if nearest else -rank
        spot = np.int64(place[i, rank - 1])
        set_bit(words, half + spot if nearest else half - 1 - spot)
    count_before(words, before)
    result = 0
    for i in range(n):
        if not positive[i]:
            continue
        column = abs(states[i]) - 1
        if len(high) == 0:
            bottom = np.int64(place[i, column])
            top = bottom + 1
        else:
            bottom, top = np.int64(low[i, column]), np.int64(high[i, column])
        if states[i] < 0:
            bottom, top = -top, -bottom
        result += bits_below(words, before, half + bottom)
        result += bits_below(words, before, half + top) - n
    return result
