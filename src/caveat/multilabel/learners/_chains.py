"""An ensemble of classifier chains."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain
from sklearn.utils import check_random_state

from caveat.multilabel._arrays import ByteArray, FloatArray
from caveat.multilabel.learners._base import (
    MultiLabelClassifier,
    ProbabilityMixin,
    VaryingLabels,
    check_count,
    make_scaler,
)


class ClassifierChains(ProbabilityMixin, MultiLabelClassifier):
    """Chains in random orders, their probabilities averaged [1]_.

    A chain predicts one label after the other and gives each model the earlier
    labels as features.

    Parameters
    ----------
    estimator : classifier, optional
        Model of one label; logistic regression by default.
    n_chains : int, default=10
        Chains in the ensemble.
    scaling : {'auto', 'standard', 'max-abs', 'none'}, default='auto'
        Scaling of the features, learnt in `fit`.
    random_state : int, RandomState or None
        Seed of the orders.

    Attributes
    ----------
    chains_ : list of fitted ClassifierChain

    Warnings
    --------
    Mistakes of early labels are passed on. With l labels it trains l · n_chains
    models.

    References
    ----------
    .. [1] J. Read, B. Pfahringer, G. Holmes, E. Frank (2011). Classifier chains for
       multi-label classification. Machine Learning 85(3).

    Examples
    --------
    >>> X = [[-2.0], [-1.0], [1.0], [2.0]]
    >>> Y = [[0, 1], [0, 1], [1, 0], [1, 0]]
    >>> ClassifierChains(random_state=0).fit(X, Y).predict([[-1.5], [1.5]])
    array([[0, 1],
           [1, 0]])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_chains: int = 10,
        scaling: str | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_chains = n_chains
        self.scaling = scaling
        self.random_state = random_state

    def _fit(self, X: Any, Y: ByteArray) -> None:
        count = check_count("n_chains", self.n_chains)
        self.scaler_ = make_scaler(self.scaling, X)
        self.labels_ = VaryingLabels(Y)
        part = Y[:, self.labels_.varying].astype(np.int64)
        random = check_random_state(self.random_state)
        self.chains_ = []
        for _ in range(count if part.shape[1] else 0):
            base = (
                LogisticRegression(max_iter=1000)
                if self.estimator is None
                else clone(self.estimator)
            )
            chain = ClassifierChain(
                base, order="random", random_state=random.randint(2**31)
            )
            self.chains_.append(chain.fit(self._scaled(X), part))

    def _scores(self, X: Any) -> FloatArray:
        part = np.zeros((X.shape[0], len(self.labels_.varying)))
        Z = self._scaled(X)
        for chain in self.chains_:
            part += np.asarray(chain.predict_proba(Z)) / len(self.chains_)
        return self.labels_.spread(part, 0.0, 1.0)

    def _decide(self, scores: FloatArray, X: Any) -> NDArray[np.int64]:
        return (scores > 0.5).astype(np.int64)
