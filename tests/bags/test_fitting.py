import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import softmax

from caveat.bags.worlds._margins import (
    closest_mixture,
    controlled_rounding,
    fit_margins,
    project_rows,
    proportional_fit,
)

seeds = st.integers(0, 10_000)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_rounding_keeps_both_margins_and_stays_next_to_the_table(seed):
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 20, (3, 5))
    rows, columns = whole.sum(axis=1), whole.sum(axis=0)
    table = fit_margins(rng.random((3, 5)) + 0.01, rows, columns)
    found = controlled_rounding(table, rows, columns)
    np.testing.assert_array_equal(found.sum(axis=1), rows)
    np.testing.assert_array_equal(found.sum(axis=0), columns)
    assert np.abs(found - table).max() < 1 + 1e-6
    assert found.min() >= 0


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_projections_are_the_nearest_points_of_the_simplex(seed):
    rng = np.random.default_rng(seed)
    points = 2 * rng.normal(size=(4, 3))
    found = project_rows(points)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert found.min() >= 0
    others = rng.dirichlet(np.ones(3), size=(50, 4))
    nearest = ((found - points) ** 2).sum(axis=1)
    assert (((others - points) ** 2).sum(axis=2) >= nearest - 1e-12).all()


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_the_mixture_is_as_close_as_a_general_optimiser_gets(seed):
    rng = np.random.default_rng(seed)
    counts, wanted = rng.integers(1, 50, (2, 3)), rng.integers(1, 50, (2, 4))
    found = closest_mixture(counts.astype(float), wanted.astype(float))
    np.testing.assert_allclose(found.sum(axis=1), 1)

    def distance(flat):
        shares = softmax(flat.reshape(3, 4), axis=1)
        return ((wanted - counts @ shares) ** 2).sum()

    peer = min(
        minimize(distance, rng.normal(size=12), method="BFGS").fun for _ in range(3)
    )
    ours = ((wanted - counts @ found) ** 2).sum()
    assert ours <= peer * (1 + 1e-3) + 1e-6


def test_proportional_fitting_meets_margins_that_agree():
    rng = np.random.default_rng(0)
    truth = rng.random((2, 3, 4))
    truth /= truth.sum()
    margins = [(truth.sum(axis=2), (0, 1)), (truth.sum(axis=1), (0, 2))]
    found, off = proportional_fit(rng.random((2, 3, 4)), margins, tolerance=1e-10)
    assert off < 1e-8
    np.testing.assert_allclose(found.sum(axis=2), truth.sum(axis=2))
    np.testing.assert_allclose(found.sum(axis=1), truth.sum(axis=1))


def test_an_empty_slice_is_left_alone():
    start = np.array([[1.0, 1.0], [0.0, 0.0]])
    found, _ = proportional_fit(start, [(np.array([0.5, 0.5]), (0,))])
    np.testing.assert_array_equal(found, [[0.25, 0.25], [0.0, 0.0]])
