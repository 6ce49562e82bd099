from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from caveat.bags import EMLogisticRegression
from caveat.bags.learners._assignment import (
    bag_counts,
    first_of_bags,
    hard_labels,
    soft_labels,
)
from caveat.bags.learners._problem import BagProblem
from caveat.exceptions import CaveatError


def counts_per_bag(labels, bags):
    return np.array([labels[bags == bag].sum(axis=0) for bag in range(bags.max() + 1)])


@pytest.mark.parametrize("init", ["mean-map", "random", "majority"])
@pytest.mark.parametrize("assignment", ["hard", "soft"])
def test_labels_meet_the_bag_counts(bagged, init, assignment):
    model = EMLogisticRegression(init=init, assignment=assignment, random_state=0)
    model.fit(bagged.X, bags=bagged.bags, proportions=bagged.shares)
    wanted = bagged.shares * np.bincount(bagged.bags)[:, None]
    found = counts_per_bag(model.labels_, bagged.bags)
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_three_classes_meet_the_bag_counts(three_classes):
    model = EMLogisticRegression()
    model.fit(
        three_classes.X, bags=three_classes.bags, proportions=three_classes.shares
    )
    wanted = three_classes.shares * np.bincount(three_classes.bags)[:, None]
    found = counts_per_bag(model.labels_, three_classes.bags)
    np.testing.assert_allclose(found, wanted)
    assert (model.predict(three_classes.X) == three_classes.y).mean() > 0.8


@pytest.mark.thorough
@pytest.mark.parametrize("assignment", ["hard", "soft"])
@pytest.mark.parametrize("problem", ["bagged", "three_classes"])
def test_in_the_clean_limit_it_is_logistic_regression(problem, assignment, request):
    known = request.getfixturevalue(problem)
    twin = LogisticRegression(C=0.7, tol=1e-12, max_iter=10_000).fit(known.X, known.y)
    model = EMLogisticRegression(C=0.7, assignment=assignment).fit(known.X, known.y)
    np.testing.assert_allclose(
        model.predict_proba(known.X), twin.predict_proba(known.X), atol=1e-6
    )


def test_equal_proportions_leave_a_random_start(bagged):
    model = EMLogisticRegression(random_state=0)
    with pytest.warns(UserWarning, match="rank 1"):
        model.fit(bagged.X, bags=bagged.bags, proportions=[0.4] * 4)
    assert np.isfinite(model.coef_).all()


@given(st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_counts_add_up_and_are_next_to_what_is_wanted(seed):
    rng = np.random.default_rng(seed)
    shares, sizes = rng.dirichlet(np.ones(4), size=6), rng.integers(0, 30, 6)
    counts = bag_counts(shares, sizes)
    np.testing.assert_array_equal(counts.sum(axis=1), sizes)
    assert np.abs(counts - shares * sizes[:, None]).max() < 1


def test_half_an_item_is_rounded_to_even():
    halves = np.array([[0.5, 0.5]] * 3)
    np.testing.assert_array_equal(
        bag_counts(halves, np.array([1, 3, 5]))[:, 1], [0, 2, 2]
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_first_items_of_large_and_small_bags_are_those_of_a_stable_sort(seed):
    rng = np.random.default_rng(seed)
    n, n_bags = 900, [2, 5, 60][seed % 3]
    keys = rng.integers(0, 40, n).astype(float)
    bags = np.append(rng.integers(0, n_bags, n - 1), n_bags + 1)
    counts = rng.integers(0, 2 * n // n_bags, n_bags + 2)
    known = BagProblem(None, bags, np.full((n_bags + 2, 2), 0.5))
    chosen = first_of_bags(known, keys, counts)
    for bag, count in enumerate(counts):
        rows = np.flatnonzero(bags == bag)
        wanted = rows[np.argsort(keys[rows], kind="stable")[:count]]
        np.testing.assert_array_equal(rows[chosen[rows]], np.sort(wanted))


def best_by_enumeration(log_h, labels):
    return max(
        sum(log_h[i, c] for i, c in enumerate(order))
        for order in set(permutations(labels))
    )


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_two_classes_are_assigned_as_well_as_can_be(seed):
    rng = np.random.default_rng(seed)
    log_h = rng.normal(size=(6, 2))
    known = BagProblem(np.zeros((6, 1)), np.zeros(6, int), np.array([[1 / 3, 2 / 3]]))
    labels = hard_labels(known, log_h)
    assert (labels * log_h).sum() == pytest.approx(
        best_by_enumeration(log_h, [0, 0, 1, 1, 1, 1])
    )


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_no_exchange_of_two_items_improves_labels_of_three_classes(seed):
    rng = np.random.default_rng(seed)
    log_h = np.log(rng.dirichlet(np.ones(3), size=6))
    known = BagProblem(np.zeros((6, 1)), np.zeros(6, int), np.full((1, 3), 1 / 3))
    labels = hard_labels(known, log_h)
    np.testing.assert_array_equal(labels.sum(axis=0), [2, 2, 2])
    own = labels.argmax(axis=1)
    now = log_h[np.arange(6), own]
    swapped = log_h[:, own]
    gain = swapped + swapped.T - now[:, None] - now[None, :]
    assert gain.max() <= 1e-9


def test_labels_of_three_classes_are_mostly_the_best_there_are():
    found, best, worst = [], [], []
    for seed in range(40):
        log_h = np.log(np.random.default_rng(seed).dirichlet(np.ones(3), size=6))
        known = BagProblem(np.zeros((6, 1)), np.zeros(6, int), np.full((1, 3), 1 / 3))
        found.append((hard_labels(known, log_h) * log_h).sum())
        best.append(best_by_enumeration(log_h, [0, 0, 1, 1, 2, 2]))
        worst.append(-best_by_enumeration(-log_h, [0, 0, 1, 1, 2, 2]))
    found, best, worst = map(np.array, (found, best, worst))
    assert np.mean(np.isclose(found, best)) > 0.75
    assert np.mean((best - found) / (best - worst)) < 0.02


@pytest.mark.parametrize("n_classes", [2, 3])
def test_soft_labels_meet_shares_and_have_the_form_of_the_optimum(n_classes):
    """At the optimum log(label) * reg - log_h is a row term plus a column term."""
    rng = np.random.default_rng(0)
    log_h = np.log(rng.dirichlet(np.ones(n_classes), size=20))
    share = rng.dirichlet(np.ones(n_classes))
    known = BagProblem(np.zeros((20, 1)), np.zeros(20, int), share[None, :])
    labels = soft_labels(known, log_h, 0.3)
    np.testing.assert_allclose(labels.sum(axis=1), 1)
    np.testing.assert_allclose(labels.mean(axis=0), share, atol=1e-8)
    rest = 0.3 * np.log(labels) - log_h
    inner = rest - rest.mean(axis=1, keepdims=True) - rest.mean(axis=0) + rest.mean()
    np.testing.assert_allclose(inner, 0, atol=1e-6)


@pytest.mark.parametrize(
    "params",
    [{"C": 0}, {"init": "zero"}, {"reg": 0}, {"max_rounds": 0}],
)
def test_bad_parameters_are_named(bagged, params):
    with pytest.raises(CaveatError) as caught:
        EMLogisticRegression(**params).fit(bagged.X, bagged.y)
    (name,) = params
    assert name in str(caught.value)
