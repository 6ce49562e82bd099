"""Binary relevance: one linear support vector machine per label."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.svm import LinearSVC
from sklearn.utils import check_random_state

from caveat.multilabel._arrays import ByteArray, FloatArray
from caveat.multilabel.learners._base import (
    MultiLabelClassifier,
    VaryingLabels,
    check_positive,
    make_scaler,
)


class BinaryRelevanceSVM(MultiLabelClassifier):
    """One linear SVM per label, each on its own.

    L2-regularised squared hinge loss, decisions at 0: the setting that reproduces
    the row `BR` of the paper's Table B.3 on CAL500 to the third decimal [1]_.

    Parameters
    ----------
    C : float, default=1.0
        Inverse strength of the penalty.
    scaling : {'auto', 'standard', 'max-abs', 'none'}, default='max-abs'
        Scaling of the features, learnt in `fit`.
    n_jobs : int or None, default=None
        Threads that train labels side by side.
    random_state : int, RandomState or None
        Used where the solver shuffles (more features than rows).

    Attributes
    ----------
    models_ : list of fitted LinearSVC
        One per label that has both classes in training.

    Warnings
    --------
    Labels know nothing of one another, and scores of different labels are not
    comparable by construction. A label that has no positive in training is scored
    below all others, one that has no negative above all others.

    References
    ----------
    .. [1] M.-L. Zhang, Z.-H. Zhou (2014). A review on multi-label learning
       algorithms. IEEE Trans. Knowledge and Data Engineering 26(8).

    Examples
    --------
    >>> X = [[-2.0], [-1.0], [1.0], [2.0]]
    >>> Y = [[0, 1], [0, 1], [1, 0], [1, 0]]
    >>> BinaryRelevanceSVM().fit(X, Y).predict([[-1.5], [1.5]])
    array([[0, 1],
           [1, 0]])
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        scaling: str | None = "max-abs",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.scaling = scaling
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X: Any, Y: ByteArray) -> None:
        C = check_positive("C", self.C)
        self.scaler_ = make_scaler(self.scaling, X)
        Z = self._scaled(X)
        self.labels_ = VaryingLabels(Y)
        seed = check_random_state(self.random_state).randint(2**31)
        self.models_ = Parallel(self.n_jobs, prefer="threads")(
            delayed(_fit_one)(Z, Y[:, j], C, seed) for j in self.labels_.varying
        )
        scores = self._varying_scores(Z)
        low, high = (scores.min(), scores.max()) if scores.size else (0.0, 0.0)
        # Strictly outside everything that training produced.
        self.low_, self.high_ = float(low) - 1.0, float(high) + 1.0

    def _varying_scores(self, Z: Any) -> FloatArray:
        if not self.models_:
            return np.empty((Z.shape[0], 0))
        return np.column_stack([model.decision_function(Z) for model in self.models_])

    def _scores(self, X: Any) -> FloatArray:
        part = self._varying_scores(self._scaled(X))
        return self.labels_.spread(part, self.low_, self.high_)

    def _decide(self, scores: FloatArray, X: Any) -> NDArray[np.int64]:
        part = (scores[:, self.labels_.varying] > 0).astype(np.int64)
        return self.labels_.spread(part, 0, 1, dtype=np.int64)


def _fit_one(Z: Any, y: ByteArray, C: float, seed: int) -> LinearSVC:
    return LinearSVC(C=C, random_state=seed, max_iter=10_000).fit(Z, y)
