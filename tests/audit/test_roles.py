"""What a first look finds in a table, and what it leaves alone."""

import numpy as np
import pandas as pd
import pytest

from caveat.audit._roles import names_rows, outline
from caveat.datasets._kinds import detect_kinds

ROWS = 400


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def y(rng):
    return pd.Series(rng.integers(0, 2, ROWS), name="y")


def look(frame, **asked):
    return outline(frame, detect_kinds(frame), **asked)


def test_columns_that_describe_nothing_are_set_aside(rng):
    frame = pd.DataFrame(
        {
            "account_id": rng.permutation(ROWS) + 7_000,
            "code": [f"k{i:05d}" for i in range(ROWS)],
            "always": 3.0,
            "never": np.nan,
            "remark": [f"the {i}th customer wrote a whole letter" for i in range(ROWS)],
            "x": rng.normal(size=ROWS),
        }
    )
    assert look(frame).aside == {
        "account_id": "identifier",
        "code": "identifier",
        "always": "constant",
        "never": "empty",
        "remark": "free text",
    }


def test_what_is_kept_by_hand_stays(rng):
    frame = pd.DataFrame({"row_id": range(ROWS), "x": rng.normal(size=ROWS)})
    assert look(frame, keep=["row_id"]).aside == {}


def test_amounts_are_no_identifiers_though_they_differ(rng, y):
    frame = pd.DataFrame({"income": rng.permutation(10**6)[:ROWS], "x": 1.0 * y})
    assert "income" not in look(frame).aside


def test_dates_in_text_are_found_tell_the_time_and_are_no_features(rng):
    days = pd.date_range("2020-01-31", periods=ROWS).strftime("%d.%m.%Y")
    frame = pd.DataFrame({"opened": days, "x": rng.normal(size=ROWS)})
    found = look(frame)
    assert (found.dates, found.clock) == (["opened"], "opened")
    assert found.aside == {"opened": "date"}


@pytest.mark.parametrize(
    "words", [["a-1-x", "b-2-y"], ["10-20", "30-40"], ["yes", "no"]]
)
def test_words_and_ranges_are_no_dates(rng, words):
    frame = pd.DataFrame({"c": rng.choice(words, ROWS), "x": rng.normal(size=ROWS)})
    assert look(frame).dates == []


def test_a_target_that_names_rows_is_no_target(rng):
    assert names_rows(pd.Series([f"k{i}" for i in range(ROWS)]), "multiclass")
    assert names_rows(pd.Series(rng.permutation(ROWS)), "regression")
    assert not names_rows(pd.Series(rng.normal(size=ROWS)), "regression")
    assert not names_rows(pd.Series(rng.choice(["a", "b"], ROWS)), "binary")
