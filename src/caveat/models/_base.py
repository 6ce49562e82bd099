"""What all tabular models share: a raw table in, columns found by name."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags, Tags, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from caveat.exceptions import InvalidInput, listing
from caveat.models._targets import check_labels, check_numbers
from caveat.models._tasks import TASKS, check_task, is_classification
from caveat.tables import TableEncoder

# For models that measure distances or multiply: a level is a direction of its own.
# A column of names would make as many directions as rows, so rare levels share one.
ONE_HOT: Mapping[str, Any] = {"categories": "onehot", "max_levels": 256}

# For trees that know what a missing cell is: nothing is filled in.
CODES: Mapping[str, Any] = {
    "categories": "ordinal",
    "scale": None,
    "impute": None,
    "missing_level": None,
}


def _classifies(model: TabularModel) -> bool:
    return is_classification(model.task)


class TabularModel(BaseEstimator):
    """Base of all models: encoding, class labels and columns by name.

    A model says how its table is encoded (`encoding`, keywords of
    `caveat.tables.TableEncoder`) and builds what learns from it (`_build`).
    Everything else happens here: columns are found by name, further columns are
    ignored, labels become the numbers 0, 1, ... and come back as labels.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    kinds : mapping of column to kind, or None
        ``numerical``, ``categorical`` or ``boolean`` where detection would err.
    random_state : int, RandomState instance or None
        Seeds all that is random in the fit.

    Attributes
    ----------
    classes_ : array
        The labels, sorted; classification only.
    encoder_ : TableEncoder
        Fitted on the training rows.
    estimator_ : estimator
        What learnt from the encoded table.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if `X` was a frame whose names are text.
    """

    encoding: ClassVar[Mapping[str, Any]] = {}
    tasks: ClassVar[tuple[str, ...]] = TASKS
    fewest_classes: ClassVar[int] = 2
    single_precision: ClassVar[bool] = False
    library_errors: ClassVar[tuple[type[Exception], ...]] = ()

    def __init__(
        self,
        task: str = "classification",
        *,
        kinds: Mapping[str, str] | None = None,
        random_state: Any = None,
    ) -> None:
        self.task = task
        self.kinds = kinds
        self.random_state = random_state

    def _build(self, seed: int, n_rows: int) -> Any:
        """Make the estimator that learns from the encoded table."""
        raise NotImplementedError

    def _learn(self, table: Any, target: NDArray[Any], seed: int) -> Any:
        """Fit the estimator to the encoded table."""
        return self._build(seed, len(target)).fit(table, target)

    def _answer(self, table: Any) -> ArrayLike:
        """Give probabilities or numbers for the encoded table."""
        if is_classification(self.task):
            return self.estimator_.predict_proba(table)
        return self.estimator_.predict(table)

    def fit(self, X: ArrayLike | pd.DataFrame, y: ArrayLike) -> Self:
        """Learn from a raw table.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            Numbers, text, booleans and missing cells, as they are.
        y : array-like of shape (n_rows,)
            Labels or numbers.
        """
        check_task(self.task, self.tasks, type(self).__name__)
        self.encoder_ = TableEncoder(kinds=self.kinds, **self.encoding)
        encoded = self._in_range(self.encoder_.fit_transform(X))
        self._remember_columns()
        target = self._check_target(y, encoded.shape[0])
        # Drawn even where nothing is random, so that all models draw alike.
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        try:
            self.estimator_ = self._learn(encoded, target, seed)
        except self.library_errors as error:
            reason = str(error).strip().splitlines()[0]
            raise InvalidInput(
                f"{type(self).__name__} cannot learn with these parameters from this "
                f"table ({reason}); change the one or the other"
            ) from error
        return self

    @available_if(_classifies)
    def predict_proba(self, X: ArrayLike | pd.DataFrame) -> NDArray[np.float64]:
        """Give each row's probability of each class, in the order of `classes_`."""
        proba = np.asarray(self._answer(self._encode(X)), dtype=np.float64)
        # Some libraries work in single precision, where rows miss 1 by a little.
        return proba / proba.sum(axis=1, keepdims=True)

    def predict(self, X: ArrayLike | pd.DataFrame) -> NDArray[Any]:
        """Give each row's most probable label (ties: the first), or its number."""
        if is_classification(self.task):
            best = self.predict_proba(X).argmax(axis=1)
            return self.classes_[best]
        return np.asarray(self._answer(self._encode(X)), dtype=np.float64).ravel()

    def score(self, X: ArrayLike | pd.DataFrame, y: ArrayLike) -> float:
        """Give the accuracy of a classifier, the R² of a regressor."""
        measure = accuracy_score if is_classification(self.task) else r2_score
        return float(measure(y, self.predict(X)))

    def _encode(self, X: ArrayLike | pd.DataFrame) -> Any:
        check_is_fitted(self, "estimator_")
        self._tell_extra(X)
        encoded = self.encoder_.transform(X)
        if not encoded.shape[0]:
            raise InvalidInput("the table has 0 rows; pass at least one")
        return self._in_range(encoded)

    def _tell_extra(self, X: ArrayLike | pd.DataFrame) -> None:
        if not isinstance(X, pd.DataFrame) or not self.encoder_.by_name_:
            return
        if X.shape[1] == self.n_features_in_:
            return
        known = set(self.encoder_.columns_)
        extra = [name for name in X.columns if str(name) not in known]
        if extra:
            warnings.warn(
                f"the table has the columns {listing(extra)}, which "
                f"{type(self).__name__} did not learn from; they are not used",
                stacklevel=4,
            )

    def _in_range(self, encoded: Any) -> Any:
        if not self.single_precision:
            return encoded
        # Trees see order only, so the ends of single precision can be pulled in; far
        # enough that a sum over the rows stays finite, too.
        return np.clip(encoded, -1e30, 1e30, out=encoded)

    def _remember_columns(self) -> None:
        self.n_features_in_ = self.encoder_.n_features_in_
        if hasattr(self.encoder_, "feature_names_in_"):
            self.feature_names_in_ = self.encoder_.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_target(self, y: ArrayLike, n_rows: int) -> NDArray[Any]:
        who = type(self).__name__
        if not is_classification(self.task):
            return check_numbers(y, n_rows, who)
        classes = check_labels(y, n_rows, who, fewest=self.fewest_classes)
        self.classes_, codes = classes
        return codes

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        classify = is_classification(self.task)
        tags.estimator_type = "classifier" if classify else "regressor"
        tags.classifier_tags = ClassifierTags() if classify else None
        tags.regressor_tags = None if classify else RegressorTags()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
