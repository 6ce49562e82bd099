from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from caveat.candidates import flip_candidates
from caveat.candidates.registry import LEARNERS
from caveat.candidates.study import TOPIC, make_problem
from caveat.datasets import Dataset, load
from caveat.exceptions import InvalidInput, UnknownName
from caveat.study import load_study, plan
from caveat.study.topic import Context
from caveat.training import Diverged


def partial_iris():
    iris = load("iris")
    codes = pd.Categorical(iris.y, categories=iris.classes).codes.astype(int)
    candidates = flip_candidates(codes, 3, rate=0.3, random_state=0)
    return Dataset(
        name="candid-iris",
        X=iris.X,
        y=iris.y,
        candidates=candidates,
        classes=iris.classes,
        task="candidates",
    )


def context_of(dataset, name="cc", *, protocol="caveat", params=None, **more):
    spec = {
        "topic": "candidates",
        "dataset": {"reference": dataset.name, "digest": "d"},
        "world": {"candidates": "given", "rate": None, "noise": 0.0},
        "protocol": protocol,
        "repeat": 0,
        "split": {"test-size": 0.25, "stratify": True},
        "resampling": {},
        "training": {"steps": 30, "checkpoint-every": 10},
        "then": {},
        "learner": {"name": name, "params": {"hidden": [16], "learning_rate": 0.02}},
        "configurations": [[0, dict(params or {})]],
        **more,
    }
    return Context(spec=spec, dataset=dataset, entry=LEARNERS[name])


def test_a_trial_yields_a_row_for_every_checkpoint():
    rows = TOPIC.run(context_of(partial_iris())).rows
    assert [row["checkpoint"] for row in rows] == [10, 20, 30]
    assert set(rows[0]) >= {
        "criterion.covering-rate",
        "criterion.approximated-accuracy",
        "oracle.accuracy",
        "test.accuracy",
        "fact.loss",
    }


def test_the_benchmarks_protocol_has_its_own_checkpoints_and_split():
    context = context_of(partial_iris(), protocol="plench")
    outcome = TOPIC.run(context)
    assert [row["checkpoint"] for row in outcome.rows] == [11, 21, 30]
    assert outcome.rows[0]["fact.test-rows"] == 15
    assert outcome.rows[0]["fact.validation-rows"] == 13


@pytest.mark.parametrize("entry", LEARNERS.values(), ids=lambda entry: entry.name)
def test_the_registry_knows_who_trains_together(entry):
    assert entry.facts["stacks"] == entry.load().stacks


def test_training_never_sees_true_labels():
    dataset = partial_iris()
    problem = make_problem(context_of(dataset))
    swapped = dataset.y.to_numpy().copy()
    known = np.concatenate([problem.train, problem.validation])
    swapped[known] = np.roll(swapped[known], 7)
    lured = replace(dataset, y=pd.Series(swapped))
    # The split is stratified by the truth, so both are given the rows of the first.
    honest = TOPIC.run(context_of(dataset, protocol="plench")).rows
    blind = TOPIC.run(context_of(lured, protocol="plench")).rows
    for column in ("criterion.covering-rate", "fact.loss"):
        assert [row[column] for row in honest] == [row[column] for row in blind]
    assert [row["oracle.accuracy"] for row in honest] != [
        row["oracle.accuracy"] for row in blind
    ]


def test_the_scaler_of_our_protocol_never_sees_test_rows():
    dataset = partial_iris()
    problem = make_problem(context_of(dataset))
    wild = dataset.X.copy()
    wild.iloc[problem.test] *= 1e6
    tame = TOPIC.run(context_of(dataset)).rows
    rows = TOPIC.run(context_of(replace(dataset, X=wild))).rows
    assert [row["fact.loss"] for row in rows] == [row["fact.loss"] for row in tame]


def test_candidates_can_be_drawn_for_ordinary_data():
    world = {"candidates": "flip", "rate": 0.3, "noise": 0.1}
    outcome = TOPIC.run(context_of(load("iris"), world=world))
    assert outcome.rows[-1]["test.accuracy"] > 0.5
    for name in ("uniform", "uniform-legacy", "pairwise", "complementary", "instance"):
        world = {"candidates": name, "rate": 0.3, "noise": 0.0}
        problem = make_problem(context_of(load("iris"), world=world))
        assert problem.sets[problem.train].sizes.mean() > 1


def test_the_same_repeat_has_the_same_rows_and_candidates_for_all_learners():
    world = {"candidates": "flip", "rate": 0.3, "noise": 0.0}
    first, second = (
        TOPIC.run(context_of(load("iris"), name, world=world)).digests
        for name in ("cc", "proden")
    )
    assert first == second


def test_what_follows_a_fit_gets_labels_of_the_models_classes(monkeypatch):
    seen = []

    def follow(self, model, X_train, y_train, X_test, y_test, config):
        seen.append((set(y_train) | set(y_test), set(model.classes_), config))
        return {"shift": [{"config": config}]}

    monkeypatch.setattr(Context, "follow", follow)
    outcome = TOPIC.run(context_of(partial_iris(), then={"shift": {}}))
    assert seen[0][0] == seen[0][1]
    assert outcome.curves == {"shift": [{"config": 0}]}


def test_a_diverging_configuration_fails():
    context = context_of(partial_iris(), params={"learning_rate": 1e30})
    with pytest.raises(Diverged):
        TOPIC.run(context)


def test_data_without_candidates_say_how_to_draw_them():
    with pytest.raises(InvalidInput, match="candidates: flip"):
        TOPIC.run(context_of(load("iris")))


def test_worlds_are_checked_and_not_doubled():
    worlds = TOPIC.worlds({"candidates": ["given", "flip"], "rate": [0.1, 0.2]}, "x")
    assert len(worlds) == 3
    with pytest.raises(UnknownName, match="did you mean 'flip'"):
        TOPIC.worlds({"candidates": "flipp"}, "x")
    with pytest.raises(InvalidInput, match="rate is 1"):
        TOPIC.worlds({"candidates": "flip", "rate": 1}, "x")
    with pytest.raises(UnknownName, match="did you mean 'rate'"):
        TOPIC.worlds({"rates": 1}, "x")


def test_our_random_search_begins_with_the_defaults_and_is_fixed():
    entry = LEARNERS["pop"]
    draws = [TOPIC.draw(entry, index, 0, "caveat") for index in range(4)]
    assert draws[0] == {}
    assert 10**-4.5 <= draws[3]["learning_rate"] <= 10**-2.5
    assert draws[2] == TOPIC.draw(entry, 2, 3, "caveat")


def test_registered_studies_can_be_planned():
    names = (
        "lost-plench",
        "lost-corrected",
        "italian-plench",
        "digits-images",
        "mnist-images",
        "plcifar10-part",
    )
    for name in (*names, "plcifar10-plench"):
        assert load_study(name).topic == "candidates"
    listed = {learner["name"] for learner in load_study("digits-images").learners}
    assert listed == set(LEARNERS) - {"rc", "log", "mcl-mae", "papi", "solar"}


def test_a_study_file_may_set_parameters_of_algorithm_and_training():
    trials = plan(
        {
            "study": "s",
            "topic": "candidates",
            "datasets": ["iris"],
            "scenario": {"candidates": "flip"},
            "learners": [{"name": "pop", "window": [3, 4], "learning_rate": 0.01}],
            "baseline": "none",
        }
    )
    assert [
        params["window"]
        for trial in trials
        for _, params in trial.spec["configurations"]
    ] == [3, 4]
    with pytest.raises(InvalidInput, match="did you mean 'window'"):
        plan(
            {
                "study": "s",
                "topic": "candidates",
                "datasets": ["iris"],
                "learners": [{"name": "pop", "widow": 3}],
            }
        )


class Frequencies:
    """A learner of somebody's own: it knows how often classes are candidates."""

    def fit(self, X, candidates):
        self.share = np.asarray(candidates).mean(0)
        return self

    def predict_proba(self, X):
        return np.tile(self.share / self.share.sum(), (len(X), 1))


def test_a_foreign_learner_with_fit_and_predict_proba_takes_part():
    context = context_of(partial_iris())
    context.spec["learner"]["params"] = {}
    entry = replace(LEARNERS["cc"], target=f"{__name__}:Frequencies")
    object.__setattr__(entry, "load", lambda: Frequencies)
    context.entry = entry
    rows = TOPIC.run(context).rows
    assert rows[0]["checkpoint"] is None
    assert 0 <= rows[0]["test.accuracy"] <= 1


def pictures(n_test=0):
    digits = load("digits")
    rows = np.arange(120)
    return Dataset(
        name="pictures",
        X=digits.X.iloc[rows],
        y=digits.y.iloc[rows],
        task="multiclass",
        image_shape=(8, 8),
        n_test=n_test,
    )


FLIPPED = {"candidates": "flip", "rate": 0.3, "noise": 0.0}


@pytest.mark.parametrize("protocol", ["caveat", "plench"])
def test_a_published_test_part_is_the_test_and_nothing_else(protocol):
    problem = make_problem(
        context_of(pictures(30), "proden", protocol=protocol, world=FLIPPED)
    )
    assert problem.test.tolist() == list(range(90, 120))
    known = sorted([*problem.train, *problem.validation])
    assert known == list(range(90))
    assert len(problem.validation) == 9


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "settings", "images"),
    [
        ("proden", {}, False),
        ("proden", {"network": "small-cnn"}, True),
        ("crdpll", {}, True),
    ],
)
def test_what_names_a_network_or_compares_views_gets_images(name, settings, images):
    learner = {"name": name, "params": {"batch_size": 16, **settings}}
    context = context_of(pictures(), name, world=FLIPPED, learner=learner)
    problem = make_problem(context)
    assert problem.X.shape == ((120, 8, 8) if images else (120, 64))
    rows = TOPIC.run(context).rows
    assert [row["checkpoint"] for row in rows] == [10, 20, 30]


def test_the_benchmark_takes_twice_the_batch_and_its_own_numbers_for_images():
    from caveat.candidates._fits import _budget, _classifier, _plench_encoder

    context = context_of(
        pictures(30), "pico", protocol="plench", world=FLIPPED, training={}
    )
    kind = context.entry.load()
    assert _budget(context) == (60_000, 1000)
    assert _classifier(context, kind, {}, 0).batch_size == 256
    assert _classifier(context, kind, {"batch_size": 32}, 1).batch_size == 64
    colours = np.zeros((2, 8, 8, 3), dtype=np.uint8)
    encoder = _plench_encoder(replace(make_problem(context), X=colours))
    np.testing.assert_allclose(encoder.mean_, [0.4922, 0.4832, 0.4486], rtol=1e-6)
