"""Measure the feature-shift results of this folder again.

    python -m papers.shift.run FOLDER

FOLDER holds iris.csv, heart.csv, abalone.csv, concrete.csv, penguins.csv and
eyemovements.csv, as the data registry of caveat describes them. What is measured is
kept in `parts`, one file for a table, seed and model, so that a run that was cut off
goes on where it stopped; when all are there, `results-*.csv` are written beside this
file and ``page.py`` turns them into the page.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import pandas as pd
from sklearn.model_selection import train_test_split

from caveat.models import make_model
from caveat.shift import (
    HEART_STAGES,
    Stages,
    feature_importance,
    shift_curve,
    upper_bound,
)
from papers.shift.agreement import importance_agreement

HERE = Path(__file__).parent
PARTS = HERE / "parts"
SEEDS = (42, 43, 44)
TABLES = {
    "iris": ("Species", "multiclass"),
    "heart": ("HeartDisease", "binary"),
    "abalone": ("Age", "regression"),
    "concrete": ("csMPa", "regression"),
    "penguins": ("species", "multiclass"),
    "eyemovements": ("label", "multiclass"),
}
MODELS = {
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "catboost": "CatBoost",
    "mlp": "MLP",
    "linear": "linear",
    "random-forest": "random forest",
    "extra-trees": "ExtraTrees",
    "hist-gradient-boosting": "HistGradientBoosting",
}
IMPUTERS = ("mean", "random", "native", "median", "gaussian", "knn", "iterative")
# Those look at every row anew: their means are taken to within a tolerance.
SLOW = ("gaussian", "knn", "iterative")


def tolerance(name: str, imputer: str) -> float | None:
    """All subsets where there are few; 27 columns have too many."""
    return 0.01 if name == "eyemovements" or imputer in SLOW else None


def load(folder: Path, name: str) -> tuple[pd.DataFrame, pd.Series, str]:
    """Read one table; penguins without the year, as in the paper."""
    target, task = TABLES[name]
    table = pd.read_csv(folder / f"{name}.csv")
    if name == "penguins":
        table = table.drop(columns="year")
    return table.drop(columns=target), table[target], task


def make(model: str, task: str, seed: int) -> object:
    """Make a model with the defaults of caveat."""
    if model == "linear":
        model = "ridge" if task == "regression" else "logistic-regression"
    return make_model(model, task, random_state=seed)


def measures(task: str) -> list[str]:
    """Name the measures: the paper's, and calibration."""
    return ["rmse"] if task == "regression" else ["accuracy", "auc", "ece", "log-loss"]


def main() -> None:
    """Run everything that is not there yet and write the CSV files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=list(TABLES))
    arguments = parser.parse_args()
    PARTS.mkdir(exist_ok=True)
    for name in arguments.only:
        table = load(arguments.folder, name)
        for seed in seeds(name):
            for model in models(name):
                if not (PARTS / f"{name}-{seed}-{model}-runtime.csv").exists():
                    measure(name, table, seed, model)
    collect()
    agreement(arguments.folder)
    shares(arguments.folder)
    constants(arguments.folder)


def seeds(name: str) -> tuple[int, ...]:
    """Three splits; one of the largest table."""
    return SEEDS[:1] if name == "eyemovements" else SEEDS


def models(name: str) -> list[str]:
    """All models; the slowest of them not on the largest table."""
    slow = "hist-gradient-boosting" if name == "eyemovements" else ""
    return [model for model in MODELS if model != slow]


def measure(
    name: str, table: tuple[pd.DataFrame, pd.Series, str], seed: int, model: str
) -> None:
    """Put one model of one split through all scenarios."""
    X, y, task = table
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.2, random_state=seed
    )
    split = (X_train, y_train, X_test, y_test)
    started = time.perf_counter()
    fitted = make(model, task, seed).fit(X_train, y_train)  # type: ignore[attr-defined]
    labels = {"dataset": name, "task": task, "model": MODELS[model], "seed": seed}
    runs = {**labels, "fit_seconds": time.perf_counter() - started}
    curves = []
    for scenario, imputer in cases(name):
        started = time.perf_counter()
        curve = shift_curve(
            fitted,
            *split,
            scenario=scenario,
            imputer=imputer,
            tolerance=tolerance(name, imputer),
            metric=measures(task),
            random_state=seed,
            task=task,
        )
        curves.append(curve.tidy(**labels).drop(columns="mask"))
        if scenario == "random" and imputer == "mean":
            runs["predict_seconds"] = time.perf_counter() - started
            runs["rows_masked"] = curve.rows_masked
    stem = f"{name}-{seed}-{model}"
    save(pd.concat(curves), PARTS / f"{stem}-curves.csv")
    if model in ("lightgbm", "linear") and name != "eyemovements":
        found = upper_bound(
            fitted,
            *split,
            metric=measures(task)[:1],
            max_subsets=5,
            random_state=seed,
            task=task,
        )
        save(found.drop(columns="mask").assign(**labels), PARTS / f"{stem}-upper.csv")
    save(pd.DataFrame([runs]), PARTS / f"{stem}-runtime.csv")  # last: all is done


def cases(name: str) -> list[tuple[object, str]]:
    """List what is measured: four scenarios, and on heart all imputers and stages."""
    found: list[tuple[object, str]] = [
        (scenario, "mean") for scenario in ("random", "single", "most", "least")
    ]
    if name == "heart":
        found += [("random", imputer) for imputer in IMPUTERS[1:]]
        found.append((Stages(HEART_STAGES), "mean"))
        found.append((Stages(HEART_STAGES, cumulative=True), "mean"))
    return found


def save(frame: pd.DataFrame, path: Path) -> None:
    """Write a CSV file with six digits."""
    frame.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")


def collect() -> None:
    """Join the parts of all tables to one file each."""
    for kind in ("curves", "upper", "runtime"):
        parts = [
            PARTS / f"{name}-{seed}-{model}-{kind}.csv"
            for name in TABLES
            for seed in seeds(name)
            for model in models(name)
        ]
        frames = [pd.read_csv(path) for path in parts if path.exists()]
        save(pd.concat(frames), HERE / f"results-{kind}.csv")


def agreement(folder: Path) -> None:
    """Compare the ways to measure importance on training rows, and on all rows."""
    rows, matrices = [], {}
    for name in TABLES:
        X, y, task = load(folder, name)
        matrices[name] = (X, y)
        found = feature_importance(X, y, task=task)
        rows += [
            {"dataset": name, "column": column, "importance": value}
            for column, value in found.items()
        ]
    save(pd.DataFrame(rows), HERE / "results-importance.csv")
    found = importance_agreement(matrices)
    long = found.mean.rename_axis("method").reset_index()
    save(long.assign(overall=found.overall.to_numpy()), HERE / "results-agreement.csv")


def shares(folder: Path) -> None:
    """Count the classes of the test parts: what a constant answer can score."""
    rows = []
    for name in ("iris", "heart"):
        X, y, _ = load(folder, name)
        for seed in SEEDS:
            _, _, _, y_test = train_test_split(X, y, test_size=0.2, random_state=seed)
            rows += [
                {"dataset": name, "seed": seed, "class": label, "share": share}
                for label, share in y_test.value_counts(normalize=True).items()
            ]
    save(pd.DataFrame(rows), HERE / "results-shares.csv")


def constants(folder: Path) -> None:
    """Score the constant answer learnt from the training part of every split."""
    rows = []
    for name in TABLES:
        X, y, task = load(folder, name)
        for seed in seeds(name):
            _, _, train, test = train_test_split(X, y, test_size=0.2, random_state=seed)
            if task == "regression":
                found = {"rmse": float(((test - train.mean()) ** 2).mean() ** 0.5)}
            else:
                known = train.value_counts(normalize=True)
                right = float((test == known.index[0]).mean())
                off = abs(right - known.iloc[0])
                found = {"accuracy": right, "auc": 0.5, "ece": off}
            rows += [
                {"dataset": name, "seed": seed, "measure": measure, "value": value}
                for measure, value in found.items()
            ]
    save(pd.DataFrame(rows), HERE / "results-constant.csv")


if __name__ == "__main__":
    main()
