"""Compiled loops over scores, and over the items of a sparse matrix.

A matrix here is a sparse part plus one offset per column, ``X = S + 1 c'``: scaling
one-hot columns to [-1, 1] makes them dense only in this harmless way.
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


@njit(cache=True, fastmath=_FUSED)
def _exponentials(z: Floats, scratch: Floats, bits: NDArray, out: Floats) -> None:
    """Fill ``out = exp(-2 |z|)`` by argument reduction and a polynomial.

    The relative error is below 3e-16. Adding 1.5 * 2**52 rounds to a whole number
    and leaves it in the low bits, which then become the exponent.
    """
    # e^x = 2^k e^r with k = round(x / ln 2) and |r| <= ln 2 / 2. The loops are apart,
    # so that each of them becomes vector instructions.
    magic = 6755399441055744.0
    for q in range(len(z)):
        # Beyond 350, e^-2|z| is 0 beside 1 in any case, and k stays a valid exponent.
        x = -2.0 * min(abs(z[q]), 350.0)
        scratch[q] = x * 1.4426950408889634 + magic
    for q in range(len(z)):
        x = -2.0 * min(abs(z[q]), 350.0)
        k = scratch[q] - magic
        # ln 2 in two parts, the first short enough for k times it to be exact.
        r = x - k * 6.93145751953125e-1 - k * 1.42860682030941723212e-6
        # The series of e^r by Horner: 1/13!, 1/12!, ..., 1/2!, 1, 1.
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
    # `bits` is `scratch` seen as integers: k goes where the exponent stands, and 1023
    # is added to it (the constant is that of 1.0), which makes the float 2^k.
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
def log_cosh_terms(z: Floats) -> tuple[float, Floats, Floats]:
    """Sum ``log(e^z + e^-z)``; and ``tanh(z)`` and ``1 - tanh(z)**2`` of every item."""
    value, tanh, bends = 0.0, np.empty(len(z)), np.empty(len(z))
    u, scratch = np.empty(_ITEMS), np.empty(_ITEMS)
    for first in range(0, len(z), _ITEMS):
        last = min(len(z), first + _ITEMS)
        part, few = z[first:last], u[: last - first]
        room = scratch[: last - first]
        _exponentials(part, room, room.view(np.int64), few)
        # log(e^z + e^-z) = |z| + log(1 + e^-2|z|); one logarithm for a whole block.
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
    """Slope and bend of the sum of ``log(e^y + e^-y)``, ``y = z - size rise``.

    By `size`: the slope is the sum of ``-rise tanh(y)``, the bend that of
    ``rise² (1 - tanh(y)²)``.
    """
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
