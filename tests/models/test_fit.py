"""Held-out rows, early stopping, weights, and targets that are scaled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import InvalidInput
from caveat.models import MODELS, make_model
from caveat.models._holdout import hold_out
from caveat.models._weights import row_weights


def thorough(name):
    return pytest.param(name, marks=pytest.mark.thorough)


BOOSTERS = {
    "hist-gradient-boosting": {"max_iter": 150, "min_samples_leaf": 5},
    "lightgbm": {"n_estimators": 150, "min_data_in_leaf": 5, "patience": 10},
    "xgboost": {"n_estimators": 150, "patience": 10},
    "catboost": {"iterations": 150, "learning_rate": 0.3, "patience": 10},
}


def noisy(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    y = (X["a"] + 1.5 * rng.normal(size=n) > 0).to_numpy().astype(int)
    return X, y


def test_some_of_every_class_is_held_out_and_none_altogether():
    y = np.array([0] * 50 + [1] * 30 + [2] * 19 + [3])
    held = hold_out(y, 0.2, classify=True, seed=0)
    counts = np.bincount(y[held], minlength=4)
    assert counts.tolist()[:2] == [10, 6]
    assert counts[3] == 0
    assert len(held) == 20 - (counts[2] == 3)
    again = hold_out(y, 0.2, classify=True, seed=0)
    np.testing.assert_array_equal(held, again)
    assert not np.array_equal(held, hold_out(y, 0.2, classify=True, seed=1))


def test_groups_are_held_out_whole():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 12, 100)
    held = hold_out(rng.normal(size=100), 0.2, classify=False, seed=3, groups=groups)
    rest = np.setdiff1d(np.arange(100), held)
    assert not set(groups[held]) & set(groups[rest])
    assert 20 <= len(held) < 45


def test_the_latest_rows_are_held_out_and_ties_stay_together():
    time = np.repeat(np.arange(10), 3)[::-1]
    held = hold_out(np.zeros(30), 0.2, classify=False, seed=0, time=time)
    assert sorted(set(time[held])) == [8, 9]
    dates = pd.date_range("2020", periods=30)
    late = hold_out(np.zeros(30), 0.1, classify=False, seed=0, time=dates)
    assert late.tolist() == [27, 28, 29]


def test_with_groups_and_time_the_groups_that_end_last_are_held_out():
    groups = np.array(list("aaabbbcccddd"))
    time = [1, 2, 9, 1, 2, 3, 4, 5, 6, 1, 1, 1]
    held = hold_out(
        np.zeros(12), 0.25, classify=False, seed=0, groups=groups, time=time
    )
    assert set(groups[held]) == {"a"}


def test_a_class_that_comes_late_is_still_learnt():
    y = np.array([0] * 15 + [1] * 5)
    held = hold_out(y, 0.2, classify=True, seed=0, time=range(20))
    assert set(np.delete(y, held)) == {0, 1}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"groups": ["g"] * 20}, "one value only"),
        ({"groups": range(19)}, "20 rows, but groups has 19"),
        ({"time": [np.nan, *range(19)]}, "time is missing in row 0"),
        ({"time": [1, "a"] * 10}, "several types"),
    ],
)
def test_what_cannot_be_held_out_is_said(more, message):
    with pytest.raises(InvalidInput, match=message):
        hold_out(np.zeros(20), 0.2, classify=False, seed=0, **more)


def test_few_rows_are_all_learnt_from():
    assert not len(hold_out(np.array([0, 1] * 4), 0.2, classify=True, seed=0))


@pytest.mark.thorough
@pytest.mark.parametrize("name", BOOSTERS)
def test_boosting_stops_where_it_is_best_on_the_rows_that_were_held_out(name):
    pytest.importorskip(name.replace("hist-gradient-boosting", "sklearn"))
    X, y = noisy()
    model = make_model(name, "binary", random_state=0, **BOOSTERS[name])
    whole = model.fit(X, y)
    assert not len(whole.validation_rows_)
    before = whole.predict_proba(X)

    model.fit(X, y, validation=0.25)
    assert len(model.validation_rows_) == 30
    held, rest = X.iloc[model.validation_rows_], np.delete(y, model.validation_rows_)
    assert not np.allclose(before, model.predict_proba(X))
    given = make_model(name, "binary", random_state=0, **BOOSTERS[name])
    given.fit(
        X.drop(index=model.validation_rows_),
        rest,
        validation=(held, y[model.validation_rows_]),
    )
    np.testing.assert_allclose(given.predict_proba(X), model.predict_proba(X))

    # No other number of rounds is better there: tried one by one.
    def loss(rounds):
        key = {"catboost": "iterations", "hist-gradient-boosting": "max_iter"}
        settings = {**BOOSTERS[name], key.get(name, "n_estimators"): rounds}
        other = make_model(name, "binary", random_state=0, **settings)
        other.random_state = 0
        proba = other.fit(X.drop(index=model.validation_rows_), rest)
        chosen = proba.predict_proba(held)[range(30), y[model.validation_rows_]]
        return -np.log(chosen).mean()

    kept = -np.log(
        model.predict_proba(held)[range(30), y[model.validation_rows_]]
    ).mean()
    # Single precision inside of two of the libraries.
    assert kept <= min(loss(rounds) for rounds in (1, 3, 6, 10, 15)) + 1e-6


def test_networks_hold_a_fifth_out_and_respect_groups_and_time():
    X, y = noisy(100)
    settings = {**MODELS["mlp"].quick, "max_epochs": 2, "random_state": 0}
    model = make_model("mlp", "binary", **settings)
    assert len(model.fit(X, y).validation_rows_) == 20
    late = model.fit(X, y, time=np.arange(100), validation=0.1).validation_rows_
    assert late.tolist() == list(range(90, 100))
    groups = np.repeat(range(10), 10)
    held = model.fit(X, y, groups=groups).validation_rows_
    assert len(np.unique(groups[held])) == 2
    own = model.fit(X, y, validation=(X[:5], y[:5]))
    assert not len(own.validation_rows_)
    with pytest.raises(InvalidInput, match="label 7, which the training rows"):
        model.fit(X, y, validation=(X[:5], [7] * 5))
    with pytest.raises(InvalidInput, match=r"validation is 1\.5"):
        model.fit(X, y, validation=1.5)


def test_models_that_cannot_stop_early_learn_from_all_rows():
    X, y = noisy(40)
    model = make_model("logistic-regression")
    plain = model.fit(X, y).predict_proba(X)
    told = model.fit(X, y, validation=0.5, groups=np.arange(40)).predict_proba(X)
    np.testing.assert_array_equal(plain, told)


WEIGHING = [
    "dummy",
    "logistic-regression",
    "random-forest",
    "hist-gradient-boosting",
    "lightgbm",
    "xgboost",
    "catboost",
    "mlp",
]


@pytest.mark.thorough
@pytest.mark.parametrize("name", WEIGHING)
def test_heavy_rows_pull_the_answers(name):
    X, y = noisy()
    model = make_model(name, "binary", random_state=0, **MODELS[name].quick)
    plain = model.fit(X, y).predict_proba(X)[:, 1].mean()
    heavy = model.fit(X, y, sample_weight=np.where(y == 1, 20.0, 1.0))
    assert heavy.predict_proba(X)[:, 1].mean() > plain + 0.1


def test_rows_that_weigh_nothing_are_not_held_out():
    weights = np.tile([0.0, 1.0], 20)
    settings = {"seed": 0, "weights": weights}
    for more in ({"classify": True}, {"classify": False, "groups": np.arange(40) // 4}):
        held = hold_out(np.arange(40) % 4 // 2, 0.2, **settings, **more)
        assert weights[held].all()
        assert len(held) == 4
    late = hold_out(np.zeros(40), 0.1, classify=False, time=np.arange(40), **settings)
    assert late.tolist() == [37, 39]


@pytest.mark.parametrize(
    "name", ["mlp", *[thorough(n) for n in ("modernnca", "tabr", "saint", "resnet")]]
)
def test_rows_that_weigh_nothing_make_no_difference(name):
    X, y = noisy(60)
    own = noisy(30, seed=1)
    quick = {**MODELS[name].quick, "max_epochs": 2, "random_state": 0}
    model = make_model(name, "regression", **quick)
    # The columns are standardised by rows, so the rows that do not count repeat them.
    twice = pd.concat([X, X], ignore_index=True)
    wrong = np.concatenate([y, 1e6 * (1 - y)])
    weights = np.repeat([1.0, 0.0], 60)
    told = model.fit(X, y, sample_weight=np.ones(60), validation=own).predict(X)
    more = model.fit(twice, wrong, sample_weight=weights, validation=own).predict(X)
    np.testing.assert_allclose(more, told, atol=1e-5)


def test_weights_are_the_same_as_repeated_rows_for_linear_models():
    X, y = noisy(30)
    weights = np.tile([1, 2, 3], 10)
    # The columns are standardised by rows, not by weights, so scale them before.
    again = np.repeat(np.arange(30), weights)
    dummy = make_model("dummy").fit(X, y, sample_weight=weights).predict_proba(X[:1])
    twin = make_model("dummy").fit(X.iloc[again], y[again]).predict_proba(X[:1])
    np.testing.assert_allclose(dummy, twin)


def test_classes_can_weigh_alike():
    y, classes = np.array([0, 0, 0, 1]), np.array(["a", "b"])
    balanced = row_weights(None, "balanced", y, classes)
    assert balanced[:3].sum() == pytest.approx(balanced[3:].sum())
    given = row_weights([1, 1, 2, 1], {"a": 1.0, "b": 5.0}, y, classes)
    assert given.tolist() == [1, 1, 2, 5]
    assert row_weights(None, "balanced", np.zeros(2), None) is None
    with pytest.raises(InvalidInput, match="no weight for 'b'"):
        row_weights(None, {"a": 1.0}, y, classes)
    with pytest.raises(InvalidInput, match="'even'"):
        row_weights(None, "even", y, classes)


NETWORKS = [name for name in MODELS if MODELS[name].extra == "deep"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*BOOSTERS, *NETWORKS])
def test_the_weight_of_a_class_is_the_weight_of_its_rows(name):
    X, y = noisy(60)
    quick = {**MODELS[name].quick, "random_state": 0}
    quick |= {"max_epochs": 2} if "max_epochs" in quick else {}

    def answers(class_weight, sample_weight):
        model = make_model(name, "binary", class_weight=class_weight, **quick)
        return model.fit(X, y, sample_weight=sample_weight).predict_proba(X)

    told = answers({0: 1.0, 1: 6.0}, None)
    np.testing.assert_array_equal(told, answers(None, np.where(y == 1, 6.0, 1.0)))
    assert np.abs(told - answers(None, None)).max() > 1e-6


@pytest.mark.parametrize("name", ["lightgbm", "hist-gradient-boosting"])
def test_own_validation_rows_weigh_as_those_that_are_held_out(name):
    pytest.importorskip(name.replace("hist-gradient-boosting", "sklearn"))
    X, y = noisy(200)
    weights = {0: 1.0, 1: 9.0}
    model = make_model(name, random_state=0, class_weight=weights, **BOOSTERS[name])
    held = model.fit(X, y, validation=0.25).validation_rows_
    drawn = model.predict_proba(X)
    rest, own = X.drop(index=held), (X.iloc[held], y[held])
    given = model.fit(rest, np.delete(y, held), validation=own).predict_proba(X)
    np.testing.assert_allclose(given, drawn)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], "shape"),
        ([-1.0, 1, 1, 1], "-1.0 in row 0"),
        ([0, 0, 0, 0], "zero in every row"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(InvalidInput, match=message):
        make_model("dummy").fit(
            [[1], [2], [3], [4]], [0, 1, 0, 1], sample_weight=weights
        )


def test_who_cannot_weigh_rows_says_so():
    with pytest.raises(InvalidInput, match="NearestNeighbours cannot weigh rows"):
        make_model("k-nn").fit([[1], [2]], [0, 1], sample_weight=[1, 2])


@pytest.mark.parametrize("name", BOOSTERS)
def test_boosting_trained_for_loss_is_told_what_is_gone(name):
    X, y = noisy()
    X["e"] = np.where(X["b"] > 0, "u", "v")
    settings = {**MODELS[name].quick, "mask_rate": 0.4}
    model = make_model(name, "binary", random_state=0, **settings).fit(X, y)
    told = model.predict_masked(X, ["a", "e"])
    other = X.assign(a=99.0, e="w")
    np.testing.assert_array_equal(told, model.predict_masked(other, ["a", "e"]))
    np.testing.assert_array_equal(model.predict_masked(X, []), model.predict_proba(X))
    nothing = model.predict_masked(X, list(X.columns))
    assert np.ptp(nothing[:, 0]) == 0
    # With nothing to go by, what is left is about the share of the class.
    assert nothing[0, 1] == pytest.approx(y.mean(), abs=0.15)
    assert not hasattr(make_model(name), "predict_masked")
