"""Confidence intervals of all eleven measures by resampling instances.

A resample is a weight per row. Sorting is done once: with the order at hand,
every resample costs one linear walk, for the AUCs too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numba import njit
from sklearn.utils import check_random_state

from caveat.exceptions import InvalidInput
from caveat.multilabel import _values
from caveat.multilabel._blocks import LabelRows, ScoreRows
from caveat.multilabel._conventions import (
    Degenerate,
    Ties,
    ZeroDivision,
    check_degenerate,
    check_ties,
    check_zero_division,
)
from caveat.multilabel._evaluate import ROW_MEASURES, evaluate
from caveat.multilabel._facts import score_facts
from caveat.multilabel._kernels import ByteArray, FloatArray, IntArray
from caveat.multilabel._memory import check_fits


def bootstrap_intervals(
    Y: Any,
    scores: Any,
    decisions: Any = None,
    *,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    ties: str = "half",
    zero_division: ZeroDivision = 0.0,
    degenerate: str = "skip",
    measures: Iterable[str] | None = None,
    random_state: Any = None,
) -> pd.DataFrame:
    """Percentile bootstrap intervals of the measures, over instances.

    Parameters
    ----------
    Y, scores, decisions, ties, zero_division, degenerate, measures
        As in `evaluate`.
    n_resamples : int, default=1000
        How many times m instances are drawn with replacement.
    confidence : float, default=0.95
        Coverage of the interval.
    random_state : int, RandomState or None
        Seed of the draws.

    Returns
    -------
    DataFrame indexed by measure: ``value`` (on the data as it is), ``low``,
    ``high``, ``se`` (standard deviation over resamples), ``n_defined`` (resamples
    in which the measure was defined).

    Warnings
    --------
    The interval speaks of other instances of the same kind. It does not cover
    training on other data, other labels, or thresholds chosen on these rows.
    Labels with very few positives are lost in part of the resamples, which makes
    macro-AUC and macro-F1 intervals rough.

    References
    ----------
    .. [1] B. Efron, R. Tibshirani (1993). An introduction to the bootstrap. Ch. 13.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.random((200, 4)) < 0.4
    >>> table = bootstrap_intervals(Y, Y + rng.normal(size=Y.shape), random_state=0)
    >>> bool(table["value"].between(table["low"], table["high"]).all())
    True
    """
    if isinstance(n_resamples, bool) or int(n_resamples) != n_resamples:
        raise InvalidInput(f"n_resamples is {n_resamples!r}; pass a whole number")
    if n_resamples < 2:
        raise InvalidInput(f"n_resamples is {n_resamples}; pass 2 or more")
    if not 0 < confidence < 1:
        raise InvalidInput(f"confidence is {confidence}; pass a number such as 0.95")
    value = evaluate(
        Y,
        scores,
        decisions,
        ties=ties,
        zero_division=zero_division,
        degenerate=degenerate,
        measures=measures,
    )
    sample = Resampler(
        Y,
        scores,
        decisions,
        names=tuple(value),
        ties=check_ties(ties),
        zero_division=check_zero_division(zero_division),
        degenerate=check_degenerate(degenerate),
    )
    random = check_random_state(random_state)
    m = sample.n_rows
    draws = np.empty((int(n_resamples), len(value)))
    for k in range(int(n_resamples)):
        weights = np.bincount(random.randint(m, size=m), minlength=m)
        draws[k] = list(sample.values(weights.astype(np.float64)).values())
    tail = (1 - confidence) / 2
    defined = ~np.isnan(draws)
    rows = []
    for column, (name, at) in enumerate(value.items()):
        kept = draws[defined[:, column], column]
        low, high = np.quantile(kept, [tail, 1 - tail]) if len(kept) else (np.nan,) * 2
        spread = kept.std(ddof=1) if len(kept) > 1 else np.nan
        rows.append((name, at, low, high, spread, len(kept)))
    columns = ["measure", "value", "low", "high", "se", "n_defined"]
    return pd.DataFrame(rows, columns=columns).set_index("measure")


class Resampler:
    """The measures as functions of row weights.

    Parameters
    ----------
    Y, scores, decisions
        As in `evaluate`.
    names : tuple of str
        Measures to compute.
    ties, zero_division, degenerate
        Checked conventions.
    """

    def __init__(
        self,
        Y: Any,
        scores: Any,
        decisions: Any,
        *,
        names: tuple[str, ...],
        ties: Ties,
        zero_division: ZeroDivision,
        degenerate: Degenerate,
    ) -> None:
        truth = LabelRows("Y", Y)
        self.n_rows, self.n_labels = truth.shape
        check_fits(
            24.0 * self.n_rows * self.n_labels,
            f"resampling {self.n_rows:,} x {self.n_labels:,} scores",
            "resample a random part of the rows",
        )
        self.names, self.zero_division = names, zero_division
        self._strict = degenerate == "sklearn"
        self._tie_weight = 1.0 if ties == "paper" else 0.5
        self._truth = truth.dense()
        self._parts: dict[str, _values.Part] = {}
        self._labels: _Order | None = None
        self._pool: _Order | None = None
        self._chosen: ByteArray | None = None
        by_row = [name for name in names if name in ROW_MEASURES]
        if by_row:
            facts = score_facts(
                truth, ScoreRows(scores, truth), labels=False, pool=False
            )
            self._parts = {
                name: _values.row_part(name, facts, ties, degenerate) for name in by_row
            }
        if "macro_auc" in names or "micro_auc" in names:
            S = ScoreRows(scores, truth).dense()
            if "macro_auc" in names:
                self._labels = _Order.of_labels(S, self._truth)
            if "micro_auc" in names:
                self._pool = _Order.of_pool(S, self._truth)
        if decisions is not None:
            self._chosen = LabelRows("decisions", decisions).dense()

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
        return {name: found[name] for name in self.names}

    def _macro_auc(self, order: _Order, weights: FloatArray) -> float:
        terms = order.auc(weights, self._tie_weight)
        return _values.Part(terms, ~np.isnan(terms), strict=self._strict).mean

    def _decision_values(
        self, weights: FloatArray, chosen: ByteArray
    ) -> dict[str, float]:
        labels = np.zeros((self.n_labels, 3))
        rows = np.zeros(2)
        _weighted_counts(
            self._truth, chosen, weights, labels, rows, _as_term(self.zero_division)
        )
        p, q, both = labels.sum(axis=0)
        size = self.n_labels * weights.sum()
        zero = self.zero_division
        nothing = float("nan") if zero == "skip" else zero
        per_label = _values.f1_part(labels.astype(np.int64), zero)
        return {
            "hamming_loss": float((p + q - 2 * both) / size),
            "macro_f1": per_label.mean,
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
