"""The best labeling for hundreds of label vectors, by one matrix product.

Scores, and so their ranks, do not depend on labels. With ρ_i = (points below i) +
(points at or below i) - n, the centred doubled mid-rank of point i under a labeling,
a label vector y has Σ_{y_i = 1} ρ_i = 2U - n₁n₀. So AUC = ½ + Σ / (2 n₁ n₀), and a
block of labelings times all label vectors is a product of two matrices of whole
numbers, which floating point does without error as long as no sum can exceed its
mantissa.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.eapp.labelings._enumeration import (
    bits_below,
    count_before,
    first_difference,
    flip,
    set_bit,
    states_of,
)
from caveat.eapp.labelings._label_vectors import LabelVectors, blocks
from caveat.eapp.labelings._neighbours import Neighbours
from caveat.eapp.labelings._rank_table import RankTable, rank_table
from caveat.ranking import trailing_zeros

# Bytes that one block of ranks may take; with the float copies of its pieces the
# product stays below a third of a gigabyte at any number of points.
RANK_BYTES = 2**27
LABELINGS_AT_ONCE = 256
# All whole numbers up to 2^24 are float32 numbers.
FLOAT32_EXACT = 2**24


def best_for_each(
    near: Neighbours, vectors: LabelVectors, table: RankTable | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the best labeling of every label vector among all labelings.

    Parameters
    ----------
    near : Neighbours
        Of the points.
    vectors : LabelVectors
        Labels of the same points.
    table : RankTable, optional
        Rank table in which all points are cells, if there is one already.

    Returns
    -------
    sums : ndarray of int64, shape (count,)
        Σ of the best labeling, never negative.
    masks : ndarray of int64, shape (count,)
        The best labeling; among equals the one whose mask or complement is smallest,
        so that the choice does not depend on which class is called positive.
    """
    best = np.full(vectors.count, -1, np.int64)
    keys = np.zeros(vectors.count, np.int64)
    masks = np.zeros(vectors.count, np.int64)
    for start, sums in _sums_of_all(near, vectors, table):
        _keep_best(sums, start, 2**near.n_clusters - 1, best, keys, masks)
    return best, masks


def sums_by_mask(
    near: Neighbours, vectors: LabelVectors, table: RankTable | None = None
) -> NDArray[np.float64]:
    """Compute Σ of every label vector under every labeling.

    Returns
    -------
    ndarray of shape (2^k, count)
        Whole numbers; a row per mask. The first and the last mask, which name all
        clusters alike, have 0.
    """
    steps = 2 ** (near.n_clusters - 1)
    result = np.zeros((2 * steps, vectors.count))
    for start, sums in _sums_of_all(near, vectors, table):
        step = np.arange(start, start + len(sums))
        masks = step ^ (step >> 1)
        result[masks] = sums
        result[2 * steps - 1 - masks] = -sums
    return result


def _sums_of_all(
    near: Neighbours, vectors: LabelVectors, table: RankTable | None
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the first Gray step of a block of labelings, and Σ of all vectors."""
    ranks = near.ranks()
    full_table = rank_table(near) if table is None else table
    n, k = near.n_points, near.n_clusters
    steps = 2 ** (k - 1)
    size = int(np.clip(RANK_BYTES // (4 * n), 1, LABELINGS_AT_ONCE))
    rows = np.empty((size, n), np.int32)
    states = states_of(ranks, 0)
    words = np.zeros(full_table.n_words, np.uint64)
    for start in range(1, steps, size):
        used = rows[: min(size, steps - start)]
        _fill(
            ranks,
            full_table.place,
            full_table.low,
            full_table.high,
            full_table.half,
            words,
            states,
            start,
            used,
        )
        yield start, _products(used, vectors)


def _products(rows: NDArray[np.int32], vectors: LabelVectors) -> NDArray[np.float64]:
    """Multiply ranks (labelings x points) by labels (points x vectors), exactly."""
    n = rows.shape[1]
    # A sum over m points is at most m n, and over all points at most n²/4.
    single = n if n * n <= 4 * FLOAT32_EXACT else FLOAT32_EXACT // n
    kind, size = (np.float32, single) if single >= 256 else (np.float64, 4096)
    total = np.zeros((len(rows), vectors.count))
    for part in blocks(n, size):
        total += rows[:, part].astype(kind) @ vectors.unpack(part).astype(kind)
    return total


@njit(cache=True, nogil=True)
def _fill(
    ranks: NDArray[np.uint8],
    place: NDArray[np.int32],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    half: int,
    words: NDArray[np.uint64],
    states: NDArray[np.uint32],
    start: int,
    rows: NDArray[np.int32],
) -> None:
    """Write ρ of all points for the labelings of Gray steps start, start + 1, ..."""
    n, k = len(states), len(ranks)
    before = np.zeros(len(words), np.uint32)
    position = np.empty(n, np.int64)
    for row in range(len(rows)):
        flip(states, ranks[trailing_zeros(start + row)])
        words[:] = 0
        for i in range(n):
            rank = first_difference(states[i], k)
            sign = np.int64(states[i] & np.uint32(1)) - 1  # 0 for +t, all ones for -t
            position[i] = half + (np.int64(place[i, rank - 1]) ^ sign)
            set_bit(words, position[i])
        count_before(words, before)
        if len(high) == 0:
            for i in range(n):
                # Alone at its score: one more at it than below it.
                rows[row, i] = 2 * bits_below(words, before, position[i]) + 1 - n
            continue
        for i in range(n):
            rank = first_difference(states[i], k)
            bottom, top = np.int64(low[i, rank - 1]), np.int64(high[i, rank - 1])
            if states[i] & np.uint32(1) == 0:
                bottom, top = -top, -bottom
            below = bits_below(words, before, half + bottom)
            rows[row, i] = below + bits_below(words, before, half + top) - n


@njit(cache=True, nogil=True)
def _keep_best(
    sums: NDArray[np.float64],
    start: int,
    everything: int,
    best: NDArray[np.int64],
    keys: NDArray[np.int64],
    masks: NDArray[np.int64],
) -> None:
    """Keep, for every vector, the largest |Σ|; the mask without the last bit decides.

    Of a labeling and its complement, the one that leaves the last cluster out is the
    smaller, and it is the one that the Gray code visits.
    """
    for row in range(len(sums)):
        step = start + row
        mask = step ^ (step >> 1)
        for v in range(len(best)):
            value = np.int64(abs(sums[row, v]))
            if value > best[v] or (value == best[v] and mask < keys[v]):
                best[v] = value
                keys[v] = mask
                masks[v] = mask if sums[row, v] >= 0 else everything ^ mask
