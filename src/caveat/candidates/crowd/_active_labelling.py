"""Whom to ask what next: expected gains, ambiguous items, one annotator more."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.candidates.crowd._dawid_skene import DawidSkene
from caveat.candidates.crowd._long_table import Answers, sums
from caveat.candidates.crowd._reliability import binomial_interval

Floats = NDArray[np.float64]

NOTHING, ONE, SPLIT, WEAK, AMBIGUOUS = (
    "no answers",
    "one answer only",
    "people disagree",
    "those who answered are not reliable",
    "several labels seem right",
)
_LEAST_GAIN = 0.001
_CLEARLY = 2.0
"""By so much (a likelihood ratio of 7) two labels must explain answers better."""
_MOST_CURVE, _RESAMPLES = 12, 200
CURVE = (
    *("answers", "accuracy", "low", "high", "expected"),
    *("gain", "gain_low", "gain_high"),
)


def typical_answer(model: DawidSkene) -> Floats:
    """Return what the average person names, given the truth, classes by labels."""
    weight = model.answers_.per_annotator / len(model.answers_)
    return np.tensordot(weight, model.confusion_, axes=1)


def expected_gain(posterior: Floats, typical: Floats) -> Floats:
    """Return by how much one more answer is expected to raise the chance to be right.

    The chance after the answer is the mean of the largest new probability over all
    answers that the average person may give.
    """
    after = np.zeros(len(posterior))
    for answer in typical.T:
        after += (posterior * answer).max(axis=1)
    return np.maximum(after - posterior.max(axis=1), 0.0)


def ambiguous_items(model: DawidSkene) -> NDArray[np.bool_]:
    """Tell items on which two labels explain the answers far better than any one.

    People who are reliable elsewhere disagree here, some for the one label and some
    for the other: several labels may be right, and more answers will not settle it.
    """
    answers = model.answers_
    chance = _answer_chances(model)
    single = np.log(np.maximum(chance, 1e-300))
    alone = np.zeros((len(answers.items), chance.shape[1]))
    np.add.at(alone, answers.item, single)
    votes = answers.votes()
    top = np.argsort(-votes, axis=1, kind="stable")[:, :2]
    if top.shape[1] < 2:
        return np.zeros(len(answers.items), dtype=bool)
    both = 0.5 * (
        np.take_along_axis(chance, top[answers.item][:, :1], axis=1)
        + np.take_along_axis(chance, top[answers.item][:, 1:], axis=1)
    )
    together = sums(answers.item, np.log(np.maximum(both[:, 0], 1e-300)), len(alone))
    second = np.take_along_axis(votes, top[:, 1:], axis=1)[:, 0]
    return (together - alone.max(axis=1) > _CLEARLY) & (second >= 2)


def _answer_chances(model: DawidSkene) -> Floats:
    """Return how likely every answer is under every class; sets by their labels."""
    answers = model.answers_
    classes = len(answers.classes)
    table = model.confusion_.swapaxes(1, 2).reshape(-1, classes)
    pairs = table[answers.annotator[answers.answer] * classes + answers.label]
    found = np.zeros((len(answers), classes))
    np.add.at(found, answers.answer, pairs)
    return found


def ask_again(model: DawidSkene, posterior: Floats) -> pd.DataFrame:
    """List the items to ask again, the largest expected gain first.

    Parameters
    ----------
    model : fitted DawidSkene
        Who says what.
    posterior : array of shape (n_items, n_classes)
        What is known of the items now.

    Returns
    -------
    DataFrame
        ``item``, ``gain`` (how much likelier the label is right after one more answer
        of an average person) and ``reason``. Items that gain nothing are left out.
    """
    answers = model.answers_
    gain = expected_gain(posterior, typical_answer(model))
    several = ambiguous_items(model)
    votes = answers.votes()
    total = np.maximum(votes.sum(axis=1), 1e-9)
    # A clear majority that is not believed: it is the people, not the item.
    agreed = votes.max(axis=1) / total > 0.75
    reason = np.where(agreed, WEAK, SPLIT).astype(object)
    reason[answers.per_item == 1] = ONE
    reason[answers.per_item == 0] = NOTHING
    reason[several] = AMBIGUOUS
    found = pd.DataFrame({"item": answers.items, "gain": gain, "reason": reason})
    found = found[found["gain"] >= _LEAST_GAIN]
    return found.sort_values("gain", ascending=False, kind="stable", ignore_index=True)


def annotator_gain(
    model: DawidSkene, truth: NDArray[np.intp] | None = None, *, random_state: int = 0
) -> pd.DataFrame:
    """Tell how right labels are with 1, 2, ... answers per item, and with one more.

    Answers are drawn from those that an item has, and weighed as the fitted model
    weighs them; the last point adds what one more average person is expected to change.

    Parameters
    ----------
    model : fitted DawidSkene
    truth : int array, optional
        True classes, -1 where not known; without it the model's own probability.
    random_state : int, default=0

    Returns
    -------
    DataFrame
        ``answers`` per item, ``accuracy``, ``low``, ``high`` (95 %, Jeffreys' interval
        of a share), ``expected`` (True for the last point, which nobody has seen), and
        for that point ``gain`` over the one before, ``gain_low``, ``gain_high`` (95 %,
        a bootstrap over items).
    """
    answers = model.answers_
    rng = np.random.default_rng([random_state, 44])
    order = rng.permutation(len(answers))
    by_item = order[np.argsort(answers.item[order], kind="stable")]
    counts = answers.per_item
    first = np.cumsum(counts) - counts
    place = np.empty(len(answers), dtype=np.intp)
    place[by_item] = np.arange(len(answers)) - first[answers.item[by_item]]
    most = int(min(np.median(counts[counts > 0]), _MOST_CURVE))
    used = np.flatnonzero(
        (counts >= most) & (True if truth is None else np.asarray(truth) >= 0)
    )
    rows, right = [], np.zeros(0)
    for many in range(1, most + 1):
        now = posterior_of(model, answers.keep(place < many))[used]
        right = _right(now, None if truth is None else truth[used])
        rows.append((many, *_share(right), False, np.nan, np.nan, np.nan))
    if len(used):
        typical = typical_answer(model)
        if truth is None:
            gain = expected_gain(now, typical)
        else:
            gain = _right_after(now, typical, truth[used]) - right
        more = right + gain
        rows.append((most + 1, *_share(more), True, *_interval(gain, rng)))
    return pd.DataFrame(rows, columns=CURVE)


def _right_after(posterior: Floats, typical: Floats, truth: NDArray[np.intp]) -> Floats:
    """Return how likely labels are right after one more answer, given the truth."""
    found = np.zeros(len(posterior))
    for answer in typical.T:
        told = (posterior * answer).argmax(axis=1)
        found += answer[truth] * (told == truth)
    return found


def posterior_of(model: DawidSkene, answers: Answers) -> Floats:
    """Weigh other answers of the same people, as the fitted model does."""
    scores = model._evidence(answers) + np.log(model.class_prior_)
    scores -= scores.max(axis=1, keepdims=True)
    found = np.exp(scores)
    return found / found.sum(axis=1, keepdims=True)


def _right(posterior: Floats, truth: NDArray[np.intp] | None) -> Floats:
    if truth is None:
        return posterior.max(axis=1)
    return (posterior.argmax(axis=1) == truth).astype(float)


def _share(right: Floats) -> tuple[float, float, float]:
    hits, tries = np.array([right.sum()]), np.array([float(len(right))])
    low, high = binomial_interval(hits, tries)
    return float(right.mean()), float(low[0]), float(high[0])


def _interval(values: Floats, rng: np.random.Generator) -> tuple[float, float, float]:
    drawn = rng.integers(0, len(values), (_RESAMPLES, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return float(values.mean()), float(low), float(high)
