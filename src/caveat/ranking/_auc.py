"""AUC as what it is: a share of pairs, counted exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput
from caveat.ranking._checks import as_flags, as_matrix, as_values, as_weights


class PairCounts(NamedTuple):
    """How the pairs of one positive and one negative item are ordered.

    Attributes
    ----------
    above : int or float
        Pairs whose positive item has the larger score.
    tied : int or float
        Pairs with equal scores.
    below : int or float
        Pairs whose positive item has the smaller score.
    """

    above: float
    tied: float
    below: float

    @property
    def total(self) -> float:
        """Number (or weight) of all pairs."""
        return self.above + self.tied + self.below

    @property
    def auc(self) -> float:
        """Share of pairs in order, ties counted half; NaN without a pair."""
        if self.total == 0:
            return float("nan")
        return (2 * self.above + self.tied) / (2 * self.total)


def pair_counts(
    positive: ArrayLike, scores: ArrayLike, *, weights: ArrayLike | None = None
) -> PairCounts:
    """Count the pairs of a positive and a negative item by the order of their scores.

    Parameters
    ----------
    positive : array-like of shape (n,)
        Which items are positive: False/True or 0/1.
    scores : array-like of shape (n,)
        Larger means more positive; NaN is refused.
    weights : array-like of shape (n,), optional
        A pair weighs the product of its items' weights.

    Returns
    -------
    PairCounts
        Python integers without weights, so no pair is lost to rounding.

    Warnings
    --------
    With one class only there are no pairs, all counts are 0.

    Examples
    --------
    >>> pair_counts([1, 0, 1, 0], [0.9, 0.4, 0.4, 0.1])
    PairCounts(above=3, tied=1, below=0)
    """
    numbers = as_values(scores)
    flags = as_flags(positive, numbers.shape)
    order = np.argsort(numbers)
    if weights is None:
        return PairCounts(*map(int, _count(numbers, flags, order)))
    masses = as_weights(weights, len(numbers))
    return PairCounts(*_weigh(numbers, flags, masses, order))


def roc_auc(
    positive: ArrayLike, scores: ArrayLike, *, weights: ArrayLike | None = None
) -> float:
    """Probability that a positive item scores above a negative one, ties half.

    Parameters
    ----------
    positive : array-like of shape (n,)
        Which items are positive: False/True or 0/1.
    scores : array-like of shape (n,)
        Larger means more positive; NaN is refused.
    weights : array-like of shape (n,), optional
        Weights of the items.

    Returns
    -------
    float, between 0 and 1; larger is better.

    Warnings
    --------
    Blind to calibration and to where a threshold would lie; with few items of one
    class its error is large however many there are of the other.

    References
    ----------
    .. [1] J. A. Hanley, B. J. McNeil (1982). The meaning and use of the area under
       a receiver operating characteristic (ROC) curve. Radiology 143(1).

    Examples
    --------
    >>> roc_auc([1, 0, 1, 0], [0.9, 0.4, 0.4, 0.1])
    0.875
    """
    counts = pair_counts(positive, scores, weights=weights)
    if counts.total == 0:
        raise InvalidInput(
            "positive: all items (with weight) are of one class; "
            "AUC needs at least one of each"
        )
    return counts.auc


def column_aucs(
    positive: ArrayLike, scores: ArrayLike, *, weights: ArrayLike | None = None
) -> NDArray[np.float64]:
    """AUC of every column, for instance of every label of a multi-label problem.

    Parameters
    ----------
    positive : array-like of shape (n, m)
        0/1 matrix.
    scores : array-like of shape (n, m)
        Scores, column by column. For the AUC of every row pass both transposed.
    weights : array-like of shape (n,) or (r, n), optional
        Weights of the items; with several rows each is taken in turn, for instance
        how often a resample drew each item. The columns are sorted only once.

    Returns
    -------
    ndarray of shape (m,) or (r, m), NaN where a column has one class only.

    Warnings
    --------
    A mean over the columns hides which of them are NaN: count them beside it.

    Examples
    --------
    >>> column_aucs([[1, 0], [0, 0], [1, 0]], [[3, 1], [2, 1], [1, 1]])
    array([0.5, nan])
    """
    matrix = as_matrix(scores)
    # Columns as rows: one after the other in memory, for the sort and the counting.
    flags = np.ascontiguousarray(as_flags(positive, matrix.shape).T)
    numbers = np.ascontiguousarray(matrix.T)
    order = np.argsort(numbers, axis=1)
    if weights is None:
        return _row_aucs(numbers, flags, order)
    rows = [as_weights(row, len(matrix)) for row in np.atleast_2d(weights)]
    heavy = np.stack(rows)
    aucs = _weighted_row_aucs(numbers, flags, heavy, order)
    return aucs if np.ndim(weights) == 2 else aucs[0]


@njit(cache=True, nogil=True)
def _count(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], order: NDArray[np.int64]
) -> tuple[int, int, int]:
    n = len(scores)
    above = tied = negatives_below = positives = 0
    start = 0
    while start < n:
        stop = start
        here = 0
        while stop < n and scores[order[stop]] == scores[order[start]]:
            here += positive[order[stop]]
            stop += 1
        others = stop - start - here
        above += here * negatives_below
        tied += here * others
        positives += here
        negatives_below += others
        start = stop
    return above, tied, positives * negatives_below - above - tied


@njit(cache=True, nogil=True)
def _weigh(
    scores: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weights: NDArray[np.float64],
    order: NDArray[np.int64],
) -> tuple[float, float, float]:
    n = len(scores)
    above = tied = below = negatives_below = positives_below = 0.0
    start = 0
    while start < n:
        stop = start
        here = others = 0.0
        while stop < n and scores[order[stop]] == scores[order[start]]:
            item = order[stop]
            if positive[item]:
                here += weights[item]
            else:
                others += weights[item]
            stop += 1
        above += here * negatives_below
        below += others * positives_below
        tied += here * others
        positives_below += here
        negatives_below += others
        start = stop
    return above, tied, below


@njit(cache=True, nogil=True)
def _row_aucs(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], order: NDArray[np.int64]
) -> NDArray[np.float64]:
    aucs = np.full(len(scores), np.nan)
    for j in range(len(scores)):
        above, tied, below = _count(scores[j], positive[j], order[j])
        total = above + tied + below
        if total > 0:
            aucs[j] = (2 * above + tied) / (2 * total)
    return aucs


@njit(cache=True, nogil=True)
def _weighted_row_aucs(
    scores: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weights: NDArray[np.float64],
    order: NDArray[np.int64],
) -> NDArray[np.float64]:
    aucs = np.full((len(weights), len(scores)), np.nan)
    for j in range(len(scores)):
        for r in range(len(weights)):
            above, tied, below = _weigh(scores[j], positive[j], weights[r], order[j])
            total = above + tied + below
            if total > 0:
                aucs[r, j] = (2 * above + tied) / (2 * total)
    return aucs
