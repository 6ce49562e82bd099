"""What one label, answered everywhere, is right about; and its table.

    python -m papers.candidates.floors FOLDER PART.npz MNIST.npz

FOLDER holds lost.mat and italian.mat, PART.npz the pictures of `pictures.py`, MNIST.npz
the images of `mnist.py`. The label is the one that most candidate sets, or most people,
name in the training rows; of digits and MNIST, which carry true labels until a study
clouds them, the largest class.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

from caveat.candidates._plench import plench_split
from caveat.datasets import read

TABLE = Path(__file__).with_name("floors.csv")
SPLITS = 5
ONE_LABEL = "one label for all"


def rows(folder: Path, pictures: Path, mnist: Path) -> Iterator[tuple[str, float]]:
    """Give the share that is right, for every table of the page."""
    for name in ("lost", "italian"):
        data = read(folder / f"{name}.mat")
        classes, y = np.asarray(data.classes), data.y.to_numpy()
        for number in range(SPLITS):
            split = plench_split(len(data), number)
            label = classes[np.asarray(data.candidates[split.train]).sum(0).argmax()]
            yield name, float((y[split.test] == label).mean())
    yield "digits", float(np.bincount(load_digits().target).max() / 1797)
    with np.load(mnist, allow_pickle=False) as part:
        yield "mnist", float(np.bincount(part["y"]).max() / len(part["y"]))
    with np.load(pictures, allow_pickle=False) as part:
        told = np.bincount(part["annotators_train"].ravel(), minlength=10)
        yield "pictures", float((part["y_test"] == told.argmax()).mean())
        yield "pictures, training", float((part["y_train"] == told.argmax()).mean())


def percent(data: str, splits: int | None = None) -> np.ndarray:
    """Give the shares in percent, one for each split."""
    table = pd.read_csv(TABLE)
    found = 100 * table.loc[table["data"] == data, "right"].to_numpy()
    return found if splits is None else found[:splits]


def main() -> None:
    """Write the table."""
    found = rows(*map(Path, sys.argv[1:4]))
    table = pd.DataFrame(found, columns=["data", "right"]).round(6)
    table.to_csv(TABLE, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
