"""Steps of algorithms that compare views, against the passes that they need.

Run it as ``OMP_NUM_THREADS=1 python benchmarks/bench_candidates_images.py``. The bare
side makes the same forward and backward passes through the small network, the head and
the contrast with the queue, on views that are there already, and Adam's update; it
keeps no confidences, prototypes or queue and chooses nothing. Ours is a whole step of
the training loop, views included. Both take turns, a step at a time; printed are
medians of CPU time and their ratio, and what the views of our step take.
"""

from __future__ import annotations

import copy
import platform
import sys
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from caveat.candidates import PartialLabelClassifier
from caveat.candidates._classifier import make_algorithm
from caveat.candidates.learners._contrast import Encoder, log_shares
from caveat.training import ProjectionHead, sandbox
from caveat.training.images import ImageEncoder, image_views, small_cnn

BATCH, CLASSES, ROWS, STEPS, WARM = 128, 10, 1024, 24, 4
WIDTH, QUEUE = 128, 8192
#: From the first step on, so that every step is of the dearer phase.
SETTINGS = {
    "crdpll": {},
    "pico": {"start": 0},
    "dirk": {"start": 0},
    "alim": {"start": 0, "start_epoch": 1},
}


def problem() -> tuple[np.ndarray, np.ndarray]:
    """Make images and candidate sets up."""
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (ROWS, 32, 32, 3), dtype=np.uint8)
    sets = rng.random((ROWS, CLASSES)) < 0.3
    sets[np.arange(ROWS), rng.integers(0, CLASSES, ROWS)] = True
    return images, sets


class Bare:
    """The passes of a step, and nothing else."""

    def __init__(self, images: np.ndarray) -> None:
        encoder = ImageEncoder().fit(images)
        x = torch.as_tensor(encoder.transform(images[:BATCH]))
        makers = image_views(encoder)
        generator = torch.Generator().manual_seed(0)
        self.x = {name: makers[name](x, generator) for name in makers}
        network = small_cnn((32, 32, 3), CLASSES)
        self.query = Encoder(network, ProjectionHead(256, WIDTH))
        self.key = copy.deepcopy(self.query).requires_grad_(False)
        self.queue = torch.randn(BATCH + QUEUE, WIDTH)
        self.adam = torch.optim.Adam(self.query.parameters(), fused=True)

    def crdpll(self) -> Tensor:
        """Two passes forth and back."""
        answers = [self.query.network(self.x[name]) for name in ("weak", "strong")]
        return sum(z.log_softmax(1).mean() for z in answers)

    def pico(self) -> Tensor:
        """One pass forth and back, one forth, and the contrast."""
        with torch.no_grad():
            self.key(self.x["strong"])
        z, h = self.query(self.x["weak"])
        return z.log_softmax(1).mean() + log_shares(h, self.queue, 0.07).mean()

    def alim(self) -> Tensor:
        """PiCO's, and another pass forth and back for mixed items."""
        mixed, _ = self.query(self.x["distill"])
        return self.pico() + mixed.log_softmax(1).mean()

    def dirk(self) -> Tensor:
        """Two passes forth and back, two forth, and the contrast."""
        with torch.no_grad():
            self.key(self.x["weak"])
            self.key(self.x["distill"])
        z, _ = self.query(self.x["distill"])
        _, h = self.query(self.x["strong"])
        return z.log_softmax(1).mean() + log_shares(h, self.queue, 0.07).mean()

    def step(self, name: str) -> None:
        """Make the passes and an update."""
        loss = getattr(self, name)()
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        self.adam.step()


def ours(name: str, images: np.ndarray, sets: np.ndarray) -> Callable[[], None]:
    """Set a run up; every call makes one step of it."""
    model = PartialLabelClassifier(
        name, params=SETTINGS[name], batch_size=BATCH, max_steps=10_000, random_state=0
    )
    encoded, checked = model._prepare(images, sets, None)
    job = model._job(encoded, checked)
    with sandbox(0, threads=1) as generator:
        loop = job.begin(generator, job.budget)
    return loop.turn


def cpu(act: Callable[[], None]) -> float:
    """CPU time of one call, in milliseconds."""
    begun = time.process_time()
    act()
    return 1e3 * (time.process_time() - begun)


def measure(name: str, images: np.ndarray, sets: np.ndarray) -> None:
    """Print how long a step takes, and how long its passes would."""
    bare, step = Bare(images), ours(name, images, sets)
    times = np.array(
        [(cpu(lambda: bare.step(name)), cpu(step)) for _ in range(WARM + STEPS)]
    )[WARM:]
    passes, whole = np.median(times, axis=0)
    ratio = np.median(times[:, 1] / times[:, 0])
    print(f"{name:<7} passes {passes:6.1f} ms, step {whole:6.1f} ms, {ratio:.2f} times")
    views = make_algorithm(name).views
    encoder = ImageEncoder().fit(images)
    makers, x = image_views(encoder), torch.as_tensor(encoder.transform(images[:BATCH]))
    for view in views:
        made = [
            cpu(lambda view=view: makers[view](x, torch.Generator().manual_seed(0)))
            for _ in range(9)
        ]
        print(f"        view {view:<8} {np.median(made):6.1f} ms")


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, Python {platform.python_version()}, one thread")
    given = problem()
    for chosen in sys.argv[1:] or SETTINGS:
        measure(chosen, *given)
