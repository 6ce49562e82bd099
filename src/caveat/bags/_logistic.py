"""Logistic regression on whole or shared labels, for two or more classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from caveat.bags._design import Design
from caveat.bags._lbfgs import drive, lbfgs
from caveat.bags._newton import newton

Floats = NDArray[np.float64]

# What scikit-learn's solver does: the loss is a mean, its gradient is small enough at
# 1e-4, and 100 iterations are the most.
_PUBLISHED = {
    "max_iter": 100,
    "gradient_tolerance": 1e-4,
    "relative_reduction": 64 * float(np.finfo(np.float64).eps),
    "max_evaluations": 50,
}


def fit_logistic(
    items: Design, labels: Floats, C: float, start: Floats | None, solver: str
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
    solver : {"newton", "lbfgs"}
        Exact, or as published.

    Returns
    -------
    ndarray of shape (1 or n_classes, n_features + 1)
    """
    d, n_classes = items.shape[1], labels.shape[1]
    rows = 1 if n_classes == 2 else n_classes
    if solver == "lbfgs":
        begin = np.zeros((rows, d))
        return _descend(items, labels, C, begin, dict(_PUBLISHED))
    begin = np.zeros((rows, d)) if start is None else start
    if rows > 1:
        precise = {
            "max_iter": 2000,
            "gradient_tolerance": 1e-9,
            "relative_reduction": 1e-16,
        }
        return _descend(items, labels, C, begin, precise)
    # log(1 + e^-yz) = log(e^h + e^-h) - y h with h = z / 2, so w = 2 v.
    ridge = np.full(d, 4.0 / C)
    ridge[-1] = 0.0
    linear = items.weighted_sum(2.0 * labels[:, 1] - 1.0)
    return 2.0 * newton(items, linear, ridge, 0.5 * begin[0]).x[None, :]


def _descend(
    items: Design, labels: Floats, C: float, start: Floats, options: dict[str, float]
) -> Floats:
    """L-BFGS on the mean loss."""
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

    end = drive(lbfgs(start.ravel(), **options), objective)  # type: ignore[arg-type]
    return end.x.reshape(start.shape)
