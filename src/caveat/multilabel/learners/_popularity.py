"""The free part: how far one gets by knowing how common every label is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.multilabel._arrays import ByteArray, FloatArray
from caveat.multilabel.learners._base import MultiLabelClassifier, ProbabilityMixin
from caveat.multilabel.thresholds._threshold import GlobalThreshold


class Popularity(ProbabilityMixin, MultiLabelClassifier):
    """Score every label by its share in training, for all instances alike.

    It never looks at a feature. Label-wise measures can be high all the same:
    that part of a score is free. Decisions take the labels above one threshold, the
    one with the largest micro-F1 on the training rows: the same few for everybody.

    Attributes
    ----------
    share_ : array of shape (l,)
    threshold_ : fitted GlobalThreshold

    Warnings
    --------
    A reference, not a model: its macro-AUC is 0.5 by construction.

    Examples
    --------
    >>> Popularity().fit([[0], [1]], [[1, 0], [1, 1]]).decision_function([[7]])
    array([[1. , 0.5]])
    """

    def _fit(self, X: Any, Y: ByteArray) -> None:
        self.share_ = Y.mean(axis=0)
        self.threshold_ = GlobalThreshold().fit(np.tile(self.share_, (len(Y), 1)), Y)

    def _scores(self, X: Any) -> FloatArray:
        return np.tile(self.share_, (X.shape[0], 1))

    def _decide(self, scores: FloatArray, X: Any) -> NDArray[np.int64]:
        return self.threshold_.predict(scores)
