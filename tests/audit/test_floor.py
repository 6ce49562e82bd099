"""The floor: four ways without learning, and one p-value for the furthest."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from caveat.audit._floor import _Judge, floor_of, levels_of
from caveat.audit._folds import all_folds
from caveat.audit._table import make_table
from caveat.datasets import from_frame

LOOK = {"aside": {}, "dates": [], "test": None, "seed": 0}
WORLD = {"folds": 4, "round": 0, "seed": 0}


def measured(frame, shuffles=40):
    table = make_table(from_frame(frame, "y"), LOOK)
    row, curves = floor_of(table, all_folds(table, WORLD), shuffles=shuffles, seed=0)
    found = pd.DataFrame(curves["floor"])
    return row, found.groupby(["way", "column"])["value"].mean()


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.thorough
def test_a_column_that_tells_the_target_is_the_floor_though_it_has_two_values(rng):
    y = rng.integers(0, 2, 200)
    frame = pd.DataFrame({"a": rng.normal(size=200), "told": y, "y": y})
    row, found = measured(frame)
    assert found["column", "told"] == 1.0
    assert found["constant", ""] == 0.5
    assert row["fact.p_value"] == pytest.approx(1 / 41)


@pytest.mark.thorough
def test_noise_is_no_floor_however_many_columns_there_are(rng):
    frame = pd.DataFrame(rng.normal(size=(160, 30))).rename(columns="x{}".format)
    row, _ = measured(frame.assign(y=rng.integers(0, 2, 160)))
    assert row["fact.p_value"] > 0.05


@pytest.mark.thorough
def test_copies_make_the_nearest_row_the_floor(rng):
    X = rng.normal(size=(120, 6))
    y = rng.integers(0, 2, 120)
    both = pd.DataFrame(np.vstack([X, X + 0.01])).rename(columns="x{}".format)
    _, found = measured(both.assign(y=np.tile(y, 2)))
    assert found["nearest", ""] > 0.75 > found["column"].max()


def test_numbers_have_a_floor_in_their_own_unit(rng):
    x = rng.normal(size=200)
    frame = pd.DataFrame({"a": x, "b": rng.normal(size=200), "y": 3 * x + 0.3})
    _, found = measured(frame)
    assert found["column", "a"] < 0.5 * found["constant", ""]


def test_the_auc_of_levels_is_that_of_their_means(rng):
    y = rng.integers(0, 2, 300).astype(float)
    levels = levels_of(pd.Series(y + rng.normal(size=300)), False)
    train, test = np.arange(200), np.arange(200, 300)
    judge = _Judge(y, True, 0, 0)
    found = judge.by_level(levels, [(train, test)])[0, -1]
    sums = np.bincount(levels[train], y[train], minlength=levels.max() + 1)
    sizes = np.bincount(levels[train], minlength=levels.max() + 1)
    means = (sums + y[train].mean()) / (sizes + 1)
    assert found == pytest.approx(roc_auc_score(y[test], means[levels[test]]), abs=0.01)
