"""Derived columns while others vanish: Table 10 of the paper, measured on heart.

    python -m papers.shift.autofe FOLDER

FOLDER holds ``heart.csv``. On every split CatBoost is fitted again to what is left,
once as it is and once with the columns that `generation.choose` derives from it on
training rows. It writes ``results-autofe.csv``; ``page.py`` makes the section of it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from sklearn.model_selection import train_test_split

from caveat.models import make_model
from papers.shift.cells import CONSTANT, free, grid, interval, number, read
from papers.shift.generation import generation_curve
from papers.shift.run import SEEDS, load, save

TABLE = Path(__file__).with_name("results-autofe.csv")
SUBSETS = 5


def main(folder: Path) -> None:
    """Measure the three splits, and write the table."""
    X, y, task = load(folder, "heart")
    found = []
    for seed in SEEDS:
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=0.2, random_state=seed
        )
        curve = generation_curve(
            lambda seed=seed: make_model("catboost", task, random_state=seed),
            *(X_train, y_train, X_test, y_test),
            measure="accuracy",
            subsets=SUBSETS,
            seed=seed,
        )
        found.append(curve.assign(seed=seed))
    save(pd.concat(found, ignore_index=True), TABLE)


def autofe_section() -> str:
    """Show refitted CatBoost with and without derived columns, beside print."""
    found = read(TABLE.name)
    printed = read("published-autofe.csv")
    alone, derived = (list(printed[f"CatBoost {how}"]) for how in ("alone", "OpenFE"))
    constant = number(free("heart", "accuracy"))
    rows: list[list[object]] = [[CONSTANT, constant, constant, "", "", constant, ""]]
    for k, part in found.groupby("k"):
        mean, half = interval(part["generated"] - part["refitted"])
        rows.append(
            [
                k,
                number(float(part["refitted"].mean())),
                number(float(part["generated"].mean())),
                f"{mean:+.3f} ± {half:.3f}",
                f"{part['columns'].mean():.1f}",
                number(float(alone[int(k)])),
                number(float(derived[int(k)])),
            ]
        )
    last = [number(float(values[-1])) for values in (alone, derived)]
    rows.append([len(alone) - 1, "", "", "", "0.0", *last])
    return grid(
        [
            "columns gone",
            "ours, refitted",
            "ours, with derived columns",
            "gain",
            "derived",
            "print, filled in",
            "print, OpenFE",
        ],
        rows,
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
