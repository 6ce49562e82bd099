"""One threshold per instance, learnt from the instance or from its scores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import SVR

from caveat.exceptions import InvalidInput, UnknownName
from caveat.multilabel._arrays import ByteArray, FloatArray
from caveat.multilabel.thresholds._search import EXACT, Ranking, coordinate_ascent
from caveat.multilabel.thresholds._threshold import (
    Threshold,
    check_beta,
    check_decision_measure,
)

_EXACT = {**EXACT, "instance_f1": Ranking.best_f}
REGRESSORS = ("auto", "svr", "ridge", "scores")
SVR_ROWS = 5000
"""A kernel regression on more rows takes minutes; it sees an even sample of them."""


class _Regression:
    """A regression from the features, or from the scores, to a number per row."""

    def __init__(self, regressor: Any, X: Any) -> None:
        self.from_scores = False
        self._most_rows: int | None = None
        if isinstance(regressor, str):
            if regressor not in REGRESSORS:
                raise UnknownName.among("regressor", regressor, REGRESSORS)
            if regressor == "auto":
                regressor = "scores" if X is None else "svr"
            self.from_scores = regressor == "scores"
            self._model = _built_in(regressor)
            self._most_rows = SVR_ROWS if regressor == "svr" else None
        elif isinstance(regressor, BaseEstimator):
            self._model = clone(regressor)
        else:
            raise InvalidInput(
                f"regressor is {regressor!r}; pass one of {', '.join(REGRESSORS)} "
                "or a scikit-learn regressor"
            )

    def fit(self, scores: FloatArray, X: Any, target: FloatArray) -> _Regression:
        """Fit on training rows, on an even sample where they are too many."""
        inputs = self._input(scores, X)
        if self._most_rows is not None and len(target) > self._most_rows:
            rows = np.linspace(0, len(target) - 1, self._most_rows).astype(int)
            inputs = _rows_of(inputs, rows)
            target = target[rows]
        with _global_generator_untouched():
            self._model.fit(inputs, target)
        return self

    def predict(self, scores: FloatArray, X: Any) -> FloatArray:
        """Return one number per row."""
        return np.asarray(self._model.predict(self._input(scores, X)), dtype=float)

    def _input(self, scores: FloatArray, X: Any) -> Any:
        if self.from_scores:
            return scores
        if X is None:
            raise InvalidInput(
                "X is None, and the regressor reads features; pass X=, or "
                "regressor='scores'"
            )
        return X


@contextmanager
def _global_generator_untouched() -> Iterator[None]:
    """Put numpy's global generator back: SVR draws a seed from it and takes none."""
    state = np.random.get_state()  # noqa: NPY002 - saved, never used
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def _rows_of(X: Any, rows: NDArray[np.intp]) -> Any:
    """Take rows of a frame, an array, a sparse matrix or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows]


def _built_in(regressor: str) -> Any:
    if regressor == "svr":
        return make_pipeline(MaxAbsScaler(), SVR(C=1.0, epsilon=0.1, gamma="auto"))
    return Ridge(alpha=1.0) if regressor == "ridge" else LinearRegression()


class InstanceThreshold(Threshold):
    """A threshold t(x) per instance: the natural one for label-wise margins.

    On the training rows the best threshold of each instance is found exactly in
    O(l log l); a regression then carries it to other instances. For micro-F1 the
    rows' thresholds are found together, exactly (Dinkelbach); for macro-F1, which
    couples the rows, one row after the other is solved exactly until none improves
    (a local optimum).

    Parameters
    ----------
    measure : {'instance_f1', 'hamming_loss', 'micro_f1', 'macro_f1'}
        What the training thresholds optimise; default ``instance_f1``.
    regressor : {'auto', 'svr', 'ridge', 'scores'} or regressor, default='auto'
        ``svr``: RBF support vector regression from features scaled to [-1, 1]
        (C=1, ε=0.1, γ=1/d), on at most 5000 rows. ``ridge``: ridge regression
        from features (α=1). ``scores``: least squares from the scores; with measure
        ``hamming_loss`` this is the rule of [1]_. ``auto``: svr if X is given.
    beta : float, default=1.0
        Weight of recall in the F-measures.

    Attributes
    ----------
    targets_ : array of shape (m,)
        The best thresholds of the training rows.

    Warnings
    --------
    The regression, not the search, limits this rule: with an exact target on
    training rows t(x) is still a guess elsewhere. With ``auto`` and no X it reads
    scores only.

    References
    ----------
    .. [1] A. Elisseeff, J. Weston (2002). A kernel method for multi-labelled
       classification. NIPS 14.

    Examples
    --------
    >>> scores, Y = [[9, 5, 1], [7, 6, 2], [8, 4, 3]], [[1, 0, 0], [1, 1, 0], [1, 0, 0]]
    >>> rule = InstanceThreshold(regressor="scores").fit(scores, Y)
    >>> rule.targets_
    array([7., 4., 6.])
    >>> rule.predict(scores).tolist() == Y
    True
    """

    def __init__(
        self,
        measure: str = "instance_f1",
        *,
        regressor: Any = "auto",
        beta: float = 1.0,
    ) -> None:
        self.measure = measure
        self.regressor = regressor
        self.beta = beta

    def _fit(self, scores: FloatArray, truth: ByteArray, X: Any) -> None:
        measure, beta = check_decision_measure(self.measure), check_beta(self.beta)
        if measure in _EXACT:
            self.targets_ = _EXACT[measure](Ranking(scores, truth), beta)
        else:
            self.targets_, _ = coordinate_ascent(
                np.ascontiguousarray(scores.T), np.ascontiguousarray(truth.T), beta
            )
        self.regression_ = _Regression(self.regressor, X).fit(scores, X, self.targets_)

    def _limits(self, scores: FloatArray, X: Any) -> FloatArray:
        return self.regression_.predict(scores, X)[:, None]


class CardinalityThreshold(Threshold):
    """Choose the top k labels of each instance, k predicted from the instance.

    Parameters
    ----------
    regressor : {'auto', 'svr', 'ridge', 'scores'} or regressor, default='auto'
        As in `InstanceThreshold`.

    Warnings
    --------
    Tied scores at the cut are resolved by the order of the labels.

    Examples
    --------
    >>> scores, Y = [[9, 5, 1], [7, 6, 2], [8, 4, 3]], [[1, 0, 0], [1, 1, 0], [1, 0, 0]]
    >>> CardinalityThreshold("scores").fit(scores, Y).predict(scores).sum(axis=1)
    array([1, 2, 1])
    """

    def __init__(self, regressor: Any = "auto") -> None:
        self.regressor = regressor

    def _fit(self, scores: FloatArray, truth: ByteArray, X: Any) -> None:
        counts = truth.sum(axis=1, dtype=np.float64)
        self.regression_ = _Regression(self.regressor, X).fit(scores, X, counts)

    def _decide(self, real: FloatArray, X: Any) -> NDArray[np.int64]:
        # Half away from zero; a count lies between none and all.
        wanted = np.floor(self.regression_.predict(real, X) + 0.5)
        count = np.clip(wanted, 0, real.shape[1]).astype(np.int64)
        order = np.argsort(-real, axis=1, kind="stable")
        position = np.empty_like(order)
        np.put_along_axis(position, order, np.arange(real.shape[1])[None, :], axis=1)
        return (position < count[:, None]).astype(np.int64)

    def _limits(self, scores: FloatArray, X: Any) -> FloatArray:
        chosen = self._decide(scores, X) == 1
        lowest = np.where(chosen, scores, np.inf).min(axis=1)
        highest = np.where(chosen, -np.inf, scores).max(axis=1)
        limits = np.where(np.isinf(lowest), np.inf, highest)
        return limits[:, None]
