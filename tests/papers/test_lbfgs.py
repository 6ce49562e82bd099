import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from papers.bags.lbfgs import drive, lbfgs


def log_cosh(seed, n=80, d=6):
    """A smooth convex function with a minimum away from 0."""
    rng = np.random.default_rng(seed)
    X, target = rng.normal(size=(n, d)), 0.3 * n * rng.normal(size=d)

    def function(w):
        z = X @ w
        value = np.logaddexp(z, -z).sum() - target @ w + 0.5 * w @ w
        return float(value), X.T @ np.tanh(z) - target + w

    return function, d


def scipy_run(function, start, memory, max_iter):
    return minimize(
        function,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxcor": memory, "maxiter": max_iter, "ftol": 1e-15, "gtol": 0.0},
    )


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("max_iter", [1, 2, 5, 7])
def test_a_run_cut_short_stops_where_scipy_stops(seed, max_iter):
    function, d = log_cosh(seed)
    start = np.full(d, 1e-3)
    ours = drive(
        lbfgs(start, memory=5, max_iter=max_iter, relative_reduction=1e-15), function
    )
    theirs = scipy_run(function, start, 5, max_iter)
    assert ours.n_iter == theirs.nit == max_iter
    np.testing.assert_allclose(ours.x, theirs.x, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("max_iter", [3, 10, 20])
def test_the_path_through_a_curved_valley_is_that_of_scipy(max_iter):
    start = np.array([-1.2, 1.0, 0.5])
    ours = drive(
        lbfgs(start, memory=10, max_iter=max_iter, relative_reduction=0.0),
        lambda x: (float(rosen(x)), rosen_der(x)),
    )
    theirs = scipy_run(lambda x: (rosen(x), rosen_der(x)), start, 10, max_iter)
    np.testing.assert_allclose(ours.x, theirs.x, rtol=1e-6)


def test_it_finds_the_minimum_of_rosenbrock():
    found = drive(
        lbfgs(np.zeros(5), max_iter=500, relative_reduction=1e-15),
        lambda x: (float(rosen(x)), rosen_der(x)),
    )
    np.testing.assert_allclose(found.x, np.ones(5), atol=1e-5)
    assert found.converged


def test_a_point_without_slope_is_the_end():
    found = drive(lbfgs(np.zeros(2)), lambda x: (float(x @ x), 2 * x))
    assert found.n_iter == 0
    assert found.converged


def test_a_straight_descent_without_end_is_not_walked_step_by_step():
    calls = []

    def falling(x):
        calls.append(x)
        return -3.0 * float(x[0]), np.array([-3.0])

    found = drive(lbfgs(np.zeros(1), max_iter=100), falling)
    assert not found.converged
    assert found.n_iter == 100
    assert found.x[0] > 1e11
    assert len(calls) < 50
