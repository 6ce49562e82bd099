from itertools import product

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVR

from caveat.bags import BagForwardCorrection, InverseCalibration
from caveat.bags.learners._forward_correction import _Objective, log_transitions
from caveat.bags.learners._problem import BagProblem
from caveat.bags.solvers._design import design


def tiny(n_classes, seed=0, n=6):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(n_classes), size=3)
    return BagProblem(rng.normal(size=(n, 2)), np.arange(n) % 3, shares)


def objective(known, n_classes, lam=0.3):
    rows = 1 if n_classes == 2 else n_classes
    logs = log_transitions(known)[known.bags]
    return _Objective(design(known.X).with_constant(), logs, lam, rows), rows


def test_transitions_are_distributions_over_bags():
    known = tiny(3)
    np.testing.assert_allclose(np.exp(log_transitions(known)).sum(axis=0), 1)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_likelihood_is_the_sum_over_all_labels(n_classes):
    """Pr(bags | items) = sum over label vectors of prod_i T_(b_i, y_i) h_(y_i)(x_i)."""
    known = tiny(n_classes, n=5)
    function, rows = objective(known, n_classes, lam=0.0)
    point = np.random.default_rng(1).normal(size=rows * 3)
    vectors = point.reshape(rows, 3)
    scores = np.column_stack([known.X, np.ones(5)]) @ vectors.T
    scores = scores if rows > 1 else np.column_stack([np.zeros(5), scores])
    h = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    T = np.exp(log_transitions(known))
    total = sum(
        np.prod([T[known.bags[i], c] * h[i, c] for i, c in enumerate(labels)])
        for labels in product(range(n_classes), repeat=5)
    )
    assert function(point)[0] == pytest.approx(-np.log(total))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_gradient_is_that_of_finite_differences(n_classes):
    function, rows = objective(tiny(n_classes), n_classes)
    point = np.random.default_rng(2).normal(size=rows * 3)
    slope = [
        (function(point + e)[0] - function(point - e)[0]) / 2e-6
        for e in 1e-6 * np.eye(len(point))
    ]
    np.testing.assert_allclose(function(point)[1], slope, atol=1e-6)


def test_pure_bags_and_certain_scores_stay_finite():
    known = BagProblem(
        np.array([[1e4], [-1e4]]), np.array([0, 1]), np.array([[1.0, 0.0], [0.0, 1.0]])
    )
    value, gradient = objective(known, 2)[0](np.array([1.0, 0.0]))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("problem", ["bagged", "three_classes"])
def test_in_the_clean_limit_it_is_logistic_regression(problem, request):
    known = request.getfixturevalue(problem)
    twin = LogisticRegression(C=0.5, tol=1e-12, max_iter=10_000).fit(known.X, known.y)
    model = BagForwardCorrection(lam=2.0, max_iter=2000).fit(known.X, known.y)
    np.testing.assert_allclose(
        model.predict_proba(known.X), twin.predict_proba(known.X), atol=1e-6
    )


def test_it_learns_from_simple_bags(bagged):
    model = BagForwardCorrection(lam=0.1)
    model.fit(bagged.X, bags=bagged.bags, proportions=bagged.shares)
    assert (model.predict(bagged.X) == bagged.y).mean() > 0.85


def test_a_class_that_no_bag_has_does_no_harm(bagged):
    shares = np.column_stack([bagged.shares, np.zeros(4)])
    model = BagForwardCorrection().fit(bagged.X, bags=bagged.bags, proportions=shares)
    assert np.isfinite(model.predict_proba(bagged.X)).all()


def test_inverse_calibration_of_single_items_is_regression_on_log_three(bagged):
    target = np.where(bagged.y == 1, np.log(3), -np.log(3))
    twin = SVR(kernel="linear", C=2.0, epsilon=0.05).fit(bagged.X, target)
    model = InverseCalibration(C=2.0, epsilon=0.05).fit(bagged.X, bagged.y)
    np.testing.assert_allclose(
        model.decision_function(bagged.X), twin.predict(bagged.X), atol=1e-6
    )


def test_inverse_calibration_of_bags_is_regression_on_their_means(bagged):
    sizes = np.bincount(bagged.bags)
    means = [bagged.X[bagged.bags == bag].mean(axis=0) for bag in range(4)]
    p = bagged.shares[:, 1]
    odds = np.log((sizes * p + 0.5) / (sizes * (1 - p) + 0.5))
    twin = SVR(kernel="linear", C=3.0, epsilon=0.1).fit(means, odds)
    model = InverseCalibration(C=3.0)
    model.fit(bagged.X, bags=bagged.bags, proportions=p)
    np.testing.assert_allclose(
        model.decision_function(bagged.X), twin.predict(bagged.X), atol=1e-6
    )
