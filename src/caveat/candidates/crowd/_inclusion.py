"""Sets of a given size with unequal labels: conditional Bernoulli sampling.

A label k has the weight θ_k, and a set S of m labels the probability
∏_{k in S} θ_k / e_m(θ), where e_m is the elementary symmetric polynomial. For m = 1
this is a plain choice with the shares θ; a set of all labels has the probability 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MOST_CELLS = 2_000_000


def log_normaliser(weights: Floats, largest: int) -> Floats:
    """Return log e_m of every row, for m = 1 to `largest`.

    Parameters
    ----------
    weights : array of shape (n_rows, n_labels)
    largest : int

    Examples
    --------
    >>> np.exp(log_normaliser(np.array([[1.0, 2.0, 3.0]]), 3)).round(6)
    array([[ 6., 11.,  6.]])
    """
    sums = np.zeros((len(weights), largest + 1))
    sums[:, 0] = 1.0
    for column in weights.T:
        sums[:, 1:] += column[:, None] * sums[:, :-1]
    return np.log(sums[:, 1:])


def expected_inclusions(weights: Floats, counts: Floats) -> Floats:
    """Return how often every label is expected in sets of given sizes.

    Parameters
    ----------
    weights : array of shape (n_rows, n_labels)
    counts : array of shape (n_rows, largest)
        How many sets of 1, 2, ... labels there are.

    Examples
    --------
    One single label and one pair, of which the third label has half the weight.

    >>> expected_inclusions(np.array([[1.0, 1.0, 2.0]]), np.array([[1.0, 1.0]]))
    array([[0.85, 0.85, 1.3 ]])
    """
    rows, labels = weights.shape
    largest = counts.shape[1]
    # All sums over labels before k, and after k, give the sums without k: O(K m²).
    after = np.zeros((labels + 1, rows, largest + 1))
    after[labels, :, 0] = 1.0
    for k in range(labels - 1, -1, -1):
        after[k] = after[k + 1]
        after[k, :, 1:] += weights[:, k, None] * after[k + 1, :, :-1]
    per_set = counts / after[0, :, 1:]
    before = np.zeros((rows, largest + 1))
    before[:, 0] = 1.0
    found = np.empty((rows, labels))
    for k in range(labels):
        total = np.zeros(rows)
        for m in range(largest):
            without = sum(before[:, t] * after[k + 1, :, m - t] for t in range(m + 1))
            total += per_set[:, m] * without
        found[:, k] = weights[:, k] * total
        before[:, 1:] += weights[:, k, None] * before[:, :-1]
    return found


def raise_likelihood(weights: Floats, named: Floats, counts: Floats) -> Floats:
    """Take one step of iterative scaling; the likelihood of no row falls.

    Parameters
    ----------
    weights : array of shape (n_rows, n_labels)
        Where to begin, positive.
    named : array of shape (n_rows, n_labels)
        How often every label was named.
    counts : array of shape (n_rows, largest)
        How many sets of every size that was.

    References
    ----------
    .. [1] J. N. Darroch, D. Ratcliff (1972). Generalized iterative scaling for
       log-linear models. Annals of Mathematical Statistics 43(5).
    .. [2] S. X. Chen, A. P. Dempster, J. S. Liu (1994). Weighted finite population
       sampling to maximize entropy. Biometrika 81(3).
    """
    chunk = max(1, _MOST_CELLS // (weights.shape[1] * (counts.shape[1] + 1)))
    if len(weights) > chunk:
        parts = range(0, len(weights), chunk)
        return np.concatenate(
            [
                raise_likelihood(*(a[p : p + chunk] for a in (weights, named, counts)))
                for p in parts
            ]
        )
    ratio = named / np.maximum(expected_inclusions(weights, counts), 1e-300)
    # The whole step is exact for single labels and usually right for sets. Where it
    # goes too far, the root by the largest size has a proof (Darroch, Ratcliff).
    whole, careful = weights * ratio, weights * ratio ** (1.0 / counts.shape[1])
    better = _log_likelihood(whole, named, counts) >= _log_likelihood(
        careful, named, counts
    )
    return _scaled(np.where(better[:, None], whole, careful))


def _log_likelihood(weights: Floats, named: Floats, counts: Floats) -> Floats:
    scaled = _scaled(weights)
    chosen = (named * np.log(np.maximum(scaled, 1e-300))).sum(axis=1)
    return chosen - (counts * log_normaliser(scaled, counts.shape[1])).sum(axis=1)


def _scaled(weights: Floats) -> Floats:
    """Make the mean weight 1, so that no product of many leaves the floats."""
    return weights / weights.mean(axis=1, keepdims=True)
