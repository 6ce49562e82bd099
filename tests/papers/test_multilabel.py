"""Wu & Zhou (2017): printed tables, the rules behind them, and what comes out."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from caveat.datasets import load, read
from caveat.exceptions import CaveatError
from caveat.multilabel import GFM
from papers.multilabel.experiments import (
    DecisionGFM,
    benchmark_rows,
    break_ties_by_index,
    free_rows,
    index_values,
    scale_all_rows,
    synthetic_rows,
)
from papers.multilabel.page_free import best_free
from papers.multilabel.published import published_benchmark, published_synthetic
from papers.multilabel.synthetic import make_sectors

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def test_the_scores_of_the_printed_gfm_are_its_decisions():
    data = load("tags")
    X, Y = data.X.to_numpy(), data.Y.to_numpy()
    chosen = GFM().fit(X, Y).predict(X)
    np.testing.assert_array_equal(DecisionGFM().fit(X, Y).decision_function(X), chosen)


def test_the_synthetic_square_has_four_sectors():
    X, Y = make_sectors(1000, random_state=0)
    x, y = X.T
    np.testing.assert_array_equal(Y[x > np.abs(y)].mean(axis=0), [1, 0, 0, 0])
    np.testing.assert_array_equal(Y[y > np.abs(x)].mean(axis=0), [1, 1, 1, 0])
    np.testing.assert_array_equal(Y[-x > np.abs(y)].mean(axis=0), [0, 1, 0, 1])
    np.testing.assert_array_equal(Y[-y > np.abs(x)].mean(axis=0), [1, 1, 1, 1])
    assert (np.abs(X) < 1).all()
    again, _ = make_sectors(1000, random_state=0)
    np.testing.assert_array_equal(X, again)
    with pytest.raises(CaveatError):
        make_sectors(0)


def test_published_tables_are_read_as_printed():
    table = published_benchmark().set_index(["dataset", "method", "measure"])
    assert table.loc[("cal500", "br", "coverage"), "mean"] == 143.025
    assert table.loc[("medical", "limo", "micro_auc"), "std"] == 0.006
    ranks = (
        table["mean"]
        .unstack("method")
        .drop(index=("cal500", "hamming_loss"))
        .rank(axis=1)
    )
    assert ranks.notna().all().all()
    assert len(published_synthetic()) == 33


def test_positional_ties_rank_the_higher_index_higher():
    S = np.array([[0.5, 0.5, 0.1], [0.5, 0.2, 0.1]])
    np.testing.assert_array_equal(
        break_ties_by_index(S, "labels"), [[0, 1, 0], [1, 0, 1]]
    )
    np.testing.assert_array_equal(
        break_ties_by_index(S, "matrix"), [[3, 5, 0], [4, 2, 1]]
    )
    found = index_values([[1, 0, 0], [0, 1, 0]], S)
    assert found["coverage"] == 1.0
    assert found["one_error"] == 0.5


def test_the_benchmark_reports_every_rule():
    data = load("tags")
    X, Y = scale_all_rows(data.X), data.Y.to_numpy()
    train, test = np.arange(200), np.arange(200, 300)
    rows = benchmark_rows("limo", X, Y, train, test)
    rules = {(row["measure"], row["rule"]) for row in rows}
    assert ("macro_f1", "oracle") in rules
    assert ("micro_auc", "index") in rules
    by_rule = {(row["measure"], row["rule"]): row["value"] for row in rows}
    assert by_rule["macro_f1", "oracle"] >= by_rule["macro_f1", "per-label"]
    with pytest.raises(CaveatError, match="method of the paper"):
        benchmark_rows("svm", X, Y, train, test)


@pytest.mark.thorough
def test_the_synthetic_experiment_shows_each_margin_at_its_own_measures():
    rows = synthetic_rows(0, max_iter=3000)
    value = {(r["method"], r["measure"], r["rule"]): r["value"] for r in rows}
    assert len(value) == 3 * (7 + 8)
    assert (
        value["limo-label", "ranking_loss", "half"]
        < value["limo-inst", "ranking_loss", "half"]
    )
    assert value["limo", "micro_auc", "half"] > value["limo-label", "micro_auc", "half"]


DATA = Path(__file__).parents[2].parent / "shared/data/multi-label"


@pytest.mark.slow
@pytest.mark.skipif(
    not DATA.exists(), reason="needs the data folder beside the checkout"
)
def test_br_knn_and_gfm_reproduce_their_printed_rows_on_cal500():
    data = read(DATA / "CAL500.arff")
    X, Y = scale_all_rows(data.X), data.Y.to_numpy()
    lines = (DATA / "CAL500.splits.csv").read_text().split()
    printed = published_benchmark().query("dataset == 'cal500'")
    printed = printed.set_index(["method", "measure"])["mean"]
    totals: dict = {}
    for repeat, line in enumerate(lines):
        order = np.array(line.split(","), int)
        for method in ("br", "ml-knn", "gfm"):
            rows = benchmark_rows(
                method, X, Y, order[151:], order[:151], random_state=repeat
            )
            for row in rows:
                key = method, row["measure"], row["rule"]
                totals[key] = totals.get(key, 0.0) + row["value"] / len(lines)
    for (method, measure, rule), value in totals.items():
        tolerance = 1.1 if measure == "coverage" else 0.0075
        near = abs(value - printed[method, measure]) < tolerance
        assert near or (method, rule) in {("gfm", "half"), ("ml-knn", "index")}


def test_what_is_free_reads_no_feature_and_the_best_of_it_is_the_floor():
    Y = np.array([[1, 0, 0], [1, 1, 0]] * 10)
    rows = pd.DataFrame(free_rows(Y, np.arange(10), np.arange(10, 20)))
    assert set(rows["method"]) == {"popularity", "every label", "no label"}
    best = best_free(rows, [])
    # No label is wrong in 1.5 of 3 places, every label too; popularity takes the first
    # two labels for everybody and errs in every second row, once.
    assert best.loc["hamming_loss", "method"] == "popularity"
    assert best.loc["hamming_loss", "mean"] == pytest.approx(1 / 6)
    assert best.loc["macro_auc", "mean"] == 0.5
    assert best.loc["macro_f1", "mean"] == pytest.approx((1 + 2 / 3) / 3)
