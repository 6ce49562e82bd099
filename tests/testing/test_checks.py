"""The common checks: honest learners pass, each fault is found and named."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from caveat.exceptions import UnknownName
from caveat.testing import (
    check_bag_learner,
    check_classifier,
    check_multilabel_learner,
    check_partial_learner,
    checks_of,
)


class Weak(ClassifierMixin, BaseEstimator):
    """Regress soft targets on the items and read the result item by item."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def learn(self, X, targets):
        self.model_ = LinearRegression().fit(X, targets)
        self.classes_ = np.arange(targets.shape[1])
        return self

    def predict_proba(self, X):
        check_is_fitted(self)
        shares = np.clip(self.model_.predict(np.asarray(X)), 1e-9, None)
        return shares / shares.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


class FromBags(Weak):
    """Gives every item the shares of its bag."""

    def fit(self, X, y=None, *, bags=None, proportions=None):
        X = validate_data(self, X)
        if bags is None:
            return self.learn(X, np.eye(2)[y])
        if isinstance(proportions, dict):
            ids = list(proportions)
            bags = np.array([ids.index(bag) for bag in bags])
            proportions = np.array(list(proportions.values()))
        shares = np.asarray(proportions, dtype=float)
        if shares.ndim == 1:
            shares = np.column_stack([1 - shares, shares])
        if not np.allclose(shares.sum(axis=1), 1) or len(bags) != len(X):
            raise ValueError("proportions")
        if bags.max() >= len(shares):
            raise ValueError("bags")
        return self.learn(X, shares[bags])


class FromCandidates(Weak):
    """Shares each item out among its candidates."""

    def fit(self, X, candidates):
        X = validate_data(self, X)
        sets = np.asarray(candidates)
        if sets.ndim == 1:
            sets = np.eye(sets.max() + 1)[sets]
        if len(sets) != len(X) or not np.isin(sets, [0, 1]).all():
            raise ValueError("candidates")
        if not sets.any(axis=1).all():
            raise ValueError("empty set")
        return self.learn(X, sets / sets.sum(axis=1, keepdims=True))


class OfManyLabels(BaseEstimator):
    """A tree for each label."""

    def fit(self, X, Y):
        if np.ndim(Y) != 2 or len(Y) != len(X) or not np.isin(Y, [0, 1]).all():
            raise ValueError("Y")
        self.model_ = MultiOutputClassifier(DecisionTreeClassifier(random_state=0))
        self.model_.fit(X, Y)
        return self

    def predict(self, X):
        check_is_fitted(self)
        return self.model_.predict(X)


@pytest.mark.thorough
def test_honest_learners_pass():
    check_classifier(LogisticRegression())
    check_classifier(DecisionTreeClassifier())
    check_bag_learner(FromBags(), twin=RidgeClassifier())
    check_partial_learner(FromCandidates(), twin=RidgeClassifier())
    check_multilabel_learner(OfManyLabels())


class Peeks(FromBags):
    def fit(self, X, y=None, *, bags=None, proportions=None):
        proportions = proportions if y is None else 1 - np.asarray(proportions)
        return super().fit(X, y, bags=bags, proportions=proportions)


class TrustsNumbers(FromBags):
    def fit(self, X, y=None, *, bags=None, proportions=None):
        super().fit(X, y, bags=bags, proportions=proportions)
        self.model_.intercept_ += 0.0 if bags is None else 0.1 * (bags[0] == 0)
        return self


class CountsEmptyBags(FromBags):
    def __init__(self):
        pass

    def fit(self, X, y=None, *, bags=None, proportions=None):
        super().fit(X, y, bags=bags, proportions=proportions)
        self.model_.intercept_[0] += 0.01 * len(proportions) if bags is not None else 0
        return self


class TakesCounts(FromBags):
    def fit(self, X, y=None, *, bags=None, proportions=None):
        table = proportions
        if bags is not None and np.ndim(table) == 2:
            table = np.asarray(table) / np.sum(table, axis=1, keepdims=True)
        return super().fit(X, y, bags=bags, proportions=table)


class NeedsBags(FromBags):
    def fit(self, X, y=None, *, bags=None, proportions=None):
        return super().fit(X, y, bags=bags, proportions=proportions).upset(bags)

    def upset(self, bags):
        self.model_.coef_ *= 1 if bags is not None else -1
        return self


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (Peeks(), "y is read"),
        (CountsEmptyBags(), "without items"),
        (TakesCounts(), "counts instead of shares: accepted in silence"),
        (NeedsBags(), "with a label per item only"),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_faults_of_bag_learners_are_named(learner, sentence):
    with pytest.raises(
        AssertionError, match=rf"^{type(learner).__name__}: .*{sentence}"
    ):
        check_bag_learner(learner)


def test_a_learner_that_trusts_bag_numbers_is_found():
    class Deterministic(TrustsNumbers):
        def __init__(self):
            pass

    with pytest.raises(AssertionError, match="bags"):
        check_bag_learner(Deterministic())


def test_a_twin_that_says_something_else_is_named():
    class Contrary(RidgeClassifier):
        def predict(self, X):
            return 1 - super().predict(X)

    with pytest.raises(AssertionError, match="agrees with Contrary on 0% only"):
        check_bag_learner(FromBags(), twin=Contrary())


class TakesEmptySets(FromCandidates):
    def fit(self, X, candidates):
        sets = np.array(candidates)
        if sets.ndim == 2:
            sets[~sets.astype(bool).any(axis=1)] = 1
        return super().fit(X, sets)


class OtherLimit(FromCandidates):
    def fit(self, X, candidates):
        super().fit(X, candidates)
        self.model_.intercept_ += 0.1 * (np.ndim(candidates) == 1) * np.arange(3)
        return self


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (TakesEmptySets(), "a row without a candidate: accepted"),
        (OtherLimit(), "one candidate each"),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_faults_of_partial_learners_are_named(learner, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_partial_learner(learner)


class TakesAnyMatrix(OfManyLabels):
    def fit(self, X, Y):
        Y = np.asarray(Y).reshape(len(Y), -1)
        return super().fit(X[: len(Y)], (Y > 0).astype(int))


def test_faults_of_multilabel_learners_are_named():
    with pytest.raises(AssertionError, match="labels in one column: accepted"):
        check_multilabel_learner(TakesAnyMatrix())


class Base(LogisticRegression):
    pass


class ChangesParameters(Base):
    def fit(self, X, y):
        super().fit(X, y)
        self.C = 2.0
        return self


class ReturnsNothing(Base):
    def fit(self, X, y):
        super().fit(X, y)


class NeverUnfitted(Base):
    def predict(self, X):
        return super().predict(X) if hasattr(self, "coef_") else np.zeros(len(X))


class ChangesInput(Base):
    def fit(self, X, y):
        if X.flags.writeable:
            X[:] = X / 2
        return super().fit(X, y)


class WritesInput(Base):
    def predict_proba(self, X):
        X += 0.0
        return super().predict_proba(X)


class Unseeded(Base):
    draws = np.random.default_rng()

    def fit(self, X, y):
        super().fit(X, y)
        self.coef_ = self.coef_ + self.draws.random()
        return self


class GlobalSeed(Base):
    def fit(self, X, y):
        np.random.rand(1)  # noqa: NPY002
        return super().fit(X, y)


class WrongShape(Base):
    def predict(self, X):
        return super().predict(X)[:, None]


class UnknownLabels(Base):
    def predict(self, X):
        return super().predict(X) + 5


class NoSum(Base):
    def predict_proba(self, X):
        return super().predict_proba(X) / 2


class NotANumber(Base):
    def predict_proba(self, X):
        return super().predict_proba(X) * np.nan


class Negative(Base):
    def predict_proba(self, X):
        return super().predict_proba(X) * [[-1, 1]]


class Narrow(Base):
    def predict_proba(self, X):
        return super().predict_proba(X)[:, 1:]


class DependsOnTheBatch(Base):
    def predict(self, X):
        return (super().predict(X) + len(X)) % 2


class Blind(Base):
    def fit(self, X, y):
        return super().fit(X * 0, y)


class ForgetsNames(Base):
    def fit(self, X, y):
        return super().fit(X, np.unique(y, return_inverse=True)[1])


class Falls(Base):
    def fit(self, X, y):
        raise ZeroDivisionError("on purpose")


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (ChangesParameters(), "fit changes a parameter"),
        (ReturnsNothing(), "does not return"),
        (NeverUnfitted(), "predict before fit: accepted in silence"),
        (ChangesInput(), "changes its input"),
        (WritesInput(), "asked whether read only inputs are welcome"),
        (Unseeded(), "different answers"),
        (GlobalSeed(), "global generator"),
        (WrongShape(), r"the shape \(120, 1\), not \(120,\)"),
        (UnknownLabels(), r"unknown labels: \[5, 6\]"),
        (NoSum(), "miss the sum 1 by 0.5"),
        (NotANumber(), "not finite"),
        (Negative(), "not between 0 and 1"),
        (Narrow(), r"the shape \(120, 1\)"),
        (DependsOnTheBatch(), "a row alone is answered"),
        (Blind(), "a constant answer has 50%"),
        (ForgetsNames(), "come back as"),
        (Falls(), "it ended in ZeroDivisionError: on purpose"),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_faults_of_classifiers_are_named(learner, sentence):
    with pytest.raises(
        AssertionError, match=rf"^{type(learner).__name__}: .*{sentence}"
    ):
        check_classifier(learner)


def test_learning_need_not_be_demanded():
    class Constant(Blind):
        pass

    check_classifier(Constant(), learns=False)


def test_checks_can_be_listed_one_by_one():
    names = [check.__name__ for check in checks_of("bag")]
    assert "true_labels_are_never_read" in names
    assert len(names) == len(set(names))
    with pytest.raises(UnknownName, match="did you mean 'bag'"):
        checks_of("bags")
