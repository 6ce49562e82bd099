"""LightGBM."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from inspect import signature
from typing import Any, ClassVar

import lightgbm

from caveat.models._base import Lesson
from caveat.models._boosted import Boosted
from caveat.models._tasks import is_classification
from caveat.models.files._foreign import Booster
from caveat.models.files._pack import Pack


@dataclass(eq=False, repr=False)
class LightGBM(Boosted):
    """Gradient boosting with trees that grow leaf by leaf.

    Categories become numbers in sorted order, an unseen one -1; missing numbers
    stay missing. The defaults are those of the feature-shift study.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_estimators : int, default=100
        How many rounds of trees.
    learning_rate : float, default=0.1
        How much of each round is kept.
    num_leaves : int, default=31
        Most leaves of a tree.
    min_data_in_leaf : int, default=20
        Fewest rows in a leaf.
    min_sum_hessian_in_leaf : float, default=1e-3
        Least sum of second derivatives in a leaf.
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
        Seeds what `options` may make random; the defaults are not.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    estimator_ : fitted LGBMClassifier or LGBMRegressor

    Warnings
    --------
    With fewer than 40 rows no split keeps 20 rows on both sides: the model is the
    dummy then, unless `min_data_in_leaf` is lowered.

    References
    ----------
    .. [1] G. Ke et al. (2017). LightGBM: a highly efficient gradient boosting
       decision tree. NeurIPS.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from caveat.models import LightGBM
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> round(LightGBM(n_estimators=20, random_state=0).fit(X, y).score(X, y), 2)
    1.0
    """

    library_errors: ClassVar[tuple[type[Exception], ...]] = (
        lightgbm.basic.LightGBMError,
    )

    _: KW_ONLY
    n_estimators: int = 100
    learning_rate: float = 0.1
    num_leaves: int = 31
    min_data_in_leaf: int = 20
    min_sum_hessian_in_leaf: float = 1e-3

    def _build(self, seed: int, n_rows: int) -> Any:
        classify = is_classification(self.task)
        kind = lightgbm.LGBMClassifier if classify else lightgbm.LGBMRegressor
        settings = {
            "n_estimators": self.n_estimators,
            "learning_rate": self.learning_rate,
            "num_leaves": self.num_leaves,
            "min_child_samples": self.min_data_in_leaf,
            "min_child_weight": self.min_sum_hessian_in_leaf,
            "random_state": seed,
            "deterministic": True,
            "force_col_wise": True,
            "verbose": -1,
        }
        return kind(**{**settings, **(self.options or {}), "n_jobs": 1})

    def _learn(self, lesson: Lesson) -> Any:
        watch = lesson.watch
        if watch is None:
            return super()._learn(lesson)
        stop = lightgbm.early_stopping(self.patience, verbose=False)
        weighed = None if watch.weights is None else [watch.weights]
        estimator = self._build(lesson.seed, len(lesson.target))
        # Since 4.7 the rows go in apart, and the pair is deprecated.
        held: dict[str, Any] = {"eval_set": [(watch.table, watch.target)]}
        if "eval_X" in signature(estimator.fit).parameters:
            held = {"eval_X": (watch.table,), "eval_y": (watch.target,)}
        return estimator.fit(
            lesson.table,
            lesson.target,
            sample_weight=lesson.weights,
            eval_sample_weight=weighed,
            callbacks=[stop],
            **held,
        )

    def _pack(self) -> Pack:
        booster = getattr(self.estimator_, "booster_", None) or self.estimator_.booster
        return Pack(files={"lightgbm.txt": booster.model_to_string().encode()})

    def _unpack(self, pack: Pack) -> None:
        text = pack.files["lightgbm.txt"].decode()
        self.estimator_ = Booster(lightgbm.Booster(model_str=text))
