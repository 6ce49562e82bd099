"""Effect sizes: how large a difference is, whatever its p-value."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from caveat.statistics._checks import check_direction, check_values


def common_language(a: ArrayLike, b: ArrayLike, *, direction: str = "max") -> float:
    """Chance that a value of a is better than a value of b, ties counting half.

    Parameters
    ----------
    a, b : array-like of shape (n_a,) and (n_b,)
        Two samples, not paired. NaN are left out.
    direction : {"max", "min"}, default="max"
        Whether larger or smaller values are better.

    Returns
    -------
    float, between 0 and 1, 0.5 for no difference; NaN if a sample is empty.

    Warnings
    --------
    It says how often, not by how much: a difference in the fifth decimal that
    never fails gives 1.

    References
    ----------
    .. [1] A. Vargha, H. D. Delaney (2000). A critique and improvement of the CL
       common language effect size statistics. Journal of Educational and
       Behavioral Statistics 25(2).

    Examples
    --------
    >>> common_language([0.7, 0.8, 0.9], [0.6, 0.8])
    0.75
    """
    sign = check_direction(direction)
    ours, theirs = sign * check_values("a", a), sign * check_values("b", b)
    ours, theirs = ours[~np.isnan(ours)], np.sort(theirs[~np.isnan(theirs)])
    if not len(ours) or not len(theirs):
        return float("nan")
    below = np.searchsorted(theirs, ours, side="left")
    not_above = np.searchsorted(theirs, ours, side="right")
    # Whole and half counts are exact in floats, whatever the order.
    return float((below + not_above).sum() / 2 / (len(ours) * len(theirs)))


def cliffs_delta(a: ArrayLike, b: ArrayLike, *, direction: str = "max") -> float:
    """Chance that a is better than b, less the chance that it is worse.

    Parameters
    ----------
    a, b : array-like of shape (n_a,) and (n_b,)
        Two samples, not paired. NaN are left out.
    direction : {"max", "min"}, default="max"
        Whether larger or smaller values are better.

    Returns
    -------
    float, between -1 and 1, 0 for no difference; NaN if a sample is empty.

    Warnings
    --------
    The words often put to it (0.147 small, 0.33 medium, 0.474 large) are habits of
    one field, not facts. It ignores pairing: on the same splits it understates.

    References
    ----------
    .. [1] N. Cliff (1993). Dominance statistics: ordinal analyses to answer ordinal
       questions. Psychological Bulletin 114(3).

    Examples
    --------
    >>> cliffs_delta([0.7, 0.8, 0.9], [0.6, 0.8])
    0.5
    """
    return 2 * common_language(a, b, direction=direction) - 1
