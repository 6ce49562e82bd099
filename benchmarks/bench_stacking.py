"""A random search whose configurations train together, against one after the other.

Run it as ``OMP_NUM_THREADS=1 python benchmarks/bench_stacking.py [FOLDER]``. FOLDER
holds lost.mat; without it a table of its shape is made up. The search is that of a
study: ten configurations from the published distributions (rate, decay, batch size, and
what the algorithm has of its own), split and scaling of the benchmark, 500 hidden
units. Only configurations with the same batch size go together. Both sides take turns;
all their losses must agree. Printed is the least CPU time of the whole search,
evaluation of its checkpoints included.
"""

from __future__ import annotations

import platform
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from caveat.candidates._classifier import make_algorithm
from caveat.candidates._plench import plench_draw, plench_split
from caveat.candidates.registry import COMMON, LEARNERS
from caveat.training import Diverged, Job, adam, mlp, outputs, train_all

ALGORITHMS = ("cc", "proden", "pop", "scl-nl", "op-w")
CONFIGURATIONS, STEPS, TURNS = 10, 300, 3
USUAL = {"learning_rate": 1e-3, "weight_decay": 1e-5, "batch_size": 128}


def jobs(name: str, x: Tensor, S: Tensor, held: Tensor) -> list[Job]:
    """Give the runs of a search."""
    data = {"x": x, "candidates": S}

    def evaluate(run: Any) -> dict[str, float]:
        return {"mean": outputs(run.module, held).mean()}

    found = []
    for number in range(CONFIGURATIONS):
        drawn = {**USUAL, **plench_draw(LEARNERS[name], number, 0)}
        own = {key: value for key, value in drawn.items() if key not in COMMON}
        found.append(
            Job(
                module=mlp(x.shape[1], [500], S.shape[1], seed=number),
                objective=make_algorithm(name, params=own),
                data=data,
                steps=STEPS,
                batch_size=drawn["batch_size"],
                drop_last=True,
                optimiser=adam(
                    drawn["learning_rate"], weight_decay=drawn["weight_decay"]
                ),
                evaluate=evaluate,
                seed=number,
            )
        )
    return found


def one_by_one(runs: list[Job]) -> list[list[float]]:
    """Train one after the other, as trials of one configuration do."""
    return [losses_of(train_all([job])[0]) for job in runs]


def together(runs: list[Job]) -> list[list[float]]:
    """Train as a trial with all configurations does."""
    return [losses_of(result) for result in train_all(runs)]


def losses_of(result: Any) -> list[float]:
    """Give the losses of a run, or where it diverged."""
    return [result.step] if isinstance(result, Diverged) else result.losses


def measure(name: str, x: Tensor, S: Tensor, held: Tensor) -> None:
    """Time both ways and print a line."""
    spent: dict[str, list[float]] = {"one by one": [], "together": []}
    for _ in range(TURNS):
        losses = []
        for title, way in (("one by one", one_by_one), ("together", together)):
            runs = jobs(name, x, S, held)
            start = time.process_time()
            losses.append(way(runs))
            spent[title].append(time.process_time() - start)
        for one, other in zip(*losses, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-4)
    sizes = Counter(job.batch_size for job in jobs(name, x, S, held))
    alone, stacked = (min(spent[title]) for title in spent)
    print(
        f"{name:<7} {CONFIGURATIONS} configurations, {STEPS} steps each, batch sizes "
        f"{dict(sorted(sizes.items()))}: one by one {alone:.2f} s, together "
        f"{stacked:.2f} s, ratio {alone / stacked:.2f}",
        flush=True,
    )


def table(folder: Path | None) -> tuple[Tensor, Tensor, Tensor]:
    """Give training rows, their candidates, and held-out rows."""
    if folder is not None:
        from caveat.datasets import read

        dataset = read(folder / "lost.mat")
        values, S = dataset.X.to_numpy(dtype=float), np.array(dataset.candidates)
    else:
        rng = np.random.default_rng(0)
        values = rng.normal(size=(1122, 108))
        S = rng.random((1122, 16)) < 0.1
        S[np.arange(1122), rng.integers(0, 16, 1122)] = True
    values = (values - values.mean(0)) / (values.std(0) + 1e-6)
    x = torch.tensor(values, dtype=torch.float32)
    split = plench_split(len(x), 0)
    return x[split.train], torch.tensor(S[split.train]), x[split.validation]


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, Python {platform.python_version()}, one thread")
    made = table(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    for algorithm in ALGORITHMS:
        measure(algorithm, *made)
