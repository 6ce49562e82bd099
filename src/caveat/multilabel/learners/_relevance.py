"""One probabilistic model per label, and a forest for all labels."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import check_random_state

from caveat.multilabel._arrays import ByteArray, FloatArray
from caveat.multilabel.learners._adapters import MultiOutputAdapter
from caveat.multilabel.learners._base import (
    ProbabilityMixin,
    check_count,
    check_positive,
    make_scaler,
)


class LogisticRelevance(ProbabilityMixin, MultiOutputAdapter):
    """Logistic regression of every label on its own.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the L2 penalty.
    scaling : {'auto', 'standard', 'max-abs', 'none'}, default='auto'
        Scaling of the features, learnt in `fit`.
    max_iter : int, default=1000
        Steps of the solver at most.

    Warnings
    --------
    Labels know nothing of one another. Decisions at one half suit Hamming loss, not
    F-measures; see `ThresholdedClassifier`.

    Examples
    --------
    >>> X, Y = [[-2.0], [-1.0], [1.0], [2.0]], [[0, 1], [0, 1], [1, 0], [1, 0]]
    >>> LogisticRelevance().fit(X, Y).predict([[-1.5], [1.5]])
    array([[0, 1],
           [1, 0]])
    """

    def __init__(
        self, C: float = 1.0, *, scaling: str | None = "auto", max_iter: int = 1000
    ) -> None:
        self.C = C
        self.scaling = scaling
        self.max_iter = max_iter

    def _make(self) -> Any:
        return OneVsRestClassifier(
            LogisticRegression(
                C=check_positive("C", self.C),
                max_iter=check_count("max_iter", self.max_iter),
            )
        )

    def _fit(self, X: Any, Y: ByteArray) -> None:
        self.scaler_ = make_scaler(self.scaling, X)
        super()._fit(self._scaled(X), Y)

    def _scores(self, X: Any) -> FloatArray:
        return super()._scores(self._scaled(X))

    def _decide(self, scores: FloatArray, X: Any) -> Any:
        return super()._decide(scores, self._scaled(X))


class MultiLabelForest(ProbabilityMixin, MultiOutputAdapter):
    """A random forest whose trees carry all labels at their leaves.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees.
    min_samples_leaf : int, default=1
        Rows that a leaf keeps at least.
    n_jobs : int or None, default=None
        Threads.
    random_state : int, RandomState or None
        Seed.

    Warnings
    --------
    Votes of few trees make few distinct scores, hence ties. Rare labels are voted
    down: decide with a threshold per label.

    References
    ----------
    .. [1] L. Breiman (2001). Random forests. Machine Learning 45(1).

    Examples
    --------
    >>> X, Y = [[-2.0], [-1.0], [1.0], [2.0]], [[0, 1], [0, 1], [1, 0], [1, 0]]
    >>> MultiLabelForest(20, random_state=0).fit(X, Y).predict([[-2], [2]])
    array([[0, 1],
           [1, 0]])
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        min_samples_leaf: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make(self) -> Any:
        return RandomForestClassifier(
            check_count("n_estimators", self.n_estimators),
            min_samples_leaf=check_count("min_samples_leaf", self.min_samples_leaf),
            n_jobs=self.n_jobs,
            random_state=check_random_state(self.random_state).randint(2**31),
        )
