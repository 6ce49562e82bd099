"""The topic in the engine's hands: folds, choices, and one trial from end to end."""

from __future__ import annotations

import math
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

from caveat.exceptions import InvalidInput, UnknownName
from caveat.models import make_model
from caveat.study import load_study, plan, run_trial
from caveat.supervised import (
    CRITERIA,
    LEARNERS,
    MEASURES,
    RULES,
    TOPIC,
    cross_validation,
    evaluate,
    loss,
    training_folds,
)


def study(**changes):
    return {
        "study": "s",
        "topic": "supervised",
        "datasets": ["wine"],
        "learners": [{"name": "logistic-regression", "C": [0.1, 1.0]}],
        "resampling": {"folds": 3},
        "baseline": "none",
        **changes,
    }


def first_record(**changes):
    return run_trial(plan(study(**changes))[0].spec)


def test_a_trial_gives_a_row_for_every_configuration():
    table = first_record()["table"]
    assert table["config"] == [0, 1]
    names = [name for name, row in MEASURES.items() if "multiclass" in row.tasks]
    for name in names:
        assert all(value >= 0 for value in table[f"test.{name}"])
        assert all(value >= 0 for value in table[f"criterion.cv-{name}"])
    assert table["criterion.cv-loss"] == table["criterion.cv-log-loss"]
    assert table["oracle.loss"] == table["test.log-loss"]
    assert table["fact.training-rows"] == [133, 133]
    assert not any("rmse" in column for column in table)


def test_a_regression_is_judged_by_the_measures_of_numbers():
    table = first_record(datasets=["diabetes"], learners=["ridge"])["table"]
    assert table["criterion.cv-loss"] == table["criterion.cv-rmse"]
    assert table["test.rmse"][0] < 65
    assert not any("accuracy" in column for column in table)


@pytest.mark.thorough
def test_all_learners_of_a_repeat_meet_the_same_split_and_folds():
    trials = plan(study(learners=["dummy", "k-nn"], repeats=2))
    digests = [run_trial(trial.spec)["digests"]["split"] for trial in trials]
    assert digests[0] == digests[1]
    assert digests[2] == digests[3]
    assert digests[0] != digests[2]


def test_the_same_trial_gives_the_same_record():
    spec = plan(study(learners=[{"name": "random-forest", "n_estimators": 5}]))[0].spec
    assert run_trial(spec) == run_trial(spec)


@pytest.mark.thorough
def test_how_a_search_is_cut_does_not_show_in_its_rows():
    whole = first_record()["table"]
    trials = plan(study(search={"per-trial": 1}))
    parts = [run_trial(trial.spec)["table"] for trial in trials]
    assert len(parts) == 2
    for column, values in whole.items():
        assert [part[column][0] for part in parts] == values


def test_the_score_is_that_of_scikit_learn_by_hand():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    X[:, 0] += y
    frame, labels = pd.DataFrame(X, columns=list("abc")), pd.Series(y)
    folds = training_folds(labels, folds=4, seed=3)
    ours = cross_validation(
        lambda: make_model("k-nn"), frame, labels, folds=folds, task="binary"
    )
    splitter = StratifiedKFold(4, shuffle=True, random_state=3)
    for name, scoring in [("accuracy", "accuracy"), ("auc", "roc_auc")]:
        theirs = cross_val_score(
            make_model("k-nn"), frame, labels, cv=splitter, scoring=scoring
        )
        assert ours[name] == pytest.approx(theirs.mean())


def test_without_folds_there_is_no_criterion_but_a_test_score():
    table = first_record(resampling={"folds": 0})["table"]
    assert table["criterion.cv-accuracy"] == [None, None]
    assert table["test.accuracy"][0] > 0.8
    assert table["fact.folds"] == [0, 0]


@pytest.mark.parametrize("folds", [1, -1, 2.5, True, "5"])
def test_folds_that_make_no_sense_are_refused(folds):
    with pytest.raises(InvalidInput, match="folds"):
        first_record(resampling={"folds": folds})


def test_unknown_resampling_settings_are_named():
    with pytest.raises(UnknownName, match="did you mean 'folds'"):
        first_record(resampling={"fold": 3})


def test_a_learner_for_another_task_is_refused():
    with pytest.raises(InvalidInput, match=r"ridge and wine.*does regression"):
        run_trial({**plan(study())[0].spec, "learner": {"name": "ridge", "params": {}}})
    assert TOPIC.skip({"task": "regression"}, LEARNERS["ridge"]) == ""
    assert "multilabel" in TOPIC.skip({"task": "multilabel"}, LEARNERS["dummy"])


def test_a_study_takes_no_scenario():
    with pytest.raises(InvalidInput, match="takes none"):
        plan(study(scenario={"k": [1]}))


def test_a_seed_of_the_users_own_is_kept():
    learner = {"name": "random-forest", "n_estimators": 3, "random_state": [1, 1, 2]}
    table = first_record(learners=[learner])["table"]
    losses = table["test.log-loss"]
    assert losses[0] == losses[1] != losses[2]


def test_a_class_of_one_row_leaves_the_choice_undefined_and_says_so(tmp_path):
    frame = pd.DataFrame({"x": range(12), "y": ["a"] * 11 + ["b"]})
    file = tmp_path / "rare.csv"
    frame.to_csv(file, index=False)
    record = first_record(
        datasets=[{"file": str(file), "target": "y"}],
        learners=["logistic-regression"],
        resampling={"folds": 3},
    )
    assert record["table"]["criterion.cv-loss"] == [None]
    assert "one class only" in record["notes"][0]
    assert record["table"]["test.auc"] == [None]
    assert record["table"]["test.accuracy"] == [1.0]


class NoProbabilities(RidgeClassifier):
    """A classifier of the user's, which knows neither tasks nor probabilities."""


def test_a_learner_without_probabilities_is_judged_by_its_labels():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    scores = evaluate(NoProbabilities().fit(X, y), X, y, task="binary")
    assert scores["auc"] is None
    assert loss(scores) == 1 - scores["accuracy"]


class Answers:
    """Answers what it is told to."""

    classes_ = np.array(["a", "b"])

    def __init__(self, *labels):
        self.labels = labels

    def predict(self, X):
        return np.array(self.labels)


def test_a_row_of_a_class_that_nobody_knows_is_no_hit():
    scores = evaluate(Answers("a", "b"), [[0], [0]], ["a", "x"], task="binary")
    assert scores["accuracy"] == 0.5
    assert 0 < scores["f1"] < 1


def test_an_answer_that_is_no_class_is_refused():
    with pytest.raises(InvalidInput, match="answered 'z', which is not a class"):
        evaluate(Answers("a", "z"), [[0], [0]], ["a", "b"], task="binary")


def test_a_model_that_saw_fewer_classes_gives_the_others_nothing():
    model = make_model("dummy").fit([[0], [0]], ["a", "c"])
    scores = evaluate(
        model, [[0], [0]], ["a", "b"], task="multiclass", classes=["a", "b", "c"]
    )
    assert scores["accuracy"] == 0.5
    assert scores["brier"] == pytest.approx((0.5 + 1.5) / 2)


def test_answers_that_are_not_finite_make_every_score_nan():
    class Broken:
        classes_ = np.array([0, 1])

        def predict(self, X):
            return np.zeros(len(X))

        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    scores = evaluate(Broken(), np.zeros((2, 1)), [0, 1], task="binary")
    assert all(math.isnan(value) for value in scores.values())


def test_classes_beyond_the_data_set_are_named():
    model = make_model("dummy").fit([[0], [0]], ["a", "z"])
    with pytest.raises(InvalidInput, match="'z'"):
        evaluate(model, [[0]], ["a"], task="binary", classes=["a", "b"])


def test_folds_partition_the_rows_and_keep_the_shares():
    y = np.array([0] * 20 + [1] * 10)
    folds = training_folds(y, folds=5, seed=1)
    judged = np.concatenate([judge for _, judge in folds])
    assert sorted(judged) == list(range(30))
    assert all(Counter(y[judge]) == {0: 4, 1: 2} for _, judge in folds)
    assert all(not set(learn) & set(judge) for learn, judge in folds)


def test_folds_keep_groups_whole():
    groups = np.repeat(list("abcdefg"), 4)
    for target in (np.arange(28) % 2, np.arange(28) / 10):
        folds = training_folds(
            target, folds=3, groups=groups, stratify=target.dtype.kind == "i"
        )
        for learn, judge in folds:
            assert not set(groups[learn]) & set(groups[judge])


def test_folds_in_time_never_look_ahead():
    when = np.random.default_rng(0).permutation(20)
    for learn, judge in training_folds(np.zeros(20), folds=4, order=when):
        assert when[learn].max() < when[judge].min()


@pytest.mark.parametrize("y", [[0, 1], [0, 1, 2, 3], [0, 0, 0, 1], [0, 0, 1, 1, 1]])
def test_small_data_get_fewer_folds_without_a_word(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        folds = training_folds(y, folds=5)
    assert 2 <= len(folds) <= 5


@pytest.mark.parametrize(
    "arguments",
    [
        {"y": [0], "folds": 2},
        {"y": [0, 1], "folds": 1},
        {"y": [0, 1, 0], "groups": ["a", "a", "a"]},
    ],
)
def test_folds_that_cannot_be_cut_are_refused(arguments):
    with pytest.raises(InvalidInput):
        training_folds(**arguments)


def test_every_rule_reads_a_column_that_exists():
    columns = {f"criterion.{name}" for name in CRITERIA} | {"oracle.loss"}
    for rule in RULES.values():
        assert rule.facts["column"] in columns
        assert rule.facts["checkpoint"] in ("best", "last")
        assert rule.facts["direction"] in ("min", "max")
        assert rule.load().__doc__
    assert set(TOPIC.default_rules) <= set(RULES)
    assert RULES["oracle"].facts["oracle"]


@pytest.mark.parametrize("name", ["demo", "demo-regression"])
def test_the_demo_studies_can_be_planned(name):
    trials = plan(load_study(name).model_copy(update={"baseline": "none"}))
    repeats = {trial.spec["repeat"] for trial in trials}
    assert repeats == set(range(len(repeats)))
    assert len(repeats) >= 4
    assert len(trials) <= 100


def test_always_answering_the_positive_class_is_recorded_as_a_floor_of_f1(tmp_path):
    rows = ["x,y", *(f"{n},{'well' if n % 4 else 'ill'}" for n in range(80))]
    file = tmp_path / "few.csv"
    file.write_text("\n".join(rows))
    data = {"file": str(file), "target": "y", "keep": ["x"]}
    trials = plan(load_study(study(datasets=[data], learners=["dummy"])))
    record = run_trial(trials[0].spec)["table"]
    share = 5 / 20  # of the test part, one quarter of the rows, drawn by class
    assert record["test.f1"] == [0.0]
    assert record["fact.always-positive-f1"] == [pytest.approx(2 * share / (1 + share))]
    assert record["fact.constant-accuracy"] == [0.75]
    assert "fact.constant-f1" not in record
