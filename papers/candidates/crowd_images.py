"""Three people per image: labels by vote, by inference, by a network, by both.

    python -m papers.candidates.crowd_images PART.npz

writes crowd-images.csv beside this file. PART.npz holds a part of CIFAR-10 with three
people's labels for each training image (CIFAR-10N) and clean test images: the arrays
x_train, y_train, annotators_train, x_test and y_test. True labels judge only.

Images become frozen features: histograms of gradients, and means and deviations of
colours on a grid, drawn together to 200 principal components of the training images.
One network (a hidden layer of 500, 1,000 steps of Adam) learns from every kind of
label, and PRODEN from the union of what the three people said, with the same budget.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from caveat.candidates import (
    CrowdClassifier,
    DawidSkene,
    MajorityVote,
    PartialLabelClassifier,
    PooledCrowd,
    as_answers,
    out_of_fold,
    soft_targets,
)
from caveat.candidates.crowd import decide
from caveat.training import sandbox

OUT = Path(__file__).parent / "crowd-images.csv"
STEPS, BATCH, HIDDEN, COMPONENTS, RESAMPLES = 1000, 128, 500, 200, 2000
VOTE, UNION = "vote", "PRODEN on the union"

Floats = NDArray[np.float64]


class SoftNetwork(ClassifierMixin, BaseEstimator):
    """A network with one hidden layer that takes weighted rows."""

    def __init__(self, steps: int = STEPS, random_state: int = 0) -> None:
        self.steps = steps
        self.random_state = random_state

    def fit(self, X: Floats, y: NDArray, sample_weight: Floats) -> Self:
        """Learn for a number of steps, rows drawn by their weight."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        x = torch.as_tensor(np.asarray(X, dtype=np.float32))
        target = torch.as_tensor(codes)
        weight = torch.as_tensor(np.asarray(sample_weight, dtype=np.float32))
        with sandbox(self.random_state, threads=1):
            self.network_ = torch.nn.Sequential(
                torch.nn.Linear(x.shape[1], HIDDEN),
                torch.nn.ReLU(),
                torch.nn.Linear(HIDDEN, len(self.classes_)),
            )
            adam = torch.optim.Adam(
                self.network_.parameters(), 1e-3, weight_decay=1e-5, fused=True
            )
            for _ in range(self.steps):
                rows = torch.multinomial(weight, BATCH, replacement=True)
                loss = torch.nn.functional.cross_entropy(
                    self.network_(x[rows]), target[rows]
                )
                adam.zero_grad(set_to_none=True)
                loss.backward()
                adam.step()
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return probabilities, items by classes."""
        with torch.no_grad():
            scores = self.network_(torch.as_tensor(np.asarray(X, dtype=np.float32)))
        return scores.softmax(dim=1).numpy().astype(float)


def features(images: NDArray) -> Floats:
    """Turn images into histograms of gradients and of colours, on a grid."""
    grey = images.mean(axis=3) / 255.0
    down, across = np.gradient(grey, axis=(1, 2))
    size, angle = np.hypot(down, across), np.arctan2(down, across) % np.pi
    part = np.minimum((angle / np.pi * 9).astype(int), 8)
    count, height, width = grey.shape
    cells = np.zeros((count, height // 4, width // 4, 9), dtype=np.float32)
    for n in range(9):
        own = np.where(part == n, size, 0.0)
        cells[..., n] = own.reshape(count, height // 4, 4, width // 4, 4).sum((2, 4))
    energy = np.sqrt((cells**2).sum(axis=3, keepdims=True))
    near = np.pad(energy, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="edge")
    near = sum(
        near[:, i : i + height // 4, j : j + width // 4]
        for i in range(3)
        for j in range(3)
    )
    cells = cells / (near / 9 + 0.1)
    grid = (images / 255.0).reshape(count, 4, height // 4, 4, width // 4, 3)
    parts = [cells, grid.mean((2, 4)), grid.std((2, 4))]
    return np.concatenate([one.reshape(count, -1) for one in parts], axis=1)


def frozen(train: NDArray, test: NDArray) -> tuple[Floats, Floats]:
    """Give standardised principal components, learnt from training images alone."""
    left, right = features(train), features(test)
    middle, spread = left.mean(axis=0), left.std(axis=0) + 1e-6
    left, right = (left - middle) / spread, (right - middle) / spread
    _, vectors = np.linalg.eigh(left.T @ left / len(left))
    basis = vectors[:, ::-1][:, :COMPONENTS]
    left, right = left @ basis, right @ basis
    return left / left.std(axis=0), right / left.std(axis=0)


def answers_of(labels: NDArray) -> pd.DataFrame:
    """Make a long table of three people's labels."""
    items, people = labels.shape
    return pd.DataFrame(
        {
            "item": np.repeat(np.arange(items), people),
            "annotator": np.tile([f"person {n + 1}" for n in range(people)], items),
            "label": labels.ravel(),
        }
    )


def row(
    part: str, way: str, right: NDArray, vote: NDArray, union: NDArray
) -> dict[str, Any]:
    """Judge labels, and compare them with two others, paired over images."""
    rng = np.random.default_rng(50)
    size = len(right)
    drawn = rng.multinomial(size, np.full(size, 1 / size), RESAMPLES) / size
    found: dict[str, Any] = {"part": part, "way": way, "images": size}
    for name, values in (
        ("accuracy", right.astype(float)),
        ("over_vote", right.astype(float) - vote),
        ("over_union", right.astype(float) - union),
    ):
        low, high = np.quantile(drawn @ values, [0.025, 0.975])
        found |= {name: values.mean(), f"{name}_low": low, f"{name}_high": high}
    return found


def taught(rows: Floats, proba: Floats, test: Floats, seed: int) -> NDArray:
    """Teach the network probable labels, and let it label test images."""
    data, codes, weights = soft_targets(rows, proba)
    model = SoftNetwork(random_state=seed).fit(data, codes, weights)
    return model.classes_[model.predict_proba(test).argmax(axis=1)]


def main(file: str) -> None:
    """Label, teach, judge, and write the table."""
    with np.load(file) as part:
        data = {name: part[name] for name in part.files}
    rows, test = frozen(data["x_train"], data["x_test"])
    found = as_answers(answers_of(data["annotators_train"]))
    truth, true_test = data["y_train"], data["y_test"]
    vote, model = MajorityVote().fit(found), DawidSkene().fit(found)
    pooled = PooledCrowd().fit(found)
    joint = CrowdClassifier(SoftNetwork()).fit(rows, found)
    union = found.votes() > 0
    told = out_of_fold(rows, union, "proden", steps=STEPS, random_state=0)
    network = PartialLabelClassifier(
        "proden", hidden=(HIDDEN,), max_steps=STEPS, batch_size=BATCH, random_state=0
    ).fit(rows, union)
    among = np.where(union, told, 0.0)
    by_vote = np.eye(10)[decide(vote.posterior_)]
    labels = {
        VOTE: vote.posterior_,
        "Dawid-Skene": model.posterior_,
        "pooled": pooled.posterior_,
        "network alone": joint.soft_,
        "joint": joint.posterior_,
        UNION: among,
    }
    taught_by = {
        VOTE: by_vote,
        "vote shares": vote.posterior_,
        "Dawid-Skene": model.posterior_,
        "network from soft targets": pooled.posterior_,
        "joint": joint.posterior_,
    }
    right = {way: decide(proba) == truth for way, proba in labels.items()}
    tested = {
        way: taught(rows, proba, test, 0) == true_test
        for way, proba in taught_by.items()
    }
    tested[UNION] = network.predict(test) == true_test
    table = [
        row(name, way, one, part[VOTE], part[UNION])
        for name, part in (("labels", right), ("test", tested))
        for way, one in part.items()
    ]
    pd.DataFrame(table).to_csv(OUT, index=False, float_format="%.4f")


if __name__ == "__main__":
    main(sys.argv[1])
