"""Ask why the network is behind principal components on MNIST, at the first k.

    OMP_NUM_THREADS=1 python -m papers.eapp.why [--draws 10] [--data FOLDER]

The suspicion: with three clusters for three digits, features that reconstruct well
spend one on the slant of the ones. If so, (1) what the network loses against principal
components it loses on pairs of an 8 and a 1, (2) the ones lie in two clusters that
differ in slant, and (3) with the slant taken out of the images nothing is lost. If the
clustering loss were the reason, its weight would matter instead. Every draw gives all
ways the same images and folds, those of the part `networks` of `run.py`, with
first weights of its own. Writes `why.csv` beside this file, draw by draw, and goes
on where it stopped.
"""

from __future__ import annotations

import argparse
import copy
import gzip
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.ndimage import affine_transform
from sklearn.metrics import roc_auc_score

from caveat.eapp.clusters._clusterers import kmeans_centroids
from caveat.eapp.clusters._clusters import Clusters
from caveat.eapp.representations._clustered_autoencoder import KMeansFeatures
from caveat.eapp.representations._representation import PrincipalComponents
from papers.eapp.run import DATA, HERE, fit, mnist

Floats = NDArray[np.float64]
IMAGES = 400
K = 3
WEIGHTS = (0.0, 0.01, 0.02)


def main() -> None:
    """Measure the draws that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    file = HERE / "why.csv"
    rows = pd.read_csv(file).to_dict("records") if file.exists() else []
    images, _ = mnist(options.data)
    with gzip.open(options.data / "t10k-labels-idx1-ubyte.gz") as packed:
        digits = np.frombuffer(packed.read(), "u1", offset=8)
    digits = digits[np.isin(digits, [1, 7, 8])]
    for draw in range(options.draws):
        if draw not in {row["draw"] for row in rows}:
            chosen = np.random.default_rng(draw).permutation(len(digits))[:IMAGES]
            rows += look(images[chosen], digits[chosen], draw)
            pd.DataFrame(rows).to_csv(file, index=False, float_format="%.6g")


def look(images: NDArray[Any], digits: NDArray[Any], draw: int) -> list[dict[str, Any]]:
    """Measure all ways on both folds of a draw, on slanted and on straight images."""
    slants = np.array([slant(image) for image in images])
    straight = np.array(
        [straightened(image, s) for image, s in zip(images, slants, strict=True)]
    )
    rows = []
    for kind, shown in (("as they are", images), ("straight", straight)):
        model = fit((shown, digits == 8), folds=2, shuffles=0, random_state=draw)
        seeds = np.random.SeedSequence(draw).generate_state(3)
        for fold, (train, test) in enumerate(model._splits):
            encode = model._folds[fold].encoder.encode
            parts = encode(train), encode(test)
            for way, Z, centroids in ways(*parts, int(seeds[fold]), kind == "straight"):
                found = judged(Z, centroids, digits, slants, train, test)
                rows.append(
                    {"draw": draw, "fold": fold, "images": kind, "way": way, **found}
                )
    return rows


def ways(
    train: Floats, test: Floats, seed: int, few: bool
) -> Iterator[tuple[str, tuple[Floats, Floats], Floats]]:
    """Give features and centroids: of components, and of networks by weight."""
    pca = PrincipalComponents(64).fit(train)
    Z = pca.transform(train)
    yield "pca", (Z, pca.transform(test)), kmeans_centroids(Z, K, seed)
    network = KMeansFeatures(64, shape=(28, 28, 1), seed=seed).fit(train)
    Z = network.transform(train)
    start = kmeans_centroids(Z, K, seed)
    yield "reconstruction", (Z, network.transform(test)), start
    for lam in (0.01,) if few else WEIGHTS:
        other = copy.deepcopy(network)
        other.settings = replace(other.settings, lam=lam)
        centroids = other._settle(train, Z, start)
        features = other.transform(train), other.transform(test)
        yield f"kmeans_ae, {lam:g}", features, centroids


def judged(
    Z: tuple[Floats, Floats],
    centroids: Floats,
    digits: NDArray[Any],
    slants: Floats,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
) -> dict[str, Any]:
    """Name the clusters on the training rows, and judge them on the held-out ones."""
    distances = [Clusters(centroids).distances(part) for part in Z]
    eights = digits[train] == 8
    names = max(
        (np.array(n) for n in product([False, True], repeat=K) if 0 < sum(n) < K),
        key=lambda name: roc_auc_score(eights, score(distances[0], name)),
    )
    scores, held = score(distances[1], names), digits[test]
    nearest = distances[1].argmin(axis=1)
    ones = held == 1
    counts = np.bincount(nearest[ones], minlength=K)
    first, second = np.argsort(-counts)[:2]
    return {
        "value": roc_auc_score(held == 8, scores),
        **{f"8 to {d}": against(scores, held, d) for d in (1, 7)},
        **{f"n {d}": int((held == d).sum()) for d in (1, 7, 8)},
        "ones apart": 1 - counts[first] / counts.sum(),
        "ones with eights": float(names[nearest[ones]].mean()),
        "slant of parts": separation(
            slants[test][ones], nearest[ones] == first, nearest[ones] == second
        ),
        "by digit": explained(Z[0], digits[train][:, None] == [1, 7, 8]),
        "by slant": explained(Z[0], slants[train][:, None]),
    }


def score(distances: Floats, names: NDArray[np.bool_]) -> Floats:
    """Distance to the nearest negative centroid, over that to the nearest positive."""
    near = np.maximum(distances[:, names].min(axis=1), 1e-300)
    return distances[:, ~names].min(axis=1) / near


def against(scores: Floats, held: NDArray[Any], digit: int) -> float:
    """AUC of the eights against one other digit."""
    pair = np.isin(held, [8, digit])
    return float(roc_auc_score(held[pair] == 8, scores[pair]))


def separation(values: Floats, one: Any, other: Any) -> float:
    """AUC by which a number tells two parts apart, either way; NaN if one is empty."""
    if not one.any() or not other.any():
        return float("nan")
    both = one | other
    found = roc_auc_score(one[both], values[both])
    return float(max(found, 1 - found))


def explained(Z: Floats, columns: Floats) -> float:
    """Share of the features' variance that a linear fit on some columns explains."""
    design = np.column_stack([np.ones(len(Z)), columns])
    rest = Z - design @ np.linalg.lstsq(design, Z, rcond=None)[0]
    return float(1 - rest.var(axis=0).sum() / Z.var(axis=0).sum())


def slant(image: NDArray[Any]) -> float:
    """Columns to the right for every row down, of the ink's longest axis."""
    y, x = np.mgrid[:28, :28]
    ink = image / image.sum()
    dy, dx = y - (ink * y).sum(), x - (ink * x).sum()
    return float((ink * dx * dy).sum() / (ink * dy * dy).sum())


def straightened(image: NDArray[Any], by: float) -> NDArray[Any]:
    """Shear an image about the middle of its ink, so that its slant is gone."""
    y, x = np.mgrid[:28, :28]
    ink = image / image.sum()
    middle = np.array([(ink * y).sum(), (ink * x).sum()])
    shear = np.array([[1.0, 0.0], [by, 1.0]])
    moved = affine_transform(
        image.astype(float), shear, offset=middle - shear @ middle, order=1
    )
    return np.clip(moved, 0, 255).astype(image.dtype)


if __name__ == "__main__":
    main()
