"""What a first look finds in a table, and what it leaves alone."""

import numpy as np
import pandas as pd
import pytest

from caveat.audit._outline import outline
from caveat.datasets._kinds import detect_kinds

ROWS = 400


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def y(rng):
    return pd.Series(rng.integers(0, 2, ROWS), name="y")


def look(frame, y, **asked):
    return outline(frame, y, detect_kinds(frame), regression=False, **asked)


def test_columns_that_describe_nothing_are_set_aside(rng, y):
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
    assert look(frame, y).aside == {
        "account_id": "identifier",
        "code": "identifier",
        "always": "constant",
        "never": "empty",
        "remark": "free text",
    }


def test_what_is_kept_by_hand_stays(rng, y):
    frame = pd.DataFrame({"row_id": range(ROWS), "x": rng.normal(size=ROWS)})
    assert look(frame, y, keep=["row_id"]).aside == {}


def test_amounts_are_no_identifiers_though_they_differ(rng, y):
    frame = pd.DataFrame({"income": rng.permutation(10**6)[:ROWS], "x": 1.0 * y})
    assert "income" not in look(frame, y).aside


def test_dates_in_text_are_found_and_tell_the_time(rng, y):
    days = pd.date_range("2020-01-31", periods=ROWS).strftime("%d.%m.%Y")
    frame = pd.DataFrame({"opened": days, "x": rng.normal(size=ROWS)})
    found = look(frame, y)
    assert (found.dates, found.clock) == (["opened"], "opened")


@pytest.mark.parametrize(
    "words", [["a-1-x", "b-2-y"], ["10-20", "30-40"], ["yes", "no"]]
)
def test_words_and_ranges_are_no_dates(rng, y, words):
    frame = pd.DataFrame({"c": rng.choice(words, ROWS), "x": rng.normal(size=ROWS)})
    assert look(frame, y).dates == []


def test_rows_of_one_owner_are_found_by_their_target(rng):
    who = np.repeat(rng.permutation(900)[:80], 5)
    y = pd.Series(rng.integers(0, 2, 80)).repeat(5).reset_index(drop=True)
    frame = pd.DataFrame({"station": who, "x": rng.normal(size=ROWS)})
    assert look(frame, y).owner == "station"
    mixed = pd.Series(rng.permutation(y))
    assert look(frame, mixed).owner is None


def test_a_default_value_is_no_owner(rng):
    y = pd.Series(rng.integers(0, 2, ROWS))
    cholesterol = np.where(y == 1, 0, rng.integers(100, 300, ROWS))
    frame = pd.DataFrame({"cholesterol": cholesterol, "x": rng.normal(size=ROWS)})
    assert look(frame, y).owner is None


def test_columns_of_few_levels_are_strata(rng, y):
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], ROWS),
            "city": rng.choice([f"c{i}" for i in range(60)], ROWS),
            "x": rng.normal(size=ROWS),
        }
    )
    assert look(frame, y).strata == ["sex"]
