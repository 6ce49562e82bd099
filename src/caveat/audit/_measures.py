"""How answers are judged, with weights where there are any."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.ranking import pair_counts

_SMALLEST = 1e-15


def mean_auc(
    codes: NDArray[np.intp],
    scores: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
    levels: NDArray[np.intp] | None = None,
) -> float:
    """AUC; of several classes the mean of each against the rest.

    Parameters
    ----------
    codes : array of int
        True classes 0, 1, ...
    scores : array of shape (n,) or (n, classes)
        Larger means more of class 1, or of each class.
    weights : array, optional
    levels : array of int, optional
        Compare only rows of one level, -1 for none: what is left once the level is
        known.

    Returns
    -------
    float : NaN without a pair to compare.

    Warnings
    --------
    A class without a row is left out of the mean.

    Examples
    --------
    Within each of two levels the scores say nothing; between them, everything.

    >>> codes, scores = np.array([0, 0, 0, 1, 0, 1, 1, 1]), np.repeat([0.1, 0.9], 4)
    >>> levels = np.repeat([0, 1], 4)
    >>> mean_auc(codes, scores), mean_auc(codes, scores, levels=levels)
    (0.75, 0.5)
    """
    matrix = scores[:, None] if scores.ndim == 1 else scores
    wanted = [1] if matrix.shape[1] == 1 else range(matrix.shape[1])
    columns = [0] if matrix.shape[1] == 1 else wanted
    if matrix.shape[1] == 2:
        wanted, columns = [1], [1]
    found = []
    for label, column in zip(wanted, columns, strict=True):
        above = tied = total = 0.0
        parts = [np.arange(len(codes))]
        if levels is not None:
            parts = [np.flatnonzero(levels == one) for one in np.unique(levels)[:64]]
            parts = [part for part in parts if len(part) and levels[part[0]] >= 0]
        for part in parts:
            counts = pair_counts(
                codes[part] == label,
                matrix[part, column],
                weights=None if weights is None else weights[part],
            )
            above, tied = above + counts.above, tied + counts.tied
            total += counts.total
        if total:
            found.append((2 * above + tied) / (2 * total))
    return float(np.mean(found)) if found else float("nan")


def class_measures(
    codes: NDArray[np.intp],
    proba: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
) -> dict[str, float | None]:
    """AUC, accuracy and log-loss of probabilities, shape (n, classes)."""
    hit = proba.argmax(axis=1) == codes
    true = np.clip(proba[np.arange(len(codes)), codes], _SMALLEST, 1.0)
    return {
        "auc": _known(mean_auc(codes, proba, weights)),
        "accuracy": _known(_mean(hit, weights)),
        "log-loss": _known(_mean(-np.log(true), weights)),
    }


def number_measures(
    truth: NDArray[np.float64],
    answers: NDArray[np.float64],
    upper: NDArray[np.intp],
    weights: NDArray[np.float64] | None,
) -> dict[str, float | None]:
    """RMSE, MAE, R², and the AUC for the upper half of the numbers."""
    errors = truth - answers
    spread = _mean((truth - _mean(truth, weights)) ** 2, weights)
    square = _mean(errors**2, weights)
    return {
        "rmse": math.sqrt(square),
        "mae": _mean(np.abs(errors), weights),
        "r2": 1 - square / spread if spread > 0 else None,
        "upper-half-auc": _known(mean_auc(upper, answers, weights)),
    }


def _mean(values: NDArray[Any], weights: NDArray[np.float64] | None) -> float:
    if weights is None or not weights.any():
        return float(np.mean(values))
    return float(np.average(values, weights=weights))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
