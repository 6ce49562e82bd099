import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from caveat.exceptions import CaveatError, InvalidInput
from caveat.statistics import interval_table, mean_interval, nested_mean_interval

few = settings(max_examples=40, deadline=None)
VALUES = st.lists(st.floats(-100, 100), min_size=2, max_size=20)


@few
@given(VALUES, st.sampled_from([0.5, 0.9, 0.95]))
def test_the_t_interval_equals_scipy(values, confidence):
    assume(np.ptp(values) > 1e-6)  # scipy has no answer for constant values
    found = mean_interval(values, confidence)
    expected = stats.t.interval(
        confidence, len(values) - 1, np.mean(values), stats.sem(values)
    )
    np.testing.assert_allclose([found.low, found.high], expected, atol=1e-9)


def test_the_normal_interval_is_that_of_papers():
    values = [0.61, 0.65, 0.58, 0.70]
    found = mean_interval(values, method="normal")
    half = 1.959964 * np.std(values, ddof=1) / 2
    assert found.high - found.mean == pytest.approx(half)


def test_the_bootstrap_interval_meets_the_enumerated_one():
    values = np.array([0.1, 0.4, 0.5, 0.9, 1.3])
    every = np.mean(list(itertools.product(values, repeat=5)), axis=1)
    found = mean_interval(values, 0.9, "bootstrap", n_resamples=40_000)
    low, high = np.quantile(every, [0.05, 0.95])
    assert found.low == pytest.approx(low, abs=0.02)
    assert found.high == pytest.approx(high, abs=0.02)


def test_the_bootstrap_is_the_same_for_the_same_seed_and_leaves_numpy_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    values = np.arange(20.0) ** 2
    first, second, other = (
        mean_interval(values, method="bootstrap", n_resamples=500, random_state=seed)
        for seed in (3, 3, 4)
    )
    assert first == second != other
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("method", ["t", "normal", "bootstrap"])
def test_constant_values_give_an_interval_without_width(method):
    found = mean_interval([0.1] * 7, method=method)
    assert (found.mean, found.low, found.high, found.sd) == (0.1, 0.1, 0.1, 0.0)


@pytest.mark.parametrize("method", ["t", "normal", "bootstrap"])
def test_one_value_has_a_mean_and_no_interval(method):
    found = mean_interval([0.4], method=method)
    assert (found.mean, found.n) == (0.4, 1)
    assert np.isnan([found.low, found.high, found.sd, found.se]).all()


@pytest.mark.parametrize("values", [[], [None, np.nan]])
def test_no_value_has_neither(values):
    found = mean_interval(values)
    assert np.isnan([found.mean, found.low, found.high]).all()
    assert (found.n, found.missing) == (0, len(values))


def test_missing_values_are_left_out_and_counted():
    found = mean_interval([0.5, None, 0.7, np.nan])
    assert (found.mean, found.n, found.missing) == (pytest.approx(0.6), 2, 2)
    assert found.low == mean_interval([0.5, 0.7]).low


def test_two_values_use_one_degree_of_freedom():
    found = mean_interval([0.0, 1.0])
    assert found.high - found.mean == pytest.approx(12.7062 * 0.5, rel=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: mean_interval([1, np.inf]),
        lambda: mean_interval([[1, 2]]),
        lambda: mean_interval(["a"]),
        lambda: mean_interval([1, 2], 95),
        lambda: mean_interval([1, 2], method="tee"),
        lambda: mean_interval([1, 2], method="bootstrap", random_state="x"),
        lambda: mean_interval([1, 2], method="bootstrap", n_resamples=0),
        lambda: nested_mean_interval([1, 2]),
        lambda: nested_mean_interval([1, 2], ["a"]),
        lambda: nested_mean_interval([1, 2], ["a", "b"], units="fixd"),
        lambda: nested_mean_interval(
            [1, 2], ["a", "b"], units="fixed", method="bootstrap"
        ),
        lambda: interval_table(pd.DataFrame({"a": [1]}), "b", by="a"),
    ],
)
def test_bad_input_is_one_clear_sentence(call):
    with pytest.raises(CaveatError, match=r"; |did you mean|there are"):
        call()


def test_pandas_columns_with_na_are_read():
    column = pd.Series([0.5, pd.NA, 0.7], dtype="Float64")
    assert mean_interval(column).missing == 1


def test_a_unit_with_more_values_weighs_no_more():
    found = nested_mean_interval([1, 1, 1, 1, 4], list("aaaab"))
    assert (found.mean, found.n, found.over) == (2.5, 2, "level 1")
    assert found.low == mean_interval([1, 4]).low


def test_three_levels_are_averaged_from_the_inside_out():
    dataset = pd.Series(list("xxxxyy"), name="dataset")
    world = list("abbbcc")
    values = [1, 2, 3, 4, 10, 20]
    # x: mean of a = 1 and b = 3 is 2; y: 15.
    found = nested_mean_interval(values, dataset, world)
    assert (found.mean, found.n, found.over) == (8.5, 2, "dataset")


def test_one_outer_unit_gives_the_interval_of_the_next_level_and_says_so():
    values, dataset = [1, 3, 2, 6], ["x"] * 4
    world = pd.Series(list("aabb"), name="world")
    found = nested_mean_interval(values, dataset, world)
    assert (found.over, found.n) == ("world", 2)
    assert found.high == mean_interval([2, 4]).high
    alone = nested_mean_interval([1, 3], ["x", "x"], ["a", "a"])
    assert (alone.over, alone.high) == ("values", mean_interval([1, 3]).high)


def test_fixed_units_add_the_variances_of_their_means():
    a, b = np.array([1.0, 2.0, 4.0]), np.array([5.0, 5.5, 7.0, 8.0])
    found = nested_mean_interval([*a, *b], list("aaabbbb"), units="fixed")
    # The mean of two means is half the sum, whose error and degrees of freedom
    # are those of Welch's test for the difference.
    parts = a.var(ddof=1) / 3, b.var(ddof=1) / 4
    df = stats.ttest_ind(a, b, equal_var=False).df
    half = stats.t.ppf(0.975, df) * np.sqrt(sum(parts)) / 2
    assert found.mean == pytest.approx((a.mean() + b.mean()) / 2)
    assert found.high - found.mean == pytest.approx(half)


def test_fixed_units_weigh_by_the_product_of_their_siblings():
    values = [1, 2, 1, 3, 1, 5]
    found = nested_mean_interval(values, list("xxxxyy"), list("aabbcc"), units="fixed")
    variances = np.array([0.5, 2.0, 8.0]) / 2
    weights = np.array([0.25, 0.25, 0.5])
    assert found.se == pytest.approx(np.sqrt((weights**2 * variances).sum()))


def test_fixed_units_of_one_value_have_no_interval():
    found = nested_mean_interval([1, 2, 3], list("aab"), units="fixed")
    assert (found.mean, np.isnan(found.low)) == (2.25, True)


def test_fixed_constant_units_have_an_interval_without_width():
    found = nested_mean_interval([1, 1, 2, 2], list("aabb"), units="fixed")
    assert (found.low, found.mean, found.high) == (1.5, 1.5, 1.5)


def test_units_without_a_value_are_counted():
    found = nested_mean_interval([1, 3, None, None], list("abcc"))
    assert (found.mean, found.n, found.missing, found.empty) == (2.0, 2, 2, 1)
    nothing = nested_mean_interval([None], ["a"], units="fixed")
    assert (np.isnan(nothing.mean), nothing.empty) == (True, 1)


@few
@given(VALUES)
def test_one_value_per_unit_is_no_nesting_at_all(values):
    flat = mean_interval(values)
    nested = nested_mean_interval(values, range(len(values)))
    assert nested.mean == pytest.approx(flat.mean)
    assert nested.high == pytest.approx(flat.high)


def test_a_table_has_a_row_for_each_combination():
    frame = pd.DataFrame(
        {
            "learner": ["b", "a", "a", "a", "a", "b"],
            "world": ["w", "w", "v", "v", "w", "v"],
            "score": [1.0, 2.0, 3.0, 5.0, np.nan, 7.0],
        }
    )
    found = interval_table(frame, "score", by="learner", levels=["world"])
    assert found["learner"].tolist() == ["a", "b"]
    assert found["mean"].tolist() == [3.0, 4.0]
    assert found["missing"].tolist() == [1, 0]
    both = interval_table(frame, "score", by=["learner", "world"])
    assert both["n"].tolist() == [2, 1, 1, 1]
    assert interval_table(frame.iloc[:0], "score", by="learner").empty


def test_invalid_input_is_also_a_value_error():
    with pytest.raises(ValueError, match="confidence"):
        mean_interval([1.0], 1.0)
    assert issubclass(InvalidInput, ValueError)
