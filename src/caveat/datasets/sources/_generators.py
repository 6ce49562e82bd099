"""Small worlds whose truth is known, for demonstrations and tests.

Every one is the same on every machine: numpy's frozen legacy generator draws, and
results are rounded to six decimals, which hides the last bit of a logarithm.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.datasets._dataset import Dataset


def _table(values: NDArray[np.float64], prefix: str = "x") -> pd.DataFrame:
    columns = [f"{prefix}{j + 1}" for j in range(values.shape[1])]
    return pd.DataFrame(np.round(values, 6), columns=columns)


def noise(rows: int = 500, columns: int = 10, seed: int = 1) -> Dataset:
    """Draw features that say nothing about the label: every score above 0.5 is luck."""
    draw = np.random.RandomState(seed)
    X = draw.standard_normal((rows, columns))
    y = np.where(draw.permutation(rows) < rows // 2, "no", "yes")
    return Dataset(
        name="noise", X=_table(X), y=pd.Series(y, name="label"), task="binary"
    )


def blobs(rows: int = 600, columns: int = 4, seed: int = 2) -> Dataset:
    """Draw three well separated clouds, one per class: any learner should shine."""
    draw = np.random.RandomState(seed)
    label = np.arange(rows) % 3
    centres = 6.0 * np.eye(3, columns)
    X = centres[label] + draw.standard_normal((rows, columns))
    return Dataset(
        name="blobs",
        X=_table(X),
        y=pd.Series(np.array(["red", "green", "blue"])[label], name="colour"),
        task="multiclass",
    )


def xor(rows: int = 400, seed: int = 3) -> Dataset:
    """Draw four tight clouds with the labels of exclusive or: no line tells them."""
    draw = np.random.RandomState(seed)
    corner = np.arange(rows) % 4
    centres = np.array([[-1, -1], [1, 1], [-1, 1], [1, -1]], dtype=float)
    X = centres[corner] + 0.15 * draw.standard_normal((rows, 2))
    y = np.where(corner < 2, "same", "different")
    return Dataset(name="xor", X=_table(X), y=pd.Series(y, name="signs"), task="binary")


def moons(rows: int = 500, spread: float = 0.2, seed: int = 4) -> Dataset:
    """Draw two half circles that hold one another: curved, with a little overlap."""
    draw = np.random.RandomState(seed)
    lower = np.arange(rows) % 2 == 1
    angle = np.pi * draw.random_sample(rows)
    x = np.where(lower, 1 - np.cos(angle), np.cos(angle))
    height = np.where(lower, 0.5 - np.sin(angle), np.sin(angle))
    X = np.column_stack([x, height]) + spread * draw.standard_normal((rows, 2))
    y = np.where(lower, "lower", "upper")
    return Dataset(
        name="moons", X=_table(X), y=pd.Series(y, name="moon"), task="binary"
    )


def friedman(rows: int = 500, columns: int = 10, seed: int = 5) -> Dataset:
    """Draw the regression world of Friedman (1991): five columns count, five do not.

    References
    ----------
    .. [1] J. H. Friedman (1991). Multivariate adaptive regression splines. The
       Annals of Statistics 19(1), equation (61).
    """
    draw = np.random.RandomState(seed)
    X = draw.random_sample((rows, columns))
    y = (
        10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        + 20 * (X[:, 2] - 0.5) ** 2
        + 10 * X[:, 3]
        + 5 * X[:, 4]
        + draw.standard_normal(rows)
    )
    return Dataset(
        name="friedman",
        X=_table(X),
        y=pd.Series(np.round(y, 6), name="y"),
        task="regression",
    )


def leak(rows: int = 600, columns: int = 7, seed: int = 6) -> Dataset:
    """Draw a weak task in which one column gives the answer away.

    `receipt` was written after the outcome was known. A model that leans on it scores
    high and falls when it vanishes; `x1` carries the little that can be learnt.
    """
    draw = np.random.RandomState(seed)
    X = draw.standard_normal((rows, columns))
    late = X[:, 0] + 2.0 * draw.standard_normal(rows) > 0
    frame = _table(X)
    frame["receipt"] = np.round(late + 0.1 * draw.standard_normal(rows), 6)
    y = np.where(late, "late", "on time")
    return Dataset(name="leak", X=frame, y=pd.Series(y, name="payment"), task="binary")


def lending(rows: int = 1000, seed: int = 7) -> Dataset:
    """Draw a table like people have: text, truth values, gaps, a region for bags."""
    draw = np.random.RandomState(seed)
    region = draw.choice(
        ["east", "north", "south", "west"], rows, p=[0.4, 0.3, 0.2, 0.1]
    )
    age = draw.randint(18, 80, rows)
    income = np.round(np.exp(10 + 0.5 * draw.standard_normal(rows)))
    amount = np.round(income * (0.1 + 0.9 * draw.random_sample(rows)))
    owner = draw.random_sample(rows) < 0.2 + 0.005 * age
    job = draw.choice(["none", "part", "full", "self"], rows, p=[0.1, 0.2, 0.5, 0.2])
    strain = (
        3.0 * amount / income
        - 0.02 * age
        - 0.8 * owner
        + 1.5 * (job == "none")
        + 0.6 * (region == "west")
        - 1.0
    )
    default = draw.logistic(size=rows) < strain
    frame = pd.DataFrame(
        {
            "age": age,
            "income": np.where(draw.random_sample(rows) < 0.05, np.nan, income),
            "amount": amount,
            "owner": owner,
            "job": pd.Series(job).where(draw.random_sample(rows) > 0.03),
            "region": region,
        }
    )
    y = pd.Series(np.where(default, "yes", "no"), name="default")
    return Dataset(name="lending", X=frame, y=y, task="binary")


def sectors(rows: int = 2000, seed: int = 8) -> Dataset:
    """Draw points of a square cut by its diagonals, each triangle with its labels.

    Right {A}, top {A, B, C}, left {B, D}, bottom {A, B, C, D}. C lives on two
    opposite triangles, so no linear score ranks it well.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML. The figure of its synthetic data is read as four triangles.
    """
    draw = np.random.RandomState(seed)
    X = 2 * draw.random_sample((rows, 2)) - 1
    x, height = X.T
    sector = np.select(
        [x >= np.abs(height), height >= np.abs(x), -x >= np.abs(height)], [0, 1, 2], 3
    )
    sets = np.array([[1, 0, 0, 0], [1, 1, 1, 0], [0, 1, 0, 1], [1, 1, 1, 1]])
    Y = pd.DataFrame(sets[sector], columns=list("ABCD"))
    return Dataset(name="sectors", X=_table(X), Y=Y, task="multilabel")


def tags(rows: int = 300, columns: int = 12, labels: int = 6, seed: int = 9) -> Dataset:
    """Draw items with one to all of six tags, each a noisy linear rule; one is rare."""
    draw = np.random.RandomState(seed)
    X = draw.standard_normal((rows, columns))
    score = X @ draw.standard_normal((columns, labels))
    score += draw.standard_normal((rows, labels))
    score -= np.quantile(score, np.linspace(0.5, 0.97, labels), axis=0).diagonal()
    Y = (score > 0).astype(int)
    Y[np.arange(rows), score[:, :-1].argmax(axis=1)] = 1  # nobody is without a tag
    names = [f"tag-{j + 1}" for j in range(labels)]
    return Dataset(
        name="tags", X=_table(X), Y=pd.DataFrame(Y, columns=names), task="multilabel"
    )


def doubtful(
    rows: int = 500, columns: int = 6, classes: int = 5, seed: int = 10
) -> Dataset:
    """Draw clouds whose items carry candidate labels: the true one and some others."""
    draw = np.random.RandomState(seed)
    y = np.arange(rows) % classes
    centres = 2.5 * draw.standard_normal((classes, columns))
    X = centres[y] + draw.standard_normal((rows, columns))
    candidates = draw.random_sample((rows, classes)) < 0.3
    candidates[np.arange(rows), y] = True
    return Dataset(
        name="doubtful",
        X=_table(X),
        y=pd.Series(y, name="class"),
        candidates=candidates,
        task="candidates",
    )
