"""A teacher that knows the test labels flatters a model; without columns it is mute."""

import numpy as np
import pandas as pd
import pytest

from caveat.models import make_model
from papers.shift.leaked_teacher import score_both_ways


@pytest.mark.thorough
def test_the_teacher_flatters_and_nothing_gone_by_labels_is_half():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    y = (X["a"] + 1.5 * rng.normal(size=300) > 0).astype(int)
    model = make_model("logistic-regression", "binary").fit(X[:150], y[:150])
    found = score_both_ways(
        model, X[:150], X[150:], y[150:], degrees=[0, 1, 2], subsets=2
    ).set_index(["measure", "k"])
    auc = found.loc["auc"]
    assert auc.loc[0, "teacher"] > auc.loc[0, "labels"]
    assert auc.loc[2, "labels"] == 0.5
    assert np.isnan(auc.loc[2, "teacher"])
