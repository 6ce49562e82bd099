"""Measures of many masked test tables at once.

Each function takes the truth of n rows and a stack of m answers to them, and returns
m numbers. `measures.py` has the same measures for one table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caveat.ranking import column_aucs

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

BINS = 15
"""Equal-width bins of the expected calibration error."""


def accuracy(truth: Codes, answers: Floats) -> Floats:
    """Share of rows whose most probable class (ties: the first) is the true one."""
    return (_labels(answers) == truth).mean(axis=1)


def balanced_accuracy(truth: Codes, answers: Floats) -> Floats:
    """Mean over the classes in the truth of the share found of each."""
    hits = _labels(answers) == truth
    present = np.unique(truth)
    return np.mean([hits[:, truth == code].mean(axis=1) for code in present], axis=0)


def auc(truth: Codes, answers: Floats) -> Floats:
    """Area under the ROC curve; one class against the rest, macro mean, from three on.

    A class without positives or without negatives is left out; without any left the
    result is not defined (nan).
    """
    n_classes = answers.shape[2]
    classes = [1] if n_classes == 2 else range(n_classes)
    areas = []
    for code in classes:
        positive = truth == code
        if positive.any() and not positive.all():
            scores = answers[:, :, code].T
            flags = np.broadcast_to(positive[:, None], scores.shape)
            areas.append(column_aucs(flags, scores))
    if not areas:
        return np.full(len(answers), np.nan)
    return np.mean(areas, axis=0)


def log_loss(truth: Codes, answers: Floats) -> Floats:
    """Mean of -log of the probability given to the true class, which is at least ε."""
    smallest = np.finfo(np.float64).eps
    return -np.log(np.clip(_of_truth(truth, answers), smallest, 1.0)).mean(axis=1)


def brier(truth: Codes, answers: Floats) -> Floats:
    """Mean squared distance of the probabilities from the truth.

    Of the larger class alone if there are two, summed over the classes from three
    on: as scikit-learn has it.
    """
    if answers.shape[2] == 2:
        return ((answers[:, :, 1] - (truth == 1)) ** 2).mean(axis=1)
    # Σ_c (p_c - t_c)² = Σ_c p_c² - 2 p_true + 1, where the truth is a known class.
    known = (truth >= 0).astype(float)
    squares = (answers**2).sum(axis=2)
    return (squares - 2 * _of_truth(truth, answers) + known).mean(axis=1)


def ece(truth: Codes, answers: Floats) -> Floats:
    """Mean distance of confidence and accuracy over 15 bins of confidence."""
    stack, n_rows, _ = answers.shape
    confidence = answers.max(axis=2)
    hits = _labels(answers) == truth
    bins = np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)
    cells = (bins + BINS * np.arange(stack)[:, None]).ravel()
    size = stack * BINS
    surplus = np.bincount(cells, (confidence - hits).ravel(), size)
    return np.abs(surplus).reshape(stack, BINS).sum(axis=1) / n_rows


def rmse(truth: Floats, answers: Floats) -> Floats:
    """Root of the mean squared error."""
    return np.sqrt(((answers - truth) ** 2).mean(axis=1))


def mae(truth: Floats, answers: Floats) -> Floats:
    """Mean absolute error."""
    return np.abs(answers - truth).mean(axis=1)


def _labels(answers: Floats) -> Codes:
    if answers.shape[2] == 2:  # several times faster than argmax over two
        return (answers[:, :, 1] > answers[:, :, 0]).astype(np.intp)
    return answers.argmax(axis=2)


def _of_truth(truth: Codes, answers: Floats) -> Floats:
    """Probability given to the true class; 0 where the model does not know it."""
    given = answers[:, np.arange(len(truth)), np.maximum(truth, 0)]
    return np.where(truth >= 0, given, 0.0)
