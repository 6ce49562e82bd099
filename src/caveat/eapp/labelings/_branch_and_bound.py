"""Exact search for more clusters than one wants to enumerate: branch and bound.

Clusters are decided one after the other. With S decided positive and U undecided, a
positive point scores highest if all of U is positive, a negative one lowest if all of
U is negative. So no completion beats the AUC of *positives scored under S ∪ U against
negatives scored under S*; where that is not above the best known, the branch ends.

Labels that follow the clusters end it early, pure noise does not: there plain
enumeration is quicker, hence the budget of nodes.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.eapp.labelings._enumeration import (
    SplitTable,
    count_below,
    flip,
    set_bits,
    states_of,
)
from caveat.eapp.labelings._greedy import class_shares, prefix_and_climb
from caveat.eapp.labelings._neighbours import Neighbours


def branch_and_bound(
    near: Neighbours, positive: NDArray[np.bool_], *, budget: int = 2_000_000
) -> tuple[int, int, bool]:
    """Find the labeling with the largest AUC, if the budget allows.

    Parameters
    ----------
    near : Neighbours
        Of all points; at most 31 clusters.
    positive : ndarray of bool, shape (n,)
        Which points are of class 1.
    budget : int
        Number of nodes after which to give up.

    Returns
    -------
    doubled, mask : int
        As `search_all` returns them: the best labeling found.
    exact : bool
        Whether the search came to its end, so that nothing can be better.
    """
    split = SplitTable(near, positive)
    shares = class_shares(near, positive)
    by_contrast = np.argsort(-np.abs(shares[0] - shares[1]), kind="stable")
    start, mask = prefix_and_climb(near, positive)
    doubled, mask, nodes = _branch(
        split.cells,
        split.looks,
        split.place,
        split.low,
        split.high,
        split.half,
        np.zeros(split.n_words, np.uint64),
        2 * split.pairs,
        split.positive_looks,
        by_contrast,
        start,
        mask,
        budget,
    )
    return int(doubled), int(mask), bool(nodes < budget)


@njit(cache=True, nogil=True)
def _branch(
    cells: NDArray[np.uint8],
    looks: NDArray[np.uint8],
    place: NDArray[np.int32],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    half: int,
    words: NDArray[np.uint64],
    doubled_pairs: int,
    positive_looks: bool,
    sequence: NDArray[np.int64],
    best: int,
    best_mask: int,
    budget: int,
) -> tuple[int, int, int]:
    k = len(cells)
    before = np.zeros(len(words), np.uint32)
    hopeful = (1 << k) - 1  # S ∪ U: what the positives see
    decided = 0  # S: what the negatives see
    cell_states = states_of(cells, decided if positive_looks else hopeful)
    look_states = states_of(looks, hopeful if positive_looks else decided)
    positives = looks if positive_looks else cells
    positive_states = look_states if positive_looks else cell_states
    negatives = cells if positive_looks else looks
    negative_states = cell_states if positive_looks else look_states
    tried = np.zeros(k, np.int64)  # how many of the two labels, per depth
    depth = 0
    nodes = 0
    while depth >= 0:
        j = sequence[depth]
        if tried[depth] == 1:  # take back "cluster j is positive"
            decided ^= 1 << j
            flip(negative_states, negatives[j])
        elif tried[depth] == 2:  # take back "cluster j is negative", and go up
            hopeful ^= 1 << j
            flip(positive_states, positives[j])
            depth -= 1
            continue
        if nodes == budget:
            break
        nodes += 1
        if tried[depth] == 0:
            decided ^= 1 << j
            flip(negative_states, negatives[j])
        else:
            hopeful ^= 1 << j
            flip(positive_states, positives[j])
        tried[depth] += 1
        set_bits(words, before, cell_states, place, half)
        bound = count_below(words, before, look_states, low, high, half)
        if not positive_looks:
            bound = doubled_pairs - bound
        # An equal value can still hide a smaller mask: S is the smallest within.
        if bound < best or (bound == best and decided >= best_mask):
            continue
        if depth < k - 1:
            depth += 1
            tried[depth] = 0
        elif decided != 0 and decided != (1 << k) - 1:
            best = bound
            best_mask = decided
    return best, best_mask, nodes
