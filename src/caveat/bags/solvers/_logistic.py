"""Logistic regression on whole or shared labels, for two or more classes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

from caveat.bags.solvers._design import Design
from caveat.bags.solvers._newton import newton

Floats = NDArray[np.float64]

_PRECISE = {"maxiter": 2000, "gtol": 1e-9, "ftol": 1e-16}


def fit_logistic(
    items: Design, labels: Floats, C: float, start: Floats | None
) -> Floats:
    """Minimise ``1/2 |W|^2 + C sum_i cross-entropy``, the last feature unpenalised.

    Parameters
    ----------
    items : Design
        With a constant as the last feature.
    labels : ndarray of shape (n_items, n_classes)
        Rows sum to 1.
    C : float
    start : ndarray or None
        An earlier solution.

    Returns
    -------
    ndarray of shape (1 or n_classes, n_features + 1)
    """
    d, n_classes = items.shape[1], labels.shape[1]
    rows = 1 if n_classes == 2 else n_classes
    begin = np.zeros((rows, d)) if start is None else start
    if rows > 1:
        return descend(items, labels, C, begin, _PRECISE)
    # log(1 + e^-yz) = log(e^h + e^-h) - y h with h = z / 2, so w = 2 v.
    ridge = np.full(d, 4.0 / C)
    ridge[-1] = 0.0
    linear = items.weighted_sum(2.0 * labels[:, 1] - 1.0)
    return 2.0 * newton(items, linear, ridge, 0.5 * begin[0]).x[None, :]


def descend(
    items: Design,
    labels: Floats,
    C: float,
    start: Floats,
    options: Mapping[str, float],
) -> Floats:
    """L-BFGS on the mean loss, with options of scipy."""
    n = items.shape[0]
    sums = items.weighted_sum(labels[:, -len(start) :]).T

    def objective(point: Floats) -> tuple[float, Floats]:
        vectors = point.reshape(start.shape)
        scores = items.scores(vectors.T)
        if len(vectors) == 1:
            scores = np.column_stack([np.zeros(n), scores])
        log_h = log_softmax(scores, axis=1)
        penalised = vectors.copy()
        penalised[:, -1] = 0.0
        loss = -float(np.einsum("ij,ij->", labels, log_h))
        value = loss + 0.5 / C * float(np.einsum("ij,ij->", penalised, penalised))
        predicted = items.weighted_sum(np.exp(log_h[:, -len(vectors) :])).T
        gradient = predicted - sums + penalised / C
        return value / n, gradient.ravel() / n

    end = minimize(
        objective, start.ravel(), jac=True, method="L-BFGS-B", options=dict(options)
    )
    return end.x.reshape(start.shape)
