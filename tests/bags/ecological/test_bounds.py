"""Bounds against a linear programme, and against simulated truths."""

import numpy as np
import pytest
from scipy.optimize import linprog

from caveat.bags import bag_proportions
from caveat.bags.ecological import ShareBox, accuracy_bounds, effect_bounds
from caveat.exceptions import InvalidInput


def programme(values, groups, low, high):
    """Least and most of sum(values * labels), labels shared out within the boxes.

    `values` is (items, classes): what an item adds if it has the class. A variable per
    item and class; rows sum to 1; every group's classes lie between low and high.
    """
    n, c = values.shape
    rows = np.kron(np.eye(n), np.ones(c))
    boxes, limits = [], []
    for group in range(len(low)):
        for k in range(c):
            row = np.zeros((n, c))
            row[groups == group, k] = 1.0
            size = (groups == group).sum()
            boxes += [row.ravel(), -row.ravel()]
            limits += [high[group, k] * size, -low[group, k] * size]
    ends = []
    for sign in (1, -1):
        found = linprog(
            sign * values.ravel(), boxes, limits, rows, np.ones(n), bounds=(0, 1)
        )
        assert found.success
        ends.append(sign * found.fun)
    return ends


def drawn(seed, n_classes=2, margin=0.0):
    rng = np.random.default_rng(seed)
    n, n_groups = int(rng.integers(6, 16)), int(rng.integers(1, 4))
    groups = np.append(np.arange(n_groups), rng.integers(0, n_groups, n - n_groups))
    shares = rng.dirichlet(np.ones(n_classes), n_groups)
    margins = margin * rng.random((n_groups, n_classes))
    if n_classes == 2:
        margins[:] = margins[:, :1]
    return rng, groups, shares, margins


@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_accuracy_bounds_are_those_of_a_linear_programme(seed, n_classes, margin):
    rng, groups, shares, margins = drawn(seed, n_classes, margin)
    answers = rng.integers(0, n_classes, len(groups))
    box = ShareBox.of(shares, margins)
    right = np.eye(n_classes)[answers] / len(groups)
    expected = programme(right, groups, box.low, box.high)
    found = accuracy_bounds(answers, groups, shares, margins=margins)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(12))
def test_effect_bounds_are_those_of_a_linear_programme(seed, margin):
    rng, groups, shares, margins = drawn(seed, margin=margin)
    has = np.append([True, False], rng.random(len(groups) - 2) < 0.4)
    box = ShareBox.of(shares, margins)
    values = np.zeros((len(groups), 2))
    values[:, 1] = np.where(has, 1 / has.sum(), -1 / (~has).sum())
    expected = programme(values, groups, box.low, box.high)
    found = effect_bounds(has, groups, shares[:, 1], margins=margins[:, 1])
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_exact_shares_always_hold_the_truth():
    rng = np.random.default_rng(1)
    for _ in range(200):
        y, groups = rng.integers(0, 3, 60), rng.integers(0, 5, 60)
        answers = np.where(rng.random(60) < 0.6, y, rng.integers(0, 3, 60))
        shares = np.nan_to_num(bag_proportions(y, groups, [0, 1, 2]))
        low, high = accuracy_bounds(answers, groups, shares)
        assert low - 1e-9 <= (answers == y).mean() <= high + 1e-9


@pytest.mark.thorough
def test_uncertain_shares_hold_the_truth_in_95_of_100_and_widen_the_bounds():
    """Shares from samples of 40 items of every group, with their own margins."""
    rng = np.random.default_rng(2)
    held, runs = 0, 300
    for _ in range(runs):
        groups = np.repeat(np.arange(8), 100)
        y = (rng.random(800) < rng.uniform(0.2, 0.8, 8)[groups]).astype(int)
        answers = np.where(rng.random(800) < 0.9, y, 1 - y)
        truth = bag_proportions(y, groups)
        seen = rng.hypergeometric(
            np.bincount(groups, y).astype(int),
            np.bincount(groups, 1 - y).astype(int),
            40,
        )
        guess = (seen + 2) / 44
        half = 1.96 * np.sqrt(guess * (1 - guess) / 44)
        shares = np.column_stack([1 - guess, guess])
        wide = accuracy_bounds(answers, groups, shares, margins=np.c_[half, half])
        sharp = accuracy_bounds(answers, groups, shares)
        assert wide[0] <= sharp[0] <= sharp[1] <= wide[1]
        held += wide[0] <= (answers == y).mean() <= wide[1]
        assert accuracy_bounds(answers, groups, truth)[0] <= (answers == y).mean()
    assert held >= 0.95 * runs


def test_an_effect_needs_two_parts():
    with pytest.raises(InvalidInput, match="compares two parts"):
        effect_bounds([True, True], [0, 1], [0.5, 0.5])
