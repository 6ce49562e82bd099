import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from caveat.exceptions import InvalidInput, UnknownName
from caveat.shift import (
    CallableRule,
    Gaussian,
    Iterative,
    Marginalise,
    Mean,
    Median,
    Native,
    Neighbours,
    RandomCell,
    Rules,
    TreeRule,
    Zero,
)
from caveat.shift.imputers._imputers import CellImputer, check_imputer
from caveat.shift.registry import IMPUTERS

TABLED = [name for name in IMPUTERS if name != "marginalise"]


@pytest.mark.parametrize("name", IMPUTERS)
def test_every_imputer_warns_of_itself(name):
    assert "Warnings\n" in IMPUTERS[name].load().__doc__


@pytest.mark.parametrize("name", TABLED)
def test_untouched_columns_stay_and_gone_values_do_not_matter(name, mixed):
    X, _, X_test, _ = mixed()
    imputer = check_imputer(name).fit(X, random_state=1)
    once = imputer.impute(X_test, ["size", "colour"])
    spoilt = X_test.assign(size=99.0, colour="red")
    twice = imputer.impute(spoilt, ["size", "colour"])
    pd.testing.assert_frame_equal(once, twice, check_dtype=False)
    pd.testing.assert_frame_equal(once[["count", "left"]], X_test[["count", "left"]])
    assert list(once.columns) == list(X_test.columns)


@pytest.mark.parametrize("name", [name for name in TABLED if name != "random"])
def test_a_row_is_imputed_by_itself_whatever_other_test_rows_there_are(name, mixed):
    X, _, X_test, _ = mixed()
    imputer = check_imputer(name).fit(X)
    together = imputer.impute(X_test, ["count", "colour"])
    alone = imputer.impute(X_test.iloc[[3]], ["count", "colour"])
    np.testing.assert_allclose(
        together["count"].iloc[[3]].astype(float), alone["count"].astype(float)
    )
    assert together["colour"].iloc[3:4].equals(alone["colour"]) or name == "native"


@pytest.mark.parametrize("name", TABLED)
def test_the_table_that_is_passed_stays_as_it_was(name, mixed):
    X, _, X_test, _ = mixed()
    before = X_test.copy()
    check_imputer(name).fit(X).impute(X_test, ["size", "left"])
    pd.testing.assert_frame_equal(X_test, before)


def test_mean_and_mode_are_those_of_the_training_rows():
    train = pd.DataFrame(
        {"n": [1, 2, 6], "t": ["b", "a", "b"], "tie": ["y", "x", None]}
    )
    test = pd.DataFrame({"n": [100, 200], "t": ["c", "c"], "tie": ["z", "z"]})
    found = Mean().fit(train).impute(test, ["n", "t", "tie"])
    assert found["n"].tolist() == [3.0, 3.0]
    assert found["t"].tolist() == ["b", "b"]
    assert found["tie"].tolist() == ["x", "x"]
    assert Median().fit(train).impute(test, ["n"])["n"].tolist() == [2.0, 2.0]


def test_a_broken_mean_turns_a_column_of_whole_numbers_into_float():
    train = pd.DataFrame({"n": [1, 2], "m": [5, 5]})
    found = Mean().fit(train).impute(train, ["n", "m"])
    assert found["n"].tolist() == [1.5, 1.5]
    assert found["m"].tolist() == [5, 5]


def test_zero_is_the_mean_or_the_raw_zero_and_a_category_of_its_own():
    train = pd.DataFrame({"n": [1.0, 3.0], "t": ["missing", "a"], "b": [True, True]})
    standard = Zero().fit(train).impute(train, ["n", "t", "b"])
    raw = Zero(raw=True).fit(train).impute(train, ["n"])
    assert standard["n"].tolist() == [2.0, 2.0]
    assert standard["t"].tolist() == ["missing_"] * 2
    assert standard["b"].tolist() == [False, False]
    assert raw["n"].tolist() == [0.0, 0.0]


def test_native_leaves_cells_missing_in_every_kind_of_column(mixed):
    X, _, X_test, _ = mixed()
    found = Native().fit(X).impute(X_test, list(X.columns))
    assert found.isna().all(axis=None)


def test_random_draws_from_the_training_column_and_again_the_same(mixed):
    X, _, X_test, _ = mixed()
    imputer = RandomCell().fit(X, random_state=4)
    one, two = (imputer.impute(X_test, ["size"])["size"] for _ in range(2))
    other = RandomCell().fit(X, random_state=5).impute(X_test, ["size"])["size"]
    assert set(one) <= set(X["size"])
    assert one.nunique() > 5
    assert one.equals(two)
    assert not one.equals(other)


def test_gaussian_agrees_with_the_formula_for_numbers():
    rng = np.random.default_rng(0)
    train = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4)) + 3
    test = rng.normal(size=(5, 4))
    mean, std = train.mean(axis=0), train.std(axis=0)
    Z = (train - mean) / std
    sigma = Z.T @ Z / len(Z)
    gone, rest = [1, 3], [0, 2]
    inverse = np.linalg.inv(sigma[np.ix_(rest, rest)] + 1e-3 * np.eye(2))
    z = (test[:, rest] - mean[rest]) / std[rest]
    expected = z @ inverse @ sigma[np.ix_(rest, gone)] * std[gone] + mean[gone]
    names = list("abcd")
    found = (
        Gaussian()
        .fit(pd.DataFrame(train, columns=names))
        .impute(pd.DataFrame(test, columns=names), ["b", "d"])
    )
    np.testing.assert_allclose(found[["b", "d"]], expected)


def test_gaussian_finds_a_category_that_follows_from_a_number():
    train = pd.DataFrame({"n": np.arange(30), "t": ["a"] * 15 + ["b"] * 15})
    test = pd.DataFrame({"n": [0, 29], "t": ["b", "a"]})
    assert Gaussian().fit(train).impute(test, ["t"])["t"].tolist() == ["a", "b"]


def test_neighbours_agree_with_a_plain_search(mixed):
    X, _, X_test, _ = mixed()
    found = Neighbours(3).fit(X).impute(X_test, ["size", "colour"])
    count = (X["count"] - X["count"].mean()) / X["count"].std(ddof=0)
    mine = (X_test["count"] - X["count"].mean()) / X["count"].std(ddof=0)
    for row in range(len(X_test)):
        squares = (count - mine.iloc[row]) ** 2
        squares += (X["left"] != X_test["left"].iloc[row]).astype(float)
        cut = np.sort(squares)[2]
        surely = X["size"][squares < cut - 1e-9]
        # Of those that are equally near, any may fill the rest of the three places.
        maybe = X["size"][(squares - cut).abs() < 1e-9].sort_values()
        left = 3 - len(surely)
        low = surely.sum() + maybe[:left].sum()
        high = surely.sum() + maybe[len(maybe) - left :].sum()
        assert low - 1e-9 <= 3 * found["size"].iloc[row] <= high + 1e-9


def test_neighbours_take_the_mean_of_the_five_nearest():
    train = pd.DataFrame({"a": [0, 1, 2, 3, 4, 100.0], "b": [1, 2, 3, 4, 5, 1000.0]})
    test = pd.DataFrame({"a": [2.0], "b": [0.0]})
    assert Neighbours().fit(train).impute(test, ["b"])["b"].tolist() == [3.0]


def test_iterative_is_ridge_regression_when_one_number_is_gone():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    X["c"] = X["a"] - 2 * X["b"] + 0.1 * X["c"]
    Z = (X - X.mean()) / X.std(ddof=0)
    ridge = Ridge(alpha=1.0).fit(Z[["a", "b"]], Z["c"])
    expected = ridge.predict(Z[["a", "b"]]) * X["c"].std(ddof=0) + X["c"].mean()
    found = Iterative().fit(X).impute(X.assign(c=0.0), ["c"])["c"]
    np.testing.assert_allclose(found, expected)


def test_iterative_finds_categories_by_a_classifier():
    train = pd.DataFrame({"n": np.arange(30.0), "t": list("abc") * 10})
    train["n"] = train["t"].map({"a": -5.0, "b": 0.0, "c": 5.0}) + train["n"] / 100
    test = pd.DataFrame({"n": [-5.0, 0.0, 5.0], "t": ["c", "a", "b"]})
    found = Iterative().fit(train).impute(test, ["t"])
    assert found["t"].tolist() == ["a", "b", "c"]


def test_rules_learn_a_column_from_the_others_and_several_by_turns():
    n = np.arange(200.0)
    train = pd.DataFrame({"a": n, "b": n**2, "c": np.where(n > 100, "hi", "lo")})
    test = train.iloc[[20, 150]].assign(b=0.0, c="?")
    found = Rules().fit(train).impute(test, ["b", "c"])
    assert found["c"].tolist() == ["lo", "hi"]
    np.testing.assert_allclose(found["b"], [400, 22500], rtol=0.2)


def test_a_rule_may_be_any_function():
    def learn(train, column):
        mean = train[column].mean()
        return lambda rows: np.full(len(rows), mean + 1)

    X = pd.DataFrame({"a": [1.0, 3.0], "b": [0.0, 1.0]})
    found = Rules(rule=lambda: CallableRule(learn)).fit(X).impute(X, ["a"])
    assert found["a"].tolist() == [3.0, 3.0]


def test_a_rule_must_give_a_value_for_every_row():
    rule = CallableRule(lambda train, column: lambda rows: [1.0])
    X = pd.DataFrame({"a": [1.0, 3.0], "b": [0.0, 1.0]})
    with pytest.raises(InvalidInput, match=r"shape \(1,\) for 2 rows"):
        rule.fit(X, "a").apply(X[["b"]])


def test_a_tree_rule_of_a_constant_column_is_the_constant():
    X = pd.DataFrame({"a": [7, 7, 7], "b": [1, 2, 3]})
    assert TreeRule().fit(X, "a").apply(X[["b"]]).tolist() == [7, 7, 7]


def test_marginalise_has_no_single_table(mixed):
    X, _, X_test, _ = mixed()
    imputer = Marginalise(4).fit(X)
    assert len(imputer.fills(3)) == 4
    with pytest.raises(InvalidInput, match="averages the answers to 4 tables"):
        imputer.impute(X_test, ["size"])


def test_an_unknown_column_is_named_with_the_nearest(mixed):
    X, _, X_test, _ = mixed()
    with pytest.raises(UnknownName, match="did you mean 'colour'"):
        Mean().fit(X).impute(X_test, ["color"])


def test_a_column_without_training_values_is_refused_unless_it_may_stay_missing():
    X = pd.DataFrame({"a": [1.0, 2.0], "empty": [np.nan, np.nan]})
    with pytest.raises(InvalidInput, match="'empty'"):
        Mean().fit(X)
    assert Native().fit(X).impute(X, ["empty"])["empty"].isna().all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Marginalise(0),
        lambda: Neighbours(0),
        lambda: Gaussian(0.0),
        lambda: Iterative(rounds=0),
        lambda: Iterative(alpha=-1.0),
        lambda: Rules(rounds=2.5),
        lambda: check_imputer(3),
    ],
)
def test_settings_that_make_no_sense_are_refused(make):
    with pytest.raises(InvalidInput):
        make()


def test_an_unknown_imputer_is_named_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'gaussian'"):
        check_imputer("gausian")


def test_an_imputer_of_the_users_own_is_taken_as_it_is():
    class Seven(CellImputer):
        def _fit(self, X, rng):
            pass

        def fills(self, n_rows):
            return [pd.DataFrame({name: [7.0] for name in self.columns_})]

    X = pd.DataFrame({"a": [1.0, 2.0]})
    assert check_imputer(Seven()).fit(X).impute(X, ["a"])["a"].tolist() == [7.0, 7.0]


def test_dates_are_imputed_as_dates():
    train = pd.DataFrame(
        {
            "when": pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-05"]),
            "n": [1.0, 2, 3],
        }
    )
    for imputer in (Mean(), Gaussian(), Iterative(), RandomCell()):
        found = imputer.fit(train).impute(train, ["when"])["when"]
        assert pd.to_datetime(found).between("2019-12-31", "2020-01-06").all()


@pytest.mark.parametrize("rows", [6, 60])
def test_gaussian_solves_the_same_equations_with_few_rows(rows):
    rng = np.random.default_rng(0)
    train = pd.DataFrame(rng.normal(size=(rows, 9)) @ rng.normal(size=(9, 9)))
    train.columns = list("abcdefghi")
    test = train.iloc[:4] + 1.0
    gone = np.isin(train.columns, ["b", "e", "f"])
    centre, scale = train.to_numpy().mean(axis=0), train.to_numpy().std(axis=0)
    z = (train.to_numpy() - centre) / scale
    covariance = z.T @ z / rows
    within = covariance[np.ix_(~gone, ~gone)] + 1e-3 * np.eye(6)
    known = ((test.to_numpy() - centre) / scale)[:, ~gone]
    wanted = known @ np.linalg.solve(within, covariance[np.ix_(~gone, gone)])
    found = Gaussian().fit(train).impute(test, ["b", "e", "f"])
    np.testing.assert_allclose(
        found[["b", "e", "f"]], wanted * scale[gone] + centre[gone], rtol=1e-6
    )
