"""From counts to values: every measure row by row, label by label, and as a mean.

The formulas are those of Table 1 of Wu & Zhou (2017); where scores tie they
branch on the tie rule. `Part` keeps the terms of a mean, so that one formula
serves the value, the breakdown and the bootstrap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caveat.exceptions import UnknownName
from caveat.measures.multilabel._conventions import Conventions, Ties, ZeroDivision
from caveat.measures.multilabel._facts import DecisionFacts, ScoreFacts
from caveat.measures.multilabel._kernels import FloatArray, IntArray, RowFacts


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
    def value(self) -> float:
        """Mean of the valid terms, NaN if there is none."""
        return self.weighted_mean(np.ones(len(self.terms)))

    @property
    def n_terms(self) -> int:
        """How many terms enter the mean."""
        return int(self.valid.sum())

    def weighted_mean(self, weights: FloatArray) -> float:
        """Mean with so many copies of every term."""
        kept = np.where(self.valid, weights, 0.0)
        total = kept.sum()
        if total == 0 or (self.strict and total < weights.sum()):
            return float("nan")
        return float(kept @ np.where(self.valid, self.terms, 0.0) / total)


class Whole(NamedTuple):
    """A measure that pools the whole matrix: no terms, one value."""

    value: float
    n_terms: int


class Formula(NamedTuple):
    """How a measure follows from what was counted.

    Attributes
    ----------
    reads : {"rows", "labels", "pool", "decisions"}
        Which facts: of every row, of every label, of the pool of all scores, or of
        the decisions.
    terms : callable
        Facts and conventions to a `Part` or a `Whole`.
    best : callable, optional
        Relevant entries of each row and of each label, and conventions, to the best
        value that any prediction could reach; the end of the range if None.
    """

    reads: str
    terms: Callable[[Any, Conventions], Part | Whole]
    best: Callable[[IntArray, IntArray, Conventions], float] | None = None


_TIED_IS_WRONG: dict[Ties, float] = {"half": 0.5, "paper": 1.0, "sklearn": 1.0}
_TIED_IS_RIGHT: dict[Ties, float] = {"half": 0.5, "paper": 1.0, "sklearn": 0.5}


def terms_of(name: str, facts: Any, conventions: Conventions) -> Any:
    """Return the `Part` or `Whole` of one of the eleven measures."""
    if name not in FORMULAS:
        raise UnknownName.among("formula", name, FORMULAS)
    return FORMULAS[name].terms(facts, conventions)


def _hamming_loss(facts: DecisionFacts, rules: Conventions) -> Whole:
    p, q, both = (int(x) for x in facts.labels.sum(axis=0))
    size = facts.shape[0] * facts.shape[1]
    return Whole((p + q - 2 * both) / size, size)


def hamming_terms(facts: DecisionFacts) -> FloatArray:
    """Share of wrong entries of each row."""
    p, q, both = facts.rows.T
    return (p + q - 2 * both) / facts.shape[1]


def _ranking_loss(facts: ScoreFacts, rules: Conventions) -> Part:
    rows, p, n = _rows(facts)
    wrong = rows.reversed + _TIED_IS_WRONG[rules.ties] * rows.tied
    part = _part(wrong, p * n, (p > 0) & (n > 0))
    return _fill(part, 0.0) if rules.degenerate == "sklearn" else part


def _one_error(facts: ScoreFacts, rules: Conventions) -> Part:
    rows, p, _ = _rows(facts)
    part = _part(_top_is_wrong(rows, rules.ties), np.ones(len(p)), p > 0)
    return _fill(part, 1.0) if rules.degenerate == "authors" else part


def _coverage(facts: ScoreFacts, rules: Conventions) -> Part:
    rows, p, _ = _rows(facts)
    part = _part(_steps_down(rows, rules.ties), np.ones(len(p)), p > 0)
    return part if rules.degenerate == "skip" else _fill(part, -1.0)


def _average_precision(facts: ScoreFacts, rules: Conventions) -> Part:
    rows, p, n = _rows(facts)
    terms = rows.precision_half if rules.ties == "half" else rows.precision_max
    part = _part(terms, np.ones_like(terms), (p > 0) & (n > 0))
    return _fill(part, 1.0) if rules.degenerate == "sklearn" else part


def _instance_auc(facts: ScoreFacts, rules: Conventions) -> Part:
    rows, p, n = _rows(facts)
    right = p * n - rows.reversed - (1 - _TIED_IS_RIGHT[rules.ties]) * rows.tied
    part = _part(right, p * n, (p > 0) & (n > 0))
    return _all_or_none(part) if rules.degenerate == "sklearn" else part


def _macro_auc(facts: ScoreFacts, rules: Conventions) -> Part:
    pairs = facts.labels
    assert pairs is not None
    right = pairs.total - pairs.reversed - (1 - _TIED_IS_RIGHT[rules.ties]) * pairs.tied
    part = _part(right, pairs.total, pairs.total > 0)
    return _all_or_none(part) if rules.degenerate == "sklearn" else part


def _micro_auc(facts: ScoreFacts, rules: Conventions) -> Whole:
    assert facts.pool is not None
    total, wrong, tied = facts.pool
    size = facts.shape[0] * facts.shape[1]
    if total == 0:
        return Whole(float("nan"), size)
    # Twice the count stays a whole number of any size, so the ratio is exact.
    right = 2 * (total - wrong - tied) + int(2 * _TIED_IS_RIGHT[rules.ties]) * tied
    return Whole(right / (2 * total), size)


def _macro_f1(facts: DecisionFacts, rules: Conventions) -> Part:
    return f1_part(facts.labels, rules.zero_division)


def _instance_f1(facts: DecisionFacts, rules: Conventions) -> Part:
    return f1_part(facts.rows, rules.zero_division)


def _micro_f1(facts: DecisionFacts, rules: Conventions) -> Whole:
    p, q, both = (int(x) for x in facts.labels.sum(axis=0))
    size = facts.shape[0] * facts.shape[1]
    if p + q == 0:
        nothing = rules.zero_division
        return Whole(float("nan") if nothing == "skip" else nothing, size)
    return Whole(2 * both / (p + q), size)


def _best_coverage(rows: IntArray, labels: IntArray, rules: Conventions) -> float:
    # A row without relevant labels is left out, or counts as -1.
    counted = rows[rows > 0] if rules.degenerate == "skip" else rows
    return float(counted.mean() - 1) if len(counted) else float("nan")


def _best_macro_f1(rows: IntArray, labels: IntArray, rules: Conventions) -> float:
    return _best_f1(labels > 0, rules.zero_division)


def _best_instance_f1(rows: IntArray, labels: IntArray, rules: Conventions) -> float:
    return _best_f1(rows > 0, rules.zero_division)


def _best_micro_f1(rows: IntArray, labels: IntArray, rules: Conventions) -> float:
    return _best_f1(np.array([rows.sum() > 0]), rules.zero_division)


def _best_f1(has_some: NDArray[np.bool_], zero_division: ZeroDivision) -> float:
    """Mean over terms: 1 where something is relevant, else what 0/0 counts as."""
    if zero_division == "skip":
        return 1.0
    return float(np.where(has_some, 1.0, zero_division).mean())


FORMULAS: dict[str, Formula] = {
    "hamming_loss": Formula("decisions", _hamming_loss),
    "ranking_loss": Formula("rows", _ranking_loss),
    "one_error": Formula("rows", _one_error),
    "coverage": Formula("rows", _coverage, _best_coverage),
    "average_precision": Formula("rows", _average_precision),
    "macro_f1": Formula("decisions", _macro_f1, _best_macro_f1),
    "instance_f1": Formula("decisions", _instance_f1, _best_instance_f1),
    "micro_f1": Formula("decisions", _micro_f1, _best_micro_f1),
    "macro_auc": Formula("labels", _macro_auc),
    "instance_auc": Formula("rows", _instance_auc),
    "micro_auc": Formula("pool", _micro_auc),
}


def _rows(facts: ScoreFacts) -> tuple[RowFacts, Any, Any]:
    """Facts of the rows, and how many labels of each are relevant and irrelevant."""
    assert facts.rows is not None
    p = facts.rows.relevant
    return facts.rows, p, facts.shape[1] - p


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


def f1_part(counts: NDArray[np.number], zero_division: ZeroDivision) -> Part:
    """Terms of macro-F1 or instance-F1: 2 tp / (p + q)."""
    size = counts[:, 0] + counts[:, 1]
    part = _part(2.0 * counts[:, 2], size, size > 0)
    return part if zero_division == "skip" else _fill(part, zero_division)


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
