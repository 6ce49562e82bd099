"""Raw values that stand for columns: means, modes, and types that survive."""

import numpy as np
import pandas as pd
import pytest

from caveat.exceptions import InvalidInput, UnknownName
from caveat.tables import ConstantImputer, column_constants, replace_columns


def table():
    return pd.DataFrame(
        {
            "age": [20, 30, 40, 90],
            "size": [1.5, np.nan, 2.5, 2.5],
            "sex": ["m", "f", "m", "f"],
            "fit": [True, False, True, True],
            "grade": pd.Categorical(["b", "a", "b", "b"], ["a", "b", "c"]),
        }
    )


@pytest.mark.parametrize(
    ("strategy", "age", "size"),
    [
        ("mean", 45.0, 6.5 / 3),
        ("median", 35.0, 2.5),
        ("mode", 20.0, 2.5),
        ("zero", 0, 0),
    ],
)
def test_numbers_by_strategy_others_by_their_mode(strategy, age, size):
    found = column_constants(table(), strategy)
    assert found["age"] == age
    assert found["size"] == pytest.approx(size)
    assert (found["sex"], found["fit"], found["grade"]) == ("f", True, "b")


def test_a_column_without_any_value_has_none():
    found = column_constants(pd.DataFrame({"a": [np.nan], "b": [None]}))
    assert np.isnan(found["a"])
    assert np.isnan(found["b"])


def test_kinds_can_be_told():
    found = column_constants(table(), kinds={"age": "categorical", "not there": "x"})
    assert found["age"] == 20


def test_an_unknown_strategy_is_refused():
    with pytest.raises(InvalidInput, match="'knn'"):
        column_constants(table(), "knn")


def test_replaced_columns_keep_their_type_where_it_can_hold_the_value():
    constants = column_constants(table(), "mode")
    replaced = replace_columns(table(), constants)
    assert replaced.dtypes.to_dict() == table().dtypes.to_dict()
    assert replaced.nunique().tolist() == [1] * 5


def test_a_broken_number_turns_a_whole_column_into_floats():
    replaced = replace_columns(table(), {"age": 45.5}, ["age"])
    assert replaced["age"].tolist() == [45.5] * 4
    assert table()["age"].dtype == np.int64


def test_other_columns_are_untouched_and_so_is_the_table():
    frame = table()
    replaced = replace_columns(frame, column_constants(frame), ["sex"])
    pd.testing.assert_frame_equal(
        replaced.drop(columns="sex"), frame.drop(columns="sex")
    )
    pd.testing.assert_frame_equal(frame, table())


def test_a_vanished_column_comes_back_at_its_place():
    constants = column_constants(table())
    replaced = replace_columns(table().drop(columns="size"), constants, ["size"])
    assert list(replaced.columns) == list(table().columns)


def test_missing_values_can_be_put_in():
    gone = dict.fromkeys(table().columns, np.nan)
    replaced = replace_columns(table(), gone)
    assert replaced.isna().all().all()


def test_a_new_level_joins_a_categorical():
    replaced = replace_columns(table(), {"grade": "z"})
    assert replaced["grade"].tolist() == ["z"] * 4


def test_a_column_without_a_value_to_put_in_is_named():
    with pytest.raises(UnknownName, match="did you mean 'age'"):
        replace_columns(table(), {"age": 1}, ["aeg"])


def test_dates_come_back_as_dates():
    frame = pd.DataFrame({"d": pd.to_datetime(["2020-01-01", "2020-01-03"])})
    replaced = replace_columns(frame, column_constants(frame))
    assert replaced["d"].tolist() == [pd.Timestamp("2020-01-02")] * 2


def test_the_imputer_fills_gaps_and_nothing_else():
    frame = table()
    frame.loc[1, "sex"] = None
    filled = ConstantImputer("median").fit(table()).transform(frame)
    assert filled["size"].tolist() == [1.5, 2.5, 2.5, 2.5]
    assert filled["sex"].tolist() == ["m", "f", "m", "f"]
    assert filled["age"].dtype == np.int64


def test_the_imputer_refuses_a_column_it_cannot_fill():
    with pytest.raises(InvalidInput, match="'a' have no value"):
        ConstantImputer().fit(pd.DataFrame({"a": [np.nan], "b": [1]}))
