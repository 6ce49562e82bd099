"""Linear scores of two or more classes, written one way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from caveat.proportions._base import BagClassifier

Floats = NDArray[np.float64]


class SoftmaxClassifier(BagClassifier):
    """Base of learners whose ``coef_`` and ``intercept_`` give softmax probabilities.

    Two classes have one row, the log-odds of the second; more have a row each.
    """

    def decision_function(self, X: Any) -> Floats:
        """Log-odds of the second class, or a score for every class if more."""
        scores = self._scores(self._checked(X))
        return scores[:, 1] if len(self.coef_) == 1 else scores

    def _scores(self, X: Any) -> Floats:
        return with_reference(np.asarray(X @ self.coef_.T) + self.intercept_)

    def _predict_proba(self, X: Any) -> Floats:
        return np.exp(log_softmax(self._scores(X), axis=1))

    def _predict_codes(self, X: Any) -> NDArray:
        scores = self._scores(X)
        if len(self.coef_) == 1:
            return (scores[:, 1] >= 0.0).astype(np.int64)
        return scores.argmax(axis=1)


def with_reference(scores: Floats) -> Floats:
    """Two classes have one score, relative to that of the first class: 0."""
    if scores.shape[1] > 1:
        return scores
    return np.column_stack([np.zeros(len(scores)), scores])
