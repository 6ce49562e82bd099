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
# Of two children with more rows only the smaller one is counted; the counts (and sums)
# of the other are the parent's less those. One-hot features split off a few rows at a
# time, so this saves nearly all the counting.
_MANY_ROWS = 256
# Most numbers that kept histograms may hold.
_MOST_KEPT = 2**25
# Sums over outputs may be taken in any order: several at a time.
_SUMS = {"reassoc", "contract", "nsz"}


@njit(cache=True, fastmath=_SUMS)
def _scan_bins(
    bins: Floats,
    usual: int,
    rows: int,
    total: Floats,
    left: Floats,
    usual_sum: Floats,
) -> tuple[float, int]:
    """Best cut of one feature from its histogram: gain and last bin on the left.

    A bin has its rows and the sums of their outputs. Rows in the usual bin were not
    counted; they are what is missing from the total.
    """
    n_bins, n_outputs = len(bins), len(total)
    if n_bins == 2:
        # Most features of a table with one-hot columns: there is one cut.
        inside = bins[1 - usual, 0]
        if inside == 0.0 or inside == rows:
            return -1.0, -1
        square, other = 0.0, 0.0
        for k in range(n_outputs):
            of = bins[1 - usual, k + 1]
            square += of * of
            other += (total[k] - of) * (total[k] - of)
        return square / inside + other / (rows - inside), 0
    usual_count = float(rows)
    for k in range(n_outputs):
        usual_sum[k] = total[k]
        left[k] = 0.0
    for b in range(n_bins):
        if bins[b, 0] == 0.0:
            continue
        usual_count -= bins[b, 0]
        for k in range(n_outputs):
            usual_sum[k] -= bins[b, k + 1]
    if usual_count == rows:
        return -1.0, -1
    best, cut, on_left = -1.0, -1, 0.0
    for b in range(n_bins - 1):
        is_usual = b == usual
        inside = usual_count if is_usual else bins[b, 0]
        if inside == 0.0:
            continue
        on_left += inside
        if on_left == rows:
            break
        square, other = 0.0, 0.0
        for k in range(n_outputs):
            left[k] += usual_sum[k] if is_usual else bins[b, k + 1]
            right = total[k] - left[k]
            square += left[k] * left[k]
            other += right * right
        gain = square / on_left + other / (rows - on_left)
        if gain > best:
            best, cut = gain, b
    if cut >= 0:
        # Half-way to the next value that is there, for items whose value is not.
        after = cut + 1
        while (usual_count if after == usual else bins[after, 0]) == 0.0:
            after += 1
        cut = (cut + after) // 2
    return best, cut


@njit(cache=True, fastmath=_SUMS)
def _scan_one(bins: Floats, usual: int, rows: int, total: float) -> tuple[float, int]:
    """Do the same for one output, whose sums fit into registers.

    The gain is left² / n_left + right² / n_right: what it exceeds total² / n by is the
    squared error that the cut takes away.
    """
    n_bins = len(bins)
    if n_bins == 2:
        inside, of = bins[1 - usual, 0], bins[1 - usual, 1]
        if inside == 0.0 or inside == rows:
            return -1.0, -1
        return of * of / inside + (total - of) * (total - of) / (rows - inside), 0
    # Nobody filled in the usual bin (zeros of a sparse table): it has all the rest.
    usual_count, usual_sum = float(rows), total
    for b in range(n_bins):
        usual_count -= bins[b, 0]
        usual_sum -= bins[b, 1]
    best, cut, on_left, left = -1.0, -1, 0.0, 0.0
    for b in range(n_bins - 1):
        inside = usual_count if b == usual else bins[b, 0]
        if inside == 0.0:
            continue
        on_left += inside
        if on_left == rows:
            break
        left += usual_sum if b == usual else bins[b, 1]
        right = total - left
        gain = left * left / on_left + right * right / (rows - on_left)
        if gain > best:
            best, cut = gain, b
    if cut >= 0:
        after = cut + 1
        while (usual_count if after == usual else bins[after, 0]) == 0.0:
            after += 1
        cut = (cut + after) // 2
    return best, cut


@njit(cache=True, fastmath=_SUMS)
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
        for k in range(len(total)):
            left[k] += y[order[i], k]
        if codes[order[i]] == codes[order[i + 1]]:
            continue
        square, other = 0.0, 0.0
        for k in range(len(total)):
            right = total[k] - left[k]
            square += left[k] * left[k]
            other += right * right
        gain = square / (i + 1) + other / (rows - i - 1)
        if gain > best:
            best = gain
            cut = (int(codes[order[i]]) + int(codes[order[i + 1]])) // 2
    return best, cut


@njit(cache=True, fastmath=_SUMS)
def _add_up(rows: NDArray, y: Floats, total: Floats) -> float:
    """Put the sums of some rows into `total`; return the sum of their squares."""
    square = 0.0
    for k in range(len(total)):
        total[k] = 0.0
    for row in rows:
        for k in range(len(total)):
            total[k] += y[row, k]
            square += y[row, k] * y[row, k]
    return square


@njit(cache=True)
def _count_rows(
    rows: NDArray, indptr: NDArray, bins: NDArray, y: Floats, histogram: Floats
) -> None:
    """Fill a histogram of all features from zero."""
    histogram[:] = 0.0
    n_outputs = y.shape[1]
    for row in rows:
        if n_outputs == 1:
            value = y[row, 0]
            for q in range(indptr[row], indptr[row + 1]):
                histogram[bins[q], 0] += 1.0
                histogram[bins[q], 1] += value
        else:
            for q in range(indptr[row], indptr[row + 1]):
                b = bins[q]
                histogram[b, 0] += 1.0
                for k in range(n_outputs):
                    histogram[b, k + 1] += y[row, k]


@njit(cache=True)
def grow(
    codes: NDArray,
    indptr: NDArray,
    features: NDArray,
    bins: NDArray,
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
    indptr, features, bins : ndarray
        Entries that are not in their feature's usual bin, item by item: which feature,
        and which bin among those of all features.
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
    # are cut to size at the end, for growing them node by node would cost more. Nothing
    # is wiped that is written before it is read: of most arrays only a part is used.
    most = 2 * len(rows)
    feature = np.empty(most, dtype=np.int32)
    cut = np.empty(most, dtype=np.int32)
    left, right = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
    size, start = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    mean = np.empty((most, n_outputs))
    n_bins = first_bin[n_features]
    # One histogram for all nodes. Only the bins of touched features are wiped after a
    # node, so that a node of ten rows does not pay for thousands of empty bins.
    own = np.zeros((n_bins, n_outputs + 1))
    touched = np.zeros(n_features, dtype=np.int64)
    is_touched = np.zeros(n_features, dtype=np.bool_)
    scratch, missing = np.empty(n_outputs), np.empty(n_outputs)
    # Until the end, `mean` holds sums.
    square = np.empty(most)
    square[0] = _add_up(rows, y, mean[0])
    aside = np.empty_like(rows)
    small = np.empty(_FEW_ROWS, dtype=np.int64)
    # An explicit stack: recursion would need its state passed on, and numba compiles
    # recursive functions badly. A node is a range of `rows`, which its parent sorted.
    stack_node = np.empty(most, dtype=np.int64)
    stack_first = np.empty(most, dtype=np.int64)
    stack_last = np.empty(most, dtype=np.int64)
    stack_node[0], stack_first[0], stack_last[0] = 0, 0, len(rows)
    # Kept histograms, one per slot. The smaller child is always next, and has at most
    # half of its parent's rows, so no more than this many wait at a time.
    stack_slot = np.empty(most, dtype=np.int64)
    stack_slot[0] = -1
    n_slots = int(np.log2(max(len(rows), 2))) + 3
    if n_slots * n_bins * (1 + n_outputs) > _MOST_KEPT:
        n_slots = 0
    kept = np.empty((n_slots, n_bins, n_outputs + 1))
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
        size[node], start[node], feature[node] = n, begin, -1
        cut[node] = left[node] = right[node] = 0
        # Sum of squares minus the squares of the sums: the error of the node's mean,
        # and what a split can save at most.
        total = mean[node]
        spread = square[node]
        for k in range(n_outputs):
            spread -= total[k] * total[k] / n
        if n < min_split or n < 2 or spread <= 1e-12 * max(square[node], 1e-300):
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
            _count_rows(rows[begin:end], indptr, bins, y, kept[slot])
        is_kept = slot >= 0
        histogram = kept[slot] if is_kept else own
        if is_kept:
            n_touched = n_features
            for f in range(n_features):
                touched[f] = f
        # A feature whose rows are all in its usual bin cannot split: entries outside of
        # it are the only ones stored, so untouched features are never looked at.
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
                own[bins[q], 0] += 1.0
                for k in range(n_outputs):
                    own[bins[q], k + 1] += y[row, k]
        best, best_feature, best_cut, best_priority = -1.0, -1, 0, 0
        for t in range(n_touched):
            f = touched[t]
            is_touched[f] = False
            width = first_bin[f + 1] - first_bin[f]
            if not is_kept and few and width > _FEW_BINS:
                order = small[:n]
                for p in range(n):
                    order[p] = rows[begin + p]
                gain, at = _scan_sorted(codes[f], order, y, total, scratch)
            else:
                part = histogram[first_bin[f] : first_bin[f + 1]]
                if n_outputs == 1:
                    gain, at = _scan_one(part, usual[f], n, total[0])
                else:
                    gain, at = _scan_bins(part, usual[f], n, total, scratch, missing)
                if not is_kept:
                    part[:] = 0.0
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
        # Rows of the left child to the front, the others after them. Without a branch,
        # for which way a row goes cannot be foreseen.
        column = codes[best_feature]
        low, n_right = begin, 0
        for p in range(begin, end):
            row = rows[p]
            goes_left = int(column[row] <= best_cut)
            rows[low], aside[n_right] = row, row
            low += goes_left
            n_right += 1 - goes_left
        rows[low:end] = aside[:n_right]
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
        square[smaller] = _add_up(rows[first:last], y, mean[smaller])
        if rest >= _MANY_ROWS:
            square[larger] = square[node] - square[smaller]
            for k in range(n_outputs):
                mean[larger, k] = total[k] - mean[smaller, k]
        else:
            begins = begin if left_is_larger else low
            square[larger] = _add_up(rows[begins : begins + rest], y, mean[larger])
        other = -1
        if slot >= 0 and rest >= enough and n_free > 0:
            n_free -= 1
            other = free[n_free]
            _count_rows(rows[first:last], indptr, bins, y, kept[other])
            for b in range(n_bins):
                for k in range(n_outputs + 1):
                    kept[slot, b, k] -= kept[other, b, k]
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
    for node in range(n_nodes):
        for k in range(n_outputs):
            mean[node, k] /= size[node]
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
        # The largest `min_splits` stops first: there the row goes no deeper, counts its
        # error, and goes on from the same node for the next smaller one.
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


@njit(cache=True)
def boost(
    codes: NDArray,
    indptr: NDArray,
    features: NDArray,
    bins: NDArray,
    first_bin: NDArray,
    usual: NDArray,
    priorities: NDArray,
    y: Floats,
    train: NDArray,
    test: NDArray,
    min_split: int,
    share: float,
) -> tuple[Floats, Floats]:
    """Grow a tree per row of `priorities`, each on what those before have left.

    Returns what is left in the end, and the test items' mean squared error per output
    after each tree. In one piece, since a call from outside costs as much as a tree.
    """
    n_trees, n_outputs = len(priorities), y.shape[1]
    rest = y.copy()
    errors = np.zeros((n_trees, n_outputs))
    rows = np.empty_like(train)
    for t in range(n_trees):
        rows[:] = train
        tree, start = grow(
            codes,
            indptr,
            features,
            bins,
            first_bin,
            usual,
            priorities[t],
            rest,
            rows,
            min_split,
        )
        feature, cut, left, right, mean, size = tree
        subtract(codes, test, feature, cut, left, right, mean, share, rest)
        subtract_at_leaves(rows, start, feature, mean, size, share, rest)
        for row in test:
            for k in range(n_outputs):
                errors[t, k] += rest[row, k] * rest[row, k]
    return rest, errors / len(test)
