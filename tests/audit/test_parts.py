"""Folds and measures, each against something done by hand."""

import numpy as np
import pandas as pd
import pytest

from caveat.audit._folds import all_folds, row_bonds
from caveat.audit._models import measures_of
from caveat.audit._near_duplicates import near_copies
from caveat.audit._plan import _side_by_side
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
WORLD = {"folds": 4, "round": 0, "seed": 0}


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
    for train, test in all_folds(table, {**WORLD, "copies": True}):
        assert not set(table.copies[train]) & set(table.copies[test])


def test_no_group_is_on_both_sides(frame):
    table = table_of(frame, groups="who")
    world = {**WORLD, "groups": "who"}
    for train, test in all_folds(table, world):
        assert not set(frame["who"].iloc[train]) & set(frame["who"].iloc[test])


def test_later_rows_of_a_group_are_judged_without_its_earlier_ones(frame):
    mixed = frame.assign(who=np.arange(200) % 40)
    table = table_of(mixed, groups="who", time="when")
    for train, test in all_folds(table, {**WORLD, "groups": "who", "time": "when"}):
        assert not set(mixed["who"].iloc[train]) & set(mixed["who"].iloc[test])
        assert mixed["when"].iloc[train].max() < mixed["when"].iloc[test].min()


def test_near_copies_stay_in_one_fold(rng):
    X = rng.normal(size=(150, 5))
    both = np.vstack([X, X + 1e-3 * rng.normal(size=X.shape)])
    frame = pd.DataFrame(both, columns=list("abcde")).assign(
        y=np.tile(rng.choice(["no", "yes"], 150), 2)
    )
    for train, test in all_folds(table_of(frame), {**WORLD, "copies": True}):
        assert not set(train % 150) & set(test % 150)


def test_rows_that_merely_lie_close_are_no_copies(rng):
    frame = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    sets = near_copies(frame, dict.fromkeys("abcd", "numerical"))
    assert len(np.unique(sets)) > 290


def test_too_few_groups_are_refused(frame):
    table = table_of(frame.assign(who=1), groups="who")
    with pytest.raises(InvalidInput, match="1 groups for 4 folds"):
        all_folds(table, {**WORLD, "groups": "who"})


def test_later_rows_are_judged_by_earlier_ones(frame):
    table = table_of(frame, time="when")
    world = {**WORLD, "time": "when"}
    when = frame["when"]
    for train, test in all_folds(table, world):
        assert when.iloc[train].max() < when.iloc[test].min()
        assert len(train) >= 100


def test_measures_of_perfect_and_of_constant_answers(frame):
    table, rows = table_of(frame), np.arange(200)
    assert measures_of(table, rows, np.eye(2)[table.y])["auc"] == 1.0
    numbers = table_of(frame.assign(y=frame["x"]))
    constant = measures_of(numbers, rows, np.full(200, frame["x"].mean()))
    assert constant["r2"] == pytest.approx(0.0)
    assert constant["rmse"] == pytest.approx(frame["x"].std(ddof=0))
    assert constant["upper-half-auc"] == 0.5


def test_the_positive_class_can_be_named_and_must_be_there(frame):
    assert table_of(frame, positive="no").classes == ["yes", "no"]
    with pytest.raises(UnknownName, match="'maybe'"):
        table_of(frame, positive="maybe")


def test_weights_must_be_numbers_from_zero_up(frame):
    with pytest.raises(InvalidInput, match="numbers from 0 up"):
        table_of(frame.assign(w=-1.0), weights="w")


def test_copies_and_moments_bind_the_rows_of_a_step(frame):
    doubled = pd.concat([frame, frame], ignore_index=True)
    table = table_of(doubled, time="when")
    bonds = row_bonds(table, {**WORLD, "copies": True, "time": "when"})
    assert np.array_equal(bonds.groups[:200], bonds.groups[200:])
    assert np.array_equal(np.argsort(bonds.time[:200]), np.argsort(frame["when"]))
    assert not row_bonds(table, WORLD)


def test_boosting_beside_a_network_is_planned_to_stop_early():
    assert _side_by_side(["dummy", "lightgbm"]) == ["dummy", "lightgbm"]
    dummy, booster, network = _side_by_side(["dummy", "lightgbm", "mlp"])
    assert (dummy, network) == ("dummy", "mlp")
    assert booster == {"name": "lightgbm", "validation": 0.2, "n_estimators": 2000}
