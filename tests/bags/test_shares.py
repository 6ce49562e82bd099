import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from caveat.bags import MeanMap, bag_proportions
from caveat.exceptions import InvalidInput


@settings(max_examples=40, deadline=None)
@given(
    arrays(np.int64, 30, elements=st.integers(0, 2)),
    arrays(np.int64, 30, elements=st.integers(0, 4)),
)
def test_proportions_are_counts_over_sizes(y, bags):
    found = bag_proportions(y, bags, classes=[0, 1, 2])
    assert found.shape == (bags.max() + 1, 3)
    for bag in range(bags.max() + 1):
        inside = y[bags == bag]
        wanted = [np.mean(inside == c) if len(inside) else np.nan for c in range(3)]
        np.testing.assert_allclose(found[bag], wanted)


def test_columns_follow_the_given_classes_not_those_present():
    found = bag_proportions(["b", "b"], [0, 0], classes=["c", "b", "a"])
    np.testing.assert_array_equal(found, [[0.0, 1.0, 0.0]])


def test_minus_and_plus_one_keep_their_labels():
    X = [[-2.0], [-1.0], [1.0], [2.0]]
    model = MeanMap().fit(X, [-1, -1, 1, 1])
    np.testing.assert_array_equal(model.predict(X), [-1, -1, 1, 1])


def fit(bags=(0, 0, 1, 1), proportions=(0.2, 0.8), X=None):
    items = [[-2.0], [-1.0], [1.0], [2.0]] if X is None else X
    return MeanMap().fit(items, bags=bags, proportions=proportions)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"proportions": [[0.5, 0.4], [0.5, 0.5]]}, ["proportions", "bag 0", "0.9"]),
        ({"proportions": [0.5, np.nan]}, ["proportions", "bag 1", "nan"]),
        ({"proportions": [1, 3]}, ["proportions", "bag 1", "3", "counts"]),
        ({"proportions": [-0.1, 0.5]}, ["proportions", "bag 0", "-0.1"]),
        ({"proportions": [0.2]}, ["bags", "'1'", "no row"]),
        ({"proportions": [["a"], ["b"]]}, ["proportions", "labels"]),
        ({"proportions": np.zeros((2, 2, 2))}, ["proportions", "shape"]),
        ({"bags": [0, 0, 1]}, ["bags", "3", "4"]),
        ({"bags": [0, 0, -1, 1]}, ["bags", "-1"]),
        ({"bags": [0, 0, 0.5, 1]}, ["bags", "0.5"]),
        ({"bags": ["a", "a", "b", "b"]}, ["bags", "'a'", "dict"]),
        ({"bags": [[0, 0], [1, 1]]}, ["bags", "shape"]),
        ({"bags": ["a", "a", "b", "b"], "proportions": {"a": 0.2}}, ["bags", "'b'"]),
        ({"proportions": {}}, ["proportions", "no bag"]),
        ({"proportions": None}, ["proportions", "none"]),
        ({"bags": None}, ["bags", "none"]),
        (
            {"proportions": pd.Series([0.2, 0.8, 0.1], index=[0, 1, 1])},
            ["proportions", "'1'", "more than one"],
        ),
    ],
)
def test_bad_bags_and_proportions_are_named(change, words):
    with pytest.raises(InvalidInput) as caught:
        fit(**change)
    for word in words:
        assert word in str(caught.value)


def test_a_bag_without_items_is_skipped():
    with_empty = fit(proportions=[0.2, 0.8, np.nan])
    np.testing.assert_array_equal(with_empty.coef_, fit().coef_)


def test_a_pandas_index_that_differs_is_refused_not_aligned():
    X = pd.DataFrame({"x": [-2.0, -1.0, 1.0, 2.0]})
    bags = pd.Series([0, 0, 1, 1], index=[3, 2, 1, 0])
    with pytest.raises(InvalidInput, match="index differs"):
        fit(X=X, bags=bags)


@pytest.mark.parametrize(
    "proportions",
    [
        {"a": 0.2, "b": 0.8},
        {"b": [0.2, 0.8], "a": [0.8, 0.2]},
        pd.Series([0.8, 0.2], index=["b", "a"]),
        pd.DataFrame({0: [0.2, 0.8], 1: [0.8, 0.2]}, index=["b", "a"]),
    ],
)
def test_other_ids_are_looked_up_by_key(proportions):
    model = fit(bags=["a", "a", "b", "b"], proportions=proportions)
    np.testing.assert_allclose(model.coef_, fit().coef_)


def test_columns_of_a_frame_name_the_classes():
    table = pd.DataFrame({"no": [0.8, 0.2], "yes": [0.2, 0.8]})
    assert fit(proportions=table).predict([[2.0]]) == ["yes"]


def test_a_sliced_table_is_refused_with_the_reason():
    with pytest.raises(InvalidInput, match="slices"):
        fit(bags=[0, 1, 2, 3], proportions=[0.1, 0.2, 0.3])
