"""Measure the curves of the settings that the paper's tuning chooses from.

    python docs/reproduction/feature-shift/space.py FOLDER

Which settings were chosen for the published values is not known, only the space: all
36 points of LightGBM, all 27 of CatBoost, and 6 drawn ones of XGBoost's 486, whose
10,000 to 30,000 rounds are slow. Random scenario, all subsets, seeds 42 to 44. Writes
`results-space.csv` beside this file, row by row, and goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
from run import MODELS, SEEDS, load
from spread import measure

FILE = Path(__file__).parent / "results-space.csv"
SPACE: dict[str, dict[str, list[Any]]] = {
    "lightgbm": {
        "num_leaves": [31, 127],
        "learning_rate": [0.01, 0.1],
        "min_data_in_leaf": [20, 50, 100],
        "min_sum_hessian_in_leaf": [1e-3, 1e-2, 1e-1],
    },
    "catboost": {
        "learning_rate": [0.01, 0.05, 0.1],
        "depth": [4, 6, 8],
        "iterations": [500, 1000, 2000],
    },
    "xgboost": {
        "learning_rate": [0.01, 0.1],
        "max_depth": [1, 5, 9],
        "n_estimators": [10_000, 20_000, 30_000],
        "subsample": [0.5, 0.8, 1.0],
        "colsample_bytree": [0.5, 0.8, 1.0],
    },
}
DRAWN = {"xgboost": 6}


def points(model: str) -> list[dict[str, Any]]:
    """List the settings of a model that are measured."""
    names = list(SPACE[model])
    every = [
        dict(zip(names, values, strict=True))
        for values in product(*SPACE[model].values())
    ]
    if model in DRAWN:
        return random.Random(0).sample(every, DRAWN[model])
    return every


def main() -> None:
    """Measure what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", nargs="*", default=list(SPACE), choices=SPACE)
    parser.add_argument(
        "--tables", nargs="*", default=["iris", "heart", "concrete", "abalone"]
    )
    arguments = parser.parse_args()
    done = set()
    if FILE.exists():
        columns = ["dataset", "model", "settings", "seed"]
        done = set(pd.read_csv(FILE)[columns].itertuples(index=False, name=None))
    for name, model in product(arguments.tables, arguments.models):
        table = load(arguments.folder, name)
        for point, seed in product(points(model), SEEDS):
            settings = json.dumps(point)
            if (name, MODELS[model], settings, seed) in done:
                continue
            rows = measure(table, model, seed, **point)
            rows.insert(0, "dataset", name)
            rows.insert(2, "settings", settings)
            rows.to_csv(
                FILE,
                mode="a",
                header=not FILE.exists(),
                index=False,
                float_format="%.6g",
                lineterminator="\n",
            )


if __name__ == "__main__":
    main()
