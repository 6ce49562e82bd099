"""How predictions are judged: arrays in, a number out.

Labels may be of any kind. `classes` names the classes, in the order of the columns of
`proba`; without it they are the labels found, sorted. With two classes the second is
the positive one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from caveat.ranking import column_aucs
from caveat.supervised._checks import (
    is_distribution,
    label_codes,
    numbers,
    probabilities,
)

# What a probability of 0 counts as in the logarithm.
_LEAST = 1e-15


def accuracy(
    y: ArrayLike, predicted: ArrayLike, *, classes: Sequence[Any] | None = None
) -> float:
    """Share of rows whose predicted label is the true one.

    Parameters
    ----------
    y, predicted : array-like of shape (n_rows,)
        True and predicted labels.
    classes : sequence of labels, optional
        Without effect; here so that all measures are called alike.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    The largest class alone gives its share. On unbalanced data look at balanced
    accuracy beside it.

    Examples
    --------
    >>> accuracy(["a", "b", "b"], ["a", "b", "a"])
    0.6666666666666666
    """
    truth, guess, _ = label_codes(y, predicted, classes)
    return float((truth == guess).mean())


def balanced_accuracy(
    y: ArrayLike, predicted: ArrayLike, *, classes: Sequence[Any] | None = None
) -> float:
    """Mean over the classes of the share of their rows that was found.

    Parameters
    ----------
    y, predicted : array-like of shape (n_rows,)
        True and predicted labels.
    classes : sequence of labels, optional
        Without effect: a class without a true row has no share, and is left out.

    Returns
    -------
    float, between 0 and 1; larger is better; guessing gives one over the number of
    classes.

    Warnings
    --------
    A class of three rows weighs as much as one of a thousand: one row more or less
    moves it visibly.

    Examples
    --------
    >>> balanced_accuracy([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    truth, guess, _ = label_codes(y, predicted, classes)
    _, codes = np.unique(truth, return_inverse=True)
    found = np.bincount(codes, weights=truth == guess)
    return float((found / np.bincount(codes)).mean())


def f1(
    y: ArrayLike, predicted: ArrayLike, *, classes: Sequence[Any] | None = None
) -> float:
    """Harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN).

    With two classes that of the second one; with more the mean over the classes.

    Parameters
    ----------
    y, predicted : array-like of shape (n_rows,)
        True and predicted labels.
    classes : sequence of labels, optional
        All classes; without it those that are found.

    Returns
    -------
    float, between 0 and 1; larger is better. A class that is neither there nor
    predicted counts 0 when it is the positive one, and is left out of the mean.

    Warnings
    --------
    Depends on which of two classes is called positive, and on how frequent it is:
    numbers from data with other shares cannot be compared.

    Examples
    --------
    >>> f1(["no", "yes", "yes"], ["no", "yes", "no"])
    0.6666666666666666
    """
    truth, guess, count = label_codes(y, predicted, classes)
    size = max(count, int(max(truth.max(), guess.max())) + 1)
    hits = np.bincount(truth[truth == guess], minlength=size)
    named = np.bincount(truth, minlength=size) + np.bincount(guess, minlength=size)
    scores = np.divide(2 * hits, named, out=np.zeros(size), where=named > 0)
    if count == 2 and size == 2:
        return float(scores[1])
    return float(scores[named > 0].mean())


def auc(
    y: ArrayLike, proba: ArrayLike, *, classes: Sequence[Any] | None = None
) -> float:
    """Share of pairs of a positive and a negative row that are ordered rightly.

    With two classes the area under the ROC curve of the second one; with more the
    mean over the classes, each against the rest. Ties count half.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        True labels.
    proba : array-like of shape (n_rows, n_classes), or (n_rows,) for two classes
        Probabilities or scores.
    classes : sequence of labels, optional
        The classes of the columns.

    Returns
    -------
    float, between 0 and 1; larger is better; guessing gives 0.5. A class without
    positive or without negative rows is left out, with a warning; NaN if none is left.

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
    >>> auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    truth, matrix = probabilities(y, proba, classes)
    columns = [1] if matrix.shape[1] == 2 else range(matrix.shape[1])
    positive = np.column_stack([truth == column for column in columns])
    areas = column_aucs(positive, matrix[:, list(columns)])
    undefined = int(np.isnan(areas).sum())
    if undefined:
        warnings.warn(
            f"AUC is not defined for {undefined} of {len(areas)} classes, which lack "
            "positive or negative rows; they are left out",
            UndefinedMetricWarning,
            stacklevel=2,
        )
    return float(np.nanmean(areas)) if undefined < len(areas) else float("nan")


def log_loss(
    y: ArrayLike, proba: ArrayLike, *, classes: Sequence[Any] | None = None
) -> float:
    """Mean of minus the logarithm of the probability that the true label was given.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        True labels.
    proba : array-like of shape (n_rows, n_classes), or (n_rows,) for two classes
        Probabilities; less than 1e-15 counts as 1e-15.
    classes : sequence of labels, optional
        The classes of the columns.

    Returns
    -------
    float, 0 or larger; smaller is better; the shares of the classes give their
    entropy.

    Warnings
    --------
    One row that was excluded with certainty costs 34.5: a single such row can decide
    a comparison. Natural logarithm.

    Examples
    --------
    >>> round(log_loss([0, 1], [0.2, 0.8]), 4)
    0.2231
    """
    truth, matrix = probabilities(y, proba, classes)
    given = is_distribution(matrix)[np.arange(len(truth)), truth]
    given = np.where(truth < 0, 0.0, given)
    return float(-np.log(np.clip(given, _LEAST, 1.0)).mean())


def brier(
    y: ArrayLike, proba: ArrayLike, *, classes: Sequence[Any] | None = None
) -> float:
    """Mean squared distance of the probabilities from the truth.

    With two classes that of the second one's probability; with more the sum over the
    classes, as Brier had it.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        True labels.
    proba : array-like of shape (n_rows, n_classes), or (n_rows,) for two classes
        Probabilities.
    classes : sequence of labels, optional
        The classes of the columns.

    Returns
    -------
    float, between 0 and 1 for two classes, 0 and 2 for more; smaller is better.

    Warnings
    --------
    Rare classes hardly move it: a good value may hide that they are never found.

    References
    ----------
    .. [1] G. W. Brier (1950). Verification of forecasts expressed in terms of
       probability. Monthly Weather Review 78(1).

    Examples
    --------
    >>> round(brier([0, 1], [0.2, 0.8]), 4)
    0.04
    """
    truth, matrix = probabilities(y, proba, classes)
    target = (truth[:, None] == np.arange(matrix.shape[1])).astype(float)
    distance = np.square(is_distribution(matrix) - target).sum(axis=1).mean()
    if matrix.shape[1] > 2:
        return float(distance)
    return float(distance / 2)


def ece(
    y: ArrayLike,
    proba: ArrayLike,
    *,
    classes: Sequence[Any] | None = None,
    bins: int = 15,
) -> float:
    """Measure how far confidence is from accuracy: expected calibration error.

    Rows are put into equally wide bins by the probability of their most probable
    class; the error is the mean over the rows of the distance between the bin's mean
    confidence and the share of its rows that are right.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        True labels.
    proba : array-like of shape (n_rows, n_classes), or (n_rows,) for two classes
        Probabilities.
    classes : sequence of labels, optional
        The classes of the columns.
    bins : int, default=15
        How many bins.

    Returns
    -------
    float, between 0 and 1; smaller is better.

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
    >>> round(ece([0, 1, 1, 1], [0.1, 0.1, 0.9, 0.9]), 4)
    0.15
    """
    truth, matrix = probabilities(y, proba, classes)
    confidence = is_distribution(matrix).max(axis=1)
    right = matrix.argmax(axis=1) == truth
    # On an edge it belongs to the lower bin, also when rounding lifts it above.
    upper = np.ceil(confidence * bins - 1e-9).astype(int)
    place = np.clip(upper - 1, 0, bins - 1)
    gaps = np.bincount(place, weights=confidence - right, minlength=bins)
    return float(np.abs(gaps).sum() / len(truth))


def rmse(y: ArrayLike, predicted: ArrayLike) -> float:
    """Root of the mean squared error, in the units of the target.

    Parameters
    ----------
    y, predicted : array-like of shape (n_rows,)
        True and predicted numbers.

    Returns
    -------
    float, 0 or larger; smaller is better; the mean gives the standard deviation.

    Warnings
    --------
    A few large errors decide. Cannot be averaged over data sets of other units.

    Examples
    --------
    >>> rmse([0, 0], [3, 4])
    3.5355339059327378
    """
    truth, guess = numbers(y, predicted)
    error = np.abs(truth - guess)
    # Scaled, so that squares of large numbers do not overflow.
    largest = error.max()
    if largest == 0:
        return 0.0
    return float(largest * np.sqrt(np.square(error / largest).mean()))


def mae(y: ArrayLike, predicted: ArrayLike) -> float:
    """Mean absolute error, in the units of the target.

    Parameters
    ----------
    y, predicted : array-like of shape (n_rows,)
        True and predicted numbers.

    Returns
    -------
    float, 0 or larger; smaller is better.

    Warnings
    --------
    Rewards the median, so on a skewed target a model that is blind to the large values
    looks good.

    Examples
    --------
    >>> mae([0, 0], [3, 4])
    3.5
    """
    truth, guess = numbers(y, predicted)
    return float(np.abs(truth - guess).mean())


def median_absolute_error(y: ArrayLike, predicted: ArrayLike) -> float:
    """Median of the absolute errors, in the units of the target.

    Parameters
    ----------
    y, predicted : array-like of shape (n_rows,)
        True and predicted numbers.

    Returns
    -------
    float, 0 or larger; smaller is better.

    Warnings
    --------
    Up to half of the rows may be wrong by any amount without moving it.

    Examples
    --------
    >>> median_absolute_error([0, 0, 0], [1, 2, 100])
    2.0
    """
    truth, guess = numbers(y, predicted)
    return float(np.median(np.abs(truth - guess)))


def r2(y: ArrayLike, predicted: ArrayLike) -> float:
    """Share of the target's variance that the predictions explain.

    Parameters
    ----------
    y, predicted : array-like of shape (n_rows,)
        True and predicted numbers.

    Returns
    -------
    float, at most 1; larger is better; the mean of `y` gives 0. NaN, with a warning,
    if all of `y` are equal.

    Warnings
    --------
    Compares with the mean of the rows at hand, which no model knew; on few rows it is
    negative for good models. A wider range of targets makes it larger by itself.

    Examples
    --------
    >>> r2([1, 2, 3], [1, 2, 4])
    0.5
    """
    truth, guess = numbers(y, predicted)
    spread = np.square(truth - truth.mean()).sum()
    if spread == 0:
        warnings.warn(
            f"R² is not defined: all {len(truth)} true values are {truth[0]:g}",
            UndefinedMetricWarning,
            stacklevel=2,
        )
        return float("nan")
    return float(1 - np.square(truth - guess).sum() / spread)
