"""One cluster more: the largest is cut in two across its longest axis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def split_largest(
    Z: NDArray[np.float64],
    nearest: NDArray[np.int64],
    centroids: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """Replace the largest cluster's centroid by those of its two halves.

    The halves lie on either side of the cluster's mean along its first principal axis;
    the half on the positive side keeps the place, the other comes last. A cluster that
    has no two distinct points is passed over.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
        Points.
    nearest : ndarray of int, shape (n,)
        Their clusters.
    centroids : ndarray of shape (k, d)

    Returns
    -------
    ndarray of shape (k + 1, d), or None if no cluster can be split.

    References
    ----------
    .. [1] V. Ortiz Castelló et al. (2022). Extended a priori probability (EAPP).
       IEEE Access 10, section II.C.3. Axis sign and ties are ours.

    Examples
    --------
    >>> Z = np.array([[0.0], [2.0], [10.0]])
    >>> split_largest(Z, np.array([0, 0, 1]), np.array([[1.0], [10.0]]))
    array([[ 2.],
           [10.],
           [ 0.]])
    """
    sizes = np.bincount(nearest, minlength=len(centroids))
    for cluster in np.argsort(-sizes, kind="stable"):
        members = Z[nearest == cluster]
        if len(members) < 2 or (members == members[0]).all():
            continue
        centred = members - members.mean(axis=0)
        axis = np.linalg.eigh(centred.T @ centred)[1][:, -1]
        axis = axis * np.sign(axis[np.abs(axis).argmax()])
        above = centred @ axis >= 0
        if above.all() or not above.any():
            continue
        grown = np.vstack([centroids, members[~above].mean(axis=0)])
        grown[cluster] = members[above].mean(axis=0)
        return grown
    return None
