import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from caveat.exceptions import InvalidInput
from caveat.statistics import benjamini_hochberg, bonferroni, holm

few = settings(max_examples=40, deadline=None)
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)
CORRECTIONS = [benjamini_hochberg, bonferroni, holm]


def holm_by_definition(p_values):
    """Step down through the sorted p-values, one at a time."""
    adjusted = np.empty(len(p_values))
    largest = 0.0
    for step, i in enumerate(np.argsort(p_values, kind="stable")):
        largest = max(largest, (len(p_values) - step) * p_values[i])
        adjusted[i] = min(largest, 1.0)
    return adjusted


@few
@given(P_VALUES)
def test_holm_equals_its_definition(p_values):
    np.testing.assert_array_equal(holm(p_values), holm_by_definition(p_values))


@few
@given(P_VALUES)
def test_benjamini_hochberg_equals_scipy(p_values):
    np.testing.assert_allclose(
        benjamini_hochberg(p_values), false_discovery_control(p_values), atol=1e-12
    )


@few
@given(P_VALUES)
def test_stricter_corrections_give_larger_p_values(p_values):
    fdr, family, strict = (
        correct(p_values) for correct in (benjamini_hochberg, holm, bonferroni)
    )
    assert (np.asarray(p_values) <= fdr + 1e-15).all()
    assert (fdr <= family + 1e-12).all()
    assert (family <= strict + 1e-12).all()


@few
@given(P_VALUES, st.randoms())
def test_the_order_of_the_tests_does_not_matter(p_values, random):
    order = list(range(len(p_values)))
    random.shuffle(order)
    shuffled = np.asarray(p_values)[order]
    for correct in CORRECTIONS:
        np.testing.assert_array_equal(correct(p_values)[order], correct(shuffled))


def test_holm_of_a_case_done_by_hand():
    # 0.01 x 4, 0.013 x 3 = 0.039 raised to 0.04, 0.04 x 2, 0.5
    np.testing.assert_allclose(holm([0.04, 0.01, 0.5, 0.013]), [0.08, 0.04, 0.5, 0.04])


@pytest.mark.parametrize("correct", CORRECTIONS)
def test_a_test_that_was_not_made_is_not_counted(correct):
    found = correct([0.02, np.nan, 0.04])
    np.testing.assert_array_equal(found[[0, 2]], correct([0.02, 0.04]))
    assert np.isnan(found[1])


@pytest.mark.parametrize("correct", CORRECTIONS)
def test_one_test_needs_no_correction_and_none_gives_none(correct):
    np.testing.assert_array_equal(correct([0.03]), [0.03])
    assert correct([]).shape == (0,)


@pytest.mark.parametrize("correct", CORRECTIONS)
@pytest.mark.parametrize("bad", [[1.5], [-0.1], ["x"], [[0.1]], 0.1])
def test_what_is_no_list_of_p_values_is_refused(correct, bad):
    with pytest.raises(InvalidInput, match=r"p_values|p-value"):
        correct(bad)
