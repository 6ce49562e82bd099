"""Gradient boosting on binned columns, as scikit-learn does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import ensemble
from threadpoolctl import ThreadpoolController

from caveat.models._base import CODES, Lesson, TabularModel
from caveat.models._tasks import is_classification
from caveat.models.files._pack import Pack
from caveat.models.files._stored_trees import StoredTrees, pack_boosting


@cache
def _threads() -> ThreadpoolController:
    # scikit-learn takes all cores here and has no n_jobs. Looking for the thread
    # pools costs milliseconds, holding them back costs microseconds: look once.
    return ThreadpoolController()


@dataclass(eq=False, repr=False)
class HistGradientBoosting(TabularModel):
    """scikit-learn's histogram gradient boosting.

    Categories become numbers in sorted order, an unseen one -1; missing numbers
    stay missing, and each split learns which way they go.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    max_iter : int, default=100
        How many rounds of trees; with validation rows, as many of them as are best
        there.
    learning_rate : float, default=0.1
        How much of each round is kept.
    max_leaf_nodes : int or None, default=31
        Most leaves of a tree.
    min_samples_leaf : int, default=20
        Fewest rows in a leaf.
    l2_regularization : float, default=0.0
        Penalty on large leaf values.
    class_weight : "balanced", mapping of label to weight, or None, default=None
        How much the rows of each class count.
    validation : float or None, default=None
        Share of rows held out to choose the rounds where `fit` is not told; None keeps
        all rounds.
    mask_rate : float, default=0.0
        Share of training rows that lose columns: so many rows are added, and what they
        lost is missing. Training for loss; the model then offers `predict_masked`.
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
    stops_early: ClassVar[bool] = True

    task: str = "classification"
    _: KW_ONLY
    max_iter: int = 100
    learning_rate: float = 0.1
    max_leaf_nodes: int | None = 31
    min_samples_leaf: int = 20
    l2_regularization: float = 0.0
    class_weight: str | Mapping[Any, float] | None = None
    validation: float | None = None
    mask_rate: float = 0.0
    kinds: Mapping[str, str] | None = None
    random_state: Any = None

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

    def _learn(self, lesson: Lesson) -> Any:
        self._empty = np.isnan(lesson.table).all(axis=0)
        self._without_gaps(lesson.table)
        with _threads().limit(limits=1, user_api="openmp"):
            estimator = super()._learn(lesson)
            if lesson.watch is not None:
                # The rounds before the best one are the same in a shorter run.
                best = self._best_round(estimator, lesson.watch)
                told = {"sample_weight": lesson.weights}
                estimator = estimator.set_params(max_iter=best)
                estimator.fit(lesson.table, lesson.target, **told)
        self.n_iter_ = int(estimator.n_iter_)
        return estimator

    def _best_round(self, estimator: Any, watch: Lesson) -> int:
        """Count the rounds after which the loss on the validation rows is least."""
        table = self._without_gaps(watch.table)
        rows = np.arange(len(watch.target))
        if is_classification(self.task):
            losses = [
                -np.log(np.maximum(proba[rows, watch.target], 1e-15))
                for proba in estimator.staged_predict_proba(table)
            ]
        else:
            stages = estimator.staged_predict(table)
            losses = [(numbers - watch.target) ** 2 for numbers in stages]
        means = [np.average(loss, weights=watch.weights) for loss in losses]
        return int(np.argmin(means)) + 1

    def _answer(self, table: Any) -> ArrayLike:
        with _threads().limit(limits=1, user_api="openmp"):
            return super()._answer(self._without_gaps(table))

    def _pack(self) -> Pack:
        if isinstance(self.estimator_, StoredTrees):
            pack = self.estimator_.pack
        else:
            classify = is_classification(self.task)
            pack = pack_boosting(self.estimator_, classify=classify)
        return Pack(pack.facts, {**pack.arrays, "empty": self._empty})

    def _unpack(self, pack: Pack) -> None:
        self._empty = pack.arrays["empty"]
        self.estimator_ = StoredTrees(pack)
