"""Every network for tables against a plain loop of the same architecture.

Run it with ``OMP_NUM_THREADS=1 python benchmarks/bench_networks.py [NAME ...]``. Both
sides start from the same weights and see the same batches, losses and clipping; after
the last step their weights must agree. The plain loop is what tutorials show: rows by
index, zero the gradients, loss, backward, clip, step. A network should need at most 1.5
times its time.
"""

from __future__ import annotations

import platform
import sys
import time
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from caveat.models import MODELS, make_model
from caveat.models.networks import _base, _grownet
from caveat.training import Batch, Objective, sandbox, train

ROWS, EPOCHS, REPEATS, LIMIT = 400, 3, 3, 1.5


class Order(Objective):
    """Finds out which rows the loop takes."""

    def begin(self, run: Any) -> None:
        """Forget what was seen."""
        self.seen: list[tuple[Any, Any]] = []

    def step(self, run: Any, batch: Batch) -> float:
        """Write the rows down and learn nothing."""
        beside = None if batch.beside is None else batch.beside.rows.clone()
        self.seen.append((batch.rows.clone(), beside))
        return 0.0


def plain_loop(module: Any, objective: Any, data: Any, seen: Any, recipe: Any) -> None:
    """Train as tutorials do."""
    optimiser = recipe(module.parameters())
    run = SimpleNamespace(module=module, forward=module)
    module.train()
    for rows, second in seen:
        batch = part(data, rows)
        if second is not None:
            batch = part(data, rows, part(data, second))
        optimiser.zero_grad()
        loss = objective.loss(run, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimiser.step()


def part(data: Any, rows: Any, beside: Batch | None = None) -> Batch:
    """Take rows, all of whose views are the rows themselves."""
    tensors = {name: tensor[rows] for name, tensor in data.items()}
    return Batch(rows, tensors, beside, made={"plain": tensors["x"]})


class Race:
    """Stands in for `train`: runs the loop, and the plain one beside it."""

    def __init__(self) -> None:
        self.ours, self.plain, self.steps = 0.0, 0.0, 0

    def __call__(self, module: Any, objective: Any, data: Any, **settings: Any) -> Any:
        """Train once by each way, from the same weights."""
        settings |= {"evaluate": None, "best": None, "progress": None}
        order = Order()
        train(deepcopy(module), order, data, **{**settings, "schedule": None})
        twin, same = deepcopy((module, objective))
        started = time.process_time()
        done = train(module, objective, data, **settings)
        middle = time.process_time()
        with sandbox(settings["seed"]):
            plain_loop(twin, same, data, order.seen, settings["optimiser"])
        self.plain += time.process_time() - middle
        self.ours += middle - started
        self.steps += len(order.seen)
        agree(module, twin)
        return done


def agree(module: Any, twin: Any) -> None:
    """Hold the weights of both ways against each other."""
    others = twin.state_dict()
    for name, weight in module.state_dict().items():
        torch.testing.assert_close(weight, others[name], rtol=1e-3, atol=1e-4)


def measure(name: str) -> float:
    """Race one network with its defaults and print a line; give the ratio."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 8))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    found = []
    for _ in range(REPEATS):
        race = Race()
        _base.train = _grownet.train = race  # type: ignore[attr-defined]
        length = {"n_stages": EPOCHS} if name == "grownet" else {"max_epochs": EPOCHS}
        make_model(name, "binary", random_state=0, **length).fit(X, y)
        found.append((race.ours, race.plain))
    ours, plain = (min(times) for times in zip(*found, strict=True))
    print(
        f"{name:<16} {1e3 * ours / race.steps:8.2f} ms a step, plain loop "
        f"{1e3 * plain / race.steps:8.2f} ms, ratio {ours / plain:5.2f}"
        f"{'  SLOWER' if ours > LIMIT * plain else ''}",
        flush=True,
    )
    return ours / plain


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, Python {platform.python_version()}, one thread")
    networks = [name for name in MODELS if MODELS[name].extra == "deep"]
    ratios = {name: measure(name) for name in sys.argv[1:] or networks}
    print(f"largest ratio {max(ratios.values()):.2f}, {max(ratios, key=ratios.get)}")
