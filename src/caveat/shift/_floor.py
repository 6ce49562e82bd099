"""What a constant answer is worth: the ground under every curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from caveat.shift import measures


def floor_of(measure: str, task: str, y_train: Any, y_test: Any) -> float:
    """Measure on the test rows the best constant answer learnt in training.

    Parameters
    ----------
    measure : str
        Name of a measure of `caveat.shift`.
    task : {"binary", "multiclass", "classification", "regression"}
    y_train, y_test : array-like

    Returns
    -------
    float : NaN for calibration, in which a constant answer is as good as any, for a
    measure that is not of this package, and for the probability of a class that no
    training row has.

    Examples
    --------
    >>> floor_of("accuracy", "binary", ["a", "b", "b"], ["b", "a", "a", "a"])
    0.25
    >>> floor_of("rmse", "regression", [0.0, 2.0], [1.0, 3.0]) ** 2
    2.0
    """
    train, test = np.asarray(y_train), np.asarray(y_test)
    if task == "regression":
        # The mean for squares, the median for absolute values.
        numbers = train.astype(float)
        best = {"rmse": float(numbers.mean()), "mae": float(np.median(numbers))}
        if measure not in best:
            return float("nan")
        answers = np.full(len(test), best[measure])
        return float(getattr(measures, measure)(test.astype(float), answers))
    classes, counts = np.unique(train, return_counts=True)
    if measure == "auc":
        return 0.5
    if measure == "accuracy":
        return float(np.mean(test == classes[counts.argmax()]))
    if measure == "balanced-accuracy":
        return 1 / len(np.unique(test))
    if measure not in ("log-loss", "brier") or not np.isin(test, classes).all():
        return float("nan")
    shares = np.tile(counts / counts.sum(), (len(test), 1))
    codes = np.searchsorted(classes, test)
    return float(getattr(measures, measure.replace("-", "_"))(codes, shares))
