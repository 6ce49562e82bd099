"""Compiled parts of the regression tree: one node's best split, growth, descent."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Feature, cut, left and right child, mean and size of every node.
Tree = tuple[NDArray, NDArray, NDArray, NDArray, Floats, NDArray]

# A node with fewer rows sorts them; a larger one counts them per bin.
_FEW_ROWS = 48
_FEW_BINS = 16
# Of two children with more rows only the smaller one is counted; the counts of the
# other are the parent's less those. One-hot features split off a few rows at a time,
# so this saves nearly all the counting.
_MANY_ROWS = 256
# Most numbers that kept histograms may hold.
_MOST_KEPT = 2**25


@njit(cache=True)
def _scan_bins(
    first: int,
    n_bins: int,
    usual: int,
    counts: NDArray,
    sums: Floats,
    rows: int,
    total: Floats,
    left: Floats,
    usual_sum: Floats,
) -> tuple[float, int]:
    """Best cut of one feature from its histogram: gain and last bin on the left.

    Rows in the usual bin were not counted; they are what is missing from the total.
    """
    n_outputs = len(total)
    usual_count = rows
    for b in range(n_bins):
        usual_count -= counts[first + b]
    for k in range(n_outputs):
        usual_sum[k] = total[k]
        for b in range(n_bins):
            usual_sum[k] -= sums[first + b, k]
        left[k] = 0.0
    best, cut, on_left = -1.0, -1, 0
    for b in range(n_bins - 1):
        inside = usual_count if b == usual else counts[first + b]
        if inside == 0:
            continue
        on_left += inside
        if on_left == rows:
            break
        gain = 0.0
        for k in range(n_outputs):
            left[k] += usual_sum[k] if b == usual else sums[first + b, k]
            right = total[k] - left[k]
            gain += left[k] * left[k] / on_left + right * right / (rows - on_left)
        if gain > best:
            best, cut = gain, b
    if cut >= 0:
        # Half-way to the next value that is there, for items whose value is not.
        after = cut + 1
        while (usual_count if after == usual else counts[first + after]) == 0:
            after += 1
        cut = (cut + after) // 2
    return best, cut


@njit(cache=True)
def _scan_sorted(
    codes: NDArray, order: NDArray, y: Floats, total: Floats, left: Floats
) -> tuple[float, int]:
    """Best cut of one feature from few rows: gain and largest code on the left."""
    rows = len(order)
    # Insertion sort by code, in place.
    for i in range(1, rows):
        row, code = order[i], codes[order[i]]
        j = i
        while j > 0 and codes[order[j - 1]] > code:
            order[j] = order[j - 1]
            j -= 1
        order[j] = row
    for k in range(len(total)):
        left[k] = 0.0
    best, cut = -1.0, -1
    for i in range(rows - 1):
        gain = 0.0
        for k in range(len(total)):
            left[k] += y[order[i], k]
        if codes[order[i]] == codes[order[i + 1]]:
            continue
        for k in range(len(total)):
            right = total[k] - left[k]
            gain += left[k] * left[k] / (i + 1) + right * right / (rows - i - 1)
        if gain > best:
            best = gain
            cut = (int(codes[order[i]]) + int(codes[order[i + 1]])) // 2
    return best, cut


@njit(cache=True)
def _count_rows(
    rows: NDArray,
    indptr: NDArray,
    features: NDArray,
    values: NDArray,
    first_bin: NDArray,
    y: Floats,
    counts: NDArray,
    sums: Floats,
    entries: NDArray,
) -> None:
    """Fill a histogram of all features from zero; `entries` counts per feature."""
    counts[:] = 0
    sums[:] = 0.0
    entries[:] = 0
    for row in rows:
        for q in range(indptr[row], indptr[row + 1]):
            f = features[q]
            entries[f] += 1
            b = first_bin[f] + values[q]
            counts[b] += 1
            for k in range(y.shape[1]):
                sums[b, k] += y[row, k]


@njit(cache=True)
def _take_off(
    counts: NDArray,
    sums: Floats,
    entries: NDArray,
    other_counts: NDArray,
    other_sums: Floats,
    other_entries: NDArray,
) -> None:
    """Subtract one histogram from another, in place.

    Loops, because array arithmetic takes the compiler ten times as long.
    """
    for b in range(len(counts)):
        counts[b] -= other_counts[b]
        for k in range(sums.shape[1]):
            sums[b, k] -= other_sums[b, k]
    for f in range(len(entries)):
        entries[f] -= other_entries[f]


@njit(cache=True)
def grow(
    codes: NDArray,
    indptr: NDArray,
    features: NDArray,
    values: NDArray,
    first_bin: NDArray,
    usual: NDArray,
    priority: NDArray,
    y: Floats,
    rows: NDArray,
    min_split: int,
) -> tuple[Tree, NDArray]:
    """Grow a tree greedily by squared error.

    Parameters
    ----------
    codes : ndarray of uint8 (features, items)
        Bin of every entry.
    indptr, features, values : ndarray
        Entries that are not in their feature's usual bin, item by item.
    first_bin : ndarray (features + 1,)
        Where a feature's bins begin among all bins.
    usual : ndarray (features,)
    priority : ndarray (features,)
        Among equal gains the feature with the smallest number wins.
    y : ndarray (items, outputs)
    rows : ndarray
        Items to grow on; reordered.
    min_split : int
        Nodes with fewer rows stay leaves.

    Returns
    -------
    tree : feature, cut, left, right, mean, size
        One entry per node. feature is -1 in a leaf; items with a code up to cut go
        left; mean has a column per output.
    start : ndarray (nodes,)
        Where the rows of a node begin among the reordered ones.
    """
    n_features, n_outputs = len(usual), y.shape[1]
    # A binary tree with a row or more in every leaf has fewer nodes than this; arrays
    # are cut to size at the end, for growing them node by node would cost more.
    most = 2 * len(rows)
    feature = np.full(most, -1, dtype=np.int32)
    cut = np.zeros(most, dtype=np.int32)
    left, right = np.zeros(most, dtype=np.int32), np.zeros(most, dtype=np.int32)
    size, start = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    mean = np.zeros((most, n_outputs))
    n_bins = first_bin[n_features]
    # One histogram for all nodes. Only the bins of touched features are wiped after a
    # node, so that a node of ten rows does not pay for thousands of empty bins.
    counts = np.zeros(n_bins, dtype=np.int64)
    sums = np.zeros((n_bins, n_outputs))
    touched = np.zeros(n_features, dtype=np.int64)
    is_touched = np.zeros(n_features, dtype=np.bool_)
    total, scratch = np.zeros(n_outputs), np.zeros(n_outputs)
    missing = np.zeros(n_outputs)
    small = np.empty(_FEW_ROWS, dtype=np.int64)
    # An explicit stack: recursion would need its state passed on, and numba compiles
    # recursive functions badly. A node is a range of `rows`, which its parent sorted.
    stack_node = np.zeros(most, dtype=np.int64)
    stack_first = np.zeros(most, dtype=np.int64)
    stack_last = np.zeros(most, dtype=np.int64)
    stack_last[0] = len(rows)
    # Kept histograms, one per slot. The smaller child is always next, and has at most
    # half of its parent's rows, so no more than this many wait at a time.
    stack_slot = np.full(most, -1, dtype=np.int64)
    n_slots = int(np.log2(max(len(rows), 2))) + 3
    if n_slots * n_bins * (1 + n_outputs) > _MOST_KEPT:
        n_slots = 0
    kept_counts = np.zeros((n_slots, n_bins), dtype=np.int64)
    kept_sums = np.zeros((n_slots, n_bins, n_outputs))
    kept_entries = np.zeros((n_slots, n_features), dtype=np.int64)
    free = np.arange(n_slots)
    n_free = n_slots
    # Below, counting rows anew is cheaper than subtracting histograms, and exact.
    enough = max(min_split, _MANY_ROWS, n_bins // 4)
    depth, n_nodes = 1, 1
    while depth > 0:
        depth -= 1
        node, begin, end = stack_node[depth], stack_first[depth], stack_last[depth]
        slot = stack_slot[depth]
        n = end - begin
        size[node], start[node] = n, begin
        # Sum of squares minus the squares of the sums: the error of the node's mean,
        # and what a split can save at most.
        square = 0.0
        for k in range(n_outputs):
            total[k] = 0.0
        for p in range(begin, end):
            for k in range(n_outputs):
                value = y[rows[p], k]
                total[k] += value
                square += value * value
        spread = square
        for k in range(n_outputs):
            mean[node, k] = total[k] / n
            spread -= total[k] * total[k] / n
        if n < min_split or n < 2 or spread <= 1e-12 * max(square, 1e-300):
            # A leaf: too small, or all alike up to rounding. Its histogram is free.
            if slot >= 0:
                free[n_free] = slot
                n_free += 1
            continue
        # Three ways to the best split, by size. A large node keeps a histogram, so that
        # its larger child is had by subtraction. A small one is counted anew. In a tiny
        # one, features of many bins are sorted instead: fewer rows than bins.
        few = n <= _FEW_ROWS
        n_touched = 0
        if slot < 0 and n >= enough and n_free > 0:
            n_free -= 1
            slot = free[n_free]
            _count_rows(
                rows[begin:end],
                indptr,
                features,
                values,
                first_bin,
                y,
                kept_counts[slot],
                kept_sums[slot],
                kept_entries[slot],
            )
        is_kept = slot >= 0
        # A feature whose rows are all in its usual bin cannot split: entries outside of
        # it are the only ones stored, so untouched features are never looked at.
        if is_kept:
            for f in range(n_features):
                if kept_entries[slot, f] > 0:
                    touched[n_touched] = f
                    n_touched += 1
        for p in range(begin, begin if is_kept else end):
            row = rows[p]
            for q in range(indptr[row], indptr[row + 1]):
                f = features[q]
                if not is_touched[f]:
                    is_touched[f] = True
                    touched[n_touched] = f
                    n_touched += 1
                if few and first_bin[f + 1] - first_bin[f] > _FEW_BINS:
                    continue
                b = first_bin[f] + values[q]
                counts[b] += 1
                for k in range(n_outputs):
                    sums[b, k] += y[row, k]
        best, best_feature, best_cut, best_priority = -1.0, -1, 0, 0
        for t in range(n_touched):
            f = touched[t]
            is_touched[f] = False
            width = first_bin[f + 1] - first_bin[f]
            if is_kept:
                gain, at = _scan_bins(
                    first_bin[f],
                    width,
                    usual[f],
                    kept_counts[slot],
                    kept_sums[slot],
                    n,
                    total,
                    scratch,
                    missing,
                )
            elif few and width > _FEW_BINS:
                order = small[:n]
                for p in range(n):
                    order[p] = rows[begin + p]
                gain, at = _scan_sorted(codes[f], order, y, total, scratch)
            else:
                gain, at = _scan_bins(
                    first_bin[f],
                    width,
                    usual[f],
                    counts,
                    sums,
                    n,
                    total,
                    scratch,
                    missing,
                )
                for b in range(first_bin[f], first_bin[f + 1]):
                    counts[b] = 0
                    for k in range(n_outputs):
                        sums[b, k] = 0.0
            if at < 0:
                continue
            # Gains that differ in their last digits only are equal: rounding, which
            # depends on how rows were added up, must not choose the feature.
            slack = 1e-10 * max(best, 1e-300)
            better = gain > best + slack
            equal = abs(gain - best) <= slack and priority[f] < best_priority
            if better or equal:
                best, best_feature, best_cut = gain, f, at
                best_priority = priority[f]
        if best_feature < 0:
            if slot >= 0:
                free[n_free] = slot
                n_free += 1
            continue
        # Rows of the left child to the front, in place, as quicksort does.
        column = codes[best_feature]
        low, high = begin, end - 1
        while low <= high:
            if column[rows[low]] <= best_cut:
                low += 1
            else:
                rows[low], rows[high] = rows[high], rows[low]
                high -= 1
        feature[node], cut[node] = best_feature, best_cut
        left[node], right[node] = n_nodes, n_nodes + 1
        # The smaller child is counted; what is left of the parent's histogram is the
        # larger child's. Every row is counted at most log2(n) times this way.
        left_is_larger = low - begin >= end - low
        larger = n_nodes if left_is_larger else n_nodes + 1
        smaller = n_nodes + 1 if left_is_larger else n_nodes
        first = low if left_is_larger else begin
        last = end if left_is_larger else low
        rest = n - (last - first)
        other = -1
        if slot >= 0 and rest >= enough and n_free > 0:
            n_free -= 1
            other = free[n_free]
            _count_rows(
                rows[first:last],
                indptr,
                features,
                values,
                first_bin,
                y,
                kept_counts[other],
                kept_sums[other],
                kept_entries[other],
            )
            _take_off(
                kept_counts[slot],
                kept_sums[slot],
                kept_entries[slot],
                kept_counts[other],
                kept_sums[other],
                kept_entries[other],
            )
            if last - first < enough:
                # Counted for the subtraction only: it will count itself anew.
                free[n_free] = other
                n_free += 1
                other = -1
        elif slot >= 0:
            free[n_free] = slot
            n_free += 1
            slot = -1
        # The smaller child on top: it is done first, which bounds the kept slots.
        stack_node[depth], stack_slot[depth] = larger, slot
        stack_first[depth] = begin if left_is_larger else low
        stack_last[depth] = low if left_is_larger else end
        stack_node[depth + 1], stack_slot[depth + 1] = smaller, other
        stack_first[depth + 1], stack_last[depth + 1] = first, last
        depth += 2
        n_nodes += 2
    tree = (
        feature[:n_nodes],
        cut[:n_nodes],
        left[:n_nodes],
        right[:n_nodes],
        mean[:n_nodes],
        size[:n_nodes],
    )
    return tree, start[:n_nodes]


@njit(cache=True)
def squared_errors(
    codes: NDArray,
    y: Floats,
    rows: NDArray,
    feature: NDArray,
    cut: NDArray,
    left: NDArray,
    right: NDArray,
    mean: Floats,
    size: NDArray,
    min_splits: NDArray,
) -> Floats:
    """Sum of squared errors per output, for the tree cut back at each `min_splits`.

    A greedy tree that stops at nodes below m rows is the full tree cut at those nodes,
    so one descent serves all values. `min_splits` must fall.
    """
    n_outputs = y.shape[1]
    errors = np.zeros((len(min_splits), n_outputs))
    for row in rows:
        node, place = 0, 0
        while place < len(min_splits):
            if feature[node] < 0 or size[node] < min_splits[place]:
                for k in range(n_outputs):
                    gap = y[row, k] - mean[node, k]
                    errors[place, k] += gap * gap
                place += 1
            elif codes[feature[node], row] <= cut[node]:
                node = left[node]
            else:
                node = right[node]
    return errors


@njit(cache=True)
def subtract(
    codes: NDArray,
    rows: NDArray,
    feature: NDArray,
    cut: NDArray,
    left: NDArray,
    right: NDArray,
    mean: Floats,
    size: NDArray,
    share: float,
    rest: Floats,
) -> None:
    """Take a share of the leaf's mean off every given item."""
    for row in rows:
        node = 0
        while feature[node] >= 0:
            goes_left = codes[feature[node], row] <= cut[node]
            node = left[node] if goes_left else right[node]
        for k in range(mean.shape[1]):
            rest[row, k] -= share * mean[node, k]


@njit(cache=True)
def subtract_at_leaves(
    rows: NDArray,
    start: NDArray,
    feature: NDArray,
    mean: Floats,
    size: NDArray,
    share: float,
    rest: Floats,
) -> None:
    """Do the same for the rows the tree grew on: they lie leaf by leaf."""
    for node in range(len(feature)):
        if feature[node] >= 0:
            continue
        for p in range(start[node], start[node] + size[node]):
            for k in range(mean.shape[1]):
                rest[rows[p], k] -= share * mean[node, k]
