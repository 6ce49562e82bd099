"""Mid-ranks: tied values share the mean of the ranks they cover."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from caveat.ranking._checks import as_values


def doubled_ranks(values: ArrayLike) -> NDArray[np.int64]:
    """Twice the mid-rank of every value, which is a whole number.

    Parameters
    ----------
    values : array-like of shape (n,)
        Numbers, infinities allowed, NaN not.

    Returns
    -------
    ndarray of int64, shape (n,)
        Number of values strictly below plus number of values at or below, plus 1;
        ranks count from 1.

    Examples
    --------
    >>> doubled_ranks([3.0, 1.0, 3.0])
    array([5, 2, 5])
    """
    numbers = as_values(values, "values")
    return _doubled_ranks(numbers, np.argsort(numbers))


def midranks(values: ArrayLike) -> NDArray[np.float64]:
    """Rank of every value, from 1; ties share the mean of their ranks.

    Parameters
    ----------
    values : array-like of shape (n,)
        Numbers, infinities allowed, NaN not.

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> midranks([3.0, 1.0, 3.0])
    array([2.5, 1. , 2.5])
    """
    return doubled_ranks(values) / 2


@njit(cache=True, nogil=True)
def _doubled_ranks(
    values: NDArray[np.float64], order: NDArray[np.int64]
) -> NDArray[np.int64]:
    n = len(values)
    ranks = np.empty(n, np.int64)
    start = 0
    while start < n:
        stop = start + 1
        while stop < n and values[order[stop]] == values[order[start]]:
            stop += 1
        for position in range(start, stop):
            # Ranks start + 1 to stop, so twice their mean is start + stop + 1.
            ranks[order[position]] = start + stop + 1
        start = stop
    return ranks
