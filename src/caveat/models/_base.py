"""What all tabular models share: a raw table in, columns found by name."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
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
from caveat.models._absence import Gone, blank, gone_matrix, owners, random_absence
from caveat.models._holdout import hold_out
from caveat.models._targets import TargetScale, check_labels, check_numbers, known_codes
from caveat.models._tasks import TASKS, check_task, is_classification
from caveat.models._weights import class_weights, row_weights
from caveat.models.files._pack import Pack
from caveat.tables import TableEncoder, remember_columns

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


Validation = float | tuple[Any, Any] | None


@dataclass(frozen=True)
class Lesson:
    """What a model learns from: encoded rows, and those that say when to stop.

    Attributes
    ----------
    table : array or DataFrame
    target : array
        Codes of classes, or numbers.
    weights : array or None
        How much each row counts.
    seed : int
    watch : Lesson or None
        Rows that are not learnt from: their loss says when it is enough.
    """

    table: Any
    target: NDArray[Any]
    weights: NDArray[np.float64] | None
    seed: int
    watch: Lesson | None = None

    def of(self, rows: NDArray[np.intp], watch: Lesson | None = None) -> Lesson:
        """Take some of the rows."""
        table = self.table
        part = table.iloc[rows] if isinstance(table, pd.DataFrame) else table[rows]
        weights = None if self.weights is None else self.weights[rows]
        return Lesson(part, self.target[rows], weights, self.seed, watch)

    def counted(self) -> Lesson:
        """Leave out what weighs nothing."""
        watch = self.watch and self.watch.counted()
        if self.weights is None or self.weights.all():
            return replace(self, watch=watch)
        return self.of(np.flatnonzero(self.weights), watch)

    def joined(self, table: Any, other: Lesson, watch: Lesson | None) -> Lesson:
        """Add rows: another table, with target and weights of another lesson."""
        frames = isinstance(table, pd.DataFrame)
        together: Any = (
            pd.concat([self.table, table], ignore_index=True)
            if frames
            else np.concatenate([self.table, table])
        )
        target = np.concatenate([self.target, other.target])
        weights = None
        if self.weights is not None and other.weights is not None:
            weights = np.concatenate([self.weights, other.weights])
        return Lesson(together, target, weights, self.seed, watch)


def _classifies(model: TabularModel) -> bool:
    return is_classification(model.task)


def _knows_loss(model: TabularModel) -> bool:
    return model.mask_rate > 0 or model.mask_bits


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
    validation_rows_ : array of int
        Which training rows were held out to stop early; none if nothing was.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if `X` was a frame whose names are text.
    """

    encoding: ClassVar[Mapping[str, Any]] = {}
    tasks: ClassVar[tuple[str, ...]] = TASKS
    fewest_classes: ClassVar[int] = 2
    single_precision: ClassVar[bool] = False
    library_errors: ClassVar[tuple[type[Exception], ...]] = ()
    # Whether rows may weigh more or less, and whether it can stop early; which share
    # of the rows is held out for that where the caller of `fit` does not say.
    weighs: ClassVar[bool] = True
    stops_early: ClassVar[bool] = False
    validation: float | None = None
    # Whether the numbers of a regression are standardised before they are learnt: where
    # the library has single precision, or stops at a gain that is small in its eyes.
    scales_target: ClassVar[bool] = False
    class_weight: str | Mapping[Any, float] | None = None
    # Training for loss: how many rows lose columns, whether a model is told which, and
    # whether rows without columns are added to the table before it learns.
    mask_rate: float = 0.0
    mask_bits: bool = False
    masks_rows: ClassVar[bool] = True

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

    def _learn(self, lesson: Lesson) -> Any:
        """Fit the estimator to the encoded table."""
        told = {} if lesson.weights is None else {"sample_weight": lesson.weights}
        estimator = self._build(lesson.seed, len(lesson.target))
        return estimator.fit(lesson.table, lesson.target, **told)

    def _pack(self) -> Pack:
        """Say what of the fitted estimator goes into a file."""
        raise InvalidInput(
            f"{type(self).__name__} cannot be saved without pickle; keep its training "
            "rows and fit it again"
        )

    def _unpack(self, pack: Pack) -> None:
        """Make the fitted estimator again."""
        raise NotImplementedError

    def _answer(self, table: Any) -> ArrayLike:
        """Give probabilities or numbers for the encoded table."""
        if is_classification(self.task):
            return self.estimator_.predict_proba(table)
        return self.estimator_.predict(table)

    def fit(
        self,
        X: ArrayLike | pd.DataFrame,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        time: ArrayLike | None = None,
        validation: Validation = None,
    ) -> Self:
        """Learn from a raw table.

        Networks and boosting can stop when they get no better on rows that they do not
        learn from. `groups`, `time` and `validation` say which rows those are; other
        models learn from all rows of `X` and do not look at these three.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            Numbers, text, booleans and missing cells, as they are.
        y : array-like of shape (n_rows,)
            Labels or numbers.
        sample_weight : array-like of shape (n_rows,) or None
            How much each row counts; one that weighs nothing is not learnt from.
        groups : array-like of shape (n_rows,) or None
            Rows of one group are learnt from or held out together.
        time : array-like of shape (n_rows,) or None
            The latest rows are held out.
        validation : float, pair (X, y) or None
            The share of rows to hold out, drawn once and told in `validation_rows_`; or
            rows of your own. None is what the model was made with: a fifth for
            networks, and nothing for boosting, which then grows all its trees.
        """
        check_task(self.task, self.tasks, type(self).__name__)
        self.encoder_ = TableEncoder(kinds=self.kinds, **self.encoding)
        encoded = self._in_range(self.encoder_.fit_transform(X))
        remember_columns(self, self.encoder_)
        target = self._check_target(y, encoded.shape[0])
        # Drawn even where nothing is random, so that all models draw alike.
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        lesson = self._lesson(encoded, target, seed, sample_weight)
        if self.stops_early:
            lesson = self._watched(lesson, groups, time, validation)
        else:
            self.validation_rows_ = np.arange(0)
        rate: Any = self.mask_rate
        if not isinstance(rate, Real) or not 0 <= float(rate) < 1:
            raise InvalidInput(
                f"mask_rate is {rate!r}; pass a share from 0 up to below 1"
            )
        if self.mask_rate and self.masks_rows:
            lesson = self._with_losses(lesson)
        try:
            self.estimator_ = self._learn(lesson)
        except self.library_errors as error:
            reason = str(error).strip().splitlines()[0]
            raise InvalidInput(
                f"{type(self).__name__} cannot learn with these parameters from this "
                f"table ({reason}); change the one or the other"
            ) from error
        return self

    def _lesson(
        self, table: Any, target: NDArray[Any], seed: int, sample_weight: Any
    ) -> Lesson:
        if sample_weight is not None and not self.weighs:
            raise InvalidInput(
                f"{type(self).__name__} cannot weigh rows; leave sample_weight out, or "
                "choose another model"
            )
        classes = self.classes_ if is_classification(self.task) else None
        weights = row_weights(sample_weight, self.class_weight, target, classes)
        counted = target if weights is None else target[weights > 0]
        self.target_scale_ = self._scale(counted)
        return Lesson(table, self.target_scale_.apply(target), weights, seed)

    def _scale(self, target: NDArray[Any]) -> TargetScale:
        """Say how far the target is moved and stretched, if at all."""
        scaled = self.scales_target and not is_classification(self.task)
        return TargetScale.of(target) if scaled else TargetScale()

    def _watched(
        self, lesson: Lesson, groups: Any, time: Any, validation: Validation
    ) -> Lesson:
        """Hold rows out, or take those that were given."""
        self.validation_rows_ = np.arange(0)
        if isinstance(validation, tuple | list):
            X, y = validation
            watch = self._lesson_of(X, y, lesson)
            everything = np.arange(len(lesson.target))
            return lesson.of(everything, watch)
        share = self.validation if validation is None else validation
        if share is None:
            return lesson
        classify = is_classification(self.task)
        held = hold_out(
            lesson.target,
            share,
            classify=classify,
            seed=lesson.seed,
            groups=groups,
            time=time,
            weights=lesson.weights,
        )
        if not len(held):
            return lesson
        self.validation_rows_ = held
        learnt = np.setdiff1d(np.arange(len(lesson.target)), held)
        return lesson.of(learnt, lesson.of(held))

    def _lesson_of(self, X: Any, y: ArrayLike, lesson: Lesson) -> Lesson:
        """Encode rows with labels or numbers that are not learnt from."""
        table = self._in_range(self.encoder_.transform(X))
        who = type(self).__name__
        if is_classification(self.task):
            codes = known_codes(y, self.classes_, table.shape[0])
            if self.class_weight is None:
                return Lesson(table, codes, None, lesson.seed)
            weights = class_weights(self.class_weight, lesson.target, self.classes_)
            return Lesson(table, codes, weights[codes], lesson.seed)
        numbers = check_numbers(y, table.shape[0], who)
        return Lesson(table, self.target_scale_.apply(numbers), None, lesson.seed)

    def _with_losses(self, lesson: Lesson) -> Lesson:
        """Add rows that have lost columns, until they are the share `mask_rate`."""
        rng = np.random.default_rng([lesson.seed, 2])
        count = len(lesson.target)
        more = round(count * self.mask_rate / (1 - self.mask_rate))
        drawn = lesson.of(rng.integers(count, size=more))
        gone = random_absence(more, self.n_features_in_, rng)
        lost = blank(drawn.table, owners(self.encoder_), gone)
        watch = lesson.watch and self._with_losses(lesson.watch)
        return lesson.joined(lost, drawn, watch)

    @available_if(_knows_loss)
    def predict_masked(self, X: Any, gone: Any) -> NDArray[np.float64]:
        """Answer rows whose columns are gone: no cell of theirs is looked at.

        An absent column is not a missing cell. Offered by models that were trained for
        loss (`mask_rate`), and by networks that are told of it (`mask_bits`).

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            A frame may lack columns that are gone by name.
        gone : names of columns, or bool array
            Of shape (n_columns,) or (n_rows, n_columns), in the order of `X`.

        Returns
        -------
        array
            Probabilities (n_rows, n_classes), or numbers (n_rows,).
        """
        check_is_fitted(self, "estimator_")
        columns = list(self.encoder_.columns_)
        order = columns
        if isinstance(X, pd.DataFrame) and self.encoder_.by_name_:
            names = set() if np.asarray(gone).dtype == bool else set(gone)
            absent = [name for name in columns if name not in X.columns]
            if names.issuperset(absent):
                X = X.assign(**dict.fromkeys(absent, np.nan))
            order = [str(name) for name in X.columns]
        table = self._encode(X)
        away = gone_matrix(gone, columns, table.shape[0], order=order)
        answer = self._answer_without(table, away)
        if not is_classification(self.task):
            return self._numbers(answer)
        proba = np.asarray(answer, dtype=np.float64)
        return proba / proba.sum(axis=1, keepdims=True)

    def _answer_without(self, table: Any, gone: Gone) -> ArrayLike:
        return self._answer(blank(table, owners(self.encoder_), gone))

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
        return self._numbers(self._answer(self._encode(X)))

    def _numbers(self, answer: ArrayLike) -> NDArray[np.float64]:
        """Give the answers of a regression in the units of the target."""
        numbers = np.asarray(answer, dtype=np.float64).ravel()
        return self.target_scale_.undo(numbers)

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


class Remembering(TabularModel):
    """Base of models whose training rows are the model: fitting them is remembering."""

    weighs: ClassVar[bool] = False

    def _learn(self, lesson: Lesson) -> Any:
        self._lesson_kept = lesson
        return super()._learn(lesson)

    def _pack(self) -> Pack:
        kept = self._lesson_kept
        arrays = {"table": np.asarray(kept.table), "target": kept.target}
        return Pack({"seed": kept.seed}, arrays)

    def _unpack(self, pack: Pack) -> None:
        table, target = pack.arrays["table"], pack.arrays["target"]
        lesson = Lesson(table, target, None, pack.facts["seed"])
        self.estimator_ = self._learn(lesson)
