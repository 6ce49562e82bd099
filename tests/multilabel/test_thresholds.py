"""Thresholds as estimators: fitted to training scores, used elsewhere."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor

from caveat.exceptions import CaveatError
from caveat.multilabel import (
    CardinalityThreshold,
    FixedThreshold,
    GlobalThreshold,
    InstanceThreshold,
    LabelThreshold,
    MLkNN,
    ProportionThreshold,
    ThresholdedClassifier,
    evaluate,
    make_threshold,
    oracle_threshold_gap,
)
from caveat.multilabel.thresholds._names import THRESHOLDS

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

DECISION_MEASURES = ["hamming_loss", "macro_f1", "instance_f1", "micro_f1"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    logits = X @ rng.normal(size=(3, 5)) + rng.normal(size=5)
    Y = (logits + rng.normal(size=logits.shape) > 0.5).astype(int)
    return X, logits, Y


def value(Y, S, rule, X, measure):
    return evaluate(Y, None, rule.predict(S, X))[measure]


@pytest.mark.parametrize("measure", DECISION_MEASURES)
def test_a_finer_threshold_is_at_least_as_good_on_the_rows_it_was_fitted_to(
    data, measure
):
    X, S, Y = data
    sign = -1 if measure == "hamming_loss" else 1
    one = sign * value(Y, S, GlobalThreshold(measure).fit(S, Y), X, measure)
    fixed = sign * value(Y, S, FixedThreshold(0.5).fit(S, Y), X, measure)
    per_label = sign * value(Y, S, LabelThreshold(measure).fit(S, Y), X, measure)
    rule = InstanceThreshold(measure, regressor="scores").fit(S, Y)
    exact = evaluate(Y, None, rule.targets_[:, None] < S)[measure]
    assert fixed <= one + 1e-12
    assert one <= per_label + 1e-12
    assert one <= sign * exact + 1e-12


@pytest.mark.parametrize("measure", DECISION_MEASURES)
def test_every_decision_measure_can_be_optimised_per_instance(data, measure):
    X, S, Y = data
    rule = InstanceThreshold(measure).fit(S[:60], Y[:60], X[:60])
    chosen = rule.predict(S[60:], X[60:])
    assert chosen.shape == (20, 5)
    assert set(np.unique(chosen)) <= {0, 1}


@pytest.mark.parametrize(
    "regressor", ["svr", "ridge", "scores", KNeighborsRegressor(3)]
)
def test_instance_thresholds_may_use_any_regressor(data, regressor):
    X, S, Y = data
    rule = InstanceThreshold(regressor=regressor).fit(S, Y, X)
    assert rule.thresholds(S, X).shape == (80, 1)


def test_least_squares_from_scores_is_the_rule_of_elisseeff_and_weston(data):
    _, S, Y = data
    rule = InstanceThreshold("hamming_loss", regressor="scores").fit(S, Y)
    expected = LinearRegression().fit(S, rule.targets_).predict(S)
    np.testing.assert_allclose(rule.thresholds(S)[:, 0], expected)


def test_ridge_regression_reads_the_features(data):
    X, S, Y = data
    rule = InstanceThreshold(regressor="ridge").fit(S, Y, X)
    expected = Ridge(alpha=1.0).fit(X, rule.targets_).predict(X)
    np.testing.assert_allclose(rule.thresholds(S, X)[:, 0], expected)


def test_the_number_of_chosen_labels_follows_the_predicted_cardinality(data):
    X, S, Y = data
    rule = CardinalityThreshold("ridge").fit(S, Y, X)
    chosen = rule.predict(S, X)
    predicted = Ridge(alpha=1.0).fit(X, Y.sum(axis=1)).predict(X)
    np.testing.assert_array_equal(
        chosen.sum(axis=1), np.clip(np.floor(predicted + 0.5), 0, 5)
    )
    lowest = np.where(chosen == 1, S, np.inf).min(axis=1)
    assert (np.where(chosen == 1, -np.inf, S).max(axis=1) <= lowest).all()
    np.testing.assert_array_equal(chosen, rule.thresholds(S, X) < S)


def test_proportions_of_training_are_kept(data):
    _, S, Y = data
    chosen = ProportionThreshold().fit(S, Y).predict(S)
    np.testing.assert_array_equal(chosen.sum(axis=0), Y.sum(axis=0))


def test_labels_never_or_always_relevant_get_matching_proportions():
    S, Y = [[0.1, 0.5], [0.2, 0.4]], [[0, 1], [0, 1]]
    assert ProportionThreshold().fit(S, Y).predict(S).tolist() == Y


def test_the_fall_back_rule_raises_hopeless_labels(data):
    _, S, Y = data
    noise = np.random.default_rng(1).normal(size=(80, 1))
    rare = np.zeros((80, 1), dtype=int)
    rare[:3] = 1
    scores, truth = np.hstack([S, noise]), np.hstack([Y, rare])
    rule = LabelThreshold(fbr=0.5).fit(scores, truth)
    never = LabelThreshold(fbr=0.5, fallback="never").fit(scores, truth)
    assert rule.threshold_[5] == noise.max()
    assert never.threshold_[5] == np.inf
    assert LabelThreshold(fbr="auto").fit(scores, truth).fbr_ in np.arange(1, 9) / 10


@pytest.mark.parametrize("name", THRESHOLDS)
def test_every_named_threshold_can_be_cloned_fitted_and_used(data, name):
    X, S, Y = data
    rule = clone(make_threshold(name)).fit(S, Y, X)
    assert rule.predict(S[:7], X[:7]).shape == (7, 5)


def test_frames_must_keep_their_label_columns(data):
    _, S, Y = data
    frame = pd.DataFrame(S, columns=list("abcde"))
    rule = LabelThreshold().fit(frame, pd.DataFrame(Y, columns=list("abcde")))
    np.testing.assert_array_equal(rule.predict(frame), rule.predict(S))
    with pytest.raises(CaveatError, match="another order"):
        rule.predict(frame[list("badce")])


@pytest.mark.parametrize(
    "call",
    [
        lambda S, Y, X: LabelThreshold("auc").fit(S, Y),
        lambda S, Y, X: LabelThreshold(beta=0).fit(S, Y),
        lambda S, Y, X: LabelThreshold(beta="one").fit(S, Y),
        lambda S, Y, X: LabelThreshold("micro_f1", fbr=0.1).fit(S, Y),
        lambda S, Y, X: LabelThreshold(fbr=0.1, fallback="low").fit(S, Y),
        lambda S, Y, X: LabelThreshold(fbr=0.1, folds=1).fit(S, Y),
        lambda S, Y, X: InstanceThreshold(regressor="forest").fit(S, Y, X),
        lambda S, Y, X: InstanceThreshold(regressor=3).fit(S, Y, X),
        lambda S, Y, X: InstanceThreshold(regressor="svr").fit(S, Y),
        lambda S, Y, X: InstanceThreshold().fit(S, Y, X).predict(S),
        lambda S, Y, X: InstanceThreshold().fit(S, Y, X[:5]),
        lambda S, Y, X: FixedThreshold(float("nan")).fit(S, Y),
        lambda S, Y, X: GlobalThreshold().fit(S, Y).predict(S[:, :2]),
        lambda S, Y, X: GlobalThreshold().fit(S, Y[:5]),
        lambda S, Y, X: make_threshold("per-lable"),
        lambda S, Y, X: make_threshold(None),
        lambda S, Y, X: ThresholdedClassifier().fit(X, Y),
        lambda S, Y, X: ThresholdedClassifier(MLkNN(), cv=1).fit(X, Y),
        lambda S, Y, X: ThresholdedClassifier(MLkNN(), cv=999).fit(X, Y),
        lambda S, Y, X: ThresholdedClassifier(Ridge()).fit(X, Y),
    ],
)
def test_bad_settings_are_refused(data, call):
    X, S, Y = data
    with pytest.raises(CaveatError):
        call(S, Y, X)


def test_an_unfitted_threshold_says_so():
    with pytest.raises(NotFittedError):
        GlobalThreshold().predict([[0.1]])


def test_out_of_fold_thresholds_differ_from_those_of_fitted_rows(data):
    X, _, Y = data
    model = MLkNN(k=3)
    inside = ThresholdedClassifier(model).fit(X, Y)
    outside = ThresholdedClassifier(model, cv=4, random_state=0).fit(X, Y)
    assert not np.array_equal(
        inside.threshold_.threshold_, outside.threshold_.threshold_
    )
    assert outside.predict(X).shape == Y.shape


def test_the_oracle_gap_is_what_tuning_on_the_test_part_adds(data):
    X, S, Y = data
    found = oracle_threshold_gap(Y[:40], S[:40], Y[40:], S[40:])
    rule = LabelThreshold().fit(S[40:], Y[40:])
    assert found["oracle"] == evaluate(Y[40:], None, rule.predict(S[40:]))["macro_f1"]
    assert found["gap"] == found["oracle"] - found["honest"] >= 0
    per_row = oracle_threshold_gap(
        Y[:40], S[:40], Y[40:], S[40:], threshold="per-instance",
        measure="instance-f1", X_train=X[:40], X_test=X[40:],
    )  # fmt: skip
    assert set(per_row) == {"honest", "oracle", "gap"}
