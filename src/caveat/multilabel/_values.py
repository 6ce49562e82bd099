"""From counts to values: every measure row by row, label by label, and as a mean.

The formulas are those of Table 1 of Wu & Zhou (2017); where scores tie they
branch on the tie rule. `Part` keeps the terms of a mean, so that one formula
serves the value, the breakdown and the bootstrap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caveat.multilabel._conventions import Degenerate, Ties, ZeroDivision
from caveat.multilabel._facts import DecisionFacts, PairCounts, ScoreFacts
from caveat.multilabel._kernels import FloatArray, RowFacts


@dataclass(frozen=True)
class Part:
    """The terms of a measure that is a mean over rows or labels.

    Attributes
    ----------
    terms : array
        One value per row or label; what is not valid holds NaN.
    valid : bool array
        Which terms enter the mean.
    strict : bool
        Whether one term that is not valid leaves the whole measure undefined.
    """

    terms: FloatArray
    valid: NDArray[np.bool_]
    strict: bool = False

    @property
    def mean(self) -> float:
        """Mean of the valid terms, NaN if there is none."""
        return self.weighted_mean(np.ones(len(self.terms)))

    def weighted_mean(self, weights: FloatArray) -> float:
        """Mean with so many copies of every term."""
        kept = np.where(self.valid, weights, 0.0)
        total = kept.sum()
        if total == 0 or (self.strict and total < weights.sum()):
            return float("nan")
        return float(kept @ np.where(self.valid, self.terms, 0.0) / total)


_TIED_IS_WRONG: dict[Ties, float] = {"half": 0.5, "paper": 1.0, "sklearn": 1.0}
_TIED_IS_RIGHT: dict[Ties, float] = {"half": 0.5, "paper": 1.0, "sklearn": 0.5}


def row_part(name: str, facts: ScoreFacts, ties: Ties, degenerate: Degenerate) -> Part:
    """Terms of a score measure that is a mean over rows."""
    rows = facts.rows
    assert rows is not None
    n_labels = facts.shape[1]
    p = rows.relevant
    n = n_labels - p
    some, both = p > 0, (p > 0) & (n > 0)
    if name == "ranking_loss":
        wrong = rows.reversed + _TIED_IS_WRONG[ties] * rows.tied
        part = _part(wrong, p * n, both)
        return _fill(part, 0.0) if degenerate == "sklearn" else part
    if name == "instance_auc":
        right = p * n - rows.reversed - (1 - _TIED_IS_RIGHT[ties]) * rows.tied
        part = _part(right, p * n, both)
        return _all_or_none(part) if degenerate == "sklearn" else part
    if name == "average_precision":
        terms = rows.precision_half if ties == "half" else rows.precision_max
        part = _part(terms, np.ones_like(terms), both)
        return _fill(part, 1.0) if degenerate == "sklearn" else part
    if name == "one_error":
        part = _part(_top_is_wrong(rows, ties), np.ones(len(p)), some)
        return _fill(part, 1.0) if degenerate == "authors" else part
    part = _part(_steps_down(rows, ties), np.ones(len(p)), some)
    return part if degenerate == "skip" else _fill(part, -1.0)


def _top_is_wrong(rows: RowFacts, ties: Ties) -> FloatArray:
    """Whether the label with the highest score is irrelevant."""
    if ties == "paper":
        return (rows.top_relevant == 0).astype(float)
    if ties == "sklearn":
        return (rows.first_relevant == 0).astype(float)
    return np.asarray(1.0 - rows.top_relevant / rows.top_group, dtype=np.float64)


def _steps_down(rows: RowFacts, ties: Ties) -> FloatArray:
    """How many labels come before the last relevant one."""
    G, g, r = rows.lowest_above, rows.lowest_group, rows.lowest_relevant
    if ties == "paper":
        return G.astype(float)
    if ties == "sklearn":
        return (G + g - 1).astype(float)
    # The last of r relevant labels among g in random order stands at
    # r(g + 1)/(r + 1) in the mean.
    return np.asarray(G + r * (g + 1.0) / (r + 1.0) - 1.0, dtype=np.float64)


def label_part(pairs: PairCounts, ties: Ties, degenerate: Degenerate) -> Part:
    """Terms of macro-AUC."""
    right = pairs.total - pairs.reversed - (1 - _TIED_IS_RIGHT[ties]) * pairs.tied
    part = _part(right, pairs.total, pairs.total > 0)
    return _all_or_none(part) if degenerate == "sklearn" else part


def pool_auc(pool: tuple[int, int, int], ties: Ties) -> float:
    """Micro-AUC from pairs in total, reversed and tied."""
    total, wrong, tied = pool
    if total == 0:
        return float("nan")
    # Twice the count stays a whole number of any size, so the ratio is exact.
    return (2 * (total - wrong - tied) + int(2 * _TIED_IS_RIGHT[ties]) * tied) / (
        2 * total
    )


def f1_part(counts: NDArray[np.int64], zero_division: ZeroDivision) -> Part:
    """Terms of macro-F1 or instance-F1: 2 tp / (p + q)."""
    size = counts[:, 0] + counts[:, 1]
    part = _part(2.0 * counts[:, 2], size, size > 0)
    return part if zero_division == "skip" else _fill(part, zero_division)


def micro_f1(facts: DecisionFacts, zero_division: ZeroDivision) -> float:
    """Return 2 tp / (p + q) over the whole matrix."""
    p, q, both = (int(x) for x in facts.labels.sum(axis=0))
    if p + q == 0:
        return float("nan") if zero_division == "skip" else zero_division
    return 2 * both / (p + q)


def hamming_terms(facts: DecisionFacts) -> FloatArray:
    """Share of wrong entries of each row."""
    p, q, both = facts.rows.T
    return (p + q - 2 * both) / facts.shape[1]


def hamming(facts: DecisionFacts) -> float:
    """Share of wrong entries of the whole matrix."""
    p, q, both = (int(x) for x in facts.labels.sum(axis=0))
    return (p + q - 2 * both) / (facts.shape[0] * facts.shape[1])


def _part(
    numerator: NDArray[np.number], denominator: NDArray[np.number], valid: NDArray
) -> Part:
    terms = np.full(len(valid), np.nan)
    np.divide(numerator, denominator, out=terms, where=valid)
    return Part(terms, valid)


def _fill(part: Part, value: float) -> Part:
    """Count what is not valid as `value`."""
    terms = np.where(part.valid, part.terms, value)
    return Part(terms, np.ones_like(part.valid))


def _all_or_none(part: Part) -> Part:
    """Leave the measure undefined as soon as one term is."""
    return Part(part.terms, part.valid, strict=True)
