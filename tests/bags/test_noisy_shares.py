"""Shares with errors and private shares, as functions and as worlds of a study."""

import numpy as np
import pytest

from caveat.bags import noisy_shares, private_shares
from caveat.bags.worlds._noisy_shares import told_shares
from caveat.bags.worlds._scenarios import expand_worlds
from caveat.exceptions import InvalidInput

HALVES = np.full((4000, 2), 0.5)


def test_errors_have_the_spread_that_was_asked_for():
    found = noisy_shares(HALVES, 0.04, random_state=0)
    assert found[:, 1].std() == pytest.approx(0.04, rel=0.05)
    assert found[:, 1].mean() == pytest.approx(0.5, abs=0.003)
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize(("classes", "scale"), [(2, 1.0), (4, 2.0)])
def test_private_counts_have_laplace_noise_of_the_right_scale(classes, scale):
    """Mean absolute error of Laplace noise is its scale; projection costs a part of it.

    A row of noise loses its mean on the simplex, so its variance falls by 1/classes.
    """
    shares = np.full((6000, classes), 1 / classes)
    found = private_shares(shares, np.full(6000, 500), 0.5, random_state=0)
    error = 500 * (found - shares)
    kept = 1.0 if classes == 2 else 1 - 1 / classes
    assert error.var() == pytest.approx(2 * (scale / 0.5) ** 2 * kept, rel=0.1)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_small_bags_are_blurred_more():
    sizes = np.repeat([10, 1000], 2000)
    error = np.abs(private_shares(HALVES, sizes, 1.0, random_state=0) - HALVES)[:, 1]
    assert error[:2000].mean() == pytest.approx(100 * error[2000:].mean(), rel=0.15)


@pytest.mark.parametrize("blurred", [noisy_shares, private_shares])
def test_shares_stay_shares_and_empty_bags_stay_empty(blurred):
    shares = np.array([[0.0, 0.0, 1.0], [np.nan] * 3, [0.2, 0.5, 0.3]])
    given = (shares, 0.5) if blurred is noisy_shares else (shares, [5, 0, 9], 0.5)
    found = blurred(*given, random_state=0)
    there = found[[0, 2]]
    assert (there >= 0).all()
    np.testing.assert_allclose(there.sum(axis=1), 1)
    assert np.isnan(found[1]).all()


def test_bad_requests_are_named():
    with pytest.raises(InvalidInput, match="epsilon"):
        private_shares(HALVES[:2], [3, 3], 0.0)
    with pytest.raises(InvalidInput, match="sizes"):
        private_shares(HALVES[:2], [3], 1.0)
    with pytest.raises(InvalidInput, match="shares"):
        noisy_shares([0.5, 0.5], 0.1)
    with pytest.raises(InvalidInput, match="sd"):
        noisy_shares(HALVES[:2], -1)


def test_worlds_may_have_noisy_private_and_exact_shares():
    scenario = {"variant": ["random"], "bag_size": [8], "epsilon": [None, 1.0]}
    exact, private = expand_worlds(scenario, "iris")
    assert "epsilon" not in exact
    assert private["epsilon"] == 1.0
    table, sizes = HALVES[:5], np.full(5, 8)
    np.testing.assert_array_equal(told_shares(exact, table, sizes, 0), table)
    np.testing.assert_array_equal(
        told_shares(private, table, sizes, 0),
        private_shares(table, sizes, 1.0, random_state=0),
    )
    with pytest.raises(InvalidInput, match="share_sd"):
        expand_worlds({"share_sd": [0]}, "iris")
