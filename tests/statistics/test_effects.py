import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from caveat.statistics import cliffs_delta, common_language

few = settings(max_examples=40, deadline=None)
SAMPLES = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=10)


@few
@given(SAMPLES, SAMPLES)
def test_cliffs_delta_equals_the_count_of_all_pairs(a, b):
    pairs = list(itertools.product(a, b))
    wins = sum(x > y for x, y in pairs)
    losses = sum(x < y for x, y in pairs)
    assert cliffs_delta(a, b) == pytest.approx((wins - losses) / len(pairs))


@few
@given(SAMPLES, SAMPLES)
def test_common_language_is_the_share_of_mann_whitneys_u(a, b):
    u = mannwhitneyu(a, b, method="asymptotic").statistic
    assert common_language(a, b) == pytest.approx(u / (len(a) * len(b)))


@few
@given(SAMPLES, SAMPLES)
def test_direction_and_swapping_mirror_it(a, b):
    assert cliffs_delta(a, b, direction="min") == pytest.approx(cliffs_delta(b, a))
    assert common_language(a, b) + common_language(b, a) == pytest.approx(1)


def test_missing_values_are_left_out_and_an_empty_sample_has_no_effect():
    assert cliffs_delta([1, np.nan, 3], [0, 2]) == 0.5
    assert np.isnan(cliffs_delta([np.nan], [1]))
    assert np.isnan(common_language([], [1]))


def test_constant_samples_are_ties_or_all_wins():
    assert cliffs_delta([0.1] * 3, [0.1] * 4) == 0
    assert cliffs_delta([0.2] * 3, [0.1] * 4) == 1
