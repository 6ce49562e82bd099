"""The eleven measures of many labels, one function each.

Each of them reads the data for itself; `evaluate` computes all in one pass. Where
`sample_weight` is given, an instance of weight 2 counts as two.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from caveat.exceptions import InvalidInput
from caveat.measures.multilabel._blocks import LabelRows, ScoreRows
from caveat.measures.multilabel._conventions import (
    Conventions,
    DegenerateWarning,
    ZeroDivision,
)
from caveat.measures.multilabel._evaluate import evaluate
from caveat.measures.multilabel._weighted import Resampler


def hamming_loss(
    Y: Any, decisions: Any, *, threshold: Any = None, sample_weight: Any = None
) -> float:
    """Share of entries that are decided wrongly.

    (1/ml) Σ_ij [H_ij ≠ Y_ij]: measure 1 of Table 1.

    Parameters
    ----------
    Y : array-like of shape (m, l)
        The truth, as in `evaluate`.
    decisions : array-like of shape (m, l)
        0/1 decisions, or real scores together with `threshold`.
    threshold : float or array, optional
        Decide score > threshold: one number, l numbers (one per label), or an
        array of shape (m, 1) (one per instance).

    Returns
    -------
    float, between 0 and 1; smaller is better.

    Warnings
    --------
    Where labels are rare, deciding nothing at all scores well: with 3 % positives
    it gives 0.03.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> hamming_loss([[1, 0], [0, 1]], [[1, 1], [0, 1]])
    0.25
    >>> hamming_loss([[1, 0], [0, 1]], [[0.9, 0.6], [0.2, 0.7]], threshold=0.5)
    0.25
    """
    return _decision("hamming_loss", Y, decisions, threshold, 0.0, sample_weight)


def ranking_loss(
    Y: Any,
    scores: Any,
    *,
    ties: str = "half",
    degenerate: str = "skip",
    sample_weight: Any = None,
) -> float:
    """Share of label pairs of an instance that stand in the wrong order.

    Mean over instances of |{(u, v): S_iu ≤ S_iv}| / (p_i n_i), u relevant and v
    irrelevant: measure 2 of Table 1. With ``ties="half"`` it is 1 - instance-AUC.

    Parameters
    ----------
    Y, scores, ties, degenerate, sample_weight
        As in `evaluate`; weights of the instances.

    Returns
    -------
    float, between 0 and 1; smaller is better.

    Warnings
    --------
    It never compares two instances: scores that are the same for every instance
    (how common each label is) can do well.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> ranking_loss([[1, 0, 0]], [[0.5, 0.9, 0.1]])
    0.5
    >>> ranking_loss([[1, 0, 0]], [[0.5, 0.5, 0.5]], ties="paper")
    1.0
    """
    return _score("ranking_loss", Y, scores, ties, degenerate, sample_weight)


def one_error(
    Y: Any,
    scores: Any,
    *,
    ties: str = "half",
    degenerate: str = "skip",
    sample_weight: Any = None,
) -> float:
    """Share of instances whose top label is irrelevant.

    Mean over instances of [argmax_j S_ij ∉ P_i]: measure 3 of Table 1.

    Parameters
    ----------
    Y, scores, ties, degenerate, sample_weight
        As in `evaluate`; weights of the instances.

    Returns
    -------
    float, between 0 and 1; smaller is better.

    Warnings
    --------
    It sees one label per instance. With ``ties="paper"`` a constant score is
    optimal.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> one_error([[1, 0], [1, 0]], [[0.9, 0.1], [0.2, 0.3]])
    0.5
    """
    return _score("one_error", Y, scores, ties, degenerate, sample_weight)


def coverage(
    Y: Any,
    scores: Any,
    *,
    ties: str = "half",
    degenerate: str = "skip",
    normalize: bool = False,
    sample_weight: Any = None,
) -> float:
    """How far down an instance's list its last relevant label stands.

    Mean over instances of max_{j ∈ P_i} rank_i(j) - 1: measure 4 of Table 1.

    Parameters
    ----------
    Y, scores, ties, degenerate, sample_weight
        As in `evaluate`; weights of the instances.
    normalize : bool, default=False
        Divide by l - 1.

    Returns
    -------
    float, between mean(p_i) - 1 and l - 1; smaller is better.

    Warnings
    --------
    Its best value is not 0 but the mean number of relevant labels minus 1 (`best`
    in the result of `evaluate`), and it grows with the number of labels.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> coverage([[1, 0, 1]], [[0.9, 0.5, 0.1]])
    2.0
    >>> coverage([[1, 0, 1]], [[0.9, 0.5, 0.1]], normalize=True)
    1.0
    """
    value = _score("coverage", Y, scores, ties, degenerate, sample_weight)
    if not normalize:
        return value
    steps = LabelRows("Y", Y).shape[1] - 1
    if steps == 0:
        warnings.warn(
            "coverage with normalize=True divides by l - 1, and there is one label",
            DegenerateWarning,
            stacklevel=2,
        )
        return float("nan")
    return value / steps


def average_precision(
    Y: Any,
    scores: Any,
    *,
    ties: str = "half",
    degenerate: str = "skip",
    sample_weight: Any = None,
) -> float:
    """Precision at every relevant label of an instance, averaged.

    Mean over instances of (1/p_i) Σ_{j ∈ P_i} |{k ∈ P_i: rank(k) ≤ rank(j)}| / rank(j):
    measure 5 of Table 1, also called label ranking average precision.

    Parameters
    ----------
    Y, scores, ties, degenerate, sample_weight
        As in `evaluate`; weights of the instances.

    Returns
    -------
    float, above 0, at most 1; larger is better.

    Warnings
    --------
    It is not the area under a precision-recall curve, and it never compares two
    instances.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> average_precision([[1, 0, 1]], [[0.9, 0.5, 0.1]])
    0.8333
    """
    return _score("average_precision", Y, scores, ties, degenerate, sample_weight)


def macro_f1(
    Y: Any,
    decisions: Any,
    *,
    threshold: Any = None,
    zero_division: ZeroDivision = 0.0,
    sample_weight: Any = None,
) -> float:
    """F-measure of every label, averaged over labels.

    (1/l) Σ_j 2 TP^j / (p^j + q^j): measure 6 of Table 1.

    Parameters
    ----------
    Y : array-like of shape (m, l)
        The truth, as in `evaluate`.
    decisions : array-like of shape (m, l)
        0/1 decisions, or real scores together with `threshold`.
    threshold : float or array, optional
        Decide score > threshold: one number, l numbers (one per label), or an
        array of shape (m, 1) (one per instance).
    zero_division : float or 'skip', default=0.0
        What a term without any relevant or chosen entry counts as.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    A label without positives counts 0 unless `zero_division` says otherwise, so 1
    may be out of reach. It depends on thresholds more than any other measure;
    thresholds tuned on the evaluated rows flatter it most.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> macro_f1([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.8333
    """
    return _decision("macro_f1", Y, decisions, threshold, zero_division, sample_weight)


def instance_f1(
    Y: Any,
    decisions: Any,
    *,
    threshold: Any = None,
    zero_division: ZeroDivision = 0.0,
    sample_weight: Any = None,
) -> float:
    """F-measure of every instance, averaged over instances.

    (1/m) Σ_i 2 TP_i / (p_i + q_i): measure 7 of Table 1.

    Parameters
    ----------
    Y : array-like of shape (m, l)
        The truth, as in `evaluate`.
    decisions : array-like of shape (m, l)
        0/1 decisions, or real scores together with `threshold`.
    threshold : float or array, optional
        Decide score > threshold: one number, l numbers (one per label), or an
        array of shape (m, 1) (one per instance).
    zero_division : float or 'skip', default=0.0
        What a term without any relevant or chosen entry counts as.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    An instance without relevant labels counts 0 unless `zero_division` says
    otherwise.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> instance_f1([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.8333
    """
    return _decision(
        "instance_f1", Y, decisions, threshold, zero_division, sample_weight
    )


def micro_f1(
    Y: Any,
    decisions: Any,
    *,
    threshold: Any = None,
    zero_division: ZeroDivision = 0.0,
    sample_weight: Any = None,
) -> float:
    """F-measure over all entries at once.

    2 Σ TP / (Σ p + Σ q): measure 8 of Table 1.

    Parameters
    ----------
    Y : array-like of shape (m, l)
        The truth, as in `evaluate`.
    decisions : array-like of shape (m, l)
        0/1 decisions, or real scores together with `threshold`.
    threshold : float or array, optional
        Decide score > threshold: one number, l numbers (one per label), or an
        array of shape (m, 1) (one per instance).
    zero_division : float or 'skip', default=0.0
        What a term without any relevant or chosen entry counts as.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    Common labels and instances with many labels dominate it. It is not equal to
    instance-F1, as Theorem 4 of the paper prints: it is the mean of the rows'
    F-measures weighted by p_i + q_i.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> micro_f1([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.8
    """
    return _decision("micro_f1", Y, decisions, threshold, zero_division, sample_weight)


def macro_auc(
    Y: Any,
    scores: Any,
    *,
    ties: str = "half",
    degenerate: str = "skip",
    sample_weight: Any = None,
) -> float:
    """AUC of every label, averaged over labels.

    Mean over labels of |{(a, b): S_aj ≥ S_bj}| / (p^j n^j), a positive and b
    negative: measure 9 of Table 1.

    Parameters
    ----------
    Y, scores, ties, degenerate, sample_weight
        As in `evaluate`; weights of the instances.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    Labels of one class only are left out, so its labels differ from split to
    split. It never compares two labels.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> macro_auc([[1, 0], [0, 1], [0, 0]], [[0.9, 0.2], [0.3, 0.1], [0.5, 0.0]])
    0.75
    """
    return _score("macro_auc", Y, scores, ties, degenerate, sample_weight)


def instance_auc(
    Y: Any,
    scores: Any,
    *,
    ties: str = "half",
    degenerate: str = "skip",
    sample_weight: Any = None,
) -> float:
    """AUC of every instance, averaged over instances.

    Mean over instances of |{(u, v): S_iu ≥ S_iv}| / (p_i n_i), u relevant and v
    irrelevant: measure 10 of Table 1. Without ties, and always with
    ``ties="half"``, it is 1 - ranking loss: eleven measures are ten.

    Parameters
    ----------
    Y, scores, ties, degenerate, sample_weight
        As in `evaluate`; weights of the instances.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    It never compares two instances: scores that are the same for every instance
    (how common each label is) can do well.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> instance_auc([[1, 0, 0]], [[0.5, 0.9, 0.1]])
    0.5
    """
    return _score("instance_auc", Y, scores, ties, degenerate, sample_weight)


def micro_auc(
    Y: Any,
    scores: Any,
    *,
    ties: str = "half",
    degenerate: str = "skip",
    sample_weight: Any = None,
) -> float:
    """AUC over all entries at once.

    One AUC over all m · l entries: measure 11 of Table 1.

    Parameters
    ----------
    Y, scores, ties, degenerate, sample_weight
        As in `evaluate`; weights of the instances.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    Scores must be comparable across both instances and labels. No margin is proved
    to optimise it without an assumption on how scores are distributed.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Table 1.

    Examples
    --------
    >>> micro_auc([[1, 0], [0, 1]], [[0.9, 0.2], [0.8, 0.6]])
    0.75
    """
    return _score("micro_auc", Y, scores, ties, degenerate, sample_weight)


def _score(
    name: str, Y: Any, scores: Any, ties: str, degenerate: str, weights: Any
) -> float:
    if scores is None:
        raise InvalidInput(f"scores is None; {name} needs real scores")
    return _value(name, Y, scores, None, (ties, 0.0, degenerate), weights)


def _decision(
    name: str,
    Y: Any,
    decisions: Any,
    threshold: Any,
    zero_division: ZeroDivision,
    weights: Any,
) -> float:
    if decisions is None:
        raise InvalidInput(f"decisions is None; {name} needs 0/1 decisions")
    if threshold is not None:
        decisions = _decide(Y, decisions, threshold)
    return _value(name, Y, None, decisions, ("half", zero_division, "skip"), weights)


def _value(
    name: str,
    Y: Any,
    scores: Any,
    decisions: Any,
    rules: tuple[str, ZeroDivision, str],
    weights: Any,
) -> float:
    if weights is not None:
        checked = Conventions.of(*rules)
        sample = Resampler(Y, scores, decisions, names=(name,), conventions=checked)
        return sample.values(np.asarray(weights, dtype=np.float64))[name]
    ties, zero_division, degenerate = rules
    return evaluate(
        Y,
        scores,
        decisions,
        ties=ties,
        zero_division=zero_division,
        degenerate=degenerate,
        measures=[name],
    )[name]


def _decide(Y: Any, scores: Any, threshold: Any) -> Any:
    """Turn scores into decisions: score > threshold."""
    real = ScoreRows(scores, LabelRows("Y", Y), "decisions").dense()
    limit = np.asarray(threshold, dtype=np.float64)
    m, n_labels = real.shape
    if np.isnan(limit).any() or limit.shape not in {
        (),
        (n_labels,),
        (1, n_labels),
        (m, 1),
        (m, n_labels),
    }:
        raise InvalidInput(
            f"threshold has shape {limit.shape} or holds NaN; pass one number, "
            f"{n_labels} numbers (one per label) or an array of shape ({m}, 1)"
        )
    return real > limit
