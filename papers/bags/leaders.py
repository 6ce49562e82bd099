"""Who leads on a data set, by executions that learners share; undecided if nobody does.

    python -m papers.bags.leaders FOLDER

reads the published executions (``adult-small-published-runs.parquet`` in FOLDER) and
writes who leads among them. Executions with one number divide the items alike for all
learners, so two learners are compared pair by pair: the mean F1 over strategies of the
one less that of the other.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

TABLE = Path(__file__).with_name("published_leaders.csv")
LEVEL = 0.05
FEWEST = 3


def leaders(runs: pd.DataFrame) -> pd.DataFrame:
    """Give a row per data set: who is ahead of the next, by how much, if decided.

    The one with the highest mean is held against each of the others, at a level that is
    shared among them (Bonferroni): it leads if every interval is above 0.
    """
    rows = []
    for dataset, part in runs.groupby("dataset", sort=True):
        wide = part.pivot_table(index="execution", columns="learner", values="f1")
        rows.append({"dataset": dataset, **_compared(wide.dropna())})
    return pd.DataFrame(rows)


def _compared(wide: pd.DataFrame) -> dict[str, Any]:
    means = wide.mean().sort_values(ascending=False)
    found = {"first": means.index[0], "executions": len(wide), "leads": False}
    if len(wide) < FEWEST:
        return found
    gaps = wide[[means.index[0]]].to_numpy() - wide[means.index[1:]].to_numpy()
    t = stats.t.isf(LEVEL / 2 / gaps.shape[1], len(gaps) - 1)
    half = t * gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps))
    low, high = gaps.mean(axis=0) - half, gaps.mean(axis=0) + half
    ends = {"gap": gaps[:, 0].mean(), "low": low[0], "high": high[0]}
    rounded = {name: round(float(value), 4) for name, value in ends.items()}
    return {**found, **rounded, "leads": bool((low > 0).all())}


def side_by_side(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """Give several fields of learners beside each other, and the count of leads."""
    lines = [
        "| data set | " + " | ".join(tables) + " |",
        "|---|" + "---|" * len(tables),
    ]
    by_set = [table.set_index("dataset") for table in tables.values()]
    for dataset in by_set[0].index:
        cells = [
            _cell(table.loc[dataset]) for table in by_set if dataset in table.index
        ]
        name = dataset.removeprefix("adult-").split("-cluster")[0]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    counts = [f"**{table['leads'].sum()} of {len(table)} decided**" for table in by_set]
    return [*lines, "| all | " + " | ".join(counts) + " |"]


def _cell(row: pd.Series) -> str:
    if "low" not in row or pd.isna(row["low"]):
        return f"undecided: {row['executions']} shared executions"
    span = f"{row['gap']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"
    return f"{row['first']} {span}" if row["leads"] else f"undecided: {span}"


def main() -> None:
    """Write who leads among the published executions."""
    runs = pd.read_parquet(Path(sys.argv[1]) / "adult-small-published-runs.parquet")
    runs = runs.rename(columns={"model": "learner", "exec": "execution"})
    runs = runs.rename(columns={"f1_test": "f1"}).replace({"kdd-lr": "em-lr"})
    leaders(runs).to_csv(TABLE, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
