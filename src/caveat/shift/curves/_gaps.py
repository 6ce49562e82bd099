"""Numbers about a curve: relative change, area, uncertainty."""

from __future__ import annotations

import warnings
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

Z95 = 1.959963984540054
"""Half width of a 95 % interval in standard errors."""


def performance_gap(value: ArrayLike, closed: float) -> NDArray[np.float64]:
    """Relative change against the closed environment, Δ = (value - closed) / closed.

    Parameters
    ----------
    value : array-like
        The measure when columns are missing.
    closed : float
        The measure when none is.

    Returns
    -------
    array; negative is worse for accuracy and AUC, positive for errors; nan with a
    warning where `closed` is 0.

    Warnings
    --------
    A model that was never good has little to lose: its gap is small. Read it beside
    the value.

    Examples
    --------
    >>> performance_gap([0.9, 0.6], 0.9).round(3)
    array([ 0.   , -0.333])
    """
    values = np.asarray(value, dtype=np.float64)
    if closed == 0:
        warnings.warn(
            "the measure is 0 in the closed environment, so the gap is not defined",
            stacklevel=2,
        )
        return np.full(values.shape, np.nan)
    return (values - closed) / closed


def degradation_area(degree: ArrayLike, value: ArrayLike) -> float:
    """Area under a degradation curve: the mean measure over degrees.

    By the trapezoid rule, divided by the range of degrees that the curve has.

    Parameters
    ----------
    degree, value : array-like of shape (n,)
        Share of columns that are missing, and the measure there.

    Returns
    -------
    float, in the units of the measure.

    Warnings
    --------
    Degrees that nobody will ever meet weigh as much as the likely ones.

    Examples
    --------
    >>> round(degradation_area([0.0, 0.5, 1.0], [1.0, 0.8, 0.5]), 6)
    0.775
    """
    x = np.asarray(degree, dtype=np.float64)
    y = np.asarray(value, dtype=np.float64)
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    span = x[-1] - x[0]
    return float(np.trapezoid(y, x) / span) if span > 0 else float(y.mean())


def retained(degree: ArrayLike, value: ArrayLike) -> float:
    """Area under a degradation curve, as a share of its first value.

    Parameters
    ----------
    degree, value : array-like of shape (n,)
        The first degree is the closed environment.

    Returns
    -------
    float; 1 means that nothing changes; nan where the first value is 0.

    Warnings
    --------
    A model that is no better than chance from the beginning retains everything.

    Examples
    --------
    >>> round(retained([0.0, 1.0], [0.8, 0.4]), 6)
    0.75
    """
    order = np.argsort(np.asarray(degree, dtype=np.float64), kind="stable")
    first = float(np.asarray(value, dtype=np.float64)[order[0]])
    return degradation_area(degree, value) / first if first else float("nan")


def spread(values: NDArray[np.float64], possible: int) -> tuple[float, float]:
    """Give the standard deviation over subsets and the standard error of their mean.

    The error is s · sqrt((1 - m / C) / m) for m of C possible subsets, so it is 0 when
    all have been seen (W. G. Cochran 1977, Sampling techniques, section 2.6).

    Examples
    --------
    >>> import numpy as np
    >>> spread(np.array([1.0, 3.0]), 2)
    (1.4142135623730951, 0.0)
    """
    m = len(values)
    if m == 1:
        return (0.0, 0.0) if possible == 1 else (float("nan"), float("nan"))
    deviation = float(values.std(ddof=1))
    return deviation, deviation * sqrt((1 - m / possible) / m)
