"""Folds, measures and single columns, each against something done by hand."""

import numpy as np
import pandas as pd
import pytest

from caveat.audit._alone import levels_of, score_alone
from caveat.audit._columns import examine
from caveat.audit._folds import all_folds
from caveat.audit._score import auc_within, measures_of
from caveat.audit._table import make_table
from caveat.datasets import from_frame
from caveat.exceptions import InvalidInput, UnknownName

LOOK = {
    "aside": {},
    "dates": [],
    "groups": None,
    "time": None,
    "weights": None,
    "positive": None,
    "test": None,
    "seed": 0,
}
WORLD = {"by": "rows", "column": None, "folds": 4, "round": 0, "seed": 0}


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture
def frame(rng):
    return pd.DataFrame(
        {
            "x": rng.normal(size=200),
            "who": np.repeat(np.arange(50), 4),
            "when": rng.permutation(200),
            "w": rng.random(200),
            "y": rng.choice(["no", "yes"], 200, p=[0.8, 0.2]),
        }
    )


def table_of(frame, **look):
    return make_table(from_frame(frame, "y"), {**LOOK, **look})


def test_folds_hold_every_row_once_and_classes_in_their_shares(frame):
    table = table_of(frame)
    folds = all_folds(table, WORLD)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(200))
    shares = [table.y[test].mean() for _, test in folds]
    assert max(shares) - min(shares) <= 0.03
    assert all(not set(train) & set(test) for train, test in folds)


def test_copies_of_a_row_stay_in_one_fold(frame):
    doubled = pd.concat([frame, frame.head(20)], ignore_index=True)
    table = table_of(doubled)
    assert table.copied == 20
    for train, test in all_folds(table, WORLD):
        assert not set(table.copies[train]) & set(table.copies[test])


def test_no_group_is_on_both_sides(frame):
    table = table_of(frame, groups="who")
    world = {**WORLD, "by": "groups", "column": "who"}
    for train, test in all_folds(table, world):
        assert not set(frame["who"].iloc[train]) & set(frame["who"].iloc[test])


def test_too_few_groups_are_refused(frame):
    table = table_of(frame.assign(who=1), groups="who")
    with pytest.raises(InvalidInput, match="1 groups for 4 folds"):
        all_folds(table, {**WORLD, "by": "groups", "column": "who"})


def test_later_rows_are_judged_by_earlier_ones(frame):
    table = table_of(frame, time="when")
    world = {**WORLD, "by": "time", "column": "when"}
    when = frame["when"]
    for train, test in all_folds(table, world):
        assert when.iloc[train].max() < when.iloc[test].min()
        assert len(train) >= 100


def test_within_levels_only_pairs_of_one_level_count(rng):
    levels = rng.integers(0, 2, 200)
    codes = (rng.random(200) < 0.1 + 0.8 * levels).astype(int)
    scores = levels.astype(float)
    assert auc_within(codes, scores, None, np.zeros(200, dtype=int)) > 0.8
    assert auc_within(codes, scores, None, levels) == 0.5


def test_measures_of_perfect_and_of_constant_answers(frame):
    table, rows = table_of(frame), np.arange(200)
    assert measures_of(table, rows, np.eye(2)[table.y])["auc"] == 1.0
    numbers = table_of(frame.assign(y=frame["x"]))
    constant = measures_of(numbers, rows, np.full(200, frame["x"].mean()))
    assert constant["r2"] == pytest.approx(0.0)
    assert constant["rmse"] == pytest.approx(frame["x"].std(ddof=0))
    assert constant["upper-half-auc"] == 0.5


def test_a_column_alone_is_judged_on_other_rows(rng):
    y = rng.integers(0, 2, 900)
    noise = pd.Series(rng.integers(0, 400, 900).astype(str))
    alone = score_alone(levels_of(noise, True), y, regression=False, seed=0)
    assert 0.4 < alone < 0.6
    both_ends = pd.Series(np.where(y == 1, rng.choice([-2, 2], 900), 0.0))
    told = score_alone(levels_of(both_ends, False), y, regression=False, seed=0)
    assert told > 0.99


def test_gaps_that_go_with_the_target_are_seen_and_others_not(rng, frame):
    yes = (frame["y"] == "yes").to_numpy()
    often = rng.random(200) < np.where(yes, 0.6, 0.1)
    evenly = rng.random(200) < 0.3
    table = table_of(
        frame.assign(
            a=np.where(often, np.nan, 1.0 * frame["x"]),
            b=np.where(evenly, np.nan, 1.0 * frame["x"]),
        )
    )
    _, columns, _ = examine(table, LOOK)
    p = {row["column"]: row["gap_p"] for row in columns}
    assert p["a"] < 1e-6 < 0.01 < p["b"]


def test_rows_that_contradict_one_another_are_counted():
    frame = pd.DataFrame({"x": [1, 1, 2, 2, 3] * 8, "y": ["a", "b", "a", "a", "b"] * 8})
    facts, _, classes = examine(table_of(frame), LOOK)
    assert (facts["copies"], facts["contradictions"]) == (36, 16)
    assert [row["rows"] for row in classes] == [24, 16]


def test_the_positive_class_can_be_named_and_must_be_there(frame):
    assert table_of(frame, positive="no").classes == ["yes", "no"]
    with pytest.raises(UnknownName, match="'maybe'"):
        table_of(frame, positive="maybe")


def test_weights_must_be_numbers_from_zero_up(frame):
    with pytest.raises(InvalidInput, match="numbers from 0 up"):
        table_of(frame.assign(w=-1.0), weights="w")
