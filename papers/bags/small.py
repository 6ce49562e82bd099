"""Many small bags, noisy shares, and pictures: further learners beside DLLP.

    python -m papers.bags.small --data FOLDER --most 20

runs what is missing of the table beside this script, at most so many fits, and writes
every fit at once. FOLDER holds ``label-proportions``, ``images`` and ``eapp``: Adult,
the part of CIFAR-10 (grey, animal against vehicle, 16 x 16 pixels), and MNIST's test
images (odd against even, 14 x 14 pixels). Settings are the learners' own, none is
chosen; a seed draws the division, the bags and the learner's weights, so that learners
of one seed are pairs.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from caveat.bags import bag_proportions, make_bags, random_bags
from caveat.bags.registry import LEARNERS
from caveat.bags.worlds._noisy_shares import told_shares
from caveat.datasets.readers._idx import read_idx
from caveat.datasets.sources._cifar import _VEHICLES, swapped_grey

TABLE = Path(__file__).with_name("small.csv")
COLUMNS = ("data", "world", "learner", "seed", "accuracy", "free", "seconds")
SEEDS = range(3)
SIZES = (8, 64, 512)
BESIDE = "dllp"
SUPERVISED = "dllp on labels"
NETWORKS = (BESIDE, "mix-bag", "transport-llp", "proportion-svm")
PUBLISHED = (BESIDE, "em-lr", "mm", "lmm", "amm")
STEPS = 400
NOISE: Mapping[str, Mapping[str, float]] = {
    "bags of 64, shares off by 0.1": {"share_sd": 0.1},
    "bags of 64, private shares, ε = 1": {"epsilon": 1.0},
}
VARIANTS = ("naive", "simple", "intermediate", "hard")
_ROWS = 5000


def plan() -> Iterator[tuple[str, str, str, int]]:
    """Every fit: data, world, learner, seed; whole worlds first."""
    sizes = [f"bags of {size}" for size in SIZES]
    worlds = [
        *(("cifar", world, NETWORKS) for world in sizes),
        *(("mnist", world, NETWORKS) for world in sizes),
        *(("cifar", world, PUBLISHED) for world in VARIANTS),
        *((data, "", (SUPERVISED,)) for data in ("cifar", "mnist", "adult")),
        *(("mnist", world, NETWORKS) for world in NOISE),
        *(("adult", world, NETWORKS) for world in (*sizes, *NOISE)),
        *(("cifar", world, NETWORKS) for world in NOISE),
    ]
    for data, world, learners in worlds:
        for seed in SEEDS:
            for learner in learners:
                yield data, world, learner, seed


def load(folder: Path, data: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Items in [-1, 1], and two classes."""
    if data == "adult":
        table = pd.read_parquet(folder / "label-proportions/adult-processed.parquet")
        table = table.iloc[: 2 * _ROWS]
        y = table.pop("y").to_numpy()
        return 2.0 * table.to_numpy() - 1.0, y
    if data == "cifar":
        with np.load(folder / "images" / "cifar10-part.npz") as file:
            pixels = np.concatenate([file["x_train"], file["x_test"]])
            labels = np.concatenate([file["y_train"], file["y_test"]])
        animal = ~np.isin(labels, _VEHICLES)
        return halved(swapped_grey(pixels)), animal.astype(np.int64)
    images, digits = (
        read_idx((folder / "eapp" / f"t10k-{name}-ubyte.gz").read_bytes(), name)
        for name in ("images-idx3", "labels-idx1")
    )
    return halved(images[:_ROWS]), (digits[:_ROWS] % 2).astype(np.int64)


def halved(images: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Means of two by two pixels in [-1, 1], a row per image."""
    n, height, width = images.shape
    blocks = images.reshape(n, height // 2, 2, width // 2, 2).mean(axis=(2, 4))
    return blocks.reshape(n, -1) / 127.5 - 1.0


def fit(
    items: tuple[NDArray[np.float64], NDArray[np.int64]],
    world: str,
    learner: str,
    seed: int,
) -> dict[str, Any]:
    """Accuracy on a quarter of the items after learning from the bags of the rest."""
    X, y = items
    order = np.random.RandomState(seed).permutation(len(y))
    test, train = order[: len(y) // 4], order[len(y) // 4 :]
    name = BESIDE if learner == SUPERVISED else learner
    model = LEARNERS[name].make()
    known = model.get_params()
    own = {"random_state": seed, "n_steps": STEPS}
    model.set_params(**{k: v for k, v in own.items() if k in known})
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if learner == SUPERVISED:
            model.fit(X[train], y[train])
        else:
            bags, shares = bagged(X[train], y[train], world, seed)
            kept = bags >= 0
            model.fit(X[train][kept], bags=bags[kept], proportions=shares)
    right = float((model.predict(X[test]) == y[test]).mean())
    return {
        "accuracy": round(right, 4),
        "free": round(float(max(y[test].mean(), 1 - y[test].mean())), 4),
        "seconds": round(time.process_time() - begin, 2),
    }


def bagged(
    X: NDArray[np.float64], y: NDArray[np.int64], world: str, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Bag of every training item (-1: none), and the shares as they are told."""
    if world in VARIANTS:
        made = make_bags(X, y, variant=world, n_bags=5, random_state=seed)
    else:
        made = random_bags(y, int(world.split()[2].rstrip(",")), random_state=seed)
    kept = made.assignment >= 0
    shares = bag_proportions(y[kept], made.assignment[kept])
    noise = NOISE.get(world, {})
    return made.assignment, told_shares(noise, shares, made.sizes, seed)


def whole_worlds(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the worlds of which all learners have all seeds."""
    fits = table[table["learner"] != SUPERVISED]
    keys = ["data", "world"]
    planned = pd.DataFrame(plan(), columns=[*keys, "learner", "seed"])
    wanted = planned.groupby(keys)["seed"].size()
    done = fits.groupby(keys)["seed"].transform("size")
    return fits[done == wanted.reindex(pd.MultiIndex.from_frame(fits[keys])).to_numpy()]


def summary(table: pd.DataFrame) -> list[str]:
    """Give a row per world and learner: mean, and the paired difference from DLLP."""
    lines = [
        "| data | world | learner | seeds | accuracy | beyond DLLP (95 %) | verdict |",
        "|---|---|---|---:|---:|---:|---|",
    ]
    taught = table[table["learner"] == SUPERVISED].groupby("data")["accuracy"].mean()
    whole = whole_worlds(table)
    for data, of_data in table.groupby("data", sort=False):
        floor = of_data["free"].mean()
        lines.append(f"| {data} | free: the larger class | | | {floor:.3f} | | |")
        if data in taught:
            known = f"| {data} | every label known | {BESIDE} | {len(SEEDS)} | "
            lines.append(f"{known}{taught[data]:.3f} | | |")
        for world, part in whole[whole["data"] == data].groupby("world", sort=False):
            wide = part.pivot_table(
                index="seed", columns="learner", values="accuracy", sort=False
            )
            for learner in wide:
                row = f"| {data} | {world} | {learner} | {len(wide)} | "
                row += f"{wide[learner].mean():.3f} | {_beside(wide, str(learner))}"
                lines.append(row)
    return lines


def _beside(wide: pd.DataFrame, learner: str) -> str:
    if learner == BESIDE:
        return " | |"
    gaps = wide[learner] - wide[BESIDE]
    if (gaps == 0).all():
        return "0 with every seed | equal |"
    half = stats.t.isf(0.025, len(gaps) - 1) * gaps.std() / np.sqrt(len(gaps))
    low, high = gaps.mean() - half, gaps.mean() + half
    verdict = "better" if low > 0 else "worse" if high < 0 else "undecided"
    return f"{gaps.mean():+.3f} ({low:+.3f} to {high:+.3f}) | {verdict} |"


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--most", type=int, default=10**6, help="fits, then stop")
    options = parser.parse_args()
    done: set[tuple[str, ...]] = set()
    if options.table.exists():
        with options.table.open(newline="", encoding="utf-8") as file:
            done = {
                (row["data"], row["world"], row["learner"], row["seed"])
                for row in csv.DictReader(file)
            }
    missing = [one for one in plan() if (*one[:3], str(one[3])) not in done]
    held: dict[str, Any] = {}
    for data, world, learner, seed in missing[: options.most]:
        if data not in held:
            held[data] = load(options.data, data)
        row = dict(zip(COLUMNS, (data, world, learner, seed), strict=False))
        row |= fit(held[data], world, learner, seed)
        is_new = not options.table.exists()
        with options.table.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerow(row)


if __name__ == "__main__":
    main()
