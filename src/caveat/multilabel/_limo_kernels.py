"""Algorithm 1 of Wu & Zhou (2017), compiled: dense and sparse features.

An iteration changes at most three columns of W. The average over all iterates is
kept lazily: a column is added to it, as often as it stood unchanged, just before
it changes. With sparse features W is kept as scale times vector, so that one step
costs as much as the instance has entries.

Both kernels take their random numbers as an array with six per iteration, so
that all variants share one stream.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from caveat.multilabel._kernels import ByteArray, FloatArray, IntArray

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
    `label_weights` end at 1.
    """

    row_ends: IntArray
    row_labels: IntArray
    label_ends: IntArray
    label_rows: IntArray
    row_weights: FloatArray
    label_weights: FloatArray

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
        return cls(
            row_ends=_ends(rows, Y.shape[0]),
            row_labels=labels.astype(np.int64),
            label_ends=_ends(by_label, Y.shape[1]),
            label_rows=of_label.astype(np.int64),
            row_weights=_cumulated(row_weights),
            label_weights=_cumulated(label_weights),
        )


def _ends(sorted_groups: IntArray, count: int) -> IntArray:
    sizes = np.bincount(sorted_groups, minlength=count)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _cumulated(weights: FloatArray) -> FloatArray:
    total = np.cumsum(weights)
    return total / total[-1] if total[-1] > 0 else total


@njit(cache=True, nogil=True)
def _draw(cumulated: FloatArray, r: float) -> int:
    """Return the first position whose cumulated weight exceeds r."""
    low, high = 0, len(cumulated) - 1
    while low < high:
        middle = (low + high) >> 1
        if cumulated[middle] > r:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, nogil=True)
def _member(members: IntArray, first: int, last: int, r: float) -> int:
    """Return a member of ``members[first:last]``, chosen evenly."""
    return members[first + min(last - first - 1, int(r * (last - first)))]


@njit(cache=True, nogil=True)
def _other(members: IntArray, first: int, last: int, size: int, r: float) -> int:
    """Return one of 0..size-1 that is not among the sorted members, chosen evenly."""
    rest = size - (last - first)
    k = min(rest - 1, int(r * rest))
    low, high = first, last  # smallest q with members[q] - q > k
    while low < high:
        middle = (low + high) >> 1
        if members[middle] - (middle - first) > k:
            high = middle
        else:
            low = middle + 1
    return k + low - first


@njit(cache=True, nogil=True)
def _draw_label_step(
    pairs: Pairs, n_labels: int, r: FloatArray
) -> tuple[int, int, int]:
    """Draw an instance, a relevant and an irrelevant label of it."""
    i = _draw(pairs.row_weights, r[0])
    first, last = pairs.row_ends[i], pairs.row_ends[i + 1]
    u = _member(pairs.row_labels, first, last, r[1])
    v = _other(pairs.row_labels, first, last, n_labels, r[2])
    return i, u, v


@njit(cache=True, nogil=True)
def _draw_instance_step(
    pairs: Pairs, n_rows: int, code: bool, r: FloatArray
) -> tuple[int, int, int]:
    """Draw a label, a positive and a negative instance of it (j = -1: none)."""
    k = _draw(pairs.label_weights, r[3])
    if code:
        a = k
        j = _member(pairs.row_labels, pairs.row_ends[a], pairs.row_ends[a + 1], r[4])
    else:
        j = k
        a = _member(
            pairs.label_rows, pairs.label_ends[j], pairs.label_ends[j + 1], r[4]
        )
    first, last = pairs.label_ends[j], pairs.label_ends[j + 1]
    if last - first == n_rows:
        return -1, a, a
    return j, a, _other(pairs.label_rows, first, last, n_rows, r[5])


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _dot(a: FloatArray, b: FloatArray) -> float:
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@njit(cache=True, nogil=True)
def _count_in(W: FloatArray, A: FloatArray, last: IntArray, j: int, t: int) -> None:
    """Add column j to the average for every iteration it stood since, up to t - 1."""
    times = t - 1 - last[j]
    if times > 0:
        for k in range(W.shape[1]):
            A[j, k] += times * W[j, k]
    last[j] = t - 1


@njit(cache=True, nogil=True)
def dense_steps(
    X: FloatArray,
    W: FloatArray,
    A: FloatArray,
    last: IntArray,
    pairs: Pairs,
    draws: FloatArray,
    done: int,
    settings: Settings,
    active: IntArray,
) -> None:
    """Run one iteration per row of `draws`, after `done` earlier ones.

    W and the sum A hold one row per label. `active` counts the hinges above zero
    of both kinds.
    """
    n_rows, d = X.shape
    n_labels = W.shape[0]
    eta, lambda1, lambda2, code, always = settings
    keep = 1.0 - eta
    for step in range(len(draws)):
        t = done + step + 1
        r = draws[step]
        if lambda1 > 0.0:
            i, u, v = _draw_label_step(pairs, n_labels, r)
            x = X[i]
            hinge = 1.0 - _dot(W[u], x) + _dot(W[v], x) > 0.0
            active[0] += hinge
            if hinge or always:
                _count_in(W, A, last, u, t)
                _count_in(W, A, last, v, t)
                push = eta * lambda1 if hinge else 0.0
                for k in range(d):
                    W[u, k] = keep * W[u, k] + push * x[k]
                    W[v, k] = keep * W[v, k] - push * x[k]
        if lambda2 > 0.0:
            j, a, b = _draw_instance_step(pairs, n_rows, code, r)
            if j < 0:
                continue
            w = W[j]
            hinge = 1.0 - _dot(w, X[a]) + _dot(w, X[b]) > 0.0
            active[1] += hinge
            if hinge or always:
                _count_in(W, A, last, j, t)
                push = eta * lambda2 if hinge else 0.0
                for k in range(d):
                    w[k] = keep * w[k] + push * (X[a, k] - X[b, k])


@njit(cache=True, nogil=True)
def finish_dense(W: FloatArray, A: FloatArray, last: IntArray, total: int) -> None:
    """Count the columns in that stood unchanged until the end, and divide."""
    for j in range(W.shape[0]):
        _count_in(W, A, last, j, total + 1)
    A /= total


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
    pairs: Pairs,
    draws: FloatArray,
    done: int,
    settings: Settings,
    active: IntArray,
) -> None:
    """Do as `dense_steps` on a CSR matrix of features."""
    n_rows = len(ends) - 1
    n_labels = len(w.scale)
    eta, lambda1, lambda2, code, always = settings
    keep = 1.0 - eta
    for step in range(len(draws)):
        t = done + step + 1
        r = draws[step]
        if lambda1 > 0.0:
            i, u, v = _draw_label_step(pairs, n_labels, r)
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
        if lambda2 > 0.0:
            j, a, b = _draw_instance_step(pairs, n_rows, code, r)
            if j < 0:
                continue
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
