"""From distances and a labeling of the clusters to one score per point.

With d₊ and d₋ the distances to the nearest positive and negative centroid:

=========  ==========================================================
``ratio``  t = (d₋ - d₊) / (d₋ + d₊), rounded to 12 decimals; (1 + t) / 2 is the
           probability that the paper speaks of
``diff``   t = d₋ - d₊, ordered like a softmax of the two distances
``sqdiff`` t = d₋² - d₊², ordered like two Gaussians of one variance
=========  ==========================================================

All three change sign, exactly and also in floating point, when the two classes
change places. The rounding lets ratios that are equal in mathematics tie.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import UnknownName

SCORES = {"ratio": 0, "diff": 1, "sqdiff": 2}


def score_kind(score: str) -> int:
    """Return the number that stands for a score in the kernels."""
    if score not in SCORES:
        raise UnknownName.among("score", score, SCORES)
    return SCORES[score]


def labeling_scores(
    distances: ArrayLike, positive: ArrayLike, score: str = "ratio"
) -> NDArray[np.float64]:
    """Score every point under one labeling of the clusters.

    Parameters
    ----------
    distances : array-like of shape (n, k)
        Distance of every point to every centroid.
    positive : array-like of bool, shape (k,)
        Which clusters are positive: at least one, and not all.
    score : {"ratio", "diff", "sqdiff"}
        Which of the three orderings.

    Returns
    -------
    ndarray of shape (n,); larger means nearer to a positive cluster.

    Warnings
    --------
    A score orders points, it is no probability that was ever calibrated.

    Examples
    --------
    >>> labeling_scores([[1.0, 3.0], [2.0, 2.0]], [True, False])
    array([0.5, 0. ])
    """
    matrix = np.asarray(distances, float)
    chosen = np.asarray(positive, bool)
    to_positive = matrix[:, chosen].min(axis=1)
    to_negative = matrix[:, ~chosen].min(axis=1)
    kind = score_kind(score)
    if kind == 1:
        return to_negative - to_positive
    if kind == 2:
        return to_negative * to_negative - to_positive * to_positive
    total = to_negative + to_positive
    share = np.divide(
        to_negative - to_positive, total, out=np.zeros_like(total), where=total > 0
    )
    return np.round(share, 12)


@njit(cache=True, nogil=True)
def gap(near: float, far: float, kind: int) -> float:
    """Score of a point whose nearest centroid is positive; never negative."""
    if kind == 1:
        return far - near
    if kind == 2:
        return far * far - near * near
    total = far + near
    if total == 0.0:
        return 0.0
    return np.rint((far - near) / total * 1e12) / 1e12
