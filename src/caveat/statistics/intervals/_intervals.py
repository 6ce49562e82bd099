"""A mean and how well it is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from caveat.statistics._checks import (
    check_choice,
    check_count,
    check_share,
    check_values,
)
from caveat.statistics.intervals._bootstrap import resampled_means

METHODS = ("t", "normal", "bootstrap")


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval.

    Attributes
    ----------
    mean, low, high : float
        NaN where not defined: the interval needs two values.
    sd : float
        Standard deviation (ddof 1) of what the interval is over.
    se : float
        Standard error of the mean.
    n : int
        How many values, or units, the interval rests on.
    missing : int
        Values that were NaN and are not in the mean.
    empty : int
        Units without a single value, not in the mean either.
    over : str
        What the n are.
    confidence : float
    method : str
    """

    mean: float
    low: float
    high: float
    sd: float
    se: float
    n: int
    missing: int = 0
    empty: int = 0
    over: str = "values"
    confidence: float = 0.95
    method: str = "t"


def mean_interval(
    values: ArrayLike,
    confidence: float = 0.95,
    method: str = "t",
    *,
    n_resamples: int = 10_000,
    random_state: int | np.random.Generator | None = 0,
) -> Interval:
    """Mean of independent values, with a confidence interval.

    Parameters
    ----------
    values : array-like of shape (n,)
        NaN are left out of the mean and counted in `missing`.
    confidence : float, default=0.95
    method : {"t", "normal", "bootstrap"}, default="t"
        Student's t with n - 1 degrees of freedom; the normal distribution (as
        papers do that print 1.96 standard errors); percentiles of the bootstrap.
    n_resamples : int, default=10_000
        Of the bootstrap.
    random_state : int, Generator or None, default=0
        Of the bootstrap.

    Returns
    -------
    Interval
        One value has a mean and no interval; no value has neither. Values that are
        all the same give an interval without width.

    Warnings
    --------
    It speaks of the means of further values drawn like these. Repeats on one data
    set say nothing of other data sets, and test scores of overlapping training
    sets are no independent values: the interval is then too narrow. So are
    bootstrap and normal intervals of fewer than about 20 values.

    Examples
    --------
    >>> found = mean_interval([0.70, 0.72, 0.74, 0.76])
    >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3)
    (0.73, 0.689, 0.771)
    """
    level = check_share("confidence", confidence)
    how = check_choice("method", method, METHODS)
    resamples = check_count("n_resamples", n_resamples, 1)
    array = check_values("values", values)
    there = array[~np.isnan(array)]
    n = len(there)
    mean, sd = moments(there)
    se = sd / np.sqrt(n) if n else np.nan
    if how == "bootstrap" and n > 1 and sd > 0:
        means = resampled_means(there, resamples, random_state)
        low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    else:
        half = factor(how, level, n - 1) * se
        low, high = mean - half, mean + half
    return Interval(
        mean=mean,
        low=float(low),
        high=float(high),
        sd=sd,
        se=float(se),
        n=n,
        missing=len(array) - n,
        confidence=level,
        method=how,
    )


def moments(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and standard deviation (ddof 1); equal values have exactly 0."""
    if not len(values):
        return np.nan, np.nan
    if values.min() == values.max():
        return float(values[0]), 0.0 if len(values) > 1 else np.nan
    return float(values.mean()), float(values.std(ddof=1))


def factor(method: str, level: float, freedom: float) -> float:
    """How many standard errors the interval reaches to either side."""
    if freedom <= 0:
        return np.nan
    tail = (1 + level) / 2
    return float(stdtrit(freedom, tail) if method == "t" else ndtri(tail))
