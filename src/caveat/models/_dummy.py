"""The model that never looks at the columns."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils import Tags

from caveat.models._base import TabularModel
from caveat.models._tasks import is_classification
from caveat.models.files._pack import Pack, pack_dummy, unpack_dummy


class Dummy(TabularModel):
    """Shares of the classes, or the mean: what is known without any column.

    Classification predicts the largest class, with the classes' shares in the
    training rows as probabilities; regression predicts the training mean.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Without effect; here so that all models are made alike.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    estimator_ : fitted DummyClassifier or DummyRegressor

    Warnings
    --------
    Its accuracy is the share of the largest class: on unbalanced data that looks
    like skill. Its balanced accuracy (one over the number of classes) and its AUC
    (one half) tell the truth.

    Examples
    --------
    >>> from caveat.models import Dummy
    >>> model = Dummy().fit([[1], [2], [3]], ["no", "no", "yes"])
    >>> model.predict([[3]]).tolist(), model.predict_proba([[3]]).round(2).tolist()
    (['no'], [[0.67, 0.33]])
    """

    fewest_classes: ClassVar[int] = 1

    def _build(self, seed: int, n_rows: int) -> Any:
        if is_classification(self.task):
            return DummyClassifier(strategy="prior")
        return DummyRegressor(strategy="mean")

    def _pack(self) -> Pack:
        return pack_dummy(self.estimator_)

    def _unpack(self, pack: Pack) -> None:
        self.estimator_ = unpack_dummy(pack)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        for kind in (tags.classifier_tags, tags.regressor_tags):
            if kind is not None:
                kind.poor_score = True
        return tags
