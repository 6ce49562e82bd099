"""Intervals from repeated splits: which rows were tested, and what was fitted."""

from __future__ import annotations

import math
import warnings
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm
from scipy.stats import t as student

from caveat.statistics._checks import check_share
from caveat.statistics.intervals._bounded import endless_scale, unseen
from caveat.statistics.intervals._intervals import Interval

Floats: TypeAlias = NDArray[np.float64]


def split_interval(
    values: ArrayLike,
    draws: ArrayLike,
    *,
    bends: ArrayLike | None = None,
    test_share: float = 0.0,
    rows: int | None = None,
    range: tuple[float, float] = (-math.inf, math.inf),
    confidence: float = 0.95,
) -> Interval:
    r"""Mean over repeated splits, with both sources of spread in its interval.

    *Rows*: quantiles of the bootstrap over rows, the same resampled rows in every
    split, so that a row that is tested twice counts as one row. *Fits*: what the
    values of the splits differ by beyond what their test rows explain,
    :math:`\max(0, s^2 - (1 - q)\bar v)`, where :math:`\bar v` is the bootstrap
    variance within a split and :math:`q` the share of rows that is tested; it is
    scaled by :math:`1/J + q/(1-q)` for splits that share training rows (Nadeau &
    Bengio 2003). Both are added in quadrature on each side.

    A mean over *pairs* of rows (an AUC) varies by its rows and by its pairs. A
    bootstrap counts the variance of the pairs three times: once where it belongs,
    and once on either side among the rows (:math:`E(w_iw_j - 1)^2 = 3` for Poisson
    weights). That matters where two AUCs hardly differ, for then little but pairs is
    left. With a draw split into a sum over rows, l, and its bend, b, the variance is
    estimated by :math:`\operatorname{var} l - \operatorname{var} b`, at least a third
    of what the bootstrap has.

    Parameters
    ----------
    values : array-like of shape (splits,)
    draws : array-like of shape (resamples, splits)
        The same number on resampled rows; NaN where it is not defined.
    bends : array-like of shape (resamples, splits), optional
        For a mean over pairs: what the draws have beyond a sum over rows.
    test_share : float, default=0
        q. With one split there is no spread over fits.
    rows : int, optional
        How many rows were drawn from; few rows get a wider interval (Student's t).
    range : (float, float)
        Where the number lies. The interval is made on a scale without ends.
    confidence : float, default=0.95

    Returns
    -------
    Interval
        NaN ends where fewer than half of the resamples are defined.

    Warnings
    --------
    One model that was fitted once: the interval is about that model only. The
    scale of the spread over fits is a rule of thumb; no unbiased one exists.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio (2003). Inference for the generalization error.
       Machine Learning 52.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(0.1, 0.02, size=(500, 1))
    >>> found = split_interval([0.1], draws)
    >>> round(found.low, 2), round(found.high, 2)
    (0.06, 0.14)
    """
    level = check_share("confidence", confidence)
    each = np.asarray(values, dtype=np.float64)
    resampled = np.asarray(draws, dtype=np.float64)
    mean, n = float(each.mean()), len(each)
    sd = float(each.std(ddof=1)) if n > 1 else math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        together = np.nanmean(resampled, axis=1)
        within = float(np.nanmean(np.nanvar(resampled, axis=0)))
        if bends is not None:
            bent = np.asarray(bends, dtype=np.float64)
            within *= _of_pairs_once(resampled, bent)
            narrower = math.sqrt(_of_pairs_once(together, np.nanmean(bent, axis=1)))
            together = mean + narrower * (together - mean)
    known = together[np.isfinite(together)]
    fits = _spread_of_fits(sd, within, n, test_share)
    se = math.nan
    low = high = math.nan
    if math.isfinite(mean) and 2 * len(known) >= len(together):
        se = math.sqrt(float(known.var()) + fits)
        low, high = _ends(mean, known, fits, rows, range, level)
    return Interval(
        mean=mean,
        low=low,
        high=high,
        sd=sd,
        se=se,
        n=n,
        missing=len(together) - len(known),
        confidence=level,
        method="bootstrap over rows, spread over splits",
    )


def _of_pairs_once(draws: Floats, bends: Floats) -> float:
    """Give the share of a bootstrap's variance that counts each pair once."""
    of_rows, of_pairs, both = (
        float(np.nanmean(np.nanvar(one, axis=0)))
        for one in (draws - bends, bends, draws)
    )
    return min(1.0, max(1 / 3, (of_rows - of_pairs) / both)) if both > 0 else 1.0


def _spread_of_fits(sd: float, within: float, n: int, share: float) -> float:
    """Give the variance of the mean that test rows do not explain."""
    if n < 2 or not 0 < share < 1 or not math.isfinite(within):
        return 0.0
    beyond = max(0.0, sd**2 - (1 - share) * within)
    return beyond * (1 / n + share / (1 - share))


def _ends(
    mean: float,
    known: Floats,
    fits: float,
    rows: int | None,
    range: tuple[float, float],
    level: float,
) -> tuple[float, float]:
    """Add both sources on a scale without ends, and carry the ends back."""
    if mean in range:
        return unseen(mean, rows, range, level)
    forth, back, slope = endless_scale(mean, range)
    normal, usual = norm.ppf((1 + level) / 2), norm.ppf(0.975)
    # Quantiles far out need more resamples than there are: the usual ones, stretched.
    wide = normal / usual
    if rows is not None and rows > 1:
        few = student.ppf((1 + level) / 2, rows - 1) / normal
        wide *= few * math.sqrt(rows / (rows - 1))
    centre = float(forth(np.array(mean)))
    # A resample without a miss lies at the end of the range, infinitely far away here.
    with np.errstate(divide="ignore"):
        below, above = np.quantile(forth(known), [0.025, 0.975], method="nearest")
    of_fits = normal * slope * math.sqrt(fits)
    left = math.hypot(wide * max(0.0, centre - below), of_fits)
    right = math.hypot(wide * max(0.0, above - centre), of_fits)
    with np.errstate(over="ignore"):
        ends = back(np.array([centre - left, centre + right]))
    return float(ends[0]), float(ends[1])
