"""Breakdowns: their means are the measures."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from caveat.exceptions import InvalidInput
from caveat.multilabel import (
    evaluate,
    instance_margins,
    label_margins,
    per_instance,
    per_label,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(0)
    Y = (rng.random((30, 5)) < 0.3).astype(int)
    Y[:, 4] = 0
    S = np.round(Y + rng.normal(size=Y.shape), 1)
    frame = pd.DataFrame(Y, columns=list("abcde"), index=[f"r{i}" for i in range(30)])
    return frame, S, (S > 0.5).astype(int)


def test_label_values_average_to_the_macro_measures(case):
    Y, S, H = case
    table = per_label(Y, S, H)
    result = evaluate(Y, S, H)
    assert table["auc"].mean() == pytest.approx(result["macro_auc"])
    assert table["f1"].mean() == pytest.approx(result["macro_f1"])
    assert table.loc["a", "auc"] == pytest.approx(roc_auc_score(Y["a"], S[:, 0]))
    assert np.isnan(table.loc["e", "auc"])
    assert table.loc["b", "recall"] == (Y["b"] & H[:, 1]).sum() / Y["b"].sum()
    np.testing.assert_allclose(table["margin"], instance_margins(Y, S))


def test_instance_values_average_to_the_instance_measures(case):
    Y, S, H = case
    table = per_instance(Y, S, H)
    result = evaluate(Y, S, H)
    assert list(table.index) == list(Y.index)
    for column, name in [
        ("ranking_loss", "ranking_loss"), ("one_error", "one_error"),
        ("coverage", "coverage"), ("average_precision", "average_precision"),
        ("auc", "instance_auc"), ("f1", "instance_f1"),
        ("hamming_loss", "hamming_loss"),
    ]:  # fmt: skip
        assert table[column].mean() == pytest.approx(result[name])
    np.testing.assert_allclose(table["margin"], label_margins(Y, S))


def test_scores_or_decisions_alone_give_their_columns_only(case):
    Y, S, H = case
    assert "f1" not in per_label(Y, S)
    assert "auc" not in per_instance(Y, decisions=H)


@pytest.mark.parametrize("table", [per_label, per_instance])
def test_one_of_both_must_be_given(case, table):
    with pytest.raises(InvalidInput, match="neither"):
        table(case[0])
