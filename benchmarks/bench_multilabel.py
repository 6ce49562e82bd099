"""The eleven measures, LIMO and ML-kNN against the usual ways.

    python benchmarks/bench_multilabel.py [--data FOLDER] [quick]

Measures: against scikit-learn's separate functions. LIMO: against Algorithm 1 in plain
numpy, per iteration, with the same random numbers. ML-kNN: against scikit-multilearn-ng
where that is importable (it is no dependency; `pip install --target DIR --no-deps
scikit-multilearn-ng` and PYTHONPATH=DIR). One thread, CPU seconds, compilation
excluded, equal numbers asserted. FOLDER holds CAL500.arff (with its XML) and
medical.arff; without it data of the same shape are drawn.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import platform
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import sklearn
from scipy import sparse
from sklearn import metrics
from sklearn.preprocessing import maxabs_scale

import caveat
from caveat.datasets import read
from caveat.multilabel import LIMO, MLkNN, evaluate
from caveat.multilabel.learners._limo import DRAWS
from caveat.multilabel.learners._limo_kernels import (
    Pairs,
    Settings,
    dense_steps,
    draw_steps,
    finish_dense,
)
from caveat.multilabel.learners._neighbours import NearestRows

SIZES = ((50_000, 100, 40), (5_000, 1_000, 12))
QUICK = ((5_000, 50, 1), (500, 200, 1))


def seconds(work: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """Return the least CPU seconds of some calls, and the last result."""
    best, result = float("inf"), None
    for _ in range(repeats):
        started = time.process_time()
        result = work()
        best = min(best, time.process_time() - started)
    return best, result


def matrices(m: int, n_labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw truth, scores and decisions; no row or label has one class only."""
    rng = np.random.default_rng([m, n_labels])
    Y = (rng.random((m, n_labels)) < 0.05).astype(np.uint8)
    Y[np.arange(m), rng.integers(n_labels, size=m)] = 1
    S = Y + rng.normal(size=Y.shape)
    return Y, S, (S > 1).astype(np.uint8)


def by_scikit_learn(Y: np.ndarray, S: np.ndarray, H: np.ndarray) -> dict[str, float]:
    """Compute all eleven by separate functions."""
    f1, auc = metrics.f1_score, metrics.roc_auc_score
    top = Y[np.arange(len(Y)), S.argmax(axis=1)]
    return {
        "hamming_loss": metrics.hamming_loss(Y, H),
        "ranking_loss": metrics.label_ranking_loss(Y, S),
        "one_error": 1 - top.mean(),
        "coverage": metrics.coverage_error(Y, S) - 1,
        "average_precision": metrics.label_ranking_average_precision_score(Y, S),
        "macro_f1": f1(Y, H, average="macro", zero_division=0),
        "instance_f1": f1(Y, H, average="samples", zero_division=0),
        "micro_f1": f1(Y, H, average="micro", zero_division=0),
        "macro_auc": auc(Y, S, average="macro"),
        "instance_auc": auc(Y, S, average="samples"),
        "micro_auc": auc(Y, S, average="micro"),
    }


def bench_measures(sizes: tuple[tuple[int, int, int], ...]) -> None:
    """All eleven in one pass, and their memory."""
    evaluate(*matrices(200, 60))
    for m, n_labels, wanted in sizes:
        Y, S, H = matrices(m, n_labels)
        ours, result = seconds(lambda Y=Y, S=S, H=H: evaluate(Y, S, H), 3)
        theirs, expected = seconds(lambda Y=Y, S=S, H=H: by_scikit_learn(Y, S, H))
        for name, value in expected.items():
            assert abs(result[name] - value) < 1e-12, name
        tracemalloc.start()
        evaluate(Y, S, H)
        peak = tracemalloc.get_traced_memory()[1] / S.nbytes
        tracemalloc.stop()
        print(
            f"eleven measures   {m:>6} x {n_labels:<5}  ours {ours:8.3f} s   "
            f"scikit-learn {theirs:8.2f} s   ratio {theirs / ours:6.1f} "
            f"(wanted {wanted})   memory {peak:.2f} x scores (wanted 3)"
        )
        assert theirs / ours >= wanted
        assert peak <= 3


def plain_limo(
    X: np.ndarray, Y: np.ndarray, W: np.ndarray, draws: np.ndarray
) -> np.ndarray:
    """Algorithm 1 as one would write it down: lambda1 = lambda2 = 1, eta = 0.01."""
    m, n_labels = Y.shape
    p, positives = Y.sum(axis=1), Y.sum(axis=0)
    rows = np.cumsum(p * (n_labels - p)) / (p * (n_labels - p)).sum()
    pairs = positives * (m - positives)
    labels = np.cumsum(pairs) / pairs.sum()
    W, total = W.copy(), np.zeros_like(W)
    for r in draws:
        i = np.searchsorted(rows, r[0], side="right")
        u = np.flatnonzero(Y[i])[int(r[1] * p[i])]
        v = np.flatnonzero(Y[i] == 0)[int(r[2] * (n_labels - p[i]))]
        if 1 - W[u] @ X[i] + W[v] @ X[i] > 0:
            W[u] -= 0.01 * (-X[i] + W[u])
            W[v] -= 0.01 * (X[i] + W[v])
        j = np.searchsorted(labels, r[3], side="right")
        a = np.flatnonzero(Y[:, j])[int(r[4] * positives[j])]
        b = np.flatnonzero(Y[:, j] == 0)[int(r[5] * (m - positives[j]))]
        if 1 - W[j] @ X[a] + W[j] @ X[b] > 0:
            W[j] -= 0.01 * (X[b] - X[a] + W[j])
        total += W
    return total / len(draws)


def bench_limo(name: str, X: np.ndarray, Y: np.ndarray, wanted: int) -> None:
    """Seconds per iteration, dense; and of a fit on sparse features."""
    rng = np.random.default_rng(0)
    start = rng.normal(0, 1 / np.sqrt(X.shape[1]), (Y.shape[1], X.shape[1]))
    few, many = rng.random((1_500, 6)), rng.random((60_000, 6))
    pairs, settings = Pairs.of(Y, "paper"), Settings(0.01, 1.0, 1.0, False, False)

    def compiled(draws: np.ndarray) -> np.ndarray:
        W, A = start.copy(), np.zeros_like(start)
        last, active = np.zeros(len(W), np.int64), np.zeros(2, np.int64)
        for done in range(0, len(draws), DRAWS):  # in blocks, as LIMO.fit does
            block = draws[done : done + DRAWS]
            drawn = draw_steps(pairs, len(X), len(W), False, block)
            dense_steps(X, W, A, last, drawn, done, settings, active)
        finish_dense(W, A, last, len(draws))
        return A

    theirs, expected = seconds(lambda: plain_limo(X, Y, start, few))
    np.testing.assert_allclose(compiled(few), expected, rtol=0, atol=1e-12)
    ours, _ = seconds(lambda: compiled(many), 3)
    ours, theirs = ours / len(many), theirs / len(few)
    thin = sparse.csr_array(X)
    options = {"max_iter": 60_000, "scaling": "none", "threshold": "fixed",
               "fit_intercept": False, "random_state": 0}  # fmt: skip
    LIMO(**{**options, "max_iter": 10}).fit(thin, Y)
    sparse_seconds, model = seconds(lambda: LIMO(**options).fit(thin, Y))
    dense_seconds, twin = seconds(lambda: LIMO(**options).fit(X, Y))
    np.testing.assert_allclose(model.coef_, twin.coef_, atol=1e-8)
    print(
        f"LIMO {name:<12} {X.shape[0]} x {X.shape[1]}  ours {1e6 * ours:6.2f} µs   "
        f"plain numpy {1e6 * theirs:7.1f} µs an iteration   ratio {theirs / ours:6.1f} "
        f"(wanted {wanted})   fit of 60,000 iterations: dense {dense_seconds:.2f} s, "
        f"sparse {sparse_seconds:.2f} s ({thin.nnz / thin.shape[0]:.0f} entries a row)"
    )
    assert theirs / ours >= wanted


def bench_ml_knn(name: str, X: np.ndarray, Y: np.ndarray, wanted: int) -> None:
    """Fit on 70 % and score the rest."""
    cut = int(0.7 * len(X))
    train, test = slice(0, cut), slice(cut, None)
    MLkNN(3).fit(X[:20], Y[:20]).predict_proba(X[20:24])
    ours, scores = seconds(
        lambda: MLkNN().fit(X[train], Y[train]).predict_proba(X[test]), 3
    )
    np.testing.assert_allclose(
        scores, literal_ml_knn(X[train], Y[train], X[test]), atol=1e-12
    )
    try:
        from skmultilearn.adapt import MLkNN as Other
    except ImportError as error:
        print(f"ML-kNN {name}: ours {ours:.3f} s; no comparison ({error})")
        return
    theirs, _ = seconds(
        lambda: Other(k=10, s=1.0).fit(X[train], Y[train]).predict_proba(X[test])
    )
    twin = Other(k=10, s=1.0, ignore_first_neighbours=1).fit(X[train], Y[train])
    # With the row itself left out, its priors are ours; its counts too, where no two
    # rows are equal. At prediction it drops the first true neighbour as well.
    prior = np.ravel(twin._prior_prob_true)
    np.testing.assert_allclose(prior, MLkNN().fit(X[train], Y[train]).prior_)
    print(
        f"ML-kNN {name:<10} {X.shape[0]} x {X.shape[1]}, {Y.shape[1]} labels   "
        f"ours {ours:6.3f} s   scikit-multilearn-ng {theirs:7.2f} s   "
        f"ratio {theirs / ours:6.1f} (wanted {wanted}), equal to the definition"
    )
    assert theirs / ours >= wanted


def literal_ml_knn(X: np.ndarray, Y: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Bayes' rule on counts, label by label and row by row."""
    rows = NearestRows(X)
    inside = Y[rows.nearest(X, 10, skip_self=True)].sum(axis=1, dtype=int)
    outside = Y[rows.nearest(Q, 10)].sum(axis=1, dtype=int)
    out = np.empty(outside.shape)
    for j in range(Y.shape[1]):
        positive, prior = Y[:, j] == 1, (1 + Y[:, j].sum()) / (2 + len(Y))
        for i, count in enumerate(outside[:, j]):
            same = inside[:, j] == count
            up = prior * (1 + (same & positive).sum()) / (11 + positive.sum())
            down = (
                (1 - prior) * (1 + (same & ~positive).sum()) / (11 + (~positive).sum())
            )
            out[i, j] = up / (up + down)
    return out


def tables(folder: Path | None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Give CAL500 and medical, or data of their shape."""
    if folder is not None:
        found = {name: read(folder / f"{name}.arff") for name in ("CAL500", "medical")}
        return {
            name: (
                maxabs_scale(data.X.to_numpy(dtype=np.float64)),
                np.ascontiguousarray(data.Y.to_numpy(np.uint8)),
            )
            for name, data in found.items()
        }
    rng = np.random.default_rng(0)
    shapes = {
        "like CAL500": (502, 68, 174, 0.15),
        "like medical": (978, 1449, 45, 0.03),
    }
    made = {}
    for name, (m, d, n_labels, share) in shapes.items():
        X = rng.random((m, d)) if d < 100 else (rng.random((m, d)) < 0.01).astype(float)
        Y = (rng.random((m, n_labels)) < share).astype(np.uint8)
        Y[np.arange(m), rng.integers(n_labels, size=m)] = 1
        made[name] = X, Y
    return made


def main() -> None:
    """Run all three comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("size", nargs="?", default="full", choices=["full", "quick"])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(
        f"caveat {caveat.__version__}, Python {platform.python_version()}, numpy "
        f"{np.__version__}, numba {numba.__version__}, scikit-learn "
        f"{sklearn.__version__}; one thread, CPU seconds"
    )
    bench_measures(SIZES if given.size == "full" else QUICK)
    found = tables(given.data)
    for (name, (X, Y)), wanted in zip(found.items(), (100, 20), strict=True):
        bench_limo(name, X, Y, wanted)
    for name, (X, Y) in found.items():
        bench_ml_knn(name, X, Y, 20)


if __name__ == "__main__":
    main()
