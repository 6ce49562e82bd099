"""Gradient boosting on binned columns, as scikit-learn does it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import ensemble
from threadpoolctl import ThreadpoolController

from caveat.models._base import CODES, TabularModel
from caveat.models._tasks import is_classification


@cache
def _threads() -> ThreadpoolController:
    # scikit-learn takes all cores here and has no n_jobs. Looking for the thread
    # pools costs milliseconds, holding them back costs microseconds: look once.
    return ThreadpoolController()


class HistGradientBoosting(TabularModel):
    """scikit-learn's histogram gradient boosting.

    Categories become numbers in sorted order, an unseen one -1; missing numbers
    stay missing, and each split learns which way they go.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    max_iter : int, default=100
        How many rounds of trees; none is stopped early.
    learning_rate : float, default=0.1
        How much of each round is kept.
    max_leaf_nodes : int or None, default=31
        Most leaves of a tree.
    min_samples_leaf : int, default=20
        Fewest rows in a leaf.
    l2_regularization : float, default=0.0
        Penalty on large leaf values.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Seeds the choice of bin edges on large tables.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    n_iter_ : int
        Rounds of trees that were grown.
    estimator_ : fitted HistGradientBoostingClassifier or -Regressor

    Warnings
    --------
    With fewer than 40 rows no split keeps 20 rows on both sides: the model is the
    dummy then, unless `min_samples_leaf` is lowered. Where the training rows had no
    missing number, one at test time follows the larger child of each split.

    References
    ----------
    .. [1] G. Ke et al. (2017). LightGBM: a highly efficient gradient boosting
       decision tree. NeurIPS.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from caveat.models import HistGradientBoosting
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = HistGradientBoosting(max_iter=20, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 2)
    1.0
    """

    encoding: ClassVar[Mapping[str, Any]] = CODES

    def __init__(
        self,
        task: str = "classification",
        *,
        max_iter: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        kinds: Mapping[str, str] | None = None,
        random_state: Any = None,
    ) -> None:
        self.task = task
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.kinds = kinds
        self.random_state = random_state

    def _build(self, seed: int, n_rows: int) -> Any:
        kind = (
            ensemble.HistGradientBoostingClassifier
            if is_classification(self.task)
            else ensemble.HistGradientBoostingRegressor
        )
        return kind(
            max_iter=self.max_iter,
            learning_rate=self.learning_rate,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            l2_regularization=self.l2_regularization,
            early_stopping=False,
            random_state=seed,
        )

    def _without_gaps(self, table: NDArray[Any]) -> NDArray[Any]:
        # scikit-learn cannot bin a column without a value; a constant says as little.
        table[:, self._empty] = 0.0
        return table

    def _learn(self, table: Any, target: NDArray[Any], seed: int) -> Any:
        self._empty = np.isnan(table).all(axis=0)
        with _threads().limit(limits=1, user_api="openmp"):
            estimator = super()._learn(self._without_gaps(table), target, seed)
        self.n_iter_ = int(estimator.n_iter_)
        return estimator

    def _answer(self, table: Any) -> ArrayLike:
        with _threads().limit(limits=1, user_api="openmp"):
            return super()._answer(self._without_gaps(table))
