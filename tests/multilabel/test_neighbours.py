"""ML-kNN and GFM against their definitions, and the neighbours they ask."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse

from caveat.exceptions import CaveatError
from caveat.multilabel import GFM, MLkNN
from caveat.multilabel.learners._neighbours import NearestRows


def brute_neighbours(X, Q, k, skip_self=False):
    found = []
    for i, q in enumerate(Q):
        distance = [((q - x) ** 2).sum() for x in X]
        order = sorted(
            (j for j in range(len(X)) if not (skip_self and i == j)),
            key=lambda j, d=distance: (d[j], j),
        )
        found.append(order[:k])
    return np.array(found)


@pytest.fixture(params=["binary", "real", "duplicates"])
def rows(request):
    rng = np.random.default_rng(0)
    return {
        "binary": (rng.random((40, 9)) < 0.3).astype(float),
        "real": rng.normal(size=(40, 9)) * (rng.random((40, 9)) < 0.6) + 1e3,
        "duplicates": np.repeat(rng.normal(size=(8, 4)), 5, axis=0),
    }[request.param]


@pytest.mark.parametrize("skip_self", [True, False])
def test_neighbours_are_exact_with_ties_to_the_lowest_number(rows, skip_self):
    expected = brute_neighbours(rows, rows, 5, skip_self)
    dense = NearestRows(rows).nearest(rows, 5, skip_self=skip_self)
    thin = sparse.csr_array(rows)
    np.testing.assert_array_equal(dense, expected)
    np.testing.assert_array_equal(
        NearestRows(thin).nearest(thin, 5, skip_self=skip_self), expected
    )
    np.testing.assert_array_equal(
        NearestRows(thin).nearest(rows, 5, skip_self=skip_self), expected
    )


def test_blocks_do_not_change_neighbours(rows, monkeypatch):
    whole = NearestRows(rows).nearest(rows, 3)
    monkeypatch.setattr("caveat.multilabel.learners._neighbours.BLOCK_ENTRIES", 90)
    np.testing.assert_array_equal(NearestRows(rows).nearest(rows, 3), whole)


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    Y = (X @ rng.normal(size=(3, 4)) + rng.normal(size=(40, 4)) > 0.4).astype(int)
    return X[:30], Y[:30], X[30:]


@pytest.mark.parametrize("s", [1.0, 0.3])
def test_ml_knn_is_bayes_rule_on_counts(case, s):
    X, Y, Q = case
    k, m = 5, len(X)
    inside = np.array([Y[near].sum(axis=0) for near in brute_neighbours(X, X, k, True)])
    outside = np.array([Y[near].sum(axis=0) for near in brute_neighbours(X, Q, k)])
    expected = np.empty(outside.shape)
    for j in range(Y.shape[1]):
        prior = (s + Y[:, j].sum()) / (2 * s + m)
        for row, count in enumerate(outside[:, j]):
            yes = (inside[:, j] == count) & (Y[:, j] == 1)
            no = (inside[:, j] == count) & (Y[:, j] == 0)
            up = prior * (s + yes.sum()) / (s * (k + 1) + (Y[:, j] == 1).sum())
            down = (1 - prior) * (s + no.sum()) / (s * (k + 1) + (Y[:, j] == 0).sum())
            expected[row, j] = up / (up + down)
    model = MLkNN(k=k, s=s).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(Q), expected)
    np.testing.assert_array_equal(model.predict(Q), expected >= 0.5)


def test_ml_knn_without_smoothing_stays_finite(case):
    X, Y, Q = case
    Y = Y.copy()
    Y[:, 0] = 0
    scores = MLkNN(k=4, s=0).fit(X, Y).decision_function(Q)
    assert np.isfinite(scores).all()
    assert (scores[:, 0] == 0).all()


@pytest.mark.parametrize("beta", [1.0, 2.0])
def test_gfm_finds_the_set_with_the_largest_expected_f(case, beta):
    X, Y, Q = case
    k, n_labels = 6, Y.shape[1]
    chosen = GFM(k=k, beta=beta).fit(X, Y).predict(Q)
    sets = [
        np.isin(np.arange(n_labels), subset).astype(int)
        for size in range(n_labels + 1)
        for subset in combinations(range(n_labels), size)
    ]

    def expected_f(h, near):
        values = []
        for y in Y[near]:
            bottom = beta**2 * y.sum() + h.sum()
            hit = (1 + beta**2) * (y & h).sum()
            values.append(hit / bottom if bottom else 1.0)
        return np.mean(values)

    for row, near in zip(chosen, brute_neighbours(X, Q, k), strict=True):
        best = max(expected_f(h, near) for h in sets)
        assert expected_f(row, near) == pytest.approx(best)


def test_gfm_scores_are_the_shares_of_neighbours(case):
    X, Y, Q = case
    near = brute_neighbours(X, Q, 6)
    model = GFM(k=6).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(Q), Y[near].mean(axis=1))


def test_too_many_neighbours_are_cut_with_a_warning(case):
    X, Y, Q = case
    with pytest.warns(UserWarning, match="k=4 is used"):
        model = MLkNN(k=10).fit(X[:5], Y[:5])
    assert model.predict(Q).shape == (10, 4)


@pytest.mark.parametrize(
    "model",
    [MLkNN(k=0), MLkNN(k=2.5), MLkNN(s=-1), MLkNN(scaling="z"), GFM(beta=0),
     GFM(k="ten")],
)  # fmt: skip
def test_bad_parameters_are_refused(case, model):
    X, Y, _ = case
    with pytest.raises(CaveatError):
        model.fit(X, Y)


def test_one_training_row_is_too_few():
    with pytest.raises(CaveatError, match="at least 2"):
        MLkNN().fit([[1.0]], [[1, 0]])
