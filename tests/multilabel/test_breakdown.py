"""Breakdowns: their means are the measures."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from caveat.datasets import read
from caveat.exceptions import InvalidInput
from caveat.multilabel import (
    describe,
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


def test_a_description_counts_what_papers_count():
    rng = np.random.default_rng(0)
    truth = (rng.random((200, 9)) < 0.3).astype(int)
    truth[:, 8], truth[0] = 0, 0
    truth[:3, 7], truth[3:, 7] = 1, 0
    found = describe(pd.DataFrame(truth, columns=list("abcdefghi")))
    assert found["cardinality"] == truth.sum() / 200
    assert found["density"] == pytest.approx(truth.mean())
    assert found["distinct_sets"] == len(np.unique(truth, axis=0))
    assert found["constant_labels"] == ["i"]
    assert found["rare_labels"] == ["h", "i"]
    assert found["empty_rows"] == int((truth.sum(axis=1) == 0).sum())


DATA = Path(__file__).parents[2].parent / "shared/data/multi-label"
KNOWN = {
    "CAL500": (502, 174, 26.044, 0.150, 502),
    "emotions": (593, 6, 1.868, 0.311, 27),
    "medical": (978, 45, 1.245, 0.028, 94),
}


@pytest.mark.thorough
@pytest.mark.skipif(
    not DATA.exists(), reason="needs the data folder beside the checkout"
)
@pytest.mark.parametrize("name", KNOWN)
def test_the_benchmarks_have_their_published_statistics(name):
    found = describe(read(DATA / f"{name}.arff").Y)
    m, n_labels, cardinality, density, sets = KNOWN[name]
    assert (found["instances"], found["labels"]) == (m, n_labels)
    assert found["cardinality"] == pytest.approx(cardinality, abs=5e-4)
    assert found["density"] == pytest.approx(density, abs=5e-4)
    assert found["distinct_sets"] == sets
