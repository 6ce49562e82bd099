"""Algorithm 1 of Wu & Zhou (2017), compiled: dense and sparse features.

An iteration changes at most three columns of W. The average over all iterates is
kept lazily: a column is added to it, as often as it stood unchanged, just before
it changes. With sparse features W is kept as scale times vector, so that one step
costs as much as the instance has entries.

Six random numbers per iteration are turned into what it looks at beforehand, so
that all variants share one stream.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from caveat.multilabel._arrays import ByteArray, FloatArray, IntArray

SMALLEST_SCALE = 1e-6


class Settings(NamedTuple):
    """Step size, the two trade-offs, and two switches (see `LIMO`)."""

    eta: float
    lambda1: float
    lambda2: float
    code: bool
    always: bool


class Pairs(NamedTuple):
    """Who is relevant to whom, both ways, and the sampling weights, cumulated.

    ``row_labels[row_ends[i]:row_ends[i + 1]]`` are the relevant labels of row i,
    ascending; ``label_rows`` the positive rows of every label. `row_weights` and
    `label_weights` end at 1; their guides say where to start looking in them.
    """

    row_ends: IntArray
    row_labels: IntArray
    label_ends: IntArray
    label_rows: IntArray
    row_weights: FloatArray
    label_weights: FloatArray
    row_guide: IntArray
    label_guide: IntArray

    @classmethod
    def of(cls, Y: ByteArray, sampling: str) -> Pairs:
        """Collect the lists; weights are all zero if a step has nothing to draw."""
        rows, labels = np.nonzero(Y)
        by_label, of_label = np.nonzero(Y.T)
        p, positives = Y.sum(axis=1, dtype=np.int64), Y.sum(axis=0, dtype=np.int64)
        row_pairs = p * (Y.shape[1] - p)
        label_pairs = positives * (Y.shape[0] - positives)
        if sampling == "code":
            # The published code draws instances evenly, and reaches a label
            # through one of its positive instances.
            useful = (Y * (label_pairs > 0)).any(axis=1)
            row_weights = (row_pairs > 0).astype(np.float64)
            label_weights = useful.astype(np.float64)
        else:
            row_weights = row_pairs.astype(np.float64)
            label_weights = label_pairs.astype(np.float64)
        row_sums, label_sums = _cumulated(row_weights), _cumulated(label_weights)
        return cls(
            row_ends=_ends(rows, Y.shape[0]),
            row_labels=labels.astype(np.int64),
            label_ends=_ends(by_label, Y.shape[1]),
            label_rows=of_label.astype(np.int64),
            row_weights=row_sums,
            label_weights=label_sums,
            row_guide=_guide(row_sums),
            label_guide=_guide(label_sums),
        )


def _ends(sorted_groups: IntArray, count: int) -> IntArray:
    sizes = np.bincount(sorted_groups, minlength=count)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _cumulated(weights: FloatArray) -> FloatArray:
    total = np.cumsum(weights)
    return total / total[-1] if total[-1] > 0 else total


def _guide(cumulated: FloatArray) -> IntArray:
    """Return, for c/n with c = 0..n-1, the first position that exceeds it."""
    n = len(cumulated)
    first = np.searchsorted(cumulated, np.arange(n) / n, side="right")
    return np.minimum(first, n - 1).astype(np.int64)


@njit(cache=True, nogil=True)
def _draw(cumulated: FloatArray, guide: IntArray, r: float) -> int:
    """Return the first position whose cumulated weight exceeds r."""
    n = len(guide)
    # Rounding may put r a cell too far; the cell before starts no later.
    k = guide[max(0, min(n - 1, int(r * n)) - 1)]
    while k < n - 1 and cumulated[k] <= r:
        k += 1
    return k


@njit(cache=True, nogil=True)
def _member(members: IntArray, first: int, last: int, r: float) -> int:
    """Return a member of ``members[first:last]``, chosen evenly."""
    return members[first + min(last - first - 1, int(r * (last - first)))]


@njit(cache=True, nogil=True)
def _other(members: IntArray, first: int, last: int, size: int, r: float) -> int:
    """Return one of 0..size-1 that is not among the sorted members, chosen evenly."""
    count = last - first
    rest = size - count
    k = min(rest - 1, int(r * rest))
    # The k-th other number is k + q for the smallest q with members[q] - q > k. The
    # search halves without branches: which half is taken cannot be foreseen.
    q = 0
    while count > 1:
        half = count >> 1
        q += half * (members[first + q + half - 1] - (q + half - 1) <= k)
        count -= half
    if count == 1:
        q += members[first + q] - q <= k
    return k + q


@njit(cache=True, nogil=True)
def draw_steps(
    pairs: Pairs, n_rows: int, n_labels: int, code: bool, draws: FloatArray
) -> IntArray:
    """Turn random numbers into what each iteration looks at.

    Columns: an instance i with a relevant label u and an irrelevant one v; a label j
    with a positive instance a and a negative one b (j = -1: there is none). A step
    whose weights are all zero is never used.
    """
    out = np.empty((len(draws), 6), dtype=np.int64)
    row_ends, row_labels = pairs.row_ends, pairs.row_labels
    label_ends, label_rows = pairs.label_ends, pairs.label_rows
    has_rows = pairs.row_weights[-1] > 0.0
    has_labels = pairs.label_weights[-1] > 0.0
    for t in range(len(draws)):
        if has_rows:
            i = _draw(pairs.row_weights, pairs.row_guide, draws[t, 0])
            first, last = row_ends[i], row_ends[i + 1]
            out[t, 0] = i
            out[t, 1] = _member(row_labels, first, last, draws[t, 1])
            out[t, 2] = _other(row_labels, first, last, n_labels, draws[t, 2])
        if has_labels:
            k = _draw(pairs.label_weights, pairs.label_guide, draws[t, 3])
            # The published code draws the instance first, the paper the label.
            if code:
                a = k
                j = _member(row_labels, row_ends[a], row_ends[a + 1], draws[t, 4])
            else:
                j = k
                a = _member(label_rows, label_ends[j], label_ends[j + 1], draws[t, 4])
            first, last = label_ends[j], label_ends[j + 1]
            whole = last - first == n_rows
            out[t, 3] = -1 if whole else j
            out[t, 4] = a
            out[t, 5] = a
            if not whole:
                out[t, 5] = _other(label_rows, first, last, n_rows, draws[t, 5])
    return out


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _label_gap(W: FloatArray, u: int, v: int, X: FloatArray, i: int) -> float:
    total = 0.0
    for k in range(W.shape[1]):
        total += (W[u, k] - W[v, k]) * X[i, k]
    return total


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _instance_gap(W: FloatArray, j: int, X: FloatArray, a: int, b: int) -> float:
    total = 0.0
    for k in range(W.shape[1]):
        total += W[j, k] * (X[a, k] - X[b, k])
    return total


@njit(cache=True, nogil=True)
def dense_steps(
    X: FloatArray,
    W: FloatArray,
    A: FloatArray,
    last: IntArray,
    drawn: IntArray,
    done: int,
    settings: Settings,
    active: IntArray,
) -> None:
    """Run one iteration per row of `drawn`, after `done` earlier ones.

    W and the sum A hold one row per label. Just before a row of W changes it is
    added to A for every iteration it stood since ``last``. `active` counts the
    hinges above zero of both kinds.
    """
    d = X.shape[1]
    eta, lambda1, lambda2, _, always = settings
    keep = 1.0 - eta
    for step in range(len(drawn)):
        t = done + step  # the iteration before this one
        if lambda1 > 0.0:
            i, u, v = drawn[step, 0], drawn[step, 1], drawn[step, 2]
            hinge = _label_gap(W, u, v, X, i) < 1.0
            active[0] += hinge
            if hinge or always:
                push = eta * lambda1 if hinge else 0.0
                times_u, times_v = t - last[u], t - last[v]
                for k in range(d):
                    A[u, k] += times_u * W[u, k]
                    W[u, k] = keep * W[u, k] + push * X[i, k]
                for k in range(d):
                    A[v, k] += times_v * W[v, k]
                    W[v, k] = keep * W[v, k] - push * X[i, k]
                last[u] = t
                last[v] = t
        j = drawn[step, 3]
        if lambda2 > 0.0 and j >= 0:
            a, b = drawn[step, 4], drawn[step, 5]
            hinge = _instance_gap(W, j, X, a, b) < 1.0
            active[1] += hinge
            if hinge or always:
                push = eta * lambda2 if hinge else 0.0
                times = t - last[j]
                for k in range(d):
                    A[j, k] += times * W[j, k]
                    W[j, k] = keep * W[j, k] + push * (X[a, k] - X[b, k])
                last[j] = t


@njit(cache=True, nogil=True)
def finish_dense(W: FloatArray, A: FloatArray, last: IntArray, total: int) -> None:
    """Count the columns in that stood unchanged until the end, and divide."""
    for j in range(W.shape[0]):
        times = total - last[j]
        for k in range(W.shape[1]):
            A[j, k] = (A[j, k] + times * W[j, k]) / total


class ScaledWeights(NamedTuple):
    """W as scale times vector, and its running sum in the same spirit.

    Column j of W is ``scale[j] * vector[j]``; its sum over iterations is
    ``factor[j] * vector[j] + rest[j]``.
    """

    vector: FloatArray
    scale: FloatArray
    rest: FloatArray
    factor: FloatArray
    last: IntArray


@njit(cache=True, nogil=True)
def _sparse_dot(
    vector: FloatArray, data: FloatArray, columns: IntArray, first: int, last: int
) -> float:
    total = 0.0
    for k in range(first, last):
        total += vector[columns[k]] * data[k]
    return total


@njit(cache=True, nogil=True)
def _shrink(w: ScaledWeights, j: int, t: int, keep: float) -> None:
    """Count column j in up to t - 1, then multiply it by `keep`."""
    w.factor[j] += (t - 1 - w.last[j]) * w.scale[j]
    w.last[j] = t - 1
    w.scale[j] *= keep
    if w.scale[j] < SMALLEST_SCALE:
        # Fold the scale in before the sum loses digits.
        for k in range(w.vector.shape[1]):
            w.rest[j, k] += w.factor[j] * w.vector[j, k]
            w.vector[j, k] *= w.scale[j]
        w.factor[j] = 0.0
        w.scale[j] = 1.0


@njit(cache=True, nogil=True)
def _add(
    w: ScaledWeights,
    j: int,
    amount: float,
    data: FloatArray,
    columns: IntArray,
    first: int,
    last: int,
) -> None:
    """Add `amount` times a sparse row to column j, leaving the sum as it is."""
    amount /= w.scale[j]
    for k in range(first, last):
        change = amount * data[k]
        w.vector[j, columns[k]] += change
        w.rest[j, columns[k]] -= w.factor[j] * change


@njit(cache=True, nogil=True)
def sparse_steps(
    data: FloatArray,
    columns: IntArray,
    ends: IntArray,
    w: ScaledWeights,
    drawn: IntArray,
    done: int,
    settings: Settings,
    active: IntArray,
) -> None:
    """Do as `dense_steps` on a CSR matrix of features."""
    eta, lambda1, lambda2, _, always = settings
    keep = 1.0 - eta
    for step in range(len(drawn)):
        t = done + step + 1
        # Within an instance: a relevant label u should score one more than v.
        if lambda1 > 0.0:
            i, u, v = drawn[step, 0], drawn[step, 1], drawn[step, 2]
            first, last = ends[i], ends[i + 1]
            up = w.scale[u] * _sparse_dot(w.vector[u], data, columns, first, last)
            down = w.scale[v] * _sparse_dot(w.vector[v], data, columns, first, last)
            hinge = 1.0 - up + down > 0.0
            active[0] += hinge
            if hinge or always:
                _shrink(w, u, t, keep)
                _shrink(w, v, t, keep)
            if hinge:
                _add(w, u, eta * lambda1, data, columns, first, last)
                _add(w, v, -eta * lambda1, data, columns, first, last)
        # Within a label: a positive instance a should score one more than b.
        j = drawn[step, 3]
        if lambda2 > 0.0 and j >= 0:
            a, b = drawn[step, 4], drawn[step, 5]
            up = _sparse_dot(w.vector[j], data, columns, ends[a], ends[a + 1])
            down = _sparse_dot(w.vector[j], data, columns, ends[b], ends[b + 1])
            hinge = 1.0 - w.scale[j] * (up - down) > 0.0
            active[1] += hinge
            if hinge or always:
                _shrink(w, j, t, keep)
            if hinge:
                _add(w, j, eta * lambda2, data, columns, ends[a], ends[a + 1])
                _add(w, j, -eta * lambda2, data, columns, ends[b], ends[b + 1])


@njit(cache=True, nogil=True)
def finish_sparse(w: ScaledWeights, total: int) -> FloatArray:
    """Return the average of W over all iterations."""
    mean = np.empty_like(w.vector)
    for j in range(len(w.scale)):
        factor = w.factor[j] + (total - w.last[j]) * w.scale[j]
        for k in range(w.vector.shape[1]):
            mean[j, k] = (factor * w.vector[j, k] + w.rest[j, k]) / total
    return mean
