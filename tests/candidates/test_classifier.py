import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from caveat.candidates import (
    CandidateSets,
    PartialLabelClassifier,
    covering_rate,
    flip_candidates,
)
from caveat.exceptions import InvalidInput, UnknownName
from caveat.training import Diverged, mlp, output_shape

QUICK = {"hidden": (16,), "learning_rate": 0.02, "max_steps": 60, "random_state": 0}


@pytest.mark.thorough
@parametrize_with_checks(
    [PartialLabelClassifier("cc", **{**QUICK, "max_steps": 30}, batch_size=32)],
    expected_failed_checks=lambda estimator: {
        "check_fit_score_takes_y": "the second argument of fit is called candidates",
        "check_sample_weight_equivalence_on_dense_data": (
            "items are drawn as often as they weigh, so they equal repeated items on "
            "average only"
        ),
    },
)
def test_it_is_a_scikit_learn_classifier(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return (
        X,
        y,
        flip_candidates(y, rate=0.2, random_state=0)
        & ~np.eye(3, dtype=bool)[(y + 1) % 3],
    )


def test_named_classes_come_back_as_predictions(iris):
    X, y, candidates = iris
    names = np.array(["setosa", "versicolor", "virginica"])
    sets = CandidateSets(candidates, tuple(names))
    model = PartialLabelClassifier(**QUICK).fit(X, sets)
    assert model.score(X, names[y]) > 0.9
    assert set(model.predict(X)) <= set(names)


def test_sets_of_labels_will_do(iris):
    X, _, candidates = iris
    sets = [{"abc"[j] for j in np.flatnonzero(row)} for row in candidates]
    model = PartialLabelClassifier(**QUICK).fit(X, sets)
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_splitters_and_pipelines_slice_candidates_with_the_items(iris):
    X, y, candidates = iris
    model = make_pipeline(StandardScaler(), PartialLabelClassifier(**QUICK))
    found = model.fit(X, candidates).predict(X)
    assert (found == y).mean() > 0.9
    proba = cross_val_predict(
        PartialLabelClassifier(**QUICK), X, candidates, cv=3, method="predict"
    )
    assert proba.shape == (150,)


def test_candidate_sets_are_scored_by_their_covering_rate(iris):
    X, y, candidates = iris
    model = PartialLabelClassifier(**QUICK).fit(X, candidates)
    wanted = covering_rate(model.predict_proba(X), candidates)
    assert model.score(X, candidates) == wanted
    assert model.score(X, CandidateSets(candidates)) == wanted
    assert model.score(X, y) == (model.predict(X) == y).mean()


def test_raw_tables_with_text_and_gaps_are_encoded(iris):
    X, y, candidates = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[::10, "a"] = np.nan
    frame["kind"] = np.where(y == 0, "small", "large")
    model = PartialLabelClassifier(**QUICK).fit(frame, candidates)
    shuffled = frame[["kind", "d", "c", "b", "a"]]
    np.testing.assert_array_equal(model.predict(frame), model.predict(shuffled))


def test_the_criterion_keeps_its_best_checkpoint(iris):
    X, _, candidates = iris
    model = PartialLabelClassifier(
        "op-w",
        **{**QUICK, "max_steps": 50},
        checkpoint_every=5,
        criterion="covering-rate",
        validation_fraction=0.3,
    ).fit(X, candidates)
    scores = [row["covering-rate"] for row in model.history_]
    assert len(scores) == 10
    assert model.best_checkpoint_ == int(np.argmax(scores))


def test_checkpoints_are_watched_without_being_changed(iris):
    X, _, candidates = iris
    model = PartialLabelClassifier(**{**QUICK, "max_steps": 20})
    seen = clone(model).fit(
        X,
        candidates,
        checkpoints=[7, 20],
        watch=lambda now: {"cr": covering_rate(now.predict_proba(X), candidates)},
    )
    blind = clone(model).fit(X, candidates)
    assert [row["updates"] for row in seen.history_] == [7, 20]
    assert seen.history_[-1]["cr"] == covering_rate(blind.predict_proba(X), candidates)


def test_progress_is_reported(iris):
    X, _, candidates = iris
    seen = []
    model = PartialLabelClassifier(**{**QUICK, "max_steps": 20})
    model.fit(X, candidates, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (20, 20)


def test_a_diverging_run_is_an_error_and_no_score(iris):
    X, _, candidates = iris
    model = PartialLabelClassifier("cc", **{**QUICK, "learning_rate": 1e30})
    with pytest.raises(Diverged):
        model.fit(X, candidates)


def test_small_data_make_one_small_batch():
    X = [[0.0], [1.0], [0.1], [0.9]]
    model = PartialLabelClassifier("pop", **QUICK, params={"warm_up": 1})
    found = model.fit(X, [[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 1, 0]]).predict(X)
    assert found.shape == (4,)


def test_shapes_are_right_on_a_device_without_numbers():
    assert output_shape(mlp(108, (500,), 16), (128, 108)) == (128, 16)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"algorithm": "prodn"}, UnknownName, "did you mean 'proden'"),
        ({"variant": "papr"}, UnknownName, "did you mean 'paper'"),
        ({"criterion": "covering"}, UnknownName, "did you mean 'covering-rate'"),
        ({"batch_size": 0}, InvalidInput, "batch_size is 0"),
        ({"max_steps": 2.5}, InvalidInput, "whole number"),
        ({"learning_rate": 0}, InvalidInput, "learning_rate is 0"),
        ({"validation_fraction": 1.0}, InvalidInput, "validation_fraction is 1.0"),
        ({"params": {"window": 3}}, InvalidInput, "no parameter 'window'"),
    ],
)
def test_bad_parameters_are_refused(settings, error, message, iris):
    X, _, candidates = iris
    with pytest.raises(error, match=message):
        PartialLabelClassifier(**settings).fit(X, candidates)


def test_bad_data_are_refused(iris):
    X, _, candidates = iris
    model = PartialLabelClassifier(**QUICK)
    with pytest.raises(InvalidInput, match="found 149 rows for 150 items"):
        model.fit(X, candidates[1:])
    with pytest.raises(InvalidInput, match="transposed"):
        model.fit(X, candidates.T)
    with pytest.raises(InvalidInput, match="leave none to learn from"):
        PartialLabelClassifier(criterion="covering-rate", validation_fraction=0.9).fit(
            X[:2], [{0, 1}, {1, 2}]
        )


def test_torch_is_left_as_it_was(iris):
    X, _, candidates = iris
    before = torch.get_rng_state()
    PartialLabelClassifier(**{**QUICK, "max_steps": 3}).fit(X, candidates)
    assert torch.equal(before, torch.get_rng_state())
