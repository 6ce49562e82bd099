"""Who leads on a data set, by executions that learners share; undecided if nobody does.

    python -m papers.bags.leaders FOLDER

reads the published executions (``adult-small-published-runs.parquet`` in FOLDER) and
writes who leads among them. Executions with one number divide the items alike for all
learners, so two learners are compared pair by pair: the mean F1 over strategies of the
one less that of the other, on the executions that both have. Learners may have more or
fewer of them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

TABLE = Path(__file__).with_name("published_leaders.csv")
PAIRS = Path(__file__).with_name("published_pairs.csv")
LEVEL = 0.05
FEWEST = 3


def paired_gaps(runs: pd.DataFrame) -> pd.DataFrame:
    """Hold every learner against every other one, data set by data set.

    A row per data set and ordered pair: the executions that both have, the mean gap and
    its interval, at a level that a learner shares among the others (Bonferroni). With
    fewer than `FEWEST` executions it has none.
    """
    rows = []
    for dataset, part in runs.groupby("dataset", sort=True):
        wide = part.pivot_table(index="execution", columns="learner", values="f1")
        for one, other in permutations(wide.columns, 2):
            gaps = (wide[one] - wide[other]).dropna().to_numpy()
            if len(gaps):
                found = _interval(gaps, LEVEL / (wide.shape[1] - 1))
                rows.append(
                    {"dataset": dataset, "learner": one, "other": other} | found
                )
    return pd.DataFrame(rows)


def _interval(gaps: NDArray[np.float64], level: float) -> dict[str, Any]:
    half = np.nan
    if len(gaps) >= FEWEST:
        t = stats.t.isf(level / 2, len(gaps) - 1)
        half = float(t * gaps.std(ddof=1) / np.sqrt(len(gaps)))
    middle = float(gaps.mean())
    ends = {"gap": middle, "low": middle - half, "high": middle + half}
    rounded = {name: round(value, 4) for name, value in ends.items()}
    return {"executions": len(gaps), **rounded}


def leaders(gaps: pd.DataFrame) -> pd.DataFrame:
    """Give a row per data set: who is ahead of the next, by how much, if decided.

    The first is ahead of most others; it leads if every interval is above 0.
    """
    rows = []
    for dataset, part in gaps.groupby("dataset", sort=True):
        ahead = part.assign(wins=part["gap"] > 0).groupby("learner")[["wins", "gap"]]
        # With equal executions this is the highest mean; a circle goes to the widest.
        ordered = ahead.sum().sort_values(["wins", "gap"], ascending=False)
        own = part[part["learner"] == ordered.index[0]].sort_values("gap")
        next_ = own.iloc[0]
        rows.append(
            {
                "dataset": dataset,
                "first": ordered.index[0],
                "executions": int(own["executions"].min()),
                "leads": bool((own["low"] > 0).all()),
                **next_[["gap", "low", "high"]].to_dict(),
            }
        )
    return pd.DataFrame(rows)


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
    if pd.isna(row["low"]):
        return f"undecided: {row['executions']} shared executions"
    span = f"{row['gap']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"
    return f"{row['first']} {span}" if row["leads"] else f"undecided: {span}"


def main() -> None:
    """Write who leads among the published executions."""
    runs = pd.read_parquet(Path(sys.argv[1]) / "adult-small-published-runs.parquet")
    runs = runs.rename(columns={"model": "learner", "exec": "execution"})
    runs = runs.rename(columns={"f1_test": "f1"}).replace({"kdd-lr": "em-lr"})
    gaps = paired_gaps(runs)
    gaps.to_csv(PAIRS, index=False, lineterminator="\n")
    leaders(gaps).to_csv(TABLE, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
