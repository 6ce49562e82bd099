"""Encoding a large table: caveat's TableEncoder against scikit-learn's own parts.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_tables.py [rows]
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pandas as pd
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import caveat
from caveat.tables import TableEncoder


def table(rows: int) -> pd.DataFrame:
    """Draw 12 columns of numbers with gaps and 8 of text."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        rng.standard_normal((rows, 12)), columns=[f"n{j}" for j in range(12)]
    )
    frame.iloc[::17, :3] = np.nan
    for j in range(8):
        words = np.array([f"level {k}" for k in range(5 + j)])
        frame[f"c{j}"] = words[rng.integers(0, len(words), rows)]
    return frame


def theirs() -> ColumnTransformer:
    """Build the same encoding from scikit-learn's parts."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return ColumnTransformer(
        [
            ("numbers", numbers, [f"n{j}" for j in range(12)]),
            ("text", OneHotEncoder(sparse_output=False), [f"c{j}" for j in range(8)]),
        ]
    )


def timed(encoder: object, frame: pd.DataFrame) -> tuple[np.ndarray, float]:
    """Fit and transform; give the result and the seconds of CPU."""
    before = time.process_time()
    result = encoder.fit(frame).transform(frame)  # type: ignore[attr-defined]
    return result, time.process_time() - before


def main() -> None:
    """Time both, compare every number."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(
        f"caveat {caveat.__version__}, scikit-learn {sklearn.__version__}, "
        f"pandas {pd.__version__}, numpy {np.__version__}"
    )
    frame = table(rows)
    ours, our_seconds = timed(TableEncoder(), frame)
    others, their_seconds = timed(theirs(), frame)
    np.testing.assert_allclose(ours, others, rtol=1e-9, atol=1e-9)
    print(f"{rows} rows x 20 columns -> {ours.shape[1]} columns, same numbers")
    print(f"caveat       {our_seconds:8.2f} s CPU")
    print(f"scikit-learn {their_seconds:8.2f} s CPU")
    print(f"ratio        {their_seconds / our_seconds:8.2f}")


if __name__ == "__main__":
    main()
