"""Concordance: AUC for a target that is a number instead of a class."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput
from caveat.ranking._checks import as_values


def concordance(target: ArrayLike, scores: ArrayLike) -> float:
    """Share of pairs with different targets that the scores put in the same order.

    Parameters
    ----------
    target : array-like of shape (n,)
        Numbers to be predicted.
    scores : array-like of shape (n,)
        Predictions; a tied pair counts half.

    Returns
    -------
    float, between 0 and 1; larger is better, 0.5 says nothing. For a target of 0
    and 1 it is the AUC.

    Warnings
    --------
    Only the order counts: predictions that are all a thousand times too large have
    a concordance of 1.

    References
    ----------
    .. [1] F. E. Harrell, R. M. Califf, D. B. Pryor, K. L. Lee, R. A. Rosati (1982).
       Evaluating the yield of medical tests. JAMA 247(18).
    .. [2] W. R. Knight (1966). A computer method for calculating Kendall's tau with
       ungrouped data. JASA 61(314).

    Examples
    --------
    >>> concordance([1.0, 2.0, 3.0], [0.1, 0.3, 0.2])
    0.6666666666666666
    """
    truth = as_values(target, "target")
    numbers = as_values(scores)
    if len(truth) != len(numbers):
        raise InvalidInput(
            f"scores: {len(numbers)} scores for {len(truth)} targets; pass one each"
        )
    # Dense ranks make the counting tree as small as the number of distinct scores.
    _, dense = np.unique(numbers, return_inverse=True)
    order = np.argsort(truth, kind="stable")
    doubled, pairs = _concordant(truth, dense.astype(np.int64), order)
    if pairs == 0:
        raise InvalidInput(
            f"target: all {len(truth)} values are equal, no pair has an order; "
            "pass a target that varies"
        )
    return float(doubled / (2 * pairs))


@njit(cache=True, nogil=True)
def _concordant(
    target: NDArray[np.float64], dense: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[int, int]:
    """Return twice the concordant pairs (ties half) and the number of pairs.

    Items enter a Fenwick tree over their scores by increasing target, a group of
    equal targets at a time; each then counts who entered before it and is below it.
    """
    n = len(target)
    size = dense.max() + 1 if n else 0
    tree = np.zeros(size + 1, np.int64)
    doubled = pairs = 0
    start = 0
    while start < n:
        stop = start
        while stop < n and target[order[stop]] == target[order[start]]:
            rank = dense[order[stop]]
            doubled += _entered(tree, rank) + _entered(tree, rank + 1)
            stop += 1
        pairs += start * (stop - start)
        for position in range(start, stop):
            node = dense[order[position]] + 1
            while node <= size:
                tree[node] += 1
                node += node & -node
        start = stop
    return doubled, pairs


@njit(cache=True, nogil=True)
def _entered(tree: NDArray[np.int64], stop: int) -> int:
    total = 0
    while stop > 0:
        total += tree[stop]
        stop -= stop & -stop
    return total
