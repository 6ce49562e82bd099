import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from caveat.exceptions import CaveatError
from caveat.statistics import (
    average_ranks,
    critical_difference,
    friedman_from_averages,
    friedman_test,
)

few = settings(max_examples=30, deadline=None)

# Demsar (2006), table 6: AUC of C4.5 with m, cf, both tuned, on 14 data sets. On
# "voting" the paper ranks two values that it prints alike; the last digit is ours.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
TIED = arrays(
    float,
    st.tuples(st.integers(2, 8), st.integers(3, 6)),
    elements=st.integers(0, 4).map(float),
)


def test_average_ranks_of_the_published_example():
    found = average_ranks(DEMSAR)
    averages = found.ranks.sort_index().round(3).tolist()
    assert averages == [3.143, 2.000, 2.893, 1.964]
    assert found.ranks.index.tolist() == [3, 1, 2, 0]
    assert (found.n_blocks, found.n_learners) == (14, 4)


@pytest.mark.parametrize(
    "test",
    [
        lambda: friedman_test(average_ranks(DEMSAR)),
        lambda: friedman_from_averages([3.143, 2.000, 2.893, 1.964], 14),
        lambda: friedman_from_averages(
            {"a": 3.143, "b": 2.000, "c": 2.893, "d": 1.964}, 14
        ),
    ],
)
def test_friedman_and_iman_davenport_of_the_published_example(test):
    found = test()
    assert found.chi_square == pytest.approx(9.28, abs=0.005)
    assert found.f == pytest.approx(3.69, abs=0.005)
    # The paper: critical value of F(3, 39) at 0.05 is 2.85, so it rejects.
    assert found.f_p < 0.05


def test_published_averages_say_nothing_about_ties():
    found = friedman_from_averages([1.2, 1.8], 10)
    assert np.isnan([found.tied_chi_square, found.tied_f, found.tied_f_p]).all()


@pytest.mark.parametrize(("alpha", "expected"), [(0.05, 1.25), (0.10, 1.12)])
def test_critical_difference_of_the_published_example(alpha, expected):
    assert round(critical_difference(4, 14, alpha=alpha), 2) == expected


# Demsar (2006), table 5 (a): critical values for k = 2..10.
Q05 = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
Q10 = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]


@pytest.mark.parametrize(("alpha", "table"), [(0.05, Q05), (0.10, Q10)])
def test_critical_values_are_the_published_ones(alpha, table):
    for k, expected in enumerate(table, start=2):
        found = critical_difference(k, 1, alpha=alpha) / np.sqrt(k * (k + 1) / 6)
        assert found == pytest.approx(expected, abs=0.0011)


def test_critical_differences_exist_far_beyond_the_tables():
    found = [critical_difference(k, 20) for k in (10, 40, 100)]
    assert np.isfinite(found).all()
    assert found == sorted(found)


@few
@given(TIED)
def test_with_the_correction_for_ties_it_equals_scipy(table):
    found = friedman_test(average_ranks(table))
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = stats.friedmanchisquare(*table.T)
    # Where all is tied scipy divides 0 by 0; nothing differs, so 0 it is.
    np.testing.assert_allclose(
        [found.tied_chi_square, found.tied_chi_square_p],
        np.where(np.isnan(expected), [0, 1], expected),
        atol=1e-9,
    )


@few
@given(TIED)
def test_without_the_correction_it_is_the_textbook_formula(table):
    n, k = table.shape
    found = friedman_test(average_ranks(table, direction="min"))
    averages = stats.rankdata(table, axis=1).mean(axis=0)
    chi = 12 * n / (k * (k + 1)) * ((averages**2).sum() - k * (k + 1) ** 2 / 4)
    assert found.chi_square == pytest.approx(chi, abs=1e-9)
    assert found.chi_square <= found.tied_chi_square + 1e-9


@few
@given(TIED)
def test_ranks_equal_scipys_and_add_up(table):
    up, down = average_ranks(table), average_ranks(table, direction="min")
    np.testing.assert_array_equal(down.table, stats.rankdata(table, axis=1))
    np.testing.assert_array_equal(up.table, stats.rankdata(-table, axis=1))
    k = table.shape[1]
    assert up.ranks.sum() == pytest.approx(k * (k + 1) / 2)
    assert up.ranks.is_monotonic_increasing


@few
@given(TIED, st.floats(0.5, 20))
def test_growing_transforms_change_no_rank(table, factor):
    np.testing.assert_array_equal(
        average_ranks(table).table, average_ranks(np.exp(table / factor)).table
    )


def test_rounding_noise_is_a_tie_and_so_is_what_decimals_say():
    noisy = average_ranks([[0.1 + 0.2, 0.3, 0.2]])
    assert noisy.ranks.tolist() == [1.5, 1.5, 3.0]
    assert average_ranks([[0.7004, 0.7001]]).ranks.tolist() == [1, 2]
    assert average_ranks([[0.7004, 0.7001]], decimals=3).ranks.tolist() == [1.5, 1.5]


HOLES = pd.DataFrame(
    {
        "a": [0.9, np.nan, 0.7, np.nan],
        "b": [0.8, 0.8, np.nan, np.nan],
        "c": [0.7, 0.9, np.nan, np.nan],
    },
    index=["iris", "wine", "lost", "void"],
)


def test_a_missing_cell_is_refused_unless_a_policy_is_named():
    with pytest.raises(CaveatError, match=r"'a' has no value in block 'wine' \(6"):
        average_ranks(HOLES)


def test_missing_as_worst_shares_the_last_ranks_and_is_listed():
    found = average_ranks(HOLES, missing="worst")
    assert found.table.to_numpy().tolist() == [[1, 2, 3], [3, 2, 1], [1, 2.5, 2.5]]
    assert found.filled == (("wine", "a"), ("lost", "b"), ("lost", "c"))
    assert found.dropped == ("void",)


def test_missing_as_worst_is_worst_in_either_direction():
    found = average_ranks(HOLES.loc[["wine"]], missing="worst", direction="min")
    assert found.table.to_numpy().tolist() == [[3, 1, 2]]


def test_blocks_with_missing_cells_can_be_dropped_and_are_listed():
    found = average_ranks(HOLES, missing="drop-block")
    assert found.table.index.tolist() == ["iris"]
    assert found.dropped == ("wine", "lost", "void")
    assert found.filled == ()


def test_no_block_left_has_no_ranks():
    found = average_ranks(HOLES.loc[["void"]], missing="worst")
    assert found.n_blocks == 0
    assert found.ranks.isna().all()
    assert "two data sets" in friedman_test(found).note


def test_infinite_values_have_ranks():
    assert average_ranks([[np.inf, 1.0, -np.inf]]).ranks.tolist() == [1, 2, 3]


@pytest.mark.parametrize("table", [[[0.5], [0.6]], [[0.5, 0.6, 0.7]]])
def test_one_learner_or_one_data_set_has_ranks_but_no_test(table):
    found = friedman_test(average_ranks(table))
    assert np.isnan([found.chi_square, found.f_p, found.tied_f]).all()
    assert found.note


def test_two_learners_have_a_test():
    found = friedman_test(average_ranks([[1, 2], [1, 2], [2, 1], [1, 2]]))
    # chi-square of two learners: (wins - losses)^2 / blocks
    assert found.chi_square == pytest.approx(1.0)


def test_blocks_that_all_agree_have_an_infinite_f():
    found = friedman_test(average_ranks([[1, 2, 3]] * 5))
    assert (found.chi_square, found.f, found.f_p) == (pytest.approx(10), np.inf, 0)


def test_constant_blocks_speak_for_no_difference():
    found = friedman_test(average_ranks(np.ones((4, 3))))
    assert (found.chi_square, found.tied_chi_square, found.f) == (0, 0, 0)
    assert (found.tied_chi_square_p, found.f_p, found.tied_f_p) == (1, 1, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: average_ranks([1, 2, 3]),
        lambda: average_ranks([["a", "b"]]),
        lambda: average_ranks(pd.DataFrame({"a": ["x"]})),
        lambda: average_ranks(pd.DataFrame([[1, 2]], columns=["a", "a"])),
        lambda: average_ranks(pd.DataFrame(index=[0])),
        lambda: average_ranks([[1, 2]], direction="maximum"),
        lambda: average_ranks([[1, 2]], missing="best"),
        lambda: friedman_from_averages([1.0, 1.0], 5),
        lambda: friedman_from_averages([1.5, 1.5], -1),
        lambda: critical_difference(1, 10),
        lambda: critical_difference(3, 0),
        lambda: critical_difference(3, 10, alpha=0),
    ],
)
def test_bad_input_is_refused(call):
    with pytest.raises(CaveatError, match=r"; |did you mean|there are"):
        call()


@pytest.mark.parametrize("scores", [DEMSAR, pd.DataFrame(DEMSAR), DEMSAR.tolist()])
def test_friedmans_test_of_scores_says_that_it_takes_ranks(scores):
    with pytest.raises(CaveatError, match="pass what average_ranks makes of a table"):
        friedman_test(scores)
