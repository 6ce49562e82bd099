"""Agreement beyond chance: Krippendorff's alpha, and kappa of every two people."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from caveat.candidates.crowd._long_table import Answers, sums

Floats = NDArray[np.float64]

_RESAMPLES = 400
_MOST_SETS = 500
_LEAST_SHARED = 5


def krippendorff_alpha(
    answers: Answers, *, random_state: int = 0
) -> tuple[float, float, float]:
    """Return Krippendorff's alpha and its 95 % interval, a bootstrap over items.

    1 if all agree, 0 if they agree as often as chance would have it. Single labels
    agree or not; sets differ by Jaccard's distance.

    Warnings
    --------
    Agreement is not truth: people who make the same mistake agree. NaN where nobody
    shares an item, or where only one label was ever named.

    References
    ----------
    .. [1] K. Krippendorff (2011). Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> rows = [(i, who, i % 2) for i in range(8) for who in ("ann", "ben")]
    >>> frame = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> krippendorff_alpha(Answers.from_frame(frame))
    (1.0, 1.0, 1.0)
    """
    kinds, distance = _kinds(answers)
    shape = (len(answers.items), len(distance))
    ones = np.ones(len(answers))
    counts = sparse.coo_array((ones, (answers.item, kinds)), shape=shape).tocsr()
    counts = counts[answers.per_item > 1]
    if not counts.shape[0]:
        return (np.nan, np.nan, np.nan)
    many = counts.sum(axis=1)
    apart = np.asarray((counts @ distance * counts.toarray()).sum(axis=1))
    observed = apart / (many - 1)
    value = _alpha(np.ones((1, len(many))), observed, many, counts, distance)[0]
    rng = np.random.default_rng([random_state, 41])
    drawn = rng.multinomial(len(many), np.full(len(many), 1 / len(many)), _RESAMPLES)
    again = _alpha(drawn.astype(float), observed, many, counts, distance)
    again = again[np.isfinite(again)]
    few = len(many) < _LEAST_SHARED or len(again) < _RESAMPLES // 2
    if not np.isfinite(value) or few:
        return (float(value), np.nan, np.nan)
    low, high = np.quantile(again, [0.025, 0.975])
    return (float(value), float(min(low, value)), float(max(high, value)))


def pairwise_kappa(
    answers: Answers, *, most: int = 10, random_state: int = 0
) -> pd.DataFrame:
    """Return Cohen's kappa of every two people who share items, with intervals.

    Parameters
    ----------
    answers : Answers
    most : int, default=10
        Only among so many people, those with most answers.
    random_state : int, default=0

    Returns
    -------
    DataFrame
        ``one``, ``other``, ``items`` (that both answered), ``kappa``, ``low``,
        ``high`` (95 %, a bootstrap over items); pairs with five items at least.
    """
    kinds, distance = _kinds(answers)
    busy = np.argsort(-answers.per_annotator, kind="stable")[:most]
    rng = np.random.default_rng([random_state, 42])
    given = {}
    for who in np.sort(busy):
        own = answers.annotator == who
        # Who answered an item twice is taken at the last word.
        given[who] = pd.Series(kinds[own], index=answers.item[own])
        given[who] = given[who][~given[who].index.duplicated(keep="last")]
    rows = []
    for one, other in combinations(given, 2):
        shared = given[one].index.intersection(given[other].index)
        if len(shared) < _LEAST_SHARED:
            continue
        left, right = given[one][shared].to_numpy(), given[other][shared].to_numpy()
        drawn = rng.integers(0, len(shared), (_RESAMPLES, len(shared)))
        value = _kappa(left, right, distance)
        if np.isnan(value):
            continue
        again = [_kappa(left[rows_], right[rows_], distance) for rows_ in drawn]
        low, high = np.nanquantile(again, [0.025, 0.975])
        names = answers.annotators[one], answers.annotators[other]
        rows.append((*names, len(shared), value, min(low, value), max(high, value)))
    columns = ["one", "other", "items", "kappa", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def _alpha(
    weights: Floats,
    observed: Floats,
    many: Floats,
    counts: sparse.csr_array,
    distance: Floats,
) -> Floats:
    """Return alpha for every row of item weights."""
    total = weights @ many
    named = (counts.T @ weights.T).T
    expected = ((named @ distance) * named).sum(axis=1)
    # How often labels of all items together would differ; the same one is no pair.
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = expected / (total * (total - 1))
        found = 1 - (weights @ observed) / total / expected
    return np.where(expected > 0, found, np.nan)


def _kappa(left: NDArray, right: NDArray, distance: Floats) -> float:
    size = len(distance)
    named = [np.bincount(one, minlength=size) / len(one) for one in (left, right)]
    expected = float(named[0] @ distance @ named[1])
    seen = float(distance[left, right].mean())
    if expected == 0:
        # Both name one and the same label only: full agreement says nothing.
        return np.nan
    return 1 - seen / expected


def _kinds(answers: Answers) -> tuple[NDArray[np.intp], Floats]:
    """Give the number of every distinct set, and Jaccard's distance of two."""
    if answers.largest == 1:
        classes = len(answers.classes)
        kinds = np.empty(len(answers), dtype=np.intp)
        kinds[answers.answer] = answers.label
        return kinds, 1.0 - np.eye(classes)
    # Two sets are the same if sums of a random number per label are.
    code = np.random.default_rng(0).random(len(answers.classes))
    keys = sums(answers.answer, code[answers.label], len(answers)).round(12)
    _, first, kinds = np.unique(keys, return_index=True, return_inverse=True)
    if len(first) > _MOST_SETS:
        # Too many kinds of sets: take one label of each.
        single = np.empty(len(answers), dtype=np.intp)
        single[answers.answer] = answers.label
        return single, 1.0 - np.eye(len(answers.classes))
    member = np.zeros((len(first), len(answers.classes)))
    member[kinds[answers.answer], answers.label] = 1.0
    both = member @ member.T
    sizes = member.sum(axis=1)
    return kinds, 1.0 - both / (sizes[:, None] + sizes - both)
