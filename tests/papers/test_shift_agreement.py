"""How well ways to measure importance agree: Table 2 of the feature-shift paper."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from caveat.exceptions import InvalidInput
from caveat.shift import feature_importance
from papers.shift.agreement import importance_agreement


def test_agreement_is_kendalls_tau_of_absolute_importance(mixed):
    tables = {str(seed): mixed(seed=seed)[:2] for seed in (0, 1)}
    found = importance_agreement(tables, ["pearson", "eta", "mutual-info"])
    X, y = tables["0"]
    expected = kendalltau(
        feature_importance(X, y, "pearson").abs(), feature_importance(X, y, "eta")
    ).statistic
    assert found.matrices["0"].loc["pearson", "eta"] == pytest.approx(expected)
    assert np.allclose(np.diag(found.mean), 1)
    row = found.mean.loc["pearson", ["eta", "mutual-info"]].mean()
    assert found.overall["pearson"] == pytest.approx(row)


def test_agreement_needs_two_methods_and_a_table(mixed):
    with pytest.raises(InvalidInput, match="at least two"):
        importance_agreement({"a": mixed()[:2]}, ["pearson"])
    with pytest.raises(InvalidInput, match="empty"):
        importance_agreement({}, ["pearson", "eta"])


def test_agreement_is_not_defined_where_all_columns_are_alike():
    X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = importance_agreement({"d": (X, [0, 0, 1, 1])}, ["pearson", "eta"])
    assert found.mean.isna().all(axis=None)
