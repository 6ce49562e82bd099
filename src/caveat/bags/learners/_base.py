"""What all learners share, so that each is only its mathematics."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from caveat.bags._params import check_choice
from caveat.bags._shares import check_shares
from caveat.bags.learners._problem import BagProblem
from caveat.exceptions import InvalidInput, listing

Floats = NDArray[np.float64]
Output = tuple[NDArray, Floats]


class BagClassifier(ClassifierMixin, BaseEstimator):
    """Base of every classifier learnt from bags and their label proportions.

    A subclass writes `_fit`, which gets a checked `BagProblem`, and
    `_predict_proba`. Whoever can fit many configurations for less than their sum
    also writes `_fit_many`.
    """

    # With metadata routing on, pipelines and searches of scikit-learn hand both over.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {
        "bags": True,
        "proportions": True,
    }

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        bags: Any = None,
        proportions: Any = None,
    ) -> Self:
        """Learn to classify items.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_items, n_features)
            The items.
        y : array-like of shape (n_items,), optional
            Labels, read only when no bags are given: then every item is a bag of
            its own, and this is plain classification.
        bags : array-like of shape (n_items,), optional
            Bag of each item: row numbers of `proportions`, or keys of it.
        proportions : array-like, dict, Series or DataFrame, optional
            Share of every class in every bag, one row per bag; with one number per bag
            the share of class 1. A bag may have no items.

        Returns
        -------
        self
        """
        fit_together([self], X, y, bags=bags, proportions=proportions)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Probability of every class, shape (n_items, n_classes)."""
        return self._predict_proba(self._checked(X))

    def predict(self, X: Any) -> NDArray:
        """Most probable class of every item."""
        codes = self._predict_codes(self._checked(X))
        return self.classes_[codes]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @abstractmethod
    def _fit(self, problem: BagProblem) -> None:
        """Learn from a checked problem."""

    @abstractmethod
    def _predict_proba(self, X: Any) -> Floats:
        """Probabilities for checked items."""

    def _predict_codes(self, X: Any) -> NDArray:
        """Column of the most probable class."""
        return self._predict_proba(X).argmax(axis=1)

    def _fit_many(self, models: Sequence[Any], problem: BagProblem) -> None:
        """Fit models of this class, which differ in parameters only."""
        for model in models:
            model._fit(problem)

    def _outputs_many(self, models: Sequence[Any], problem: BagProblem) -> list[Output]:
        """Predicted class numbers and probabilities of fitted models of this class."""
        return [
            (model._predict_codes(problem.X), model._predict_proba(problem.X))
            for model in models
        ]

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(
            self, X, accept_sparse="csr", dtype=np.float64, reset=False
        )


class LinearBagClassifier(BagClassifier):
    """Base of learners that leave ``coef_`` and ``intercept_``.

    Two classes have one row, the score of the second class; more have a row each.
    A subclass says how scores become probabilities.
    """

    def decision_function(self, X: Any) -> Floats:
        """Score of the second class, or of every class if there are more."""
        scores = self._scores(self._checked(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @abstractmethod
    def _probabilities(self, scores: Floats) -> Floats:
        """Probabilities of the classes from scores of shape (n_items, rows)."""

    def _scores(self, X: Any) -> Floats:
        return np.asarray(X @ self.coef_.T) + self.intercept_

    def _codes(self, scores: Floats) -> NDArray:
        if scores.shape[1] == 1:
            return (scores[:, 0] >= 0.0).astype(np.int64)
        return scores.argmax(axis=1)

    def _predict_codes(self, X: Any) -> NDArray:
        return self._codes(self._scores(X))

    def _predict_proba(self, X: Any) -> Floats:
        return self._probabilities(self._scores(X))

    def _outputs_many(self, models: Sequence[Any], problem: BagProblem) -> list[Output]:
        rows = len(models[0].coef_)
        vectors = np.vstack([model.coef_ for model in models])
        scores = problem.items.scores(vectors.T)
        outputs = []
        for k, model in enumerate(models):
            own = scores[:, k * rows : (k + 1) * rows] + model.intercept_
            outputs.append((model._codes(own), model._probabilities(own)))
        return outputs


class OneVersusRest(LinearBagClassifier):
    """A learner of two classes; more are learnt one against the rest.

    A subclass has the parameter ``multiclass``.
    """

    _sharpness = 1.0

    def _probabilities(self, scores: Floats) -> Floats:
        positive = expit(self._sharpness * scores)
        if scores.shape[1] == 1:
            return np.column_stack([1.0 - positive, positive])
        positive = np.maximum(positive, 1e-300)
        return positive / positive.sum(axis=1, keepdims=True)

    def _positive_classes(self, problem: BagProblem) -> list[int]:
        """Classes to learn against the rest: just the second one of two."""
        check_choice("multiclass", self.multiclass, ["ovr", "error"])
        n_classes = problem.shares.shape[1]
        if n_classes == 2:
            return [1]
        name = type(self).__name__
        if self.multiclass == "error":
            raise InvalidInput(
                f"proportions: found {n_classes} classes; {name} with "
                "multiclass='error' takes 2"
            )
        warnings.warn(
            f"{name} learns two classes; with {n_classes} it learns each against the "
            "rest",
            stacklevel=5,
        )
        flat = np.flatnonzero(problem.same_share)
        if 0 < len(flat) < n_classes:
            warnings.warn(
                f"class {listing(self.classes_[flat], 5)} has the same share in every "
                f"bag; {name} cannot tell it from the rest",
                stacklevel=5,
            )
        return list(range(n_classes))


def fit_together(
    models: Sequence[BagClassifier],
    X: Any,
    y: ArrayLike | None = None,
    *,
    bags: Any = None,
    proportions: Any = None,
) -> Sequence[BagClassifier]:
    """Fit several configurations of one learner to the same bags.

    Equal to fitting each by itself, but what they have in common is done once.

    Parameters
    ----------
    models : sequence of BagClassifier
        All of one class.
    X, y, bags, proportions
        As in `BagClassifier.fit`.

    Returns
    -------
    sequence of BagClassifier
        The models, fitted.

    Examples
    --------
    >>> from caveat.bags import MeanMap, fit_together
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> models = [MeanMap(lam=lam) for lam in (1, 10)]
    >>> bags, shares = [0, 0, 0, 1, 1, 1], [0.3, 0.7]
    >>> weak, strong = fit_together(models, X, bags=bags, proportions=shares)
    >>> bool(weak.coef_[0, 0] > strong.coef_[0, 0] > 0)
    True
    """
    first = models[0]
    problem, classes = checked_problem(first, X, y, bags, proportions)
    fit_checked(models, problem, classes, first)
    return models


def fit_checked(
    models: Sequence[BagClassifier],
    problem: BagProblem,
    classes: NDArray,
    like: BagClassifier,
) -> None:
    """Fit models to a checked problem; `like` has seen its columns."""
    for model in models:
        model.classes_ = classes
        model.n_features_in_ = like.n_features_in_
        if hasattr(like, "feature_names_in_"):
            model.feature_names_in_ = like.feature_names_in_
    if problem.same_share.all():
        warnings.warn(
            f"proportion matrix has rank 1 < {len(classes)} classes; "
            f"{type(like).__name__} cannot identify the classes: bags need different "
            "proportions",
            stacklevel=4,
        )
    models[0]._fit_many(models, problem)


def checked_problem(
    model: BagClassifier, X: Any, y: Any, bags: Any, proportions: Any
) -> tuple[BagProblem, NDArray]:
    """Check everything that comes from outside, once."""
    if bags is None and proportions is not None:
        raise InvalidInput(
            "bags: found none, but proportions are given; pass the bag of every item"
        )
    if bags is not None and proportions is None:
        raise InvalidInput(
            "proportions: found none, but bags are given; pass every bag's class shares"
        )
    if bags is None:
        return _clean_limit(model, X, y)
    items = validate_data(model, X, accept_sparse="csr", dtype=np.float64)
    number, shares, classes = check_shares(X, items.shape[0], bags, proportions)
    return BagProblem(items, number, shares), classes


def _clean_limit(model: BagClassifier, X: Any, y: Any) -> tuple[BagProblem, NDArray]:
    """Every item is a bag of its own, and its label is the bag's proportion."""
    items, labels = validate_data(model, X, y, accept_sparse="csr", dtype=np.float64)
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        only = classes.tolist()[0]
        raise InvalidInput(
            f"y: found one class, {only!r}; a classifier needs two classes"
        )
    shares = np.eye(len(classes))[codes]
    return BagProblem(items, np.arange(len(codes)), shares), classes
