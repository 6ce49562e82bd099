"""How predicted numbers are judged. Each function also takes a stack of predictions.

`y` has the shape (n_rows,), `predicted` (n_rows,) or (n_stack, n_rows); a stack gives
an array with a value for each.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from caveat.measures._checks import Floats, mean_of
from caveat.ranking import concordance as order_share


def rmse(y: Floats, predicted: Floats, *, sample_weight: Floats | None = None) -> Any:
    """Root of the mean squared error, in the units of the target.

    Warnings
    --------
    A few large errors decide. Cannot be averaged over data sets of other units.

    Examples
    --------
    >>> from caveat import measures
    >>> measures.get("rmse")([0, 0], [3, 4])
    3.5355339059327378
    """
    error = predicted - y
    with np.errstate(over="ignore"):
        root = np.sqrt(mean_of(error**2, sample_weight))
    if np.isfinite(root).all():
        return root
    # Squares overflow from 1e154 on; of errors scaled by the largest they do not.
    largest = np.abs(error).max(axis=-1, keepdims=True)
    return largest[..., 0] * np.sqrt(mean_of((error / largest) ** 2, sample_weight))


def mae(y: Floats, predicted: Floats, *, sample_weight: Floats | None = None) -> Any:
    """Mean absolute error, in the units of the target.

    Warnings
    --------
    Rewards the median, so on a skewed target a model that is blind to the large values
    looks good.

    Examples
    --------
    >>> from caveat import measures
    >>> measures.get("mae")([0, 0], [3, 4])
    3.5
    """
    return mean_of(np.abs(predicted - y), sample_weight)


def median_absolute_error(
    y: Floats, predicted: Floats, *, sample_weight: Floats | None = None
) -> Any:
    """Median of the absolute errors, in the units of the target.

    Warnings
    --------
    Up to half of the rows may be wrong by any amount without moving it.

    Examples
    --------
    >>> from caveat import measures
    >>> measures.get("median-absolute-error")([0, 0, 0], [1, 2, 100])
    2.0
    """
    error = np.abs(predicted - y)
    if sample_weight is None:
        return np.median(error, axis=-1)
    return np.apply_along_axis(_weighted_median, -1, error, sample_weight)


def _weighted_median(values: Floats, weights: NDArray[Any]) -> float:
    """Middle of the weight; the mean of two values where it falls between them."""
    kept = weights > 0
    order = np.argsort(values[kept])
    ranked, mass = values[kept][order], np.cumsum(weights[kept][order])
    half = mass[-1] / 2
    low, high = np.searchsorted(mass, half), np.searchsorted(mass, half, side="right")
    return float((ranked[low] + ranked[high]) / 2)


def r2(y: Floats, predicted: Floats, *, sample_weight: Floats | None = None) -> Any:
    """Share of the target's variance that the predictions explain.

    The mean of `y` gives 0. NaN, with a warning, if all of `y` are equal.

    Warnings
    --------
    Compares with the mean of the rows at hand, which no model knew; on few rows it is
    negative for good models. A wider range of targets makes it larger by itself.

    Examples
    --------
    >>> from caveat import measures
    >>> measures.get("r2")([1, 2, 3], [1, 2, 4])
    0.5
    """
    spread = mean_of((y - mean_of(y, sample_weight)) ** 2, sample_weight)
    if spread == 0:
        warnings.warn(
            f"R² is not defined: all {len(y)} true values are {y[0]:g}",
            UndefinedMetricWarning,
            stacklevel=4,
        )
        return np.full(predicted.shape[:-1], np.nan)
    return 1 - mean_of((predicted - y) ** 2, sample_weight) / spread


def concordance(y: Floats, predicted: Floats) -> float:
    """Share of pairs of different numbers that the predictions order rightly.

    Ties between predictions count half, guessing gives 0.5. NaN, with a warning, where
    all numbers are equal.

    Warnings
    --------
    Only the order counts: predictions that are all a thousand times too large have a
    concordance of 1.

    Examples
    --------
    >>> from caveat import measures
    >>> measures.get("concordance")([1.0, 2.0, 3.0], [0.1, 0.3, 0.2])
    0.6666666666666666
    """
    if len(y) and y.min() == y.max():
        warnings.warn(
            f"concordance is not defined: all {len(y)} numbers are equal",
            UndefinedMetricWarning,
            stacklevel=4,
        )
        return float("nan")
    return order_share(y, predicted)
