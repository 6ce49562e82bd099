"""Measures of many labels with weights on the rows.

Sorting is done once: with the order at hand, every set of weights costs one linear
walk, for the AUCs too. So a thousand resamples take seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from caveat.measures.multilabel._checks import check_fits
from caveat.measures.multilabel._conventions import Conventions, ZeroDivision
from caveat.measures.multilabel._evaluate import Inputs
from caveat.measures.multilabel._facts import score_facts
from caveat.measures.multilabel._formulas import FORMULAS, Part, f1_part
from caveat.measures.multilabel._kernels import ByteArray, FloatArray, IntArray


class Resampler:
    """The measures as functions of row weights.

    Parameters
    ----------
    Y, scores, decisions
        As in `evaluate`.
    names : tuple of str
        Measures to compute, as in its result.
    conventions : Conventions
    """

    def __init__(
        self,
        Y: Any,
        scores: Any,
        decisions: Any,
        *,
        names: tuple[str, ...],
        conventions: Conventions,
    ) -> None:
        self._inputs = Inputs(Y, scores, decisions)
        truth = self._inputs.truth
        self.n_rows, self.n_labels = truth.shape
        check_fits(
            24.0 * self.n_rows * self.n_labels,
            f"resampling {self.n_rows:,} x {self.n_labels:,} scores",
            "resample a random part of the rows",
        )
        self.names, self._rules = names, conventions
        self._tie_weight = 1.0 if conventions.ties == "paper" else 0.5
        self._truth = truth.dense()
        self._own = [name for name in names if name not in FORMULAS]
        reads = {name: FORMULAS[name].reads for name in names if name not in self._own}
        by_row = [name for name, what in reads.items() if what == "rows"]
        self._parts: dict[str, Any] = {}
        if by_row:
            facts = score_facts(truth, self._inputs.scores, labels=False, pool=False)
            self._parts = {
                name: FORMULAS[name].terms(facts, conventions) for name in by_row
            }
        self._labels = self._pool = self._chosen = None
        if "labels" in reads.values():
            self._labels = _Order.of_labels(self._inputs.scores.dense(), self._truth)
        if "pool" in reads.values():
            self._pool = _Order.of_pool(self._inputs.scores.dense(), self._truth)
        if "decisions" in reads.values():
            self._chosen = self._inputs.decisions.dense()

    def values(self, weights: FloatArray) -> dict[str, float]:
        """Compute the measures with `weights` copies of every row."""
        found: dict[str, float] = {}
        for name, part in self._parts.items():
            found[name] = part.weighted_mean(weights)
        if self._labels is not None:
            found["macro_auc"] = self._macro_auc(self._labels, weights)
        if self._pool is not None:
            found["micro_auc"] = float(self._pool.auc(weights, self._tie_weight)[0])
        if self._chosen is not None:
            found |= self._decision_values(weights, self._chosen)
        for name in self._own:
            found[name] = self._inputs.own_value(name, weights)
        return {name: found[name] for name in self.names}

    def _macro_auc(self, order: _Order, weights: FloatArray) -> float:
        terms = order.auc(weights, self._tie_weight)
        strict = self._rules.degenerate == "sklearn"
        return Part(terms, ~np.isnan(terms), strict=strict).value

    def _decision_values(
        self, weights: FloatArray, chosen: ByteArray
    ) -> dict[str, float]:
        labels = np.zeros((self.n_labels, 3))
        rows = np.zeros(2)
        _weighted_counts(
            self._truth,
            chosen,
            weights,
            labels,
            rows,
            _as_term(self._rules.zero_division),
        )
        p, q, both = labels.sum(axis=0)
        size = self.n_labels * weights.sum()
        zero = self._rules.zero_division
        nothing = float("nan") if zero == "skip" else zero
        per_label = f1_part(labels, zero)
        return {
            "hamming_loss": float((p + q - 2 * both) / size),
            "macro_f1": per_label.value,
            "instance_f1": float(rows[0] / rows[1]) if rows[1] else float("nan"),
            "micro_f1": float(2 * both / (p + q)) if p + q else nothing,
        }


@dataclass(frozen=True)
class _Order:
    """Entries in ascending order of score, group after group.

    `rows` says whose weight an entry carries, `positive` its class, `fresh`
    whether its score differs from the one before.
    """

    rows: IntArray
    positive: ByteArray
    fresh: ByteArray
    ends: IntArray

    @classmethod
    def of_labels(cls, S: FloatArray, Y: ByteArray) -> _Order:
        """Every label is a group."""
        n_rows, n_labels = S.shape
        order = np.argsort(S.T, axis=1)
        sorted_scores = np.take_along_axis(S.T, order, axis=1)
        fresh = np.ones(order.shape, dtype=np.uint8)
        fresh[:, 1:] = sorted_scores[:, 1:] != sorted_scores[:, :-1]
        positive = np.take_along_axis(Y.T, order, axis=1)
        ends = np.arange(n_labels + 1, dtype=np.int64) * n_rows
        return cls(order.ravel(), positive.ravel(), fresh.ravel(), ends)

    @classmethod
    def of_pool(cls, S: FloatArray, Y: ByteArray) -> _Order:
        """All entries form one group."""
        order = np.argsort(S, axis=None)
        sorted_scores = S.ravel()[order]
        fresh = np.ones(len(order), dtype=np.uint8)
        fresh[1:] = sorted_scores[1:] != sorted_scores[:-1]
        ends = np.array([0, len(order)], dtype=np.int64)
        return cls(order // S.shape[1], Y.ravel()[order], fresh, ends)

    def auc(self, weights: FloatArray, tie_weight: float) -> FloatArray:
        """Return the weighted AUC of every group, NaN where a class is missing."""
        out = np.empty(len(self.ends) - 1)
        _weighted_auc(
            self.rows, self.positive, self.fresh, self.ends, weights, tie_weight, out
        )
        return out


@njit(cache=True, nogil=True)
def _weighted_auc(
    rows: IntArray,
    positive: ByteArray,
    fresh: ByteArray,
    ends: IntArray,
    weights: FloatArray,
    tie_weight: float,
    out: FloatArray,
) -> None:
    for group in range(len(out)):
        below = 0.0  # weight of negatives with a lower score
        level = 0.0  # ... with the same score
        waiting = 0.0  # weight of positives with the same score
        right = 0.0
        total = 0.0
        for k in range(ends[group], ends[group + 1]):
            if fresh[k]:
                right += waiting * (below + tie_weight * level)
                below += level
                level = 0.0
                waiting = 0.0
            w = weights[rows[k]]
            if positive[k]:
                waiting += w
                total += w
            else:
                level += w
        right += waiting * (below + tie_weight * level)
        below += level
        out[group] = right / (total * below) if total * below > 0 else np.nan


@njit(cache=True, nogil=True)
def _weighted_counts(
    Y: ByteArray,
    H: ByteArray,
    weights: FloatArray,
    labels: FloatArray,
    rows: FloatArray,
    zero: float,
) -> None:
    """Add up label counts, and the sum and the number of the rows' F-measures."""
    for i in range(Y.shape[0]):
        w = weights[i]
        if w == 0.0:
            continue
        p = 0
        q = 0
        both = 0
        for j in range(Y.shape[1]):
            if Y[i, j]:
                p += 1
                labels[j, 0] += w
                if H[i, j]:
                    both += 1
                    labels[j, 2] += w
            if H[i, j]:
                q += 1
                labels[j, 1] += w
        if p + q > 0:
            rows[0] += w * (2.0 * both / (p + q))
            rows[1] += w
        elif not np.isnan(zero):
            rows[0] += w * zero
            rows[1] += w


def _as_term(zero_division: ZeroDivision) -> float:
    return float("nan") if zero_division == "skip" else float(zero_division)
