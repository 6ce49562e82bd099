"""Measure what the page on EAPP reports; each part writes a table beside this file.

    OMP_NUM_THREADS=1 python docs/reproduction/eapp_run.py [part ...] [--data FOLDER]

Parts: curve, clusterers, labelings, latent, scores, noise, folds; all by default.
FOLDER holds the MNIST test files (t10k-*.gz). Then write the page with `eapp_page.py`.
"""

from __future__ import annotations

import argparse
import gzip
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_wine

from caveat.baseline import EAPP

HERE = Path(__file__).parent
DATA = HERE.parents[1].parent / "shared" / "data" / "eapp"
Data = tuple[NDArray[Any], NDArray[Any]]


def mnist(folder: Path) -> Data:
    """Digit 8 against 1 and 7, of the 10,000 test images."""
    with gzip.open(folder / "t10k-images-idx3-ubyte.gz") as file:
        images = np.frombuffer(file.read(), "u1", offset=16).reshape(-1, 28, 28)
    with gzip.open(folder / "t10k-labels-idx1-ubyte.gz") as file:
        digits = np.frombuffer(file.read(), "u1", offset=8)
    kept = np.isin(digits, [1, 7, 8])
    return images[kept], digits[kept] == 8


def fit(data: Data, **settings: Any) -> EAPP:
    """Fit with seed 0, its warnings kept as notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return EAPP(**{"random_state": 0, **settings}).fit(*data)


def table_of(models: dict[str, EAPP]) -> pd.DataFrame:
    """Stack the curves of several fits, and their values at 1/p0."""
    frames = []
    for name, model in models.items():
        curve = model.curve_.assign(setting=name)
        curve["value"], curve["value_paper"] = model.value_, model.value_paper_
        frames.append(curve)
    frame = pd.concat(frames, ignore_index=True)
    return frame[["setting", *(c for c in frame if c != "setting")]]


def curve(data: Data) -> pd.DataFrame:
    """Measure the curve of the paper's figure 3, with its null."""
    return table_of({"kmeans": fit(data, k_max=10)})


def clusterers(data: Data) -> pd.DataFrame:
    """Measure all clusterers on the same 64 components, as in figure 8."""
    names = ["kmeans", "ward", "average", "complete", "spectral", "gmm", "dbscan"]
    models = {name: fit(data, clusterer=name, shuffles=0) for name in names}
    models["kmeans, incremental"] = fit(data, scheme="incremental", shuffles=0)
    models["kmeans, no PCA"] = fit(data, representation="none", shuffles=0)
    return table_of(models)


def labelings(data: Data) -> pd.DataFrame:
    """Measure exhaustive naming against sample contribution, as in figure 12."""
    names = ["exact", "greedy", "contribution"]
    models = {name: fit(data, labeling=name, shuffles=0) for name in names}
    X, y = data
    noisy = X, y ^ (np.random.default_rng(0).random(len(y)) < 0.35)
    for name in ("exact", "contribution"):
        models[f"{name}, noisy"] = fit(noisy, labeling=name, shuffles=0)
    return table_of(models)


def latent(data: Data) -> pd.DataFrame:
    """Measure 32, 64 and 128 components, as in figure 7."""
    sizes = [2, 32, 64, 128]
    return table_of({str(size): fit(data, latent=size, shuffles=0) for size in sizes})


def scores(data: Data) -> pd.DataFrame:
    """Three readings of "a probability depending on the distance"."""
    names = ["ratio", "diff", "sqdiff"]
    return table_of({name: fit(data, score=name, shuffles=0) for name in names})


def noise(data: Data) -> pd.DataFrame:
    """Pure noise, balanced, ten columns: what either selection makes of it."""
    rows = []
    for n in (100, 200, 500, 2000):
        for draw in range(10):
            rng = np.random.default_rng([n, draw])
            X, y = rng.normal(size=(n, 10)), rng.permutation(n) < n // 2
            model = fit((X, y), k_max=8, shuffles=0, aggregate="mean")
            for found in model.curve_.to_dict("records"):
                rows.append(
                    {"n": n, "draw": draw}
                    | {name: found[name] for name in ("k", "honest", "paper")}
                )
    return pd.DataFrame(rows)


def folds(data: Data) -> pd.DataFrame:
    """Fifty folds, which the paper uses for its small table, on 178 wines."""
    X, y = load_wine(return_X_y=True)
    wine = X, y == 0
    return table_of(
        {
            "10 folds": fit(wine, k_max=4, folds=10, aggregate="mean"),
            "50 folds": fit(wine, k_max=4, folds=50, aggregate="mean"),
        }
    )


PARTS: dict[str, Callable[[Data], pd.DataFrame]] = {
    "curve": curve,
    "clusterers": clusterers,
    "labelings": labelings,
    "latent": latent,
    "scores": scores,
    "noise": noise,
    "folds": folds,
}


def main() -> None:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS])
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    data = mnist(options.data)
    for name in options.parts or PARTS:
        table = PARTS[name](data)
        table.to_csv(HERE / f"eapp-{name}.csv", index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
