"""How predicted classes are judged. Each function also takes a stack of answers.

`y` holds class numbers from 0, -1 or one beyond the columns for a class that the model
does not know. `predicted` has the shape (n_rows,), `proba` (n_rows, n_classes); with
one more dimension in front they are stacks, and the result is an array with a value
for each. With two classes the second is the positive one.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from caveat.measures._checks import Codes, Floats, mean_of, most_probable
from caveat.ranking import column_aucs


def accuracy(y: Codes, predicted: Codes, *, sample_weight: Floats | None = None) -> Any:
    """Share of rows whose predicted label is the true one.

    Warnings
    --------
    The largest class alone gives its share. On unbalanced data look at balanced
    accuracy beside it.

    Examples
    --------
    >>> from caveat import measures
    >>> measures.get("accuracy")(["a", "b", "b"], ["a", "b", "a"])
    0.6666666666666666
    """
    return mean_of(predicted == y, sample_weight)


def balanced_accuracy(
    y: Codes, predicted: Codes, *, sample_weight: Floats | None = None
) -> Any:
    """Mean over the classes of the share of their rows that was found.

    Guessing gives one over the number of classes. A class without a true row has no
    share, and is left out.

    Warnings
    --------
    A class of three rows weighs as much as one of a thousand: one row more or less
    moves it visibly.

    Examples
    --------
    >>> from caveat import measures
    >>> measures.get("balanced-accuracy")([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    hits = predicted == y
    kept = y if sample_weight is None else y[sample_weight > 0]
    shares = []
    for code in np.unique(kept):
        rows = y == code
        weights = None if sample_weight is None else sample_weight[rows]
        shares.append(mean_of(hits[..., rows], weights))
    return np.mean(shares, axis=0)


def f1(
    y: Codes, predicted: Codes, *, sample_weight: Floats | None = None, n_classes: int
) -> Any:
    """Harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN).

    With two classes that of the second one; with more the mean over the classes. A
    class that is neither there nor predicted counts 0 when it is the positive one, and
    is left out of the mean.

    Warnings
    --------
    Depends on which of two classes is called positive, and on how frequent it is:
    numbers from data with other shares cannot be compared.

    Examples
    --------
    >>> from caveat import measures
    >>> measures.get("f1")(["no", "yes", "yes"], ["no", "yes", "no"])
    0.6666666666666666
    """
    weights = np.ones(len(y)) if sample_weight is None else sample_weight
    codes = np.union1d(y, predicted)
    two = n_classes == 2 and codes.min() >= 0 and codes.max() <= 1
    scores = []
    for code in [1] if two else codes:
        true, chosen = y == code, predicted == code
        hits = 2 * ((true & chosen) @ weights)
        named = true @ weights + chosen @ weights
        empty = 0.0 if two else np.nan
        with np.errstate(invalid="ignore"):
            scores.append(np.where(named > 0, hits / named, empty))
    return np.nanmean(scores, axis=0)


def auc(y: Codes, proba: Floats, *, sample_weight: Floats | None = None) -> Any:
    """Share of pairs of a positive and a negative row that are ordered rightly.

    With two classes the area under the ROC curve of the second one; with more the
    mean over the classes, each against the rest. Ties count half, guessing gives 0.5.
    A class without positive or without negative rows is left out, with a warning; NaN
    if none is left. `sample_weight` may have a row for each of many resamples; then
    the result has a first axis for them.

    Warnings
    --------
    Sees the order of rows, not the probabilities: a model that is sure of nonsense can
    have a good one. With few positive rows it jumps.

    References
    ----------
    .. [1] J. A. Hanley, B. J. McNeil (1982). The meaning and use of the area under
       a receiver operating characteristic curve. Radiology 143(1).

    Examples
    --------
    >>> from caveat import measures
    >>> measures.get("auc")([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    n_classes = proba.shape[-1]
    classes = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    blocks = proba.shape[:-2]
    draws = () if sample_weight is None else sample_weight.shape[:-1]
    # Every class of every block is a column: one call, whose checks are paid once.
    columns = np.moveaxis(proba[..., classes], -2, 0).reshape(len(y), -1)
    flags = np.tile(y[:, None] == classes, columns.shape[1] // len(classes))
    areas = column_aucs(flags, columns, weights=sample_weight)
    areas = areas.reshape(*draws, *blocks, len(classes))
    defined = np.isfinite(areas)
    if not defined.all():
        undefined = len(classes) - int(defined.sum(axis=-1).min())
        warnings.warn(
            f"AUC is not defined for {undefined} of {len(classes)} classes, which lack "
            "positive or negative rows; they are left out",
            UndefinedMetricWarning,
            stacklevel=4,
        )
    with np.errstate(invalid="ignore"):
        total = np.where(defined, areas, 0.0).sum(axis=-1)
        return total / defined.sum(axis=-1)


def log_loss(y: Codes, proba: Floats, *, sample_weight: Floats | None = None) -> Any:
    """Mean of minus the logarithm of the probability that the true label was given.

    A probability counts as at least the smallest step of its number type (2.2e-16 for
    64 bits, 1.2e-7 for 32 bits), as in scikit-learn. The shares of the classes give
    their entropy.

    Warnings
    --------
    One row that was excluded with certainty costs 36.0: a single such row can decide
    a comparison. Natural logarithm.

    Examples
    --------
    >>> from caveat import measures
    >>> round(measures.get("log-loss")([0, 1], [0.2, 0.8]), 4)
    0.2231
    """
    given = np.clip(_of_truth(y, proba), np.finfo(proba.dtype).eps, 1.0)
    return mean_of(-np.log(given), sample_weight)


def brier(y: Codes, proba: Floats, *, sample_weight: Floats | None = None) -> Any:
    """Mean squared distance of the probabilities from the truth.

    With two classes that of the second one's probability, between 0 and 1; with more
    the sum over the classes, as Brier had it, between 0 and 2.

    Warnings
    --------
    Rare classes hardly move it: a good value may hide that they are never found.

    References
    ----------
    .. [1] G. W. Brier (1950). Verification of forecasts expressed in terms of
       probability. Monthly Weather Review 78(1).

    Examples
    --------
    >>> from caveat import measures
    >>> round(measures.get("brier")([0, 1], [0.2, 0.8]), 4)
    0.04
    """
    known = (y >= 0) & (y < proba.shape[-1])
    if proba.shape[-1] == 2 and known.all():
        return mean_of((proba[..., 1] - y) ** 2, sample_weight)
    # Σ_c (p_c - t_c)² = Σ_c p_c² - 2 p_true + 1, where the truth is a known class.
    distance = (proba**2).sum(axis=-1) - 2 * _of_truth(y, proba) + known
    value = mean_of(distance, sample_weight)
    return value / 2 if proba.shape[-1] == 2 else value


def ece(
    y: Codes, proba: Floats, *, sample_weight: Floats | None = None, bins: int = 15
) -> Any:
    """Measure how far confidence is from accuracy: expected calibration error.

    Rows are put into 15 equally wide bins by the probability of their most probable
    class; the error is the mean over the rows of the distance between the bin's mean
    confidence and the share of its rows that are right.

    Warnings
    --------
    Biased upwards with few rows, and 0 for a model that always answers with the class
    shares: it says nothing of usefulness. Depends on the number of bins.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017). On calibration of
       modern neural networks. ICML.

    Examples
    --------
    >>> from caveat import measures
    >>> round(measures.get("ece")([0, 1, 1, 1], [0.1, 0.1, 0.9, 0.9]), 4)
    0.15
    """
    confidence = proba.max(axis=-1)
    surplus = confidence - (most_probable(proba) == y)
    size = float(len(y))
    if sample_weight is not None:
        surplus, size = surplus * sample_weight, sample_weight.sum()
    # On an edge it belongs to the lower bin, also when rounding lifts it above.
    upper = np.ceil(confidence * bins - 1e-9).astype(int)
    place = np.clip(upper - 1, 0, bins - 1)
    count = surplus.size // len(y)
    cells = place.reshape(count, -1) + bins * np.arange(count)[:, None]
    gaps = np.bincount(cells.ravel(), surplus.ravel(), minlength=count * bins)
    total = np.abs(gaps).reshape(count, bins).sum(axis=1) / size
    return total.reshape(proba.shape[:-2])


def _of_truth(y: Codes, proba: Floats) -> Floats:
    """Probability given to the true class; 0 where the model does not know it."""
    known = (y >= 0) & (y < proba.shape[-1])
    given = proba[..., np.arange(len(y)), np.where(known, y, 0)]
    return given if known.all() else np.where(known, given, 0.0)
