"""Kinds of columns are detected from types, never from how few values there are."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from caveat.datasets import load
from caveat.exceptions import InvalidInput, UnknownName
from caveat.tables import column_kind, detect_kinds


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 1], "numerical"),
        ([0.5, None], "numerical"),
        (np.array([1, 2], dtype=">i4"), "numerical"),
        (np.array([1, 2], dtype=np.float16), "numerical"),
        (pd.array([1, None], dtype="Int64"), "numerical"),
        (pd.arrays.SparseArray([0, 0, 1]), "numerical"),
        (pd.Series([1, 2.5, None], dtype=object), "numerical"),
        ([decimal.Decimal("1.5"), None], "numerical"),
        (pd.to_datetime(["2020-01-01"]), "numerical"),
        ([datetime.date(2020, 1, 1)], "numerical"),
        (pd.to_timedelta([1], unit="D"), "numerical"),
        ([True, False], "boolean"),
        (pd.array([True, None], dtype="boolean"), "boolean"),
        (pd.Series([True, None], dtype=object), "boolean"),
        (["a", None], "categorical"),
        (pd.Categorical([1, 2]), "categorical"),
        (pd.Categorical([True, False]), "categorical"),
        ([1, "a"], "categorical"),
        ([1, True, None], "categorical"),
        ([None, None], "numerical"),
    ],
)
def test_the_kind_of_a_column(values, kind):
    assert column_kind(pd.Series(values)) == kind


@pytest.mark.parametrize(
    "values", [[[1], [2]], [{"a": 1}], [b"bytes"], [1j, 2j], [(1, 2), "a"]]
)
def test_cells_that_are_no_single_value_are_refused_by_column(values):
    with pytest.raises(InvalidInput, match="'x'"):
        column_kind(pd.Series(values, name="x"))


def test_you_may_know_better():
    kinds = detect_kinds(pd.DataFrame({"code": [1, 2]}), {"code": "categorical"})
    assert kinds == {"code": "categorical"}


def test_an_override_for_no_column_names_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'code'"):
        detect_kinds(pd.DataFrame({"code": [1]}), {"cod": "numerical"})


def test_a_made_up_table_has_all_three_kinds():
    assert set(load("lending").kinds.values()) == {
        "numerical",
        "categorical",
        "boolean",
    }
