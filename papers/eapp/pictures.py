"""EAPP on pictures of two classes: the files of the study, and one class brightened.

    OMP_NUM_THREADS=1 python -m papers.eapp.pictures PART.npz FOLDER
    caveat run pictures.yaml                     (in FOLDER, with the study file)
    python -m papers.eapp.pictures PART.npz FOLDER LEDGER

PART.npz holds ``x_train`` and ``y_train`` of CIFAR-10. The first call writes a file of
400 pictures for each of three pairs of classes to FOLDER, and measures what happens
when one class is brightened (pictures-probe.csv) and where the pictures of one pair lie
(pictures-latent.csv). The second one runs the study. The third exports it to
pictures.csv.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from caveat.eapp import bias_probe
from caveat.study import Ledger

HERE = Path(__file__).parent
#: Chosen before any run: unlike in colour, alike in shape, alike in all.
PAIRS = {"airplane-frog": (0, 6), "automobile-truck": (1, 9), "cat-dog": (3, 5)}
EACH = 200
SHIFTS = (0.0, 0.5, 1.0, 2.0, 3.0)
SHOWN, CLUSTERS = "airplane-frog", (2, 3, 4)


def pair(part: str, classes: tuple[int, int]) -> tuple[NDArray[np.uint8], NDArray]:
    """Take the first pictures of two classes, in the order of the file."""
    with np.load(part, allow_pickle=False) as found:
        X, y = found["x_train"], found["y_train"]
    rows = np.sort(np.concatenate([np.flatnonzero(y == k)[:EACH] for k in classes]))
    return X[rows], (y[rows] == classes[1]).astype(np.int64)


def brightened(part: str) -> pd.DataFrame:
    """Brighten the second class by parts of the spread of the pictures' means."""
    rows = []
    for name, classes in PAIRS.items():
        X, y = pair(part, classes)
        for shuffled in (False, True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                found = bias_probe(
                    X,
                    y,
                    s=SHIFTS,
                    randomize_labels=shuffled,
                    random_state=0,
                    folds=5,
                    shuffles=100,
                )
            rows.append(found.assign(pair=name, shuffled=shuffled))
    return pd.concat(rows, ignore_index=True)


def latent(part: str) -> pd.DataFrame:
    """Give the first two of 64 components, and the clusters of all 64, for each k."""
    X, y = pair(part, PAIRS[SHOWN])
    Z = PCA(64, random_state=0).fit_transform(X.reshape(len(X), -1) / 255.0)
    found = {"first": Z[:, 0], "second": Z[:, 1], "label": y}
    for k in CLUSTERS:
        model = KMeans(k, n_init=10, random_state=0).fit(Z)
        # Numbered from left to right, so that colours do not depend on chance.
        order = model.cluster_centers_[:, 0].argsort().argsort()
        found[f"k{k}"] = order[model.labels_]
    return pd.DataFrame(found)


def export(ledger: str) -> pd.DataFrame:
    """Give the rows of the study."""
    with Ledger(ledger) as book:
        records = book.records()
    rows = [
        {
            "pair": row["dataset"],
            "representation": "",
            "latent": "",
            "clusterer": "its own",
            **json.loads(row["params"]),
            "repeat": row["repeat"],
            "auc": row["test.auc"],
            "null_high": row["fact.null_high"],
        }
        for row in records.rows.to_dict("records")
    ]
    columns = ["pair", "representation", "latent", "clusterer", "repeat"]
    frame = pd.DataFrame(rows)[[*columns, "auc", "null_high"]]
    return frame.sort_values(columns, ignore_index=True)


def main() -> None:
    """Write files and measure, or export."""
    part, folder = sys.argv[1], Path(sys.argv[2])
    if len(sys.argv) > 3:
        export(sys.argv[3]).to_csv(
            HERE / "pictures.csv", index=False, float_format="%.6g"
        )
        return
    for name, classes in PAIRS.items():
        X, y = pair(part, classes)
        np.savez(folder / f"{name}.npz", X=X, y=y)
    latent(part).to_csv(HERE / "pictures-latent.csv", index=False, float_format="%.4g")
    brightened(part).to_csv(
        HERE / "pictures-probe.csv", index=False, float_format="%.6g"
    )


if __name__ == "__main__":
    main()
