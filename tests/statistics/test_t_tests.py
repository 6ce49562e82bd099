import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from caveat.exceptions import InvalidInput
from caveat.statistics import corrected_resampled_t_test

few = settings(max_examples=40, deadline=None)


def test_a_case_done_by_hand():
    # d = 1, 2, 3: mean 2, variance 1; t = 2 / sqrt(1/3 + 1/2) = 2.19089, 2 df.
    found = corrected_resampled_t_test([1, 2, 3], [0, 0, 0], test_train_ratio=0.5)
    assert found.statistic == pytest.approx(2 / np.sqrt(5 / 6))
    assert found.p_value == pytest.approx(1 - np.sqrt(4.8 / 6.8))  # closed form, 2 df
    assert found.low == pytest.approx(2 - 4.302653 * np.sqrt(5 / 6), abs=1e-5)


@few
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=12, unique=True))
def test_without_overlap_it_is_the_paired_t_test(differences):
    zeros = np.zeros(len(differences))
    found = corrected_resampled_t_test(differences, zeros, test_train_ratio=1e-15)
    expected = stats.ttest_rel(differences, zeros)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


@few
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=12), st.floats(0.01, 1))
def test_overlap_never_makes_the_p_value_smaller(differences, ratio):
    zeros = np.zeros(len(differences))
    plain, corrected = (
        corrected_resampled_t_test(differences, zeros, test_train_ratio=r)
        for r in (1e-12, ratio)
    )
    assert corrected.p_value >= plain.p_value - 1e-9


@pytest.mark.parametrize(("shift", "p"), [(0, 1.0), (0.25, 0.0), (-0.25, 0.0)])
def test_constant_differences_have_an_answer(shift, p):
    a = np.array([0.5, 0.75, 1.0])
    found = corrected_resampled_t_test(a + shift, a, test_train_ratio=0.1)
    assert (found.p_value, found.low, found.high) == (p, shift, shift)


def test_two_folds_are_enough_and_one_is_not():
    two = corrected_resampled_t_test([1, 2], [0, 0], test_train_ratio=1)
    assert (two.df, 0 < two.p_value < 1) == (1, True)
    one = corrected_resampled_t_test([1], [0], test_train_ratio=1)
    assert (one.difference, np.isnan(one.p_value)) == (1, True)


def test_folds_that_lack_a_value_are_counted():
    found = corrected_resampled_t_test([1, 2, None], [0, 0, 1], test_train_ratio=1 / 2)
    assert (found.n_folds, found.missing) == (2, 1)


@pytest.mark.parametrize("ratio", [0, -1, np.nan, np.inf, "x"])
def test_a_ratio_that_is_none_is_refused(ratio):
    with pytest.raises(InvalidInput, match="test_train_ratio"):
        corrected_resampled_t_test([1, 2], [0, 0], test_train_ratio=ratio)
