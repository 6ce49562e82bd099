"""scikit-learn's multi-output models as learners of many labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

from caveat.exceptions import InvalidInput
from caveat.multilabel._arrays import ByteArray, FloatArray
from caveat.multilabel.learners._base import MultiLabelClassifier, VaryingLabels


class MultiOutputAdapter(MultiLabelClassifier):
    """Any scikit-learn classifier that takes a 0/1 matrix, with one face.

    scikit-learn's multi-output models answer in five shapes: a matrix of
    probabilities, a list of two-column matrices, decision values, decisions.
    Whatever the model has is turned into scores of shape (m, l). Labels with one
    class only in training are kept away from the model.

    Parameters
    ----------
    estimator : classifier
        For instance ``RandomForestClassifier()``, ``MLPClassifier()``,
        ``OneVsRestClassifier(LogisticRegression())``, ``ClassifierChain(...)`` or
        a pipeline that ends in one of them.

    Attributes
    ----------
    estimator_ : fitted classifier

    Warnings
    --------
    A model without probabilities and decision values is scored by its decisions;
    its ranking measures then rest on ties (`evaluate` says so).

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, Y = [[0.0], [1.0], [2.0]], [[1, 0], [1, 1], [0, 1]]
    >>> model = MultiOutputAdapter(KNeighborsClassifier(n_neighbors=2)).fit(X, Y)
    >>> model.decision_function([[0.4]])
    array([[1. , 0.5]])
    """

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def _make(self) -> Any:
        """Build the model that is fitted; subclasses bring one of their own."""
        if self.estimator is None:
            raise InvalidInput("estimator is None; pass a scikit-learn classifier")
        return clone(self.estimator)

    def _fit(self, X: Any, Y: ByteArray) -> None:
        self.labels_ = VaryingLabels(Y)
        self.estimator_ = None
        if len(self.labels_.varying):
            part = Y[:, self.labels_.varying].astype(np.int64)
            self.estimator_ = self._make()
            # Most models take one label as a vector; these two insist on a matrix.
            self._flat = part.shape[1] == 1 and not isinstance(
                self.estimator_, ClassifierChain | MultiOutputClassifier
            )
            self.estimator_.fit(X, part.ravel() if self._flat else part)
        scores = self._varying_scores(X)
        low, high = (scores.min(), scores.max()) if scores.size else (0.0, 1.0)
        self.low_, self.high_ = float(low) - 1.0, float(high) + 1.0
        if self._probabilities():
            self.low_, self.high_ = 0.0, 1.0

    def _probabilities(self) -> bool:
        return self.estimator_ is None or hasattr(self.estimator_, "predict_proba")

    def _varying_scores(self, X: Any) -> FloatArray:
        model, count = self.estimator_, len(self.labels_.varying)
        if model is None:
            return np.empty((X.shape[0], 0))
        if hasattr(model, "predict_proba"):
            return _columns(model.predict_proba(X), count, probabilities=True)
        if hasattr(model, "decision_function"):
            return _columns(model.decision_function(X), count, probabilities=False)
        return np.asarray(model.predict(X), dtype=float).reshape(X.shape[0], count)

    def _scores(self, X: Any) -> FloatArray:
        return self.labels_.spread(self._varying_scores(X), self.low_, self.high_)

    def _decide(self, scores: FloatArray, X: Any) -> NDArray[np.int64]:
        count = len(self.labels_.varying)
        part = np.empty((X.shape[0], 0))
        if self.estimator_ is not None:
            part = np.asarray(self.estimator_.predict(X)).reshape(X.shape[0], count)
        return self.labels_.spread(part.astype(np.int64), 0, 1, dtype=np.int64)


def _columns(answer: Any, count: int, *, probabilities: bool) -> FloatArray:
    """Bring one of scikit-learn's shapes to (m, labels)."""
    if isinstance(answer, list):
        # One matrix per label, its columns are the classes 0 and 1.
        return np.column_stack([np.asarray(part)[:, -1] for part in answer])
    array = np.asarray(answer, dtype=float)
    if probabilities and count == 1 and array.ndim == 2 and array.shape[1] == 2:
        return array[:, 1:]
    return array.reshape(len(array), count)
