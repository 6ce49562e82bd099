"""From scores to decisions: what all thresholds share, and the simple ones.

A threshold is an estimator. `fit` sees the scores and labels of training rows,
`predict` decides score > threshold elsewhere; evaluation labels have no way in.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from caveat.exceptions import InvalidInput, UnknownName
from caveat.measures.multilabel import LabelRows, ScoreRows, frame_names, plain_matrix
from caveat.multilabel._arrays import ByteArray, FloatArray
from caveat.multilabel.thresholds._search import DECISION_MEASURES, best_global


class Threshold(BaseEstimator):
    """Base of all thresholds: checks the input, compares, remembers the names.

    A subclass writes `_fit(scores, truth, X)` and `_limits(scores, X)`, which
    returns something that broadcasts against the scores.
    """

    def fit(self, scores: Any, Y: Any, X: Any = None) -> Self:
        """Estimate the threshold.

        Parameters
        ----------
        scores : array-like of shape (m, l)
            Scores of training rows; out-of-fold scores for flexible models.
        Y : array-like, frame or sparse matrix of shape (m, l)
            The truth of the same rows, 0/1.
        X : array-like of shape (m, d), optional
            Their features, for thresholds that depend on the instance.

        Returns
        -------
        self
        """
        truth = LabelRows("Y", Y)
        real = ScoreRows(scores, truth).dense()
        self.n_labels_in_ = truth.shape[1]
        self.label_names_in_ = frame_names(scores)[0] or truth.columns
        self._fit(real, truth.dense(), _check_rows(X, truth.shape[0]))
        return self

    def thresholds(self, scores: Any, X: Any = None) -> FloatArray:
        """Return the thresholds, in a shape that broadcasts against the scores."""
        return self._limits(*self._check(scores, X))

    def predict(self, scores: Any, X: Any = None) -> NDArray[np.int64]:
        """Decide score > threshold.

        Parameters
        ----------
        scores : array-like of shape (m, l)
            Scores of any rows.
        X : array-like of shape (m, d), optional
            Their features, if `fit` had features.

        Returns
        -------
        0/1 array of shape (m, l)
        """
        real, features = self._check(scores, X)
        return self._decide(real, features)

    def _decide(self, real: FloatArray, X: Any) -> NDArray[np.int64]:
        return (real > self._limits(real, X)).astype(np.int64)

    def _check(self, scores: Any, X: Any) -> tuple[FloatArray, Any]:
        check_is_fitted(self, "n_labels_in_")
        names = frame_names(scores)[0]
        if names and self.label_names_in_ and names != list(self.label_names_in_):
            raise InvalidInput(
                "scores has other label columns, or another order, than in fit; "
                "pass the same columns"
            )
        plain = plain_matrix("scores", scores)
        if plain.shape[1] != self.n_labels_in_:
            raise InvalidInput(
                f"scores has {plain.shape[1]} labels; "
                f"fit saw {self.n_labels_in_}, pass as many"
            )
        zeros = np.zeros(plain.shape, dtype=np.uint8)
        real = ScoreRows(plain, LabelRows("scores", zeros)).dense()
        return real, _check_rows(X, len(real))

    def _fit(self, scores: FloatArray, truth: ByteArray, X: Any) -> None:
        raise NotImplementedError

    def _limits(self, scores: FloatArray, X: Any) -> FloatArray:
        raise NotImplementedError


class FixedThreshold(Threshold):
    """One threshold that is known beforehand.

    Parameters
    ----------
    value : float, default=0.0
        0 suits margins, 0.5 probabilities.

    Warnings
    --------
    Right for a measure only if the scores are calibrated for it; F-measures want
    a lower threshold than one half.

    Examples
    --------
    >>> FixedThreshold(0.5).fit([[0.9, 0.1]], [[1, 0]]).predict([[0.4, 0.6]])
    array([[0, 1]])
    """

    def __init__(self, value: float = 0.0) -> None:
        self.value = value

    def _fit(self, scores: FloatArray, truth: ByteArray, X: Any) -> None:
        if np.isnan(float(self.value)):
            raise InvalidInput("value is NaN; pass a number such as 0.5")
        self.threshold_ = float(self.value)

    def _limits(self, scores: FloatArray, X: Any) -> FloatArray:
        return np.array(self.threshold_)


class GlobalThreshold(Threshold):
    """One threshold for all entries, exact for every decision measure.

    Parameters
    ----------
    measure : {'micro_f1', 'instance_f1', 'macro_f1', 'hamming_loss'}
        What to optimise on the training rows; default ``micro_f1``.
    beta : float, default=1.0
        Weight of recall in the F-measures.

    Attributes
    ----------
    threshold_ : float

    Warnings
    --------
    Assumes that scores are comparable across instances and labels.

    References
    ----------
    .. [1] R.-E. Fan, C.-J. Lin (2007). A study on threshold selection for
       multi-label classification. Technical report, National Taiwan University.

    Examples
    --------
    >>> scores, Y = [[0.9, 0.4], [0.3, 0.2]], [[1, 1], [0, 0]]
    >>> round(GlobalThreshold().fit(scores, Y).threshold_, 3)
    0.35
    """

    def __init__(self, measure: str = "micro_f1", *, beta: float = 1.0) -> None:
        self.measure = measure
        self.beta = beta

    def _fit(self, scores: FloatArray, truth: ByteArray, X: Any) -> None:
        measure, beta = check_decision_measure(self.measure), check_beta(self.beta)
        self.threshold_ = best_global(scores, truth, measure, beta)

    def _limits(self, scores: FloatArray, X: Any) -> FloatArray:
        return np.array(self.threshold_)


class ProportionThreshold(Threshold):
    """One threshold per label, so that each is chosen as often as in training.

    Known as PCut: the share of training rows above the threshold is as near as
    ties allow to the label's share of positives.

    Attributes
    ----------
    threshold_ : array of shape (l,)

    Warnings
    --------
    It keeps the share of the training data, so it is wrong where shares change.

    References
    ----------
    .. [1] Y. Yang (2001). A study of thresholding strategies for text
       categorization. SIGIR.

    Examples
    --------
    >>> scores, Y = [[0.9], [0.4], [0.3], [0.2]], [[0], [1], [0], [1]]
    >>> ProportionThreshold().fit(scores, Y).predict(scores).ravel()
    array([1, 1, 0, 0])
    """

    def _fit(self, scores: FloatArray, truth: ByteArray, X: Any) -> None:
        m = len(scores)
        ranked = -np.sort(-scores, axis=0)
        wanted = truth.sum(axis=0, dtype=np.int64)
        limits = np.empty(scores.shape[1])
        for j, k in enumerate(wanted):
            column = ranked[:, j]
            ends = np.flatnonzero(np.append(column[1:] != column[:-1], True)) + 1
            cut = min([0, *ends], key=lambda end, k=k: (abs(end - k), end))  # type: ignore[misc]
            if cut in (0, m):
                limits[j] = np.inf if cut == 0 else -np.inf
            else:
                limits[j] = column[cut - 1] / 2 + column[cut] / 2
        self.threshold_ = limits

    def _limits(self, scores: FloatArray, X: Any) -> FloatArray:
        return self.threshold_


def check_decision_measure(measure: Any) -> str:
    """Return the name of one of the four decision measures."""
    name = str(measure).replace("-", "_")
    if name not in DECISION_MEASURES:
        raise UnknownName.among("measure of decisions", measure, DECISION_MEASURES)
    return name


def check_beta(beta: Any) -> float:
    """Return the weight of recall: a positive number."""
    try:
        value = float(beta)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"beta is {beta!r}; pass a positive number") from error
    if not 0 < value < np.inf:
        raise InvalidInput(f"beta is {beta}; pass a positive number")
    return value


def _check_rows(X: Any, n_rows: int) -> Any:
    """Refuse features of other rows than the scores."""
    if X is None:
        return None
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if rows != n_rows:
        raise InvalidInput(
            f"X has {rows} rows and scores have {n_rows}; pass the same rows"
        )
    return X
