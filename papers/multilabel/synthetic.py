"""The paper's synthetic data: four labels on a square."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from caveat.multilabel.learners._base import check_count

SECTOR_LABELS = np.array([[1, 0, 0, 0], [1, 1, 1, 0], [0, 1, 0, 1], [1, 1, 1, 1]])
"""Labels A, B, C, D of the right, top, left and bottom triangle."""


def make_sectors(
    n_samples: int = 2000, *, random_state: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw points of a square whose diagonals separate four label sets.

    Points are uniform on (-1, 1)². The diagonals cut the square into four
    triangles that carry {A}, {A, B, C}, {B, D} and {A, B, C, D}, counted from the
    right triangle on, anticlockwise.

    Parameters
    ----------
    n_samples : int, default=2000
        Points.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, 2)
    Y : 0/1 array of shape (n_samples, 4)

    Warnings
    --------
    The figure that defines the regions is lost. This assignment was chosen among
    several hundred because it comes nearest to the paper's Table B.1; it is a
    stand-in, not the original.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Section 5.1.

    Examples
    --------
    >>> X, Y = make_sectors(4000, random_state=0)
    >>> X.shape, Y.shape, float(Y.sum(axis=1).mean().round(1))
    ((4000, 2), (4000, 4), 2.5)
    """
    count = check_count("n_samples", n_samples)
    X = check_random_state(random_state).uniform(-1, 1, size=(count, 2))
    x, y = X.T
    right, top, left = x >= np.abs(y), y > np.abs(x), -x >= np.abs(y)
    sector = np.select([right, top, left], [0, 1, 2], default=3)
    return X, SECTOR_LABELS[sector]
