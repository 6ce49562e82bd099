"""Every partial-label algorithm on Lost with default settings, 2,000 steps.

A row is written as soon as it is there, so the script can be stopped and started again.

    python -m papers.candidates.defaults FOLDER

FOLDER holds lost.mat. Splits and scaling are those of the PLENCH protocol.
"""

from __future__ import annotations

import csv
import sys
import warnings
from pathlib import Path

from caveat.candidates import PartialLabelClassifier, algorithms
from caveat.candidates._classifier import make_algorithm
from caveat.candidates._plench import PlenchScaler, plench_split
from caveat.datasets import read

TABLE = Path(__file__).with_name("defaults.csv")
STEPS, SPLITS = 2000, 3
COLUMNS = ("algorithm", "variant", "split", "steps", "accuracy")


def cases() -> list[tuple[str, str, int]]:
    """List algorithm, variant and split, split by split."""
    return [
        (name, variant, split)
        for split in range(SPLITS)
        for name in algorithms()
        for variant in ("paper", "plench")
        if variant == "paper" or make_algorithm(name).deviation
    ]


def accuracy(lost, name: str, variant: str, number: int) -> float:
    """Train one algorithm on one split and test it."""
    split = plench_split(len(lost), number)
    X, y = lost.X.to_numpy(), lost.y.to_numpy()
    model = PartialLabelClassifier(
        name, variant=variant, max_steps=STEPS, random_state=number
    )
    model.fit(
        X[split.train], lost.candidates[split.train], encoder=PlenchScaler().fit(X)
    )
    return float(model.score(X[split.test], y[split.test]))


def main() -> None:
    """Run what is not in the table yet."""
    lost = read(Path(sys.argv[1]) / "lost.mat")
    warnings.filterwarnings("ignore", message="candidates:")
    done = set()
    if TABLE.exists():
        with TABLE.open(newline="") as file:
            done = {tuple(row.values())[:3] for row in csv.DictReader(file)}
    else:
        TABLE.write_text(",".join(COLUMNS) + "\n")
    for name, variant, split in cases():
        if (name, variant, str(split)) in done:
            continue
        score = accuracy(lost, name, variant, split)
        with TABLE.open("a", newline="") as file:
            csv.writer(file).writerow([name, variant, split, STEPS, f"{score:.6f}"])


if __name__ == "__main__":
    main()
