"""Strengths, improvability and practical equivalence, against independent ways."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from caveat.exceptions import InvalidInput
from caveat.statistics import (
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
    bounded_interval,
    bradley_terry,
    fitting_test,
    improvability,
)


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    values = rng.normal(np.array([0.0, 0.3, 0.6, 1.2]), size=(12, 4))
    return pd.DataFrame(values.round(1), columns=list("abcd"))


def test_strengths_maximise_the_likelihood(scores):
    values = scores.to_numpy()
    wins = np.sign(values[:, :, None] - values[:, None, :]).sum(axis=0) / 2
    wins = wins + len(values) / 2 * (1 - np.eye(4)) + 0.5 * (1 - np.eye(4))

    def loss(theta):
        theta = np.append(theta, 0.0)
        return (wins * np.logaddexp(0, theta[None, :] - theta[:, None])).sum()

    best = np.append(optimize.minimize(loss, np.zeros(3), tol=1e-12).x, 0.0)
    expected = 1000 + 400 / np.log(10) * (best - best.mean())
    found = bradley_terry(scores, n_resamples=10)["elo"].reindex(scores.columns)
    # Both stop near the same maximum; a thousandth of an Elo point is far below use.
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_strengths_have_an_interval_only_over_five_data_sets(scores):
    assert bradley_terry(scores.head(4), n_resamples=10)["low"].isna().all()
    wide = bradley_terry(scores, n_resamples=200)
    assert (wide["low"] <= wide["elo"]).all()
    assert (wide["elo"] <= wide["high"]).all()


def test_equal_learners_have_equal_strength():
    same = pd.DataFrame({"a": [1.0] * 6, "b": [1.0] * 6})
    found = bradley_terry(same, n_resamples=20)
    np.testing.assert_allclose(found[["elo", "low", "high"]], 1000.0)


def test_improvability_is_zero_for_the_best_and_one_at_the_floor(scores):
    floors = scores.min(axis=1)
    found = improvability(scores, floors=floors)["mean"]
    by_hand = (
        scores.rsub(scores.max(axis=1), axis=0)
        .div(scores.max(axis=1) - floors, axis=0)
        .mean()
    )
    pd.testing.assert_series_equal(found.sort_index(), by_hand, check_names=False)
    turned = improvability(-scores, floors=-floors, direction="min")["mean"]
    pd.testing.assert_series_equal(found, turned)


def test_the_posterior_of_one_data_set_is_a_t_distribution():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.82, 0.02, 10), rng.normal(0.80, 0.02, 10)
    found = bayesian_correlated_t_test(a, b, test_train_ratio=1 / 9, rope=0.01)
    gap = a - b
    scale = gap.std(ddof=1) * np.sqrt(1 / 10 + 1 / 9)
    draws = stats.t.rvs(9, gap.mean(), scale, size=400_000, random_state=rng)
    # A share of 400,000 draws has a standard error of at most 0.0008.
    assert found.better == pytest.approx((draws > 0.01).mean(), abs=0.004)
    assert found.worse == pytest.approx((draws < -0.01).mean(), abs=0.004)
    assert found.better + found.same + found.worse == pytest.approx(1)


@pytest.mark.parametrize(
    ("gap", "name"), [(0.1, "better"), (-0.1, "worse"), (0, "same")]
)
def test_signed_ranks_find_what_is_plain(gap, name):
    rng = np.random.default_rng(2)
    b = rng.random(15)
    found = bayesian_signed_rank_test(b + gap, b, rope=0.01, n_samples=2000)
    assert getattr(found, name) > 0.95


def test_turning_the_pair_turns_the_answer():
    rng = np.random.default_rng(3)
    a, b = rng.random(9), rng.random(9)
    one = bayesian_signed_rank_test(a, b, n_samples=500)
    other = bayesian_signed_rank_test(b, a, n_samples=500)
    assert (one.better, one.same) == pytest.approx((other.worse, other.same))


def test_a_region_below_nothing_is_refused():
    with pytest.raises(InvalidInput, match="rope"):
        bayesian_signed_rank_test([1, 2], [1, 2], rope=-1)


def test_every_design_has_its_sentence():
    assert "no test" in fitting_test(data_sets=1, learners=3, repeats=1)
    assert "corrected resampled" in fitting_test(data_sets=1, learners=3, repeats=5)
    assert "too few" in fitting_test(data_sets=4, learners=3, repeats=5)
    assert "Wilcoxon" in fitting_test(data_sets=9, learners=2, repeats=1)


def test_intervals_stay_inside_the_range_and_cover_the_truth():
    rng = np.random.default_rng(4)
    hits = []
    for _ in range(400):
        values = rng.beta(9, 1, size=10)  # mean 0.9, close to the end
        found = bounded_interval(values)
        assert 0 < found.low <= found.mean <= found.high < 1
        hits.append(found.low <= 0.9 <= found.high)
    # Drawn 20,000 times it covers 0.941. An interval with normal in place of t
    # quantiles covers 0.907 and would pass here one time in five, one of half the
    # width covers 0.695 and never would.
    assert 0.92 <= np.mean(hits) <= 0.985


@pytest.mark.parametrize("range", [(0.0, np.inf), (-np.inf, 0.0), (-np.inf, np.inf)])
def test_intervals_of_open_ranges_keep_to_their_side(range):
    values = np.array([0.1, 0.4, 3.0]) * (-1 if range[1] == 0 else 1)
    found = bounded_interval(values, range=range)
    assert range[0] <= found.low < found.mean < found.high <= range[1]


@pytest.mark.parametrize("range", [(0.0, 1.0), (0.0, np.inf), (-np.inf, 1.0)])
def test_a_mean_next_to_an_end_with_a_wide_spread_has_an_interval(range):
    end = 1.0 if range[0] == -np.inf else 0.0
    inside = -1 if end else 1
    found = bounded_interval(end + inside * np.array([1e-9, 1e-6, 1e-3]), range=range)
    assert range[0] <= found.low <= found.mean <= found.high <= range[1]


def test_values_that_are_all_perfect_reach_as_far_as_a_miss_could_hide():
    found = bounded_interval([1.0] * 5, rows=100)
    assert found.high == 1.0
    assert found.low == pytest.approx(0.05 ** (1 / 100))
    assert np.isnan(bounded_interval([1.0] * 5).low)


def test_equal_values_have_no_interval_however_many_they_are():
    found = bounded_interval([0.7] * 5, rows=100)
    assert found.mean == 0.7
    assert np.isnan([found.low, found.high]).all()
