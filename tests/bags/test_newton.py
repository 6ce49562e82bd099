import numpy as np
import pytest
from scipy.optimize import minimize

from caveat.bags.solvers import _newton
from caveat.bags.solvers._design import DenseDesign
from caveat.bags.solvers._newton import newton
from caveat.bags.solvers._penalty_path import minima_along


def problem(seed=0, n=120, d=5, far=0.2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, far * n * rng.normal(size=d)


def reference(X, linear, ridge):
    def function(w):
        z = X @ w
        value = np.logaddexp(z, -z).sum() - linear @ w + 0.5 * ridge @ (w * w)
        return value, X.T @ np.tanh(z) - linear + ridge * w

    options = {"gtol": 1e-10, "maxiter": 5000}
    return minimize(function, np.zeros(X.shape[1]), jac=True, options=options)


@pytest.mark.parametrize("far", [0.0, 0.2, 3.0])
@pytest.mark.parametrize("most_features", [1500, 1])
def test_the_minimum_is_that_of_a_general_optimiser(far, most_features, monkeypatch):
    monkeypatch.setattr(_newton, "_MOST_FEATURES", most_features)
    X, linear = problem(far=far)
    ridge = np.array([1.0, 1.0, 10.0, 0.5, 2.0])
    found = newton(DenseDesign(X), linear, ridge, np.zeros(5))
    wanted = reference(X, linear, ridge)
    np.testing.assert_allclose(found.x, wanted.x, rtol=1e-4, atol=1e-6)
    assert found.value <= wanted.fun + 1e-9 * abs(wanted.fun)


def test_the_minimum_does_not_depend_on_the_start():
    X, linear = problem(far=3.0)
    ridge = np.full(5, 0.1)
    ends = [
        newton(DenseDesign(X), linear, ridge, start).x
        for start in (np.zeros(5), np.full(5, 50.0))
    ]
    np.testing.assert_allclose(*ends, rtol=1e-9)


@pytest.mark.parametrize("far", [0.0, 0.2, 3.0])
def test_minima_on_the_way_are_those_found_alone(far):
    X, linear = problem(far=far)
    penalties = [100.0, 10.0, 10.0, 1e-4]
    way = minima_along(DenseDesign(X), linear, penalties, max_iter=500)
    for lam, found in zip(penalties, way, strict=True):
        wanted = newton(DenseDesign(X), linear, np.full(5, lam), np.zeros(5))
        np.testing.assert_allclose(found.x, wanted.x, rtol=1e-6, atol=1e-8)
        assert found.converged


def test_a_feature_without_penalty_or_variation_does_no_harm():
    X = np.column_stack([np.ones(50), np.zeros(50), np.linspace(-1, 1, 50)])
    found = newton(
        DenseDesign(X), X.T @ np.sign(X[:, 2]), np.array([0.0, 0.0, 1.0]), np.zeros(3)
    )
    assert np.isfinite(found.x).all()
    assert found.x[2] > 0
