"""Many fits on the same items, one pass over the items for all of them.

A fit is a coroutine that yields score vectors and receives their loss. Run side by
side, all fits that wait are served together. This is what makes a grid of forty
configurations cost like three.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.bags.solvers._design import Design

Floats = NDArray[np.float64]
Routine = Generator[Floats, tuple[float, Floats], Any]

# Wider blocks of score vectors no longer fit beside the scores in the cache.
_TOGETHER = 40
_LARGEST_EXPONENT = 709.782712893384


def run_together(items: Design, routines: Sequence[Routine]) -> list[Any]:
    """Drive coroutines that ask for the loss of `log_cosh` and its gradient.

    Parameters
    ----------
    items : Design
    routines : sequence of generators
        Each yields a score vector ``w`` and is sent the value and gradient at it.

    Returns
    -------
    list
        What each coroutine returned, in the order given.
    """
    results: list[Any] = [None] * len(routines)
    waiting: dict[int, Floats] = {}

    def resume(k: int, answer: tuple[float, Floats] | None) -> None:
        try:
            waiting[k] = (
                next(routines[k]) if answer is None else routines[k].send(answer)
            )
        except StopIteration as end:
            results[k] = end.value

    for k in range(len(routines)):
        resume(k, None)
    while waiting:
        asked = list(waiting.items())[:_TOGETHER]
        points = np.stack([point for _, point in asked], axis=1)
        values, gradients = log_cosh(items, points)
        by_fit = np.ascontiguousarray(gradients.T)
        for (k, _), value, gradient in zip(asked, values, by_fit, strict=True):
            del waiting[k]
            resume(k, (float(value), gradient))
    return results


def log_cosh(items: Design, weights: Floats) -> tuple[Floats, Floats]:
    """Sum over items of ``log(e^z + e^-z)`` with ``z = X @ weights``, by column.

    Where ``exp(-z)`` overflows z stands in place of |z|, as in released code. The
    gradients are ``X.T @ tanh(z)``.
    """
    z = items.scores(weights)
    losses = np.logaddexp(z, -z) + 2.0 * np.where(z < -_LARGEST_EXPONENT, z, 0.0)
    return losses.sum(axis=0), items.weighted_sum(np.tanh(z))
