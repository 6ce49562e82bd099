"""Tiny tables, models of every kind, and the way to the real tables."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

FOLDER = Path(__file__).resolve().parents[2].parent / "shared/data/feature-shift"
TARGETS = {
    "iris": "Species",
    "heart": "HeartDisease",
    "abalone": "Age",
    "concrete": "csMPa",
    "penguins": "species",
    "eyemovements": "label",
}


def make_mixed(n=80, seed=0, task="binary"):
    """Numbers, whole numbers, text and truth values that all say something."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "count": rng.integers(0, 6, size=n),
            "colour": rng.choice(["blue", "green", "red"], size=n),
            "left": rng.random(n) < 0.4,
        }
    )
    score = X["size"] + 0.5 * X["count"] + (X["colour"] == "red") - X["left"]
    score = score + 0.3 * rng.normal(size=n)
    if task == "regression":
        return X, score
    cuts = score.quantile([0.5] if task == "binary" else [0.33, 0.66])
    names = np.array(["high", "low", "middle"])
    return X, pd.Series(names[np.searchsorted(cuts.to_numpy(), score)], name="y")


@pytest.fixture(scope="session")
def mixed():
    """Training and test part of a mixed table, for a task."""

    def parts(task="binary", n=80, seed=0):
        X, y = make_mixed(n, seed, task)
        cut = n * 5 // 8
        return X[:cut], y[:cut], X[cut:], y[cut:]

    return parts


@pytest.fixture(scope="session")
def real():
    """Training and test part of a real table, split as the paper's program does."""

    def load(name, seed=42):
        path = FOLDER / f"{name}.csv"
        if not path.exists():
            pytest.skip(f"{name}.csv is not beside the checkout")
        table = pd.read_csv(path)
        if name == "penguins":
            table = table.drop(columns="year")
        train, test = train_test_split(table, test_size=0.2, random_state=seed)
        target = TARGETS[name]
        return (
            train.drop(columns=target),
            train[target],
            test.drop(columns=target),
            test[target],
        )

    return load
