"""What every learner of many labels owes."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from caveat.exceptions import CaveatError, InvalidInput
from caveat.multilabel import (
    GFM,
    LIMO,
    BinaryRelevanceSVM,
    ClassifierChains,
    LabelPowerset,
    MLkNN,
    MultiLabelMLP,
    MultiOutputAdapter,
    Popularity,
    RAkEL,
    ThresholdedClassifier,
    evaluate,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)

LEARNERS = {
    "limo": LIMO(max_iter=2000, random_state=0),
    "limo-inst": LIMO(0, 1, max_iter=2000, random_state=0),
    "limo-label": LIMO(1, 0, max_iter=2000, random_state=0),
    "br-svm": BinaryRelevanceSVM(random_state=0),
    "ml-knn": MLkNN(k=4),
    "gfm": GFM(k=4),
    "chains": ClassifierChains(n_chains=1, random_state=0),
    "mlp": MultiLabelMLP((8,), learning_rate=0.03, max_iter=60, random_state=0),
    "powerset": LabelPowerset(),
    "rakel": RAkEL(n_sets=3, random_state=0),
    "rakel-d": RAkEL(overlapping=False, random_state=0),
    "popularity": Popularity(),
    "adapter": MultiOutputAdapter(KNeighborsClassifier(3)),
    "thresholded": ThresholdedClassifier(MLkNN(k=4), "global"),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    Y = (X @ rng.normal(size=(4, 5)) + 0.5 * rng.normal(size=(60, 5)) > 0).astype(int)
    return X, Y


@pytest.fixture(params=LEARNERS)
def learner(request):
    return clone(LEARNERS[request.param])


def test_a_fit_answers_for_every_label_and_leaves_everything_else_alone(learner, data):
    X, Y = data[0].copy(), data[1].copy()
    before = {key: repr(value) for key, value in learner.get_params().items()}
    model = learner.fit(X, Y)
    scores, chosen = model.decision_function(X), model.predict(X[:7])
    assert scores.shape == (60, 5)
    assert np.isfinite(scores).all()
    assert chosen.shape == (7, 5)
    assert set(np.unique(chosen)) <= {0, 1}
    assert {k: repr(v) for k, v in model.get_params().items()} == before
    assert model.__sklearn_tags__().classifier_tags.multi_label
    assert repr(clone(model)) == repr(learner)
    np.testing.assert_array_equal(X, data[0])
    np.testing.assert_array_equal(Y, data[1])


def test_the_same_seed_gives_the_same_numbers(learner, data):
    X, Y = data
    one = clone(learner).fit(X, Y).decision_function(X)
    two = clone(learner).fit(X, Y).decision_function(X)
    np.testing.assert_array_equal(one, two)


def test_nothing_but_popularity_ignores_the_features(data):
    X, Y = data
    for name in set(LEARNERS) - {"popularity"}:
        model = clone(LEARNERS[name]).fit(X, Y)
        result = evaluate(Y, model.decision_function(X))
        assert result["macro_auc"] > 0.7, name
    free = Popularity().fit(X, Y)
    assert evaluate(Y, free.decision_function(X))["macro_auc"] == 0.5


def test_sparse_features_and_labels_are_accepted(learner, data):
    X, Y = data
    model = learner.fit(sparse.csr_matrix(X), sparse.csr_matrix(Y))
    assert model.predict(sparse.csr_array(X)).shape == Y.shape


def test_constant_labels_are_scored_last_and_first(learner, data):
    X, Y = data
    Y = Y.copy()
    Y[:, 1], Y[:, 3] = 0, 1
    model = learner.fit(X, Y)
    chosen = model.predict(X)
    scores = model.decision_function(X)
    assert np.isfinite(scores).all()
    assert scores[:, 1].mean() <= scores[:, [0, 2, 4]].mean()
    assert chosen[:, 1].mean() <= chosen[:, 3].mean()


def test_one_label_is_enough(data):
    X, Y = data
    for name in set(LEARNERS) - {"limo", "limo-label"}:
        model = clone(LEARNERS[name]).fit(X, Y[:, :1])
        assert model.predict(X).shape == (60, 1), name


def test_all_labels_constant_gives_constant_answers(data):
    X, _ = data
    truth = np.tile([1, 0, 0], (60, 1))
    for name in set(LEARNERS) - {"limo", "limo-inst"}:
        model = clone(LEARNERS[name]).fit(X, truth)
        assert model.predict(X).shape == (60, 3), name


def test_an_unfitted_learner_says_so(learner, data):
    with pytest.raises(NotFittedError):
        learner.predict(data[0])


def test_frames_keep_names_and_refuse_others(data):
    X = pd.DataFrame(data[0], columns=list("wxyz"))
    Y = pd.DataFrame(data[1], columns=["a", "b", "c", "d", "e"])
    model = BinaryRelevanceSVM(random_state=0).fit(X, Y)
    assert model.label_names_.tolist() == list("abcde")
    assert model.feature_names_in_.tolist() == list("wxyz")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[list("zyxw")])


@pytest.mark.parametrize(
    ("X", "Y"),
    [
        (np.ones((3, 2)), np.array([0, 1, 0])),
        (np.ones((3, 2)), np.ones((4, 2))),
        (np.ones((3, 2)), np.full((3, 2), 0.5)),
        (np.ones((3, 2)), np.empty((3, 0))),
        (np.full((3, 2), np.nan), np.eye(3)),
        (np.array([["a"], ["b"], ["c"]]), np.eye(3)),
    ],
)
def test_bad_training_data_is_refused(learner, X, Y):
    with pytest.raises(ValueError):  # noqa: PT011 - ours or scikit-learn's
        learner.fit(X, Y)


MODELS = {
    "matrix of probabilities": OneVsRestClassifier(LogisticRegression()),
    "list of probabilities": RandomForestClassifier(5, random_state=0),
    "multi-output": MultiOutputClassifier(LogisticRegression()),
    "multi-output margins": MultiOutputClassifier(LinearSVC()),
    "chain": ClassifierChain(LogisticRegression()),
    "margins": OneVsRestClassifier(LinearSVC()),
    "matrix of margins": RidgeClassifier(),
    "pipeline": make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("labels", [slice(None), slice(0, 1)])
def test_the_adapter_reads_every_shape_that_scikit_learn_answers_in(data, kind, labels):
    X, Y = data
    truth = np.hstack([Y[:, labels], np.zeros((60, 1), dtype=int)])
    model = MultiOutputAdapter(clone(MODELS[kind])).fit(X, truth)
    scores = model.decision_function(X)
    assert scores.shape == truth.shape
    assert (scores[:, -1:] <= scores).all()
    assert evaluate(truth, scores)["macro_auc"] > 0.6
    assert (model.predict(X)[:, -1] == 0).all()


def test_an_adapter_needs_an_estimator(data):
    with pytest.raises(InvalidInput, match="estimator is None"):
        MultiOutputAdapter().fit(*data)


def test_binary_relevance_equals_one_linear_svm_per_label(data):
    X, Y = data
    model = BinaryRelevanceSVM(scaling="none", random_state=0).fit(X, Y)
    expected = np.column_stack(
        [LinearSVC(random_state=0).fit(X, y).decision_function(X) for y in Y.T]
    )
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-3)
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X) > 0)


def test_powerset_scores_are_sums_over_sets_and_decisions_are_sets_seen(data):
    X, Y = data
    model = LabelPowerset(scaling="none").fit(X, Y)
    sets, classes = np.unique(Y, axis=0, return_inverse=True)
    proba = LogisticRegression(max_iter=1000).fit(X, classes.ravel()).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), proba @ sets)
    seen = {tuple(row) for row in Y}
    assert {tuple(row) for row in model.predict(X)} <= seen


def test_random_label_sets_cover_every_label(data):
    X, _ = data
    wide = np.tile(np.eye(20, dtype=int)[:, :19], (3, 1))
    model = RAkEL(n_sets=2, random_state=0).fit(X, wide)
    covered = np.concatenate(model.label_sets_)
    assert set(covered) == set(range(19))
    parts = RAkEL(overlapping=False, random_state=0).fit(X, wide).label_sets_
    assert sorted(np.concatenate(parts)) == list(range(19))


@pytest.mark.parametrize(
    "model",
    [BinaryRelevanceSVM(C=0), ClassifierChains(n_chains=0), RAkEL(k=0),
     RAkEL(n_sets=0.5), MultiLabelMLP(max_iter=0), BinaryRelevanceSVM(scaling="x")],
)  # fmt: skip
def test_bad_parameters_are_refused(data, model):
    with pytest.raises(CaveatError):
        model.fit(*data)


@pytest.mark.parametrize("name", ["limo", "chains", "powerset", "rakel"])
def test_numbers_too_large_to_standardise_are_named(data, name):
    X, Y = data
    with pytest.raises(CaveatError, match="X: column 2 holds numbers too large"):
        clone(LEARNERS[name]).fit(X * [1, 1, 1e300, 1], Y)
