"""Measure what the paper does not tell: its splits and its settings.

    python -m papers.shift.draws FOLDER [--only KIND ...]

Random scenario with all subsets, and the single one. Twenty splits with the defaults,
every point of the paper's tuning space on three splits (of XGBoost's 162, whose 10,000
to 30,000 rounds are slow, six drawn ones), and on six splits some readings of what the
paper's program does. Writes `results-draws.csv` beside this file, run by run, and goes
on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from caveat.models import make_model
from caveat.models.registry import MODELS as KNOWN
from caveat.shift import shift_curve
from caveat.tables import TableEncoder
from papers.shift.per_set import per_set
from papers.shift.run import MODELS, SEEDS, load, measures

FILE = Path(__file__).parent / "results-draws.csv"
KEY = ["kind", "dataset", "model", "seed", "settings"]
TABLES = ("iris", "heart", "concrete", "abalone")
WITH_CATEGORIES = ("heart", "abalone")
FEW = range(6)
STUMPS = {"n_estimators": 10_000, "learning_rate": 0.1}
DRAWN = {"xgboost": 6}
CODES: dict[str, Any] = {"categories": "ordinal", "scale": None, "impute": None}


class Kind(NamedTuple):
    """One way to fix what is not known, and the models, tables and splits it is for."""

    models: tuple[str, ...]
    tables: tuple[str, ...] = TABLES
    seeds: Sequence[int] = FEW
    settings: Mapping[str, dict[str, Any]] = MappingProxyType({})
    codes: bool = False
    per_set: bool = False


KINDS = {
    # The defaults of caveat.models.
    "defaults": Kind(("lightgbm", "xgboost", "catboost", "mlp"), seeds=range(20)),
    # The paper's tuning space.
    "space": Kind(("lightgbm", "catboost", "xgboost"), seeds=SEEDS),
    # What the program of the paper does if it is told nothing else.
    "released": Kind(
        ("xgboost", "mlp"),
        settings={
            "xgboost": {
                "max_depth": 1,
                "n_estimators": 10_000,
                "learning_rate": 0.01,
                "subsample": 0.5,
                "colsample_bytree": 0.5,
            },
            "mlp": {
                "hidden": (384, 384),
                "learning_rate": 3e-4,
                "batch_size": 1024,
                "max_iter": 3,
            },
        },
    ),
    # Sums of functions of one column, fitted to the end.
    "stumps": Kind(
        ("lightgbm", "xgboost"),
        settings={
            "lightgbm": {"num_leaves": 2, **STUMPS},
            "xgboost": {"max_depth": 1, **STUMPS},
        },
    ),
    # The program's integer codes, and its own numbers for every test set.
    "codes": Kind(("catboost",), WITH_CATEGORIES, codes=True),
    "per set": Kind(
        ("lightgbm", "xgboost", "catboost"),
        WITH_CATEGORIES,
        codes=True,
        per_set=True,
    ),
}


def main() -> None:
    """Measure what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=list(KINDS), choices=KINDS)
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=MODELS)
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=TABLES)
    arguments = parser.parse_args()
    done = set()
    if FILE.exists():
        done = set(pd.read_csv(FILE)[KEY].itertuples(index=False, name=None))
    for kind, seed, name, model, point in planned(arguments.only):
        if model not in arguments.models or name not in arguments.tables:
            continue
        key = (kind, name, MODELS[model], seed, json.dumps(point))
        if key not in done:
            table = load(arguments.folder, name)
            rows = measure(table, model, seed, KINDS[kind], point)
            rows = rows.assign(**dict(zip(KEY, key, strict=True)))
            rows[[*KEY, "k", "column", "value"]].to_csv(
                FILE,
                mode="a",
                header=not FILE.exists(),
                index=False,
                float_format="%.6g",
                lineterminator="\n",
            )


def planned(kinds: Sequence[str]) -> Iterator[tuple[str, int, str, str, Any]]:
    """List the runs: kind, seed of the split, table, model and settings."""
    for kind in kinds:
        models, tables, seeds, *_ = KINDS[kind]
        for model in models:
            # A setting is of use when all its splits are there.
            for point, name, seed in product(points(kind, model), tables, seeds):
                yield kind, seed, name, model, point


def points(kind: str, model: str) -> list[dict[str, Any]]:
    """List the settings that are measured."""
    if kind != "space":
        return [KINDS[kind].settings.get(model, {})]
    # XGBoost ignores the sixth, as the paper's program spells it.
    space = {k: v for k, v in KNOWN[model].space.items() if k != "min_child_weight"}
    every = [
        dict(zip(space, values, strict=True))
        for values in product(*(values["choice"] for values in space.values()))
    ]
    return random.Random(0).sample(every, DRAWN[model]) if model in DRAWN else every


def measure(
    table: tuple[pd.DataFrame, pd.Series, str],
    model: str,
    seed: int,
    kind: Kind,
    settings: dict[str, Any],
) -> pd.DataFrame:
    """Measure one split: by number of missing columns, and column by column."""
    X, y, task = table
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.2, random_state=seed
    )
    made = make_model(model, task, random_state=seed, **settings)
    if kind.codes:
        made = make_pipeline(TableEncoder(**CODES), made)
    fitted = made.fit(X_train, y_train)
    imputer: Any = "mean"
    if kind.per_set:
        X_test, imputer = per_set(X_train, X_test)
    parts = []
    for scenario in ("random", "single"):
        curve = shift_curve(
            fitted,
            X_train,
            y_train,
            X_test,
            y_test,
            scenario=scenario,
            metric=measures(task)[0],
            imputer=imputer,
            random_state=seed,
            task=task,
        )
        parts.append(curve.tidy())
    rows = pd.concat([parts[0].assign(column=""), parts[1][parts[1]["k"] == 1]])
    return rows


if __name__ == "__main__":
    main()
