"""Newton's method for the one smooth loss that the linear learners share.

``F(w) = sum_i log(e^(w.x_i) + e^(-w.x_i)) - l.w + 1/2 sum_j r_j w_j^2``

With ``l = sum_i y_i x_i`` and labels -1, +1 this is logistic regression on 2w; a mean
operator in place of true labels makes it the mean map.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize

from caveat.bags.solvers._design import Design
from caveat.bags.solvers._kernels import log_cosh_along, log_cosh_terms

Floats = NDArray[np.float64]

# Beyond this a Hessian costs more than the conjugate gradients that avoid it.
_MOST_FEATURES = 1500
_PRECISION = 1e-12
# Looks along one ray; each halves the range at least.
_LOOKS = 40


@dataclass(frozen=True)
class Minimum:
    """Where a minimisation ended, and why.

    Attributes
    ----------
    x : ndarray
        The last accepted point.
    value : float
        The function there.
    gradient : ndarray
        Its gradient there.
    n_iter : int
        Accepted steps.
    converged : bool
        False when the iterations ran out or the line search found nothing.
    """

    x: Floats
    value: float
    gradient: Floats
    n_iter: int
    converged: bool


def newton(
    items: Design,
    linear: Floats,
    ridge: Floats,
    start: Floats,
    *,
    max_iter: int = 100,
    precision: float = _PRECISION,
) -> Minimum:
    """Minimise F exactly, to the last digits that F itself has.

    Parameters
    ----------
    items : Design of shape (n, d)
    linear, ridge : ndarray of shape (d,)
        The vectors l and r of the formula. F has a minimum for every l when all r
        are positive.
    start : ndarray of shape (d,)
    max_iter : int, default=100
    precision : float, default=1e-12
        Stop where F can fall by no more than this share of it.

    Returns
    -------
    Minimum
    """
    if items.shape[1] > _MOST_FEATURES:
        return _hessian_free(items, linear, ridge, start, max_iter)
    w, z = start, items.scores(start)
    for n_iter in range(1, max_iter + 1):
        value, gradient, bends = value_at(items, linear, ridge, w, z)
        hessian = items.gram(bends)
        hessian[np.diag_indices_from(hessian)] += ridge
        step = _solve(hessian, gradient)
        decrement = float(gradient @ step)
        scale = max(1.0, abs(value))
        if decrement <= precision * scale:
            there = w - step
            last = value_at(items, linear, ridge, there, items.scores(there))
            # Close to the minimum F may no longer have the digits to show a descent.
            if last[0] <= value + 1e-3 * _PRECISION * scale:
                w, (value, gradient, _) = there, last
            return Minimum(w, value, gradient, n_iter, True)
        rise = items.scores(step)
        rest = float((ridge * w - linear) @ step), float((ridge * step) @ step)
        size = _lowest(z, rise, rest, decrement)
        w, z = w - size * step, z - size * rise
    value, gradient, _ = value_at(items, linear, ridge, w, items.scores(w))
    return Minimum(w, value, gradient, max_iter, False)


def _lowest(
    z: Floats, rise: Floats, rest: tuple[float, float], decrement: float
) -> float:
    """Find about the lowest point of F on the ray ``w - size step``.

    Scores change along it by multiples of `rise`, so the items are not asked again;
    `rest` is what line and penalty add to slope and bend. Where labels are almost
    separable, a Newton step is ten times too long or too short: here it costs little
    to see.
    """
    low, high, size = 0.0, np.inf, 1.0
    for _ in range(_LOOKS):
        slope, bend = log_cosh_along(z, rise, size)
        slope, bend = slope - rest[0] + size * rest[1], bend + rest[1]
        if abs(slope) <= 0.5 * decrement:
            return size
        if slope < 0.0:
            low = size
        else:
            high = size
        wanted = size - slope / bend if bend > 0.0 else np.inf
        if not low < wanted < min(high, 10.0 * size):
            wanted = 0.5 * (low + high) if np.isfinite(high) else 4.0 * size
        size = wanted
    return low or size


def value_at(
    items: Design, linear: Floats, ridge: Floats, w: Floats, z: Floats
) -> tuple[float, Floats, Floats]:
    """F and its gradient at w, whose scores are z, and every item's curvature."""
    value, tanh, bends = log_cosh_terms(z)
    penalty = ridge * w
    total = value - float(linear @ w) + 0.5 * float(penalty @ w)
    return total, items.weighted_sum(tanh) - linear + penalty, bends


def _solve(hessian: Floats, gradient: Floats) -> Floats:
    """Newton step; a hint of ridge where a direction is numerically flat."""
    lift = 0.0
    for _ in range(8):
        try:
            factor = cho_factor(
                hessian + lift * np.eye(len(hessian)), check_finite=False
            )
            return cho_solve(factor, gradient, check_finite=False)
        except LinAlgError:
            top = float(np.abs(np.diag(hessian)).max())
            lift = max(10.0 * lift, 1e-14 * max(top, 1e-300))
    return gradient


def _hessian_free(
    items: Design, linear: Floats, ridge: Floats, start: Floats, max_iter: int
) -> Minimum:
    """Trust-region Newton with conjugate gradients: products, never the Hessian."""
    last: dict[bytes, tuple[float, Floats, Floats]] = {}

    def at(w: Floats) -> tuple[float, Floats, Floats]:
        key = w.tobytes()
        if key not in last:
            last.clear()
            last[key] = value_at(items, linear, ridge, w, items.scores(w))
        return last[key]

    def product(w: Floats, v: Floats) -> Floats:
        return items.weighted_sum(at(w)[2] * items.scores(v)) + ridge * v

    scale = float(np.abs(linear).max(initial=1.0))
    found = minimize(
        lambda w: at(w)[0],
        start,
        jac=lambda w: at(w)[1],
        hessp=product,
        method="trust-ncg",
        options={
            "gtol": 1e-9 * scale,
            "maxiter": 20 * max_iter,
            "initial_trust_radius": 1.0,
            "max_trust_radius": 1e6,
        },
    )
    return Minimum(found.x, float(found.fun), found.jac, int(found.nit), found.success)
