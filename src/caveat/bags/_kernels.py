"""Compiled loops over the items of a sparse matrix, for many score vectors at once.

A matrix here is a sparse part plus one offset per column, ``X = S + 1 c'``: scaling
one-hot columns to [-1, 1] makes them dense only in this harmless way.

The loops over score vectors are the innermost ones, so they run in vector registers,
and every vector is computed by the same operations whoever its neighbours are.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Items are taken in blocks whose scores stay in the cache. The product of 1 + u <= 2
# over a block cannot overflow.
_ITEMS = 32
_FUSED = {"contract", "nsz"}
_LARGEST_EXPONENT = 709.782712893384


@njit(cache=True, fastmath=_FUSED)
def _exponentials(z: Floats, scratch: Floats, bits: NDArray, out: Floats) -> None:
    """Fill ``out = exp(-2 |z|)`` by argument reduction and a polynomial.

    The relative error is below 3e-16. Adding 1.5 * 2**52 rounds to a whole number
    and leaves it in the low bits, which then become the exponent.
    """
    magic = 6755399441055744.0
    for q in range(len(z)):
        x = -2.0 * min(abs(z[q]), 350.0)
        scratch[q] = x * 1.4426950408889634 + magic
    for q in range(len(z)):
        x = -2.0 * min(abs(z[q]), 350.0)
        k = scratch[q] - magic
        r = x - k * 6.93145751953125e-1 - k * 1.42860682030941723212e-6
        p = 1.6059043836821613e-10
        p = p * r + 2.08767569878681e-09
        p = p * r + 2.505210838544172e-08
        p = p * r + 2.755731922398589e-07
        p = p * r + 2.7557319223985893e-06
        p = p * r + 2.48015873015873e-05
        p = p * r + 0.0001984126984126984
        p = p * r + 0.001388888888888889
        p = p * r + 0.008333333333333333
        p = p * r + 0.041666666666666664
        p = p * r + 0.16666666666666666
        p = p * r + 0.5
        p = p * r + 1.0
        out[q] = p * r + 1.0
    for q in range(len(z)):
        bits[q] = (bits[q] << 52) + 4607182418800017408
    for q in range(len(z)):
        out[q] = out[q] * scratch[q]


@njit(cache=True, fastmath=_FUSED)
def _activations(z: Floats, u: Floats, tanh: Floats) -> None:
    """Fill ``tanh(z)`` and turn ``u = exp(-2|z|)`` into ``1 + u``."""
    for q in range(len(z)):
        one_more = 1.0 + u[q]
        sign = 1.0 if z[q] >= 0.0 else -1.0
        tanh[q] = sign * (1.0 - u[q]) / one_more
        u[q] = one_more


@njit(cache=True, fastmath=_FUSED)
def log_cosh_block(
    z: Floats, u: Floats, tanh: Floats, scratch: Floats, naive: bool, sums: Floats
) -> None:
    """Add a block of items to ``sums``, and leave ``tanh(z)`` in `tanh`.

    The rows of `sums`: ``log(e^z + e^-z)``, ``tanh(z)``, and room for a product. With
    `naive`, an overflowing exponential leaves z, as released code does.
    """
    flat = scratch.ravel()[: z.size]
    _exponentials(z.ravel(), flat, flat.view(np.int64), u.ravel())
    _activations(z.ravel(), u.ravel(), tanh.ravel())
    items, many = z.shape
    value, total, product = sums[0], sums[1], sums[2]
    for k in range(many):
        product[k] = 1.0
    for i in range(items):
        for k in range(many):
            product[k] *= u[i, k]
        for k in range(many):
            value[k] += abs(z[i, k])
        for k in range(many):
            total[k] += tanh[i, k]
    if naive:
        for i in range(items):
            for k in range(many):
                if z[i, k] < -_LARGEST_EXPONENT:
                    value[k] += 2.0 * z[i, k]
    for k in range(many):
        value[k] += np.log(product[k])


@njit(cache=True, fastmath=_FUSED)
def offset_scores(offset: Floats, weights: Floats) -> Floats:
    """Compute what the offset adds to every item's score: ``c'W``."""
    start = np.zeros(weights.shape[1])
    for j in range(len(offset)):
        for k in range(len(start)):
            start[k] += offset[j] * weights[j, k]
    return start


@njit(cache=True, fastmath=_FUSED)
def sparse_log_cosh(
    indptr: NDArray,
    indices: NDArray,
    data: Floats,
    offset: Floats,
    weights: Floats,
    naive: bool,
) -> tuple[Floats, Floats]:
    """Sum ``log(e^z + e^-z)`` over items, and its gradient ``X' tanh(z)``.

    `weights` has a column per score vector: ``z = X @ weights``.
    """
    n = len(indptr) - 1
    d, many = weights.shape
    sums, gradient = np.zeros((3, many)), np.zeros((d, many))
    start = offset_scores(offset, weights)
    block = (_ITEMS, many)
    scores, u, tanh = np.empty(block), np.empty(block), np.empty(block)
    scratch = np.empty(block)
    for first in range(0, n, _ITEMS):
        last = min(n, first + _ITEMS)
        size = last - first
        for i in range(size):
            z = scores[i]
            for k in range(many):
                z[k] = start[k]
            for p in range(indptr[first + i], indptr[first + i + 1]):
                x, w = data[p], weights[indices[p]]
                for k in range(many):
                    z[k] += x * w[k]
        log_cosh_block(scores[:size], u[:size], tanh[:size], scratch, naive, sums)
        for i in range(size):
            t = tanh[i]
            for p in range(indptr[first + i], indptr[first + i + 1]):
                x, g = data[p], gradient[indices[p]]
                for k in range(many):
                    g[k] += x * t[k]
    for j in range(d):
        for k in range(many):
            gradient[j, k] += offset[j] * sums[1, k]
    return sums[0], gradient


@njit(cache=True, fastmath=_FUSED)
def sparse_log_cosh_one(
    indptr: NDArray,
    indices: NDArray,
    data: Floats,
    offset: Floats,
    weights: Floats,
    naive: bool,
) -> tuple[Floats, Floats]:
    """`sparse_log_cosh` for one score vector: the same sums, loops without lanes."""
    n, d = len(indptr) - 1, len(weights)
    sums, gradient = np.zeros((3, 1)), np.zeros((d, 1))
    start = offset_scores(offset, weights)[0]
    block = (_ITEMS, 1)
    scores, u, tanh = np.empty(block), np.empty(block), np.empty(block)
    scratch = np.empty(block)
    w, g = weights[:, 0].copy(), np.zeros(d)
    for first in range(0, n, _ITEMS):
        size = min(n - first, _ITEMS)
        for i in range(size):
            z = start
            for p in range(indptr[first + i], indptr[first + i + 1]):
                z += data[p] * w[indices[p]]
            scores[i, 0] = z
        log_cosh_block(scores[:size], u[:size], tanh[:size], scratch, naive, sums)
        for i in range(size):
            t = tanh[i, 0]
            for p in range(indptr[first + i], indptr[first + i + 1]):
                g[indices[p]] += data[p] * t
    for j in range(d):
        gradient[j, 0] = g[j] + offset[j] * sums[1, 0]
    return sums[0], gradient


@njit(cache=True, fastmath=_FUSED)
def log_cosh_terms(z: Floats) -> tuple[float, Floats, Floats]:
    """Sum ``log(e^z + e^-z)``; and ``tanh(z)`` and ``1 - tanh(z)**2`` of every item."""
    value, tanh, bends = 0.0, np.empty(len(z)), np.empty(len(z))
    u, scratch = np.empty(_ITEMS), np.empty(_ITEMS)
    for first in range(0, len(z), _ITEMS):
        last = min(len(z), first + _ITEMS)
        part, few = z[first:last], u[: last - first]
        room = scratch[: last - first]
        _exponentials(part, room, room.view(np.int64), few)
        product = 1.0
        for q in range(len(part)):
            product *= 1.0 + few[q]
            value += abs(part[q])
        value += np.log(product)
        for q in range(len(part)):
            bends[first + q] = 4.0 * few[q] / ((1.0 + few[q]) * (1.0 + few[q]))
        _activations(part, few, tanh[first:last])
    return value, tanh, bends


@njit(cache=True, fastmath=_FUSED)
def log_cosh_along(z: Floats, rise: Floats, size: float) -> tuple[float, float]:
    """Slope and bend of the sum of ``log(e^y + e^-y)``, ``y = z - size rise``."""
    slope, bend = 0.0, 0.0
    y, u, scratch = np.empty(_ITEMS), np.empty(_ITEMS), np.empty(_ITEMS)
    for first in range(0, len(z), _ITEMS):
        count = min(len(z) - first, _ITEMS)
        part, few, room = y[:count], u[:count], scratch[:count]
        for q in range(count):
            part[q] = z[first + q] - size * rise[first + q]
        _exponentials(part, room, room.view(np.int64), few)
        for q in range(count):
            steep = (1.0 - few[q]) / (1.0 + few[q])
            sign = 1.0 if part[q] >= 0.0 else -1.0
            slope -= rise[first + q] * sign * steep
            bend += rise[first + q] * rise[first + q] * (1.0 - steep * steep)
    return slope, bend


@njit(cache=True)
def sparse_gram(
    indptr: NDArray, indices: NDArray, data: Floats, item_weights: Floats, d: int
) -> tuple[Floats, Floats]:
    """Weighted ``S' diag(w) S`` (upper triangle) and ``S' w`` of the sparse part."""
    gram, sums = np.zeros((d, d)), np.zeros(d)
    for i in range(len(indptr) - 1):
        weight = item_weights[i]
        for p in range(indptr[i], indptr[i + 1]):
            a = indices[p]
            x = weight * data[p]
            sums[a] += x
            row = gram[a]
            for q in range(p, indptr[i + 1]):
                row[indices[q]] += x * data[q]
    return gram, sums


@njit(cache=True)
def sparse_bag_sums(
    indptr: NDArray, indices: NDArray, data: Floats, bags: NDArray, out: Floats
) -> None:
    """Add every item's entries to the row of its bag."""
    for i in range(len(indptr) - 1):
        row = out[bags[i]]
        for p in range(indptr[i], indptr[i + 1]):
            row[indices[p]] += data[p]


@njit(cache=True)
def two_class_evidence(
    scores: Floats, first: Floats, second: Floats
) -> tuple[float, Floats]:
    """Sum ``-log(T0 (1 - h) + T1 h)`` with ``h = sigmoid(score)``; and its slopes."""
    total, slopes = 0.0, np.empty(len(scores))
    for i in range(len(scores)):
        small = np.exp(-abs(scores[i]))
        likely, unlikely = 1.0 / (1.0 + small), small / (1.0 + small)
        h, rest = (likely, unlikely) if scores[i] >= 0.0 else (unlikely, likely)
        evidence = max(first[i] * rest + second[i] * h, 1e-300)
        total -= np.log(evidence)
        slopes[i] = (first[i] - second[i]) * h * rest / evidence
    return total, slopes
