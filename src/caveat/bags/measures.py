"""How predictions of items are judged when their labels are known after all.

Labels may be of any kind; `classes` names them in the order of the columns of `proba`.
With two classes the second is the positive one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import balanced_accuracy_score, f1_score

from caveat.exceptions import InvalidInput
from caveat.ranking import column_aucs


def f1(
    y: ArrayLike, predicted: ArrayLike, *, classes: Sequence[Any] | None = None
) -> float:
    """Harmonic mean of precision and recall of the positive class.

    Parameters
    ----------
    y, predicted : array-like of shape (n_items,)
        True and predicted labels.
    classes : sequence, optional
        All classes; the labels found, sorted, by default.

    Returns
    -------
    float, between 0 and 1; larger is better. 0 when nothing is predicted positive. More
    than two classes: the mean over classes.

    Warnings
    --------
    Depends on which class is called positive, and on the threshold: a classifier that
    ranks well but places its threshold badly looks bad.

    Examples
    --------
    >>> f1([0, 1, 1, 0], [0, 1, 0, 0])
    0.6666666666666666
    """
    truth, guess, known = _checked(y, predicted, classes)
    if len(known) == 2:
        return float(f1_score(truth == 1, guess == 1, zero_division=0))
    labels = np.arange(len(known))
    return float(
        f1_score(truth, guess, labels=labels, average="macro", zero_division=0)
    )


def accuracy(
    y: ArrayLike, predicted: ArrayLike, *, classes: Sequence[Any] | None = None
) -> float:
    """Share of items with the right label.

    Parameters
    ----------
    y, predicted, classes
        As in `f1`.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    The largest class alone gives its share: 0.76 on Adult.

    Examples
    --------
    >>> accuracy([0, 1, 1, 0], [0, 1, 0, 0])
    0.75
    """
    truth, guess, _ = _checked(y, predicted, classes)
    return float((truth == guess).mean())


def balanced_accuracy(
    y: ArrayLike, predicted: ArrayLike, *, classes: Sequence[Any] | None = None
) -> float:
    """Mean over classes of the share of their items that is found.

    Parameters
    ----------
    y, predicted, classes
        As in `f1`.

    Returns
    -------
    float, between 0 and 1; larger is better. Classes without items do not count.

    Warnings
    --------
    A rare class counts as much as a frequent one: few items decide.

    Examples
    --------
    >>> balanced_accuracy([0, 1, 1, 0], [0, 1, 0, 0])
    0.75
    """
    truth, guess, _ = _checked(y, predicted, classes)
    kept = np.isin(guess, np.unique(truth))
    # A label that no item has can only be wrong; which one makes no difference.
    other = np.unique(truth)
    wrong = np.where(truth == other[0], other[-1], other[0])
    return float(balanced_accuracy_score(truth, np.where(kept, guess, wrong)))


def auc(
    y: ArrayLike, proba: ArrayLike, *, classes: Sequence[Any] | None = None
) -> float | None:
    """Share of pairs of a positive and a negative item in the right order.

    Parameters
    ----------
    y : array-like of shape (n_items,)
        True labels.
    proba : array-like of shape (n_items, n_classes)
        Probabilities or scores.
    classes : sequence, optional
        What the columns are; the labels found, sorted, by default.

    Returns
    -------
    float, between 0 and 1; larger is better. More than two classes: the mean of each
    against the rest. None when the items are all of one class.

    Warnings
    --------
    Says nothing about thresholds: bags often tell how to rank, rarely where to cut.

    Examples
    --------
    >>> auc([0, 1, 1, 0], [[0.9, 0.1], [0.4, 0.6], [0.6, 0.4], [0.5, 0.5]])
    0.75
    """
    scores = np.asarray(proba, dtype=np.float64)
    truth, _, known = _checked(y, y, classes)
    if scores.shape != (len(truth), len(known)):
        raise InvalidInput(
            f"proba: found shape {scores.shape}; expected {len(truth)} items and "
            f"{len(known)} classes"
        )
    hot = truth[:, None] == np.arange(len(known))
    columns = slice(1, 2) if len(known) == 2 else slice(None)
    values = np.asarray(column_aucs(hot[:, columns], scores[:, columns]))
    values = values[np.isfinite(values)]
    return float(values.mean()) if len(values) else None


def _checked(
    y: ArrayLike, predicted: ArrayLike, classes: Sequence[Any] | None
) -> tuple[NDArray, NDArray, NDArray]:
    """Class numbers of both, and the classes."""
    truth, guess = np.asarray(y), np.asarray(predicted)
    if truth.shape != guess.shape or truth.ndim != 1 or len(truth) == 0:
        raise InvalidInput(
            f"predicted: found shape {guess.shape} for labels of shape {truth.shape}; "
            "expected one per item"
        )
    known = np.unique(truth) if classes is None else np.asarray(classes)
    if classes is None:
        known = np.unique(np.concatenate([truth, guess]))
    place = {value: code for code, value in enumerate(known.tolist())}
    try:
        codes = [place[value] for value in truth.tolist()]
        guesses = [place[value] for value in guess.tolist()]
    except KeyError as error:
        raise InvalidInput(
            f"classes: the label {error.args[0]!r} is not among {known.tolist()!r}"
        ) from error
    return np.array(codes), np.array(guesses), known
