"""How a model is judged while columns vanish: arrays in, a number out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput
from caveat.shift import _stacked


def accuracy(truth: ArrayLike, proba: ArrayLike) -> float:
    """Share of rows whose most probable class is the true one.

    Parameters
    ----------
    truth : array-like of shape (n_rows,)
        Class numbers from 0; -1 is a class that the model does not know.
    proba : array-like of shape (n_rows, n_classes)
        Probabilities or scores; of equal ones the first counts.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    The share of the largest class is free. Hides that a model has become unsure long
    before its labels change.

    Examples
    --------
    >>> accuracy([0, 1], [[0.7, 0.3], [0.6, 0.4]])
    0.5
    """
    return _one(_stacked.accuracy, truth, proba)


def balanced_accuracy(truth: ArrayLike, proba: ArrayLike) -> float:
    """Mean over the classes of the share found of each.

    Parameters
    ----------
    truth, proba : array-like
        As for `accuracy`.

    Returns
    -------
    float, between 0 and 1; larger is better; 1 / n_classes is chance.

    Warnings
    --------
    A rare class weighs as much as a frequent one: with few rows of it, it is noisy.

    Examples
    --------
    >>> balanced_accuracy([0, 0, 0, 1], [[1, 0], [1, 0], [1, 0], [1, 0]])
    0.5
    """
    return _one(_stacked.balanced_accuracy, truth, proba)


def auc(truth: ArrayLike, proba: ArrayLike) -> float:
    """Area under the ROC curve.

    Two classes: of the second one's probability. More: the mean over classes of each
    against the rest; a class without positives or negatives is left out.

    Parameters
    ----------
    truth, proba : array-like
        As for `accuracy`.

    Returns
    -------
    float, between 0 and 1; larger is better; 0.5 is chance; nan if no class can be
    told from the rest.

    Warnings
    --------
    Sees order only: a model whose probabilities have all become wrong by the same
    amount keeps it.

    Examples
    --------
    >>> auc([0, 1, 1], [[0.9, 0.1], [0.6, 0.4], [0.9, 0.1]])
    0.75
    """
    return _one(_stacked.auc, truth, proba)


def log_loss(truth: ArrayLike, proba: ArrayLike) -> float:
    """Mean of -log of the probability given to the true class.

    Parameters
    ----------
    truth, proba : array-like
        As for `accuracy`; probabilities.

    Returns
    -------
    float, 0 or more; smaller is better.

    Warnings
    --------
    One row that was confidently wrong can outweigh all others; probabilities count
    as at least 2.2e-16.

    Examples
    --------
    >>> round(log_loss([0], [[0.5, 0.5]]), 4)
    0.6931
    """
    return _one(_stacked.log_loss, truth, proba)


def brier(truth: ArrayLike, proba: ArrayLike) -> float:
    """Mean squared distance of the probabilities from the truth.

    Parameters
    ----------
    truth, proba : array-like
        As for `accuracy`; probabilities.

    Returns
    -------
    float, 0 to 1 with two classes (the second one's probability alone), 0 to 2 with
    more (sum over classes); smaller is better.

    Warnings
    --------
    Its best value depends on how noisy the labels are: compare models on one data
    set, not data sets.

    Examples
    --------
    >>> brier([1], [[0.5, 0.5]])
    0.25
    """
    return _one(_stacked.brier, truth, proba)


def ece(truth: ArrayLike, proba: ArrayLike) -> float:
    """Compare confidence and accuracy in 15 bins: the expected calibration error.

    Parameters
    ----------
    truth, proba : array-like
        As for `accuracy`; probabilities.

    Returns
    -------
    float, between 0 and 1; smaller is better.

    Warnings
    --------
    Biased upwards with few rows, and blind to errors that cancel inside a bin. A
    constant answer at the class share is perfectly calibrated and useless.

    Examples
    --------
    >>> round(ece([0, 1], [[0.9, 0.1], [0.9, 0.1]]), 4)
    0.4
    """
    return _one(_stacked.ece, truth, proba)


def rmse(truth: ArrayLike, answers: ArrayLike) -> float:
    """Root of the mean squared error, in the units of the target.

    Parameters
    ----------
    truth, answers : array-like of shape (n_rows,)

    Returns
    -------
    float, 0 or more; smaller is better.

    Warnings
    --------
    Scales with the target: a mean over data sets is the mean of the one with the
    largest numbers.

    Examples
    --------
    >>> rmse([1, 2], [1, 4]) ** 2
    2.0000000000000004
    """
    return _one(_stacked.rmse, truth, answers)


def mae(truth: ArrayLike, answers: ArrayLike) -> float:
    """Mean absolute error, in the units of the target.

    Parameters
    ----------
    truth, answers : array-like of shape (n_rows,)

    Returns
    -------
    float, 0 or more; smaller is better.

    Warnings
    --------
    Its best constant answer is the median, not the mean that most models aim at.

    Examples
    --------
    >>> mae([1, 2], [1, 4])
    1.0
    """
    return _one(_stacked.mae, truth, answers)


def _one(
    measure: Callable[..., NDArray], truth: ArrayLike, answers: ArrayLike
) -> float:
    true, given = np.asarray(truth), np.asarray(answers, dtype=np.float64)
    if true.ndim != 1 or given.ndim not in (1, 2) or len(true) != len(given):
        raise InvalidInput(
            f"truth has the shape {true.shape} and the answers {given.shape}; pass one "
            "row of answers per true value"
        )
    if not len(true):
        raise InvalidInput("truth is empty; a measure needs at least one row")
    return float(measure(true, given[None])[0])
