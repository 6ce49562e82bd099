"""Ranks and AUC against their naive twins, scipy and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy.stats import kendalltau, rankdata
from sklearn.metrics import roc_auc_score

from caveat.exceptions import CaveatError
from caveat.ranking import (
    column_aucs,
    concordance,
    doubled_ranks,
    midranks,
    pair_counts,
    popcount,
    roc_auc,
    trailing_zeros,
)


def naive_counts(positive, scores, weights):
    difference = scores[positive][:, None] - scores[~positive][None, :]
    mass = weights[positive][:, None] * weights[~positive][None, :]
    return tuple(mass[sign(difference)].sum() for sign in SIGNS)


SIGNS = (lambda d: d > 0, lambda d: d == 0, lambda d: d < 0)

tied_scores = st.lists(st.integers(-3, 3), min_size=2, max_size=40)


@pytest.mark.thorough
@settings(max_examples=150, deadline=None)
@given(tied_scores, st.randoms(use_true_random=False))
def test_pair_counts_equal_a_loop_over_all_pairs(values, random):
    scores = np.array(values, float)
    positive = np.array([random.random() < 0.4 for _ in values])
    ones = np.ones(len(scores))
    weights = np.array([random.randint(0, 5) for _ in values], float)
    assert pair_counts(positive, scores) == naive_counts(positive, scores, ones)
    assert pair_counts(positive, scores, weights=weights) == naive_counts(
        positive, scores, weights
    )


@pytest.mark.parametrize("levels", [3, 20, 10**9])
def test_auc_equals_scikit_learn(levels):
    rng = np.random.default_rng(0)
    scores = rng.integers(0, levels, 500).astype(float)
    positive = rng.random(500) < 0.2
    weights = rng.random(500)
    assert roc_auc(positive, scores) == pytest.approx(
        roc_auc_score(positive, scores), abs=1e-12
    )
    assert roc_auc(positive, scores, weights=weights) == pytest.approx(
        roc_auc_score(positive, scores, sample_weight=weights), abs=1e-12
    )


def test_swapping_the_classes_gives_one_minus_the_auc_exactly():
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 50, 999)
    positive = rng.random(999) < 0.3
    counts = pair_counts(positive, scores)
    swapped = pair_counts(~positive, scores)
    assert (counts.above, counts.below) == (swapped.below, swapped.above)


def test_midranks_equal_scipy():
    values = np.random.default_rng(2).integers(0, 30, 200).astype(float)
    values[:3] = [np.inf, -np.inf, -0.0]
    np.testing.assert_array_equal(midranks(values), rankdata(values))
    np.testing.assert_array_equal(doubled_ranks(values), 2 * rankdata(values))


def test_every_column_has_its_own_auc():
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 9, (60, 5))
    positive = rng.random((60, 5)) < 0.5
    positive[:, 4] = True
    weights = rng.random(60)
    plain, weighted = (
        column_aucs(positive, scores),
        column_aucs(positive, scores, weights=weights),
    )
    columns = range(4)
    expected = [roc_auc(positive[:, j], scores[:, j]) for j in columns]
    np.testing.assert_array_equal(plain[:4], expected)
    expected = [roc_auc(positive[:, j], scores[:, j], weights=weights) for j in columns]
    np.testing.assert_allclose(weighted[:4], expected, rtol=1e-13)
    assert np.isnan([plain[4], weighted[4]]).all()


@pytest.mark.thorough
@settings(max_examples=100, deadline=None)
@given(tied_scores, st.randoms(use_true_random=False))
def test_concordance_equals_a_loop_over_all_pairs(values, random):
    target = np.array([*values, 9.0])
    scores = np.array([random.randint(0, 4) for _ in target], float)
    higher = target[:, None] > target[None, :]
    gap = scores[:, None] - scores[None, :]
    expected = (higher & (gap > 0)).sum() + 0.5 * (higher & (gap == 0)).sum()
    assert concordance(target, scores) == pytest.approx(
        expected / higher.sum(), abs=1e-14
    )


def test_concordance_of_two_classes_is_the_auc_and_without_ties_kendalls_tau():
    rng = np.random.default_rng(4)
    positive, scores = rng.random(80) < 0.4, rng.integers(0, 9, 80)
    assert concordance(positive, scores) == roc_auc(positive, scores)
    a, b = rng.permutation(50), rng.permutation(50)
    assert 2 * concordance(a, b) - 1 == pytest.approx(kendalltau(a, b).statistic)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: roc_auc([1, 1], [0.1, 0.2]), "one class"),
        (lambda: roc_auc([1, 0], [0.1, np.nan]), "NaN at position 1"),
        (lambda: roc_auc([1, 2], [0.1, 0.3]), "found .*2.* at position 1"),
        (lambda: roc_auc(["a", "b"], [0.1, 0.3]), "pass 0/1"),
        (lambda: roc_auc([1, 0, 1], [0.1, 0.3]), "shape"),
        (lambda: roc_auc([1, 0], ["x", "y"]), "not numbers"),
        (lambda: roc_auc([1, 0], [1, 2], weights=[1, -1]), "-1 at position 1"),
        (lambda: roc_auc([1, 0], [1, 2], weights=[1]), "1 weights for 2"),
        (lambda: column_aucs([1, 0], [1, 2]), "dimensions"),
        (lambda: midranks([[1, 2]]), "dimensions"),
        (lambda: concordance([1, 1], [1, 2]), "equal"),
        (lambda: concordance([1, 2], [1]), "1 scores for 2"),
        (lambda: concordance([], []), "0 values"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, words):
    with pytest.raises(CaveatError, match=words):
        call()


def test_bits_of_words_are_those_that_python_counts():
    @njit
    def bits(word):
        return popcount(word), trailing_zeros(word)

    words = [1, 2, 3, 40, 2**31, 2**62 + 2**5, 2**63 - 1]
    expected = [(word.bit_count(), (word & -word).bit_length() - 1) for word in words]
    assert [bits(np.int64(word)) for word in words] == expected
