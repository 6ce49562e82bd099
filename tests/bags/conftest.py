"""Small problems with bags, and the released Adult bags where they are at hand."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from caveat.bags import bag_proportions

ADULT = Path(__file__).parents[2].parent / "shared" / "data" / "label-proportions"


@pytest.fixture(scope="session")
def bagged():
    """Two overlapping classes in four bags with different shares."""
    return make_problem(n_items=240, n_classes=2, seed=0)


@pytest.fixture(scope="session")
def three_classes():
    return make_problem(n_items=300, n_classes=3, seed=1)


def make_problem(*, n_items, n_classes, seed, n_features=4, n_bags=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_items)
    centres = 2.0 * rng.normal(size=(n_classes, n_features))
    X = centres[y] + rng.normal(size=(n_items, n_features))
    X -= X.mean(axis=0)
    lean = rng.dirichlet(np.ones(n_bags), size=n_classes)
    bags = np.array([rng.choice(n_bags, p=lean[label]) for label in y])
    bags[:n_bags] = np.arange(n_bags)
    shares = bag_proportions(y, bags, classes=np.arange(n_classes))
    # Tests share a problem, and no learner may change it.
    for array in (X, y, bags, shares):
        array.setflags(write=False)
    return SimpleNamespace(X=X, y=y, bags=bags, shares=shares)


@pytest.fixture(scope="session")
def adult():
    """The processed Adult data and its released bags."""
    file = ADULT / "adult-processed.parquet"
    if not file.exists():
        pytest.skip(f"needs the released bags in {ADULT}")
    table = pd.read_parquet(file)
    y = table.pop("y").to_numpy()

    def bags(name):
        return pd.read_parquet(ADULT / f"{name}.parquet")["bag"].to_numpy()

    clusters = pd.read_parquet(ADULT / "adult-clusters-kmeans-5.parquet")["cluster"]
    return SimpleNamespace(X=table.to_numpy(), y=y, bags=bags, clusters=clusters)
