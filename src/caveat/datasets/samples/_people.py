"""Samples in which the labels are weak: several people's, or only shares of groups."""

from __future__ import annotations

import numpy as np
import pandas as pd

from caveat.datasets.samples._write import Sample

PEOPLE = (("anna", 0.9, 0.2), ("ben", 0.8, 0.1), ("carl", 0.5, 0.0))
"""Who answers, how often from knowledge, how often with a second name."""
SPECIES = np.array(["robin", "wren", "finch", "thrush"])


def birds(rng: np.random.Generator) -> Sample:
    """Birds: three people name each recording; Carl guesses half of the time."""
    n = 500
    truth = rng.integers(0, len(SPECIES), n)
    centres = rng.normal(0, 1.6, (len(SPECIES), 5))
    sounds = centres[truth] + rng.normal(0, 1.0, (n, 5))
    table = pd.DataFrame(
        sounds.round(3), columns=["pitch", "length", "trill", "pause", "volume"]
    )
    table.insert(0, "recording", [f"rec-{number:04d}.wav" for number in range(n)])
    for name, skill, unsure in PEOPLE:
        table[name] = [_answer(kind, skill, unsure, rng) for kind in truth]
    table["species"] = SPECIES[truth]
    story = (
        "500 recordings. Anna knows nine birds of ten, Ben eight, Carl half of them; "
        "whoever does not know guesses, so Carl is right in six of ten. Anna and Ben "
        "sometimes name two birds. The three do not deserve the same vote. `species` "
        "is the truth; `recording` names a row and tells nothing."
    )
    return Sample({"birds.csv": table}, story)


def _answer(kind: int, skill: float, unsure: float, rng: np.random.Generator) -> str:
    said = kind if rng.random() < skill else int(rng.integers(len(SPECIES)))
    found = {str(SPECIES[said])}
    if rng.random() < unsure:
        found.add(str(SPECIES[rng.integers(len(SPECIES))]))
    return "|".join(sorted(found))


def shops(rng: np.random.Generator) -> Sample:
    """Shops: customers without labels, and a table with the share of each shop."""
    n, stores = 1800, 24
    shop = rng.integers(0, stores, n)
    taste = rng.normal(0, 1.0, stores)
    loyal = taste[shop] + rng.normal(0, 1, n)
    spent = np.exp(3 + 0.35 * loyal + rng.normal(0, 0.4, n))
    visits = rng.poisson(np.exp(0.8 + 0.3 * loyal))
    returns = rng.random(n) < 1 / (1 + np.exp(-(0.4 + 1.3 * loyal)))
    names = np.array([f"shop-{number:02d}" for number in range(stores)])
    table = pd.DataFrame(
        {
            "customer": [f"C{number:05d}" for number in rng.permutation(n)],
            "shop": names[shop],
            "spent": spent.round(2),
            "visits": visits,
            "distance": rng.gamma(2, 2.5, n).round(1),
        }
    )
    share = pd.Series(returns).groupby(names[shop]).mean().round(4)
    shares = pd.DataFrame({"shop": share.index, "share": share.to_numpy()})
    truth = pd.DataFrame(
        {"row": np.arange(n), "label": np.where(returns, "returns", "leaves")}
    )
    story = (
        "1,800 customers of 24 shops. Who returns is known per shop only "
        "(shop-shares.csv); it depends on `spent` and `visits`, not on `distance`. "
        "shop-truth.csv holds what nobody would have, to check the predictions with."
    )
    tables = {"shops.csv": table, "shop-shares.csv": shares, "shop-truth.csv": truth}
    return Sample(tables, story)
