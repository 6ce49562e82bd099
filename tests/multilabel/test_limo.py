"""LIMO: the compiled loop against Algorithm 1 in plain numpy."""

import numpy as np
import pytest
from scipy import sparse

from caveat.exceptions import CaveatError
from caveat.multilabel import LIMO, evaluate
from caveat.multilabel.learners._limo_kernels import (
    Pairs,
    ScaledWeights,
    Settings,
    dense_steps,
    draw_steps,
    finish_dense,
    finish_sparse,
    sparse_steps,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def plain_loop(X, Y, W, draws, settings):
    """Algorithm 1 as printed, the average taken over every iterate."""
    eta, lambda1, lambda2, code, always = settings
    m, n_labels = Y.shape
    p, positives = Y.sum(axis=1), Y.sum(axis=0)
    rows = p * (n_labels - p) if not code else (p * (n_labels - p) > 0)
    labels = positives * (m - positives)
    chance_rows = np.cumsum(rows) / rows.sum()
    if code:
        useful = (Y * (labels > 0)).any(axis=1)
        chance_labels = np.cumsum(useful) / useful.sum()
    else:
        chance_labels = np.cumsum(labels) / labels.sum()
    W, total = W.copy(), np.zeros_like(W)
    for r in draws:
        if lambda1:
            i = np.searchsorted(chance_rows, r[0], side="right")
            u = np.flatnonzero(Y[i])[int(r[1] * p[i])]
            v = np.flatnonzero(Y[i] == 0)[int(r[2] * (n_labels - p[i]))]
            active = 1 - W[u] @ X[i] + W[v] @ X[i] > 0
            if active or always:
                W[u] -= eta * (-lambda1 * active * X[i] + W[u])
                W[v] -= eta * (lambda1 * active * X[i] + W[v])
        if lambda2:
            k = np.searchsorted(chance_labels, r[3], side="right")
            j = np.flatnonzero(Y[k])[int(r[4] * p[k])] if code else k
            a = k if code else np.flatnonzero(Y[:, j])[int(r[4] * positives[j])]
            b = np.flatnonzero(Y[:, j] == 0)[int(r[5] * (m - positives[j]))]
            active = 1 - W[j] @ X[a] + W[j] @ X[b] > 0
            if active or always:
                W[j] -= eta * (lambda2 * active * (X[b] - X[a]) + W[j])
        total += W
    return W, total / len(draws)


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.5)
    Y = (rng.random((30, 7)) < 0.35).astype(np.uint8)
    return X, Y, rng.normal(size=(7, 6)), rng.random((300, 6))


SETTINGS = [
    Settings(eta, lambda1, lambda2, code, always)
    for eta in (0.01, 0.2)
    for lambda1, lambda2 in ((1.0, 1.0), (0.0, 1.0), (100.0, 0.0))
    for code in (False, True)
    for always in (False, True)
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_both_kernels_equal_the_plain_loop_and_its_full_average(case, settings):
    X, Y, start, draws = case
    sampling = "code" if settings.code else "paper"
    pairs = Pairs.of(Y, sampling)
    last, mean = plain_loop(X, Y, start, draws, settings)
    scale = np.abs(mean).max()

    W, A, seen = start.copy(), np.zeros_like(start), np.zeros(7, dtype=np.int64)
    active = np.zeros(2, dtype=np.int64)
    drawn = draw_steps(pairs, 30, 7, settings.code, draws)
    for part in (slice(0, 120), slice(120, 300)):
        dense_steps(X, W, A, seen, drawn[part], part.start, settings, active)
    finish_dense(W, A, seen, 300)
    np.testing.assert_allclose(W, last, rtol=0, atol=1e-13 * scale)
    np.testing.assert_allclose(A, mean, rtol=0, atol=1e-13 * scale)

    csr = sparse.csr_array(X)
    w = ScaledWeights(
        start.copy(), np.ones(7), np.zeros_like(start), np.zeros(7),
        np.zeros(7, dtype=np.int64),
    )  # fmt: skip
    also = np.zeros(2, dtype=np.int64)
    sparse_steps(
        csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64), w, drawn,
        0, settings, also,
    )  # fmt: skip
    average = finish_sparse(w, 300)
    np.testing.assert_allclose(w.scale[:, None] * w.vector, last, atol=1e-12 * scale)
    np.testing.assert_allclose(average, mean, rtol=0, atol=1e-9 * scale)
    np.testing.assert_array_equal(active, also)


def test_sparse_and_dense_features_give_the_same_model(case):
    X, Y, _, _ = case
    options = {"scaling": "max-abs", "random_state": 0}
    dense = LIMO(**options).fit(X, Y)
    thin = LIMO(**options).fit(sparse.csr_matrix(X), Y)
    np.testing.assert_allclose(dense.coef_, thin.coef_, atol=1e-9)
    np.testing.assert_array_equal(dense.predict(X), thin.predict(sparse.csr_array(X)))


def test_pairs_are_drawn_evenly():
    Y = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 1]], dtype=np.uint8)
    pairs = Pairs.of(Y, "paper")
    np.testing.assert_allclose(np.diff(pairs.row_weights, prepend=0), [0.5, 0.5, 0, 0])
    by_label = np.array([3 * 1, 2 * 2, 1 * 3]) / 10
    np.testing.assert_allclose(np.diff(pairs.label_weights, prepend=0), by_label)


def test_iterations_follow_the_published_rule(case):
    X, Y, _, _ = case
    model = LIMO(n_passes=2, random_state=0).fit(X, Y)
    assert model.n_iter_ == 2 * 30 * int(np.floor(Y.sum() / 30 + 0.5))
    assert model.n_active_.shape == (2, 2)
    assert ((model.n_active_ >= 0) & (model.n_active_ <= 1)).all()
    exact = LIMO(max_iter=5000, random_state=0).fit(X, Y)
    assert exact.n_iter_ == 5000


def test_each_variant_serves_its_own_margin():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 10))
    popular = np.linspace(-2, 2, 8)
    logits = X @ rng.normal(size=(10, 8)) * 0.4 + popular
    Y = (rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(int)
    scores = {
        name: evaluate(Y, LIMO(*weights, random_state=0).fit(X, Y).decision_function(X))
        for name, weights in {"label": (1, 0), "inst": (0, 1)}.items()
    }
    assert scores["label"]["ranking_loss"] < scores["inst"]["ranking_loss"] - 0.05
    assert scores["inst"]["macro_auc"] > scores["label"]["macro_auc"]


@pytest.mark.parametrize(
    ("weights", "kind"),
    [((1, 0), "InstanceThreshold"), ((0, 1), "LabelThreshold"),
     ((1, 1), "GlobalThreshold")],
)  # fmt: skip
def test_the_automatic_threshold_follows_the_margin(case, weights, kind):
    X, Y, _, _ = case
    model = LIMO(*weights, max_iter=50, random_state=0).fit(X, Y)
    assert type(model.threshold_).__name__ == kind


def test_columns_can_be_scaled_by_their_largest_value_without_intercept(case):
    X, Y, _, _ = case
    plain = LIMO(scaling="max-abs", fit_intercept=False, max_iter=50, random_state=0)
    model = plain.fit(X, Y)
    assert model.coef_.shape == (7, 6)
    np.testing.assert_allclose(model.scaler_.scale_, np.abs(X).max(axis=0))
    assert LIMO(max_iter=50, random_state=0).fit(X, Y).coef_.shape == (7, 7)


@pytest.mark.parametrize("features", ["rff", "nystroem"])
def test_random_features_make_it_non_linear(features):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(300, 2))
    inside = (X**2).sum(axis=1) < 0.6
    Y = np.column_stack([inside, ~inside, X[:, 0] > 0]).astype(int)
    linear = LIMO(random_state=0).fit(X, Y).decision_function(X)
    curved = LIMO(
        features=features, n_components=200, n_passes=60, eta=0.05, random_state=0
    ).fit(X, Y)
    gain = evaluate(Y, curved.decision_function(X))["macro_auc"]
    assert gain > evaluate(Y, linear)["macro_auc"] + 0.15


@pytest.mark.parametrize(
    "options",
    [
        {"lambda1": 0, "lambda2": 0}, {"lambda1": -1}, {"lambda2": float("nan")},
        {"lambda1": "one"}, {"eta": 0}, {"eta": -0.1}, {"eta": 1.5},
        {"n_passes": 0}, {"n_passes": 2.5}, {"max_iter": 0}, {"max_iter": 2.5},
        {"sampling": "uniform"}, {"decay": "never"},
        {"scaling": "minmax"}, {"features": "poly"}, {"threshold": "best"},
        {"n_components": 0, "features": "rff"},
    ],
)  # fmt: skip
def test_bad_parameters_are_refused_by_name(case, options):
    X, Y, _, _ = case
    with pytest.raises(CaveatError, match=next(iter(options)).split("_")[0]):
        LIMO(**options).fit(X, Y)


def test_a_margin_without_pairs_is_named():
    X = np.eye(3)
    with pytest.raises(CaveatError, match="label-wise margin; set lambda1=0"):
        LIMO().fit(X, np.array([[1, 1], [0, 0], [1, 1]]))
    with pytest.raises(CaveatError, match="instance-wise margin; set lambda2=0"):
        LIMO().fit(X, np.array([[1, 0], [1, 0], [1, 0]]))
    one_label = LIMO(0, 1, random_state=0).fit(X, [[1], [0], [1]])
    assert one_label.predict(X).shape == (3, 1)
