import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.statistics.comparisons._ties import differences_without_noise, without_noise

few = settings(max_examples=40, deadline=None)
NUMBERS = st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=9).map(np.array)


@few
@given(NUMBERS)
def test_values_move_by_less_than_a_part_in_a_million_million(values):
    moved = np.abs(without_noise(values) - values)
    assert (moved <= 1e-12 * np.abs(values)).all()
    np.testing.assert_array_equal(without_noise(-values), -without_noise(values))


@few
@given(NUMBERS)
def test_the_last_bits_make_no_difference(values):
    nudged = without_noise(values) * (1 + 2**-50)
    np.testing.assert_array_equal(without_noise(nudged), without_noise(values))


def test_special_values_stay():
    values = np.array([np.nan, np.inf, -np.inf, 0.0, 5e-324])
    np.testing.assert_array_equal(without_noise(values), values)


def test_differences_are_compared_on_the_scale_of_the_values():
    found = differences_without_noise(
        np.array([0.9, 0.8, 0.1 + 0.2]), np.array([0.8, 0.7, 0.3])
    )
    assert found[0] == found[1]
    assert found[2] == 0


def test_missing_and_empty_differences_stay_so():
    nothing = np.array([np.nan, np.nan])
    assert np.isnan(differences_without_noise(nothing, nothing)).all()
    assert differences_without_noise(np.empty(0), np.empty(0)).shape == (0,)
