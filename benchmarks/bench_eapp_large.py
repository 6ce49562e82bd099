"""A whole EAPP: breast cancer in seconds, a million rows in minutes.

    OMP_NUM_THREADS=1 python benchmarks/bench_eapp_large.py [rows]

One thread; 20 columns, k up to 10, 10 folds, 200 shuffles. Prints the seconds by the
clock and of one core, what k-means takes of the latter, and the peak memory.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import platform
import resource
import sys
import time

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer

import caveat
from caveat.eapp import EAPP
from caveat.eapp.clusters import _clusterers


def timed(X: np.ndarray, y: np.ndarray) -> EAPP:
    """Fit with defaults and say what it took."""
    kmeans = _clusterers.kmeans_centroids
    spent = [0.0]

    def watched(*arguments: object) -> np.ndarray:
        started = time.process_time()
        try:
            return kmeans(*arguments)
        finally:
            spent[0] += time.process_time() - started

    _clusterers.kmeans_centroids = watched
    started, worked = time.perf_counter(), time.process_time()
    model = EAPP(random_state=0).fit(X, y)
    seconds = time.perf_counter() - started
    worked = time.process_time() - worked
    _clusterers.kmeans_centroids = kmeans
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{len(X):9,} rows, {X.shape[1]} columns: {seconds:7.1f} s by the clock, "
        f"{worked:.1f} s of one core ({spent[0]:.1f} s of it k-means), peak "
        f"{peak:.2f} GB, EAPP {model.value_:.3f}, "
        f"shuffled {model.null_at_k_star_['low']:.3f} to "
        f"{model.null_at_k_star_['high']:.3f}, p = {model.p_value_:.3f}",
        flush=True,
    )
    return model


def main() -> None:
    """Run the small case, then the large one."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(
        f"caveat {caveat.__version__}, python {platform.python_version()}, numpy "
        f"{np.__version__}, scikit-learn {sklearn.__version__}, one thread"
    )
    X, y = load_breast_cancer(return_X_y=True)
    EAPP(k_max=3, folds=2, shuffles=9, random_state=0).fit(X, y)  # compiles
    timed(X, y)
    rng = np.random.default_rng(0)
    y = rng.random(rows) < 0.3
    X = rng.normal(size=(rows, 20)) @ rng.normal(size=(20, 20))
    X[:, :5] += 2 * y[:, None]
    timed(X, y)


if __name__ == "__main__":
    main()
