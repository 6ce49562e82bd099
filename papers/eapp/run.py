"""Measure what the page on EAPP reports; each part writes a table beside this file.

    OMP_NUM_THREADS=1 python -m papers.eapp.run [part ...] [--data FOLDER]

Parts: curve, clusterers, labelings, latent, scores, noise, folds, probe, digits,
networks, longer and study; all by default. Probe, digits, networks and study go on
where they stopped: delete their tables to measure anew.
FOLDER holds the MNIST test files (t10k-*.gz). Then write the page with `page.py`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_wine

from caveat.eapp import EAPP, bias_probe
from caveat.study import Ledger, run

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
        return EAPP(**{"random_state": 0, "scaling": "standard", **settings}).fit(*data)


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


# Which data, how many components, what is shifted, by how many standard deviations.
PROBES: dict[str, tuple[str, int, dict[str, Any], tuple[float, ...]]] = {
    "10 of 10 columns": ("noise", 2, {}, (0, 0.25, 0.5, 1)),
    "1 of 10 columns, 2 components": ("noise", 2, {"columns": ["x0"]}, (0, 1, 2, 3)),
    "1 of 10 columns, 10 components": ("noise", 10, {"columns": ["x0"]}, (0, 1, 2, 3)),
    "digits, pixels, 2 components": ("digits", 2, {"unit": "pixel"}, (0, 0.3, 0.5, 1)),
    "digits, pixels, 64 components": (
        "digits",
        64,
        {"unit": "pixel"},
        (0, 0.3, 0.5, 1),
    ),
    "digits, image means, 2 components": ("digits", 2, {"unit": "image_mean"}, (0, 3)),
    "digits, image means, 64 components": (
        "digits",
        64,
        {"unit": "image_mean"},
        (0, 3),
    ),
}
# Sixty-four components cost most.
PROBE_DRAWS = {2: 40, 10: 40, 64: 20}


def probe(data: Data) -> pd.DataFrame:
    """Plant a shift into balanced labels that know nothing; go on where stopped."""
    file = HERE / "probe.csv"
    found = pd.read_csv(file) if file.exists() else pd.DataFrame()
    seen = set(zip(found.get("setting", []), found.get("draw", []), strict=True))
    images = load_digits().images
    for name, (kind, latent, shifted, s) in PROBES.items():
        for draw in range(PROBE_DRAWS[latent]):
            if (name, draw) in seen:
                continue
            noise = np.random.default_rng(draw).normal(size=(500, 10))
            X = images if kind == "digits" else noise
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                frame = bias_probe(
                    X,
                    np.arange(len(X)) % 2 == 0,
                    s=s,
                    randomize_labels=True,
                    random_state=draw,
                    latent=latent,
                    k_max=2,
                    shuffles=100,
                    **shifted,
                )
            found = pd.concat([found, frame.assign(setting=name, draw=draw)])
            found.to_csv(file, index=False, float_format="%.6g")
    return found


def small_digits() -> Data:
    """Digit 8 against 1 and 7, of the 1,797 images of 8 x 8 pixels."""
    small = load_digits()
    kept = np.isin(small.target, [1, 7, 8])
    return small.images[kept], small.target[kept] == 8


def digits(data: Data) -> pd.DataFrame:
    """Measure all representations on small images, as in the paper's appendix."""
    file = HERE / "digits.csv"
    found = pd.read_csv(file) if file.exists() else pd.DataFrame({"setting": []})
    for name in ("pca", "kmeans_ae", "cae", "vae"):
        if name not in found["setting"].tolist():
            model = fit(
                small_digits(), representation=name, shuffles=0, folds=2, k_max=8
            )
            row = table_of({name: model}).assign(seconds=model.seconds_)
            found = pd.concat([found, row], ignore_index=True)
            found.to_csv(file, index=False, float_format="%.6g")
    return found


# Which images, which representation, which draws: the cheap and the telling first.
# A draw chooses rows, folds and first weights, the same for all representations.
DRAWS: list[tuple[str, str, range]] = [
    ("MNIST, 400", "pca", range(20)),
    ("MNIST, 1,000", "pca", range(20)),
    ("MNIST, 3,137", "pca", range(5)),
    ("digits, 535", "pca", range(5)),
    ("MNIST, 400", "kmeans_ae", range(4)),
    ("MNIST, 3,137", "kmeans_ae", range(1)),
    ("MNIST, 400", "kmeans_ae", range(4, 8)),
    ("MNIST, 1,000", "kmeans_ae", range(2)),
    ("digits, 535", "kmeans_ae", range(3)),
    ("MNIST, 400", "cae", range(4)),
    ("MNIST, 400", "vae", range(4)),
    ("digits, 535", "vae", range(3)),
    ("MNIST, 1,000", "kmeans_ae", range(2, 4)),
    ("MNIST, 400", "kmeans_ae", range(8, 20)),
]


def networks(data: Data) -> pd.DataFrame:
    """Measure the first k over draws of rows, folds and weights; go on where stopped.

    Every draw gives all representations the same images and the same two folds.
    """
    file = HERE / "networks.csv"
    rows = pd.read_csv(file).to_dict("records") if file.exists() else []
    seen = {(row["data"], row["setting"], row["draw"]) for row in rows}
    for name, setting, draws in DRAWS:
        X, y = small_digits() if name.startswith("digits") else data
        count = int(name.split(", ")[1].replace(",", ""))
        for draw in draws:
            if (name, setting, draw) in seen:
                continue
            chosen = np.random.default_rng(draw).permutation(len(y))[:count]
            model = fit(
                (X[chosen], y[chosen]),
                representation=setting,
                shuffles=0,
                folds=2,
                k_max=4,
                random_state=draw,
            )
            folds = model.fold_values_["honest"]
            for place, k in enumerate(model.curve_["k"]):
                rows.append(
                    {"data": name, "setting": setting, "draw": draw, "k": k}
                    | {"honest": model.curve_["honest"][place]}
                    | {f"fold {i}": folds[i, place] for i in range(2)}
                    | {"value": model.value_, "seconds": model.seconds_}
                )
            pd.DataFrame(rows).to_csv(file, index=False, float_format="%.6g")
    return pd.DataFrame(rows)


def longer(data: Data) -> pd.DataFrame:
    """Train networks on a small table for 50 passes, and for a thousand updates."""
    X, y = load_wine(return_X_y=True)
    settings: dict[str, dict[str, Any]] = {"pca": {"representation": "pca"}}
    for name in ("cae", "vae", "kmeans_ae"):
        short = {"representation": name, "training": {"epochs": 50}}
        settings[f"{name}, 50 passes"] = short
        settings[name] = {"representation": name}
    rows = []
    for name, chosen in settings.items():
        for draw in range(5):
            model = fit(
                (X, y == 0), **chosen, folds=3, k_max=4, shuffles=0, random_state=draw
            )
            rows.append({"setting": name, "draw": draw, "value": model.value_})
    return pd.DataFrame(rows)


def study(data: Data) -> pd.DataFrame:
    """Run the registered study of representations, latent sizes and clusterers."""
    file = HERE / "representations.ledger"
    run("eapp-representations", file, engine="serial")
    with Ledger(file) as ledger:
        records = ledger.records()
    seconds = records.trials.set_index("key")["seconds"]
    rows = [
        {
            "dataset": row["dataset"],
            **{"representation": "", "latent": "", "clusterer": "its own"},
            **json.loads(row["params"]),
            "repeat": row["repeat"],
            "auc": row["test.auc"],
            "null_high": row["fact.null_high"],
            "p_value": row["fact.p_value"],
            "seconds": seconds[row["key"]],
        }
        for row in records.rows.to_dict("records")
    ]
    frame = pd.DataFrame(rows)
    return frame.sort_values(list(frame.columns[:5]), ignore_index=True)


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
    "longer": longer,
    "study": study,
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
        table.to_csv(HERE / f"{name}.csv", index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
