"""What a search takes: seconds per learner, and where they were measured."""

from __future__ import annotations

import pandas as pd

from caveat.board.page._study import Study


def search_seconds(study: Study) -> pd.Series:
    """Median seconds of a whole search of each learner, over searches that ended.

    A search that was cut into several trials takes the sum of their times.
    """
    done = study.trials[study.trials["state"] == "done"]
    done = done[done["seconds"].notna()]
    if done.empty:
        return pd.Series(dtype=float)
    totals = done.groupby(["learner", "group"], sort=False, observed=True)[
        "seconds"
    ].sum()
    return totals.groupby("learner", sort=True, observed=True).median()


def total_seconds(study: Study) -> float:
    """Seconds of all trials that ended, failed ones too."""
    return float(pd.concat([study.trials["seconds"], study.baseline["seconds"]]).sum())
