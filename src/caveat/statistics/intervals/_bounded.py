"""Intervals that stay inside the range of their measure, made there, never clipped."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from caveat.statistics._checks import check_share, check_values
from caveat.statistics.intervals._intervals import Interval, factor, moments

Floats = NDArray[np.float64]


def bounded_interval(
    values: ArrayLike,
    *,
    range: tuple[float, float] = (0.0, 1.0),
    test_share: float = 0.0,
    rows: int | None = None,
    confidence: float = 0.95,
) -> Interval:
    r"""Mean of folds or repeats, with an interval inside the measure's range.

    The interval is Student's t on a scale without ends (logit between two bounds, log
    above one), by the delta method, and is carried back. So an AUC never passes 1.

    Parameters
    ----------
    values : array-like of shape (n,)
        A value per fold or repeat; NaN are left out and counted.
    range : (float, float), default=(0, 1)
        Where the measure lies; infinite ends are allowed.
    test_share : float, default=0
        Share of the rows that each value was measured on, where the values share
        training rows: the variance is then corrected by :math:`1/n + s/(1-s)` for
        :math:`1/n` (Nadeau & Bengio 2003). 0: the values are independent.
    rows : int, optional
        Rows of the smaller class behind all values. Where every value lies at an end
        of the range, the interval reaches as far as a miss in so many rows would
        stay unseen: to :math:`0.05^{1/rows}` of the way. Without it there is none.
    confidence : float, default=0.95

    Returns
    -------
    Interval
        NaN ends where there is no interval: one value, or equal ones (but see `rows`).

    Warnings
    --------
    With few values the t quantile is large and the interval wide; that is meant.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio (2003). Inference for the generalization error.
       Machine Learning 52.

    Examples
    --------
    >>> found = bounded_interval([0.98, 0.99, 1.0, 0.97, 0.99], test_share=0.2)
    >>> round(found.low, 3), found.high < 1
    (0.938, True)
    """
    level = check_share("confidence", confidence)
    array = check_values("values", values)
    there = array[~np.isnan(array)]
    n = len(there)
    mean, sd = moments(there)
    spread = 1 / n + test_share / (1 - test_share) if n else np.nan
    se = sd * math.sqrt(spread) if n else np.nan
    low, high = _ends(mean, factor("t", level, n - 1) * se, range)
    if n > 1 and np.ptp(there) == 0:
        # Equal values have no spread, which does not make them exact.
        low, high = unseen(mean, rows, range, level)
    return Interval(
        mean=mean,
        low=low,
        high=high,
        sd=sd,
        se=se,
        n=n,
        missing=len(array) - n,
        confidence=level,
        method="corrected t" if test_share else "t",
    )


def _ends(mean: float, half: float, range: tuple[float, float]) -> tuple[float, float]:
    """Carry the half width to a scale without ends, and the ends back."""
    if mean in range or math.isnan(half):
        return math.nan, math.nan
    forth, back, slope = endless_scale(mean, range)
    # The delta method: a half width h is h g'(mean) on the scale g. So no interval
    # leaves the range.
    centre, reach = float(forth(np.array(mean))), half * slope
    with np.errstate(over="ignore"):
        low, high = back(np.array([centre - reach, centre + reach]))
    return float(low), float(high)


def endless_scale(
    mean: float, range: tuple[float, float]
) -> tuple[Callable[..., Floats], Callable[..., Floats], float]:
    """Give a scale without ends, the way back, and the scale's slope at the mean."""
    bottom, top = range
    if math.isfinite(bottom) and math.isfinite(top):
        width = top - bottom
        place = (mean - bottom) / width
        return (
            lambda x: logit((x - bottom) / width),
            lambda x: bottom + width * expit(x),
            1 / (width * place * (1 - place)),
        )
    if math.isfinite(bottom):
        return (
            lambda x: np.log(x - bottom),
            lambda x: bottom + np.exp(x),
            1 / (mean - bottom),
        )
    if math.isfinite(top):
        return (
            lambda x: -np.log(top - x),
            lambda x: top - np.exp(-x),
            1 / (top - mean),
        )
    return (lambda x: x, lambda x: x, 1.0)


def unseen(
    mean: float, rows: int | None, range: tuple[float, float], level: float
) -> tuple[float, float]:
    """Reach from an end of the range as far as a miss would stay unseen."""
    bottom, top = range
    if rows is None or math.isinf(top - bottom) or mean not in range:
        return math.nan, math.nan
    reach = (top - bottom) * (1 - (1 - level) ** (1 / rows))
    return (mean - reach, mean) if mean == top else (mean, mean + reach)
