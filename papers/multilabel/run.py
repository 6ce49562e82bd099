"""Run the experiments of Wu & Zhou (2017) again, and add to the tables.

Every finished split is written at once, so the script can be stopped and started
again at any time; what is in the tables is not run twice.

    python -m papers.multilabel.run --data FOLDER

FOLDER holds CAL500.arff, CAL500.xml, CAL500.splits.csv (the authors' ten
permutations, one per line) and medical.arff. Without --data the data sets come from
the local data folder (`caveat data fetch cal500 medical`), and splits are drawn here.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat.datasets import load, read
from papers.multilabel.experiments import (
    LIMO_WEIGHTS,
    benchmark_rows,
    free_rows,
    scale_all_rows,
    synthetic_rows,
)
from papers.multilabel.published import PAPER_METHODS
from papers.multilabel.synthetic import make_sectors

HERE = Path(__file__).parent
BENCHMARK = HERE / "benchmark.csv"
SYNTHETIC = HERE / "synthetic.csv"
FILES = {"cal500": "CAL500.arff", "medical": "medical.arff"}
REPEATS = 10


def main() -> None:
    """Read the options and run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with the ARFF files")
    data = parser.parse_args().data
    run_synthetic()
    for name in FILES:
        run_benchmark(name, data)


def run_synthetic() -> None:
    """Tables B.1 and B.2: ten draws of the square, two lengths of training."""
    done = known(SYNTHETIC, ["repeat", "iterations"])
    for repeat in range(REPEATS):
        # What is free takes no iteration.
        if (repeat, 0) not in done:
            _, Y = make_sectors(2000, random_state=repeat)
            rows = free_rows(Y, np.arange(1000), np.arange(1000, 2000))
            keys = {"repeat": repeat, "iterations": 0}
            append(SYNTHETIC, [{**keys, **row} for row in rows])
    for iterations in (2_000, 20_000):
        for repeat in range(REPEATS):
            if (repeat, iterations) in done:
                continue
            rows = synthetic_rows(repeat, max_iter=iterations)
            keys = {"repeat": repeat, "iterations": iterations}
            append(SYNTHETIC, [{**keys, **row} for row in rows])


def run_benchmark(name: str, data: Path | None) -> None:
    """Table B.3: ten splits, six methods, and LIMO with other draws and lengths."""
    dataset = load(name) if data is None else read(data / FILES[name])
    X, Y = scale_all_rows(dataset.X.to_numpy(dtype=float)), dataset.Y.to_numpy(int)
    done = known(BENCHMARK, ["dataset", "repeat", "method", "sampling", "passes"])
    methods = [(method, "paper", 10) for method in PAPER_METHODS]
    methods += [
        (method, sampling, passes)
        for method in LIMO_WEIGHTS
        for sampling, passes in (("code", 10), ("paper", 30), ("code", 30))
    ]
    for repeat, order in enumerate(permutations(name, len(X), data)):
        count = round(0.3 * len(X))
        test, train = order[:count], order[count:]
        add_free(name, repeat, Y, (train, test), done)
        for method, sampling, passes in methods:
            keys = {
                "dataset": name,
                "repeat": repeat,
                "method": method,
                "sampling": sampling,
                "passes": passes,
            }
            if tuple(keys.values()) in done:
                continue
            rows = benchmark_rows(
                method,
                X,
                Y,
                train,
                test,
                sampling=sampling,
                n_passes=passes,
                random_state=repeat,
            )
            append(BENCHMARK, [{**keys, **row} for row in rows])


def add_free(name: str, repeat: int, Y: Any, split: Any, done: set[Any]) -> None:
    """Add what looks at no feature, as far as a split lacks it."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in free_rows(Y, *split):
        found.setdefault(row["method"], []).append(row)
    for method, rows in found.items():
        keys = {
            "dataset": name,
            "repeat": repeat,
            "method": method,
            "sampling": "paper",
            "passes": 10,
        }
        if tuple(keys.values()) not in done:
            append(BENCHMARK, [{**keys, **row} for row in rows])


def permutations(name: str, rows: int, data: Path | None) -> list[Any]:
    """Give the authors' permutations where they are known, else seeded ones."""
    path = None if data is None else data / f"{Path(FILES[name]).stem}.splits.csv"
    if path is not None and path.exists():
        return [np.array(line.split(","), int) for line in path.read_text().split()]
    return [np.random.default_rng(repeat).permutation(rows) for repeat in range(10)]


def known(path: Path, columns: list[str]) -> set[tuple[Any, ...]]:
    """List what a table holds already."""
    if not path.exists():
        return set()
    return set(pd.read_csv(path)[columns].itertuples(index=False, name=None))


def append(path: Path, rows: list[dict[str, Any]]) -> None:
    """Add rows to a table; a whole split or none of it."""
    frame = pd.DataFrame(rows)
    frame["value"] = frame["value"].round(6)
    frame.to_csv(path, mode="a", header=not path.exists(), index=False)


if __name__ == "__main__":
    main()
