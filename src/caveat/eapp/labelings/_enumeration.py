"""The best of all labelings of the clusters, exactly: rank table, bitset, Gray code.

Labelings are visited in Gray-code order, so each differs from the one before it in
one cluster and every point's state follows by one XOR. Cells set a bit at the place
of their score, looks count the bits below theirs: no sort and no floating point in
the loop. The two classes change places when all labels do, hence AUC(not S) =
1 - AUC(S), and half of the labelings speak for all.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.eapp.labelings._neighbours import Neighbours
from caveat.eapp.labelings._rank_table import rank_table
from caveat.ranking import popcount, trailing_zeros


def search_all(
    near: Neighbours,
    positive: NDArray[np.bool_],
    *,
    n_jobs: int = 1,
    blind: bool = False,
) -> tuple[int, int]:
    """Find the labeling with the largest AUC; among equals the smallest mask.

    Parameters
    ----------
    near : Neighbours
        Of all points.
    positive : ndarray of bool, shape (n,)
        Which points are of class 1; both classes must occur.
    n_jobs : int
        Threads; each takes a run of the Gray code.
    blind : bool
        Among labelings of equal AUC, take the one whose mask or complement is the
        smallest. So the choice is blind to which class is called positive: with the
        classes swapped, it is the complement.

    Returns
    -------
    doubled : int
        Twice the number of pairs in order, ties counted once: 2 n₁ n₀ AUC.
    mask : int
        Bit j is 1 where cluster j is positive.
    """
    split = SplitTable(near, positive, blind=blind)
    count = 2 ** (near.n_clusters - 1)
    edges = np.linspace(1, count, min(n_jobs, count - 1) + 1).astype(int)
    runs = list(pairwise(edges))
    if len(runs) == 1:
        return split.search(*runs[0])[:2]
    with ThreadPoolExecutor(len(runs)) as pool:
        found = list(pool.map(lambda run: split.search(*run), runs))
    return max(found, key=lambda result: (result[0], -result[2]))[:2]


class SplitTable:
    """The rank table of a two-class problem: the smaller class sets the bits.

    Attributes
    ----------
    cells, looks : ndarray of uint8, shape (k, ...)
        Rank of every cluster in the order of the smaller class's points, and of
        the larger one's.
    """

    def __init__(
        self, near: Neighbours, positive: NDArray[np.bool_], *, blind: bool = False
    ) -> None:
        self.blind = blind
        n_positive = int(positive.sum())
        self.pairs = n_positive * (len(positive) - n_positive)
        self.positive_looks = 2 * n_positive > len(positive)
        is_cell = ~positive if self.positive_looks else positive
        table = rank_table(near, is_cell)
        ranks = near.ranks()
        self.cells = np.ascontiguousarray(ranks[:, is_cell])
        self.looks = np.ascontiguousarray(ranks[:, ~is_cell])
        self.half, self.n_words, self.ties = table.half, table.n_words, table.ties
        self.place = table.place[is_cell]
        self.low = (table.low if self.ties else table.place)[~is_cell]
        self.high = table.high[~is_cell] if self.ties else table.high

    def search(self, first: int, last: int) -> tuple[int, int, int]:
        """Search steps `first` to `last` - 1 of the Gray code.

        Returns the value, the mask, and the number that decided among equals.
        """
        doubled, mask, key = _search(
            self.cells,
            self.looks,
            self.place,
            self.low,
            self.high,
            self.half,
            np.zeros(self.n_words, np.uint64),
            2 * self.pairs,
            self.positive_looks,
            self.blind,
            first,
            last,
        )
        return int(doubled), int(mask), int(key)


@njit(cache=True, nogil=True, inline="always")
def states_of(ranks: NDArray[np.uint8], mask: int) -> NDArray[np.uint32]:
    """Write a mask in every point's own order of the clusters, nearest first."""
    k, n = ranks.shape
    states = np.zeros(n, np.uint32)
    for j in range(k):
        if (mask >> j) & 1:
            for i in range(n):
                states[i] |= np.uint32(1) << np.uint32(ranks[j, i])
    return states


@njit(cache=True, nogil=True, inline="always")
def flip(states: NDArray[np.uint32], ranks: NDArray[np.uint8]) -> None:
    """Change the label of the cluster whose ranks are given."""
    for i in range(len(states)):
        states[i] ^= np.uint32(1) << np.uint32(ranks[i])


@njit(cache=True, nogil=True, inline="always")
def first_difference(state: np.uint32, k: int) -> np.int64:
    """Return the first rank whose label is not the nearest cluster's.

    With the lowest bit, the nearest cluster's label, turned to 0, it is the number
    of trailing zeros. Where all labels are alike, which happens in the bounds of the
    branch search only, the farthest cluster stands in for the missing one.
    """
    nearest = state & np.uint32(1)
    others = state ^ (np.uint32((1 << k) - 1) * nearest)
    return np.int64(trailing_zeros(others | np.uint32(1 << (k - 1))))


@njit(cache=True, nogil=True, inline="always")
def set_bits(
    words: NDArray[np.uint64],
    before: NDArray[np.uint32],
    states: NDArray[np.uint32],
    place: NDArray[np.int32],
    half: int,
) -> None:
    """Set every cell's bit, then count the bits before every word."""
    words[:] = 0
    k = place.shape[1] + 1
    for i in range(len(states)):
        rank = first_difference(states[i], k)
        sign = np.int64(states[i] & np.uint32(1)) - 1  # 0 for +t, all ones for -t
        set_bit(words, half + (np.int64(place[i, rank - 1]) ^ sign))
    count_before(words, before)


@njit(cache=True, nogil=True, inline="always")
def set_bit(words: NDArray[np.uint64], position: np.int64) -> None:
    """Set one bit."""
    spot = np.uint64(position)
    words[spot >> np.uint64(6)] |= np.uint64(1) << (spot & np.uint64(63))


@njit(cache=True, nogil=True, inline="always")
def count_before(words: NDArray[np.uint64], before: NDArray[np.uint32]) -> None:
    """Count the bits before every word."""
    total = np.uint32(0)
    for w in range(len(words)):
        before[w] = total
        total += np.uint32(popcount(words[w]))


@njit(cache=True, nogil=True, inline="always")
def bits_below(
    words: NDArray[np.uint64], before: NDArray[np.uint32], position: np.int64
) -> int:
    """Count the bits that are set below a position."""
    spot = np.uint64(position)
    word = spot >> np.uint64(6)
    low = (np.uint64(1) << (spot & np.uint64(63))) - np.uint64(1)
    return int(before[word]) + int(popcount(words[word] & low))


@njit(cache=True, nogil=True, inline="always")
def count_below(
    words: NDArray[np.uint64],
    before: NDArray[np.uint32],
    states: NDArray[np.uint32],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    half: int,
) -> int:
    """Sum, over the looks, twice the cells below and once the cells tied."""
    k = low.shape[1] + 1
    total = 0
    if len(high) == 0:
        # No ties. ``offset ^ sign`` is offset for +t and -1 - offset for -t; less the
        # sign it is ±offset without a branch.
        for i in range(len(states)):
            rank = first_difference(states[i], k)
            sign = np.int64(states[i] & np.uint32(1)) - 1
            offset = np.int64(low[i, rank - 1])
            total += 2 * bits_below(words, before, half + (offset ^ sign) - sign)
        return total
    for i in range(len(states)):
        rank = first_difference(states[i], k)
        bottom, top = np.int64(low[i, rank - 1]), np.int64(high[i, rank - 1])
        if states[i] & np.uint32(1) == 0:
            bottom, top = -top, -bottom
        total += bits_below(words, before, half + bottom)
        total += bits_below(words, before, half + top)
    return total


@njit(cache=True, nogil=True)
def _search(
    cells: NDArray[np.uint8],
    looks: NDArray[np.uint8],
    place: NDArray[np.int32],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    half: int,
    words: NDArray[np.uint64],
    doubled_pairs: int,
    positive_looks: bool,
    blind: bool,
    first: int,
    last: int,
) -> tuple[int, int, int]:
    k = len(cells)
    everything = (1 << k) - 1
    before = np.zeros(len(words), np.uint32)
    mask = first ^ (first >> 1)
    cell_states = states_of(cells, mask)
    look_states = states_of(looks, mask)
    best = -1
    best_mask = best_key = 0
    for step in range(first, last):
        if step > first:
            j = trailing_zeros(step)
            mask ^= 1 << j
            flip(cell_states, cells[j])
            flip(look_states, looks[j])
        set_bits(words, before, cell_states, place, half)
        doubled = count_below(words, before, look_states, low, high, half)
        if not positive_looks:
            doubled = doubled_pairs - doubled
        candidate = mask
        if 2 * doubled < doubled_pairs:
            doubled = doubled_pairs - doubled
            candidate = everything ^ mask
        key = mask if blind else candidate
        if doubled > best or (doubled == best and key < best_key):
            best = doubled
            best_mask = candidate
            best_key = key
    return best, best_mask, best_key
