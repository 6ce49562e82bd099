"""A multi-layer perceptron that needs nothing but scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from numpy.typing import NDArray
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import StandardScaler

from caveat.models._base import ONE_HOT, TabularModel
from caveat.models._tasks import is_classification


class MLP(TabularModel):
    """Layers of rectified linear units, trained by Adam.

    Columns are standardised or one-hot; for a regression the target is
    standardised, too, and the answers are scaled back.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    hidden : sequence of int, default=(100,)
        Width of each hidden layer.
    learning_rate : float, default=1e-3
        Step size of Adam.
    alpha : float, default=1e-4
        Strength of the L2 penalty.
    batch_size : int, default=200
        Rows in a step; at most as many as there are.
    max_iter : int, default=200
        Most passes over the training rows.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Seeds the first weights and the order of the rows.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    n_iter_ : int
        Passes over the rows; if `max_iter`, training was cut short.
    estimator_ : fitted MLPClassifier, or MLPRegressor with a scaled target

    Warnings
    --------
    Over-confident far away from the training rows. Its answers depend on the seed:
    judge it on several.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from caveat.models import MLP
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = MLP(learning_rate=0.01, max_iter=60, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    encoding: ClassVar[Mapping[str, Any]] = ONE_HOT

    def __init__(
        self,
        task: str = "classification",
        *,
        hidden: Sequence[int] = (100,),
        learning_rate: float = 1e-3,
        alpha: float = 1e-4,
        batch_size: int = 200,
        max_iter: int = 200,
        kinds: Mapping[str, str] | None = None,
        random_state: Any = None,
    ) -> None:
        self.task = task
        self.hidden = hidden
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.kinds = kinds
        self.random_state = random_state

    def _build(self, seed: int, n_rows: int) -> Any:
        settings = {
            "hidden_layer_sizes": tuple(self.hidden),
            "learning_rate_init": self.learning_rate,
            "alpha": self.alpha,
            "batch_size": min(self.batch_size, n_rows),
            "max_iter": self.max_iter,
            "random_state": seed,
        }
        if is_classification(self.task):
            return MLPClassifier(**settings)
        return TransformedTargetRegressor(
            MLPRegressor(**settings), transformer=StandardScaler()
        )

    def _learn(self, table: Any, target: NDArray[Any], seed: int) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            estimator = super()._learn(table, target, seed)
        self.n_iter_ = int(getattr(estimator, "regressor_", estimator).n_iter_)
        return estimator
