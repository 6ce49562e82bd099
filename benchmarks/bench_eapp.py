"""The exact search over labelings, and its shuffles, against plain ways.

    OMP_NUM_THREADS=1 python benchmarks/bench_eapp.py             the issue's sizes
    OMP_NUM_THREADS=1 python benchmarks/bench_eapp.py quick       in half a minute

The plain way is a loop over all 2^k - 2 labelings with numpy minima and scikit-learn's
`roc_auc_score`. Where it would take minutes it does a part of the labelings and its
seconds are scaled up. The part that it does is asserted to be equal; compilation is
excluded, building the tables is not. Seconds are those of the processor, which other
programs on the machine do not stretch; two threads are timed by the clock.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import platform
import sys
import time
import tracemalloc
from collections.abc import Callable

import numba
import numpy as np
import sklearn
from sklearn.metrics import roc_auc_score

import caveat
from caveat.eapp import best_labeling
from caveat.eapp.labelings._evaluation import evaluate_each, labels_of
from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.labelings._many_vectors import best_for_each
from caveat.eapp.labelings._neighbours import neighbours
from caveat.eapp.labelings._rank_table import rank_table
from caveat.eapp.target._read import read_target
from caveat.eapp.target._shuffles import ShuffledLabels

SHUFFLES = 200


def points(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances to k centroids in the plane, and labels that follow them a little."""
    rng = np.random.default_rng([n, k])
    centroids = rng.normal(size=(k, 2)) * 2
    cluster = rng.integers(0, k, n)
    Z = centroids[cluster] + rng.normal(size=(n, 2))
    distances = np.linalg.norm(Z[:, None] - centroids, axis=2)
    return distances, rng.random(n) < np.where(cluster % 2, 0.6, 0.4)


def plain_loop(
    distances: np.ndarray, y: np.ndarray, masks: np.ndarray
) -> tuple[np.ndarray, float]:
    """AUC of some labelings as one would write it down, and the median seconds."""
    k = distances.shape[1]
    aucs = np.empty(len(masks))
    seconds = np.empty(len(masks))
    for i, mask in enumerate(masks):
        started = time.process_time()
        chosen = (mask >> np.arange(k)) & 1 == 1
        plus = distances[:, chosen].min(axis=1)
        minus = distances[:, ~chosen].min(axis=1)
        aucs[i] = roc_auc_score(y, np.round((minus - plus) / (minus + plus), 12))
        seconds[i] = time.process_time() - started
    return aucs, float(np.median(seconds))


def fastest(
    call: Callable[[], object],
    repeats: int = 9,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Seconds of the quickest of several calls."""
    seconds = []
    for _ in range(repeats):
        started = clock()
        call()
        seconds.append(clock() - started)
    return min(seconds)


def compare_searches(sizes: list[tuple[int, int]], part: int) -> None:
    """Time the search against the plain loop and assert that they agree."""
    print(
        "\nsearch           n   k      loop    search   ratio   ns per point, labeling"
    )
    for n, k in sizes:
        distances, y = points(n, k)
        every = np.arange(1, 2**k - 1)
        masks = np.random.default_rng(0).permutation(every)[:part]
        auc, mask = best_labeling(distances, y)
        masks[0] = mask
        aucs, each = plain_loop(distances, y, masks)
        assert aucs.max() == aucs[0]
        assert abs(aucs[0] - auc) < 1e-12
        near = neighbours(distances, "ratio")
        vectors = LabelVectors.of(np.repeat(y[:, None], len(masks), axis=1))
        sums = evaluate_each(near, rank_table(near), vectors, labels_of(masks, k))
        pairs = int(y.sum()) * int((~y).sum())
        assert np.abs((sums + pairs) / (2 * pairs) - aucs).max() < 1e-12
        seconds = fastest(lambda d=distances, y=y: best_labeling(d, y))
        loop = each * len(every)
        print(
            f"          {n:8,}  {k:2d}  {loop:7.2f} s  {seconds:.4f} s  "
            f"{loop / seconds:5.0f}x   {1e9 * seconds / n / 2 ** (k - 1):.1f}"
        )


def compare_shuffles(sizes: list[tuple[int, int]]) -> None:
    """Time 200 shuffles in units of one search, and assert equal results.

    The label vectors are made once for all folds and k, so they are not timed; the
    memory counts them, too.
    """
    print(
        f"\n{SHUFFLES} shuffles    n   k    search   shuffles   in searches   peak MB"
    )
    for n, k in sizes:
        distances, y = points(n, k)
        target = read_target(y, n)
        shuffled = ShuffledLabels(target, [np.arange(n)], SHUFFLES, seed=0)

        (vectors,) = shuffled.blocks()

        def run(distances=distances, vectors=vectors) -> tuple:
            return best_for_each(neighbours(distances, "ratio"), vectors)

        sums, _ = run()
        pairs = int(y.sum()) * int((~y).sum())
        for v in (0, 1, SHUFFLES):
            auc, _ = best_labeling(distances, vectors.vector(v))
            assert abs(auc - (sums[v] + pairs) / (2 * pairs)) < 1e-15
        repeats = 1 if n > 100_000 else 9
        search = fastest(lambda d=distances, y=y: best_labeling(d, y), repeats)
        seconds = fastest(run, repeats)
        tracemalloc.start()
        (vectors,) = shuffled.blocks()
        run()
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        print(
            f"          {n:8,}  {k:2d}  {search:.4f} s  {seconds:.4f} s"
            f"   {seconds / search:8.1f}   {peak:10.0f}"
        )
        assert peak < 500


def compare_threads(n: int, k: int) -> None:
    """Time the search on one thread and on two."""
    distances, y = points(n, k)
    seconds = {
        jobs: fastest(
            lambda j=jobs: best_labeling(distances, y, n_jobs=j), 9, time.perf_counter
        )
        for jobs in (1, 2)
    }
    assert best_labeling(distances, y) == best_labeling(distances, y, n_jobs=2)
    print(
        f"\nthreads, n={n:,}, k={k}, {os.cpu_count()} cores: one {seconds[1]:.3f} s, "
        f"two {seconds[2]:.3f} s, {seconds[1] / seconds[2]:.2f}x"
    )


def main() -> None:
    """Run all comparisons."""
    print(
        f"caveat {caveat.__version__}, python {platform.python_version()}, numpy "
        f"{np.__version__}, numba {numba.__version__}, scikit-learn "
        f"{sklearn.__version__}, one thread unless said otherwise"
    )
    quick = "quick" in sys.argv[1:]
    small, large = 2_000, 20_000
    best_labeling(*points(50, 3))
    if quick:
        compare_searches([(small, 8), (small, 10)], part=60)
        compare_shuffles([(small, 8), (small, 10)])
        return
    sizes = [(small, 8), (small, 10), (small, 12), (small, 14)]
    sizes += [(large, 8), (large, 10), (large, 12), (large, 14)]
    compare_searches(sizes, part=250)
    compare_shuffles([(200, 14), (small, 10), (large, 10), (1_000_000, 4)])
    compare_threads(large, 14)


if __name__ == "__main__":
    main()
