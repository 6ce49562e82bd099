"""Newton's method for the one smooth loss that the linear learners share.

``F(w) = sum_i log(e^(w.x_i) + e^(-w.x_i)) - l.w + 1/2 sum_j r_j w_j^2``

With ``l = sum_i y_i x_i`` and labels -1, +1 this is logistic regression on 2w; a mean
operator in place of true labels makes it the mean map.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize

from caveat.proportions._design import Design
from caveat.proportions._lbfgs import Minimum

Floats = NDArray[np.float64]

# Beyond this a Hessian costs more than the conjugate gradients that avoid it.
_MOST_FEATURES = 1500
_PRECISION = 1e-12


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
    w, size = start, 1.0
    value, gradient, curvature = _evaluate(items, linear, ridge, w)
    for n_iter in range(max_iter):
        hessian = items.gram(curvature)
        hessian[np.diag_indices_from(hessian)] += ridge
        step = _solve(hessian, gradient)
        decrement = float(gradient @ step)
        scale = max(1.0, abs(value))
        # A step that had to be cut short is rarely followed by a whole one.
        size = min(1.0, 4.0 * size)
        while True:
            there = w - size * step
            found = _evaluate(items, linear, ridge, there)
            # Close to the minimum F no longer has the digits to show a descent.
            if found[0] <= value - 1e-4 * size * decrement + 1e-3 * _PRECISION * scale:
                break
            size *= 0.5
            if size < 1e-12:
                return Minimum(w, value, gradient, n_iter, False)
        w, (value, gradient, curvature) = there, found
        if decrement <= precision * scale:
            return Minimum(w, value, gradient, n_iter + 1, True)
    return Minimum(w, value, gradient, max_iter, False)


def _evaluate(
    items: Design, linear: Floats, ridge: Floats, w: Floats
) -> tuple[float, Floats, Floats]:
    value, gradient, curvature = items.curvature(w)
    penalty = ridge * w
    total = value - float(linear @ w) + 0.5 * float(penalty @ w)
    return total, gradient - linear + penalty, curvature


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
            last[key] = _evaluate(items, linear, ridge, w)
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
