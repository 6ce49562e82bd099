"""Exact minima of the mean-map family's loss, from strong penalties to weak ones.

A mean operator that no labels can have makes the loss fall without end: the minimisers
grow like 1/lam, and next to their size the bends of the loss become kinks, which
Newton's method passes one by one. A tenth of the penalty and ten times the minimiser
on the way keeps its steps whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from caveat.bags.solvers._design import Design
from caveat.bags.solvers._newton import Minimum, newton, value_at

Floats = NDArray[np.float64]

_STRIDE = 10.0
# How well F is minimised at the stops on the way.
_PASSING = 1e-3


def minima_along(
    items: Design,
    linear: Floats,
    penalties: Sequence[float],
    *,
    max_iter: int,
    near: Sequence[Floats] = (),
) -> list[Minimum]:
    """Minimise F for every penalty.

    Parameters
    ----------
    items : Design of shape (n, d)
    linear : ndarray of shape (d,)
        The vector l of F (see `caveat.bags.solvers._newton`).
    penalties : sequence of float
        All positive, the largest first.
    max_iter : int
        Most iterations for each.
    near : sequence of ndarray
        Minimisers of a similar F for the same penalties, if there are any: each is the
        start where it lies lower than the way does.

    Returns
    -------
    list of Minimum
        One per penalty.
    """
    found: list[Minimum] = []
    w, last = np.zeros(items.shape[1]), penalties[0]
    for number, lam in enumerate(penalties):
        ridge = np.full(len(w), lam)
        if found and _falls_endlessly(found[-1], last):
            w = _approach(items, linear, w, last, lam, max_iter)
        elif near and _lower(items, linear, ridge, near[number], w):
            w = near[number]
        found.append(newton(items, linear, ridge, w, max_iter=max_iter))
        w, last = found[-1].x, lam
    return found


def _lower(
    items: Design, linear: Floats, ridge: Floats, one: Floats, other: Floats
) -> bool:
    """Whether F is lower at one point than at another."""
    values = [
        value_at(items, linear, ridge, point, items.scores(point))[0]
        for point in (one, other)
    ]
    return values[0] < values[1]


def _falls_endlessly(end: Minimum, lam: float) -> bool:
    return end.value - 0.5 * lam * float(end.x @ end.x) < 0.0


def _approach(
    items: Design, linear: Floats, w: Floats, last: float, lam: float, max_iter: int
) -> Floats:
    """Come from the minimiser for one penalty close to that for a smaller one."""
    n_strides = max(1, int(np.ceil(np.log(last / lam) / np.log(_STRIDE))))
    stride = (last / lam) ** (1.0 / n_strides)
    for k in range(1, n_strides):
        ridge = np.full(len(w), last / stride**k)
        w = newton(
            items, linear, ridge, stride * w, max_iter=max_iter, precision=_PASSING
        ).x
    return stride * w
