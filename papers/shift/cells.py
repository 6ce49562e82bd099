"""Markdown tables, and the CSV files they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

HERE = Path(__file__).parent
CONSTANT = "constant answer"
MAIN = {"binary": "accuracy", "multiclass": "accuracy", "regression": "rmse"}


def read(name: str) -> pd.DataFrame:
    """Read a CSV file of this folder."""
    return pd.read_csv(HERE / name)


def grid(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Write a Markdown table."""
    lines = ["| " + " | ".join(map(str, header)) + " |"]
    lines.append("|" + "---|" * len(header))
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def number(value: float, places: int = 3) -> str:
    """Write a number, or a dash where there is none."""
    return "–" if pd.isna(value) else f"{value:.{places}f}"


def frame_grid(frame: pd.DataFrame, places: int = 3) -> str:
    """Write a frame with its index."""
    names = [name or "" for name in frame.index.names]
    whole = [pd.api.types.is_integer_dtype(kind) for kind in frame.dtypes]
    rows = []
    for key, values in frame.iterrows():
        keys = key if isinstance(key, tuple) else (key,)
        shown = [
            f"{value:.0f}" if is_whole else number(value, places)
            for value, is_whole in zip(values, whole, strict=True)
        ]
        rows.append([*keys, *shown])
    return grid([*names, *frame.columns], rows)


def main_rows(curves: pd.DataFrame) -> pd.DataFrame:
    """Keep the paper's measure of each task, mean imputation."""
    wanted = curves["task"].map(MAIN) == curves["measure"]
    return curves[wanted & (curves["imputation"] == "mean")]


def free(dataset: str, measure: str) -> float:
    """Mean score of the constant answer over the splits of a table."""
    rows = read("results-constant.csv")
    mine = (rows["dataset"] == dataset) & (rows["measure"] == measure)
    return float(rows[mine]["value"].mean())


def with_constant(curves: pd.DataFrame) -> pd.DataFrame:
    """Put a constant answer before the models: it has the same score at every k."""
    keys = ["dataset", "seed", "measure"]
    known = read("results-constant.csv").set_index(keys)["value"]
    rows = curves[curves["model"] == curves["model"].iloc[0]]
    values = known.reindex(pd.MultiIndex.from_frame(rows[keys])).to_numpy()
    rows = rows.assign(model=CONSTANT, value=values, gap=0.0)
    return pd.concat([rows[rows["value"].notna()], curves], ignore_index=True)


def interval(values: Iterable[float]) -> tuple[float, float]:
    """Give the mean of the splits and the half width of its 95 % interval."""
    found = np.asarray(list(values), dtype=float)
    if len(found) < 2:
        return float(found.mean()), np.nan
    half = stats.t.ppf(0.975, len(found) - 1) * found.std(ddof=1) / len(found) ** 0.5
    return float(found.mean()), float(half)
