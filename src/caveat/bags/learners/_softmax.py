"""Linear scores that give softmax probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_softmax

from caveat.bags.learners._base import LinearBagClassifier

Floats = NDArray[np.float64]


class SoftmaxClassifier(LinearBagClassifier):
    """Base of learners whose scores are log-odds, up to a constant per item."""

    def _probabilities(self, scores: Floats) -> Floats:
        if scores.shape[1] > 1:
            return np.exp(log_softmax(scores, axis=1))
        positive = expit(scores[:, 0])
        return np.column_stack([1.0 - positive, positive])


def with_reference(scores: Floats) -> Floats:
    """Two classes have one score, relative to that of the first class: 0."""
    if scores.shape[1] > 1:
        return scores
    return np.column_stack([np.zeros(len(scores)), scores])
