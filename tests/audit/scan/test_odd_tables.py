"""Tables that are small, empty in places or strange: a scan ends, in plain numbers."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from caveat.audit.scan import scan
from caveat.datasets import from_frame

RNG = np.random.default_rng(0)
N = 60
ODD = {
    "infinite": np.full(N, np.inf),
    "some infinite": np.where(np.arange(N) % 7, RNG.normal(size=N), -np.inf),
    "empty": np.full(N, np.nan),
    "nearly empty": np.where(np.arange(N) == 3, 1.0, np.nan),
    "constant": np.ones(N),
    "huge": RNG.normal(size=N) * 1e300,
    "flags": RNG.random(N) < 0.5,
    "nullable": pd.array([None, 1, 2] * (N // 3), dtype="Int64"),
    "moments": pd.date_range("2024-01-01", periods=N, tz="Europe/Madrid"),
    "spans": pd.to_timedelta(np.arange(N), unit="D"),
    "levels": pd.Categorical(["a", "b", None] * (N // 3)),
    "mixed": ["a", 1, None, 2.5, "b", True] * (N // 6),
    "texts": [f"word{i % 9} and word{i % 4} number {i}" for i in range(N)],
    "same text": ["x"] * N,
}
TARGETS = {
    "two": np.arange(N) % 2,
    "rare": (np.arange(N) < 2).astype(int),
    "words": np.array(["n", "y", "?"])[np.arange(N) % 3],
    "many": [f"c{i % 25}" for i in range(N)],
    "amounts": RNG.normal(size=N),
    "skewed": np.exp(5 * RNG.normal(size=N)),
}


@pytest.mark.thorough
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rows", [4, N])
def test_odd_columns_end_in_plain_numbers(target, rows):
    table = pd.DataFrame({**ODD, "y": TARGETS[target]}).iloc[:rows]
    table["y"] = table["y"] if table["y"].nunique() > 1 else [0, 1] * (rows // 2)
    found = scan(from_frame(table, "y"))
    assert len(found.columns) == len(ODD)
    for one in found.findings:
        assert type(one.size) is float
        assert one.number is None or math.isfinite(one.number), one
        assert one.low is None or one.low <= one.number <= one.high, one


@pytest.mark.parametrize("column", ODD)
def test_a_table_of_one_odd_column_is_scanned(column):
    table = pd.DataFrame({column: ODD[column], "y": TARGETS["two"]})
    assert list(scan(from_frame(table, "y")).columns["column"]) == [column]


@pytest.mark.parametrize("positives", [1, 5, 75])
def test_nothing_but_names_of_rows_or_next_to_no_positives_is_scanned(positives):
    y = (np.arange(150) < positives).astype(int)
    table = pd.DataFrame({"id": np.arange(150)[::-1] % 149 + 7, "y": np.roll(y, 3)})
    assert len(scan(from_frame(table, "y")).columns) == 1
    table["a"] = np.sin(np.arange(150.0))
    assert len(scan(from_frame(table, "y")).columns) == 2
