"""The true labels of the validation rows, to choose by or to learn from.

    python -m papers.candidates.clean FOLDER

FOLDER holds lost.mat. As in the benchmark's Figure 1: the validation rows join the
training with their true labels as sets of one, default settings, as many steps as in
the search. What a search that is judged by the same labels reaches is in runs.csv. A
row is written as soon as it is there, so the script can be stopped and started again.
"""

from __future__ import annotations

import csv
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from caveat.candidates import PartialLabelClassifier
from caveat.candidates._plench import PlenchScaler, plench_split
from caveat.datasets import read

TABLE = Path(__file__).with_name("clean.csv")
STEPS, SPLITS = 10_000, 5
#: As in the study `lost-plench`; in the order in which they are run.
VARIANTS = {
    "proden": "plench",
    "cc": "paper",
    "scl-nl": "paper",
}
COLUMNS = ("learner", "variant", "repeat", "accuracy")


def accuracy(lost: Any, name: str, split: int) -> float:
    """Learn from training and validation rows, and test."""
    found = plench_split(len(lost), split)
    X, y = lost.X.to_numpy(), lost.y.to_numpy()
    sets = np.array(lost.candidates)
    sets[found.validation] = np.array(lost.classes) == y[found.validation, None]
    rows = np.concatenate([found.train, found.validation])
    model = PartialLabelClassifier(
        name, variant=VARIANTS[name], max_steps=STEPS, random_state=split
    )
    model.fit(X[rows], sets[rows], encoder=PlenchScaler().fit(X))
    return float(model.score(X[found.test], y[found.test]))


def main() -> None:
    """Run what is not in the table yet."""
    lost = read(Path(sys.argv[1]) / "lost.mat")
    warnings.filterwarnings("ignore", message="candidates:")
    done = set()
    if TABLE.exists():
        with TABLE.open(newline="") as file:
            done = {(row["learner"], row["repeat"]) for row in csv.DictReader(file)}
    else:
        TABLE.write_text(",".join(COLUMNS) + "\n")
    for split in range(SPLITS):
        for name, variant in VARIANTS.items():
            if (name, str(split)) not in done:
                score = accuracy(lost, name, split)
                with TABLE.open("a", newline="") as file:
                    row = [name, variant, split, f"{score:.6f}"]
                    csv.writer(file).writerow(row)


if __name__ == "__main__":
    main()
