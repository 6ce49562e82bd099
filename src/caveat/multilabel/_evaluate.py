"""All eleven measures in one pass."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from caveat.exceptions import InvalidInput, listing
from caveat.multilabel import _values
from caveat.multilabel._blocks import LabelRows, ScoreRows
from caveat.multilabel._catalogue import MEASURES, SCORE_MEASURES
from caveat.multilabel._checks import check_same
from caveat.multilabel._conventions import (
    TIES,
    Degenerate,
    DegenerateWarning,
    Ties,
    TieWarning,
    ZeroDivision,
    check_degenerate,
    check_measures,
    check_ties,
    check_zero_division,
)
from caveat.multilabel._facts import (
    DecisionFacts,
    ScoreFacts,
    decision_facts,
    score_facts,
)
from caveat.multilabel._kernels import IntArray
from caveat.multilabel._report import MultiLabelReport

ROW_MEASURES = tuple(
    name for name in SCORE_MEASURES if name not in ("macro_auc", "micro_auc")
)


def evaluate(
    Y: Any,
    scores: Any,
    decisions: Any = None,
    *,
    ties: str = "half",
    zero_division: ZeroDivision = 0.0,
    degenerate: str = "skip",
    measures: Iterable[str] | None = None,
) -> MultiLabelReport:
    """Compute the eleven multi-label measures in one pass.

    Without `decisions` the four decision measures are absent, with
    ``scores=None`` only those four are there: nothing is thresholded in silence.

    Parameters
    ----------
    Y : array-like, frame or sparse matrix of shape (m, l)
        The truth, 0/1 (or -1/+1).
    scores : array-like, frame, sparse matrix, memory map, callable or None
        Real scores of shape (m, l), higher for relevant. A callable gets
        ``(start, stop)`` and returns these rows; it is read twice. An entry that
        a sparse matrix does not store is a score of 0.
    decisions : array-like, frame or sparse matrix of shape (m, l), optional
        0/1 decisions.
    ties : {'half', 'paper', 'sklearn'}, default='half'
        How tied scores count: as their expectation under random tie-breaking,
        as Table 1 of [1]_ literally says, or as scikit-learn counts them.
    zero_division : float or 'skip', default=0.0
        What an F-measure without any relevant or chosen entry counts as.
    degenerate : {'skip', 'sklearn', 'authors'}, default='skip'
        What rows and labels of one class only count as: left out, as in
        scikit-learn, or as in the published code of [1]_.
    measures : iterable of str, optional
        Which measures to compute; all that the input allows by default.

    Returns
    -------
    MultiLabelReport
        A dict from measure name to value, with `tie_share`, `alt`,
        `n_valid_rows`, `n_valid_labels`, `best` and `to_frame()`.

    Warns
    -----
    TieWarning
        If relevant and irrelevant entries share a score.
    DegenerateWarning
        If rows or labels were left out, or a measure is not defined.

    Warnings
    --------
    The measures disagree by design: a model that orders the labels of every
    instance well need not order the instances of any label (see `effectiveness`).
    Best values differ from 1 and 0 for coverage, and for F-measures when rows or
    labels have no positive; see `best` of the result.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> Y = [[1, 0, 1], [0, 1, 0]]
    >>> scores = [[0.9, 0.1, 0.4], [0.7, 0.8, 0.2]]
    >>> result = evaluate(Y, scores, decisions=[[1, 0, 0], [1, 1, 0]])
    >>> result["ranking_loss"], result["hamming_loss"], result["macro_f1"]
    (0.0, 0.3333, 0.5556)
    >>> sorted(evaluate(Y, scores, measures=["coverage", "one_error"]).items())
    [('coverage', 0.5), ('one_error', 0.0)]
    """
    rule, rest = check_ties(ties), check_degenerate(degenerate)
    zero = check_zero_division(zero_division)
    if scores is None and decisions is None:
        raise InvalidInput("neither scores nor decisions were given; pass one of them")
    names = check_measures(
        measures, scores=scores is not None, decisions=decisions is not None
    )
    truth = LabelRows("Y", Y)
    by_scores = by_decisions = None
    if any(MEASURES[name].needs == "scores" for name in names):
        by_scores = score_facts(
            truth,
            ScoreRows(scores, truth),
            rows=any(name in ROW_MEASURES for name in names),
            labels="macro_auc" in names,
            pool="micro_auc" in names,
        )
    if any(MEASURES[name].needs == "decisions" for name in names):
        chosen = LabelRows("decisions", decisions)
        check_same(truth, chosen)
        by_decisions = decision_facts(truth, chosen)
    report = build_report(names, truth, by_scores, by_decisions, rule, rest, zero)
    for message, kind in _remarks(report, truth):
        warnings.warn(message, kind, stacklevel=2)
    return report


def build_report(
    names: Iterable[str],
    truth: LabelRows,
    by_scores: ScoreFacts | None,
    by_decisions: DecisionFacts | None,
    ties: Ties,
    degenerate: Degenerate,
    zero_division: ZeroDivision,
) -> MultiLabelReport:
    """Turn counted facts into values under the given conventions."""
    values: dict[str, float] = {}
    n_valid: dict[str, int] = {}
    alt: dict[str, dict[str, float]] = {rule: {} for rule in TIES}
    for name in names:
        if MEASURES[name].needs == "scores":
            assert by_scores is not None
            for rule in TIES:
                alt[rule][name], n_valid[name] = _score_value(
                    name, by_scores, rule, degenerate
                )
            values[name] = alt[ties][name]
        else:
            assert by_decisions is not None
            values[name], n_valid[name] = _decision_value(
                name, by_decisions, zero_division
            )
    shares = {} if by_scores is None else _tie_shares(by_scores)
    p_rows, p_labels = truth.row_counts, truth.label_counts
    n_rows, n_labels = truth.shape
    n_zero = {}
    if by_decisions is not None:
        n_zero = {
            "macro_f1": int((by_decisions.labels[:, :2].sum(axis=1) == 0).sum()),
            "instance_f1": int((by_decisions.rows[:, :2].sum(axis=1) == 0).sum()),
        }
    return MultiLabelReport(
        values,
        ties=ties,
        degenerate=degenerate,
        zero_division=zero_division,
        tie_share=max(shares.values(), default=0.0),
        tie_shares=shares,
        alt=alt,
        n_valid_rows=int(((p_rows > 0) & (p_rows < n_labels)).sum()),
        n_valid_labels=int(((p_labels > 0) & (p_labels < n_rows)).sum()),
        n_valid=n_valid,
        n_zero_division=n_zero,
        best={
            name: _best(name, p_rows, p_labels, zero_division, degenerate)
            for name in values
        },
        macro_f1_attainable=float((p_labels > 0).mean()),
        few_values=by_scores is not None and by_scores.few_values,
    )


def _score_value(
    name: str, facts: ScoreFacts, ties: Ties, degenerate: Degenerate
) -> tuple[float, int]:
    """Return the value of a score measure and how many terms it averages."""
    if name == "micro_auc":
        assert facts.pool is not None
        return _values.pool_auc(facts.pool, ties), facts.shape[0] * facts.shape[1]
    if name == "macro_auc":
        assert facts.labels is not None
        part = _values.label_part(facts.labels, ties, degenerate)
    else:
        part = _values.row_part(name, facts, ties, degenerate)
    return part.mean, int(part.valid.sum())


def _decision_value(
    name: str, facts: DecisionFacts, zero_division: ZeroDivision
) -> tuple[float, int]:
    """Return the value of a decision measure and how many terms it averages."""
    if name == "hamming_loss":
        return _values.hamming(facts), facts.shape[0] * facts.shape[1]
    if name == "micro_f1":
        return (
            _values.micro_f1(facts, zero_division),
            facts.shape[0] * facts.shape[1],
        )
    counts = facts.labels if name == "macro_f1" else facts.rows
    part = _values.f1_part(counts, zero_division)
    return part.mean, int(part.valid.sum())


def _tie_shares(facts: ScoreFacts) -> dict[str, float]:
    """Tied pairs as a share of all pairs, for each kind of pair that was counted."""
    shares = {}
    if facts.rows is not None:
        p = facts.rows.relevant
        total = int((p * (facts.shape[1] - p)).sum())
        shares["rows"] = int(facts.rows.tied.sum()) / max(1, total)
    if facts.labels is not None:
        total = int(facts.labels.total.sum())
        shares["labels"] = int(facts.labels.tied.sum()) / max(1, total)
    if facts.pool is not None:
        shares["matrix"] = facts.pool[2] / max(1, facts.pool[0])
    return shares


def _best(
    name: str,
    p_rows: IntArray,
    p_labels: IntArray,
    zero_division: ZeroDivision,
    degenerate: Degenerate,
) -> float:
    """Return the best value that any prediction could reach on this truth."""
    if name == "coverage":
        # A row without relevant labels is left out, or counts as -1.
        counted = p_rows[p_rows > 0] if degenerate == "skip" else p_rows
        return float(counted.mean() - 1) if len(counted) else float("nan")
    if name in ("macro_f1", "instance_f1", "micro_f1"):
        has_some = {
            "macro_f1": p_labels > 0,
            "instance_f1": p_rows > 0,
            "micro_f1": np.array([p_rows.sum() > 0]),
        }[name]
        if zero_division == "skip":
            return 1.0
        return float(np.where(has_some, 1.0, zero_division).mean())
    return 1.0 if MEASURES[name].higher_is_better else 0.0


def _remarks(
    report: MultiLabelReport, truth: LabelRows
) -> Iterator[tuple[str, type[Warning]]]:
    """Say what a reader of the values should know."""
    if report.tie_share > 0:
        kind = max(report.tie_shares, key=lambda key: report.tie_shares[key])
        share = "0.1%" if report.tie_share < 0.001 else f"{report.tie_share:.1%}"
        yield (
            f"{'under ' if report.tie_share < 0.001 else ''}{share} of the pairs of a "
            "relevant and an irrelevant entry (within "
            f"{kind if kind != 'matrix' else 'the matrix'}) have equal scores; "
            f"ties={report.ties!r} decides, see the result's alt",
            TieWarning,
        )
    if report.few_values:
        yield (
            "the scores take at most two values, so they look like decisions used as "
            "scores; pass real scores, or decisions= alone",
            TieWarning,
        )
    n_rows, n_labels = truth.shape
    skipped_rows = [name for name in report if name in ROW_MEASURES]
    if skipped_rows and report.n_valid_rows < n_rows:
        yield (
            f"{n_rows - report.n_valid_rows} of {n_rows} rows have no relevant or no "
            f"irrelevant label (degenerate={report.degenerate!r}); this concerns "
            f"{', '.join(skipped_rows)}",
            DegenerateWarning,
        )
    if "macro_auc" in report and report.n_valid_labels < n_labels:
        constant = (truth.label_counts == 0) | (truth.label_counts == n_rows)
        names = [truth.label_names()[j] for j in np.flatnonzero(constant)[:6]]
        more = int(constant.sum()) - len(names)
        yield (
            f"{int(constant.sum())} of {n_labels} labels have one class only "
            f"({listing(names)}{f' and {more} more' if more else ''}; "
            f"degenerate={report.degenerate!r}); this concerns macro_auc",
            DegenerateWarning,
        )
    empty = [
        f"{count} of {n_labels if name == 'macro_f1' else n_rows} terms of {name}"
        for name, count in report.n_zero_division.items()
        if count and name in report
    ]
    if empty:
        yield (
            f"{' and '.join(empty)} are 0/0, nothing is relevant and nothing chosen; "
            f"zero_division={report.zero_division!r} decides what they count as",
            DegenerateWarning,
        )
    undefined = [name for name, value in report.items() if np.isnan(value)]
    if undefined:
        yield (
            f"{', '.join(undefined)} cannot be computed on this truth: "
            "nothing is left to compare",
            DegenerateWarning,
        )
