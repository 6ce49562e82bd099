"""One reader: what a column is for, and which class is positive."""

import numpy as np
import pandas as pd
import pytest

from caveat.datasets import as_dates, column_role, given, is_date, load, positive_class
from caveat.exceptions import UnknownName

ROWS = 40
rng = np.random.default_rng(0)


def table():
    return pd.DataFrame(
        {
            "row": range(ROWS),
            "file": [f"scan-{n}.png" for n in range(ROWS)],
            "day": pd.date_range("2024-01-01", periods=ROWS).strftime("%d.%m.%Y"),
            "note": [
                f"the patient came in the morning, number {n}" for n in range(ROWS)
            ],
            "site": "north",
            "nothing": np.nan,
            "age": rng.normal(size=ROWS).round(3),
            "sex": rng.choice(["f", "m"], ROWS),
            "sick": ["yes", "no", "no", "no"] * (ROWS // 4),
        }
    )


def test_columns_that_name_or_date_rows_are_left_out_and_listed():
    found = given(table(), target="sick")
    assert list(found.X.columns) == ["age", "sex"]
    assert found.left_out == {
        "row": "identifier",
        "file": "identifier",
        "day": "date",
        "note": "free text",
        "site": "constant",
        "nothing": "empty",
    }


def test_a_column_can_be_kept():
    found = given(table(), target="sick", keep=["day"])
    assert list(found.X.columns) == ["day", "age", "sex"]
    with pytest.raises(UnknownName):
        given(table(), target="sick", keep=["dya"])


def test_a_file_and_its_table_are_read_alike(tmp_path):
    file = tmp_path / "t.csv"
    table().to_csv(file, index=False)
    one, other = given(file, target="sick"), given(table(), target="sick")
    assert list(one.X.columns) == list(other.X.columns)
    assert one.left_out == other.left_out


def test_a_known_data_set_and_a_table_of_names_alone_stay_as_they_are():
    iris = load("iris")
    assert given(iris) is iris
    only = table()[["row", "sick"]]
    assert list(given(only, target="sick").X.columns) == ["row"]


@pytest.mark.parametrize(
    "written",
    [
        *("2024-01-31", "31.01.2024", "01/31/2024", "31 Jan 2024", "Jan 31, 2024"),
        *("2024-01-31T10:00:00Z", "2024-01"),
    ],
)
def test_dates_are_known_in_common_forms(written):
    column = pd.Series([written] * 3)
    assert is_date(column)
    assert as_dates(column).dt.year.eq(2024).all()


@pytest.mark.parametrize("words", ["A-12-B", "red", "3.5", "10", "v1.2.3"])
def test_codes_and_numbers_are_no_dates(words):
    assert not is_date(pd.Series([words] * 3))


def test_few_rows_differ_by_chance_and_are_no_names():
    assert column_role(pd.Series(["a", "b", "c"]), "categorical") == ""


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (["no", "yes", "yes"], "yes"),
        (["No", "Yes", "Yes"], "Yes"),
        ([0, 1, 1], 1),
        ([True, True, False], True),
        (["good", "good", "bad"], "bad"),
        (["a", "b"], "b"),
        (["1", "2", "2"], "1"),
    ],
)
def test_the_positive_class_reads_as_yes_or_is_the_rarer_one(labels, positive):
    assert positive_class(pd.Series(labels)) == positive


def test_the_positive_class_can_be_chosen():
    assert positive_class(pd.Series([0, 1]), "0") == 0
    with pytest.raises(UnknownName, match="no class is called '2'"):
        positive_class(pd.Series([0, 1]), "2")


def test_numbers_are_dates_if_written_or_named_as_such():
    days = pd.Series([20240101 + day for day in range(20)], name="x")
    assert is_date(days)
    assert as_dates(days).dt.day.tolist() == list(range(1, 21))
    seconds = pd.Series(range(1_700_000_000, 1_700_000_020), name="created_at")
    assert is_date(seconds)
    assert as_dates(seconds).dt.year.eq(2023).all()
    assert not is_date(seconds.rename("phone"))
    assert not is_date(pd.Series(range(20240190, 20240210), name="x"))
    assert not is_date(pd.Series([0.5, 1.5], name="time"))


def test_the_day_comes_first_where_it_can_only_be_read_so():
    assert as_dates(pd.Series(["03.02.2024", "28.02.2024"])).dt.month.eq(2).all()
    assert as_dates(pd.Series(["02/03/2024", "02/28/2024"])).dt.month.eq(2).all()
