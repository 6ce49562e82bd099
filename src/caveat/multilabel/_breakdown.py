"""The same measures, label by label and instance by instance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput
from caveat.measures.multilabel import (
    Conventions,
    LabelRows,
    ScoreRows,
    ZeroDivision,
    check_same,
    decision_facts,
    hamming_terms,
    score_facts,
    terms_of,
)
from caveat.multilabel.theory._margins import margins


def per_label(
    Y: Any,
    scores: Any = None,
    decisions: Any = None,
    *,
    ties: str = "half",
    zero_division: ZeroDivision = 0.0,
) -> pd.DataFrame:
    """Tell label by label what macro-AUC and macro-F1 average.

    Parameters
    ----------
    Y, scores, decisions, ties, zero_division
        As in `evaluate`; give scores, decisions or both.

    Returns
    -------
    DataFrame with one row per label: ``positives``, ``share``; from scores
    ``auc``, ``tied`` (share of tied pairs), ``margin``; from decisions
    ``chosen``, ``precision``, ``recall``, ``f1``. NaN where not defined.

    Warnings
    --------
    Values of labels with few positives jump from split to split.

    Examples
    --------
    >>> Y, scores = [[1, 0], [0, 0], [1, 1]], [[0.9, 0.1], [0.3, 0.4], [0.2, 0.5]]
    >>> per_label(Y, scores)[["positives", "auc", "margin"]]
           positives  auc  margin
    label
    0              2  0.5    -0.1
    1              1  1.0     0.1
    """
    rules = Conventions.of(ties, zero_division, "skip")
    truth = LabelRows("Y", Y)
    columns: dict[str, Any] = {
        "positives": truth.label_counts,
        "share": truth.label_counts / truth.shape[0],
    }
    if scores is not None:
        facts = score_facts(truth, ScoreRows(scores, truth), rows=False, pool=False)
        columns["auc"] = terms_of("macro_auc", facts, rules).terms
        columns["tied"] = _ratio(facts.labels.tied, facts.labels.total)
        columns["margin"] = margins(Y, scores).instance
    if decisions is not None:
        chosen = LabelRows("decisions", decisions)
        check_same(truth, chosen)
        counts = decision_facts(truth, chosen)
        p, q, both = counts.labels.T
        columns["chosen"] = q
        columns["precision"] = _ratio(both, q)
        columns["recall"] = _ratio(both, p)
        columns["f1"] = terms_of("macro_f1", counts, rules).terms
    _something_given(scores, decisions)
    names = pd.Index(truth.label_names(), name="label")
    return pd.DataFrame(columns, index=names)


def per_instance(
    Y: Any,
    scores: Any = None,
    decisions: Any = None,
    *,
    ties: str = "half",
    zero_division: ZeroDivision = 0.0,
) -> pd.DataFrame:
    """Tell instance by instance what the row-wise measures average.

    Parameters
    ----------
    Y, scores, decisions, ties, zero_division
        As in `evaluate`; give scores, decisions or both.

    Returns
    -------
    DataFrame with one row per instance: ``relevant``; from scores
    ``ranking_loss``, ``one_error``, ``coverage``, ``average_precision``, ``auc``,
    ``margin``; from decisions ``chosen``, ``hamming_loss``, ``f1``. NaN where not
    defined.

    Warnings
    --------
    One instance with few relevant labels is a very small sample.

    Examples
    --------
    >>> per_instance([[1, 0, 1], [0, 1, 0]], [[0.9, 0.1, 0.4], [0.7, 0.2, 0.3]])[
    ...     ["relevant", "coverage", "auc", "margin"]
    ... ]
              relevant  coverage  auc  margin
    instance
    0                2       1.0  1.0     0.3
    1                1       2.0  0.0    -0.5
    """
    rules = Conventions.of(ties, zero_division, "skip")
    truth = LabelRows("Y", Y)
    columns: dict[str, Any] = {"relevant": truth.row_counts}
    if scores is not None:
        facts = score_facts(truth, ScoreRows(scores, truth), labels=False, pool=False)
        for name in ("ranking_loss", "one_error", "coverage", "average_precision"):
            columns[name] = terms_of(name, facts, rules).terms
        columns["auc"] = terms_of("instance_auc", facts, rules).terms
        columns["margin"] = margins(Y, scores).label
    if decisions is not None:
        chosen = LabelRows("decisions", decisions)
        check_same(truth, chosen)
        found = decision_facts(truth, chosen)
        columns["chosen"] = found.rows[:, 1]
        columns["hamming_loss"] = hamming_terms(found)
        columns["f1"] = terms_of("instance_f1", found, rules).terms
    _something_given(scores, decisions)
    names = range(truth.shape[0]) if truth.index is None else truth.index
    return pd.DataFrame(columns, index=pd.Index(names, name="instance"))


def _ratio(part: Any, whole: Any) -> Any:
    return np.where(whole > 0, part / np.maximum(1, whole), np.nan)


def _something_given(scores: Any, decisions: Any) -> None:
    if scores is None and decisions is None:
        raise InvalidInput("neither scores nor decisions were given; pass one of them")
