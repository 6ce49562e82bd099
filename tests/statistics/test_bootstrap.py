import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from caveat.exceptions import InvalidInput
from caveat.statistics import paired_bootstrap
from caveat.statistics.intervals import _bootstrap as module

A = np.array([0.82, 0.75, 0.91, 0.60, 0.77])
B = np.array([0.80, 0.71, 0.85, 0.63, 0.70])


def enumerated(differences):
    """Means of all n^n resamples."""
    return np.mean(list(itertools.product(differences, repeat=len(differences))), 1)


def test_it_meets_the_enumeration_of_all_resamples():
    every, d = enumerated(A - B), (A - B).mean()
    found = paired_bootstrap(A, B, n=40_000, confidence=0.9, random_state=1)
    assert found.difference == pytest.approx(d)
    np.testing.assert_allclose(
        [found.low, found.high], np.quantile(every, [0.05, 0.95]), atol=2e-3
    )
    # Five standard deviations of a share of 40,000 draws.
    p = np.mean(np.abs(every - d) >= abs(d) - 1e-12)
    assert found.p_value == pytest.approx(p, abs=5 * np.sqrt(p / 40_000) + 1e-4)
    better = np.mean(every > 1e-12) + np.mean(np.abs(every) <= 1e-12) / 2
    assert found.share_better == pytest.approx(better, abs=0.01)


def test_its_interval_equals_scipys_percentiles():
    found = paired_bootstrap(A, B, n=20_000, random_state=0)
    other = stats.bootstrap(
        (A - B,), np.mean, method="percentile", n_resamples=20_000
    ).confidence_interval
    np.testing.assert_allclose([found.low, found.high], other, atol=3e-3)


def test_working_in_pieces_does_not_change_the_numbers(monkeypatch):
    whole = paired_bootstrap(A, B, n=1_000, random_state=5)
    monkeypatch.setattr(module, "_DRAWS_AT_A_TIME", 37)
    assert paired_bootstrap(A, B, n=1_000, random_state=5) == whole


def test_direction_decides_who_is_better_and_nothing_else():
    up = paired_bootstrap(A, B, n=500, random_state=2)
    down = paired_bootstrap(A, B, n=500, random_state=2, direction="min")
    assert up.share_better + down.share_better == pytest.approx(1)
    assert (up.low, up.p_value) == (down.low, down.p_value)


def test_swapping_the_two_mirrors_the_result():
    one = paired_bootstrap(A, B, n=500, random_state=2)
    two = paired_bootstrap(B, A, n=500, random_state=2)
    assert one.low == pytest.approx(-two.high)
    assert one.p_value == two.p_value


def test_no_difference_has_p_value_one():
    found = paired_bootstrap(A, A, n=100)
    assert (found.difference, found.low, found.high) == (0, 0, 0)
    assert (found.p_value, found.share_better) == (1.0, 0.5)


def test_a_constant_difference_has_an_interval_without_width():
    found = paired_bootstrap([2, 3, 4], [1, 2, 3], n=99)
    assert (found.low, found.high, found.p_value) == (1, 1, 0.01)


def test_two_pairs_are_enough_and_one_is_not():
    assert paired_bootstrap([1, 3], [0, 1], n=50).low == 1.0
    single = paired_bootstrap([1], [0], n=50)
    assert (single.difference, np.isnan(single.p_value)) == (1.0, True)
    assert np.isnan(paired_bootstrap([], []).difference)


def test_pairs_that_lack_a_value_are_left_out_and_counted():
    found = paired_bootstrap([1, None, 3, 5], [0, 1, np.nan, 2], n=50)
    assert (found.n_pairs, found.missing, found.difference) == (2, 2, 2.0)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=8), st.integers(0, 99))
def test_the_p_value_is_never_0_and_the_interval_inside_the_differences(values, seed):
    found = paired_bootstrap(values, np.zeros(len(values)), n=60, random_state=seed)
    assert 0 < found.p_value <= 1
    assert min(values) - 1e-12 <= found.low <= found.high <= max(values) + 1e-12


@pytest.mark.parametrize(
    "call",
    [
        lambda: paired_bootstrap([1, 2], [1]),
        lambda: paired_bootstrap([1, 2], [1, np.inf]),
        lambda: paired_bootstrap([1, 2], [1, 2], n=0),
        lambda: paired_bootstrap([1, 2], [1, 2], direction="up"),
        lambda: paired_bootstrap([1, 2], [1, 2], confidence=1),
        lambda: paired_bootstrap([1, 2], [1, 2], random_state=-1),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(InvalidInput, match="; "):
        call()
