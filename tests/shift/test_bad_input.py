"""Bad input, section 5.4 and beyond: one clear sentence, or a warning."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from caveat.exceptions import CaveatError, InvalidInput, UnknownName
from caveat.models import make_model
from caveat.shift import Increment, Stages, feature_importance, shift_curve


@pytest.fixture(scope="module")
def fitted(mixed):
    X, y, X_test, y_test = mixed()
    return make_model("logistic-regression").fit(X, y), X, y, X_test, y_test


def change(fitted, **new):
    names = ("model", "X", "y", "X_test", "y_test")
    return [new.get(name, old) for name, old in zip(names, fitted, strict=True)]


def test_a_test_table_without_a_training_column_is_refused_with_the_way_out(fitted):
    parts = change(fitted, X_test=fitted[3].drop(columns=["size", "left"]))
    with pytest.raises(
        InvalidInput, match=r"lacks the columns 'size', 'left'.*missing='impute'"
    ):
        shift_curve(*parts)


def test_absent_columns_can_be_imputed_under_every_mask(fitted):
    parts = change(fitted, X_test=fitted[3].drop(columns="size"))
    curve = shift_curve(*parts, missing="impute")
    gone = shift_curve(*fitted, scenario=Stages({"s": ["size"]}))
    assert curve.table["value"][0] == gone.table["value"][1]
    assert curve.columns == ["count", "colour", "left"]
    assert "'size'" in curve.notes[0]
    assert curve.table["value"].iloc[-1] == shift_curve(*fitted).table["value"].iloc[-1]


def test_a_model_that_is_not_fitted_is_told_as_such(mixed):
    X, y, X_test, y_test = mixed()
    numbers = ["size", "count"]
    with pytest.raises(InvalidInput, match=r"LogisticRegression\) is not fitted; fit"):
        shift_curve(LogisticRegression(), X[numbers], y, X_test[numbers], y_test)


def test_a_stage_with_an_unknown_column_names_the_nearest(fitted):
    with pytest.raises(UnknownName, match="did you mean 'colour'"):
        shift_curve(*fitted, scenario=Stages({"s": ["color"]}))


def test_unknown_names_are_told_with_the_nearest(fitted):
    for setting, name, near in (
        ("scenario", "randm", "random"),
        ("imputer", "meen", "mean"),
        ("metric", "acuracy", "accuracy"),
        ("importance", "pearsn", "pearson"),
    ):
        with pytest.raises(UnknownName, match=f"did you mean '{near}'"):
            shift_curve(*fitted, **{"scenario": "single", setting: name})


def test_an_unseen_category_is_counted_and_does_no_harm(fitted):
    X_test = fitted[3].copy()
    X_test.iloc[:2, X_test.columns.get_loc("colour")] = "violet"
    for imputer in ("mean", "gaussian", "knn", "iterative"):
        curve = shift_curve(*change(fitted, X_test=X_test), imputer=imputer)
        assert curve.notes == [
            "2 test rows have categories of 'colour' that training has not."
        ]


def test_reordered_and_new_columns_change_nothing(fitted):
    X_test = fitted[3][["left", "colour", "size", "count"]].assign(new=1)
    curve = shift_curve(*change(fitted, X_test=X_test))
    pd.testing.assert_frame_equal(curve.table, shift_curve(*fitted).table)
    assert "'new'" in curve.notes[0]


def test_names_that_occur_twice_or_are_of_several_types_are_refused(fitted):
    doubled = fitted[3].set_axis(["size", "size", "colour", "left"], axis=1)
    mixed_types = fitted[3].set_axis([0, "count", "colour", "left"], axis=1)
    for table, word in ((doubled, "unique"), (mixed_types, "types")):
        with pytest.raises(InvalidInput, match=word):
            shift_curve(*change(fitted, X_test=table))


def test_a_training_column_without_values_is_refused(fitted):
    X = fitted[1].assign(size=np.nan)
    with pytest.raises(InvalidInput, match="'size'"):
        shift_curve(*change(fitted, X=X))


def test_a_gap_from_zero_is_not_defined_and_warned_of(fitted):
    never = change(fitted, model=lambda table: np.full(len(table), 1.0))
    y_test = pd.Series(["high"] * len(fitted[4]))
    with pytest.warns(UserWarning, match="gap is not defined"):
        curve = shift_curve(*change(never, y_test=y_test))
    assert curve.table["gap"].isna().all()
    assert not np.isinf(curve.table["value"]).any()


def test_more_subsets_than_exist_warns_only_if_somebody_asked_for_them(fitted):
    with pytest.warns(UserWarning, match="no more than 6 subsets"):
        shift_curve(*fitted, max_subsets=7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shift_curve(*fitted)
        shift_curve(*fitted, max_subsets=5, random_state=0)


def test_one_column_is_defined_and_none_is_refused():
    X = pd.DataFrame({"a": [0.0, 1, 2, 3]})
    y = [0, 0, 1, 1]
    model = LogisticRegression().fit(X, y)
    curve = shift_curve(model, X, y, X, y)
    assert curve.table["k"].tolist() == [0, 1]
    empty = pd.DataFrame(index=range(4))
    with pytest.raises(InvalidInput, match="0 columns"):
        shift_curve(lambda t: np.zeros(len(t)), empty, y, empty, y)


@pytest.mark.parametrize("part", ["X", "X_test"])
def test_infinite_numbers_are_refused(fitted, part):
    table = fitted[1] if part == "X" else fitted[3]
    table = table.assign(size=np.inf)
    with pytest.raises(InvalidInput, match=r"infinite.*'size'"):
        shift_curve(*change(fitted, **{part: table}))


@pytest.mark.parametrize(
    "new",
    [
        {"y_test": ["high"]},
        {"y": pd.Series([None] * 50)},
        {"y_test": np.zeros((30, 2))},
        {"X_test": np.zeros((30, 4))},
        {"X_test": [1, 2, 3]},
        {"model": 3},
        {"model": lambda table: None},
        {"model": lambda table: np.zeros((len(table), 5))},
        {"model": lambda table: np.full(len(table), np.nan)},
        {"model": lambda table: ["neither"] * len(table)},
        {"model": lambda table: np.full((len(table), 2), 0.9)},
        {"model": lambda table: 1 / 0},
    ],
    ids=lambda value: re.sub(r" at 0x[0-9a-f]+", "", str(value)),
)
def test_what_does_not_fit_is_refused_in_one_sentence(fitted, new):
    with pytest.raises(InvalidInput) as caught:
        shift_curve(*change(fitted, **new))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "setting",
    [
        {"max_subsets": 0},
        {"max_subsets": 2.5},
        {"tolerance": 0},
        {"tolerance": "small"},
        {"aggregate": "median"},
        {"aggregate": "pooled", "tolerance": 0.1},
        {"missing": "ignore"},
        {"block_size": 0},
        {"task": "ranking"},
        {"metric": []},
        {"metric": ["accuracy", "accuracy"]},
        {"metric": "rmse"},
        {"metric": 3},
        {"scenario": "stages"},
        {"scenario": 7},
        {"imputer": 7},
        {"random_state": -1},
        {"random_state": "seed"},
        {"scenario": "most", "importance": {"size": 1.0}},
        {"scenario": "most", "importance": 3},
        {
            "scenario": "most",
            "importance": dict.fromkeys(["size", "count", "colour", "left"], "x"),
        },
    ],
    ids=lambda value: re.sub(r" at 0x[0-9a-f]+", "", str(value)),
)
def test_settings_that_make_no_sense_are_refused(fitted, setting):
    with pytest.raises(CaveatError) as caught:
        shift_curve(*fitted, **setting)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("stages", ["size", ["size"], {}, []])
def test_stages_must_be_groups_of_columns(stages):
    with pytest.raises(InvalidInput, match="stages"):
        Stages(stages)


def test_more_disjoint_stages_than_rows_are_refused(fitted):
    groups = {str(number): ["size"] for number in range(40)}
    with pytest.raises(InvalidInput, match="test rows"):
        shift_curve(*fitted, scenario=Stages(groups, disjoint=True))


@pytest.mark.parametrize("columns", [0, -1, True, 1.5])
def test_at_least_one_column_must_appear(columns):
    with pytest.raises(InvalidInput, match="columns"):
        Increment(columns)


def test_a_model_that_cannot_take_missing_cells_says_what_to_do(fitted):
    _, X, y, X_test, y_test = fitted
    numbers = ["size", "count"]
    model = LogisticRegression().fit(X[numbers], y)
    with pytest.raises(InvalidInput, match="choose an imputer"):
        shift_curve(model, X[numbers], y, X_test[numbers], y_test, imputer="native")


def test_classes_that_the_model_does_not_know_count_as_wrong(fitted):
    y_test = fitted[4].copy()
    y_test[:5] = "unheard of"
    curve = shift_curve(
        *change(fitted, y_test=y_test), metric=["accuracy", "auc", "log-loss"]
    )
    assert "5 test rows are of classes" in curve.notes[0]
    assert curve.table["value"][0] <= 25 / 30
    with pytest.raises(InvalidInput, match="does not know"):
        shift_curve(*change(fitted, y_test=y_test), metric=lambda a, b: 0.0)


def test_information_that_reaches_the_model_round_the_mask_is_reported(fitted):
    def cheat(table):
        return np.linspace(0, 1, len(table))

    with pytest.warns(UserWarning, match="round the mask"):
        curve = shift_curve(*change(fitted, model=cheat), row_wise=False)
    assert "round the mask" in curve.notes[-1]


def test_one_class_in_the_test_rows_leaves_auc_undefined_but_not_silently(fitted):
    y_test = pd.Series(["high"] * len(fitted[4]))
    curve = shift_curve(*change(fitted, y_test=y_test), metric=["accuracy", "auc"])
    assert curve.of("auc")["value"].isna().all()
    assert "AUC leaves out" in " ".join(curve.notes)


@pytest.mark.parametrize(
    "names",
    [
        ["<b>", "a\nb", "", "😀"],
        ["-x", "..", "/etc", "x" * 5000],
        ["new0", "__row", "k", "value"],
    ],
)
def test_odd_names_are_only_names(fitted, names):
    _, X, y, X_test, y_test = fitted
    X, X_test = (t.set_axis(names, axis=1) for t in (X, X_test))
    model = make_model("dummy").fit(X, y)
    for scenario in ("single", "random", "increment"):
        assert (
            len(shift_curve(model, X, y, X_test, y_test, scenario=scenario).table) > 3
        )


@pytest.mark.thorough
def test_odd_types_of_columns_do_no_harm():
    n = 40
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "int8": rng.integers(0, 100, n).astype("int8"),
            "nullable": pd.array([None, *range(n - 1)], dtype="Int64"),
            "half": rng.normal(size=n).astype("float16"),
            "boolean": pd.array(rng.random(n) < 0.5, dtype="boolean"),
            "unused": pd.Categorical(["a", "b"] * (n // 2), categories=list("abcd")),
            "when": pd.date_range("2020-01-01", periods=n),
        },
        index=[7] * n,
    )
    y = rng.integers(2, size=n)
    model = make_model("extra-trees", n_estimators=3).fit(X, y)
    for imputer in (
        "mean",
        "median",
        "random",
        "native",
        "gaussian",
        "knn",
        "iterative",
    ):
        curve = shift_curve(
            model, X, y, X, y, imputer=imputer, max_subsets=3, random_state=0
        )
        assert np.isfinite(curve.table["value"]).all()


@pytest.mark.parametrize("method", ["pearson", "spearman", "eta"])
def test_a_constant_target_is_warned_of(mixed, method):
    X = mixed()[0][["size", "count"]]
    with pytest.warns(UserWarning, match="the target is 'same' in every row"):
        found = feature_importance(X, ["same"] * len(X), method)
    assert found.tolist() == [0.0, 0.0]


def test_a_column_that_only_the_test_table_has_is_warned_of(fitted):
    parts = change(fitted, X_test=fitted[3].assign(new=1.0))
    with pytest.warns(UserWarning, match="has 'new', which the model does not know"):
        curve = shift_curve(*parts, degrees=[1])
    assert "'new'" in curve.notes[0]
    with pytest.warns(UserWarning, match="'new', which LogisticRegression did not"):
        fitted[0].predict(parts[3])


def test_a_test_part_of_one_class_is_warned_of(fitted):
    only = np.asarray(fitted[4]) == np.asarray(fitted[4])[0]
    parts = change(fitted, X_test=fitted[3][only], y_test=np.asarray(fitted[4])[only])
    with pytest.warns(UserWarning, match="test rows are of one class, '"):
        curve = shift_curve(*parts, degrees=[1])
    assert "one class" in curve.notes[0]
