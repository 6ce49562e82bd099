"""Every trial writes down what its split gives away without learning.

A board can hold learners against these floors only if they are in the records; here
they are held against learners of scikit-learn that look at no feature.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import accuracy_score, f1_score, root_mean_squared_error

from caveat import measures
from caveat.study import TOPICS, constant_facts, plan, run_trial


def table_of(topic: str, **study) -> dict:
    """Run the only trial of a study; give its columns."""
    [trial] = plan({"study": "s", "topic": topic, "baseline": "none", **study})
    return run_trial(trial.spec)["table"]


@pytest.mark.parametrize("seed", range(5))
def test_the_constant_answer_is_that_of_dummies(seed):
    rng = np.random.default_rng(seed)
    labels = [rng.choice(["a", "b", "c"], p=[0.5, 0.3, 0.2], size=n) for n in (60, 40)]
    numbers = [rng.gamma(2.0, size=n) for n in (60, 40)]
    found = constant_facts([measures.get("accuracy")], *labels, classes="abc")
    found |= constant_facts([measures.get("rmse")], *numbers)
    X = np.zeros((60, 1)), np.zeros((40, 1))
    most = DummyClassifier(strategy="most_frequent").fit(X[0], labels[0])
    mean = DummyRegressor(strategy="mean").fit(X[0], numbers[0])
    assert found == {
        "fact.constant-accuracy": accuracy_score(labels[1], most.predict(X[1])),
        "fact.constant-rmse": pytest.approx(
            root_mean_squared_error(numbers[1], mean.predict(X[1]))
        ),
    }


def test_of_two_classes_f1_is_held_against_always_answering_the_second():
    truth = np.array(["no"] * 7 + ["yes"] * 3)
    found = constant_facts([measures.get("f1")], truth, truth, classes=["no", "yes"])
    always = f1_score(truth, ["yes"] * 10, pos_label="yes")
    assert found == {"fact.always-positive-f1": pytest.approx(always)}


def test_popularity_is_recorded_as_its_own_learner_scores():
    table = table_of(
        "multilabel",
        datasets=["tags"],
        learners=["popularity"],
        resampling={"folds": 0},
    )
    own = {name: value for name, value in table.items() if name.startswith("test.")}
    recorded = {name.replace("test.", "fact.popularity-"): v for name, v in own.items()}
    assert len(own) == 11
    assert {name: table[name] for name in recorded} == recorded
    assert "fact.every-label-macro-f1" in table


def test_a_lost_column_does_not_change_the_constant_answer():
    table = table_of("shift", datasets=["iris"], learners=["logistic-regression"])
    # The test part has 12 of 38 rows of the class that training has most of.
    assert table["fact.constant-accuracy"] == [12 / 38]
    assert table["fact.constant-accuracy-area"] == [12 / 38]
    assert table["fact.constant-auc-area"] == [0.5]


@pytest.mark.filterwarnings("ignore:proportions")
def test_bags_record_the_majority_of_each_group():
    table = table_of(
        "bags",
        datasets=["iris"],
        learners=[{"name": "mm", "fit_intercept": True}],
        # Bags that hold almost one class each: their majority is nearly the truth.
        scenario={"variant": "intermediate", "proportions": "far-global"},
        resampling={"splits": 2},
    )
    (majority,) = table["fact.group-majority-accuracy"]
    (constant,) = table["fact.constant-accuracy"]
    assert constant < majority <= 1


def test_candidates_record_their_most_frequent_label():
    pytest.importorskip("torch")
    table = table_of(
        "candidates",
        datasets=["iris"],
        learners=["proden"],
        scenario={"candidates": "flip", "rate": 0.0},
        search={"steps": 10, "checkpoint-every": 10},
    )
    # Without noise the candidates are the labels, and iris has three equal classes.
    assert table["fact.constant-accuracy"][0] == pytest.approx(1 / 3, abs=0.1)


@pytest.mark.parametrize("private", [False, True])
def test_the_class_that_f1_is_about_is_recorded_unless_the_topic_is_private(
    monkeypatch, private
):
    topic = TOPICS["supervised"].load()
    monkeypatch.setattr(type(topic), "private", private, raising=False)
    plain = {"study": "s", "topic": "supervised", "baseline": "none"}
    data = {"datasets": ["breast_cancer"], "learners": ["dummy"], "measures": ["f1"]}
    [trial] = plan({**plain, **data, "resampling": {"folds": 0}})
    told = run_trial(trial.spec)["about"]
    facts = next(facts for kind, _, facts in told if kind == "dataset")
    assert facts.get("positive") == (None if private else "malignant")
