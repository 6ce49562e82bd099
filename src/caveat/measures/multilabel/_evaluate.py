"""All measures of many labels in one pass."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from caveat.exceptions import InvalidInput, listing
from caveat.measures.multilabel._blocks import LabelRows, ScoreRows
from caveat.measures.multilabel._checks import check_same
from caveat.measures.multilabel._conventions import (
    TIES,
    Conventions,
    DegenerateWarning,
    TieWarning,
    ZeroDivision,
    check_measures,
)
from caveat.measures.multilabel._facts import (
    DecisionFacts,
    ScoreFacts,
    decision_facts,
    score_facts,
)
from caveat.measures.multilabel._formulas import FORMULAS
from caveat.measures.multilabel._kernels import FloatArray, IntArray
from caveat.measures.multilabel._report import MultiLabelReport
from caveat.measures.registry import LABEL_MEASURES


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
    """Compute the eleven multi-label measures, and registered ones, in one pass.

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
    rules = Conventions.of(ties, zero_division, degenerate)
    if scores is None and decisions is None:
        raise InvalidInput("neither scores nor decisions were given; pass one of them")
    names = check_measures(
        measures, scores=scores is not None, decisions=decisions is not None
    )
    inputs = Inputs(Y, scores, decisions)
    report = _report(names, inputs, rules)
    for message, kind in _remarks(report, inputs.truth):
        warnings.warn(message, kind, stacklevel=2)
    return report


class Inputs:
    """Truth, scores and decisions, read when first asked for."""

    def __init__(self, Y: Any, scores: Any, decisions: Any) -> None:
        self.truth = LabelRows("Y", Y)
        self._scores, self._decisions = scores, decisions

    @cached_property
    def scores(self) -> ScoreRows:
        """Rows of scores."""
        return ScoreRows(self._scores, self.truth)

    @cached_property
    def decisions(self) -> LabelRows:
        """Rows of 0/1 decisions."""
        chosen = LabelRows("decisions", self._decisions)
        check_same(self.truth, chosen)
        return chosen

    def own_value(self, name: str, weights: FloatArray | None = None) -> float:
        """Value of a measure that has a function only, on whole matrices."""
        measure = LABEL_MEASURES[name]
        rows = self.scores if measure.needs == "scores" else self.decisions
        return measure(self.truth.dense(), rows.dense(), sample_weight=weights)


def _report(
    names: Sequence[str], inputs: Inputs, rules: Conventions
) -> MultiLabelReport:
    """Turn counted facts into values under the given conventions."""
    reads = {FORMULAS[name].reads for name in names if name in FORMULAS}
    by_scores = by_decisions = None
    if reads & {"rows", "labels", "pool"}:
        by_scores = score_facts(
            inputs.truth,
            inputs.scores,
            rows="rows" in reads,
            labels="labels" in reads,
            pool="pool" in reads,
        )
    if "decisions" in reads:
        by_decisions = decision_facts(inputs.truth, inputs.decisions)
    values: dict[str, float] = {}
    n_valid: dict[str, int] = {}
    alt: dict[str, dict[str, float]] = {rule: {} for rule in TIES}
    for name in names:
        if name not in FORMULAS:
            values[name] = inputs.own_value(name)
            n_valid[name] = inputs.truth.shape[0]
        elif FORMULAS[name].reads == "decisions":
            found = FORMULAS[name].terms(by_decisions, rules)
            values[name], n_valid[name] = found.value, found.n_terms
        else:
            for rule in TIES:
                found = FORMULAS[name].terms(by_scores, rules._replace(ties=rule))
                alt[rule][name], n_valid[name] = found.value, found.n_terms
            values[name] = alt[rules.ties][name]
    p_rows, p_labels = inputs.truth.row_counts, inputs.truth.label_counts
    n_rows, n_labels = inputs.truth.shape
    shares = {} if by_scores is None else _tie_shares(by_scores)
    return MultiLabelReport(
        values,
        **rules._asdict(),
        tie_share=max(shares.values(), default=0.0),
        tie_shares=shares,
        alt=alt,
        n_valid_rows=int(((p_rows > 0) & (p_rows < n_labels)).sum()),
        n_valid_labels=int(((p_labels > 0) & (p_labels < n_rows)).sum()),
        n_valid=n_valid,
        n_zero_division=_zero_divisions(by_decisions),
        best={name: _best(name, p_rows, p_labels, rules) for name in values},
        macro_f1_attainable=float((p_labels > 0).mean()),
        few_values=by_scores is not None and by_scores.few_values,
    )


def _zero_divisions(facts: DecisionFacts | None) -> dict[str, int]:
    """How many terms of the F-measures are 0/0."""
    if facts is None:
        return {}
    return {
        "macro_f1": int((facts.labels[:, :2].sum(axis=1) == 0).sum()),
        "instance_f1": int((facts.rows[:, :2].sum(axis=1) == 0).sum()),
    }


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
    rules: Conventions,
) -> float:
    """Return the best value that any prediction could reach on this truth."""
    known = FORMULAS[name].best if name in FORMULAS else None
    if known is not None:
        return known(p_rows, p_labels, rules)
    low, high = LABEL_MEASURES[name].range
    return high if LABEL_MEASURES[name].larger_is_better else low


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
    read = {name: FORMULAS[name].reads for name in report if name in FORMULAS}
    skipped_rows = [name for name, what in read.items() if what == "rows"]
    skipped_labels = [name for name, what in read.items() if what == "labels"]
    if skipped_rows and report.n_valid_rows < n_rows:
        yield (
            f"{n_rows - report.n_valid_rows} of {n_rows} rows have no relevant or no "
            f"irrelevant label (degenerate={report.degenerate!r}); this concerns "
            f"{', '.join(skipped_rows)}",
            DegenerateWarning,
        )
    if skipped_labels and report.n_valid_labels < n_labels:
        constant = (truth.label_counts == 0) | (truth.label_counts == n_rows)
        names = [truth.label_names()[j] for j in np.flatnonzero(constant)[:6]]
        more = int(constant.sum()) - len(names)
        yield (
            f"{int(constant.sum())} of {n_labels} labels have one class only "
            f"({listing(names)}{f' and {more} more' if more else ''}; "
            f"degenerate={report.degenerate!r}); this concerns "
            f"{', '.join(skipped_labels)}",
            DegenerateWarning,
        )
    terms = {"macro_f1": n_labels, "instance_f1": n_rows}
    empty = [
        f"{count} of {terms[name]} terms of {name}"
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
