"""XGBoost."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import xgboost

from caveat.models._base import Lesson
from caveat.models._boosted import Boosted
from caveat.models._tasks import is_classification
from caveat.models.files._pack import Pack


@dataclass(eq=False, repr=False)
class XGBoost(Boosted):
    """Gradient boosting with second derivatives, level by level.

    Categories become numbers in sorted order, an unseen one -1; missing numbers
    stay missing. Defaults: the library's, with 300 trees and a learning rate of 0.1;
    the feature-shift study's own (10,000 stumps) are an additive model.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_estimators : int, default=300
        How many rounds of trees.
    learning_rate : float, default=0.1
        How much of each round is kept.
    max_depth : int, default=6
        Deepest level of a tree.
    min_child_weight : float, default=1.0
        Least sum of second derivatives in a leaf.
    subsample, colsample_bytree : float, default=1.0
        Share of rows and of columns that a tree sees.
    class_weight : "balanced", mapping of label to weight, or None, default=None
        How much the rows of each class count.
    validation : float or None, default=None
        Share of rows held out to stop early where `fit` is not told; None grows all
        trees.
    patience : int, default=50
        With validation rows: stop after so many rounds that are no better on them.
    mask_rate : float, default=0.0
        Share of training rows that lose columns: so many rows are added, and what they
        lost is missing. Training for loss; the model then offers `predict_masked`.
    options : mapping or None, default=None
        Further keywords for the library's estimator. A regression learns numbers in
        standard deviations from their mean, unless the loss is one of yours.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Seeds the subsamples.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    estimator_ : fitted XGBClassifier or XGBRegressor

    Warnings
    --------
    Where the training rows had no missing number, one at test time always goes to
    the same side of each split, whatever the split is about. Works in single
    precision: numbers that differ beyond the seventh digit are one number.

    References
    ----------
    .. [1] T. Chen, C. Guestrin (2016). XGBoost: a scalable tree boosting system. KDD.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from caveat.models import XGBoost
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> round(XGBoost(n_estimators=20, random_state=0).fit(X, y).score(X, y), 2)
    1.0
    """

    single_precision: ClassVar[bool] = True
    library_errors: ClassVar[tuple[type[Exception], ...]] = (xgboost.core.XGBoostError,)

    _: KW_ONLY
    n_estimators: int = 300
    learning_rate: float = 0.1
    max_depth: int = 6
    min_child_weight: float = 1.0
    subsample: float = 1.0
    colsample_bytree: float = 1.0

    def _build(self, seed: int, n_rows: int) -> Any:
        classify = is_classification(self.task)
        kind = xgboost.XGBClassifier if classify else xgboost.XGBRegressor
        settings = {
            "n_estimators": self.n_estimators,
            "learning_rate": self.learning_rate,
            "max_depth": self.max_depth,
            "min_child_weight": self.min_child_weight,
            "subsample": self.subsample,
            "colsample_bytree": self.colsample_bytree,
            "random_state": seed,
            "verbosity": 0,
        }
        return kind(**{**settings, **(self.options or {}), "n_jobs": 1})

    def _learn(self, lesson: Lesson) -> Any:
        watch = lesson.watch
        if watch is None:
            return super()._learn(lesson)
        estimator = self._build(lesson.seed, len(lesson.target))
        weighed = None if watch.weights is None else [watch.weights]
        return estimator.set_params(early_stopping_rounds=self.patience).fit(
            lesson.table,
            lesson.target,
            sample_weight=lesson.weights,
            eval_set=[(watch.table, watch.target)],
            sample_weight_eval_set=weighed,
            verbose=False,
        )

    def _pack(self) -> Pack:
        raw = self.estimator_.get_booster().save_raw("ubj")
        return Pack(files={"xgboost.ubj": bytes(raw)})

    def _unpack(self, pack: Pack) -> None:
        self.estimator_ = self._build(0, 0)
        self.estimator_.load_model(bytearray(pack.files["xgboost.ubj"]))
