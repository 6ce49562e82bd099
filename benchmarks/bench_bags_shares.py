"""Answers from shares alone on five tables: accuracy, floor, bounds, regret.

    python benchmarks/bench_bags_shares.py FOLDER

FOLDER holds ``adult-raw.parquet``; without it Adult is left out. Learner and settings
are chosen by split-bag-shuffle; the oracle chooses both by the labels of all items.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, make_classification

from caveat.bags import bag_proportions, make_bags, search
from caveat.bags._examine import QUICK_GRIDS, QUICK_LEARNERS
from caveat.bags._met_shares import met_shares
from caveat.bags.ecological import accuracy_bounds
from caveat.bags.ecological._predictions import answer
from caveat.bags.ecological._read import Grouped
from caveat.bags.registry import LEARNERS

ROWS = 5000


def worlds(
    folder: str | None,
) -> Iterator[tuple[str, pd.DataFrame, np.ndarray, np.ndarray]]:
    """Name, items, groups and labels."""
    if folder is not None:
        table = pd.read_parquet(Path(folder) / "adult-raw.parquet")
        table = table.sample(ROWS, random_state=0).reset_index(drop=True)
        y = (table.pop("income").str.strip() == ">50K").to_numpy().astype(int)
        groups = pd.factorize(table.pop("occupation").fillna("?"), sort=True)[0]
        sizes = np.bincount(groups)
        kept = sizes[groups] >= 10
        groups = pd.factorize(groups[kept])[0]
        yield "Adult by occupation", table[kept].reset_index(drop=True), groups, y[kept]
    X, y = load_breast_cancer(return_X_y=True)
    clinic = make_bags(X, y, variant="simple", n_bags=6, random_state=1).assignment
    yield "breast cancer by clinic", pd.DataFrame(X).add_prefix("x"), clinic, y
    X, y = make_classification(2000, 8, n_informative=5, class_sep=1.0, random_state=0)
    for variant in ("simple", "intermediate", "hard"):
        groups = make_bags(X, y, variant=variant, n_bags=10, random_state=2).assignment
        yield f"simulated, {variant}", pd.DataFrame(X).add_prefix("x"), groups, y


def main() -> None:
    """Print a row per table."""
    warnings.simplefilter("ignore")
    for name, frame, groups, y in worlds(sys.argv[1] if len(sys.argv) > 1 else None):
        shares = bag_proportions(y, groups)
        names = [str(k) for k in range(len(shares))]
        known = Grouped(frame, {}, groups, names, ("no", "yes"), shares, None)
        found = answer(
            known,
            learners=QUICK_LEARNERS,
            keep_by=False,
            max_items=ROWS,
            seed=0,
            progress=lambda done, total: None,
        )
        decided = found.proba.argmax(axis=1)
        low, high = accuracy_bounds(decided, groups, shares)
        best = 0.0
        for learner in QUICK_LEARNERS:
            tried = search(
                LEARNERS[learner].make_for({}, random_state=0),
                QUICK_GRIDS.get(learner, LEARNERS[learner].grid),
                found.items,
                groups,
                shares,
                strategies=["split-bag-shuffle"],
                n_splits=2,
                random_state=0,
            )
            for model in tried.models:
                proba = model.predict_proba(found.items)
                shifted = met_shares(proba, known.groups, known.shares)
                best = max(best, float((shifted.argmax(axis=1) == y).mean()))
        right = float((decided == y).mean())
        assert low - 1e-9 <= right <= high + 1e-9
        sizes = np.bincount(groups) / len(groups)
        floor = float(sizes @ shares.max(axis=1))
        print(
            f"| {name} | {found.learner} | {right:.3f} | {best - right:.3f} | "
            f"{floor:.3f} | {low:.3f} to {high:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
