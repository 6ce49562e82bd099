"""A small network with one output per label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scipy import sparse
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.utils import check_random_state

from caveat.multilabel._arrays import ByteArray
from caveat.multilabel.learners._adapters import MultiOutputAdapter
from caveat.multilabel.learners._base import ProbabilityMixin, check_count


class MultiLabelMLP(ProbabilityMixin, MultiOutputAdapter):
    """A small network with one sigmoid per label and cross-entropy loss.

    Parameters
    ----------
    hidden : sequence of int, default=(100,)
        Sizes of the hidden layers.
    learning_rate : float, default=1e-3
        Step size of Adam.
    alpha : float, default=1e-4
        Weight of the L2 penalty.
    max_iter : int, default=200
        Epochs at most; from 200 rows on, a tenth of them decides when to stop.
    random_state : int, RandomState or None
        Seed.

    Warnings
    --------
    Needs more rows than the linear models to be worth its parameters. Its
    decisions at one half are made for Hamming loss, not for F-measures; see
    `ThresholdedClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> Y = (X[:, :2] > 0).astype(int)
    >>> model = MultiLabelMLP((20,), learning_rate=0.01, random_state=0).fit(X, Y)
    >>> bool((model.predict(X) == Y).mean() > 0.9)
    True
    """

    def __init__(
        self,
        hidden: Sequence[int] = (100,),
        *,
        learning_rate: float = 1e-3,
        alpha: float = 1e-4,
        max_iter: int = 200,
        random_state: Any = None,
    ) -> None:
        self.hidden = hidden
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state

    def _make(self) -> Any:
        return make_pipeline(
            MaxAbsScaler() if self._sparse else StandardScaler(),
            MLPClassifier(
                tuple(self.hidden),
                learning_rate_init=self.learning_rate,
                alpha=self.alpha,
                max_iter=check_count("max_iter", self.max_iter),
                early_stopping=self._rows >= 200,
                random_state=check_random_state(self.random_state).randint(2**31),
            ),
        )

    def _fit(self, X: Any, Y: ByteArray) -> None:
        self._sparse, self._rows = sparse.issparse(X), X.shape[0]
        super()._fit(X, Y)
