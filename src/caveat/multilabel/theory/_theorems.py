"""The paper's theorems as checks that can be run on any scores.

Each check compares a measure with what the theorem says of it. `applies` tells
whether the theorem's assumption (effectiveness) is met; a check that applies and
does not hold would be a counterexample. There are two, both of printed claims:
see `printed` and docs/multilabel.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from caveat.exceptions import InvalidInput, UnknownName
from caveat.measures.multilabel import (
    LabelRows,
    ScoreRows,
    ZeroDivision,
    check_zero_division,
    evaluate,
    row_blocks,
)
from caveat.multilabel._arrays import FloatArray, IntArray
from caveat.multilabel.theory._margins import margins

TOLERANCE = 1e-12


@dataclass(frozen=True)
class TheoremCheck:
    """One claim held against the data.

    Attributes
    ----------
    theorem : int
        Its number in the paper.
    measure : str
        What the claim is about.
    lhs, rhs : float
        The measure, and what the theorem says of it.
    relation : str
        ``=`` or ``>=``.
    applies : bool
        Whether the assumption is met.
    holds : bool
        Whether the relation is true of the two numbers.
    slack : float
        lhs - rhs.
    printed : bool
        True for a claim that the paper prints and that is false in general.
    """

    theorem: int
    measure: str
    lhs: float
    rhs: float
    relation: str
    applies: bool
    holds: bool
    slack: float
    printed: bool = False


def check_theorem_1(Y: Any, scores: Any) -> list[TheoremCheck]:
    """Label-wise effective: five ranking measures are optimal.

    Examples
    --------
    >>> checks = check_theorem_1([[1, 0], [0, 1]], [[3.0, 1.0], [9.0, 9.5]])
    >>> all(check.applies and check.holds for check in checks)
    True
    """
    names = (
        "ranking_loss",
        "one_error",
        "coverage",
        "average_precision",
        "instance_auc",
    )
    applies = margins(Y, scores).label_effective
    result = evaluate(Y, scores, measures=names)
    return [
        _check(1, name, result[name], result.best[name], "=", applies) for name in names
    ]


def check_theorem_2(Y: Any, scores: Any) -> list[TheoremCheck]:
    """Instance-wise effective: macro-AUC is optimal.

    Examples
    --------
    >>> [check] = check_theorem_2([[1, 0], [0, 1]], [[3.0, 7.0], [1.0, 9.5]])
    >>> check.lhs, check.applies, check.holds
    (1.0, True, True)
    """
    applies = margins(Y, scores).instance_effective
    value = evaluate(Y, scores, measures=["macro_auc"])["macro_auc"]
    return [_check(2, "macro_auc", value, 1.0, "=", applies)]


def check_theorem_3(Y: Any, scores: Any) -> list[TheoremCheck]:
    """Double effective: micro-AUC tends to 1, if positives are spread evenly.

    The claim is asymptotic and assumes that the scores of all positives are
    drawn from one uniform distribution. Without that it fails at every size, so
    the check is marked `printed`; the slack says how far micro-AUC is from 1.

    Examples
    --------
    Two groups of labels on scales of their own: double effective, and yet some
    positives score below negatives of the other group.

    >>> Y = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    >>> scores = [[10, 5, -1, -1], [5, 10, -1, -1], [-1, -1, 1, .5], [-1, -1, .5, 1]]
    >>> [check] = check_theorem_3(Y, scores)
    >>> check.applies, check.holds, check.lhs
    (True, False, 0.9167)
    """
    applies = margins(Y, scores).double_effective
    value = evaluate(Y, scores, measures=["micro_auc"])["micro_auc"]
    return [_check(3, "micro_auc", value, 1.0, "=", applies, printed=True)]


def check_theorem_4(
    Y: Any, scores: Any, thresholds: Any, *, zero_division: ZeroDivision = 0.0
) -> list[TheoremCheck]:
    """Label-wise effective, one threshold per instance: bounds by threshold error.

    Hamming loss equals Σ ε_i / ml. Instance-F1 is at least the mean of
    B(p_i, ε_i). For micro-F1 the paper prints the same bound and equality with
    instance-F1; both are false in general (marked `printed`). What does hold, with
    P = Σ p_i and E = Σ ε_i, is micro-F1 ≥ 2(P - E)/(2P - E).

    Parameters
    ----------
    Y, scores
        As in `evaluate`.
    thresholds : float or array of shape (m,)
        Decisions are score > threshold.
    zero_division : float, default=0.0
        What 0/0 counts as in an F-measure.

    Examples
    --------
    >>> Y, scores = [[1, 0, 0], [1, 1, 0]], [[9, 5, 1], [8, 7, 2]]
    >>> checks = check_theorem_4(Y, scores, thresholds=[6, 7.5])
    >>> [(check.measure, check.holds) for check in checks if not check.printed]
    [('hamming_loss', True), ('instance_f1', True), ('micro_f1', True)]
    """
    error = threshold_error(Y, scores, thresholds, per="instance")
    truth = LabelRows("Y", Y)
    applies = margins(Y, scores).label_effective
    zero = _number(zero_division)
    result = _decide_and_evaluate(truth, scores, _column(thresholds), zero)
    bound = float(_f1_bound(truth.row_counts, error, zero).mean())
    return [
        *_common(4, "instance_f1", result, error, bound, truth.shape, applies),
        _check(
            4, "micro_f1", result["micro_f1"], _micro_bound(truth, error, zero), ">=",
            applies,
        ),
        _check(4, "micro_f1", result["micro_f1"], bound, ">=", applies, printed=True),
        _check(
            4, "micro_f1", result["micro_f1"], result["instance_f1"], "=", applies,
            printed=True,
        ),
    ]  # fmt: skip


def check_theorem_5(
    Y: Any, scores: Any, thresholds: Any, *, zero_division: ZeroDivision = 0.0
) -> list[TheoremCheck]:
    """Instance-wise effective, one threshold per label: bounds by threshold error.

    Hamming loss equals Σ ε^j / ml, macro-F1 is at least the mean of B(p^j, ε^j).

    Parameters
    ----------
    Y, scores
        As in `evaluate`.
    thresholds : float or array of shape (l,)
        Decisions are score > threshold.
    zero_division : float, default=0.0
        What 0/0 counts as in an F-measure.

    Examples
    --------
    >>> Y, scores = [[1, 0], [1, 1], [0, 0]], [[9, 5], [8, 7], [1, 2]]
    >>> checks = check_theorem_5(Y, scores, thresholds=[8.5, 4])
    >>> [(check.measure, check.holds) for check in checks]
    [('hamming_loss', True), ('macro_f1', True)]
    """
    error = threshold_error(Y, scores, thresholds, per="label")
    truth = LabelRows("Y", Y)
    applies = margins(Y, scores).instance_effective
    zero = _number(zero_division)
    limit = np.asarray(thresholds, dtype=np.float64).reshape(1, -1)
    result = _decide_and_evaluate(truth, scores, limit, zero)
    bound = float(_f1_bound(truth.label_counts, error, zero).mean())
    return _common(5, "macro_f1", result, error, bound, truth.shape, applies)


def threshold_error(
    Y: Any, scores: Any, thresholds: Any, *, per: str = "instance"
) -> IntArray:
    """How many entries a threshold cuts off too many or too few (Definition 6).

    ε = |#{k: x_k > t} - c*|, where c* is the number of relevant entries.

    Parameters
    ----------
    Y, scores
        As in `evaluate`.
    thresholds : float or array
        One number, or one per instance (or label).
    per : {'instance', 'label'}, default='instance'
        Whether rows or columns are cut.

    Returns
    -------
    array of int, of shape (m,) or (l,)

    Examples
    --------
    >>> threshold_error([[1, 0, 0], [1, 1, 0]], [[9, 5, 1], [8, 7, 2]], [4, 7.5])
    array([1, 1])
    """
    if per not in ("instance", "label"):
        raise UnknownName.among("side of a threshold", per, ("instance", "label"))
    truth = LabelRows("Y", Y)
    real = ScoreRows(scores, truth)
    wanted = truth.row_counts if per == "instance" else truth.label_counts
    limit = np.asarray(thresholds, dtype=np.float64)
    if limit.shape not in {(), (1,), wanted.shape} or np.isnan(limit).any():
        raise InvalidInput(
            f"thresholds has shape {limit.shape} or holds NaN; "
            f"pass one number or {len(wanted)} (one per {per})"
        )
    limits = np.broadcast_to(limit, wanted.shape)
    above = np.zeros(len(wanted), dtype=np.int64)
    for start, stop in row_blocks(truth.shape):
        S = real.rows(start, stop)
        if per == "instance":
            above[start:stop] = (limits[start:stop, None] < S).sum(axis=1)
        else:
            above += (limits < S).sum(axis=0)
    return np.abs(above - wanted)


def _decide_and_evaluate(
    truth: LabelRows, scores: Any, limit: FloatArray, zero: float
) -> dict[str, float]:
    real = ScoreRows(scores, truth).dense()
    return evaluate(truth.dense(), None, real > limit, zero_division=zero)


def _common(
    theorem: int,
    name: str,
    result: dict[str, float],
    error: IntArray,
    bound: float,
    shape: tuple[int, int],
    applies: bool,
) -> list[TheoremCheck]:
    share = int(error.sum()) / (shape[0] * shape[1])
    return [
        _check(theorem, "hamming_loss", result["hamming_loss"], share, "=", applies),
        _check(theorem, name, result[name], bound, ">=", applies),
    ]


def _f1_bound(p: IntArray, error: IntArray, zero: float) -> FloatArray:
    """Return the smallest F-measure with p relevant entries and this threshold error.

    Missing ε of them gives 2(p - ε)/(2p - ε), never more than ε too many,
    2p/(2p + ε); and no more than p can be missing.
    """
    few = error <= p
    missing = 2 * (p - error) / np.maximum(1, 2 * p - error)
    extra = 2 * p / np.maximum(1, 2 * p + error)
    bound = np.where(few, missing, extra)
    return np.where((p == 0) & (error == 0), zero, bound)


def _micro_bound(truth: LabelRows, error: IntArray, zero: float) -> float:
    P, E = int(truth.row_counts.sum()), int(error.sum())
    if P == 0:
        return zero if E == 0 else 0.0
    return 2 * (P - E) / (2 * P - E) if E <= P else 0.0


def _column(thresholds: Any) -> FloatArray:
    return np.asarray(thresholds, dtype=np.float64).reshape(-1, 1)


def _number(zero_division: ZeroDivision) -> float:
    zero = check_zero_division(zero_division)
    if zero == "skip":
        raise InvalidInput("zero_division is 'skip'; the bounds need a number")
    return float(zero)


def _check(
    theorem: int,
    measure: str,
    lhs: float,
    rhs: float,
    relation: str,
    applies: bool,
    *,
    printed: bool = False,
) -> TheoremCheck:
    slack = lhs - rhs
    close = abs(slack) <= TOLERANCE * max(1.0, abs(rhs))
    return TheoremCheck(
        theorem=theorem,
        measure=measure,
        lhs=lhs,
        rhs=rhs,
        relation=relation,
        applies=applies,
        holds=bool(close or (relation == ">=" and slack > 0)),
        slack=slack,
        printed=printed,
    )
