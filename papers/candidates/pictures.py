"""The part of CIFAR-10 with what three people called each picture, as one npz file.

Run it as ``python -m papers.candidates.pictures PART.npz cifar-people.npz``, then
``caveat run pictures-people.yaml`` with the new file beside it. The first file holds
``x_train``, ``y_train``, ``annotators_train`` (pictures x people), ``x_test`` and
``y_test``. Candidates of a training picture are all labels that anybody gave; the last
rows are the test pictures, with their true labels. What the labels of people are like
goes to people.csv, for the figures.
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

FACTS = Path(__file__).with_name("people.csv")
CLASSES = (
    *("airplane", "automobile", "bird", "cat", "deer"),
    *("dog", "frog", "horse", "ship", "truck"),
)


def people(source: str, out: str) -> None:
    """Write pictures, candidate sets and the size of the test part."""
    with np.load(source, allow_pickle=False) as part:
        y = np.concatenate([part["y_train"], part["y_test"]]).astype(np.int64)
        candidates = np.eye(10, dtype=bool)[y]
        told = np.eye(10, dtype=bool)[part["annotators_train"]].any(axis=1)
        candidates[: len(told)] = told
        np.savez(
            out,
            X=np.concatenate([part["x_train"], part["x_test"]]),
            y=y,
            candidates=candidates,
            n_test=len(part["y_test"]),
        )


def facts(y: NDArray[np.int64], told: NDArray[np.int64]) -> pd.DataFrame:
    """Sum up what people said, as the benchmark's Figure 2 does.

    Parameters
    ----------
    y : array of shape (pictures,)
        True classes.
    told : array of shape (pictures, people)

    Returns
    -------
    DataFrame
        fact ("label": share of the class among all labels given; "noise": share of the
        sets of so many people that miss the truth, mean over groups of them; "flip":
        share of the sets of a true class that hold a label), row, column, value.
    """
    rows = []
    given = np.bincount(told.ravel(), minlength=10) / told.size
    rows += [("label", CLASSES[k], "", share) for k, share in enumerate(given)]
    count = told.shape[1]
    for size in range(1, count + 1):
        missing = [
            (told[:, list(group)] != y[:, None]).all(axis=1).mean()
            for group in combinations(range(count), size)
        ]
        rows.append(("noise", str(size), "", float(np.mean(missing))))
    sets = np.eye(10, dtype=bool)[told].any(axis=1)
    for k in range(10):
        shares = sets[y == k].mean(axis=0)
        rows += [("flip", CLASSES[k], CLASSES[j], shares[j]) for j in range(10)]
    return pd.DataFrame(rows, columns=["fact", "row", "column", "value"])


if __name__ == "__main__":
    people(*sys.argv[1:3])
    with np.load(sys.argv[1], allow_pickle=False) as given:
        found = facts(given["y_train"], given["annotators_train"])
    found.to_csv(FACTS, index=False, float_format="%.6g")
