"""Proportion SVM: labels by brute force, machines by descent, twins without bags."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from caveat.bags import ProportionSVM
from caveat.bags.learners._problem import BagProblem
from caveat.bags.learners._proportion_svm import bag_labels, fit_machine
from caveat.bags.solvers._design import design


def losses(f, y):
    return (np.maximum(0, 1 - np.where(y, f, -f)) ** 2).sum()


@pytest.mark.thorough
@pytest.mark.parametrize("price", [0.1, 3.0, 1e4])
def test_labels_of_a_bag_are_the_best_of_all(price):
    rng = np.random.default_rng(0)
    bags = np.array([0, 0, 0, 2, 2, 2, 2, 2, 3])
    shares = np.array([0.4, 0.5, 0.3, 1.0])
    problem = BagProblem(np.zeros((9, 1)), bags, np.column_stack([1 - shares, shares]))
    for _ in range(20):
        f = 1.5 * rng.normal(size=9)
        found = bag_labels(problem, f, price)

        def value(y, f=f):
            part = [(y[bags == b], shares[b]) for b in (0, 2, 3)]
            miss = [len(of) * abs(of.mean() - share) for of, share in part]
            return losses(f, y) + price * sum(miss)

        best = min(value(np.array(y)) for y in product([False, True], repeat=9))
        assert value(found) == pytest.approx(best, rel=1e-12)


def test_a_machine_is_the_minimum_of_its_objective(bagged):
    y = bagged.y == 1

    def value(w):
        f = bagged.X @ w[:-1] + w[-1]
        return 0.5 * w @ w + 0.7 * losses(f, y)

    peer = minimize(value, np.zeros(5), method="Powell", options={"ftol": 1e-14})
    items = design(bagged.X).with_constant()
    found = fit_machine(items, np.where(y, 1.0, -1.0), 0.7, np.zeros(5))
    np.testing.assert_allclose(found, peer.x, atol=1e-4)


def test_single_items_make_it_the_machine_of_scikit_learn(bagged):
    ours = ProportionSVM(C=0.3).fit(bagged.X, bagged.y)
    twin = LinearSVC(C=0.3, dual=False, tol=1e-10).fit(bagged.X, bagged.y)
    np.testing.assert_allclose(ours.coef_, twin.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, twin.intercept_, atol=1e-5)


def test_items_are_found_from_shares(bagged):
    model = ProportionSVM().fit(bagged.X, bags=bagged.bags, proportions=bagged.shares)
    assert (model.predict(bagged.X) == bagged.y).mean() > 0.9
