"""Three ways to the same answers."""

from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from caveat.models import make_model
from caveat.shift import Marginalise, Rules, TreeRule, shift_curve
from caveat.shift.evaluation._evaluators import CellEvaluator, make_evaluator
from caveat.shift.evaluation._predictions import Answerer
from caveat.shift.evaluation._targets import check_target
from caveat.shift.imputers._imputers import check_imputer
from caveat.shift.registry import IMPUTERS
from caveat.shift.scenarios._subsets import unrank
from caveat.shift.trees._evaluator import tree_evaluator

pytestmark = pytest.mark.thorough

EVERYTHING = np.concatenate(
    [unrank(range(c), 4, k) for k, c in enumerate([1, 4, 6, 4, 1])]
)


def answerer_of(model, X, y):
    return Answerer(model, check_target(y, y, len(X), len(X), model))


def plain_loop(answerer, table, imputer, masks):
    """One imputed copy and one call per mask."""
    names = np.array(table.columns)
    return np.stack([answerer(imputer.impute(table, names[mask])) for mask in masks])


def by_hand(table):
    """A function of each row alone."""
    score = table["size"].astype(float).fillna(2.0).to_numpy()
    score = score + 0.5 * table["count"].astype(float).fillna(-1.0).to_numpy()
    score = score + (table["colour"] == "red").to_numpy()
    score = score - (table["left"] == True).to_numpy()  # noqa: E712
    share = 1 / (1 + np.exp(-score))
    return np.column_stack([1 - share, share])


LIGHT = {"rules": Rules(partial(TreeRule, max_iter=3), rounds=2)}


@pytest.mark.parametrize("name", [name for name in IMPUTERS if name != "marginalise"])
def test_blocks_agree_with_a_plain_loop(name, mixed):
    X, y, X_test, _ = mixed(n=48)
    X_test = X_test[:3]
    ask = Answerer(by_hand, check_target(y, y, len(X), len(X)))
    imputer = check_imputer(LIGHT.get(name, name)).fit(X)
    expected = plain_loop(ask, X_test, imputer, EVERYTHING)
    for size in (1, 20, 200_000):
        found = make_evaluator(ask, X_test, imputer, block_size=size, row_wise=True)
        blocks = [
            EVERYTHING[at : at + found.per_block]
            for at in range(0, 16, found.per_block)
        ]
        answers = np.concatenate([found.answers(block) for block in blocks])
        # A vectorised exp may round the last rows of a block differently.
        np.testing.assert_allclose(answers, expected, rtol=1e-13)


def test_marginalise_is_the_mean_over_training_rows(mixed):
    X, y, X_test, _ = mixed(n=48)
    ask = answerer_of(make_model("logistic-regression").fit(X, y), X, y)
    imputer = Marginalise(draws=8).fit(X, random_state=3)
    mask = np.array([True, False, True, False])
    total = 0.0
    for fill in imputer.fills(len(X_test)):
        total = total + ask(
            X_test.assign(size=fill["size"][0], colour=fill["colour"][0])
        )
    found = make_evaluator(ask, X_test, imputer, block_size=99, row_wise=True)
    np.testing.assert_allclose(found.answers(mask[None])[0], total / 8)


def test_identical_rows_are_asked_once(mixed):
    X, y, X_test, _ = mixed()
    seen = []

    def model(table):
        seen.append(len(table))
        assert not table.duplicated().any()
        return np.full(len(table), 0.3)

    table = pd.concat([X_test, X_test], ignore_index=True)
    fill = check_imputer("mean").fit(X).fills(1)[0]
    target = check_target(y, y, len(X), len(X))
    evaluator = CellEvaluator(Answerer(model, target), table, fill, 10**6)
    answers = evaluator.answers(EVERYTHING)
    assert answers.shape == (16, 2 * len(X_test), 2)
    assert sum(seen) == evaluator.asked < 16 * len(X_test)


def test_a_model_that_looks_at_the_batch_gets_whole_test_tables(mixed):
    X, y, X_test, y_test = mixed()
    sizes = []

    def model(table):
        sizes.append(len(table))
        ranks = table["size"].rank(pct=True).to_numpy()
        return np.column_stack([1 - ranks, ranks])

    shift_curve(model, X, y, X_test, y_test, row_wise=False)
    assert set(sizes) == {len(X_test)}
    assert len(sizes) >= 16


def test_a_collision_of_hashes_is_noticed(mixed):
    X, y, X_test, _ = mixed(n=48)
    ask = answerer_of(make_model("logistic-regression").fit(X, y), X, y)
    imputer = check_imputer("mean").fit(X)
    evaluator = CellEvaluator(ask, X_test, imputer.fills(1)[0], 10**6)
    right = evaluator.answers(EVERYTHING)
    start, change = evaluator._keys
    evaluator._keys = (start * 0, change * 0)  # every row gets the same key
    np.testing.assert_allclose(evaluator.answers(EVERYTHING), right, rtol=1e-13)


FORESTS: list[tuple[str, dict]] = [
    ("lightgbm", {"n_estimators": 8, "min_data_in_leaf": 3}),
    ("xgboost", {"n_estimators": 8}),
    ("random-forest", {"n_estimators": 6}),
    ("extra-trees", {"n_estimators": 6}),
]


@pytest.mark.parametrize(
    ("task", "imputer"),
    [
        ("binary", "mean"),
        ("multiclass", "random"),
        ("multiclass", "native"),
        ("regression", "native"),
    ],
)
@pytest.mark.parametrize(("name", "params"), FORESTS)
def test_trees_walked_through_directly_give_the_models_own_answers(
    name, params, task, imputer, mixed
):
    X, y, X_test, _ = mixed(task, n=96)
    X = X.assign(size=X["size"].where(X["count"] > 0))  # some missing cells, too
    model = make_model(name, task, random_state=0, **params).fit(X, y)
    ask = answerer_of(model, X, y)
    fitted = check_imputer(imputer).fit(X, random_state=1)
    fast = tree_evaluator(ask, X_test, fitted, block_size=10**6)
    slow = make_evaluator(ask, X_test, fitted, block_size=10**6, row_wise=True)
    assert fast is not None
    np.testing.assert_allclose(
        fast.answers(EVERYTHING),
        slow.answers(EVERYTHING),
        rtol=0,
        # Sums of leaves in double precision, but XGBoost's are in single; a tree or a
        # leaf that is taken for another moves an answer by more than 1e-3.
        atol=1e-6 if name == "xgboost" else 1e-12,
    )


@pytest.mark.parametrize("name", ["lightgbm", "xgboost"])
def test_trees_are_walked_through_whatever_the_unit_of_the_target(name, mixed):
    pytest.importorskip(name)
    X, y, X_test, _ = mixed("regression", n=96)
    factor, start = 1e9, 1e12
    model = make_model(name, "regression", n_estimators=8, random_state=0)
    model.fit(X, factor * y + start)
    fitted = check_imputer("mean").fit(X, random_state=1)
    ask = answerer_of(model, X, y)
    fast = tree_evaluator(ask, X_test, fitted, block_size=10**6)
    slow = make_evaluator(ask, X_test, fitted, block_size=10**6, row_wise=True)
    assert fast is not None
    far = np.abs(fast.answers(EVERYTHING) - slow.answers(EVERYTHING)).max()
    assert far < 1e-5 * factor


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(random_state=0),
        RandomForestClassifier(5, random_state=0),
        ExtraTreesClassifier(5, random_state=0),
        make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=0)),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("as_array", [False, True])
def test_trees_of_the_users_own_are_walked_through_too(model, as_array, mixed):
    X, y, X_test, y_test = mixed()
    X, X_test = X[["size", "count"]], X_test[["size", "count"]]
    if as_array:
        X, X_test = X.to_numpy(), X_test.to_numpy()
    curves = [
        shift_curve(
            model.fit(X, y), X, y, X_test, y_test, fast=fast, metric=["accuracy", "auc"]
        )
        for fast in (True, False)
    ]
    assert [curve.fast for curve in curves] == [True, False]
    pd.testing.assert_frame_equal(curves[0].table, curves[1].table)


def test_a_forest_behind_an_encoder_of_columns_is_walked_through(mixed):
    X, y, X_test, y_test = mixed("regression")
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["colour"]), remainder="passthrough"
    )
    model = make_pipeline(encoder, RandomForestRegressor(5, random_state=0)).fit(X, y)
    curves = [
        shift_curve(model, X, y, X_test, y_test, fast=fast) for fast in (True, False)
    ]
    assert [curve.fast for curve in curves] == [True, False]
    pd.testing.assert_frame_equal(curves[0].table, curves[1].table)


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(PolynomialFeatures(2), DecisionTreeRegressor(random_state=0)),
        make_pipeline(StandardScaler(), GradientBoostingClassifier(n_estimators=3)),
        LogisticRegression(),
    ],
    ids=["mixes columns", "unknown ensemble", "no trees"],
)
def test_what_cannot_be_walked_through_is_asked_row_by_row(model, mixed):
    task = "regression" if "Regressor" in str(model) else "binary"
    X, y, X_test, y_test = mixed(task)
    numbers = ["size", "count"]
    model.fit(X[numbers], y)
    assert not shift_curve(model, X[numbers], y, X_test[numbers], y_test).fast


def test_a_class_that_only_looks_like_a_forest_is_asked_row_by_row(mixed):
    class Contrary(RandomForestClassifier):
        def predict_proba(self, X):
            return super().predict_proba(X)[:, ::-1]

    X, y, X_test, y_test = mixed()
    numbers = ["size", "count"]
    model = Contrary(5, random_state=0).fit(X[numbers], y)
    assert not shift_curve(model, X[numbers], y, X_test[numbers], y_test).fast


def test_more_than_sixty_four_masks_and_rows_fill_several_words():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 8)), columns=list("abcdefgh"))
    y = (X["a"] * X["b"] > 0).astype(int)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    ask = answerer_of(model, X, y)
    imputer = check_imputer("mean").fit(X)
    masks = np.concatenate([unrank(range(70), 8, 4), unrank(range(28), 8, 2)])
    fast = tree_evaluator(ask, X, imputer, block_size=10**6)
    expected = plain_loop(ask, X, imputer, masks)
    np.testing.assert_array_equal(fast.answers(masks), expected)


def test_a_model_that_knows_absent_columns_is_told_and_nothing_is_imputed():
    class Told:
        """Answers the number of columns that are there, by row."""

        classes_ = np.array([0, 1])
        asked: ClassVar[list[int]] = []

        def predict_proba(self, X):
            return self.predict_masked(X, np.zeros(X.shape, bool))

        def predict_masked(self, X, gone):
            self.asked.append(len(X))
            assert not X.isna().any().any()
            share = (~gone).sum(axis=1) / gone.shape[1] * (X["a"] > 0)
            return np.column_stack([1 - share, share])

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(12, 3)), columns=list("abc"))
    y = (X["a"] > 0).to_numpy().astype(int)
    curve = shift_curve(
        Told(), X, y, X[["c", "b", "a"]], y, scenario="least", metric="brier"
    )
    values = curve.table.sort_values("k")["value"].to_numpy()
    expected = [y.mean() * (1 - (3 - k) / 3) ** 2 for k in range(4)]
    ratio = values[1:] / values[-1]
    np.testing.assert_allclose(ratio, np.array(expected[1:]) / expected[-1])
    assert set(curve.tidy()["imputation"]) == {"told which columns are gone"}
