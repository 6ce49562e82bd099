"""Exact search for the best cut of a ranking, O(n log n).

A cut k chooses the k highest scores. It is admissible if k is 0, or n, or the
k-th and the next score differ, so that some threshold produces it. Among equally
good cuts the smallest k wins.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit

from caveat.multilabel._arrays import ByteArray, FloatArray, IntArray

GAIN = 1e-12
"""A running sum must grow by more than this to count as better."""


class Ranking:
    """Groups of scores (rows of a matrix) in descending order, with the truth.

    Parameters
    ----------
    scores : array of shape (groups, n)
        One ranking per row; pass the transpose to rank each label's instances.
    truth : uint8 array of shape (groups, n)
        0/1.
    """

    def __init__(self, scores: FloatArray, truth: ByteArray) -> None:
        self.order = np.argsort(-scores, axis=1, kind="stable")
        self.scores = np.take_along_axis(scores, self.order, axis=1)
        self.hits = np.take_along_axis(truth, self.order, axis=1)
        self.positives = truth.sum(axis=1, dtype=np.int64)

    def best_f(self, beta: float = 1.0) -> FloatArray:
        """Return the threshold of each group that maximises its own F_beta."""
        cuts = np.empty(len(self.scores), dtype=np.int64)
        _best_f(self.scores, self.hits, self.positives, beta * beta, cuts)
        return self.thresholds(cuts)

    def best_hamming(self) -> FloatArray:
        """Return the threshold of each group with the fewest wrong entries."""
        # |wrong| = P + k - 2 tp, so the price of a chosen entry is 1, of a hit 2.
        cuts, _, _ = self._priced(1.0, 2.0)
        return self.thresholds(cuts)

    def best_micro(self, beta: float = 1.0) -> FloatArray:
        """Return the thresholds that together maximise micro-F_beta (Dinkelbach)."""
        weight = beta * beta
        P = int(self.positives.sum())
        value = 0.0
        while True:
            cuts, hits, chosen = self._priced(value, 1.0 + weight)
            bottom = weight * P + chosen
            better = (1.0 + weight) * hits / bottom if bottom > 0 else 0.0
            if better <= value:
                return self.thresholds(cuts)
            value = better

    def _priced(self, price: float, reward: float) -> tuple[IntArray, int, int]:
        """Maximise reward * hits - price * chosen in each group."""
        cuts = np.empty(len(self.scores), dtype=np.int64)
        hits, chosen = _best_priced(self.scores, self.hits, price, reward, cuts)
        return cuts, int(hits), int(chosen)

    def thresholds(self, cuts: IntArray) -> FloatArray:
        """Turn cuts into thresholds: half way to the next score."""
        n = self.scores.shape[1]
        groups = np.arange(len(cuts))
        last = self.scores[groups, np.maximum(cuts - 1, 0)]
        following = self.scores[groups, np.minimum(cuts, n - 1)]
        middle = last / 2 + following / 2
        middle = np.where(middle >= last, following, middle)
        beyond = np.maximum(1e-5, 1e-9 * np.abs(last))
        return np.where(
            cuts == 0, last + beyond, np.where(cuts == n, last - beyond, middle)
        )


EXACT: dict[str, Callable[[Ranking, float], FloatArray]] = {
    "hamming_loss": lambda ranking, beta: ranking.best_hamming(),
    "micro_f1": Ranking.best_micro,
}
"""What one threshold per group, of rows or of labels, is found for exactly."""


@njit(cache=True, nogil=True)
def _best_f(
    scores: FloatArray,
    hits: ByteArray,
    positives: IntArray,
    weight: float,
    cuts: IntArray,
) -> None:
    """Find the cut of each group with the largest (1 + β²) tp / (β² P + k)."""
    groups, n = scores.shape
    for g in range(groups):
        best = 0.0
        cut = 0
        tp = 0
        for k in range(1, n + 1):
            tp += hits[g, k - 1]
            if k < n and scores[g, k - 1] == scores[g, k]:
                continue
            value = (1.0 + weight) * tp / (weight * positives[g] + k)
            if value > best:
                best = value
                cut = k
        cuts[g] = cut


@njit(cache=True, nogil=True)
def _best_priced(
    scores: FloatArray, hits: ByteArray, price: float, reward: float, cuts: IntArray
) -> tuple[int, int]:
    """Find the cut of each group with the largest reward * tp - price * k."""
    groups, n = scores.shape
    all_hits = 0
    all_chosen = 0
    for g in range(groups):
        best = 0.0
        cut = 0
        best_tp = 0
        tp = 0
        for k in range(1, n + 1):
            tp += hits[g, k - 1]
            if k < n and scores[g, k - 1] == scores[g, k]:
                continue
            value = reward * tp - price * k
            if value > best:
                best = value
                cut = k
                best_tp = tp
        cuts[g] = cut
        all_hits += best_tp
        all_chosen += cut
    return all_hits, all_chosen


def best_global_mean_f(scores: FloatArray, truth: ByteArray, beta: float) -> float:
    """Return the one threshold with the largest mean F_beta of the rows.

    All entries are chosen one after the other, from the highest score on; each
    changes the F-measure of one row.
    """
    n = scores.shape[1]
    order = np.argsort(-scores, axis=None, kind="stable")
    ranked = scores.ravel()[order]
    cut = _best_mean_f(
        ranked,
        truth.ravel()[order],
        order // n,
        truth.sum(axis=1, dtype=np.int64),
        beta * beta,
    )
    return float(_as_ranking(ranked).thresholds(np.array([cut]))[0])


def _best_global_macro_f(scores: FloatArray, truth: ByteArray, beta: float) -> float:
    return best_global_mean_f(
        np.ascontiguousarray(scores.T), np.ascontiguousarray(truth.T), beta
    )


def _best_global_micro_f(scores: FloatArray, truth: ByteArray, beta: float) -> float:
    return float(_pool(scores, truth).best_f(beta)[0])


def _best_global_hamming(scores: FloatArray, truth: ByteArray, beta: float) -> float:
    return float(_pool(scores, truth).best_hamming()[0])


def _pool(scores: FloatArray, truth: ByteArray) -> Ranking:
    return Ranking(scores.reshape(1, -1), truth.reshape(1, -1))


_GLOBAL = {
    "hamming_loss": _best_global_hamming,
    "macro_f1": _best_global_macro_f,
    "instance_f1": best_global_mean_f,
    "micro_f1": _best_global_micro_f,
}
DECISION_MEASURES = tuple(_GLOBAL)
"""What thresholds can be fitted for: each has an algorithm of its own."""


def best_global(
    scores: FloatArray, truth: ByteArray, measure: str, beta: float
) -> float:
    """Return the one threshold for all entries that is best for a measure."""
    return _GLOBAL[measure](scores, truth, beta)


def _as_ranking(ranked: FloatArray) -> Ranking:
    one = ranked.reshape(1, -1)
    return Ranking(one, np.zeros(one.shape, dtype=np.uint8))


@njit(cache=True, nogil=True)
def _best_mean_f(
    ranked: FloatArray,
    hits: ByteArray,
    rows: IntArray,
    positives: IntArray,
    weight: float,
) -> int:
    """Find the cut of one common ranking that gives the groups' F the largest sum.

    Walking down the ranking, an entry changes the F of its own group only:
    (1 + β²) tp / (β² P + chosen); the old term goes out of the sum, the new one in.
    """
    tp = np.zeros(len(positives), dtype=np.int64)
    chosen = np.zeros(len(positives), dtype=np.int64)
    value = 0.0
    best = 0.0
    cut = 0
    n = len(ranked)
    for k in range(n):
        i = rows[k]
        bottom = weight * positives[i]
        if chosen[i] > 0:
            value -= (1.0 + weight) * tp[i] / (bottom + chosen[i])
        chosen[i] += 1
        tp[i] += hits[k]
        value += (1.0 + weight) * tp[i] / (bottom + chosen[i])
        if (k + 1 == n or ranked[k] != ranked[k + 1]) and value > best + GAIN:
            best = value
            cut = k + 1
    return cut


def coordinate_ascent(
    scores: FloatArray, truth: ByteArray, beta: float, max_rounds: int = 100
) -> tuple[FloatArray, int]:
    """Choose one threshold per column for the largest mean F_beta of the *rows*.

    The columns depend on one another through the rows, so no exact search in
    polynomial time is known. Starting from the best common threshold, one column
    after the other gets its exact optimum given the rest, until none improves.

    Returns
    -------
    thresholds : array, one per column
    rounds : int
        How many sweeps it took.
    """
    start = best_global_mean_f(scores, truth, beta)
    ranking = Ranking(np.ascontiguousarray(scores.T), np.ascontiguousarray(truth.T))
    cuts = (ranking.scores > start).sum(axis=1).astype(np.int64)
    rounds = _ascend(
        ranking.order,
        ranking.scores,
        ranking.hits,
        truth.sum(axis=1, dtype=np.int64),
        beta * beta,
        cuts,
        max_rounds,
    )
    found = ranking.thresholds(cuts)
    # A column that no step moved keeps the common threshold it started from.
    same = cuts == (ranking.scores > start).sum(axis=1)
    return np.where(same, start, found), rounds


@njit(cache=True, nogil=True)
def _ascend(
    order: IntArray,
    scores: FloatArray,
    hits: ByteArray,
    positives: IntArray,
    weight: float,
    cuts: IntArray,
    max_rounds: int,
) -> int:
    """Move one cut after the other to its best place until none moves; count sweeps.

    Column j chooses the first ``cuts[j]`` rows of ``order[j]``. `chosen` and `tp` hold
    how many labels of a row are chosen, and how many of these rightly: with them a row
    that enters or leaves changes only its own F, so that a column costs one pass.
    """
    columns, m = order.shape
    tp = np.zeros(m, dtype=np.int64)
    chosen = np.zeros(m, dtype=np.int64)
    for j in range(columns):
        for k in range(cuts[j]):
            chosen[order[j, k]] += 1
            tp[order[j, k]] += hits[j, k]
    for sweep in range(max_rounds):
        improved = False
        for j in range(columns):
            # Take the column out; below, `value` is the sum of the rows' F when it
            # chooses its first k + 1 rows, less that sum when it chooses none.
            now = 0.0
            for k in range(cuts[j]):
                i = order[j, k]
                chosen[i] -= 1
                tp[i] -= hits[j, k]
            value = 0.0
            best = 0.0
            cut = 0
            for k in range(m):
                i = order[j, k]
                bottom = weight * positives[i]
                if chosen[i] > 0:
                    value -= (1.0 + weight) * tp[i] / (bottom + chosen[i])
                value += (
                    (1.0 + weight) * (tp[i] + hits[j, k]) / (bottom + chosen[i] + 1)
                )
                if k + 1 == cuts[j]:
                    now = value
                # A threshold cannot part equal scores.
                at_end = k + 1 == m or scores[j, k] != scores[j, k + 1]
                if at_end and value > best + GAIN:
                    best = value
                    cut = k + 1
            if best > now + GAIN:
                improved = True
                cuts[j] = cut
            for k in range(cuts[j]):
                i = order[j, k]
                chosen[i] += 1
                tp[i] += hits[j, k]
        if not improved:
            return sweep + 1
    return max_rounds
