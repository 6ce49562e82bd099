"""Passes of a perceptron over one batch, compiled, in memory that is kept.

What virtual adversarial training asks for costs less than it looks. Let ``a = W x + b``
enter the first hidden layer, and let s be the derivative of the probe's divergence by
it. The worst direction is ``g / |g|`` with ``g = W' s``, and all that the network sees
of it is ``W g = (W W') s``; its length is ``sqrt(s' (W W') s)``. So a direction never
has to leave the hidden layer, which is narrower than the items: see `worst`. The clean
pass serves the bag loss, the divergence and the start of both moved passes.

Products of matrices are left to BLAS; what surrounds them is one loop each, so that an
activation is touched once and not once for its bias, its ReLU and its mask.

Weights and biases are tuples with an array per layer, hidden a tuple with an array of
shape (items, width) per hidden layer. Weights are of shape (out, in) as in torch, but
those of the first layer lie on their side: a row per feature, as sparse items need it.
All numbers are single.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

_TINY = np.float32(1e-8)
# Sums may be taken in any order; infinities and NaN stay what they are.
compiled = njit(
    cache=True,
    error_model="numpy",
    fastmath={"reassoc", "contract", "arcp", "nsz"},
)


@compiled
def answer(
    weights: Any, biases: Any, entered: NDArray, hidden: Any, z: NDArray
) -> None:
    """Apply the network to items of which ``W x`` is known; the bias is added to it."""
    bias, first = biases[0], hidden[0]
    for i in range(entered.shape[0]):
        for j in range(entered.shape[1]):
            value = entered[i, j] + bias[j]
            entered[i, j] = value
            first[i, j] = 0 if value < 0 else value
    onwards(weights, biases, hidden, z)


@compiled
def answer_moved(
    weights: Any,
    biases: Any,
    entered: NDArray,
    reach: NDArray,
    distance: float,
    hidden: Any,
    z: NDArray,
) -> None:
    """Apply the network to items moved so far, along directions it sees as `reach`."""
    first, far = hidden[0], np.float32(distance)
    for i in range(entered.shape[0]):
        for j in range(entered.shape[1]):
            value = entered[i, j] + far * reach[i, j]
            first[i, j] = 0 if value < 0 else value
    onwards(weights, biases, hidden, z)


@compiled
def onwards(weights: Any, biases: Any, hidden: Any, z: NDArray) -> None:
    """Go on from the first hidden layer to the answers."""
    for number in range(1, len(hidden)):
        out, bias = hidden[number], biases[number]
        np.dot(hidden[number - 1], weights[number].T, out)
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                value = out[i, j] + bias[j]
                out[i, j] = 0 if value < 0 else value
    last, weight, bias = hidden[-1], weights[-1], biases[-1]
    for i in range(z.shape[0]):
        for c in range(z.shape[1]):
            total = np.float32(0)
            for j in range(last.shape[1]):
                total += last[i, j] * weight[c, j]
            z[i, c] = total + bias[c]


@compiled
def back(slope: NDArray, weights: Any, hidden: Any, slopes: Any) -> None:
    """Go back from the answers: the derivative by what enters each hidden layer."""
    out, h, weight = slopes[-1], hidden[-1], weights[-1]
    for i in range(out.shape[0]):
        out[i] = 0
        for c in range(slope.shape[1]):
            steep = slope[i, c]
            for j in range(out.shape[1]):
                out[i, j] += steep * weight[c, j]
        for j in range(out.shape[1]):
            out[i, j] = out[i, j] if h[i, j] > 0 else 0
    for number in range(len(hidden) - 2, -1, -1):
        out, h = slopes[number], hidden[number]
        np.dot(slopes[number + 1], weights[number + 1], out)
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = out[i, j] if h[i, j] > 0 else 0


@compiled
def worst(
    directions: NDArray,
    h: NDArray,
    weights: Any,
    biases: Any,
    entered: NDArray,
    xi: float,
    n_power: int,
    narrow: bool,
    hidden: Any,
    slopes: Any,
    gram: NDArray,
    z: NDArray,
    source: NDArray,
    reach: NDArray,
) -> None:
    """Find the worst directions, as the first hidden layer sees them.

    Parameters
    ----------
    directions : array of shape (items, features)
        Where to begin, of length one.
    h : array of shape (items, classes)
        Probabilities that the network gives the items.
    narrow : bool
        Whether to stay in the hidden layer.
    hidden, slopes, gram, z : memory
    source : array
        Result: directions d, or if narrow what they are made of, ``d = source W``.
    reach : array of shape (items, width)
        Result: ``d W'``.
    """
    n, weight, slope = len(h), weights[0], slopes[0]
    part = np.float32(1 / n)
    np.dot(directions, weight, reach)
    if narrow:
        np.dot(weight.T, weight, gram)
    for _ in range(n_power):
        answer_moved(weights, biases, entered, reach, xi, hidden, z)
        for i in range(n):
            softmax_row(z, i, z)
            for c in range(z.shape[1]):
                z[i, c] = part * (z[i, c] - h[i, c])
        back(z, weights, hidden, slopes)
        if narrow:
            np.dot(slope, gram, reach)
            for i in range(n):
                scale = inverse_length(slope, reach, i)
                for j in range(slope.shape[1]):
                    source[i, j] = slope[i, j] * scale
                    reach[i, j] *= scale
        else:
            np.dot(slope, weight.T, source)
            for i in range(n):
                scale = inverse_length(source, source, i)
                for j in range(source.shape[1]):
                    source[i, j] *= scale
            np.dot(source, weight, reach)


@compiled
def inverse_length(one: NDArray, other: NDArray, i: int) -> float:
    """One over the root of the product of two rows."""
    square = np.float32(0)
    for j in range(one.shape[1]):
        square += one[i, j] * other[i, j]
    return np.float32(1) / (np.sqrt(max(square, np.float32(0))) + _TINY)


@compiled
def learn(
    n: int, slope: NDArray, weights: Any, hidden: Any, slopes: Any, grads: Any
) -> None:
    """Leave the derivatives by weights and biases in `grads`, a pair of tuples.

    Those of the first weights are left to the items: they are the product of the items
    with the first n rows of ``slopes[0]``.

    `slope` is the derivative of the loss by the answers. It may have twice as many rows
    as there are items: the second half is then about moved items, and what x has to do
    with the first layer is the same for both, so they are added up.
    """
    back(slope, weights, hidden, slopes)
    by_weight, by_bias = grads
    out, bias, last = by_weight[-1], by_bias[-1], hidden[-1]
    out[:] = 0
    sum_rows(slope, bias)
    for i in range(slope.shape[0]):
        for c in range(slope.shape[1]):
            steep = slope[i, c]
            for j in range(out.shape[1]):
                out[c, j] += steep * last[i, j]
    for number in range(len(hidden) - 1, 0, -1):
        np.dot(slopes[number].T, hidden[number - 1], by_weight[number])
        sum_rows(slopes[number], by_bias[number])
    entering = slopes[0]
    for i in range(entering.shape[0] - n):
        for j in range(entering.shape[1]):
            entering[i, j] += entering[n + i, j]
    sum_rows(entering[:n], by_bias[0])


@compiled
def learn_moves(
    slope: NDArray,
    source: NDArray,
    eps: float,
    narrow: bool,
    weight: NDArray,
    grad: NDArray,
    mixed: NDArray,
    product: NDArray,
) -> None:
    """Add what the moves ``eps d`` have to do with the first layer's weights."""
    if narrow:
        np.dot(source.T, slope, mixed)
        np.dot(weight, mixed, product)
    else:
        np.dot(source.T, slope, product)
    far = np.float32(eps)
    for i in range(grad.shape[0]):
        for j in range(grad.shape[1]):
            grad[i, j] += far * product[i, j]


@compiled
def sum_rows(table: NDArray, out: NDArray) -> None:
    """Sum over the rows."""
    out[:] = 0
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            out[j] += table[i, j]


@compiled
def softmax_row(z: NDArray, i: int, h: NDArray) -> float:
    """Write a row's probabilities; return ``log sum_c exp z_c``."""
    top, total = z[i, 0], np.float32(0)
    for c in range(1, z.shape[1]):
        top = max(top, z[i, c])
    for c in range(z.shape[1]):
        h[i, c] = np.exp(z[i, c] - top)
        total += h[i, c]
    for c in range(z.shape[1]):
        h[i, c] /= total
    return top + np.log(total)


@compiled
def log_softmax(z: NDArray, log_h: NDArray, h: NDArray) -> None:
    """Write logarithms of probabilities, and probabilities."""
    for i in range(z.shape[0]):
        norm = softmax_row(z, i, h)
        for c in range(z.shape[1]):
            log_h[i, c] = z[i, c] - norm


@compiled
def divergence(
    z: NDArray, log_h: NDArray, h: NDArray, weight: float, slope: NDArray
) -> float:
    """``mean_i KL(h_i || softmax(z_i))``; its derivative by z, times the weight."""
    n, total = len(z), 0.0
    part = np.float32(weight / n)
    for i in range(n):
        norm = softmax_row(z, i, slope)
        for c in range(z.shape[1]):
            total += h[i, c] * (log_h[i, c] - (z[i, c] - norm))
            slope[i, c] = part * (slope[i, c] - h[i, c])
    return total / n


@compiled
def share_loss(
    log_h: NDArray,
    h: NDArray,
    place: NDArray,
    shares: NDArray,
    floor: float,
    slope: NDArray,
) -> float:
    """Mean over bags of ``- sum_c p_c log mean_i h_c(x_i)``; its derivative by z.

    `place` is the row of `shares` for every item, and every row has items. Logarithms
    below the floor count as the floor.
    """
    n_bags, n_classes = shares.shape
    top = np.full((n_bags, n_classes), -np.inf)
    sums, counts = np.zeros((n_bags, n_classes)), np.zeros(n_bags)
    for i in range(len(place)):
        counts[place[i]] += 1
        for c in range(n_classes):
            top[place[i], c] = max(top[place[i], c], log_h[i, c])
    for i in range(len(place)):
        for c in range(n_classes):
            slope[i, c] = math.exp(log_h[i, c] - top[place[i], c])
            sums[place[i], c] += slope[i, c]
    total, pull = 0.0, np.zeros((n_bags, n_classes))
    for b in range(n_bags):
        for c in range(n_classes):
            log_mean = math.log(sums[b, c]) + top[b, c] - math.log(counts[b])
            if log_mean < floor:
                total -= shares[b, c] * floor / n_bags
            else:
                total -= shares[b, c] * log_mean / n_bags
                pull[b, c] = shares[b, c] / n_bags / sums[b, c]
    for i in range(len(place)):
        b, whole = place[i], 0.0
        for c in range(n_classes):
            # An item's part in the logarithm of its bag's mean.
            part = pull[b, c] * slope[i, c]
            slope[i, c] = -part
            whole += part
        for c in range(n_classes):
            slope[i, c] += whole * h[i, c]
    return total


@compiled
def item_loss(
    log_h: NDArray, h: NDArray, place: NDArray, coefficients: NDArray, slope: NDArray
) -> float:
    """Mean over items of ``- sum_c w_c log h_c(x)``; its derivative by z."""
    n, total = len(place), 0.0
    for i in range(n):
        whole = np.float32(0)
        for c in range(h.shape[1]):
            weight = coefficients[place[i], c]
            total -= weight * log_h[i, c]
            whole += weight
            slope[i, c] = -weight
        for c in range(h.shape[1]):
            slope[i, c] = (slope[i, c] + whole * h[i, c]) / n
    return total / n


@compiled
def adam_step(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    square: NDArray,
    rate: float,
    step: int,
) -> None:
    """One update of Kingma and Ba (2015), Algorithm 1, of numbers laid end to end."""
    size = np.float32(rate / (1.0 - 0.9**step))
    root = np.float32(math.sqrt(1.0 - 0.999**step))
    a, b, eps = np.float32(0.1), np.float32(0.001), np.float32(1e-8)
    for k in range(len(weight)):
        slope = grad[k]
        first = mean[k] + a * (slope - mean[k])
        second = square[k] + b * (slope * slope - square[k])
        mean[k], square[k] = first, second
        weight[k] -= size * first / (np.sqrt(second) / root + eps)
