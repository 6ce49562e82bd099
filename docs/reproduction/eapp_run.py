"""Measure what the page on EAPP reports; each part writes a table beside this file.

    OMP_NUM_THREADS=1 python docs/reproduction/eapp_run.py [part ...] [--data FOLDER]

Parts: curve, clusterers, labelings, latent, scores, noise, folds, probe, digits and
networks; all by default. The last two take minutes, and go on where they stopped.
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
from sklearn.datasets import load_digits, load_wine

from caveat.baseline import EAPP, bias_probe

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


def probe(data: Data) -> pd.DataFrame:
    """Plant a shift into labels that know nothing, five times each."""
    shifts = {
        "10 of 10 columns": ("table", None, 2, (0, 0.25, 0.5, 1)),
        "1 of 10 columns, 2 components": ("table", ["x0"], 2, (0, 1, 2, 3)),
        "1 of 10 columns, 10 components": ("table", ["x0"], 10, (0, 1, 2, 3)),
        "digits, image means": ("images", "image_mean", "auto", (0, 1, 2, 3)),
        "digits, pixels": ("images", "pixel", "auto", (0, 0.3, 0.5, 1)),
    }
    images, eights = small_digits()
    frames = []
    for name, (kind, how, size, s) in shifts.items():
        for draw in range(5):
            rng = np.random.default_rng(draw)
            X, y = images, eights
            options: dict[str, Any] = {"unit": how}
            if kind == "table":
                X, y = rng.normal(size=(500, 10)), np.arange(500) % 2 == 0
                options = {"columns": how}
            found = bias_probe(
                X,
                y,
                s=s,
                randomize_labels=True,
                random_state=draw,
                latent=size,
                k_max=4,
                shuffles=100,
                **options,
            )
            frames.append(found.assign(setting=name, draw=draw))
    return pd.concat(frames, ignore_index=True)


def small_digits() -> Data:
    """Digit 8 against 1 and 7, of the 1,797 images of 8 x 8 pixels."""
    small = load_digits()
    kept = np.isin(small.target, [1, 7, 8])
    return small.images[kept], small.target[kept] == 8


def digits(data: Data) -> pd.DataFrame:
    """Measure all representations on small images, as in the paper's appendix."""
    names = ["pca", "kmeans_ae", "cae", "vae"]
    settings = {name: {"representation": name} for name in names}
    return _representations("digits", small_digits(), settings)


def networks(data: Data) -> pd.DataFrame:
    """Measure the paper's way on 400 of the MNIST images, and trained for longer."""
    X, y = data
    chosen = np.random.default_rng(0).permutation(len(y))[:400]
    settings: dict[str, dict[str, Any]] = {
        "pca": {},
        "kmeans_ae": {"representation": "kmeans_ae"},
        "kmeans_ae, 200 epochs": {
            "representation": "kmeans_ae",
            "training": {"epochs": 200},
            "k_max": 4,
        },
    }
    return _representations("networks", (X[chosen], y[chosen]), settings)


def _representations(
    part: str, data: Data, settings: dict[str, dict[str, Any]]
) -> pd.DataFrame:
    """Fit on two folds, one setting after the other; go on where it stopped."""
    file = HERE / f"eapp-{part}.csv"
    found = pd.read_csv(file) if file.exists() else pd.DataFrame({"setting": []})
    for name, options in settings.items():
        if name not in found["setting"].tolist():
            model = fit(data, **{"shuffles": 0, "folds": 2, "k_max": 8, **options})
            row = table_of({name: model}).assign(seconds=model.seconds_)
            found = pd.concat([found, row], ignore_index=True)
            found.to_csv(file, index=False, float_format="%.6g")
    return found


PARTS: dict[str, Callable[[Data], pd.DataFrame]] = {
    "curve": curve,
    "clusterers": clusterers,
    "labelings": labelings,
    "latent": latent,
    "scores": scores,
    "noise": noise,
    "folds": folds,
    "probe": probe,
    "digits": digits,
    "networks": networks,
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
