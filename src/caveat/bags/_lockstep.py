"""Many fits on the same items, one pass over the items for all of them.

A fit is a coroutine that yields score vectors and receives their loss. Run side by
side, all fits that wait are served together; each takes the path that it would take
alone. This is what makes a grid of forty configurations cost like three.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.bags._design import Design

Floats = NDArray[np.float64]
Routine = Generator[Floats, tuple[float, Floats], Any]

# Wider blocks of score vectors no longer fit beside the scores in the cache.
_TOGETHER = 40


def run_together(
    items: Design, routines: Sequence[Routine], *, naive: bool = False
) -> list[Any]:
    """Drive coroutines that ask for the sum of ``log(e^z + e^-z)`` and its gradient.

    Parameters
    ----------
    items : Design
    routines : sequence of generators
        Each yields a score vector ``w`` and is sent the value and gradient at it.
    naive : bool, default=False
        See `Design.log_cosh`.

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
        values, gradients = items.log_cosh(points, naive=naive)
        by_fit = np.ascontiguousarray(gradients.T)
        for (k, _), value, gradient in zip(asked, values, by_fit, strict=True):
            del waiting[k]
            resume(k, (float(value), gradient))
    return results
