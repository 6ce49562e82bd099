"""Laws that every registered measure obeys, whatever it measures."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from caveat import measures, multilabel
from caveat.exceptions import InvalidInput, UnknownName
from caveat.measures import LABEL_MEASURES, MEASURES
from caveat.multilabel import bootstrap_intervals, per_instance, per_label

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

NAMES = measures.names()
LABELS = measures.names("multilabel")
WEIGHTED = [name for name in NAMES if name != "concordance"]


def drawn(name: str, seed: int = 0, n: int = 40):
    """Truth and answers of the kind that a measure needs, ties among them."""
    rng = np.random.default_rng(seed)
    measure = measures.get(name)
    if "multilabel" in measure.tasks:
        Y = (rng.random((n, 4)) < 0.4).astype(int)
        S = np.round(Y * 0.5 + rng.normal(size=Y.shape), 1)
        return Y, S if measure.needs == "scores" else (S > 0.4).astype(int)
    if measure.needs == "amounts":
        y = rng.normal(size=n)
        return y, np.round(y + rng.normal(size=n), 1)
    y = rng.permutation(np.arange(n) % 3)
    proba = rng.dirichlet(np.ones(3), n).round(1) + 0.1
    proba /= proba.sum(axis=1, keepdims=True)
    return y, proba.argmax(axis=1) if measure.needs == "decisions" else proba


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_rows_does_not_matter_and_the_value_is_in_range(name):
    measure = measures.get(name)
    y, answers = drawn(name)
    shuffle = np.random.default_rng(1).permutation(len(y))
    value = measure(y, answers)
    low, high = measure.range
    assert isinstance(value, float)
    assert low <= value <= high
    assert measure(y[shuffle], answers[shuffle]) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_truth_itself_is_the_best_answer(name):
    measure = measures.get(name)
    y, answers = drawn(name)
    hot = np.ndim(answers) == 2 and y.ndim == 1
    best = measure(y, np.eye(3)[y] if hot else y.astype(answers.dtype))
    assert (1 if measure.larger_is_better else -1) * (best - measure(y, answers)) > 0


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("seed", range(3))
def test_weights_equal_repeated_rows(name, seed):
    measure = measures.get(name)
    y, answers = drawn(name, seed)
    weights = np.random.default_rng(seed).integers(0, 4, len(y))
    value = measure(y, answers, sample_weight=weights)
    # Rounding of sums in another order.
    repeated = measure(np.repeat(y, weights, axis=0), np.repeat(answers, weights, 0))
    assert value == pytest.approx(repeated, rel=1e-12)
    ones = measure(y, answers, sample_weight=np.ones(len(y)))
    assert ones == pytest.approx(measure(y, answers), rel=1e-12)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WEIGHTED])
def test_what_takes_no_weights_says_so(name):
    y, answers = drawn(name)
    with pytest.raises(InvalidInput, match="takes no weights"):
        measures.get(name)(y, answers, sample_weight=np.ones(len(y)))


@pytest.mark.parametrize("name", NAMES)
def test_a_block_gives_the_values_one_by_one(name):
    measure = measures.get(name)
    y, first = drawn(name)
    if measure.needs == "decisions" and y.ndim == 1:
        first = np.eye(3)[first]
    stack = np.stack([np.roll(first, shift, axis=0) for shift in range(4)])
    one_by_one = [measure(y, answers) for answers in stack]
    np.testing.assert_allclose(measure.block(y, stack), one_by_one, rtol=1e-12)


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_weighted_block_gives_the_values_one_by_one(name):
    measure = measures.get(name)
    y, first = drawn(name)
    if measure.needs == "decisions" and y.ndim == 1:
        first = np.eye(3)[first]
    stack = np.stack([first, first[::-1]])
    weights = np.random.default_rng(0).random(len(y))
    one_by_one = [measure(y, one, sample_weight=weights) for one in stack]
    found = measure.block(y, stack, sample_weight=weights)
    np.testing.assert_allclose(found, one_by_one, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LABELS])
def test_resamples_give_the_values_of_the_rows_they_drew(name):
    measure = measures.get(name)
    y, first = drawn(name)
    if measure.needs == "decisions":
        first = np.eye(3)[first]
    stack = np.stack([first, first[::-1]])
    draws = np.random.default_rng(0).integers(len(y), size=(5, len(y)))
    draws[4] = np.flatnonzero(y == y[0])[0]  # one row, and so one class only
    counts = np.stack([np.bincount(rows, minlength=len(y)) for rows in draws])
    found = measure.resampled(y, stack, counts)
    one_by_one = [measure.block(y[rows], stack[:, rows]) for rows in draws]
    np.testing.assert_allclose(found, one_by_one, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "name", [name for name in NAMES if measures.get(name).needs == "scores"]
)
def test_what_needs_scores_sees_their_order_only(name):
    measure = measures.get(name)
    y, answers = drawn(name)
    # Ranks: a monotone transform that rounding cannot make ties of.
    ranks = np.unique(answers, return_inverse=True)[1].reshape(answers.shape)
    assert measure(y, ranks.astype(float)) == pytest.approx(
        measure(y, answers), rel=1e-12
    )


@pytest.mark.parametrize("name", NAMES)
def test_it_says_when_it_misleads_and_has_a_floor(name):
    measure = measures.get(name)
    assert measure.warnings.endswith(".")
    assert measure.direction in ("max", "min")
    y, _ = drawn(name)
    floor = measure.floor(y, y)
    assert np.isnan(floor) or measure.range[0] <= floor <= measure.range[1]


@pytest.mark.parametrize("name", LABELS)
def test_evaluate_the_bootstrap_and_the_function_agree(name):
    measure = measures.get(name)
    y, answers = drawn(name)
    given = {"scores": (answers, None), "decisions": (None, answers)}[measure.needs]
    value = measure(y, answers)
    assert multilabel.evaluate(y, *given)[measure.key] == value
    table = bootstrap_intervals(y, *given, n_resamples=2, measures=[name])
    assert table.loc[measure.key, "value"] == value


@pytest.mark.parametrize("name", LABELS)
def test_frames_sparse_matrices_and_lists_give_the_same_value(name):
    measure = measures.get(name)
    y, answers = drawn(name)
    value = measure(y, answers)
    assert measure(sparse.csr_matrix(y), sparse.csr_matrix(answers)) == value
    assert measure(y.tolist(), pd.DataFrame(answers)) == value


def test_tables_of_labels_and_instances_average_to_the_measures():
    Y, S = drawn("macro-auc")
    H = (S > 0.4).astype(int)
    by_label, by_instance = per_label(Y, S, H), per_instance(Y, S, H)
    found = multilabel.evaluate(Y, S, H)
    means = {
        "macro_auc": by_label["auc"],
        "macro_f1": by_label["f1"],
        "instance_auc": by_instance["auc"],
        "instance_f1": by_instance["f1"],
        **{
            name: by_instance[name]
            for name in (
                "hamming_loss",
                "ranking_loss",
                "one_error",
                "coverage",
                "average_precision",
            )
        },
    }
    for name, column in means.items():
        assert column.mean() == pytest.approx(found[name], rel=1e-12), name


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_evaluate_of_supervised_learning_gives_the_measures_own_values(task):
    from sklearn.linear_model import LinearRegression, LogisticRegression

    from caveat.supervised import evaluate

    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    numbers = X[:, 0] + rng.normal(size=80)
    y = {
        "binary": (numbers > 0).astype(int),
        "multiclass": np.digitize(numbers, [-0.5, 0.5]),
        "regression": numbers,
    }[task]
    kind = LinearRegression if task == "regression" else LogisticRegression
    model = kind().fit(X[:40], y[:40])
    found = evaluate(model, X[40:], y[40:], task=task)
    for name, value in found.items():
        needs = measures.get(name).needs
        plain = needs in ("decisions", "amounts")
        answers = (model.predict if plain else model.predict_proba)(X[40:])
        assert measures.get(name)(y[40:], answers) == pytest.approx(value, rel=1e-12)
    usual = [name for name in measures.names(task) if MEASURES[name].usual]
    assert list(found) == usual


def test_one_log_loss_for_all_topics():
    from sklearn.metrics import log_loss

    from caveat.shift import shift_curve

    class Sure:
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            return np.tile([1.0, 0.0], (len(X), 1))

    X, y = np.zeros((4, 1)), np.array([0, 1, 1, 0])
    proba = Sure().predict_proba(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curve = shift_curve(Sure(), X, y, X, y, metric="log-loss", random_state=0)
    value = measures.get("log-loss")(y, proba)
    assert curve.table["value"].iloc[0] == pytest.approx(value, rel=1e-12)
    assert value == pytest.approx(log_loss(y, proba), rel=1e-9)


def test_unknown_names_are_refused_everywhere():
    Y, S = drawn("macro-auc")
    for call in (
        lambda: measures.get("subset-accuracy"),
        lambda: measures.names("ranking"),
        lambda: LABEL_MEASURES["subset_accuracy"],
        lambda: multilabel.evaluate(Y, S, measures=["subset_accuracy"]),
        lambda: multilabel.evaluate(Y, S, measures=["accuracy"]),
        lambda: bootstrap_intervals(Y, S, measures=["subset_accuracy"]),
    ):
        with pytest.raises(UnknownName):
            call()


@pytest.mark.parametrize(
    "weights", [[1, 2], [1, -1, 1], [0, 0, 0], [1, np.nan, 1], [[1, 1, 1]]]
)
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(InvalidInput, match="sample_weight"):
        measures.get("accuracy")([0, 1, 1], [0, 1, 0], sample_weight=weights)
