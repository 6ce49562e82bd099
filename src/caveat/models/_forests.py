"""Averages of many deep trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from sklearn import ensemble

from caveat.models._base import CODES, TabularModel
from caveat.models._tasks import is_classification
from caveat.models.files._pack import Pack
from caveat.models.files._stored_trees import StoredTrees, pack_forest


@dataclass(eq=False, repr=False)
class _Forest(TabularModel):
    encoding: ClassVar[Mapping[str, Any]] = CODES
    single_precision: ClassVar[bool] = True
    scales_target: ClassVar[bool] = True
    _kinds: ClassVar[tuple[type, type]]

    task: str = "classification"
    _: KW_ONLY
    n_estimators: int = 100
    max_features: str | float | None = "auto"
    max_depth: int | None = None
    min_samples_leaf: int | float = 1
    kinds: Mapping[str, str] | None = None
    random_state: Any = None

    def _build(self, seed: int, n_rows: int) -> Any:
        classifier, regressor = self._kinds
        classify = is_classification(self.task)
        automatic: Any = "sqrt" if classify else 1.0
        chosen = automatic if self.max_features == "auto" else self.max_features
        return (classifier if classify else regressor)(
            n_estimators=self.n_estimators,
            max_features=chosen,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            random_state=seed,
            n_jobs=1,
        )

    def _pack(self) -> Pack:
        if isinstance(self.estimator_, StoredTrees):
            return self.estimator_.pack
        return pack_forest(self.estimator_, classify=is_classification(self.task))

    def _unpack(self, pack: Pack) -> None:
        self.estimator_ = StoredTrees(pack)


class RandomForest(_Forest):
    """Trees grown on bootstrap samples, each split on its best threshold.

    Categories become numbers in sorted order, an unseen one -1; missing numbers
    stay missing, and each split learns which way they go.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_estimators : int, default=100
        How many trees.
    max_features : {"auto", "sqrt", "log2"}, int, float or None, default="auto"
        How many columns a split may choose from: "auto" takes the square root of
        their number for labels and all for numbers.
    max_depth : int or None, default=None
        Deepest level.
    min_samples_leaf : int or float, default=1
        Fewest rows (or share of rows) in a leaf.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Seeds samples and splits.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    estimator_ : fitted RandomForestClassifier or RandomForestRegressor

    Warnings
    --------
    Never answers outside of the range it has seen: no trend is continued. With few
    trees its probabilities are coarse; a category's number has no meaning of order.

    References
    ----------
    .. [1] L. Breiman (2001). Random forests. Machine Learning 45(1).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from caveat.models import RandomForest
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = RandomForest(n_estimators=20, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 2)
    1.0
    """

    _kinds = (ensemble.RandomForestClassifier, ensemble.RandomForestRegressor)


class ExtraTrees(_Forest):
    """Trees grown on all rows, each split on the best of random thresholds.

    Categories become numbers in sorted order, an unseen one -1; missing numbers
    stay missing, and each split sends them one way.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_estimators : int, default=100
        How many trees.
    max_features : {"auto", "sqrt", "log2"}, int, float or None, default="auto"
        How many columns a split may choose from: "auto" takes the square root of
        their number for labels and all for numbers.
    max_depth : int or None, default=None
        Deepest level.
    min_samples_leaf : int or float, default=1
        Fewest rows (or share of rows) in a leaf.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Seeds the splits.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    estimator_ : fitted ExtraTreesClassifier or ExtraTreesRegressor

    Warnings
    --------
    Fits its training rows without error, so its training score says nothing. Never
    answers outside of the range it has seen.

    References
    ----------
    .. [1] P. Geurts, D. Ernst, L. Wehenkel (2006). Extremely randomized trees.
       Machine Learning 63(1).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from caveat.models import ExtraTrees
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = ExtraTrees(n_estimators=20, random_state=0).fit(X, y)
    >>> round(model.score(X, y), 2)
    1.0
    """

    _kinds = (ensemble.ExtraTreesClassifier, ensemble.ExtraTreesRegressor)
