"""What all tabular models share: a raw table in, columns found by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags, Tags, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from caveat.exceptions import InvalidInput, listing
from caveat.models._encoding import TableEncoder
from caveat.models._targets import check_labels, check_numbers
from caveat.models._tasks import TASKS, check_task, is_classification


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
        Only if `X` was a frame.
    """

    encoding: ClassVar[Mapping[str, Any]] = {}
    tasks: ClassVar[tuple[str, ...]] = TASKS
    fewest_classes: ClassVar[int] = 2

    def __init__(
        self, task: str = "classification", *, random_state: Any = None
    ) -> None:
        self.task = task
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
        frame = self._training_table(X)
        target = self._training_target(y, len(frame))
        # Drawn even where nothing is random, so that all models draw alike.
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.encoder_ = TableEncoder(**self.encoding)
        encoded = self.encoder_.fit_transform(frame)
        self.estimator_ = self._learn(encoded, target, seed)
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
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        return np.asarray(self._answer(self._encode(X)), dtype=np.float64).ravel()

    def score(self, X: ArrayLike | pd.DataFrame, y: ArrayLike) -> float:
        """Give the accuracy of a classifier, the R² of a regressor."""
        measure = accuracy_score if is_classification(self.task) else r2_score
        return float(measure(y, self.predict(X)))

    def _encode(self, X: ArrayLike | pd.DataFrame) -> Any:
        check_is_fitted(self, "estimator_")
        return self.encoder_.transform(self._known_columns(X))

    def _training_table(self, X: ArrayLike | pd.DataFrame) -> pd.DataFrame:
        if not isinstance(X, pd.DataFrame):
            return self._table_of_array(X, reset=True)
        if not X.columns.is_unique:
            doubled = X.columns[X.columns.duplicated()].unique()
            raise InvalidInput(
                f"the table has several columns called {listing(doubled)}; "
                "give every column a name of its own"
            )
        if not len(X) or not X.shape[1]:
            raise InvalidInput(
                f"the table has {len(X)} rows and {X.shape[1]} columns; "
                "at least one of each is needed"
            )
        self.n_features_in_ = X.shape[1]
        self.feature_names_in_ = X.columns.to_numpy(dtype=object)
        return X

    def _known_columns(self, X: ArrayLike | pd.DataFrame) -> pd.DataFrame:
        """Find the training columns by name, or by position where there is none."""
        if not isinstance(X, pd.DataFrame) or not hasattr(self, "feature_names_in_"):
            return self._table_of_array(X, reset=False)
        lacking = [name for name in self.feature_names_in_ if name not in X.columns]
        if lacking:
            raise InvalidInput(
                f"the table lacks the columns {listing(lacking)} that "
                f"{type(self).__name__} learnt from; put imputed values in their place"
            )
        return X[list(self.feature_names_in_)]

    def _table_of_array(
        self, X: ArrayLike | pd.DataFrame, *, reset: bool
    ) -> pd.DataFrame:
        # A plain array: scikit-learn's own checks and messages apply.
        array = validate_data(
            self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan"
        )
        names = getattr(self, "feature_names_in_", None)
        return pd.DataFrame(array, columns=names).infer_objects()

    def _training_target(self, y: ArrayLike, n_rows: int) -> NDArray[Any]:
        if not is_classification(self.task):
            return check_numbers(y, n_rows, type(self).__name__)
        self.classes_, codes = check_labels(
            y, n_rows, type(self).__name__, fewest=self.fewest_classes
        )
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
