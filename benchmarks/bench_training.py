"""The training loop against a plain loop over a DataLoader.

Run it with ``OMP_NUM_THREADS=1 python benchmarks/bench_training.py``. Both sides see
the same batches and start from the same weights; losses must be equal to the last bit
with the same optimiser, and the first hundred to four digits with torch's default.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

from caveat.training import Objective, mlp, train

ROWS, STEPS, REPEATS = 1122, 600, 3
CASES = [  # columns, hidden, classes, batch: partial labels, bags, feature shift
    (108, [500], 16, 128),
    (30, [100, 100], 2, 64),
    (30, [384, 384], 2, 256),
]


class Order(Objective):
    """Finds out which rows the loop takes."""

    def begin(self, run):
        """Forget what was seen."""
        self.rows = []

    def step(self, run, batch):
        """Write the rows down and learn nothing."""
        self.rows.append(batch.rows.tolist())
        return 0.0


def plain_loop(module: nn.Module, data, batches, **adam) -> list[float]:
    """Train as tutorials do."""
    loader = DataLoader(TensorDataset(data["x"], data["y"]), batch_sampler=batches)
    optimiser = torch.optim.Adam(module.parameters(), lr=1e-3, **adam)
    losses = []
    for x, y in loader:
        optimiser.zero_grad()
        loss = cross_entropy(module(x), y)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses


def best_of(work: Callable[[], list[float]]) -> tuple[float, list[float]]:
    """Give the least CPU time of several runs, and the losses."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        losses = work()
        seconds.append(time.process_time() - start)
    return min(seconds), losses


def measure(columns: int, hidden: list[int], classes: int, batch: int) -> None:
    """Time one network and print a line per way."""
    rng = np.random.default_rng(0)
    data = {
        "x": torch.tensor(rng.normal(size=(ROWS, columns)), dtype=torch.float32),
        "y": torch.tensor(rng.integers(0, classes, ROWS)),
    }
    order = Order()
    settings = {"steps": STEPS, "batch_size": batch, "seed": 0}
    train(mlp(columns, hidden, classes), order, data, **settings)

    def network() -> nn.Module:
        return mlp(columns, hidden, classes, seed=1)

    def loss(module, rows):
        return cross_entropy(module(rows["x"]), rows["y"])

    ours, losses = best_of(lambda: train(network(), loss, data, **settings).losses)
    fused, same = best_of(lambda: plain_loop(network(), data, order.rows, fused=True))
    default, near = best_of(lambda: plain_loop(network(), data, order.rows))
    assert losses == same
    # Other roundings in the update: they grow from step to step.
    np.testing.assert_allclose(losses[:100], near[:100], rtol=1e-4)
    widths = "-".join(map(str, [columns, *hidden, classes]))
    print(f"{widths}, batch {batch}, {STEPS} steps")
    for name, seconds in [
        ("caveat.training.train", ours),
        ("DataLoader, fused Adam (equal losses)", fused),
        ("DataLoader, default Adam", default),
    ]:
        print(
            f"  {name:<40} {seconds:6.2f} s  {1e6 * seconds / STEPS:6.0f} µs a step"
            f"  ratio {seconds / ours:5.2f}"
        )


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, Python {platform.python_version()}, one thread")
    for case in CASES:
        measure(*case)
