import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from sklearn.svm import LinearSVC

from caveat.exceptions import InvalidInput
from caveat.models import make_model
from caveat.shift import Mean, Stages, Zero, feature_importance, shift_curve
from caveat.shift.curves._gaps import spread
from caveat.shift.evaluation._model_under_test import Bench
from caveat.shift.scenarios._subsets import Subsets

COLUMNS = [
    "k",
    "degree",
    "measure",
    "value",
    "sd",
    "se",
    "n_subsets",
    "n_possible",
    "gap",
]


@pytest.fixture(scope="module")
def wide():
    """Twelve columns, so that there are more subsets than one wants to see."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 12)), columns=[f"c{i}" for i in range(12)])
    y = (X @ np.linspace(0, 1, 12) + 0.5 * rng.normal(size=300) > 0).astype(int)
    model = LogisticRegression().fit(X[:200], y[:200])
    return model, X[:200], y[:200], X[200:], y[200:]


@pytest.fixture(scope="module")
def fitted(mixed):
    X, y, X_test, y_test = mixed()
    return make_model("logistic-regression").fit(X, y), X, y, X_test, y_test


def test_the_table_is_as_promised(fitted):
    table = shift_curve(*fitted, random_state=0).table
    assert list(table.columns) == COLUMNS
    assert table["k"].tolist() == [0, 1, 2, 3, 4]
    assert table["degree"].tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert (
        table["n_subsets"].tolist() == table["n_possible"].tolist() == [1, 4, 6, 4, 1]
    )
    assert table["gap"][0] == 0
    assert (table["se"] == 0).all()
    single = shift_curve(*fitted, scenario="single").table
    assert list(single.columns) == [*COLUMNS, "column"]
    assert single["k"].tolist() == [0, 1, 1, 1, 1]


@pytest.mark.thorough
def test_every_value_agrees_with_a_plain_loop(fitted):
    model, X, _y, X_test, y_test = fitted
    curve = shift_curve(*fitted, metric=["accuracy", "auc"])
    imputer = Mean().fit(X)
    for k in range(5):
        masks = Subsets(4, k, most=99, seed=0).take(0, 99)
        scores = []
        for mask in masks:
            table = imputer.impute(X_test, X.columns[mask])
            proba = model.predict_proba(table)
            scores.append(
                (
                    accuracy_score(y_test, model.predict(table)),
                    roc_auc_score(y_test == model.classes_[1], proba[:, 1]),
                )
            )
        rows = curve.table[curve.table["k"] == k]
        np.testing.assert_allclose(rows["value"], np.mean(scores, axis=0), rtol=1e-12)


def test_single_reports_columns_in_ascending_importance(fitted):
    _model, X, y, _, _ = fitted
    curve = shift_curve(*fitted, scenario="single")
    order = feature_importance(X, y).abs().sort_values(kind="stable").index
    assert curve.table["column"].tolist()[1:] == list(order)


def test_an_importance_of_ones_own_decides_the_order(fitted):
    own = {"size": 1, "count": 2, "colour": -3, "left": 0.5}
    curve = shift_curve(*fitted, scenario="single", importance=own)
    assert curve.table["column"].tolist()[1:] == ["left", "size", "count", "colour"]


def test_standard_errors_agree_with_enumeration(wide):
    bench = Bench(*wide)
    masks = Subsets(12, 5, most=1000, seed=0).take(0, 1000)
    values = bench.scores(masks, bench.measures(None))[:, 0]
    place = {mask.tobytes(): number for number, mask in enumerate(masks)}
    errors, half = [], []
    for seed in range(300):
        drawn = Subsets(12, 5, most=60, seed=seed).take(0, 60)
        seen = values[[place[mask.tobytes()] for mask in drawn]]
        errors.append(seen.mean() - values.mean())
        half.append(spread(seen, 792)[1])
    # 60 of 792: the spread of the means is what the standard error says.
    assert np.std(errors) == pytest.approx(np.mean(half), rel=0.12)
    assert abs(np.mean(errors)) < 3 * np.mean(half) / np.sqrt(300)
    inside = np.abs(errors) < 1.96 * np.array(half)
    assert 0.91 < inside.mean() < 0.98


def test_the_standard_error_has_the_finite_population_correction():
    values = np.array([1.0, 2.0, 4.0])
    deviation, error = spread(values, 10)
    assert deviation == pytest.approx(values.std(ddof=1))
    assert error == pytest.approx(deviation * np.sqrt(0.7 / 3))
    assert spread(values, 3)[1] == 0


@pytest.mark.thorough
def test_a_tolerance_stops_early_and_says_so(wide):
    exact = shift_curve(*wide).of()
    curve = shift_curve(*wide, tolerance=0.01, random_state=1)
    rows = curve.of()
    middle = rows["k"].between(4, 8)
    assert (rows["n_subsets"][middle] < rows["n_possible"][middle]).all()
    assert (rows["n_subsets"][middle] % 64 == 0).all()
    assert (1.96 * rows["se"] < 0.01).all()
    inside = exact["value"].between(rows["low"] - 1e-12, rows["high"] + 1e-12)
    assert inside.mean() > 0.75
    assert (rows["n_subsets"] == rows["n_possible"])[
        rows["k"].isin([0, 1, 11, 12])
    ].all()


def test_all_measures_must_be_precise_before_it_stops(wide):
    both = shift_curve(
        *wide, tolerance=0.01, metric=["accuracy", "log-loss"], random_state=1
    )
    one = shift_curve(*wide, tolerance=0.01, metric="accuracy", random_state=1)
    assert (1.96 * both.table["se"] < 0.01).all()
    assert both.of()["n_subsets"].sum() > one.of()["n_subsets"].sum()


def test_the_same_seed_gives_the_same_curve_and_the_curve_keeps_it(wide):
    one = shift_curve(*wide, max_subsets=20)
    two = shift_curve(*wide, max_subsets=20, random_state=one.seed)
    pd.testing.assert_frame_equal(one.table, two.table)


def test_a_degree_can_be_run_again_alone(wide):
    all_of_them = shift_curve(*wide, max_subsets=30, random_state=3).of()
    alone = shift_curve(*wide, max_subsets=30, random_state=3, degrees=[6]).of()
    assert alone["value"][1] == all_of_them.set_index("k")["value"][6]


def test_pooling_equals_the_mean_for_accuracy_but_not_for_auc(fitted):
    mean = shift_curve(*fitted, metric=["accuracy", "auc"])
    pooled = shift_curve(*fitted, metric=["accuracy", "auc"], aggregate="pooled")
    a, b = mean.of("accuracy")["value"], pooled.of("accuracy")["value"]
    np.testing.assert_allclose(a, b)
    assert not np.allclose(mean.of("auc")["value"], pooled.of("auc")["value"])
    assert pooled.table["se"].isna().all()
    assert pooled.table["n_subsets"].tolist() == mean.table["n_subsets"].tolist()


def test_pooled_auc_is_that_of_all_rows_together(fitted):
    model, X, _y, X_test, y_test = fitted
    imputer = Mean().fit(X)
    scores = [
        model.predict_proba(imputer.impute(X_test, [name]))[:, 1] for name in X.columns
    ]
    truth = np.tile(y_test == model.classes_[1], 4)
    expected = roc_auc_score(truth, np.concatenate(scores))
    found = shift_curve(*fitted, degrees=[1], metric="auc", aggregate="pooled")
    assert found.table["value"][1] == pytest.approx(expected)


def test_stages_take_whole_groups_away(fitted):
    groups = {"a": ["size"], "b": ["colour", "left"]}
    apart = shift_curve(*fitted, scenario=Stages(groups)).table
    added = shift_curve(*fitted, scenario=Stages(groups, cumulative=True)).table
    assert apart["stage"].isna().tolist() == [True, False, False]
    assert apart["stage"].tolist()[1:] == ["a", "b"]
    assert apart["k"].tolist() == [0, 1, 2]
    assert added["k"].tolist() == [0, 1, 3]
    assert added["value"][1] == apart["value"][1]


def test_disjoint_stages_share_out_the_test_rows(fitted):
    groups = [(), ("size",), ("colour",)]
    found = shift_curve(
        *fitted, scenario=Stages(groups, disjoint=True), random_state=0
    ).table
    assert found["stage"].tolist()[1:] == ["all columns", "no size", "no colour"]
    assert (found["value"][1:] * 10 % 1).abs().max() < 1e-9  # ten rows each


def test_area_and_tidy_form(fitted):
    curve = shift_curve(*fitted, metric=["accuracy", "auc"])
    values = curve.of("accuracy")["value"]
    expected = (values[0] / 2 + values[1:4].sum() + values[4] / 2) / 4
    assert curve.area() == pytest.approx(expected)
    assert curve.area(relative=True) == pytest.approx(expected / values[0])
    tidy = curve.tidy(dataset="d", model="m")
    assert tidy.columns[:4].tolist() == ["dataset", "model", "scenario", "imputation"]
    assert tidy["mask"].iloc[0] == "0000"
    assert tidy["mask"].iloc[-1] == "1111"


@pytest.mark.parametrize("scenario", ["random", "single", "increment"])
def test_it_draws_itself(fitted, scenario, tmp_path):
    ax = shift_curve(*fitted, scenario=scenario, max_subsets=2, random_state=0).plot()
    ax.figure.savefig(tmp_path / "curve.svg")
    text = (tmp_path / "curve.svg").read_text()
    assert "<svg" in text
    assert ax.get_xlabel()


class TestModelsOfAllKinds:
    def test_a_function_may_return_probabilities_labels_or_shares(self, fitted):
        model, X, y, X_test, y_test = fitted
        ways = [
            model.predict_proba,
            lambda table: model.predict_proba(table)[:, 1],
            model.predict,
        ]
        values = [
            shift_curve(way, X, y, X_test, y_test).of()["value"].tolist()
            for way in ways
        ]
        assert values[0] == values[1] == values[2]

    def test_a_function_may_return_numbers(self, mixed):
        X, y, X_test, y_test = mixed("regression")
        curve = shift_curve(lambda t: t["size"].astype(float), X, y, X_test, y_test)
        assert curve.measures == ["rmse"]
        assert curve.table["value"].iloc[-1] > curve.table["value"].iloc[0]

    def test_arrays_go_in_as_arrays(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
        model = LogisticRegression().fit(X, y)
        curve = shift_curve(model, X, y, X, y, scenario="single")
        assert set(curve.table["column"][1:]) == {"0", "1", "2"}

    def test_a_frame_for_a_model_fitted_on_an_array(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
        model = LinearRegression().fit(X, y)
        frame = pd.DataFrame(X, columns=["a", "b"])
        assert len(shift_curve(model, frame, y, frame, y).table) == 3

    def test_decision_functions_serve_accuracy_and_auc_but_not_log_loss(self, fitted):
        _, X, y, X_test, y_test = fitted
        numbers = ["size", "count"]
        model = LinearSVC().fit(X[numbers], y)
        parts = (model, X[numbers], y, X_test[numbers], y_test)
        curve = shift_curve(*parts, metric=["accuracy", "auc"])
        assert curve.of("accuracy")["value"][0] == model.score(X_test[numbers], y_test)
        assert curve.of("auc")["value"].iloc[-1] == 0.5
        with pytest.raises(InvalidInput, match="needs probabilities"):
            shift_curve(*parts, metric="log-loss")

    def test_measures_by_other_names_and_by_functions(self, fitted):
        model, _X, _y, X_test, y_test = fitted
        assert shift_curve(*fitted, metric="roc_auc").measures == ["auc"]
        assert shift_curve(*fitted, metric="balanced_accuracy").measures == [
            "balanced-accuracy"
        ]

        def macro_f1(true, given):
            return f1_score(true, given, average="macro")

        found = shift_curve(*fitted, metric=macro_f1)
        assert found.measures == ["macro_f1"]
        assert found.table["value"][0] == pytest.approx(
            macro_f1(y_test, model.predict(X_test))
        )

    def test_only_the_columns_that_the_model_knows_vanish(self, fitted):
        model, X, y, X_test, y_test = fitted
        wider = X.assign(extra=1.0), y, X_test.assign(extra=2.0), y_test
        curve = shift_curve(model, *wider, scenario="single")
        assert (
            curve.table["column"].tolist()[1:]
            == shift_curve(*fitted, scenario="single").table["column"].tolist()[1:]
        )

    def test_an_imputer_object_is_taken_as_it_is(self, fitted):
        raw = shift_curve(*fitted, imputer=Zero(raw=True))
        assert raw.imputer == "zero"

    def test_missing_cells_in_the_table_are_the_models_affair(self, mixed):
        X, y, X_test, y_test = mixed()
        X = X.assign(colour=X["colour"].where(X["count"] > 1))
        X_test = X_test.assign(size=X_test["size"].where(X_test["count"] > 1))
        model = make_model("hist-gradient-boosting", max_iter=3).fit(X, y)
        for imputer in ("mean", "gaussian", "knn", "iterative", "random"):
            curve = shift_curve(model, X, y, X_test, y_test, imputer=imputer)
            assert np.isfinite(curve.table["value"]).all()

    def test_categorical_columns_of_pandas_keep_their_type(self, mixed):
        X, y, X_test, y_test = mixed()
        X, X_test = (
            t.assign(colour=t["colour"].astype("category")) for t in (X, X_test)
        )
        seen = []

        def model(table):
            seen.append(table["colour"].dtype)
            return np.full(len(table), 0.7)

        shift_curve(model, X, y, X_test, y_test)
        assert {str(dtype) for dtype in seen} == {"category"}
