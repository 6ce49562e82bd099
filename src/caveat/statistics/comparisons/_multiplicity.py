"""Correction of p-values for the number of tests that were made.

All three take p-values and give adjusted ones: compare those with alpha. A NaN
stands for a test that could not be made; it stays NaN and is not counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import false_discovery_control

from caveat.exceptions import InvalidInput


def bonferroni(p_values: ArrayLike) -> NDArray[np.float64]:
    """Multiply every p-value by the number of tests.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        Between 0 and 1; NaN for a test that could not be made.

    Returns
    -------
    array of shape (m,), adjusted p-values, at most 1.

    Warnings
    --------
    Holm's correction gives the same guarantee and never rejects less; use it.

    Examples
    --------
    >>> bonferroni([0.01, 0.04, 0.03])
    array([0.03, 0.12, 0.09])
    """
    values = _check(p_values)
    return np.minimum(values * np.count_nonzero(~np.isnan(values)), 1.0)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Holm's step-down correction: the chance of any false alarm is at most alpha.

    The smallest of m p-values is multiplied by m, the next by m - 1, and so on;
    an adjusted p-value is never below that of a smaller p-value.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        Between 0 and 1; NaN for a test that could not be made.

    Returns
    -------
    array of shape (m,), adjusted p-values, at most 1.

    Warnings
    --------
    It counts the tests it is given. Tests that were made, looked at and left out
    make the guarantee void.

    References
    ----------
    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure.
       Scandinavian Journal of Statistics 6(2).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values = _check(p_values)
    order = np.argsort(values, kind="stable")  # NaN comes last
    m = np.count_nonzero(~np.isnan(values))
    made = order[:m]
    steps = values[made] * np.arange(m, 0, -1)
    adjusted = np.full(values.shape, np.nan)
    adjusted[made] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """Benjamini and Hochberg's step-up correction: of the alarms, alpha are false.

    The i-th smallest of m p-values is multiplied by m / i; an adjusted p-value is
    never above that of a larger p-value.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        Between 0 and 1; NaN for a test that could not be made.

    Returns
    -------
    array of shape (m,), adjusted p-values, at most 1.

    Warnings
    --------
    It bounds the expected share of false alarms among all alarms, not the chance
    of one. The bound needs independent or positively dependent tests; all pairs
    of learners on the same data are neither for certain.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg (1995). Controlling the false discovery rate.
       Journal of the Royal Statistical Society B 57(1).

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """
    values = _check(p_values)
    made = ~np.isnan(values)
    adjusted = np.full(values.shape, np.nan)
    if made.any():
        adjusted[made] = false_discovery_control(values[made])
    return adjusted


def _check(p_values: ArrayLike) -> NDArray[np.float64]:
    try:
        values = np.asarray(p_values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"p_values are not numbers ({error}); pass floats") from None
    if values.ndim != 1:
        raise InvalidInput(
            f"p_values have {values.ndim} dimensions, not 1; pass them as one list"
        )
    outside = values[(values < 0) | (values > 1)]
    if outside.size:
        raise InvalidInput(
            f"a p-value is {outside[0]:.6g}, not between 0 and 1; pass p-values, "
            "not test statistics"
        )
    return values
