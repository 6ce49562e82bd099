"""Measure how far the mean of three splits is from another mean of three.

    python docs/reproduction/feature-shift/spread.py FOLDER

The seeds of the published values are not known, so that they can be met only as far
as two means of three splits agree. Six further splits show how far that is: writes
`results-spread.csv` beside this file, row by row, and goes on where it stopped.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd
from run import MODELS, load, measures
from sklearn.model_selection import train_test_split

from caveat.models import make_model
from caveat.shift import shift_curve

FILE = Path(__file__).parent / "results-spread.csv"
SPLITS = range(6)
TREES = ("lightgbm", "xgboost", "catboost")


def main() -> None:
    """Measure what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    done = set()
    if FILE.exists():
        columns = ["dataset", "model", "seed"]
        done = set(pd.read_csv(FILE)[columns].itertuples(index=False, name=None))
    for seed in SPLITS:
        for name in ("iris", "concrete", "abalone", "heart"):
            table = load(folder, name)
            for model in TREES:
                if (name, MODELS[model], seed) not in done:
                    rows = measure(table, model, seed)
                    rows.insert(0, "dataset", name)
                    rows.to_csv(
                        FILE,
                        mode="a",
                        header=not FILE.exists(),
                        index=False,
                        float_format="%.6g",
                        lineterminator="\n",
                    )


def measure(
    table: tuple[pd.DataFrame, pd.Series, str], model: str, seed: int, **settings: Any
) -> pd.DataFrame:
    """Measure the random scenario of one split, all subsets."""
    X, y, task = table
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.2, random_state=seed
    )
    made = make_model(model, task, random_state=seed, **settings)
    fitted = made.fit(X_train, y_train)
    curve = shift_curve(
        fitted,
        X_train,
        y_train,
        X_test,
        y_test,
        metric=measures(task)[0],
        random_state=seed,
        task=task,
    )
    rows = curve.of()[["k", "value"]]
    return rows.assign(model=MODELS[model], seed=seed)[["model", "seed", "k", "value"]]


if __name__ == "__main__":
    main()
