"""What can be known of a learner without looking at test labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from caveat.measures.multilabel import DegenerateWarning, TieWarning, evaluate
from caveat.multilabel.learners._thresholded import learner_scores


def cross_validation(
    make: Callable[[], Any], X: Any, Y: NDArray[Any], *, folds: int, seed: int
) -> dict[str, float]:
    """Judge a learner by the eleven measures on held-out folds of training rows.

    Scores and decisions of all folds are put together and judged once, so that a
    rare label has its few positives in one place.

    Parameters
    ----------
    make : callable
        Builds a fresh learner.
    X : array of shape (m, d)
        Features.
    Y : 0/1 array of shape (m, l)
        Labels.
    folds : int
        How many; at most m.
    seed : int
        Shuffles the rows.

    Returns
    -------
    dict of measure to value

    Warnings
    --------
    Scores of different folds come from different models: across instances
    (macro-AUC, micro-AUC) they are comparable only as far as the models agree.

    Examples
    --------
    >>> from caveat.multilabel import MLkNN
    >>> X = np.arange(12.0).reshape(-1, 1)
    >>> Y = np.column_stack([X[:, 0] > 5, X[:, 0] < 6]).astype(int)
    >>> found = cross_validation(lambda: MLkNN(k=2), X, Y, folds=3, seed=0)
    >>> found["hamming_loss"] < 0.3
    True
    """
    scores, chosen = np.empty(Y.shape), np.empty(Y.shape, dtype=np.int64)
    parts = KFold(min(folds, len(Y)), shuffle=True, random_state=seed)
    for train, test in parts.split(Y):
        model = make().fit(X[train], Y[train])
        scores[test] = learner_scores(model, X[test])
        chosen[test] = model.predict(X[test])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TieWarning)
        warnings.simplefilter("ignore", DegenerateWarning)
        return dict(evaluate(Y, scores, chosen))
