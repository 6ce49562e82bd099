"""All eleven measures of scores that do not fit into memory.

    python benchmarks/bench_multilabel_large.py [rows] [labels]

Writes a float32 memory map of 100,000 x 10,000 scores (4 GB) to a temporary folder,
evaluates it block by block against sparse truth and decisions, and deletes it. Memory
is what the process holds beside the mapped file (anonymous pages, Linux). On a corner
of 2,000 x 500 the result is compared with the in-memory one.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import platform
import shutil
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numba
import numpy as np
from scipy import sparse

import caveat
from caveat.multilabel import evaluate

PER_ROW = 20
LIMIT = 2e9


def main() -> None:
    """Write, evaluate, compare, delete."""
    warnings.simplefilter("ignore")  # of ties in float32, and of the corner
    m, n_labels = (int(word) for word in [*sys.argv[1:], "100000", "10000"][:2])
    folder = Path(tempfile.mkdtemp(prefix="caveat-bench-"))
    need = 4 * m * n_labels
    if shutil.disk_usage(folder).free < 2 * need:
        folder.rmdir()
        raise SystemExit(f"{need / 1e9:.1f} GB are needed in {folder.parent}")
    print(
        f"caveat {caveat.__version__}, Python {platform.python_version()}, numpy "
        f"{np.__version__}, numba {numba.__version__}; {m:,} x {n_labels:,}, one thread"
    )
    try:
        run(folder / "scores.npy", m, n_labels)
    finally:
        shutil.rmtree(folder)


def run(path: Path, m: int, n_labels: int) -> None:
    """Evaluate the map, a function that returns its rows, and a corner in memory."""
    Y, H = write(path, m, n_labels)
    scores = np.load(path, mmap_mode="r")
    corner = slice(0, min(m, 2_000)), slice(0, min(n_labels, 500))
    small = np.ascontiguousarray(scores[corner])
    y, h = Y[corner], H[corner]
    in_memory = evaluate(y.toarray(), small.astype(np.float64), h.toarray())
    mapped = evaluate(y, lambda start, stop: scores[start:stop, corner[1]], h)
    assert dict(in_memory) == dict(mapped)
    for kind, given in (
        ("memory map", scores),
        ("function of row blocks", lambda start, stop: scores[start:stop]),
    ):
        with Watch() as watch:
            started, used = time.perf_counter(), time.process_time()
            result = evaluate(Y, given, H)
            wall, cpu = time.perf_counter() - started, time.process_time() - used
        print(
            f"{kind:<24} {wall:7.1f} s ({cpu:.1f} s CPU), memory beside the file "
            f"{watch.peak / 1e9:.2f} GB (wanted {LIMIT / 1e9:.0f})"
        )
        assert watch.peak < LIMIT
    print("   ".join(f"{name} {value:.4f}" for name, value in result.items()))


def write(path: Path, m: int, n_labels: int) -> tuple[sparse.csr_array, ...]:
    """Draw truth, decisions and scores, block by block."""
    rng = np.random.default_rng(0)
    shape = (m, n_labels)
    scores = np.lib.format.open_memmap(path, "w+", np.float32, shape)
    truth, chosen = [], []
    for start in range(0, m, 1_000):
        rows = min(1_000, m - start)
        block = rng.random((rows, n_labels), dtype=np.float32)
        Y = sparse.random_array(
            block.shape, density=PER_ROW / n_labels, rng=rng, format="csr"
        )
        Y.data[:] = 1
        at = np.repeat(np.arange(rows), np.diff(Y.indptr)), Y.indices
        block[at] += 0.3
        H = sparse.csr_array(block > 1.0)
        scores[start : start + rows] = block
        truth.append(Y.astype(np.uint8))
        chosen.append(H.astype(np.uint8))
    scores.flush()
    del scores
    return sparse.csr_array(sparse.vstack(truth)), sparse.csr_array(
        sparse.vstack(chosen)
    )


class Watch:
    """The most anonymous memory of this process, looked at every 50 ms."""

    def __enter__(self) -> "Watch":
        self.peak, self._stop = 0, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._stop.wait(0.05):
            text = Path("/proc/self/status").read_text()
            line = next(x for x in text.splitlines() if x.startswith("RssAnon"))
            self.peak = max(self.peak, 1024 * int(line.split()[1]))


if __name__ == "__main__":
    main()
