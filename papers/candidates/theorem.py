"""Where the approximated accuracy equals the accuracy on average, and how far off else.

Run it as ``python -m papers.candidates.theorem``; it writes theorem.csv. Items have
class probabilities from a Dirichlet distribution; the model knows them exactly (it is
calibrated), but where a row says otherwise. Theorem 2 of Wang et al. (2025) asks for a
calibrated model and for sets whose probability does not depend on which of their labels
is the true one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from caveat.candidates import (
    approximated_accuracy,
    flip_candidates,
    instance_candidates,
    noisy_candidates,
    oracle_accuracy,
    uniform_candidates,
)
from papers.candidates.floors import ONE_LABEL

OUT = Path(__file__).parent / "theorem.csv"
ITEMS, CLASSES, REPEATS, SPREAD = 4000, 10, 40, 0.3

Draw = Callable[[np.ndarray, np.ndarray, int], np.ndarray]


def _flip(y: np.ndarray, p: np.ndarray, seed: int) -> np.ndarray:
    return flip_candidates(y, CLASSES, rate=0.3, random_state=seed)


def _pairs(y: np.ndarray, p: np.ndarray, seed: int) -> np.ndarray:
    return flip_candidates(y, CLASSES, rate=0.7, pairwise=True, random_state=seed)


def _near(y: np.ndarray, p: np.ndarray, seed: int) -> np.ndarray:
    return instance_candidates(y, p, rate=0.4, random_state=seed)


def _noisy(y: np.ndarray, p: np.ndarray, seed: int) -> np.ndarray:
    return noisy_candidates(_flip(y, p, seed), y, rate=0.2, random_state=seed + 1)


def _uniform(y: np.ndarray, p: np.ndarray, seed: int) -> np.ndarray:
    return uniform_candidates(y, CLASSES, random_state=seed)


#: Name, whether the theorem's condition holds, how sets come about, temperature.
WORLDS: list[tuple[str, bool, Draw, float]] = [
    ("uniform sets, calibrated model", True, _uniform, 1.0),
    ("flipped labels, rate 0.3, calibrated model", True, _flip, 1.0),
    ("flipped labels, overconfident model (logits doubled)", False, _flip, 0.5),
    ("flipped labels, timid model (logits halved)", False, _flip, 2.0),
    ("one confusable label each, rate 0.7, calibrated model", False, _pairs, 1.0),
    ("likely labels flipped more often, calibrated model", False, _near, 1.0),
    ("flipped labels, 20 % of the sets miss the truth", False, _noisy, 1.0),
]


def simulate() -> pd.DataFrame:
    """Give the mean difference and its standard error, for every world."""
    found = []
    for name, holds, draw, temperature in WORLDS:
        gaps, scores, free = [], [], []
        for repeat in range(REPEATS):
            rng = np.random.default_rng([7, repeat])
            p = rng.dirichlet(np.full(CLASSES, SPREAD), ITEMS).clip(1e-12)
            p /= p.sum(axis=1, keepdims=True)
            y = (p.cumsum(axis=1) < rng.random((ITEMS, 1))).sum(axis=1)
            y = y.clip(max=CLASSES - 1)
            model = p ** (1 / temperature)
            model /= model.sum(axis=1, keepdims=True)
            sets = draw(y, p, 1000 + repeat)
            accuracy = oracle_accuracy(model, y)
            gaps.append(approximated_accuracy(model, sets) - accuracy)
            scores.append(accuracy)
            free.append(np.bincount(y).max() / ITEMS)
        error = np.std(gaps, ddof=1) / np.sqrt(REPEATS)
        means = [np.mean(one) for one in (scores, gaps)]
        found.append((name, holds, *means, error, np.mean(free)))
    columns = ["world", "holds", "accuracy", "gap", "error", "free"]
    return pd.DataFrame(found, columns=columns)


def section() -> str:
    """Tell what the simulation found."""
    lines = ["| world | condition | accuracy | AA less accuracy | 95 % interval |"]
    lines.append("| --- | --- | --- | --- | --- |")
    table = pd.read_csv(OUT)
    lines.append(f"| {ONE_LABEL} |  | {100 * table['free'].mean():.1f} |  |  |")
    for row in table.itertuples():
        low, high = row.gap - 1.96 * row.error, row.gap + 1.96 * row.error
        holds = "holds" if row.holds else "does not"
        cells = [row.world, holds, f"{100 * row.accuracy:.1f}", f"{100 * row.gap:+.2f}"]
        cells.append(f"{100 * low:+.2f} to {100 * high:+.2f}")
        lines.append("| " + " | ".join(cells) + " |")
    return (
        f"Theorem 2 as a simulation: {REPEATS} draws of {ITEMS:,} items of {CLASSES} "
        "classes; in points. Written by `papers/candidates/theorem.py`.\n\n"
        + "\n".join(lines)
        + "\n"
    )


if __name__ == "__main__":
    simulate().to_csv(OUT, index=False, float_format="%.6g")
