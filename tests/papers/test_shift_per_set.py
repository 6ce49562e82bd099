"""The study's own program numbers the categories of each test set among themselves."""

import numpy as np
import pytest

from caveat.models import make_model
from caveat.shift import Stages, shift_curve
from papers.shift.per_set import per_set


def test_categories_numbered_per_set_always_become_the_first_one(mixed):
    X, y, X_test, y_test = mixed()
    X = X.assign(colour=np.where(X["colour"] == "blue", "red", X["colour"]))
    X.iloc[0, X.columns.get_loc("colour")] = "blue"
    model = make_model("lightgbm", n_estimators=9, min_data_in_leaf=3).fit(X, y)
    renamed, imputer = per_set(X, X_test)
    found = shift_curve(
        model,
        X,
        y,
        renamed,
        y_test,
        scenario=Stages({"colour": ["colour"]}),
        imputer=imputer,
    ).of()
    first = model.score(X_test.assign(colour="blue"), y_test)
    assert found["value"][1] == pytest.approx(first)
