"""The clean ground that faults are planted in: a realistic table, one strong column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

TARGET = "outcome"
# A legitimate column of each type that tells much, by itself an AUC of about 0.85.
STRONG = ("none", "number", "integer", "two values", "category", "text", "skewed")


def ground(
    rng: np.random.Generator,
    rows: int,
    *,
    task: str = "binary",
    strong: str = "none",
    clear: bool = False,
) -> pd.DataFrame:
    """Make a table of mixed columns with a target that some of them tell in part.

    Parameters
    ----------
    rng : Generator
    rows : int
    task : {"binary", "multiclass", "regression"}
    strong : str
        One of `STRONG`.
    clear : bool
        Make the target nearly certain given all columns, by many columns together.
    """
    table = pd.DataFrame(
        {f"lab_{j}": rng.normal(size=rows) * 10.0**j for j in range(4)}
    )
    table["income"] = np.round(np.exp(rng.normal(10, 0.7, rows)), 2)
    table["age"] = rng.integers(18, 90, rows)
    table["visits"] = rng.poisson(3, rows)
    table["sex"] = rng.choice(["f", "m"], rows)
    table["region"] = rng.choice(["north", "south", "east", "west", "centre"], rows)
    score = table["lab_0"] + 0.06 * table["lab_1"] + 0.03 * (table["age"] - 54)
    score += 0.8 * (table["sex"] == "m") + 0.5 * (table["region"] == "east")
    if strong != "none":
        score = score + _STRONG[strong](rng, table)
    if clear:
        score = 4.0 * score
    table[TARGET] = _target(rng, score.to_numpy(), task)
    order = rng.permutation(table.shape[1] - 1)
    return table.iloc[:, [*order, table.shape[1] - 1]]


def _target(
    rng: np.random.Generator, score: NDArray[np.float64], task: str
) -> NDArray[np.object_] | NDArray[np.float64]:
    score = score - np.median(score)
    if task == "regression":
        noise = rng.normal(size=len(score)) * score.std() * 0.7
        return np.round(50 + 12 * (score + noise), 3)
    if task == "multiclass":
        noisy = score + rng.logistic(size=len(score))
        cuts = np.quantile(noisy, (0.35, 0.7))
        return np.array(["low", "middle", "high"], dtype=object)[
            np.searchsorted(cuts, noisy)
        ]
    drawn = rng.random(len(score)) < 1 / (1 + np.exp(-score))
    return np.array(["no", "yes"], dtype=object)[drawn.astype(int)]


def _number(rng: np.random.Generator, table: pd.DataFrame) -> NDArray[np.float64]:
    table["marker"] = rng.normal(size=len(table))
    return np.asarray(2.4 * table["marker"], dtype=float)


def _skewed(rng: np.random.Generator, table: pd.DataFrame) -> NDArray[np.float64]:
    hidden = rng.normal(size=len(table))
    table["volume"] = np.exp(1.2 * hidden)
    return 2.4 * hidden


def _integer(rng: np.random.Generator, table: pd.DataFrame) -> NDArray[np.float64]:
    table["points"] = rng.binomial(20, 0.5, len(table))
    return 1.05 * (table["points"].to_numpy() - 10)


def _two_values(rng: np.random.Generator, table: pd.DataFrame) -> NDArray[np.float64]:
    table["smoker"] = rng.integers(0, 2, len(table))
    return 4.0 * (table["smoker"].to_numpy() - 0.5)


def _category(rng: np.random.Generator, table: pd.DataFrame) -> NDArray[np.float64]:
    table["grade"] = rng.choice(list("ABCDEFG"), len(table))
    return 1.1 * (table["grade"].map("ABCDEFG".index).to_numpy() - 3.0)


def _text(rng: np.random.Generator, table: pd.DataFrame) -> NDArray[np.float64]:
    words = np.array(
        ["walks", "eats", "sleeps", "reads", "swims", "plays", "cooks", "sings"]
    )
    good = rng.integers(0, 2, len(table))
    drawn = rng.choice(words, (len(table), 4))
    marks = np.where(good == 1, "well", "badly")
    table["remark"] = [
        " ".join([*row, mark]) for row, mark in zip(drawn, marks, strict=True)
    ]
    return np.asarray(4.0 * (good - 0.5), dtype=float)


_STRONG: dict[
    str, Callable[[np.random.Generator, pd.DataFrame], NDArray[np.float64]]
] = {
    "number": _number,
    "skewed": _skewed,
    "integer": _integer,
    "two values": _two_values,
    "category": _category,
    "text": _text,
}
