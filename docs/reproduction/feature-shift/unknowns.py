"""Ask whether the unknown splits and settings explain the published tree values."""

from __future__ import annotations

from itertools import combinations

import pandas as pd
from cells import grid, main_rows, number, read

TREES = ("LightGBM", "XGBoost", "CatBoost")
SPREAD = {"iris": 0.05, "heart": 0.03}


def unknown_section(curves: pd.DataFrame) -> str:
    """Choose three of our nine splits, or settings of the paper's space, in turn."""
    splits, settings = _splits(curves), read("results-space.csv")
    header = [
        "table",
        "model",
        "best three of nine splits",
        "best settings",
        "k within the spread of one of them",
    ]
    rows = []
    for dataset, model in _pairs():
        target = published(dataset, model)
        by_split = triples(_of(splits, dataset, model))
        by_setting = tuned(_of(settings, dataset, model))
        both = pd.concat([by_split, by_setting])
        rows.append(
            [
                dataset,
                model,
                _best(by_split, target, dataset),
                _best(by_setting, target, dataset),
                _attained(both, target, dataset),
            ]
        )
    return grid(header, rows)


def nearest_settings(dataset: str, model: str) -> tuple[float, str]:
    """Find the settings of the paper's space that come nearest, and how near."""
    ours = tuned(_of(read("results-space.csv"), dataset, model))
    worst = (ours - published(dataset, model)).abs().max(axis=1)
    return float(worst.min()), str(worst.idxmin())


def triples(splits: pd.DataFrame) -> pd.DataFrame:
    """Average every three splits: one row for three splits, one column for a k."""
    by_seed = splits.pivot_table(index="seed", columns="k", values="value")
    chosen = combinations(by_seed.index, 3)
    return pd.DataFrame([by_seed.loc[list(three)].mean() for three in chosen])


def tuned(settings: pd.DataFrame) -> pd.DataFrame:
    """Average the three splits of every setting that all of them have."""
    seeds = settings.groupby("settings")["seed"].transform("nunique")
    whole = settings[seeds == 3]
    return whole.pivot_table(index="settings", columns="k", values="value")


def _best(ours: pd.DataFrame, target: pd.Series, dataset: str) -> str:
    """Say how near the nearest curve is, and at how many k it is within the spread."""
    if ours.empty:
        return "not run"
    off = (ours - target).abs()
    nearest = off.loc[off.max(axis=1).idxmin()]
    words = f"{number(nearest.max())} (of {len(ours)})"
    if dataset in SPREAD:
        met = (nearest <= SPREAD[dataset]).sum()
        words += f", {met} of {len(target)} k"
    return words


def _attained(ours: pd.DataFrame, target: pd.Series, dataset: str) -> str:
    """Count the k at which some curve is within the spread of the published one."""
    if dataset not in SPREAD:
        return "–"
    near = ((ours - target).abs() <= SPREAD[dataset]).any()
    return f"{near.sum()} of {len(target)}"


def _splits(curves: pd.DataFrame) -> pd.DataFrame:
    mean = main_rows(curves)
    mean = mean[mean["scenario"] == "random"]
    columns = ["dataset", "model", "seed", "k", "value"]
    return pd.concat([mean[columns], read("results-spread.csv")[columns]])


def _pairs() -> list[tuple[str, str]]:
    names = read("published-random.csv")["dataset"].unique()
    return [(dataset, model) for dataset in names for model in TREES]


def _of(rows: pd.DataFrame, dataset: str, model: str) -> pd.DataFrame:
    return rows[(rows["dataset"] == dataset) & (rows["model"] == model)]


def published(dataset: str, model: str) -> pd.Series:
    """Give the published random scenario of a model, by number of missing columns."""
    rows = _of(read("published-random.csv"), dataset, model)
    return rows[rows["measure"] != "auc"].set_index("k")["value"]
