"""Counting loops behind the eleven measures, compiled.

Every loop takes one block of rows (scores as float64, labels as uint8), so a
matrix never has to be in memory whole. No row is sorted in full: the rarer side
is sorted, the other side is looked up in it.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
ByteArray = NDArray[np.uint8]


class RowFacts:
    """What the score measures need to know of each row (arrays of length m).

    With p relevant labels, `reversed` counts pairs whose irrelevant label has
    the higher score, `tied` pairs with equal scores. `lowest_above` labels lie
    strictly above the lowest relevant score, `lowest_group` share it,
    `lowest_relevant` of these are relevant. `top_group` labels share the highest
    score, `top_relevant` of them are relevant, `first_relevant` says whether the
    first of them is. `precision_max` and `precision_half` are average precision
    with every tie at its worst rank, and its expectation under random ties.

    The loops write to two plain tables, `counts` and `precision`: a numba function
    compiles several times faster for two arrays than for eleven.
    """

    def __init__(self, n_rows: int) -> None:
        self.counts = np.zeros((n_rows, 9), dtype=np.int64)
        self.precision = np.zeros((n_rows, 2))
        columns = self.counts.T
        self.relevant = columns[RELEVANT]
        self.reversed = columns[REVERSED]
        self.tied = columns[TIED]
        self.lowest_above = columns[LOWEST_ABOVE]
        self.lowest_group = columns[LOWEST_GROUP]
        self.lowest_relevant = columns[LOWEST_RELEVANT]
        self.top_group = columns[TOP_GROUP]
        self.top_relevant = columns[TOP_RELEVANT]
        self.first_relevant = columns[FIRST_RELEVANT]
        self.precision_max, self.precision_half = self.precision.T


RELEVANT, REVERSED, TIED = 0, 1, 2
LOWEST_ABOVE, LOWEST_GROUP, LOWEST_RELEVANT = 3, 4, 5
TOP_GROUP, TOP_RELEVANT, FIRST_RELEVANT = 6, 7, 8
PRECISION_MAX, PRECISION_HALF = 0, 1

SCAN_AT_MOST = 24
"""Up to this many numbers, counting all of them beats a search: no branches."""


@njit(cache=True, nogil=True)
def _bounds(values: FloatArray, first: int, last: int, x: float) -> tuple[int, int]:
    """Return where sorted ``values[first:last]`` reach x, and where they pass it."""
    if last - first <= SCAN_AT_MOST:
        below = 0
        up_to = 0
        for k in range(first, last):
            below += values[k] < x
            up_to += values[k] <= x
        return first + below, first + up_to
    # Two bisections; the second only where the value is there at all.
    low, high = first, last
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < x:
            low = middle + 1
        else:
            high = middle
    reach = low
    if reach == last or values[reach] != x:
        return reach, reach
    high = last
    while low < high:
        middle = (low + high) >> 1
        if values[middle] <= x:
            low = middle + 1
        else:
            high = middle
    return reach, low


GAPS = np.array([1, 4, 10, 23, 57, 132, 301, 701, 1577, 3548, 7983, 17961, 40412])
"""Steps of the sort below (Ciura 2001, continued by a factor of 2.25)."""


@njit(cache=True, nogil=True)
def _sort(values: FloatArray, n: int) -> None:
    """Shell-sort the first n values: short lists, and compiled in no time."""
    for step in range(len(GAPS) - 1, -1, -1):
        gap = GAPS[step]
        for k in range(gap, n):
            x = values[k]
            q = k
            while q >= gap and values[q - gap] > x:
                values[q] = values[q - gap]
                q -= gap
            values[q] = x


@njit(cache=True, nogil=True)
def _cell(x: float, low: float, scale: float, count: int) -> int:
    """Return which of `count` cells of equal width holds x.

    A monotone function of x, rounding included, so that cells narrow a search
    and never change its result. A scale of 0 stands for one cell.
    """
    return min(count - 1, int((x - low) * scale)) if scale > 0.0 else 0


@njit(cache=True, nogil=True)
def _cell_scale(low: float, high: float, count: int) -> float:
    """Return cells per unit, or 0 where the range is too wide or too narrow."""
    width = high - low
    if not 0.0 < width < np.inf:
        return 0.0
    scale = count / width
    return scale if scale < np.inf else 0.0


@njit(cache=True, nogil=True)
def _fill_cells(
    values: FloatArray, first: int, last: int, starts: IntArray, base: int
) -> float:
    """Cut sorted ``values[first:last]`` into cells; return the cells per unit.

    There are as many cells as values, so that one holds one value on average;
    cell c begins at position ``starts[base + c]``.
    """
    count = last - first
    low = values[first]
    scale = _cell_scale(low, values[last - 1], count)
    position = first
    for c in range(count):
        starts[base + c] = position
        while position < last and _cell(values[position], low, scale, count) == c:
            position += 1
    starts[base + count] = last
    return scale


@njit(cache=True, nogil=True)
def _tie_precision(r: int, g: int, R: int, N: int) -> float:
    """Give g tied labels, r relevant, below N with R relevant, their precision sum."""
    if g == 1:
        return (R + 1.0) / (N + 1.0)
    share = r / g
    slope = (r - 1.0) / (g - 1.0)
    total = 0.0
    for k in range(g):
        total += (R + 1.0 + k * slope) / (N + 1.0 + k)
    return share * total


@njit(cache=True, nogil=True)
def _finish_row(
    counts: IntArray,
    precision: FloatArray,
    rel: FloatArray,
    p: int,
    hist_a: IntArray,
    hist_b: IntArray,
) -> None:
    """Turn the two histograms of a row into precision and coverage facts.

    ``hist_a[k]`` counts irrelevant labels with k relevant scores below them,
    ``hist_b[k]`` those with k relevant scores below or equal.
    """
    above = 0
    at_or_above = 0
    worst = 0.0
    expected = 0.0
    k = p - 1
    while k >= 0:
        last = k
        while k > 0 and rel[k - 1] == rel[last]:
            k -= 1
        r = last - k + 1
        # Labels counted in hist[k + 1 .. last + 1] lie above this group, and
        # no entry has a or b strictly inside the group.
        for q in range(k + 1, last + 2):
            above += hist_a[q]
            at_or_above += hist_b[q]
        R = p - 1 - last
        N = R + above
        g = r + at_or_above - above
        worst += r * ((R + r) / (R + r + at_or_above))
        expected += _tie_precision(r, g, R, N)
        if k == 0:
            counts[LOWEST_ABOVE] = N
            counts[LOWEST_GROUP] = g
            counts[LOWEST_RELEVANT] = r
        k -= 1
    precision[PRECISION_MAX] = worst / p
    precision[PRECISION_HALF] = expected / p


@njit(cache=True, nogil=True)
def row_pass(
    S: FloatArray,
    Y: ByteArray,
    first_row: int,
    all_counts: IntArray,
    all_precision: FloatArray,
) -> None:
    """Collect the facts of the rows of a block (see `RowFacts`)."""
    n_rows, n_labels = S.shape
    rel = np.empty(n_labels)
    starts = np.empty(n_labels + 1, dtype=np.int64)
    hist_a = np.empty(n_labels + 1, dtype=np.int64)
    hist_b = np.empty(n_labels + 1, dtype=np.int64)
    for row in range(n_rows):
        counts = all_counts[first_row + row]
        p = 0
        best = S[row, 0]
        for j in range(n_labels):
            best = max(best, S[row, j])
            if Y[row, j] == 1:
                rel[p] = S[row, j]
                p += 1
        group = 0
        top_relevant = 0
        first_relevant = -1
        for j in range(n_labels):
            if S[row, j] == best:
                group += 1
                top_relevant += Y[row, j]
                if first_relevant < 0:
                    first_relevant = Y[row, j]
        counts[RELEVANT] = p
        counts[TOP_GROUP] = group
        counts[TOP_RELEVANT] = top_relevant
        counts[FIRST_RELEVANT] = first_relevant
        if p == 0:
            continue
        # Only the relevant scores are sorted, mostly a few of many labels. Every other
        # score x is then looked up: a of them lie below it (pairs in the wrong order),
        # b at or below it, so b - a pairs are tied. The histograms of a and b are all
        # that precision and coverage need.
        _sort(rel, p)
        low, high = rel[0], rel[p - 1]
        scale = _fill_cells(rel, 0, p, starts, 0)
        hist_a[: p + 1] = 0
        hist_b[: p + 1] = 0
        wrong = 0
        tied = 0
        for j in range(n_labels):
            if Y[row, j] == 0:
                x = S[row, j]
                if x < low:
                    a = b = 0
                elif x > high:
                    a = b = p
                else:
                    c = _cell(x, low, scale, p)
                    a, b = _bounds(rel, starts[c], starts[c + 1], x)
                wrong += a
                tied += b - a
                hist_a[a] += 1
                hist_b[b] += 1
        counts[REVERSED] = wrong
        counts[TIED] = tied
        _finish_row(counts, all_precision[first_row + row], rel, p, hist_a, hist_b)


@njit(cache=True, nogil=True)
def gather_pass(
    S: FloatArray, Y: ByteArray, kept: int, values: FloatArray, fill: IntArray
) -> None:
    """Write the scores of the kept class to ``values``, label j from ``fill[j]`` on."""
    n_rows, n_labels = S.shape
    for row in range(n_rows):
        for j in range(n_labels):
            if Y[row, j] == kept:
                values[fill[j]] = S[row, j]
                fill[j] += 1


@njit(cache=True, nogil=True)
def fill_label_cells(
    values: FloatArray, ends: IntArray, starts: IntArray, scales: FloatArray
) -> None:
    """Build the cells of every label; those of label j start at ``ends[j] + j``."""
    for j in range(len(ends) - 1):
        if ends[j] < ends[j + 1]:
            scales[j] = _fill_cells(values, ends[j], ends[j + 1], starts, ends[j] + j)


TILE_LABELS = 64
TILE_ROWS = 1024


@njit(cache=True, nogil=True)
def label_pass(
    S: FloatArray,
    Y: ByteArray,
    kept: int,
    values: FloatArray,
    ends: IntArray,
    starts: IntArray,
    scales: FloatArray,
    below: IntArray,
    tied: IntArray,
) -> None:
    """Look up, label by label, the scores of the class that is not kept.

    ``values[ends[j]:ends[j + 1]]`` are the kept scores of label j, sorted. Tiles
    are turned on their side first, so that both sides of a search stay in the
    cache.
    """
    n_rows, n_labels = S.shape
    tile = np.empty((TILE_LABELS, TILE_ROWS))
    sizes = np.empty(TILE_LABELS, dtype=np.int64)
    for top in range(0, n_rows, TILE_ROWS):
        bottom = min(top + TILE_ROWS, n_rows)
        for left in range(0, n_labels, TILE_LABELS):
            right = min(left + TILE_LABELS, n_labels)
            sizes[:] = 0
            for row in range(top, bottom):
                for j in range(left, right):
                    size = sizes[j - left]
                    tile[j - left, size] = S[row, j]
                    # Written always, kept if it counts: no branch to guess wrongly.
                    sizes[j - left] = size + (Y[row, j] != kept)
            for j in range(left, right):
                first, last = ends[j], ends[j + 1]
                if first == last:
                    continue
                low, high, scale = values[first], values[last - 1], scales[j]
                for k in range(sizes[j - left]):
                    x = tile[j - left, k]
                    if x > high:
                        below[j] += last - first
                    elif x >= low:
                        # Every label has one start more than it has values.
                        c = first + j + _cell(x, low, scale, last - first)
                        a, b = _bounds(values, starts[c], starts[c + 1], x)
                        below[j] += a - first
                        tied[j] += b - a


@njit(cache=True, nogil=True)
def pool_pass(S: FloatArray, Y: ByteArray, kept: int, others: FloatArray) -> int:
    """Copy the scores of the class that is not kept to ``others``; return how many."""
    n_rows, n_labels = S.shape
    count = 0
    for row in range(n_rows):
        for j in range(n_labels):
            others[count] = S[row, j]
            count += Y[row, j] != kept
    return count


@njit(cache=True, nogil=True)
def merge_counts(values: FloatArray, others: FloatArray) -> tuple[int, int]:
    """Count pairs of two sorted lists with value below other, and with equal ones.

    The walk through ``values`` takes leaps, so it also pays when they are many
    and the ``others`` few.
    """
    n = len(values)
    below = 0
    tied = 0
    a = 0
    b = 0
    for x in others:
        if a < n and values[a] < x:
            step = 1
            while a + step < n and values[a + step] < x:
                a += step
                step *= 2
            a = _bounds(values, a + 1, min(a + step, n), x)[0]
        if b < a:
            b = a
        while b < n and values[b] == x:
            b += 1
        below += a
        tied += b - a
    return below, tied


@njit(cache=True, nogil=True)
def decision_pass(
    Y: ByteArray,
    H: ByteArray,
    first_row: int,
    row_facts: IntArray,
    label_facts: IntArray,
) -> None:
    """Count relevant, chosen and rightly chosen entries per row and per label.

    Both tables have three columns: relevant, chosen, both.
    """
    n_rows, n_labels = Y.shape
    for row in range(n_rows):
        p = 0
        q = 0
        both = 0
        for j in range(n_labels):
            if Y[row, j] == 1:
                p += 1
                label_facts[j, 0] += 1
                if H[row, j] == 1:
                    both += 1
                    label_facts[j, 2] += 1
            if H[row, j] == 1:
                q += 1
                label_facts[j, 1] += 1
        row_facts[first_row + row, 0] = p
        row_facts[first_row + row, 1] = q
        row_facts[first_row + row, 2] = both


@njit(cache=True, nogil=True)
def first_non_finite(S: FloatArray) -> int:
    """Return the first row with a NaN or an infinity, or -1."""
    for row in range(S.shape[0]):
        total = 0.0
        for j in range(S.shape[1]):
            total += S[row, j] * 0.0  # NaN for everything that is not finite
        if total != 0.0:
            return row
    return -1


@njit(cache=True, nogil=True)
def count_pass(
    Y: ByteArray, first_row: int, per_row: IntArray, per_label: IntArray
) -> None:
    """Count the ones of a block, per row and per label."""
    for row in range(Y.shape[0]):
        count = 0
        for j in range(Y.shape[1]):
            count += Y[row, j]
            per_label[j] += Y[row, j]
        per_row[first_row + row] = count
