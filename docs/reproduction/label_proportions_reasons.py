"""Look into every cell outside the tolerance: rounding decides it, or the choice.

    python docs/reproduction/label_proportions_reasons.py --data FOLDER --reference FILE

The chosen settings are fitted again with the training items in other orders, which
changes nothing but the last digits of sums. Where F1 moves by more than `MOVES`, the
published number cannot be repeated by any other arithmetic. Where it does not, the
cell hangs on which setting was chosen, and the reason says what each would have given.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from label_proportions_page import REASONS, TABLE, compared, published
from label_proportions_run import Adult
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from sklearn.model_selection import ShuffleSplit

from caveat.proportions import bag_proportions, standard_bags
from caveat.proportions._standard import SPLIT_SEEDS
from caveat.proportions.registry import LEARNERS

ORDERS = 2
EXECUTIONS = 2
MOVES = 0.03
SETS = {one.name: one for one in standard_bags("adult")}
KEYS = ("dataset", "learner", "strategy")
COLUMNS = [*KEYS, "reason"]


class Refits:
    """Legacy fits to the training items of one execution, in any order."""

    def __init__(self, adult: Adult, dataset: str, execution: int) -> None:
        splitter = ShuffleSplit(1, test_size=0.25, random_state=SPLIT_SEEDS[execution])
        train, test = next(splitter.split(adult.X))
        self._items, self._test = adult.X[train], adult.X[test]
        self._truth = adult.y[test]
        self._bags = adult.bags(SETS[dataset])[train]
        self._shares = bag_proportions(adult.y[train], self._bags)

    def f1(self, learner: str, params: dict[str, Any], order: NDArray) -> float:
        """F1 on the test items after a fit to the training items in an order."""
        entry = LEARNERS[learner]
        model = entry.make(**entry.facts["legacy"], **params)
        model.fit(self._items[order], bags=self._bags[order], proportions=self._shares)
        return float(f1_score(self._truth, model.predict(self._test), zero_division=0))

    def __len__(self) -> int:
        return len(self._items)


def reason(adult: Adult, cell: Any, runs: pd.DataFrame) -> str:
    """Say what decides one cell."""
    rng = np.random.default_rng(0)
    again: list[list[float]] = []
    others: list[float] = []
    for run in runs.head(EXECUTIONS).itertuples():
        refits = Refits(adult, cell.dataset, run.execution)
        chosen = json.loads(run.configuration)
        orders = [rng.permutation(len(refits)) for _ in range(ORDERS)]
        again.append([refits.f1(cell.learner, chosen, order) for order in orders])
        again[-1].append(run.f1)
        if np.ptp(again[-1]) > MOVES:
            break
        name, values = next(iter(LEARNERS[cell.learner].grid.items()))
        same = np.arange(len(refits))
        for value in values:
            others.append(refits.f1(cell.learner, {**chosen, name: value}, same))
    low, high = min(map(min, again)), max(map(max, again))
    spread = max(np.ptp(few) for few in again)
    if spread > MOVES:
        return (
            "rounding: items in another order move a chosen fit by "
            f"{spread:.2f} ({min(again[-1]):.2f} to {max(again[-1]):.2f})"
        )
    return (
        f"choice: the fits are stable ({low:.2f} to {high:.2f}), another {name} would "
        f"give {min(others):.2f} to {max(others):.2f}"
    )


def main() -> None:
    """Write a reason for every cell outside the tolerance that has none yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reference", type=Path, required=True)
    options = parser.parse_args()
    adult = Adult(options.data)
    runs = pd.read_csv(TABLE)
    legacy = runs[runs["settings"] == "legacy"]
    cells = compared(legacy, published(options.reference))
    known = pd.read_csv(REASONS) if REASONS.exists() else pd.DataFrame(columns=COLUMNS)
    done = set(known[list(KEYS)].itertuples(index=False, name=None))
    rows = known.to_dict("records")
    for cell in cells[~cells["inside"]].itertuples():
        name = tuple(getattr(cell, key) for key in KEYS)
        if name in done:
            continue
        own = legacy[(legacy[list(KEYS)] == name).all(axis=1)]
        text = reason(adult, cell, own)
        rows.append(dict(zip(COLUMNS, (*name, text), strict=True)))
        pd.DataFrame(rows, columns=COLUMNS).to_csv(REASONS, index=False)


if __name__ == "__main__":
    main()
