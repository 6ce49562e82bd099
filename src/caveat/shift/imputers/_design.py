"""A raw table as numbers, column by column and back again.

Imputers that look at other columns work on this: a number is standardised, a category
becomes a block of indicators. What is missing or unknown becomes 0, the mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.shift.evaluation._tables import is_categorical
from caveat.tables import column_numbers

Matrix = NDArray[np.float64]


class Design:
    """Training columns as blocks of a matrix.

    Parameters
    ----------
    X : DataFrame
        Training rows.

    Attributes
    ----------
    blocks : list of slice
        The places of each column in the matrix.
    categories : list of Index or None
        Sorted training categories; None for a column of numbers.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 40], "sex": ["f", "m"]})
    >>> design = Design(table)
    >>> design.encode(table)
    array([[-1.,  1.,  0.],
           [ 1.,  0.,  1.]])
    >>> design.decode(1, np.array([[0.2, 0.8]])).tolist()
    ['m']
    """

    def __init__(self, X: pd.DataFrame) -> None:
        self.columns = list(X.columns)
        self.categories: list[pd.Index | None] = []
        self.blocks: list[slice] = []
        self._dtypes = list(X.dtypes)
        self._centre: list[float] = []
        self._scale: list[float] = []
        start = 0
        for name in self.columns:
            text = is_categorical(X[name])
            known = pd.Index(_sorted(X[name].dropna().unique())) if text else None
            numbers = np.zeros(1) if text else column_numbers(X[name])
            centre, scale = _standard(numbers)
            self.categories.append(known)
            self._centre.append(centre)
            self._scale.append(scale)
            width = 1 if known is None else len(known)
            self.blocks.append(slice(start, start + width))
            start += width
        self.width = start

    def encode(self, X: pd.DataFrame) -> Matrix:
        """Turn rows into numbers: (rows, width)."""
        matrix = np.zeros((len(X), self.width))
        for place, (name, block) in enumerate(
            zip(self.columns, self.blocks, strict=True)
        ):
            known = self.categories[place]
            if known is None:
                column = (column_numbers(X[name]) - self._centre[place]) / self._scale[
                    place
                ]
                matrix[:, block] = np.nan_to_num(column)[:, None]
            else:
                codes = known.get_indexer(pd.Index(X[name]))
                rows = np.flatnonzero(codes >= 0)
                matrix[rows, block.start + codes[rows]] = 1.0
        return matrix

    def decode(self, place: int, values: Matrix) -> NDArray[Any]:
        """Turn a column's block (rows, block width) into raw values."""
        known = self.categories[place]
        if known is not None:
            return np.asarray(known.take(values.argmax(axis=1)))
        numbers = values[:, 0] * self._scale[place] + self._centre[place]
        if pd.api.types.is_datetime64_any_dtype(self._dtypes[place]):
            days = pd.to_timedelta(numbers, unit="D")
            zone = getattr(self._dtypes[place], "tz", None)
            return np.asarray((pd.Timestamp(0, tz=zone) + days), dtype=object)
        return numbers

    def places(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the places of the marked columns in the matrix."""
        marked = np.zeros(self.width, dtype=bool)
        for is_marked, block in zip(mask, self.blocks, strict=True):
            marked[block] = is_marked
        return marked


def _standard(numbers: Matrix) -> tuple[float, float]:
    """Mean and standard deviation (1 if constant), without overflow."""
    size = float(np.nanmax(np.abs(numbers))) or 1.0
    scaled = numbers / size
    spread = float(np.nanstd(scaled))
    return float(np.nanmean(scaled)) * size, (spread if spread > 0 else 1.0) * size


def _sorted(values: Any) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)
