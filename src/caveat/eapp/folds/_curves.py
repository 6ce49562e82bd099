"""All folds, put together: one curve per class, label vector and selection."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numba import njit
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import ThreadpoolController

from caveat.eapp.folds._fold import FoldResult, Plan, run_fold
from caveat.eapp.folds._splits import Split
from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.labelings._neighbours import Neighbours
from caveat.eapp.target._prediction import ShuffledNumbers
from caveat.eapp.target._shuffles import ShuffledLabels
from caveat.ranking import pair_counts

Floats = NDArray[np.float64]
# With fewer held-out points of a class than this, a fold's own AUC says little.
SMALL_FOLD = 5


@dataclass(frozen=True)
class Curves:
    """EAPP as a function of k, for observed and shuffled labels.

    Attributes
    ----------
    honest, paper : ndarray of shape (tasks, shuffles + 1, k)
        Aggregated over folds; the observed labels are the last of the second axis.
    honest_folds, paper_folds : ndarray of shape (tasks, folds, k)
        Observed values, fold by fold.
    train : ndarray of shape (tasks, k)
        Mean AUC on the training parts, observed labels.
    folds : list of FoldResult
    """

    honest: Floats
    paper: Floats
    honest_folds: Floats
    paper_folds: Floats
    train: Floats
    folds: list[FoldResult]


def compute_curves(
    plan: Plan,
    splits: Sequence[Split],
    labels: ShuffledLabels | ShuffledNumbers,
    *,
    seeds: Sequence[int],
    n_jobs: int,
    progress: Callable[[int, int], None] | None,
) -> Curves:
    """Run all folds, in threads if asked to, and aggregate."""
    vectors: Any = labels
    if isinstance(labels, ShuffledLabels):
        vectors = _shared_vectors(labels)
    counter = _Counter(len(splits) * (len(plan.ks) + plan.represent.ticks), progress)
    threads = ThreadpoolController()
    # One thread a fold: sums over threads come in any order, and then numbers differ
    # in their last digit from run to run.
    with warnings.catch_warnings(), threads.limit(limits=1):
        # Too few distinct points are seen by us; a mixture that has not settled
        # after 200 steps is good enough to give centroids.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Graph is not fully connected")
        results = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_alone)(threads, plan, train, test, vectors, seed, counter.tick)
            for (train, test), seed in zip(splits, seeds, strict=True)
        )
    shape = (len(splits), len(plan.ks), plan.shuffles + 1, plan.n_tasks)
    honest = np.array([r.honest for r in results]).reshape(shape).transpose(0, 3, 2, 1)
    paper = np.array([r.paper for r in results]).reshape(shape).transpose(0, 3, 2, 1)
    together = (
        _pooled(plan, splits, results, vectors) if plan.pooled else honest.mean(0)
    )
    for result in results:
        result.kept.clear()
    return Curves(
        honest=together,
        paper=paper.mean(axis=0),
        honest_folds=honest[:, :, -1].swapaxes(0, 1),
        paper_folds=paper[:, :, -1].swapaxes(0, 1),
        train=np.mean([r.train for r in results], axis=0).T,
        folds=results,
    )


def _alone(threads: ThreadpoolController, *arguments: Any) -> FoldResult:
    """Run a fold on one core; OpenMP wants to be told in every thread."""
    with threads.limit(limits=1, user_api="openmp"):
        return run_fold(*arguments)


class _Counter:
    """Counts what is done, from any thread, and tells."""

    def __init__(self, total: int, progress: Callable[[int, int], None] | None) -> None:
        self._total, self._progress = total, progress
        self._done = 0
        self._lock = Lock()

    def tick(self, count: int = 1) -> None:
        with self._lock:
            self._done += count
            if self._progress is not None:
                self._progress(self._done, self._total)


def _shared_vectors(
    labels: ShuffledLabels,
) -> Callable[[], Sequence[LabelVectors]]:
    """Make the label vectors once if one block holds them all, else on every call."""
    blocks = labels.blocks()
    first = next(blocks)
    if first.count == labels.count:
        return lambda: [first]
    return labels.blocks  # type: ignore[return-value]


def _pooled(
    plan: Plan,
    splits: Sequence[Split],
    results: Sequence[FoldResult],
    vectors: Callable[[], Sequence[LabelVectors]],
) -> Floats:
    """Pool the held-out scores of all folds, k by k."""
    rows = np.concatenate([test for _, test in splits])
    values = np.full((len(plan.ks), (plan.shuffles + 1) * plan.n_tasks), np.nan)
    for row, k in enumerate(plan.ks):
        if any(k not in result.kept for result in results):
            continue
        start = 0
        for block in vectors():
            here = slice(start, start + block.count)
            start += block.count
            parts = [(result.kept[k][0], result.kept[k][1][here]) for result in results]
            values[row, here] = pooled_aucs(parts, block.take(rows))
    shape = (len(plan.ks), plan.shuffles + 1, plan.n_tasks)
    return values.reshape(shape).transpose(2, 1, 0)


def pooled_aucs(
    parts: Sequence[tuple[Neighbours, NDArray[np.bool_]]], vectors: LabelVectors
) -> NDArray[np.float64]:
    """AUC of every label vector over the points of all folds together.

    Parameters
    ----------
    parts : sequence of (Neighbours, labels)
        Per fold: the held-out points, and for every vector a labeling of the clusters,
        chosen on the fold's training part.
    vectors : LabelVectors
        Labels of the held-out points, fold after fold.
    """
    aucs = np.empty(vectors.count)
    for v in range(vectors.count):
        scores = [scores_of(near.order, near.gaps, labels[v]) for near, labels in parts]
        aucs[v] = pair_counts(vectors.vector(v), np.concatenate(scores)).auc
    return aucs


@njit(cache=True, nogil=True)
def scores_of(
    order: NDArray[np.uint16], gaps: NDArray[np.float64], labels: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Score points under a labeling, from their sorted centroids."""
    n, k = order.shape
    scores = np.empty(n)
    for i in range(n):
        nearest = labels[order[i, 0]]
        rank = 1
        while rank < k - 1 and labels[order[i, rank]] == nearest:
            rank += 1
        scores[i] = gaps[i, rank - 1] if nearest else -gaps[i, rank - 1]
    return scores
