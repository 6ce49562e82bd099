"""Partial-label algorithms against plain PyTorch loops of the usual shape.

Run it as ``OMP_NUM_THREADS=1 python benchmarks/bench_partial.py [FOLDER [NAME ...]]``.
FOLDER holds lost.mat and italian.mat; without it tables of their shape are made up. The
plain loops use a DataLoader, torch.optim.Adam as it comes, a second forward pass where
the benchmark's code has one, and its tensors (pairs of rows and excluded labels spelt
out). Both sides see the same batches and start from the same weights. Losses must
agree: the first hundred to four digits (Adam's fused kernel rounds otherwise, and it
grows).
"""

from __future__ import annotations

import copy
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from caveat.partial._classifier import make_algorithm
from caveat.training import Objective, adam, mlp, train

REPEATS = 2
RATE, DECAY, BATCH = 1e-3, 1e-5, 128


class Order(Objective):
    """Finds out which rows the loop takes, and what a second network starts from."""

    def begin(self, run):
        """Forget what was seen."""
        self.rows = []

    def step(self, run, batch):
        """Write the rows down and learn nothing."""
        self.rows.append(batch.rows.tolist())
        return 0.0


class Plain:
    """The usual loop; subclasses are the usual implementations."""

    def __init__(self, network: nn.Module, x: Tensor, S: Tensor) -> None:
        self.network = network
        self.x, self.S = x, S.float()
        self.W = self.S / self.S.sum(1, keepdim=True)
        self.optimiser = torch.optim.Adam(
            network.parameters(), lr=RATE, weight_decay=DECAY
        )
        self.t = 0
        # Loss of a second network, and what that starts from, where there is one.
        self.extra = 0.0
        self.second: nn.Module | None = None

    def loss(self, x, S, rows):
        """Give the loss of a batch."""
        raise NotImplementedError

    def after(self, x, S, rows):
        """Do what follows a step."""

    def run(self, batches) -> list[float]:
        """Train."""
        data = TensorDataset(self.x, self.S, torch.arange(len(self.x)))
        self.per_epoch = len(self.x) // BATCH
        losses = []
        for x, S, rows in DataLoader(data, batch_sampler=batches):
            loss = self.loss(x, S, rows)
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
            value = loss.item()
            self.after(x, S, rows)
            losses.append(value + self.extra)
            self.t += 1
        return losses


class PlainProden(Plain):
    """Cross-entropy against confidences; all rows are normalised at every step."""

    def loss(self, x, S, rows):
        """Weigh the log-probabilities."""
        p = torch.softmax(self.network(x), dim=1)
        return -(self.W[rows] * torch.log(p)).sum(1).mean()

    def after(self, x, S, rows):
        """Make a second pass for new confidences."""
        with torch.no_grad():
            p = torch.softmax(self.network(x), dim=1) * S
            self.W[rows] = p / p.sum(1, keepdim=True)
            self.W = self.W / self.W.sum(1, keepdim=True)


class PlainPop(PlainProden):
    """PRODEN with a memory of confidences and purification."""

    def after(self, x, S, rows):
        """Purify at the first step of an epoch."""
        super().after(x, S, rows)
        if not hasattr(self, "memory"):
            self.memory = torch.zeros(5, *self.W.shape)
            self.theta = 1e-3
        if self.t % self.per_epoch == 0:
            epoch = self.t // self.per_epoch
            self.memory[epoch % 5] = self.W
            if epoch >= 20:
                M = self.memory.mean(0)
                M = M / M.sum(1, keepdim=True)
                kept = (M / M.max(1, keepdim=True).values >= self.theta) * self.S
                changed = (kept != self.S).sum().item()
                self.W = M * kept / (M * kept).sum(1, keepdim=True)
                if self.theta < 0.4 and changed < 1e-4 * kept.numel():
                    self.theta *= 1.001


class PlainCc(Plain):
    """Minus the logarithm of the summed softmax."""

    def loss(self, x, S, rows):
        """Sum the candidates' probabilities."""
        p = torch.softmax(self.network(x), dim=1)
        return -torch.log((p * S).sum(1)).mean()


class PlainIdgp(Plain):
    """Two networks, two default optimisers; products over the sets spelt out."""

    total = 0

    def run(self, batches) -> list[float]:
        """Set the second network up, then train."""
        self.other = copy.deepcopy(self.second)
        self.adam = torch.optim.Adam(
            self.other.parameters(), lr=RATE, weight_decay=DECAY
        )
        self.G = self.S.clone()
        self.total = len(batches)
        return super().run(batches)

    def loss(self, x, S, rows):
        """Give the label network's loss; the other network steps in `after`."""
        z, a = self.network(x), self.other(x)
        p, u = torch.softmax(z, dim=1), torch.sigmoid(a)
        D, G = self.W[rows], self.G[rows]
        loss = -(D * torch.log(p + 1e-12)).sum(1).mean()
        own = G * torch.log(u + 1e-12) + (1 - G) * torch.log(1.0000001 - u)
        self.second_loss = -own.sum(1).mean()
        if self.t > 10 * len(self.x) / len(x):
            weight = min(self.t / (0.2 * self.total), 1.0)
            top = nn.functional.one_hot((D * S).argmax(1), S.shape[1])
            flipped = torch.where(top > 0, 1 - u, u).detach()
            factors = torch.where(S > 0, flipped, torch.ones_like(flipped))
            v = (1 - flipped) / (flipped + 1e-12) * factors.prod(1, keepdim=True) * S
            v = v / (v.sum(1, keepdim=True) + 1e-12)
            r = (p * S / (p * S).sum(1, keepdim=True)).detach()
            kl = torch.xlogy(D, D) - D * torch.log(p)
            loss = loss - (v * torch.log(p + 1e-12)).sum(1).mean()
            loss = loss + weight * kl.sum(1).mean()
            sets = S * torch.log(u + 1e-12) + (1 - S) * torch.log(1.0000001 - u)
            same = torch.xlogy(G, G) - G * torch.log(u)
            truth = (r * torch.log(1.0000001 - u)).sum(1).mean()
            self.second_loss = self.second_loss - truth - sets.sum(1).mean()
            self.second_loss = self.second_loss + weight * same.sum(1).mean()
        self.now = (p.detach(), u.detach())
        return loss

    def after(self, x, S, rows):
        """Step the second network and keep both confidences."""
        self.adam.zero_grad()
        self.second_loss.backward()
        self.adam.step()
        self.extra = self.second_loss.item()
        p, u = self.now
        self.W[rows] = p * S / (p * S).sum(1, keepdim=True)
        self.G[rows] = u * S


class PlainSclNl(Plain):
    """Pairs of a row and an excluded label, with a row of logits for each."""

    def loss(self, x, S, rows):
        """Spell out all pairs."""
        z = self.network(x)
        pairs = (1 - S).nonzero()
        p = torch.softmax(z[pairs[:, 0]], dim=1)
        excluded = p.gather(1, pairs[:, 1:])[:, 0]
        return -torch.log(1 - excluded + 1e-6).mean()


CASES: dict[str, tuple[type[Plain], str]] = {
    "proden": (PlainProden, "plench"),
    "pop": (PlainPop, "plench"),
    "cc": (PlainCc, "paper"),
    "scl-nl": (PlainSclNl, "paper"),
    "idgp": (PlainIdgp, "paper"),
}


def best_of(work: Callable[[], list[float]]) -> tuple[float, list[float]]:
    """Give the shortest of several times, and the losses."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        losses = work()
        seconds.append(time.process_time() - start)
    return min(seconds), losses


def measure(name: str, x: Tensor, S: Tensor, steps: int) -> None:
    """Time one algorithm on one table and print a line per way."""
    usual, variant = CASES[name]
    settings = {
        "steps": steps,
        "batch_size": BATCH,
        "drop_last": True,
        "seed": 0,
        "optimiser": adam(RATE, weight_decay=DECAY),
    }
    order = Order()
    start = mlp(x.shape[1], [500], S.shape[1], seed=1)
    train(copy.deepcopy(start), order, {"x": x, "candidates": S}, **settings)

    def ours(variant: str) -> list[float]:
        algorithm = make_algorithm(name, variant)
        data = {"x": x, "candidates": S}
        return train(copy.deepcopy(start), algorithm, data, **settings).losses

    def theirs() -> list[float]:
        loop = usual(copy.deepcopy(start), x, S)
        loop.second = second
        return loop.run(order.rows)

    second = first_generator(name, start, x, S, settings)
    plain, wanted = best_of(theirs)
    same, losses = best_of(lambda: ours(variant))
    np.testing.assert_allclose(losses[:100], wanted[:100], rtol=1e-4)
    lines = [("usual loop", plain), (f"caveat, {variant} (equal losses)", same)]
    if variant == "plench":
        lines.append(
            ("caveat, paper: no second pass", best_of(lambda: ours("paper"))[0])
        )
    print(f"{name}, {len(x)} x {x.shape[1]}, {S.shape[1]} classes, {steps} steps")
    for title, seconds in lines:
        print(
            f"  {title:<34} {seconds:6.2f} s {1e6 * seconds / steps:6.0f} µs a step"
            f"  ratio {plain / seconds:5.2f}"
        )


def first_generator(name, start, x, S, settings) -> nn.Module | None:
    """Find what the second network of an algorithm starts from."""
    algorithm = make_algorithm(name)
    if name != "idgp":
        return None
    begin = algorithm.begin

    def watched(run) -> None:
        begin(run)
        algorithm.first = copy.deepcopy(algorithm.generator)

    algorithm.begin = watched
    data = {"x": x, "candidates": S}
    train(copy.deepcopy(start), algorithm, data, **{**settings, "steps": 1})
    return algorithm.first


def tables(folder: Path | None) -> list[tuple[str, Tensor, Tensor, int]]:
    """Give the two tables, or made-up ones of their shape."""
    found = []
    shapes = [("lost", 1122, 108, 16, 500), ("italian", 21878, 519, 90, 150)]
    for name, rows, columns, classes, steps in shapes:
        if folder is not None:
            from caveat.datasets import read

            dataset = read(folder / f"{name}.mat")
            values, S = dataset.X.to_numpy(dtype=float), dataset.candidates
        else:
            rng = np.random.default_rng(0)
            values = rng.normal(size=(rows, columns))
            S = rng.random((rows, classes)) < 1.5 / classes
            S[np.arange(rows), rng.integers(0, classes, rows)] = True
        values = (values - values.mean(0)) / (values.std(0) + 1e-6)
        x = torch.tensor(values, dtype=torch.float32)
        found.append((name, x, torch.tensor(np.array(S)), steps))
    return found


def memory() -> None:
    """Print what the algorithms keep for 50,000 items and 100 classes."""
    S = torch.rand(50_000, 100) < 0.05
    S[:, 0] = True
    data = {"x": torch.zeros(50_000, 2), "candidates": S}
    print("kept for 50,000 items x 100 classes, besides 5 MB of candidates:")
    for name in ("proden", "pop", "lws", "idgp", "valen", "fredis", "cc"):
        algorithm = make_algorithm(name)
        train(mlp(2, [4], 100), algorithm, data, steps=1, batch_size=8)
        kept = [getattr(algorithm, part) for part in algorithm.kept]
        size = sum(part.nbytes for part in kept if isinstance(part, Tensor))
        print(f"  {name:<8} {size / 1e6:6.0f} MB")


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, Python {platform.python_version()}, one thread")
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    only = sys.argv[2:]
    for _, x, S, steps in tables(where):
        for name in only or CASES:
            measure(name, x, S, steps)
    memory()
