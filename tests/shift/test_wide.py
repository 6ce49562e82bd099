"""Tables with hundreds of columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

from caveat.exceptions import InvalidInput
from caveat.shift import Single, look, shift_curve


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(45, 220)), columns=[f"c{i}" for i in range(220)])
    y = (X["c7"] + X["c200"] > 0).astype(int)
    return X[:35], y[:35], X[35:], y[35:]


def test_two_hundred_and_twenty_columns_are_no_obstacle(wide):
    model = LogisticRegression(max_iter=300).fit(*wide[:2])
    curve = shift_curve(
        model, *wide, degrees=[1, 110, 219], max_subsets=70, random_state=0
    )
    rows = curve.of()
    assert rows["n_possible"].iloc[2] > 10**60
    assert rows["n_subsets"].tolist() == [1, 70, 70, 70]
    assert (rows["se"].iloc[1:] > 0).all()


@pytest.mark.thorough
def test_trees_with_many_columns_are_walked_through(wide):
    model = ExtraTreesClassifier(5, random_state=0).fit(*wide[:2])
    settings = {"degrees": [150], "max_subsets": 30, "random_state": 0}
    fast, slow = (
        shift_curve(model, *wide, fast=way, **settings) for way in (True, False)
    )
    assert fast.fast
    pd.testing.assert_frame_equal(fast.table, slow.table)


def test_at_least_one_column_must_be_taken():
    with pytest.raises(InvalidInput, match="most"):
        Single(most=0)


def test_every_split_prices_the_same_columns():
    """What correlates most differs between splits; a price needs all of them."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 46)), columns=[f"c{i}" for i in range(46)])
    table = X.assign(y=(X["c0"] + rng.normal(size=120) > 0).astype(int))
    how = {"models": ["logistic-regression"], "imputers": ["mean"], "repeats": 3}
    seen = look(table, "y", protect=0.05, costs={"c1": 2.0, "c45": 3.0}, **how)
    assert len(seen.extra["columns_at_risk"]) == 40
    assert len(seen.extra["pairs"]) == 15 * 14 / 2
    parts = {one.name: one for one in seen.sections}
    assert "any one other that was priced" in str(parts["protect"].heading.words)
    words = "Priced were the 40 of 46 columns"
    assert words in str(parts["protect"].lead)
    assert words in str(parts["columns"].blocks[0].conditions)
