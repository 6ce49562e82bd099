"""The rows of the partial-label studies, the published numbers, and what rules choose.

`page.py` tells of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from caveat.statistics import select
from caveat.study import Ledger

HERE = Path(__file__).parent
ROWS = HERE / "runs.csv"
DEFAULTS = HERE / "defaults.csv"
#: PLENCH, Tables 7 and 14: mean and what they print after it (a standard error).
PUBLISHED = pd.read_csv(HERE / "published.csv").set_index(["dataset", "algorithm"])

#: Name of a rule, its column in the published table, what it looks at, and where.
RULES = {
    "CR": ("cr", "criterion.covering-rate", "best"),
    "AA (published form)": ("aa", "criterion.approximated-accuracy-legacy", "best"),
    "OA": ("oa", "oracle.accuracy", "last"),
    "OA & ES": ("oa_es", "oracle.accuracy", "best"),
}


@dataclass(frozen=True)
class Plan:
    """What a study is when it is complete."""

    study: str
    dataset: str
    algorithms: int
    splits: int
    configurations: int

    @property
    def trials(self) -> int:
        """Trials of one algorithm."""
        return self.splits * self.configurations


LOST = Plan("lost-plench", "lost", 20, 5, 10)
TWENTY = Plan("lost-twenty", "lost", 4, 5, 20)
ITALIAN = Plan("italian-plench", "italian", 20, 2, 5)
CORRECTED = "lost-corrected"


def export(ledgers: list[str]) -> None:
    """Put finished rows of ledgers into the table; other studies and learners stay."""
    parts = []
    for ledger in ledgers:
        with Ledger(ledger) as book:
            rows = book.records().rows
        params = [
            item if isinstance(item, dict) else json.loads(item)
            for item in rows["params"]
        ]
        rows = rows.assign(variant=[item.get("variant", "paper") for item in params])
        parts.append(rows)
    fresh = pd.concat(parts)[
        ["study", "learner", "variant", "repeat", "config", "checkpoint"]
        + [column for _, column, _ in RULES.values()]
        + ["criterion.approximated-accuracy", "test.accuracy"]
    ]
    fresh = fresh.loc[:, ~fresh.columns.duplicated()]
    there, keys = pd.read_csv(ROWS), ["study", "learner"]
    renewed = pd.MultiIndex.from_frame(there[keys]).isin(
        pd.MultiIndex.from_frame(fresh[keys])
    )
    kept = pd.concat([there[~renewed], fresh])
    order = ["study", "learner", "variant", "repeat", "config", "checkpoint"]
    kept.sort_values(order).to_csv(ROWS, index=False, float_format="%.6g")


def chosen(rows: pd.DataFrame, column: str, checkpoint: str) -> pd.Series:
    """Test accuracy of the chosen row, in percent, by learner, variant and split.

    Of configurations that are equally good the last one is taken, as the benchmark's
    code does; of checkpoints the earliest.
    """
    if checkpoint == "last":
        last = rows.groupby(["learner", "variant", "repeat", "config"])["checkpoint"]
        rows = rows[rows["checkpoint"] == last.transform("max")]
    picked = select(
        rows.rename(columns={"variant": "settings"}).assign(config=-rows["config"]),
        column,
        measure="test.accuracy",
        direction="max",
    )
    return 100 * picked.set_index(["learner", "settings", "repeat"])["value"]


def ends(rows: pd.DataFrame) -> pd.DataFrame:
    """Test accuracy at the last checkpoint of every trial."""
    keys = ["learner", "repeat", "config"]
    ends = rows.sort_values("checkpoint").groupby(keys).tail(1)
    return ends[[*keys, "test.accuracy"]].rename(columns={"test.accuracy": "accuracy"})


def count_trials(rows: pd.DataFrame) -> pd.Series:
    """Count the trials of every learner and variant."""
    once = rows.drop_duplicates(["learner", "variant", "repeat", "config"])
    return once.groupby(["learner", "variant"]).size()
