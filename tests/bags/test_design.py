import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from caveat.bags.solvers._design import DenseDesign, SparseDesign, design
from caveat.bags.solvers._kernels import log_cosh_along, log_cosh_terms


def one_hot_items(n=200, seed=0, low=-1.0, high=1.0):
    """Scaled one-hot columns beside one of numbers: dense, but hardly."""
    rng = np.random.default_rng(seed)
    hot = np.eye(9)[rng.integers(0, 9, n)]
    return np.column_stack([low + (high - low) * hot, rng.normal(size=n)])


def both(X):
    return [DenseDesign(X), design(X), design(sparse.csr_matrix(X))]


def test_scaled_one_hot_columns_are_kept_sparse():
    found = design(one_hot_items())
    assert isinstance(found, SparseDesign)
    assert found.part.nnz < 0.25 * 200 * 10


def test_columns_that_only_look_sparse_at_first_stay_dense():
    X = np.zeros((5000, 6))
    rows = np.unique(np.linspace(0, 4999, 256).astype(int))
    hidden = np.setdiff1d(np.arange(5000), rows)
    X[hidden] = np.random.default_rng(0).normal(size=(len(hidden), 6))
    assert isinstance(design(X), DenseDesign)


@given(st.integers(0, 10_000), st.integers(1, 90), st.sampled_from([0.01, 1.0, 300.0]))
@settings(max_examples=30, deadline=None)
def test_the_terms_of_one_score_vector_agree_with_the_formula(seed, n, scale):
    rng = np.random.default_rng(seed)
    z, rise = scale * rng.normal(size=n), rng.normal(size=n)
    value, tanh, bends = log_cosh_terms(z)
    assert value == pytest.approx(np.logaddexp(z, -z).sum(), rel=1e-12)
    np.testing.assert_allclose(tanh, np.tanh(z), rtol=1e-12)
    np.testing.assert_allclose(bends, 1 - np.tanh(z) ** 2, atol=1e-12)
    slope, bend = log_cosh_along(z, rise, 0.3)
    there = np.tanh(z - 0.3 * rise)
    assert slope == pytest.approx(-(rise @ there), rel=1e-9, abs=1e-9)
    assert bend == pytest.approx(rise**2 @ (1 - there**2), rel=1e-9, abs=1e-9)


def test_products_and_sums_agree_with_dense_algebra():
    X = one_hot_items()
    rng = np.random.default_rng(1)
    w, v, rows = rng.normal(size=(10, 3)), rng.random(200), rng.integers(0, 200, 90)
    bags = rng.integers(0, 4, 200)
    for kind in both(X):
        np.testing.assert_allclose(kind.scores(w), X @ w, atol=1e-12)
        np.testing.assert_allclose(kind.weighted_sum(v), X.T @ v, atol=1e-12)
        np.testing.assert_allclose(kind.gram(v), X.T @ (v[:, None] * X), atol=1e-10)
        np.testing.assert_allclose(kind.take(rows).scores(w), X[rows] @ w, atol=1e-12)
        np.testing.assert_allclose(kind.mean_square(), (X**2).mean())
        with_one = np.column_stack([X, np.ones(200)])
        longer = np.vstack([w, w[:1]])
        np.testing.assert_allclose(
            kind.with_constant().scores(longer), with_one @ longer, atol=1e-12
        )
        sums = [X[bags == bag].sum(axis=0) for bag in range(5)]
        np.testing.assert_allclose(kind.bag_sums(bags, 5), sums, atol=1e-10)
