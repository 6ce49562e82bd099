"""Compiled parts of the regression tree: one node's best split, growth, descent."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# A node with fewer rows sorts them; a larger one counts them per bin.
_FEW_ROWS = 48
_FEW_BINS = 16


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
) -> tuple[float, int]:
    """Best cut of one feature from its histogram: gain and last bin on the left.

    Rows in the usual bin were not counted; they are what is missing from the total.
    """
    n_outputs = len(total)
    known = 0
    for b in range(n_bins):
        known += counts[first + b]
    counts[first + usual] += rows - known
    for k in range(n_outputs):
        rest = total[k]
        for b in range(n_bins):
            rest -= sums[first + b, k]
        sums[first + usual, k] += rest
        left[k] = 0.0
    best, cut, on_left = -1.0, -1, 0
    for b in range(n_bins - 1):
        if counts[first + b] == 0:
            continue
        on_left += counts[first + b]
        if on_left == rows:
            break
        gain = 0.0
        for k in range(n_outputs):
            left[k] += sums[first + b, k]
            right = total[k] - left[k]
            gain += left[k] * left[k] / on_left + right * right / (rows - on_left)
        if gain > best:
            best, cut = gain, b
    if cut >= 0:
        # Half-way to the next value that is there, for items whose value is not.
        after = cut + 1
        while counts[first + after] == 0:
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
) -> tuple[NDArray, NDArray, NDArray, NDArray, Floats, NDArray]:
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
    feature, cut, left, right : ndarray (nodes,)
        feature is -1 in a leaf; items with a code up to cut go left.
    mean : ndarray (nodes, outputs)
    size : ndarray (nodes,)
    """
    n_features, n_outputs = len(usual), y.shape[1]
    most = 2 * len(rows)
    feature = np.full(most, -1, dtype=np.int32)
    cut = np.zeros(most, dtype=np.int32)
    left, right = np.zeros(most, dtype=np.int32), np.zeros(most, dtype=np.int32)
    size = np.zeros(most, dtype=np.int64)
    mean = np.zeros((most, n_outputs))
    n_bins = first_bin[n_features]
    counts = np.zeros(n_bins, dtype=np.int64)
    sums = np.zeros((n_bins, n_outputs))
    touched = np.zeros(n_features, dtype=np.int64)
    is_touched = np.zeros(n_features, dtype=np.bool_)
    total, scratch = np.zeros(n_outputs), np.zeros(n_outputs)
    small = np.empty(_FEW_ROWS, dtype=np.int64)
    stack_node = np.zeros(most, dtype=np.int64)
    stack_first = np.zeros(most, dtype=np.int64)
    stack_last = np.zeros(most, dtype=np.int64)
    stack_last[0] = len(rows)
    depth, n_nodes = 1, 1
    while depth > 0:
        depth -= 1
        node, begin, end = stack_node[depth], stack_first[depth], stack_last[depth]
        n = end - begin
        size[node] = n
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
            continue
        few = n <= _FEW_ROWS
        n_touched = 0
        for p in range(begin, end):
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
            if few and width > _FEW_BINS:
                order = small[:n]
                for p in range(n):
                    order[p] = rows[begin + p]
                gain, at = _scan_sorted(codes[f], order, y, total, scratch)
            else:
                gain, at = _scan_bins(
                    first_bin[f], width, usual[f], counts, sums, n, total, scratch
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
            continue
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
        stack_node[depth], stack_first[depth], stack_last[depth] = n_nodes, begin, low
        stack_node[depth + 1] = n_nodes + 1
        stack_first[depth + 1], stack_last[depth + 1] = low, end
        depth += 2
        n_nodes += 2
    return (
        feature[:n_nodes],
        cut[:n_nodes],
        left[:n_nodes],
        right[:n_nodes],
        mean[:n_nodes],
        size[:n_nodes],
    )


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
