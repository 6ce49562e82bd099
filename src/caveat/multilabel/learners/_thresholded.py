"""Any learner with any threshold, and what thresholds tuned on test data would add."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state

from caveat.exceptions import InvalidInput
from caveat.measures.multilabel import LabelRows, evaluate
from caveat.multilabel._arrays import ByteArray, FloatArray
from caveat.multilabel.learners._base import MultiLabelClassifier, check_count
from caveat.multilabel.thresholds._names import make_threshold
from caveat.multilabel.thresholds._threshold import check_decision_measure


class ThresholdedClassifier(MultiLabelClassifier):
    """A learner whose scores are turned into decisions by a threshold of choice.

    Parameters
    ----------
    estimator : learner of many labels
        Anything with `fit(X, Y)` and `decision_function` or `predict_proba`
        that return (m, l); wrap others in `MultiOutputAdapter`.
    threshold : str, float or Threshold, default='per-label'
        See `make_threshold`.
    cv : int or None, default=None
        Estimate the threshold on out-of-fold scores of so many folds instead of
        the scores of the fitted rows; recommended for flexible models.
    random_state : int, RandomState or None
        Seed of the folds.

    Attributes
    ----------
    estimator_ : fitted learner
    threshold_ : fitted Threshold

    Warnings
    --------
    Without `cv` the threshold sees scores of rows that the model was fitted to,
    which are further apart than those of new rows.

    Examples
    --------
    >>> from caveat.multilabel import MLkNN
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> Y = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]
    >>> model = ThresholdedClassifier(MLkNN(k=2), "global").fit(X, Y)
    >>> model.predict([[0.05], [1.05]])
    array([[1, 0],
           [0, 1]])
    """

    def __init__(
        self,
        estimator: Any = None,
        threshold: Any = "per-label",
        *,
        cv: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.cv = cv
        self.random_state = random_state

    def _fit(self, X: Any, Y: ByteArray) -> None:
        if self.estimator is None:
            raise InvalidInput("estimator is None; pass a learner of many labels")
        threshold = make_threshold(self.threshold)
        self.estimator_ = clone(self.estimator).fit(X, Y)
        scores = self._scores(X) if self.cv is None else self._out_of_fold(X, Y)
        self.threshold_ = threshold.fit(scores, Y, X)

    def _out_of_fold(self, X: Any, Y: ByteArray) -> FloatArray:
        folds = check_count("cv", self.cv, least=2)
        if folds > X.shape[0]:
            raise InvalidInput(f"cv is {folds} and there are {X.shape[0]} rows")
        seed = check_random_state(self.random_state).randint(2**31)
        scores = np.empty(Y.shape)
        for train, test in KFold(folds, shuffle=True, random_state=seed).split(Y):
            model = clone(self.estimator).fit(X[train], Y[train])
            scores[test] = learner_scores(model, X[test])
        return scores

    def _scores(self, X: Any) -> FloatArray:
        return learner_scores(self.estimator_, X)

    def _decide(self, scores: FloatArray, X: Any) -> NDArray[np.int64]:
        return self.threshold_.predict(scores, X)


def learner_scores(model: Any, X: Any) -> FloatArray:
    """Return a fitted learner's scores, whichever method it has for them."""
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=float)
    elif hasattr(model, "predict_proba"):
        scores = np.asarray(model.predict_proba(X), dtype=float)
    else:
        raise InvalidInput(
            f"{type(model).__name__} has neither decision_function nor predict_proba; "
            "wrap it in MultiOutputAdapter"
        )
    if scores.ndim != 2 or scores.shape[0] != X.shape[0]:
        raise InvalidInput(
            f"{type(model).__name__} returned scores of shape {scores.shape}; "
            "expected (rows, labels), wrap it in MultiOutputAdapter"
        )
    return scores


def oracle_threshold_gap(
    Y_train: Any,
    scores_train: Any,
    Y_test: Any,
    scores_test: Any,
    *,
    threshold: Any = "per-label",
    measure: str = "macro_f1",
    X_train: Any = None,
    X_test: Any = None,
) -> dict[str, float]:
    """Tell what thresholds tuned on the test part would add: a diagnostic only.

    Parameters
    ----------
    Y_train, scores_train, Y_test, scores_test
        Truth and scores of both parts.
    threshold : str or Threshold, default='per-label'
        The rule, fitted once to the training part and once to the test part.
    measure : str, default='macro_f1'
        A decision measure.
    X_train, X_test : array-like, optional
        Features, for thresholds that need them.

    Returns
    -------
    dict with ``honest`` (threshold from training), ``oracle`` (from the test part)
    and ``gap`` (oracle - honest). A gap in the measure's direction is what tuning on
    the test part would have claimed without earning it.

    Warnings
    --------
    Never report the oracle value as performance.

    Examples
    --------
    >>> train, test = [[0.9], [0.6], [0.1]], [[0.5], [0.4], [0.1]]
    >>> truth = [[1], [1], [0]]
    >>> oracle_threshold_gap(truth, train, truth, test)
    {'honest': 1.0, 'oracle': 1.0, 'gap': 0.0}
    >>> oracle_threshold_gap(truth, train, truth, [[0.3], [0.2], [0.1]])["gap"]
    1.0
    """
    name = check_decision_measure(measure)
    values = []
    for scores, truth, X in (
        (scores_train, Y_train, X_train),
        (scores_test, Y_test, X_test),
    ):
        rule = make_threshold(threshold).fit(scores, truth, X)
        chosen = rule.predict(scores_test, X_test)
        result = evaluate(LabelRows("Y_test", Y_test).dense(), None, chosen)
        values.append(result[name])
    honest, oracle = values
    return {"honest": honest, "oracle": oracle, "gap": oracle - honest}
