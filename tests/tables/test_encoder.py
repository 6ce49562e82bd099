"""The table encoder against scikit-learn, by hand, and against its own promises."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from caveat.datasets import load
from caveat.exceptions import CaveatError, InvalidInput
from caveat.tables import ConstantImputer, TableEncoder


@parametrize_with_checks([TableEncoder(), ConstantImputer()])
def test_it_is_a_transformer_as_scikit_learn_knows_them(estimator, check):
    check(estimator)


def table():
    return pd.DataFrame(
        {
            "job": ["full", None, "part", "full", "self", "full"],
            "age": [20.0, 30.0, np.nan, 50.0, 60.0, 70.0],
            "fit": [True, False, True, True, False, True],
            "rooms": [1, 2, 2, 3, 1, 2],
        }
    )


def test_numbers_come_first_then_levels_in_order():
    encoder = TableEncoder(scale=None).fit(table())
    names = [
        "age",
        "fit",
        "rooms",
        "job=full",
        "job=part",
        "job=self",
        "job is missing",
    ]
    assert encoder.get_feature_names_out().tolist() == names
    row = encoder.transform(table())[1]
    assert row.tolist() == [30.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("impute", ["mean", "median"])
@pytest.mark.parametrize(
    ("scale", "scaler"), [("standard", StandardScaler()), ("minmax", MinMaxScaler())]
)
def test_numbers_are_what_scikit_learn_makes_of_them(impute, scale, scaler):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5)) * [1, 10, 1e-3, 1e4, 1] + [0, 5, 1, -1e5, 0]
    X[rng.random(X.shape) < 0.1] = np.nan
    train, test = X[:40], X[40:]
    filled = SimpleImputer(strategy=impute).fit(train)
    expected = scaler.fit(filled.transform(train)).transform(filled.transform(test))
    found = TableEncoder(impute=impute, scale=scale).fit(train).transform(test)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_indicators_are_what_scikit_learn_makes_of_them():
    frame = load("lending").X[["job", "region"]].fillna("none")
    expected = OneHotEncoder(sparse_output=False).fit_transform(frame.astype(object))
    np.testing.assert_array_equal(TableEncoder().fit_transform(frame), expected)


def test_only_training_rows_are_learnt_from():
    lending = load("lending").X
    other = lending.copy()
    other.loc[500:, "income"] = 1e9
    other.loc[500:, "job"] = "pirate"
    first = TableEncoder().fit(lending[:500]).transform(lending[:500])
    second = TableEncoder().fit(other[:500]).transform(other[:500])
    np.testing.assert_array_equal(first, second)


def test_columns_are_found_by_name_and_new_ones_left_out():
    encoder = TableEncoder().fit(table())
    shuffled = table()[["rooms", "fit", "job", "age"]].assign(new="x")
    np.testing.assert_array_equal(
        encoder.transform(shuffled), encoder.transform(table())
    )


def test_a_vanished_column_is_named():
    with pytest.raises(InvalidInput, match=r"'age' .*replace_columns"):
        TableEncoder().fit(table()).transform(table().drop(columns="age"))


@pytest.mark.parametrize(
    ("options", "code"),
    [({}, -1), ({"unseen": "mode"}, 0), ({"rare": 0.4}, 1)],
)
def test_unseen_levels_become_unknown_the_mode_or_the_rare_level(options, code):
    encoder = TableEncoder(categories="ordinal", missing_level="mode", **options)
    column = table()[["job"]]
    found = encoder.fit(column).transform(pd.DataFrame({"job": ["pirate"]}))
    assert found.tolist() == [[code]]


def test_unseen_levels_can_be_refused_and_counted():
    encoder = TableEncoder(unseen="error").fit(table())
    new = table().assign(job=["pirate", "full", "pirate", None, "cook", "full"])
    with pytest.raises(InvalidInput, match=r"'job' .*'pirate', 'cook'"):
        encoder.transform(new)
    assert encoder.unseen_counts(new).to_dict() == {"job": 3}


def test_all_indicators_of_an_unseen_level_are_zero():
    found = TableEncoder().fit(table()[["job"]]).transform(pd.DataFrame({"job": ["x"]}))
    assert found.tolist() == [[0.0] * 4]


@pytest.mark.parametrize(
    ("policy", "codes"),
    [("own", [0, 3, 1]), ("mode", [0, 0, 1]), (None, [0, np.nan, 1])],
)
def test_missing_levels_are_one_of_their_own_the_mode_or_stay(policy, codes):
    encoder = TableEncoder(categories="ordinal", missing_level=policy)
    found = encoder.fit_transform(table()[["job"]])
    np.testing.assert_array_equal(found[:3, 0], codes)


def test_missing_in_use_but_never_in_training_counts_as_unseen():
    encoder = TableEncoder(categories="ordinal").fit(pd.DataFrame({"a": ["x", "y"]}))
    assert encoder.transform(pd.DataFrame({"a": [None, "y"]})).tolist() == [[-1], [1]]


@pytest.mark.parametrize(
    ("impute", "value"),
    [("mean", 46.0), ("median", 50.0), ("mode", 20.0), ("zero", 0.0), (None, np.nan)],
)
def test_missing_numbers_are_filled_as_asked(impute, value):
    found = TableEncoder(scale=None, impute=impute).fit_transform(table()[["age"]])
    np.testing.assert_array_equal(found[2, 0], value)


def test_numbers_left_missing_do_not_spoil_the_scale():
    found = TableEncoder(impute=None).fit_transform(table()[["age"]])
    assert np.nanmean(found) == pytest.approx(0)
    assert np.nanstd(found) == pytest.approx(1)


def test_missing_truth_values_get_their_mode():
    column = pd.DataFrame({"a": pd.array([True, None, True, False], dtype="boolean")})
    assert TableEncoder(scale=None).fit_transform(column).ravel().tolist() == [
        1,
        1,
        1,
        0,
    ]


def test_an_indicator_says_where_a_number_was_missing():
    encoder = TableEncoder(scale=None, indicator=0.1).fit(table()[["age", "rooms"]])
    assert encoder.get_feature_names_out().tolist() == [
        "age",
        "rooms",
        "age is missing",
    ]
    assert encoder.transform(table()[["age", "rooms"]])[:, 2].tolist() == [
        0,
        0,
        1,
        0,
        0,
        0,
    ]
    rarely = TableEncoder(indicator=0.5).fit(table()[["age", "rooms"]])
    assert len(rarely.get_feature_names_out()) == 2


def test_rare_levels_and_those_past_the_most_frequent_merge():
    column = pd.DataFrame({"a": list("aaaaabbbbccd")})
    assert TableEncoder(rare=0.2).fit(column).get_feature_names_out().tolist() == [
        "a=a",
        "a=b",
        "a is rare",
    ]
    encoder = TableEncoder(max_levels=3).fit(column)
    assert encoder.transform(pd.DataFrame({"a": ["d", "new"]})).tolist() == [
        [0, 0, 0, 1],
        [0, 0, 0, 1],
    ]


def test_ties_among_equally_frequent_levels_go_to_the_first_in_order():
    column = pd.DataFrame({"a": ["z", "y", "x", "w"]})
    assert TableEncoder(max_levels=2).fit(column).levels_ == {"a": ["w", "x"]}


def test_a_rare_gap_merges_like_any_level():
    column = pd.DataFrame({"a": ["x"] * 50 + ["y"] * 49 + [None]})
    encoder = TableEncoder(rare=0.05).fit(column)
    assert encoder.get_feature_names_out().tolist() == ["a=x", "a=y", "a is rare"]
    assert encoder.transform(pd.DataFrame({"a": [None]})).tolist() == [[0, 0, 1]]


def test_a_block_of_indicators_has_the_variance_of_one_number():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "a": rng.choice(list("pqrs"), 500, p=[0.6, 0.2, 0.15, 0.05]),
            "n": np.where(rng.random(500) < 0.3, np.nan, rng.standard_normal(500)),
        }
    )
    encoder = TableEncoder(impute="median", indicator=0.01, block_scale=True)
    found = encoder.fit_transform(frame)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-12)
    variance = dict(
        zip(encoder.get_feature_names_out(), found.var(axis=0), strict=True)
    )
    assert variance["n"] == pytest.approx(1)
    assert variance["n is missing"] == pytest.approx(1)
    assert sum(
        v for name, v in variance.items() if name.startswith("a=")
    ) == pytest.approx(1)


def test_block_scaling_by_hand():
    found = TableEncoder(block_scale=True).fit_transform(
        pd.DataFrame({"a": list("xxxy")})
    )
    spread = np.sqrt(2 * 0.75 * 0.25)
    np.testing.assert_allclose(found[3], np.array([-0.75, 0.75]) / spread)


def test_what_does_not_vary_can_be_left_out():
    frame = pd.DataFrame({"a": [1, 1], "b": [0.1, 0.1], "c": ["x", "x"], "d": [1, 2]})
    encoder = TableEncoder(drop_constant=True).fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["d"]
    assert TableEncoder().fit_transform(frame)[:, :2].tolist() == [[0, 0], [0, 0]]


def test_codes_are_scaled_only_if_asked():
    frame = table()[["job"]].fillna("full")
    plain = TableEncoder(categories="ordinal").fit_transform(frame)
    assert plain.ravel().tolist() == [0, 0, 1, 0, 2, 0]
    scaled = TableEncoder(categories="ordinal", scale_codes=True).fit_transform(frame)
    np.testing.assert_allclose(scaled, (plain - plain.mean()) / plain.std())


def test_sizes_tell_how_large_an_embedding_must_be():
    encoder = TableEncoder(categories="ordinal").fit(table())
    assert encoder.sizes_ == [4]
    assert encoder.transform(table())[:, -1].max() == 3


def test_a_range_of_ones_own():
    found = TableEncoder(scale="minmax", scale_range=(-1, 1)).fit_transform(
        table()[["rooms", "fit"]]
    )
    assert found.min(axis=0).tolist() == [-1, -1]
    assert found.max(axis=0).tolist() == [1, 1]


def test_text_can_be_kept():
    found = TableEncoder(categories="keep", scale=None, impute=None).fit_transform(
        table()
    )
    assert list(found.columns) == ["age", "fit", "rooms", "job"]
    assert found["job"].tolist() == ["full", "missing", "part", "full", "self", "full"]
    assert np.isnan(found["age"][2])


def test_sparse_output_equals_dense_output():
    dense = TableEncoder().fit_transform(table())
    sparse = TableEncoder(sparse_output=True).fit_transform(table())
    np.testing.assert_array_equal(sparse.toarray(), dense)


def test_single_precision_is_the_rounded_double_precision():
    double = TableEncoder().fit_transform(table())
    single = TableEncoder(dtype="float32").fit_transform(table())
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single, double.astype(np.float32))


def test_pandas_output_has_the_names():
    encoder = TableEncoder().set_output(transform="pandas")
    found = encoder.fit_transform(table())
    assert list(found.columns) == encoder.get_feature_names_out().tolist()


def test_kinds_of_a_data_set_can_be_passed_for_a_part_of_its_columns():
    lending = load("lending")
    encoder = TableEncoder(kinds=lending.kinds).fit(lending.X[["age", "region"]])
    assert encoder.numerical_ == ["age"]


def test_a_number_can_be_called_a_category():
    encoder = TableEncoder(kinds={"rooms": "categorical"}).fit(table()[["rooms"]])
    assert encoder.get_feature_names_out().tolist() == ["rooms=1", "rooms=2", "rooms=3"]


def test_numbers_as_levels_are_ordered_by_value_and_known_by_value():
    train = pd.DataFrame({"a": [10, 9, 100]})
    encoder = TableEncoder({"a": "categorical"}, "ordinal").fit(train)
    later = pd.DataFrame({"a": [9.0, 100.0, 10.0]})
    assert encoder.transform(later).ravel().tolist() == [0, 2, 1]


def test_an_ordered_categorical_keeps_its_order_and_only_what_it_used():
    sizes = pd.Categorical(["S", "L"], ["S", "M", "L", "XL"], ordered=True)
    encoder = TableEncoder(categories="ordinal").fit(pd.DataFrame({"a": sizes}))
    assert encoder.levels_ == {"a": ["S", "L"]}


def test_the_same_levels_as_text_or_as_categories_encode_alike():
    text = table()[["job"]]
    encoder = TableEncoder().fit(text)
    for other in (text.astype("category"), text.astype(object), text.astype("string")):
        np.testing.assert_array_equal(encoder.transform(other), encoder.transform(text))


@pytest.mark.parametrize(
    "options",
    [
        {"categories": "hash"},
        {"scale": "none"},
        {"impute": "guess"},
        {"missing_level": "drop"},
        {"unseen": "drop"},
        {"dtype": "int8"},
        {"indicator": 2},
        {"rare": -0.1},
        {"max_levels": 0},
        {"scale_range": (1, 0)},
        {"block_scale": True, "categories": "ordinal"},
        {"block_scale": True, "sparse_output": True},
        {"kinds": {"age": "number"}},
    ],
)
def test_parameters_that_make_no_sense_are_refused(options):
    with pytest.raises(CaveatError):
        TableEncoder(**options).fit(table())


def test_it_clones_and_fits_twice_alike():
    encoder = TableEncoder(rare=0.2, indicator=0.1)
    first = clone(encoder).fit(table()).transform(table())
    np.testing.assert_array_equal(encoder.fit(table()).fit_transform(table()), first)
