"""CatBoost, which reads categories as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import catboost
import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from caveat.models._base import Lesson
from caveat.models._boosted import Boosted
from caveat.models._tasks import is_classification
from caveat.models.files._pack import Pack, pack_dummy, unpack_dummy


@dataclass(eq=False, repr=False)
class CatBoost(Boosted):
    """Gradient boosting with symmetric trees and ordered target statistics.

    Text columns go in as categories (`cat_features`), a missing category is a
    category of its own, missing numbers stay missing. The defaults are those of the
    feature-shift study, which fed integer codes instead.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    iterations : int, default=500
        How many trees.
    learning_rate : float, default=0.01
        How much of each tree is kept.
    depth : int, default=4
        Levels of a tree.
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
        Seeds permutations and bootstrap weights.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    estimator_ : fitted CatBoostClassifier or CatBoostRegressor
        Or the dummy, if no column or the target has two values: CatBoost refuses that.

    Warnings
    --------
    The small learning rate under-fits large tables with 500 trees. A category that
    training never saw gets the statistics of an average row.

    References
    ----------
    .. [1] L. Prokhorenkova et al. (2018). CatBoost: unbiased boosting with
       categorical features. NeurIPS.

    Examples
    --------
    >>> import pandas as pd
    >>> from caveat.models import CatBoost
    >>> X = pd.DataFrame({"colour": ["red", "blue"] * 20, "size": range(40)})
    >>> model = CatBoost(iterations=20, random_state=0).fit(X, ["warm", "cold"] * 20)
    >>> model.predict(X[:2]).tolist()
    ['warm', 'cold']
    """

    encoding: ClassVar[Mapping[str, Any]] = {
        "categories": "keep",
        "scale": None,
        "impute": None,
    }
    library_errors: ClassVar[tuple[type[Exception], ...]] = (catboost.CatBoostError,)

    _: KW_ONLY
    iterations: int = 500
    learning_rate: float = 0.01
    depth: int = 4

    def _build(self, seed: int, n_rows: int) -> Any:
        classify = is_classification(self.task)
        kind = catboost.CatBoostClassifier if classify else catboost.CatBoostRegressor
        settings = {
            "iterations": self.iterations,
            "learning_rate": self.learning_rate,
            "depth": self.depth,
            "random_seed": seed,
            "verbose": False,
            # CatBoost would leave a folder of logs where the user stands.
            "allow_writing_files": False,
        }
        return kind(**{**settings, **(self.options or {}), "thread_count": 1})

    def _learn(self, lesson: Lesson) -> Any:
        alike = (lesson.table.nunique(dropna=False) < 2).all()
        if alike or np.ptp(lesson.target) == 0:
            classify = is_classification(self.task)
            constant = DummyClassifier() if classify else DummyRegressor()
            return constant.fit(lesson.table, lesson.target, lesson.weights)
        told: dict[str, Any] = {}
        if lesson.watch is not None:
            told = {"eval_set": _pool(lesson.watch), "use_best_model": True}
            told["early_stopping_rounds"] = self.patience
        return self._build(lesson.seed, len(lesson.target)).fit(_pool(lesson), **told)

    def _pack(self) -> Pack:
        if isinstance(self.estimator_, DummyClassifier | DummyRegressor):
            return pack_dummy(self.estimator_)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "model.cbm"
            self.estimator_.save_model(str(path))
            return Pack(files={"catboost.cbm": path.read_bytes()})

    def _unpack(self, pack: Pack) -> None:
        if "dummy" in pack.facts:
            self.estimator_ = unpack_dummy(pack)
            return
        self.estimator_ = self._build(0, 0)
        self.estimator_.load_model(blob=pack.files["catboost.cbm"])


def _pool(lesson: Lesson) -> catboost.Pool:
    texts = lesson.table.select_dtypes(exclude="number").columns.tolist()
    return catboost.Pool(
        lesson.table, lesson.target, cat_features=texts, weight=lesson.weights
    )
