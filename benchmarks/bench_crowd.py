"""Truth inference on a large crowd, beside crowd-kit's, in one run.

Run it as ``OMP_NUM_THREADS=1 python benchmarks/bench_crowd.py [ANSWERS]``. Without a
number there are 1,000,000 answers of 5,000 people on a tenth as many items, 10 classes.
crowd-kit is no dependency: where it is not installed, our times stand alone. Both sides
get the same table and as many rounds; printed are CPU seconds per round without the
reading of the table, the peak of the memory that was taken, also for a quarter of the
answers, and how many labels are right. With crowd-kit's start and floor ours is the
same model: that both give the same labels and probabilities of all items is asserted.
"""

from __future__ import annotations

import platform
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from caveat.candidates import ClassSkill, DawidSkene, OneCoin, as_answers
from caveat.candidates.crowd import Answers

PEOPLE, CLASSES, ROUNDS = 5_000, 10, 3


class Plain(DawidSkene):
    """Dawid-Skene as crowd-kit has it: the bare vote first, 1e-10 for what is never."""

    frequency = 0.0

    def _begin(self, found: Answers, posterior: np.ndarray) -> None:
        super()._begin(found, posterior)
        votes = found.votes()
        posterior[:] = votes / votes.sum(axis=1, keepdims=True)

    def _fit_tables(
        self, found: Answers, posterior: np.ndarray, named: np.ndarray
    ) -> None:
        # Who never names a label has no entry for it there.
        ever = named.sum(axis=2, keepdims=True) > 0
        table = np.where(ever, np.maximum(named, 1e-10), 0.0)
        self._weights = np.where(ever, table / table.sum(axis=1, keepdims=True), 1.0)


def simulate(count: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw ten answers for every item, by people of unequal skill."""
    rng = np.random.default_rng(0)
    items = count // 10
    truth = rng.integers(0, CLASSES, items)
    skill = rng.uniform(0.5, 0.95, PEOPLE)
    item = np.repeat(np.arange(items), 10)
    who = rng.integers(0, PEOPLE, len(item))
    right = rng.random(len(item)) < skill[who]
    wrong = (truth[item] + rng.integers(1, CLASSES, len(item))) % CLASSES
    label = np.where(right, truth[item], wrong)
    return pd.DataFrame({"item": item, "annotator": who, "label": label}), truth


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Run it and tell the CPU seconds."""
    began = time.process_time()
    found = work()
    return found, time.process_time() - began


def per_round(fit: Callable[[int], Any]) -> tuple[Any, float]:
    """Tell the seconds of a round: what more rounds take beyond one."""
    fit(1)  # What is made once and kept takes part in no round.
    _, first = timed(lambda: fit(1))
    found, all_of_them = timed(lambda: fit(1 + ROUNDS))
    return found, (all_of_them - first) / ROUNDS


def main() -> None:
    """Print both sides."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    frame, truth = simulate(count)
    print(f"{count:,} answers, {platform.machine()}, numpy {np.__version__}")
    answers, reading = timed(lambda: as_answers(frame))
    print(f"reading the table: {reading:.2f} s")
    ours = {}
    for kind in (DawidSkene, OneCoin, ClassSkill):
        found, seconds = per_round(
            lambda rounds, kind=kind: kind(max_iter=rounds, tol=-1.0).fit(answers)
        )
        right = float((found.predict().to_numpy() == truth).mean())
        ours[kind.__name__] = seconds
        print(f"{kind.__name__}: {seconds:.2f} s a round, {right:.4f} right")
    for part in (count // 4, count):
        some = answers if part == count else as_answers(simulate(part)[0])
        peak = memory(lambda some=some: DawidSkene(max_iter=2, tol=-1.0).fit(some))
        each = peak / part
        print(f"{part:,} answers: {peak / 1e6:.0f} MB at the peak, {each:.0f} B each")
    try:
        from crowdkit.aggregation import DawidSkene as Peer
    except ImportError:
        print("crowd-kit is not installed: no ratio")
        return
    renamed = frame.set_axis(["task", "worker", "label"], axis=1)
    found, seconds = per_round(lambda rounds: Peer(n_iter=rounds, tol=0.0).fit(renamed))
    labels = found.labels_.sort_index().to_numpy()
    right = float((labels == truth).mean())
    ratio = seconds / ours["DawidSkene"]
    print(f"crowd-kit: {seconds:.2f} s a round, {right:.4f} right: {ratio:.1f} x ours")
    compare(found, Plain(prior=0.0, max_iter=1 + ROUNDS, tol=-1.0).fit(answers))


def compare(peer: Any, plain: DawidSkene) -> None:
    """Hold that the same model gives the same labels and probabilities."""
    theirs = peer.probas_.sort_index()[list(plain.classes_)].to_numpy()
    own = plain.predict_proba().sort_index().to_numpy()
    apart = float(np.abs(theirs - own).max())
    print(f"the same model and start: at most {apart:.1e} apart")
    assert apart < 1e-6, "the probabilities differ from crowd-kit's"
    two = np.sort(own, axis=1)[:, -2:]
    clear = two[:, 1] - two[:, 0] > 1e-6
    same = theirs.argmax(axis=1) == own.argmax(axis=1)
    print(f"{same.mean():.5f} of the labels are the same, {(~clear).sum()} are ties")
    assert same[clear].all(), "the labels differ from crowd-kit's"


def memory(work: Callable[[], Any]) -> int:
    """Tell the peak of the memory that it takes."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


if __name__ == "__main__":
    main()
