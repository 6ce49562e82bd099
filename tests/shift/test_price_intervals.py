"""Intervals of a price hold what they promise, where the true price is known.

`benchmarks/shift_coverage.py` does it at full size. Here a fixed model whose true price
is exactly 0 is simulated 60 times: intervals that cover 95 % cover fewer than 50 times
with a chance of 0.0002; intervals of half the width (they cover 67 %) would pass with a
chance of 0.004.
"""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from caveat import measures
from caveat.datasets import given
from caveat.shift.prices._folds import make_folds
from caveat.shift.prices._prices import ALL
from caveat.shift.prices._resampling import Resampling
from caveat.statistics import split_interval

PATH = Path(__file__).resolve().parents[2] / "benchmarks/shift_coverage.py"


@pytest.mark.thorough
def test_the_price_0_is_covered_and_rarely_called_real():
    spec = importlib.util.spec_from_file_location("shift_coverage", PATH)
    coverage = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(coverage)
    rng = np.random.default_rng(1)
    lean = 0.4
    even = math.tan(2 * math.atan(lean))
    hits = real = 0
    for _ in range(60):
        book = coverage.fixed(even, lean, 300, rng)
        key = ("it", coverage.GONE.words, "mean")
        one = book.loss(("it", ALL, ""), key).estimate("")
        hits += one.low <= 0 <= one.high
        real += one.low > 0
    assert hits >= 50
    assert real <= 9


def test_rows_alone_are_the_bootstrap_and_splits_that_differ_widen_it():
    rng = np.random.default_rng(0)
    draws = rng.normal(0.2, 0.01, size=(2000, 5))
    calm = split_interval([0.2] * 5, draws, test_share=0.25)
    together = draws.mean(axis=1)
    assert calm.low == pytest.approx(np.quantile(together, 0.025), abs=1e-3)
    assert calm.high == pytest.approx(np.quantile(together, 0.975), abs=1e-3)
    apart = split_interval([0.1, 0.15, 0.2, 0.25, 0.3], draws, test_share=0.25)
    assert apart.high - apart.low > 4 * (calm.high - calm.low)


def test_the_interval_stays_inside_the_range():
    draws = np.clip(np.random.default_rng(0).normal(0.98, 0.03, (500, 3)), 0, 1)
    found = split_interval([0.97, 0.99, 0.98], draws, test_share=0.25, range=(0, 1))
    assert 0 <= found.low < found.mean < found.high <= 1


def test_few_rows_have_wider_intervals_and_corrected_ones_too():
    draws = np.random.default_rng(0).normal(0, 1, size=(1000, 1))
    widths = [
        (lambda one: one.high - one.low)(split_interval([0.0], draws, **settings))
        for settings in ({}, {"rows": 8}, {"confidence": 0.999})
    ]
    assert widths[0] < widths[1]
    assert widths[0] < widths[2]


def test_a_perfect_score_is_not_certain():
    found = split_interval([1.0], np.ones((100, 1)), rows=30, range=(0, 1))
    assert found.high == 1
    assert 0.8 < found.low < 1


def test_an_undefined_number_has_no_interval():
    draws = np.full((100, 2), np.nan)
    assert math.isnan(split_interval([0.5, np.nan], draws).low)


def test_the_pairs_of_an_auc_count_once():
    """Two AUCs that hardly differ: the variance is that of 300 fresh tables.

    A bootstrap alone has 1.7 times that. The standard error of the ratio is 0.08, so
    it would pass once in a thousand runs.
    """
    rng = np.random.default_rng(0)
    auc, n = measures.get("auc"), 60
    truth = np.repeat([0, 1], n // 2)
    resampling = Resampling(np.arange(n), [np.arange(n)], seed=0)
    found, estimated, bootstrapped = [], [], []
    for _ in range(300):
        one = truth + rng.normal(size=n)
        other = one + 0.1 * rng.normal(size=n)
        stack = np.stack([np.column_stack([-score, score]) for score in (one, other)])
        values, draws, bends = resampling.measure(auc, truth, stack, 0, most=300)
        left, right = (
            resampling.score(auc, [values[k]], [draws[:, k]], [bends[:, k]])
            for k in (0, 1)
        )
        loss = left - right
        interval = split_interval(loss.values, loss.draws, bends=loss.bends)
        found.append(loss.value)
        estimated.append(interval.se**2)
        bootstrapped.append(loss.draws.var())
    assert np.mean(estimated) / np.var(found) == pytest.approx(1, abs=0.25)
    assert np.mean(bootstrapped) / np.var(found) > 1.4


def test_a_number_of_rows_has_no_bends_and_a_straight_one_keeps_its_interval():
    draws = np.random.default_rng(0).normal(0.2, 0.01, size=(500, 3))
    plain = split_interval([0.2] * 3, draws, test_share=0.25)
    straight = split_interval(
        [0.2] * 3, draws, bends=np.zeros_like(draws), test_share=0.25
    )
    assert (straight.low, straight.high) == pytest.approx((plain.low, plain.high))
    truth = np.array([0, 1, 1])
    stack = np.eye(2)[None, truth]
    resampling = Resampling(np.arange(3), [np.arange(3)], seed=0)
    assert resampling.measure(measures.get("accuracy"), truth, stack, 0)[2] is None


@pytest.mark.parametrize("groups", [None, "site"])
def test_a_sample_of_the_rows_is_all_there_is_to_an_interval(groups):
    """The share that is tested is that of the rows used, not of the whole file."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(2000, 2)), columns=["a", "b"])
    table["site"] = rng.integers(100, size=2000)
    table["y"] = np.where(table["a"] > 0, "yes", "no")
    folds, units, _ = make_folds(
        given(table, target="y", keep=["site"]), repeats=3, max_rows=200, groups=groups
    )
    drawn = Resampling(units, [fold.rows for fold in folds], 0)
    assert len(units) == 200
    assert drawn.test_share == pytest.approx(0.25, abs=0.08)
    # Every row tested is one of the sample, under the number that it has there.
    numbers = {n: y for f in folds for n, y in zip(f.rows, f.y_test.index, strict=True)}
    assert len(set(numbers.values())) == len(numbers) == drawn.rows
