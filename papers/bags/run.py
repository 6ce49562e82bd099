"""Run parts of the published study of label proportions, and add to its table.

Every finished cell is written at once, so the script can be stopped and started again
at any time; what is in the table is not run twice.

    python -m papers.bags.run --part 1 --data FOLDER

FOLDER holds the released Adult files (adult-processed.parquet and the bag files).
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import ShuffleSplit

from caveat.bags import bag_proportions, search, standard_bags
from caveat.bags.registry import LEARNERS
from caveat.bags.selection._search import STRATEGIES
from caveat.bags.worlds._standard import StandardBags
from papers.bags.learners import published_learner
from papers.bags.splits import SPLIT_SEEDS, published_strategies

TABLE = Path(__file__).with_name("runs.csv")
COLUMNS = (
    "settings",
    "dataset",
    "learner",
    "strategy",
    "execution",
    "f1",
    "accuracy",
    "best_f1",
    "configuration",
    "seconds",
)
ONE_PER_VARIANT = (
    "adult-hard-small-equal-far-global-cluster-kmeans-5",
    "adult-intermediate-small-equal-close-global-cluster-kmeans-5",
    "adult-naive-small-equal-None-cluster-None-None",
    "adult-simple-small-equal-close-global-cluster-None-None",
)
TWO = (ONE_PER_VARIANT[0], ONE_PER_VARIANT[3])


@dataclass(frozen=True)
class Part:
    """Which cells one part of the reproduction has."""

    settings: str
    learners: tuple[str, ...]
    executions: int
    datasets: tuple[str, ...] = ()
    strategies: tuple[str, ...] = STRATEGIES


PARTS = {
    "1": Part("legacy", ("mm", "lmm"), 10),
    "2": Part("legacy", ("em-lr",), 10),
    "3": Part("legacy", ("amm",), 2, ONE_PER_VARIANT),
    "4": Part("legacy", ("dllp",), 1, TWO, STRATEGIES[:1] + STRATEGIES[2:3]),
    "defaults": Part(
        "default",
        ("mm", "lmm", "em-lr", "bag-forward-correction", "inverse-calibration"),
        10,
    ),
    # One execution on all data sets, ten where a search can be afforded.
    "alternating": Part("default", ("amm",), 1),
    "alternating-ten": Part("default", ("amm",), 10, ONE_PER_VARIANT),
    "networks": Part(
        "default",
        ("dllp", "llp-vat", "easy-llp"),
        10,
        ONE_PER_VARIANT,
        STRATEGIES[2:3],
    ),
}


class Adult:
    """The items, scaled to [-1, 1] as published, and the released bags."""

    def __init__(self, folder: Path) -> None:
        table = pd.read_parquet(folder / "adult-processed.parquet")
        self.y = table.pop("y").to_numpy()
        self.X = 2.0 * table.to_numpy() - 1.0
        self._folder = folder

    def bags(self, dataset: StandardBags) -> NDArray[np.int64]:
        """Bag of every item."""
        return pd.read_parquet(self._folder / f"{dataset.name}.parquet")[
            "bag"
        ].to_numpy()


def cells(
    adult: Adult, part: Part, dataset: StandardBags, learner: str, execution: int
) -> Iterator[dict[str, Any]]:
    """One search, and the row that each strategy chooses from it."""
    begin = time.process_time()
    seed = SPLIT_SEEDS[execution]
    splitter = ShuffleSplit(1, test_size=0.25, random_state=seed)
    train, test = next(splitter.split(adult.X))
    bags = adult.bags(dataset)[train]
    entry = LEARNERS[learner]
    strategies: Any = part.strategies
    if part.settings == "legacy":
        model = published_learner(learner)
        strategies = published_strategies(strategies, dataset.n_bags, seed)
    else:
        model = entry.make()
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    found = search(
        model,
        entry.grid,
        adult.X[train],
        bags,
        bag_proportions(adult.y[train], bags),
        strategies=strategies,
        n_splits=dataset.n_bags,
        random_state=seed,
    )
    predicted = [fitted.predict(adult.X[test]) for fitted in found.models]
    scores = [f1_score(adult.y[test], labels, zero_division=0) for labels in predicted]
    seconds = time.process_time() - begin
    for strategy in part.strategies:
        best = found.best(strategy)
        yield {
            "settings": part.settings,
            "dataset": dataset.name,
            "learner": learner,
            "strategy": strategy,
            "execution": execution,
            "f1": round(scores[best], 6),
            "accuracy": round(accuracy_score(adult.y[test], predicted[best]), 6),
            "best_f1": round(max(scores), 6),
            "configuration": json.dumps(found.configurations[best]),
            "seconds": round(seconds, 2),
        }


def main() -> None:
    """Run what is missing of one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--learner", action="append", help="only this one of the part")
    parser.add_argument("--first", type=int, default=0, help="begin with this one")
    parser.add_argument("--executions", type=int, help="end before this one")
    options = parser.parse_args()
    part = PARTS[options.part]
    adult = Adult(options.data)
    datasets = [
        dataset
        for dataset in standard_bags("adult")
        if dataset.bags == "small"
        and (not part.datasets or dataset.name in part.datasets)
    ]
    # One of each variant first: whenever it is stopped, all variants are there.
    datasets.sort(key=lambda dataset: dataset.name not in ONE_PER_VARIANT)
    learners = options.learner or part.learners
    is_new = not options.table.exists()
    done: set[tuple[str, ...]] = set()
    if not is_new:
        with options.table.open(newline="") as file:
            done = {
                (row["settings"], row["dataset"], row["learner"], row["execution"])
                for row in csv.DictReader(file)
            }
    for execution in range(options.first, options.executions or part.executions):
        for dataset in datasets:
            for learner in learners:
                key = (part.settings, dataset.name, learner, str(execution))
                if key in done:
                    continue
                rows = list(cells(adult, part, dataset, learner, execution))
                with options.table.open("a", newline="") as file:
                    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                    if is_new:
                        writer.writeheader()
                        is_new = False
                    writer.writerows(rows)


if __name__ == "__main__":
    main()
