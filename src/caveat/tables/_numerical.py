"""The numerical part of a table: missing cells filled, columns scaled."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, listing
from caveat.tables._columns import column_numbers

FILLS = ("mean", "median", "mode", "zero")
SCALES = ("standard", "minmax")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NumericalPart:
    """What was learnt of the numerical columns; a value per column in each array."""

    fill: Floats  # what missing cells become; NaN: they stay
    centre: Floats
    spread: Floats
    constant: NDArray[np.bool_]

    def apply(self, values: Floats, dtype: str = "float64") -> Floats:
        """Fill and scale rows, a column per learnt column; `values` is overwritten."""
        gaps = np.isnan(values)
        if gaps.any():
            values = np.where(gaps, self.fill, values)
        with np.errstate(over="ignore"):
            values -= self.centre
            values /= self.spread
        # What lies too far outside of the training range is held at the type's ends.
        most = float(np.finfo(dtype).max)
        return np.clip(values, -most, most, out=values)


def learn_numerical(
    values: Floats,
    names: list[str],
    booleans: NDArray[np.bool_],
    *,
    impute: str | None,
    scale: str | None,
    scale_range: tuple[float, float],
) -> NumericalPart:
    """Learn fills and scales from training rows.

    Parameters
    ----------
    values : array of shape (rows, columns)
        NaN where a cell is missing.
    names : list of str
    booleans : bool array of shape (columns,)
        Truth values: they are filled by their mode, whatever the others get.
    impute, scale, scale_range
        See `TableEncoder`.
    """
    columns = values.shape[1]
    fill = np.full(columns, np.nan)
    if impute is not None:
        for j in range(columns):
            strategy = "mode" if booleans[j] else impute
            fill[j] = fill_value(values[:, j], strategy)
        empty = np.isnan(values).all(axis=0) if len(values) else np.ones(columns, bool)
        if empty.any():
            warnings.warn(
                f"columns {listing(np.array(names)[empty])} have no value in the "
                "training rows: their cells become 0",
                UserWarning,
                stacklevel=4,
            )
        values = np.where(np.isnan(values), fill, values)
    low, high = _extremes(values)
    constant = low == high
    if scale is None:
        centre, spread = np.zeros(columns), np.ones(columns)
    elif scale == "standard":
        centre, spread = _moments(values)
    else:
        width = scale_range[1] - scale_range[0]
        with np.errstate(over="ignore", invalid="ignore"):
            spread = (high - low) / width
            centre = low - scale_range[0] * spread
    # A constant column is moved, not stretched: it becomes 0 (or the range's low end).
    spread = np.where(constant | (spread == 0), 1.0, spread)
    if scale is not None:
        shift = 0.0 if scale == "standard" else scale_range[0]
        centre = np.where(constant, low - shift, centre)
    unfit = ~(np.isfinite(centre) & np.isfinite(spread))
    if unfit.any():
        raise InvalidInput(
            f"columns {listing(np.array(names)[unfit])} hold numbers too large to "
            "scale; divide them first"
        )
    return NumericalPart(fill, centre, spread, constant)


def fill_value(values: Floats, strategy: str) -> float:
    """Give the number that stands for the missing cells of one column.

    Parameters
    ----------
    values : array of shape (rows,)
    strategy : {"mean", "median", "mode", "zero"}
        Of the values that are there; the smallest of several modes. A column
        without any value gives 0.

    Examples
    --------
    >>> fill_value(np.array([3.0, 1.0, np.nan, 3.0, 1.0, 5.0]), "mode")
    1.0
    """
    there = values[~np.isnan(values)]
    if not len(there) or strategy == "zero":
        return 0.0
    if strategy == "mode":
        distinct, counts = np.unique(there, return_counts=True)
        return float(distinct[counts.argmax()])
    if strategy == "median":
        return _median(there)
    return float(_mean(there[:, None])[0])


def _extremes(values: Floats) -> tuple[Floats, Floats]:
    columns = values.shape[1]
    if not len(values):
        return np.zeros(columns), np.zeros(columns)
    low, high = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
    return np.nan_to_num(low), np.nan_to_num(high)


def _mean(values: Floats) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        mean = values.mean(axis=0)
    if np.isfinite(mean).all() or not np.isfinite(values).all():
        return mean
    # Of the largest numbers even the sum of their shares can be too large.
    peak = np.abs(values).max(axis=0)
    shares = (values / np.where(peak == 0, 1.0, peak)).mean(axis=0)
    return np.where(np.isfinite(mean), mean, shares * peak)


def _median(values: Floats) -> float:
    with np.errstate(over="ignore"):
        median = float(np.median(values))
    return median if np.isfinite(median) else 2 * float(np.median(values / 2))


def _moments(values: Floats) -> tuple[Floats, Floats]:
    """Mean and population standard deviation of the cells that are there."""
    if np.isnan(values).any():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # columns without a value
            mean = np.nan_to_num(np.nanmean(values, axis=0))
            return mean, np.nan_to_num(np.nanstd(values, axis=0))
    if not len(values):
        return np.zeros(values.shape[1]), np.zeros(values.shape[1])
    mean = _mean(values)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = values.std(axis=0)
    huge = ~np.isfinite(spread)
    if huge.any():
        # Squares overflow long before the numbers do.
        size = np.abs(values[:, huge]).max(axis=0)
        spread[huge] = (values[:, huge] / size).std(axis=0) * size
    return mean, spread


def numbers_of(frame: pd.DataFrame, names: list[str]) -> Floats:
    """Gather columns as one float array in column-major order."""
    values = np.empty((len(frame), len(names)), order="F")
    dtypes = frame.dtypes.reindex(names)
    plain = np.array(
        [isinstance(dtype, np.dtype) and dtype.kind in "iufb" for dtype in dtypes], bool
    )
    if plain.any():
        # Together: a wide table spends its time on columns one by one.
        values[:, plain] = frame[list(dtypes.index[plain])].to_numpy(np.float64)
        plain &= ~np.isinf(values).any(axis=0, where=plain)
    for j in np.flatnonzero(~plain):
        values[:, j] = column_numbers(frame[names[j]])
    return values
