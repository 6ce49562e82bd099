"""The baseline as a topic of studies."""

import numpy as np
import pytest

from caveat.datasets import load
from caveat.eapp import EAPP
from caveat.eapp.study import TOPIC
from caveat.exceptions import CaveatError
from caveat.study import load_study, plan
from caveat.study.trials._trial import run_trial

STUDY = {
    "study": "s",
    "topic": "eapp",
    "datasets": ["breast_cancer"],
    "learners": [{"name": "eapp", "k_max": 3, "shuffles": 9}],
    "repeats": 1,
}


def test_a_trial_is_eapp_on_the_split_of_the_trial():
    (trial,) = plan(STUDY)
    record = run_trial(trial.spec)
    table = {name: column[0] for name, column in record["table"].items()}
    assert 0.9 < table["test.auc"] < 1
    assert table["fact.value_paper"] >= table["test.auc"]
    assert table["fact.p_value"] == 0.1
    assert table["fact.null_low"] <= table["fact.null_mean"] <= table["fact.null_high"]
    assert table["fact.verdict"] == "not tested"
    assert table["criterion.train-auc"] > 0.9
    assert [row["k"] for row in record["curves"]["eapp"]] == [2, 3]
    assert "split" in record["digests"]
    assert run_trial(trial.spec) == record


def test_every_classification_study_gets_a_baseline_trial():
    study = {**STUDY, "topic": "supervised", "learners": ["dummy"], "repeats": 2}
    baselines = [trial for trial in plan(study) if trial.spec["topic"] == "eapp"]
    assert [trial.spec["repeat"] for trial in baselines] == [0, 1]


def test_several_classes_leave_a_table_of_their_own():
    study = {**STUDY, "datasets": ["iris"]}
    study["learners"] = [{"name": "eapp", "k_max": 3, "shuffles": 0}]
    (trial,) = plan(study)
    record = run_trial(trial.spec)
    classes = record["curves"]["eapp-classes"]
    assert [row["label"] for row in classes] == ["setosa", "versicolor", "virginica"]
    mean = np.mean([row["value"] for row in classes])
    assert record["table"]["test.auc"] == [pytest.approx(mean)]
    assert record["table"]["fact.p_value"] == [None]


@pytest.mark.thorough
def test_networks_can_be_compared_in_a_study():
    pytest.importorskip("torch")
    study = {**STUDY, "datasets": ["wine"]}
    few = {"epochs": 2, "rounds": 1}
    study["learners"] = [
        {
            "name": "eapp",
            "representation": ["pca", "kmeans_ae"],
            "shuffles": 0,
            "k_max": 4,
            "training": few,
        }
    ]
    trials = plan(study)
    assert len(trials) == 2
    for trial in trials:
        record = run_trial(trial.spec)
        assert 0 < record["table"]["test.auc"][0] <= 1


def test_the_study_of_representations_can_be_planned():
    trials = plan(load_study("eapp-representations"))
    assert len({trial.key for trial in trials}) == 2 * 3 * 30


@pytest.mark.parametrize(
    ("name", "value"), [("folds", 5), ("selection", "test"), ("task", "regression")]
)
def test_settings_that_the_study_makes_are_refused(name, value):
    study = {**STUDY, "learners": [{"name": "eapp", name: value}]}
    (trial,) = plan(study)
    with pytest.raises(CaveatError, match=f"{name} is set by the study"):
        run_trial(trial.spec)


def record_of(dataset, **settings):
    study = {**STUDY, "datasets": [dataset]}
    study["learners"] = [{"name": "eapp", "shuffles": 9, **settings}]
    (trial,) = plan(study)
    return run_trial(trial.spec)


@pytest.mark.thorough
def test_labels_are_read_off_the_data_set():
    record = record_of("tags", k_max=4)
    labels = load("tags").Y.columns
    classes = {row["label"]: row["value"] for row in record["curves"]["eapp-classes"]}
    assert set(classes) <= set(map(str, labels))
    mean = np.mean(list(classes.values()))
    assert record["table"]["test.auc"] == [pytest.approx(mean)]
    assert "test.concordance" not in record["table"]


def test_numbers_are_judged_by_concordance():
    record = record_of("diabetes", k_max=3)
    assert 0.5 < record["table"]["test.concordance"][0] < 0.8
    assert 0.5 < record["table"]["criterion.train-auc"][0] < 0.8
    assert "test.auc" not in record["table"]
    assert [row["k"] for row in record["curves"]["eapp"]] == [2, 3]


def test_candidate_labels_have_no_baseline():
    assert "data are candidates" in TOPIC.skip({"task": "candidates"}, None)
    for task in ("binary", "multiclass", "multilabel", "regression"):
        assert TOPIC.skip({"task": task}, None) == ""


def test_registries_can_be_read_and_loaded():
    for registry in (TOPIC.learners, TOPIC.measures, TOPIC.criteria, TOPIC.rules):
        assert all(reason == "" for _, reason in registry.available())
    assert TOPIC.learners["eapp"].load() is EAPP
    rule = TOPIC.rules[TOPIC.default_rules[0]]
    assert rule.facts["column"].removeprefix("criterion.") in TOPIC.criteria
