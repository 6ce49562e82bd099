"""The best way to name clusters 0 or 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.eapp.labelings._branch_and_bound import branch_and_bound
from caveat.eapp.labelings._enumeration import search_all
from caveat.eapp.labelings._neighbours import neighbours
from caveat.exceptions import InvalidInput

# Up to here all labelings are tried; branch and bound goes further where it can.
ENUMERATED = 16
LARGEST_EXACT = 24


def best_labeling(
    distances: ArrayLike, y: ArrayLike, *, score: str = "ratio", n_jobs: int = 1
) -> tuple[float, int]:
    """Find the labeling of clusters with the largest AUC among all 2^k - 2.

    Parameters
    ----------
    distances : array-like of shape (n, k)
        Distance of every point to every centroid, 2 to 24 centroids.
    y : array-like of shape (n,)
        Labels with two distinct values; the larger one is positive.
    score : {"ratio", "diff", "sqdiff"}, default="ratio"
        How the distances d₊ and d₋ to the nearest positive and negative centroid
        order the points: (d₋ - d₊) / (d₋ + d₊), d₋ - d₊, or d₋² - d₊².
    n_jobs : int, default=1
        Threads.

    Returns
    -------
    auc : float
        The largest AUC, never below 0.5.
    mask : int
        The labeling: bit j is 1 where cluster j is positive. Among labelings of
        equal AUC the smallest mask.

    Warnings
    --------
    It is a maximum over labelings, chosen on the very labels it is judged by, so it
    is biased upwards: pure noise reaches 0.7 and more with few points. `EAPP` chooses
    on one part of the data and judges on another.

    References
    ----------
    .. [1] V. Ortiz Castelló et al. (2022). Extended a priori probability (EAPP): a
       data-driven approach for machine learning binary classification tasks.
       IEEE Access 10. https://doi.org/10.1109/ACCESS.2022.3221936

    Examples
    --------
    >>> distances = [[1, 4, 9], [2, 3, 8], [5, 1, 6], [7, 2, 2], [9, 6, 1], [4, 4, 4]]
    >>> auc, mask = best_labeling(distances, [1, 0, 1, 0, 1, 0])
    >>> auc, bin(mask)
    (0.6666666666666666, '0b11')
    """
    matrix = _checked_distances(distances)
    positive = _checked_labels(y, len(matrix))
    if n_jobs < 1:
        raise InvalidInput(f"n_jobs: found {n_jobs}; pass a number of threads from 1")
    near = neighbours(matrix, score)
    pairs = int(positive.sum()) * int((~positive).sum())
    exact = False
    if near.n_clusters > ENUMERATED:
        doubled, mask, exact = branch_and_bound(near, positive)
    if not exact:
        doubled, mask = search_all(near, positive, n_jobs=n_jobs)
    return doubled / (2 * pairs), mask


def _checked_distances(distances: ArrayLike) -> NDArray[np.float64]:
    try:
        matrix = np.ascontiguousarray(distances, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"distances: not a matrix of numbers ({error}); "
            "pass a row per point and a column per centroid"
        ) from error
    if matrix.ndim != 2:
        raise InvalidInput(
            f"distances: shape {matrix.shape}; "
            "pass a row per point and a column per centroid"
        )
    if not 2 <= matrix.shape[1] <= LARGEST_EXACT:
        raise InvalidInput(
            f"distances: {matrix.shape[1]} clusters; the exact search takes 2 to "
            f"{LARGEST_EXACT}, for more use EAPP(labeling='greedy')"
        )
    # Squares and sums of distances must stay finite.
    odd = np.argwhere(~((matrix >= 0) & (matrix < 1e150)))
    if len(odd):
        i, j = odd[0]
        raise InvalidInput(
            f"distances: found {matrix[i, j]:g} at point {i}, centroid {j}; "
            "distances are numbers from 0 to 1e150"
        )
    return matrix


def _checked_labels(y: ArrayLike, n: int) -> NDArray[np.bool_]:
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise InvalidInput(
            f"y: shape {labels.shape} for {n} points; pass one label per point"
        )
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        where = np.flatnonzero(np.isnan(labels))[0]
        raise InvalidInput(f"y: found NaN at point {where}; drop such points")
    try:
        classes = np.unique(labels)
    except TypeError as error:
        raise InvalidInput(
            f"y: labels of different types cannot be sorted ({error}); use one type"
        ) from error
    if len(classes) != 2:
        raise InvalidInput(
            f"y: found {len(classes)} distinct labels; a labeling is judged by two"
        )
    return labels == classes[1]
