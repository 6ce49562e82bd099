"""Reading a CSV file with every promise kept, against a bare pandas.read_csv.

Run: OMP_NUM_THREADS=1 python benchmarks/bench_csv.py [rows]
"""

from __future__ import annotations

import io
import sys
import time

import numpy as np
import pandas as pd

import caveat
from caveat.datasets.readers._csv import read_csv


def main() -> None:
    """Time both on a file without surprises, compare every number."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    print(
        f"caveat {caveat.__version__}, pandas {pd.__version__}, numpy {np.__version__}"
    )
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((rows, 15))).add_prefix("n")
    for j in range(4):
        frame[f"c{j}"] = np.array(["red", "green, dark", "blue"])[
            rng.integers(0, 3, rows)
        ]
    frame["t"] = rng.integers(0, 2, rows)
    data = frame.to_csv(index=False).encode()

    before = time.process_time()
    bare = pd.read_csv(io.BytesIO(data))
    bare_seconds = time.process_time() - before
    before = time.process_time()
    ours, _ = read_csv(data, "table.csv", labels=["t"])
    our_seconds = time.process_time() - before
    pd.testing.assert_frame_equal(ours, bare)
    print(f"{rows} rows x 20 columns, {len(data) / 2**20:.0f} MiB, same table")
    print(f"caveat {our_seconds:8.2f} s CPU")
    print(f"pandas {bare_seconds:8.2f} s CPU")
    print(f"ratio  {our_seconds / bare_seconds:8.2f}")


if __name__ == "__main__":
    main()
