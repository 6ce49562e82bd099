"""How well a model fits candidate sets, and how right it is where the truth is known.

Criteria need no true label, so they can choose a model in earnest; the oracle does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.candidates._candidates import CandidateSets, Mask, check_matrix
from caveat.exceptions import InvalidInput
from caveat.measures import get

Floats = NDArray[np.float64]


def covering_rate(proba: ArrayLike, candidates: Any) -> float:
    """Share of items whose predicted label is one of their candidates.

    Parameters
    ----------
    proba, candidates : array-like of shape (n_items, n_classes)
        Scores, whose row maximum (the first of several) is the prediction, and a 0/1
        mask.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    Full candidate sets give 1 to every model; the smaller they are, the more it says.
    It exceeds the accuracy by up to the ambiguity degree times the error rate. Under
    uniform sets or a constant flipping rate it ranks models as their accuracy does;
    elsewhere a model can gain by predicting whatever is a candidate everywhere.

    References
    ----------
    .. [1] W. Wang et al. (2025). Realistic evaluation of deep partial-label learning
       algorithms. ICLR. Definition 1, Theorem 1.

    Examples
    --------
    >>> covering_rate([[0.7, 0.3], [0.2, 0.8]], [[True, True], [True, False]])
    0.5
    """
    scores, allowed = _check(proba, candidates)
    return float(_at_maximum(allowed, scores).mean())


def approximated_accuracy(
    proba: ArrayLike, candidates: Any, *, log: bool = False
) -> float:
    """Mean share of the candidates' probability that the predicted label has.

    An item counts ``f[k] / sum(f[candidates])`` with k the predicted label, and 0 where
    k is no candidate. That is the chance that k is right if the model is calibrated.

    Parameters
    ----------
    proba : array-like of shape (n_items, n_classes)
        Probabilities.
    candidates : array-like of shape (n_items, n_classes)
        A 0/1 mask.
    log : bool, default=False
        `proba` holds logarithms of probabilities (or logits): exact also where the
        probabilities themselves would be 0.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    It believes the model: an overconfident one scores too high. It is meaningless for
    learners whose outputs are no probabilities (LWS, ABS-MAE, OP-W).

    References
    ----------
    .. [1] W. Wang et al. (2025). Realistic evaluation of deep partial-label learning
       algorithms. ICLR. Definition 3, Theorem 2.

    Examples
    --------
    >>> approximated_accuracy([[0.6, 0.2, 0.2], [0.5, 0.4, 0.1]],
    ...                       [[1, 1, 0], [0, 1, 1]])
    0.375
    """
    scores, allowed = _check(proba, candidates, finite=not log)
    if log:
        scores = scores - _log_sum(scores, np.ones_like(allowed))[:, None]
    else:
        if (scores < 0).any():
            raise InvalidInput(
                f"proba: found {scores.min():.6g}; pass probabilities, or logarithms "
                "with log=True"
            )
        with np.errstate(divide="ignore"):
            scores = np.log(scores)
    hit = _at_maximum(allowed, scores)
    share = np.zeros(len(scores))
    top = scores.max(axis=1)
    # Only rows that hit: their candidates hold the maximum, so the sum is finite.
    share[hit] = np.exp(top[hit] - _log_sum(scores[hit], allowed[hit]))
    return float(share.mean())


def debiased_covering_rate(
    proba: ArrayLike, candidates: Any, *, chance: float
) -> float:
    """Estimate of the accuracy from the covering rate: (CR - c) / (1 - c).

    Parameters
    ----------
    proba, candidates : array-like of shape (n_items, n_classes)
        As in `covering_rate`.
    chance : float
        Probability c that a wrong label is a candidate, the same for all: the rate of
        `flip_candidates`, or `uniform_chance` of the number of classes.

    Returns
    -------
    float, at most 1; larger is better. Below 0 for models worse than chance.

    Warnings
    --------
    Right only if every wrong label is a candidate equally often, whatever the item and
    its label. Real sets are not like that.

    References
    ----------
    .. [1] W. Wang et al. (2025). Realistic evaluation of deep partial-label learning
       algorithms. ICLR. Theorem 1.

    Examples
    --------
    >>> debiased_covering_rate([[0.7, 0.3], [0.2, 0.8]], [[1, 1], [1, 0]], chance=0.25)
    0.3333333333333333
    """
    if not 0 <= chance < 1:
        raise InvalidInput(f"chance is {chance}; pass a probability from 0 to below 1")
    return (covering_rate(proba, candidates) - chance) / (1 - chance)


def uniform_chance(n_classes: int) -> float:
    """Give the chance that a wrong label is in a set of `uniform_candidates`.

    Examples
    --------
    >>> uniform_chance(3)
    0.3333333333333333
    """
    if n_classes < 2:
        raise InvalidInput(f"n_classes is {n_classes}; there must be at least two")
    # (2^(q-2) - 1) / (2^(q-1) - 1), written so that no q overflows.
    return (0.5 - 0.5 ** (n_classes - 1)) / (1 - 0.5 ** (n_classes - 1))


def oracle_accuracy(proba: ArrayLike, y: ArrayLike | None) -> float:
    """Share of items whose predicted label is the true one.

    Parameters
    ----------
    proba : array-like of shape (n_items, n_classes)
        Scores, whose row maximum (the first of several) is the prediction.
    y : array-like of int of shape (n_items,)
        True classes 0, 1, ...

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    Needs the labels that partial-label data do not have: whoever chooses by it reports
    an upper reference, not what a user will get.

    Examples
    --------
    >>> oracle_accuracy([[0.7, 0.3], [0.2, 0.8]], [0, 0])
    0.5
    """
    if y is None:
        raise InvalidInput(
            "oracle_accuracy needs y_true, found None; available without it: "
            "covering_rate, approximated_accuracy"
        )
    scores = _scores(proba)
    truth = np.asarray(y)
    if truth.shape != (len(scores),) or truth.dtype.kind not in "iub":
        raise InvalidInput(
            f"y: expected {len(scores)} whole numbers, found {truth.dtype} of shape "
            f"{truth.shape}"
        )
    return get("accuracy")(truth, scores, classes=range(scores.shape[1]))


def _check(
    proba: ArrayLike, candidates: Any, *, finite: bool = True
) -> tuple[Floats, Mask]:
    scores = _scores(proba, finite=finite)
    given = candidates.matrix if isinstance(candidates, CandidateSets) else candidates
    allowed = check_matrix(given)
    if scores.shape != allowed.shape:
        raise InvalidInput(
            f"proba has the shape {scores.shape}, candidates {allowed.shape}; both "
            "must be (items, classes)"
        )
    return scores, allowed


def _scores(proba: ArrayLike, *, finite: bool = True) -> Floats:
    scores = np.asarray(proba, dtype=np.float64)
    if scores.ndim != 2 or not len(scores):
        raise InvalidInput(
            f"proba: found the shape {scores.shape}; expected (items, classes)"
        )
    if np.isnan(scores).any() or (finite and np.isinf(scores).any()):
        row = int(np.argwhere(~np.isfinite(scores))[0][0])
        raise InvalidInput(
            f"proba: row {row} is not finite; a model that diverged has no score"
        )
    return scores


def _at_maximum(allowed: Mask, scores: Floats) -> Mask:
    return np.take_along_axis(allowed, scores.argmax(axis=1)[:, None], axis=1)[:, 0]


def _log_sum(scores: Floats, allowed: Mask) -> Floats:
    masked = np.where(allowed, scores, -np.inf)
    top = masked.max(axis=1)
    return top + np.log(np.exp(masked - top[:, None]).sum(axis=1))
