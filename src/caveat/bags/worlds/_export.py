"""The 72 standard assignments as files, made from the user's copy of the data."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat._files import write_whole
from caveat.bags.worlds._clusters import cluster_items
from caveat.bags.worlds._standard import DATASETS, SEED, StandardBags, standard_bags
from caveat.datasets import load
from caveat.exceptions import CaveatError


def export_standard_bags(
    folder: str | Path,
    *,
    base: str | None = None,
    data_home: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[list[Path], list[str]]:
    """Write the bag of every row, a CSV file per standard data set.

    Parameters
    ----------
    folder : path
        Gets ``<published name>.csv`` with the columns ``row`` (from 0, in the order of
        `caveat.datasets.load`) and ``bag``, and ``digests.csv``.
    base : {"adult", "cifar"}, optional
        One base data set only.
    data_home : str, optional
        The data folder.
    progress : callable, optional
        Gets ``(done, total)``.

    Returns
    -------
    written : list of Path
    missing : list of str
        A sentence for each base data set that is not there.

    Warnings
    --------
    Intermediate bags repeat the released search, which takes a minute each. Those of
    Adult equal the released files; none of CIFAR-10 were released to compare with.
    """
    wanted = standard_bags(base)
    place = Path(folder)
    written: list[Path] = []
    missing: list[str] = []
    rows: list[dict[str, Any]] = []
    for name, key in DATASETS.items():
        mine = [one for one in wanted if one.base == key]
        if not mine:
            continue
        try:
            dataset = load(name, data_home=data_home)
        except CaveatError as error:
            missing.append(f"{len(mine)} of {name} are not written: {error}")
            continue
        place.mkdir(parents=True, exist_ok=True)
        X = dataset.X.to_numpy(dtype=np.float64)
        if X.max() > 1.0:
            X = X / 255.0
        classes = {label: code for code, label in enumerate(dataset.classes)}
        y = np.array([classes[label] for label in dataset.y.tolist()])
        clusters = None
        if any(_clustered(one) for one in mine):
            clusters = cluster_items(X, 5, SEED, legacy=True)
        for one in mine:
            made = one.make(X, y, clusters=clusters if _clustered(one) else None)
            text = _text(made.assignment)
            path = write_whole(place / f"{one.name}.csv", text)
            written.append(path)
            digest = hashlib.sha256(text.encode()).hexdigest()
            rows.append({"file": path.name, "sha256": digest})
            progress(len(written), len(wanted))
    if rows:
        table = pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")
        write_whole(place / "digests.csv", table)
    return written, missing


def _clustered(one: StandardBags) -> bool:
    return one.variant in ("intermediate", "hard")


def _text(bags: Any) -> str:
    table = pd.DataFrame({"row": np.arange(len(bags)), "bag": bags})
    return table.to_csv(index=False, lineterminator="\n")
