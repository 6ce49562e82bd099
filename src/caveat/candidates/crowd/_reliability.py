"""How far everybody can be trusted, with intervals; who guesses, who works against."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import beta

from caveat.candidates.crowd._long_table import Answers, sums

Floats = NDArray[np.float64]

SPAMMER, ADVERSARY, UNDECIDED = "spammer", "adversary", "undecided"
_LITTLE = 0.25
"""Below this share of the way from guessing to certainty, somebody adds little."""


def reliability(
    found: Answers, posterior: Floats, credit: Floats | None = None
) -> pd.DataFrame:
    """Tell how often everybody is right, given the probable truth.

    Parameters
    ----------
    found : Answers
    posterior : array of shape (n_items, n_classes)
        The probability of every label.
    credit : array of shape (n_answers,), optional
        How right every answer is, where the posterior itself does not say it.

    Returns
    -------
    DataFrame
        ``annotator``, ``answers``, ``accuracy`` (a set of m labels earns 1/m),
        ``low`` and ``high`` (95 %; wider where the truth is not sure), ``chance``
        (what their answers would earn on other items) and ``flag``: "adversary" if
        `high` lies below chance, "spammer" if it lies near, "undecided" if the
        interval holds chance and more, else "".
    """
    people = len(found.annotators)
    credit = found.credit(posterior) if credit is None else credit
    tried = found.per_annotator.astype(float)
    right = sums(found.annotator, credit, people)
    # What is not known of the truth takes part of the answers away (Louis 1982).
    doubt = sums(found.annotator, credit * (1 - credit), people)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = right / tried
    # Two pseudo-answers: who is right always is not thereby unknown.
    middle = (right + 1) / (tried + 2)
    lost = doubt / (middle * (1 - middle))
    sure = np.clip(tried - lost, 0.0, tried)
    low, high = binomial_interval(share * sure, sure)
    # Of one answer that is nearly sure to be right, the middle lies in a tail.
    low, high = np.fmin(low, share), np.fmax(high, share)
    chance = _chance(found, posterior)
    bar = chance + _LITTLE * (1 - chance)
    flag = np.full(people, "", dtype=object)
    flag[(low <= chance) & (high >= bar)] = UNDECIDED
    flag[(low <= chance) & (high < bar)] = SPAMMER
    flag[high < chance] = ADVERSARY
    flag[tried == 0] = UNDECIDED
    return pd.DataFrame(
        {
            "annotator": found.annotators,
            "answers": found.per_annotator,
            "accuracy": share,
            "low": np.where(tried > 0, low, np.nan),
            "high": np.where(tried > 0, high, np.nan),
            "chance": chance,
            "flag": flag,
        }
    )


def binomial_interval(
    hits: Floats, tries: Floats, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return Jeffreys' interval of a share; it lies within 0 and 1.

    Examples
    --------
    >>> low, high = binomial_interval(np.array([9.0]), np.array([10.0]))
    >>> low.round(2), high.round(2)
    (array([0.62]), array([0.99]))
    """
    tail = (1 - level) / 2
    hits = np.clip(np.nan_to_num(hits), 0.0, tries)
    low = beta.ppf(tail, hits + 0.5, tries - hits + 0.5)
    high = beta.ppf(1 - tail, hits + 0.5, tries - hits + 0.5)
    # The ends are known where nothing, or everything, was a hit.
    return np.where(hits <= 0, 0.0, low), np.where(hits >= tries, 1.0, high)


def _chance(found: Answers, posterior: Floats) -> Floats:
    """Return what everybody's labels would earn if they knew nothing of the item."""
    _, people, classes = found.shape
    answered = found.per_item > 0
    truth = posterior[answered].mean(axis=0)
    spot = found.annotator[found.answer] * classes + found.label
    worth = (1.0 / found.sizes)[found.answer]
    named = sums(spot, worth, people * classes)
    named = named.reshape(people, classes)
    return named @ truth / np.maximum(found.per_annotator, 1)
