"""Look into every cell outside the tolerance: rounding decides it, or the choice.

    python -m papers.bags.reasons --data FOLDER

The search of the cell is done again with the columns in another order, which changes
nothing but rounding. Where its F1 moves by more than `MOVES`, no other
arithmetic can repeat the published number. Where it does not, the cell hangs on which
setting was chosen, and the reason says what the others would have given.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from sklearn.model_selection import ShuffleSplit

from caveat.bags import bag_proportions, search, standard_bags
from caveat.bags.registry import LEARNERS
from papers.bags.learners import published_learner
from papers.bags.page import REASONS, TABLE, compared, published
from papers.bags.run import Adult
from papers.bags.splits import SPLIT_SEEDS, published_strategies

ORDERS = 2
EXECUTIONS = 2
MOVES = 0.03
SETS = {one.name: one for one in standard_bags("adult")}
KEYS = ("dataset", "learner", "strategy")
COLUMNS = [*KEYS, "reason"]


def again(adult: Adult, cell: Any, execution: int, order: NDArray) -> list[float]:
    """F1 of the chosen setting, then of every one, with the columns in an order."""
    seed = SPLIT_SEEDS[execution]
    splitter = ShuffleSplit(1, test_size=0.25, random_state=seed)
    train, test = next(splitter.split(adult.X))
    dataset, items = SETS[cell.dataset], adult.X[:, order]
    bags = adult.bags(dataset)[train]
    entry = LEARNERS[cell.learner]
    model = published_learner(cell.learner)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    found = search(
        model,
        entry.grid,
        items[train],
        bags,
        bag_proportions(adult.y[train], bags),
        strategies=published_strategies([cell.strategy], dataset.n_bags, seed),
    )
    scores = [
        float(f1_score(adult.y[test], fitted.predict(items[test]), zero_division=0))
        for fitted in found.models
    ]
    return [scores[found.best(cell.strategy)], *scores]


def reason(adult: Adult, cell: Any, runs: pd.DataFrame) -> str:
    """Say what decides one cell."""
    rng = np.random.default_rng(0)
    reached: list[float] = []
    for run in runs.head(EXECUTIONS).itertuples():
        chosen = [run.f1]
        for _ in range(ORDERS):
            order = rng.permutation(adult.X.shape[1])
            first, *every = again(adult, cell, run.execution, order)
            chosen.append(first)
            reached += every
            if np.ptp(chosen) > MOVES:
                return (
                    "rounding: columns in another order move one execution from "
                    f"{run.f1:.2f} to {first:.2f}"
                )
    return (
        f"choice: stable against rounding; the settings of the grid give "
        f"{min(reached):.2f} to {max(reached):.2f}"
    )


def main() -> None:
    """Write a reason for every cell outside the tolerance that has none yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    adult = Adult(options.data)
    runs = pd.read_csv(TABLE)
    legacy = runs[runs["settings"] == "legacy"]
    cells = compared(legacy, published())
    known = pd.read_csv(REASONS) if REASONS.exists() else pd.DataFrame(columns=COLUMNS)
    done = set(known[list(KEYS)].itertuples(index=False, name=None))
    rows = known.to_dict("records")
    groups = legacy.groupby(list(KEYS))
    for cell in cells[~cells["inside"]].itertuples():
        name = tuple(getattr(cell, key) for key in KEYS)
        if name in done:
            continue
        own = groups.get_group(name)
        text = reason(adult, cell, own)
        rows.append(dict(zip(COLUMNS, (*name, text), strict=True)))
        pd.DataFrame(rows, columns=COLUMNS).to_csv(REASONS, index=False)


if __name__ == "__main__":
    main()
