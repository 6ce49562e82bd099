"""One or two readings of the data, and all that eleven measures need is counted.

The first reading collects the facts of every row and the scores of the rarer
class. The second looks up the scores of the other class in them, label by label
(macro-AUC) and in one pool (micro-AUC). Counts are whole numbers, so that block
sizes cannot change a result.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from caveat.measures.multilabel._blocks import LabelRows, ScoreRows, row_blocks
from caveat.measures.multilabel._kernels import (
    FloatArray,
    IntArray,
    RowFacts,
    decision_pass,
    fill_label_cells,
    gather_pass,
    label_pass,
    merge_counts,
    pool_pass,
    row_pass,
)


@dataclass(frozen=True)
class PairCounts:
    """Pairs of a positive and a negative entry.

    Attributes
    ----------
    total, reversed, tied : int or array of ints
        All pairs; those whose negative has the higher score; those with equal
        scores.
    """

    total: IntArray
    reversed: IntArray
    tied: IntArray


@dataclass(frozen=True)
class ScoreFacts:
    """What the seven score measures are computed from.

    Attributes
    ----------
    shape : (int, int)
        Instances and labels.
    rows : RowFacts or None
        Facts of each row, if a row measure was asked for.
    labels, pool : PairCounts or None
        Pairs per label, and pairs over the whole matrix.
    few_values : bool
        Whether the scores take at most two values.
    """

    shape: tuple[int, int]
    rows: RowFacts | None
    labels: PairCounts | None
    pool: tuple[int, int, int] | None
    few_values: bool


@dataclass(frozen=True)
class DecisionFacts:
    """Relevant, chosen and rightly chosen entries, per row and per label."""

    shape: tuple[int, int]
    rows: IntArray
    labels: IntArray


def score_facts(
    truth: LabelRows,
    scores: ScoreRows,
    *,
    rows: bool = True,
    labels: bool = True,
    pool: bool = True,
) -> ScoreFacts:
    """Read the scores once or twice and count what was asked for."""
    n_rows, n_labels = truth.shape
    positives = truth.label_counts
    facts = RowFacts(n_rows) if rows else None
    lookups = labels or pool
    # Keep the rarer class: at most half of the entries, far fewer as a rule.
    kept = 1 if 2 * int(positives.sum()) <= n_rows * n_labels else 0
    counts = positives if kept else n_rows - positives
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    values = np.empty(ends[-1] if lookups else 0)
    fill = ends[:-1].copy()
    few = _FewValues()
    for start, stop in row_blocks(truth.shape):
        S, Y = scores.rows(start, stop), truth.rows(start, stop)
        few.see(S)
        if facts is not None:
            row_pass(S, Y, start, facts.counts, facts.precision)
        if lookups:
            gather_pass(S, Y, kept, values, fill)

    label_pairs, pool_pairs = None, None
    if lookups:
        pooled = np.sort(values) if pool else None
        by_label = _LabelLists(values, ends) if labels else None
        label_pairs, pool_pairs = _look_up(truth, scores, kept, by_label, pooled)
    return ScoreFacts(truth.shape, facts, label_pairs, pool_pairs, few.are_few)


def decision_facts(truth: LabelRows, decisions: LabelRows) -> DecisionFacts:
    """Read truth and decisions once and count."""
    rows = np.zeros((truth.shape[0], 3), dtype=np.int64)
    labels = np.zeros((truth.shape[1], 3), dtype=np.int64)
    for start, stop in row_blocks(truth.shape):
        decision_pass(
            truth.rows(start, stop), decisions.rows(start, stop), start, rows, labels
        )
    return DecisionFacts(truth.shape, rows, labels)


class _LabelLists:
    """The kept scores of every label, sorted, with cells that find one quickly."""

    def __init__(self, values: FloatArray, ends: IntArray) -> None:
        for first, last in pairwise(ends):
            values[first:last].sort()
        self.values, self.ends = values, ends
        self.starts = np.empty(len(values) + len(ends), dtype=np.int64)
        self.scales = np.zeros(len(ends) - 1)
        fill_label_cells(values, ends, self.starts, self.scales)


def _look_up(
    truth: LabelRows,
    scores: ScoreRows,
    kept: int,
    by_label: _LabelLists | None,
    pooled: FloatArray | None,
) -> tuple[PairCounts | None, tuple[int, int, int] | None]:
    """Read the scores again and count pairs with the kept ones."""
    n_rows, n_labels = truth.shape
    positives = truth.label_counts
    below = np.zeros(n_labels, dtype=np.int64)
    tied = np.zeros(n_labels, dtype=np.int64)
    pool_below, pool_tied = 0, 0
    for start, stop in row_blocks(truth.shape):
        S, Y = scores.rows(start, stop), truth.rows(start, stop)
        if by_label is not None:
            label_pass(
                S,
                Y,
                kept,
                by_label.values,
                by_label.ends,
                by_label.starts,
                by_label.scales,
                below,
                tied,
            )
        if pooled is not None:
            others = np.empty(S.size + 1)
            others = others[: pool_pass(S, Y, kept, others)]
            others.sort()
            part_below, part_tied = merge_counts(pooled, others)
            # Python's whole numbers: 10^5 x 10^5 entries overflow 64 bits.
            pool_below += int(part_below)
            pool_tied += int(part_tied)
    label_pairs, pool_pairs = None, None
    if by_label is not None:
        total = positives * (n_rows - positives)
        wrong = below if kept else total - below - tied
        label_pairs = PairCounts(total, wrong, tied)
    if pooled is not None:
        P = int(positives.sum())
        all_pairs = P * (n_rows * n_labels - P)
        wrong_pairs = pool_below if kept else all_pairs - pool_below - pool_tied
        pool_pairs = (all_pairs, wrong_pairs, pool_tied)
    return label_pairs, pool_pairs


class _FewValues:
    """Whether all scores seen so far take at most two values."""

    def __init__(self) -> None:
        self.are_few = True
        self._seen: FloatArray = np.empty(0)

    def see(self, block: FloatArray) -> None:
        """Look at a block; real scores end the search within the first row."""
        for part in (block[:1], block) if self.are_few else ():
            new = part[~np.isin(part, self._seen)]
            self._seen = np.union1d(self._seen, new[:3])
            if len(self._seen) < 3 and len(new):
                self._seen = np.union1d(self._seen, new)
            self.are_few = len(self._seen) <= 2
            if not self.are_few:
                return
