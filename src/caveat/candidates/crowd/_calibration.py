"""How right labels are, told by answers that did not make them; and their odds set so.

Two people who know the truth with the chance s, each in ignorance of the other, agree
with the chance s² + (1 - s)² c, where c is the chance that two wrong labels are the
same. So agreement tells s, and agreement of a label with an answer that was left out
tells how often the label is right. No truth is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caveat.candidates.crowd._long_table import Answers, sums
from caveat.candidates.crowd._reliability import ADVERSARY, SPAMMER, reliability

Floats = NDArray[np.float64]

_LEAST, _MOST = 0.5, 30.0


def typical_skill(found: Answers, same: float | None = None) -> float:
    """Return how often the average annotator is right, by how often two agree.

    Parameters
    ----------
    found : Answers
        A set counts as one of its labels, drawn at random.
    same : float, optional
        The chance that two wrong labels are the same; else as if all were equally
        likely.

    Returns
    -------
    float
        Between chance and certainty, whatever people say; half way where nobody shares
        an item.
    """
    classes = max(len(found.classes), 2)
    chance = 1.0 / classes
    same = 1.0 / (classes - 1) if same is None else same
    votes = found.votes()
    alone = sums(found.item, 1.0 / found.sizes, len(found.items))
    pairs = float((found.per_item * (found.per_item - 1.0)).sum())
    if not pairs:
        return 0.5 + 0.5 * chance
    # All ordered pairs of answers on an item, without those of an answer with itself.
    agree = float((votes**2).sum() - alone.sum()) / pairs
    # The larger root of s² + (1 - s)² same = agree.
    inside = max(same**2 - (1 + same) * (same - agree), 0.0)
    root = (same + np.sqrt(inside)) / (1 + same)
    return float(np.clip(root, chance + 0.05 * (1 - chance), 0.97))


def same_error(found: Answers, posterior: Floats) -> float:
    """Return the chance that two people's wrong labels of an item are the same."""
    _, people, classes = found.shape
    named = (found.named.T @ posterior).reshape(people, classes, classes).sum(axis=0)
    wrong = (named + 1.0) * (1.0 - np.eye(classes))
    shares = wrong / np.maximum(wrong.sum(axis=0), 1e-12)
    weight = wrong.sum(axis=0) / max(wrong.sum(), 1e-12)
    return float((shares**2).sum(axis=0) @ weight)


def label_accuracy(
    found: Answers, agreement: Floats, same: float
) -> tuple[float, float]:
    """Return how often labels are right, and its standard error.

    Parameters
    ----------
    found : Answers
    agreement : array
        Of every answer that was left out: 1 if it is the label that the others made
        (1/m for a set of m labels that holds it).
    same : float
        The chance that two wrong labels are the same.
    """
    skill = typical_skill(found, same)
    # A wrong label and a wrong answer may still agree.
    luck = (1 - skill) * same
    known = max(skill - luck, 1e-3)
    value = (float(agreement.mean()) - luck) / known
    error = float(agreement.std()) / np.sqrt(max(len(agreement), 1)) / known
    return float(np.clip(value, 1.0 / len(found.classes), 0.9999)), error


def to_the_power(proba: Floats, temperature: float) -> Floats:
    """Return probabilities to the power 1 / temperature, adding up to 1."""
    logs = np.log(np.maximum(proba, 1e-12)) / temperature
    logs -= logs.max(axis=1, keepdims=True)
    found = np.exp(logs)
    return found / found.sum(axis=1, keepdims=True)


def temperature_for(proba: Floats, accuracy: float, error: float) -> float:
    """Return the temperature at which labels are as sure as they are right.

    A gap within its standard error moves nothing, a larger one by the part that is
    sure (James and Stein's shrinkage).
    """
    now = float(proba.max(axis=1).mean())
    gap = accuracy - now
    if abs(gap) <= error:
        return 1.0
    wanted = now + gap * (1 - (error / gap) ** 2)
    low, high = np.log(_LEAST), np.log(_MOST)
    for _ in range(30):
        middle = 0.5 * (low + high)
        sure = float(to_the_power(proba, np.exp(middle)).max(axis=1).mean())
        low, high = (middle, high) if sure > wanted else (low, middle)
    return float(np.exp(0.5 * (low + high)))


def honest_temperature(
    found: Answers,
    posterior: Floats,
    labels: Floats,
    agreement: Floats,
    who: NDArray[np.intp],
) -> float:
    """Return the temperature at which a method is as sure as it is right.

    Parameters
    ----------
    found : Answers
    posterior : array of shape (n_items, n_classes)
        What the method says of all items.
    labels : array of shape (n_left_out, n_classes)
        What it says of items from which an answer was left out.
    agreement : array of shape (n_left_out,)
        How far the answer names the label.
    who : int array
        Whose answer it is. Who guesses agrees by chance only, and is left aside.
    """
    flags = reliability(found, posterior)["flag"].to_numpy()
    good = ~np.isin(flags, [SPAMMER, ADVERSARY])
    if not (good[found.annotator].any() and good[who].any()):
        good = np.ones(len(flags), dtype=bool)
    some = found.keep(good[found.annotator])
    same = same_error(some, posterior)
    return temperature_for(labels, *label_accuracy(some, agreement[good[who]], same))
