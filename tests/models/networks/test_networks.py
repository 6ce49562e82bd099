"""What every network owes: any table, learning by heart, and nothing round the mask."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from caveat.exceptions import InvalidInput, UnknownName
from caveat.models import MODELS, make_model, names_for
from caveat.testing import check_classifier

NAMES = [name for name in MODELS if MODELS[name].extra == "deep"]
BY_HEART = {
    "switchtab": {"max_epochs": 100, "learning_rate": 1e-3, "alpha": 100.0},
    "tabnet": {"max_epochs": 150, "learning_rate": 0.03, "momentum": 0.3},
    "tabtransformer": {"max_epochs": 60, "depth": 1, "dim": 16, "ffn_dropout": 0.0},
    "ft-transformer": {"n_blocks": 2, "d_token": 16, "attention_dropout": 0.0},
    "grownet": {"n_stages": 20, "hidden_d": 32, "correct_epochs": 3},
    "node": {"max_epochs": 80, "layer_dim": 64, "depth": 4, "learning_rate": 0.05},
    "danets": {"max_epochs": 60, "n_layers": 4, "base_outdim": 16, "k": 3},
    "tabr": {"dropout": 0.0, "context_dropout": 0.0, "scale": 1.0, "d_main": 32},
    "tabm": {"d_block": 64, "n_blocks": 2, "dropout": 0.0},
    "mlp": {"hidden": (64, 64)},
    "snn": {"hidden": (64, 64), "dropout": 0.0},
}


def quick(name, task="binary", **more):
    settings = {**MODELS[name].quick, "random_state": 0, **more}
    return make_model(name, task, **settings)


def table(n=64):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.normal(size=n),
            "c": rng.choice(["u", "v", "w"], n),
            "noise": rng.choice(["p", "q"], n),
            "d": rng.normal(size=n),
            "e": rng.normal(size=n),
        }
    )
    y = np.where((X["a"] * X["b"] > 0) ^ (X["c"] == "u"), "yes", "no")
    return X, y


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_64_rows_are_learnt_by_heart(name):
    X, y = table()
    settings = {"learning_rate": 0.01, "max_epochs": 100, **BY_HEART.get(name, {})}
    model = quick(name, **settings, patience=1000, batch_size=32)
    model.fit(X, y, validation=(X, y))
    assert model.score(X, y) > 0.9


EDGES = {
    "categorical only": pd.DataFrame({"a": list("uvwx") * 6, "b": list("pq") * 12}),
    "numeric only": pd.DataFrame({"a": np.arange(24.0), "b": np.arange(24.0) % 5}),
    "one number": pd.DataFrame({"a": np.arange(24.0)}),
    "one category": pd.DataFrame({"a": list("uvw") * 8}),
    "a constant column": pd.DataFrame({"a": np.ones(24), "b": np.arange(24.0)}),
    "20 rows": pd.DataFrame({"a": np.arange(20.0), "b": list("uv") * 10}),
    "missing cells": pd.DataFrame(
        {"a": [1.0, None] * 12, "b": ["u", None, "v"] * 8, "c": [True, False] * 12}
    ),
}


def unlike(X):
    """Make rows that training never saw: other levels, and numbers far outside."""
    strange = X.copy()
    for column in X.select_dtypes(exclude=["number", "bool"]):
        strange[column] = "never seen"
    for column in X.select_dtypes("float"):
        strange[column] = [np.nan, 1e300, -1e300, 0.0] * (len(X) // 4)
    return strange


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_any_table_is_answered_with_finite_probabilities(name):
    for case, X in EDGES.items():
        y = np.arange(len(X)) % 2
        settings = {"n_stages": 2} if name == "grownet" else {"max_epochs": 2}
        model = quick(name, **settings).fit(X, y)
        for rows in (X, unlike(X)):
            proba = model.predict_proba(rows)
            assert np.isfinite(proba).all(), case
            np.testing.assert_allclose(proba.sum(1), 1, err_msg=case)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [n for n in NAMES if n in names_for("regression")])
def test_any_table_is_answered_with_finite_numbers(name):
    settings = {"n_stages": 1} if name == "grownet" else {"max_epochs": 1}
    for case, X in EDGES.items():
        slope = 0.0 if case == "missing cells" else 1e6
        y = slope * np.arange(len(X)) + 7
        model = quick(name, "regression", **settings).fit(X, y)
        for rows in (X, unlike(X)):
            assert np.isfinite(model.predict(rows)).all(), case


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_weights_and_another_seed_others(name):
    X, y = table()
    settings = {"n_stages": 1} if name == "grownet" else {"max_epochs": 1}
    one, same, other = (
        quick(name, **settings, random_state=seed).fit(X, y).estimator_.state_dict()
        for seed in (0, 0, 1)
    )
    assert all((weight == same[key]).all() for key, weight in one.items())
    assert any((weight != other[key]).any() for key, weight in one.items())


def test_no_network_is_admitted_without_a_slow_version_of_its_formulas():
    tests = Path(__file__).with_name("test_forwards.py").read_text(encoding="utf-8")
    tests = tests.replace("test_tab_transformer", "test_tabtransformer")
    missing = [n for n in NAMES if f"def test_{n.replace('-', '_')}" not in tests]
    assert not missing


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_a_hundred_classes_are_told_apart(name):
    X = pd.DataFrame({"a": np.repeat(np.arange(100.0), 3), "b": list("uvw") * 100})
    y = np.repeat(np.arange(100), 3)
    settings = {"n_stages": 1} if name == "grownet" else {"max_epochs": 1}
    model = quick(name, "multiclass", **settings).fit(X, y)
    assert model.predict_proba(X).shape == (300, 100)
    assert len(model.validation_rows_) == 60
    assert len(np.unique(np.delete(y, model.validation_rows_))) == 100


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("masks", [{}, {"mask_rate": 0.3, "mask_bits": True}])
def test_with_every_column_gone_nothing_is_known(name, masks):
    X, y = table()
    settings = {"n_stages": 2} if name == "grownet" else {"max_epochs": 3}
    model = quick(name, **settings, **masks).fit(X, y)
    gone = X.assign(a=0.1, b=0.2, c="u", noise="p", d=0.3, e=0.4)
    second = model.predict_proba(gone)[:, 1]
    assert roc_auc_score(y == "yes", second) == 0.5
    assert np.ptp(second) == 0
    if masks:
        told = model.predict_masked(X, list(X.columns))[:, 1]
        assert np.ptp(told) == 0
        kept = model.predict_masked(X, [])
        np.testing.assert_array_equal(kept, model.predict_proba(X))


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_cells_of_a_column_that_is_gone_are_not_looked_at(name):
    X, y = table()
    settings = {"n_stages": 2} if name == "grownet" else {"max_epochs": 3}
    model = quick(name, **settings, mask_rate=0.3).fit(X, y)
    told = model.predict_masked(X, ["a", "c"])
    others = X.assign(a=X["a"].to_numpy()[::-1] * 100, c="strange")
    np.testing.assert_array_equal(model.predict_masked(others, ["a", "c"]), told)
    absent = X.drop(columns=["a", "c"])
    np.testing.assert_array_equal(model.predict_masked(absent, ["a", "c"]), told)
    assert np.ptp(told[:, 0]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in NAMES if n in names_for("binary")])
def test_our_own_checks_are_passed(name):
    check_classifier(quick(name))


def test_rows_lose_columns_only_where_they_should():
    X, y = table()
    model = quick("mlp", mask_rate=0.3, mask_bits=True).fit(X, y)
    away = np.zeros((len(X), 6), bool)
    away[::2, 0] = True
    told = model.predict_masked(X, away)
    np.testing.assert_array_equal(told[1::2], model.predict_proba(X)[1::2])
    np.testing.assert_array_equal(told[::2], model.predict_masked(X, ["a"])[::2])
    # By the order of the table that is asked about.
    swapped = X[X.columns[::-1]]
    np.testing.assert_array_equal(model.predict_masked(swapped, away[:, ::-1]), told)


def test_columns_whose_names_are_numbers_can_be_gone():
    X, y = table()
    numbered = X[["a", "b"]].set_axis([0, 1], axis=1)
    model = quick("mlp", max_epochs=1, mask_rate=0.5).fit(numbered, y)
    told = model.predict_masked(numbered, [1])
    np.testing.assert_array_equal(told, model.predict_masked(numbered, [False, True]))


def test_masks_that_make_no_sense_are_refused():
    X, y = table()
    model = quick("mlp", max_epochs=1)
    assert not hasattr(model, "predict_masked")
    model = quick("mlp", max_epochs=1, mask_rate=0.5).fit(X, y)
    with pytest.raises(UnknownName, match="no column is called 'aa'"):
        model.predict_masked(X, ["aa"])
    with pytest.raises(InvalidInput, match="shape"):
        model.predict_masked(X, np.ones(3, bool))
    with pytest.raises(InvalidInput, match="pass a list"):
        model.predict_masked(X, "a")
    with pytest.raises(InvalidInput, match=r"mask_rate is 1\.5"):
        quick("mlp", mask_rate=1.5).fit(X, y)


@pytest.mark.thorough
def test_a_network_trained_for_loss_loses_less():
    rng = np.random.default_rng(0)
    signal = rng.normal(size=(400, 1))
    X = pd.DataFrame(signal + 0.3 * rng.normal(size=(400, 4)), columns=list("abcd"))
    X["a"] = signal + 0.01 * rng.normal(size=(400, 1))
    y = np.where(signal[:, 0] > 0, "yes", "no")
    score = {}
    for rate in (0.0, 0.5):
        model = quick("mlp", hidden=(32,), mask_rate=rate, max_epochs=60)
        model.fit(X[:300], y[:300])
        gone = X[300:].assign(a=X["a"][:300].mean())
        told = (
            model.predict_proba(gone) if not rate else model.predict_masked(gone, ["a"])
        )
        score[rate] = ((told[:, 1] > 0.5) == (y[300:] == "yes")).mean()
    assert score[0.5] > score[0.0] + 0.05


def test_unseen_and_missing_levels_have_a_row_of_their_own():
    X, y = table()
    model = quick("snn", max_epochs=1).fit(X, y)
    assert model.layout_.sizes == (4, 3)
    codes = model.layout_.inputs(model.encoder_.transform(X))[:, -2:]
    assert (codes.min(0) == 1).all()
    strange = X.assign(c="new", noise=None)
    codes = model.layout_.inputs(model.encoder_.transform(strange))[:, -2:]
    assert not codes.any()


def test_a_cell_far_out_counts_no_more_than_one_that_is_far_enough():
    X, y = table()
    model = quick("mlp", max_epochs=1).fit(X, y)
    far, further = (model.predict_proba(X.assign(a=a)) for a in (1e3, 1e6))
    np.testing.assert_array_equal(far, further)
    near = model.predict_proba(X.assign(a=X["a"].mean() + 7 * X["a"].std()))
    assert np.abs(near - far).max() > 0


def test_progress_is_told_and_history_kept():
    X, y = table()
    told = []
    model = quick(
        "mlp", max_epochs=3, progress=lambda now, all: told.append((now, all))
    )
    model.fit(X, y)
    assert len(told) == 3
    assert told[-1][0] == told[-1][1]
    assert [row["epoch"] for row in model.history_] == [1, 2, 3]
    best = min(model.history_, key=lambda row: row["validation-loss"])
    assert model.best_epoch_ == best["epoch"]


@pytest.mark.parametrize("name", NAMES)
def test_settings_that_no_network_can_be_built_with_are_refused_in_a_sentence(name):
    X, y = table(16)
    task = "binary"
    settings = fields(make_model(name, task))
    for one in settings:
        kind = str(one.type).removesuffix(" | None")
        if kind not in ("int", "float", "Sequence[int]") or one.name == "validation":
            continue
        for wrong in (-1, "x", True, *([2.5] if kind != "float" else [float("nan")])):
            with pytest.raises(InvalidInput, match=rf"{one.name} is .*; pass a"):
                quick(name, task, **{one.name: wrong}).fit(X, y)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("mlp", {"batch_size": 0}),
        ("mlp", {"hidden": 5}),
        ("mlp", {"hidden": (8, 0)}),
        ("mlp", {"learning_rate": 0}),
        ("mlp", {"mask_rate": None}),
        ("resnet", {"hidden_dropout": 1.0}),
        ("ft-transformer", {"n_heads": 0}),
        ("tabnet", {"momentum": 2.5}),
        ("tabm", {"k": 0}),
        ("grownet", {"n_stages": 0}),
    ],
)
def test_settings_at_the_edge_are_refused(name, wrong):
    X, y = table(16)
    ((setting, value),) = wrong.items()
    with pytest.raises(InvalidInput, match=rf"{setting} is {re.escape(repr(value))};"):
        quick(name, **wrong).fit(X, y)


def test_parts_whose_default_is_none_at_all_may_be_left_out():
    X, y = table(16)
    model = quick("modernnca", n_blocks=0, batch_size=None, max_epochs=1).fit(X, y)
    assert model.score(X, y) >= 0
