"""What is reached on the released sets without learning, and its table.

    python -m papers.bags.floors --data FOLDER

Two answers that look at no column, on the test rows of all 30 published divisions:
always "yes", and "yes" in the bags that are mostly "yes" by their training shares.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import ShuffleSplit

from caveat.bags import standard_bags
from papers.bags.run import Adult
from papers.bags.splits import SPLIT_SEEDS

TABLE = Path(__file__).with_name("floors.csv")
ALWAYS, MAJORITY = "always yes", "majority of the bag"


def rows(adult: Adult) -> Iterator[dict[str, Any]]:
    """Give the mean F1 of both answers on every small set, over all divisions."""
    for dataset in standard_bags("adult"):
        if dataset.bags != "small":
            continue
        bags = adult.bags(dataset)
        each = []
        for seed in SPLIT_SEEDS:
            splitter = ShuffleSplit(1, test_size=0.25, random_state=seed)
            train, test = next(splitter.split(bags))
            sizes = np.bincount(bags[train])
            shares = np.bincount(bags[train], adult.y[train]) / np.maximum(sizes, 1)
            answers = (np.ones(len(test), bool), shares[bags[test]] > 0.5)
            each.append([_f1(adult.y[test] == 1, answer) for answer in answers])
        means = np.mean(each, axis=0)
        for answer, f1 in zip((ALWAYS, MAJORITY), means, strict=True):
            yield {"dataset": dataset.name, "answer": answer, "f1": round(f1, 6)}


def _f1(truth: NDArray[np.bool_], answer: NDArray[np.bool_]) -> float:
    """F1 of "yes"; 0 where it is never answered."""
    return float(2 * (truth & answer).sum() / (truth.sum() + answer.sum()))


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    table = pd.DataFrame(rows(Adult(parser.parse_args().data)))
    table.to_csv(TABLE, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
