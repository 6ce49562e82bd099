"""Our executions beside the published ones: same data, same seed, one by one.

    python -m papers.bags.paired FOLDER

reads the published executions (``adult-small-published-runs.parquet`` in FOLDER) and
writes the table that the page is made from. Execution k of both used the same division
into training and test items and the same splits, so each pair could be equal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
TABLE = HERE / "paired.csv"
_MODELS = {"kdd-lr": "em-lr"}
_STRATEGIES = {
    "full-bag-stratified-k-fold": "full-bag-kfold",
    "split-bag-k-fold": "split-bag-kfold",
}
NAMES = {"lam": "lmd", "learning_rate": "lr"}
NEAR, CLOSE, FAR = 0.001, 0.02, 0.1


def pair(runs: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Join our executions, published settings only, to the published ones."""
    theirs = pd.DataFrame(
        {
            "dataset": published["dataset"],
            "learner": published["model"].replace(_MODELS),
            "strategy": published["split_method"].replace(_STRATEGIES),
            "execution": published["exec"].astype(int),
            "published_f1": published["f1_test"].round(6),
            "theirs": published["best_hyperparams"],
        }
    )
    ours = runs[runs["settings"] == "legacy"]
    keys = ["dataset", "learner", "strategy", "execution"]
    both = ours.merge(theirs, on=keys, validate="one_to_one")
    both["same_setting"] = [
        _same(json.loads(row.configuration), json.loads(row.theirs))
        for row in both.itertuples()
    ]
    both = both.rename(columns={"configuration": "ours"})
    return both[[*keys, "f1", "published_f1", "same_setting", "theirs", "ours"]]


def _same(own: dict[str, float], other: dict[str, float | None]) -> bool:
    return all(
        other[NAMES.get(name, name)] == float(value) for name, value in own.items()
    )


def summary(pairs: pd.DataFrame, always: Callable[[pd.Series], pd.Series]) -> list[str]:
    """How near executions are to their published twins, learner by learner.

    `always` gives the F1 of "always yes" on data sets.
    """
    lines = [
        "| learner | executions | same setting chosen | F1 within .001 | within .02 | "
        "off by more than .1 | F1 = 0 within .02 | always yes within .02 |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for learner, part in pairs.groupby("learner", sort=False):
        gap = (part["f1"] - part["published_f1"]).abs()
        shares = [
            part["same_setting"].mean(),
            (gap <= NEAR).mean(),
            (gap <= CLOSE).mean(),
            (gap > FAR).mean(),
            (part["published_f1"] <= CLOSE).mean(),
            ((part["published_f1"] - always(part["dataset"])).abs() <= CLOSE).mean(),
        ]
        cells = " | ".join(f"{share:.1%}" for share in shares)
        lines.append(f"| {learner} | {len(part)} | {cells} |")
    return lines


def main() -> None:
    """Write the table."""
    published = pd.read_parquet(
        Path(sys.argv[1]) / "adult-small-published-runs.parquet"
    )
    found = pair(pd.read_csv(HERE / "runs.csv"), published)
    found = found.drop(columns=["theirs", "ours"])
    found.to_csv(TABLE, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
