"""What all learners of many labels share: checks, names, the order of calls."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from caveat.exceptions import InvalidInput, UnknownName
from caveat.measures.multilabel import LabelRows
from caveat.multilabel._arrays import ByteArray, FloatArray

SCALINGS = ("auto", "standard", "max-abs", "none")


class MultiLabelClassifier(ClassifierMixin, BaseEstimator):
    """Base of the learners: `fit(X, Y)` with a 0/1 matrix, scores, decisions.

    A subclass writes `_fit(X, Y)` and `_scores(X)`, and `_decide(scores, X)` if
    it does not decide by score > 0.
    """

    scaler_: Any

    def fit(self, X: Any, Y: Any) -> Self:
        """Learn from instances and their labels.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (m, d)
            Features, numbers only.
        Y : array-like, frame or sparse matrix of shape (m, l)
            Labels, 0/1.

        Returns
        -------
        self
        """
        truth = LabelRows("Y", Y)
        features = validate_data(
            self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=1
        )
        if features.shape[0] != truth.shape[0]:
            raise InvalidInput(
                f"X has {features.shape[0]} rows and Y has {truth.shape[0]}; "
                "pass the same instances"
            )
        self.n_labels_ = truth.shape[1]
        self.label_names_ = np.asarray(truth.label_names(), dtype=object)
        self.classes_ = [np.array([0, 1])] * truth.shape[1]
        self._fit(features, truth.dense())
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return real scores of shape (m, l), higher for relevant."""
        return self._scores(self._check(X))

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return 0/1 decisions of shape (m, l)."""
        features = self._check(X)
        return self._decide(self._scores(features), features)

    def _check(self, X: Any) -> Any:
        check_is_fitted(self, "n_labels_")
        return validate_data(
            self, X, accept_sparse="csr", dtype=np.float64, reset=False
        )

    def _scaled(self, X: Any) -> Any:
        """Scale as in training, where the learner keeps a `scaler_`."""
        return X if self.scaler_ is None else self.scaler_.transform(X)

    def _fit(self, X: Any, Y: ByteArray) -> None:
        raise NotImplementedError

    def _scores(self, X: Any) -> FloatArray:
        raise NotImplementedError

    def _decide(self, scores: FloatArray, X: Any) -> NDArray[np.int64]:
        return (scores > 0).astype(np.int64)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.two_d_labels = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


class ProbabilityMixin:
    """For learners whose scores are probabilities of relevance."""

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of relevance of every label, shape (m, l)."""
        return self.decision_function(X)  # type: ignore[attr-defined]


class VaryingLabels:
    """The labels that have both classes in training, and what the others get.

    A label without any positive gets a score below all others and decision 0, one
    without any negative a score above all others and decision 1: what was never
    seen must not lead a ranking.
    """

    def __init__(self, Y: ByteArray) -> None:
        count = Y.sum(axis=0, dtype=np.int64)
        self.n_labels = Y.shape[1]
        self.never = np.flatnonzero(count == 0)
        self.always = np.flatnonzero(count == len(Y))
        self.varying = np.flatnonzero((count > 0) & (count < len(Y)))

    def spread(
        self, part: NDArray[Any], low: float, high: float, dtype: Any = np.float64
    ) -> NDArray[Any]:
        """Put the varying labels' columns back, the others at `low` and `high`."""
        whole = np.empty((len(part), self.n_labels), dtype=dtype)
        whole[:, self.varying] = part
        whole[:, self.never] = low
        whole[:, self.always] = high
        return whole


def make_scaler(scaling: str | None, X: Any) -> Any:
    """Build and fit the scaler that `scaling` names; None for no scaling.

    ``auto`` standardises dense features, and divides the columns of sparse ones
    by their largest absolute value, which keeps them sparse.
    """
    if scaling is None:
        scaling = "none"
    if scaling not in SCALINGS:
        raise UnknownName.among("scaling", scaling, SCALINGS)
    if scaling == "auto":
        scaling = "max-abs" if sparse.issparse(X) else "standard"
    if scaling == "none":
        return None
    if scaling == "max-abs":
        return MaxAbsScaler().fit(X)
    with np.errstate(over="ignore", invalid="ignore"):
        scaler = StandardScaler(with_mean=not sparse.issparse(X)).fit(X)
    bad = np.flatnonzero(~np.isfinite(scaler.scale_))
    if len(bad):
        raise InvalidInput(
            f"X: column {bad[0]} holds numbers too large to be standardised; rescale "
            "it, or pass scaling='max-abs'"
        )
    return scaler


def check_count(name: str, value: Any, least: int = 1) -> int:
    """Return a whole number, or say which argument is none."""
    try:
        whole = int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{name} is {value!r}; pass a whole number") from error
    if isinstance(value, bool) or whole != value:
        raise InvalidInput(f"{name} is {value!r}; pass a whole number")
    if whole < least:
        raise InvalidInput(f"{name} is {whole}; pass {least} or more")
    return whole


def check_positive(name: str, value: Any, *, zero: bool = False) -> float:
    """Return a finite positive number (or 0), or say which argument is none."""
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} is {value!r}; pass a number") from error
    if not (0 < number < np.inf or (zero and number == 0)):
        rule = "0 or a positive number" if zero else "a positive number"
        raise InvalidInput(f"{name} is {value!r}; pass {rule}")
    return number
