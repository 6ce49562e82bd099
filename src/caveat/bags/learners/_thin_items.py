"""Items as the first layer of a network needs them: two products with its weights.

Tables with one-hot columns have a usual value in most cells, 0 or after scaling -1.
What differs from it is sparse, and the products cost as much as that, not as the table.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from caveat.bags.learners._perceptron import compiled

# Measured on 179 columns: unusual cells cost about four times as much as in a product
# of dense matrices.
_MOST = 0.2
_SAMPLE = 999


class Items(Protocol):
    """Items, of which some are the batch."""

    def take(self, rows: torch.Tensor) -> None:
        """Make these rows the batch."""

    def enter(self, weight: NDArray, entered: NDArray) -> None:
        """Write ``x W`` of the batch down."""

    def pull(self, slope: NDArray, total: NDArray, grad: NDArray) -> None:
        """Write ``x' slope`` of the batch down; `total` sums the rows of `slope`."""


def make_items(x: torch.Tensor) -> Items:
    """Choose how products with items are computed."""
    table = x.numpy()
    # A value that more than half of the rows have is their median.
    sample = table[:: max(1, len(table) // _SAMPLE)]
    usual = np.partition(sample, len(sample) // 2, axis=0)[len(sample) // 2]
    if (sample != usual).mean() > _MOST:
        return DenseItems(x)
    return ThinItems(table, usual)


class DenseItems:
    """Items in a plain table."""

    def __init__(self, x: torch.Tensor) -> None:
        self._x = x

    def take(self, rows: torch.Tensor) -> None:
        """Make these rows the batch."""
        self._batch = self._x.index_select(0, rows).numpy()

    def enter(self, weight: NDArray, entered: NDArray) -> None:
        """Write ``x W`` of the batch down."""
        np.dot(self._batch, weight, out=entered)

    def pull(self, slope: NDArray, total: NDArray, grad: NDArray) -> None:
        """Write ``x' slope`` of the batch down; `total` sums the rows of `slope`."""
        np.dot(self._batch.T, slope, out=grad)


class ThinItems:
    """Items as differences from the usual values of their columns."""

    def __init__(self, table: NDArray, usual: NDArray) -> None:
        self._usual = usual
        differs = table != usual
        _, self._columns = np.nonzero(differs)
        self._values = table[differs] - usual[self._columns]
        self._ends = np.concatenate([[0], np.cumsum(differs.sum(axis=1))])

    def take(self, rows: torch.Tensor) -> None:
        """Make these rows the batch."""
        self._batch = _gather(rows.numpy(), self._ends, self._columns, self._values)

    def enter(self, weight: NDArray, entered: NDArray) -> None:
        """Write ``x W`` of the batch down."""
        stops, columns, values = self._batch
        usual = self._usual @ weight
        _enter(stops, columns, values, usual, weight, entered)

    def pull(self, slope: NDArray, total: NDArray, grad: NDArray) -> None:
        """Write ``x' slope`` of the batch down; `total` sums the rows of `slope`."""
        stops, columns, values = self._batch
        _pull(stops, columns, values, self._usual, total, slope, grad)


@compiled
def _gather(rows: NDArray, ends: NDArray, columns: NDArray, values: NDArray) -> Any:
    """Lay the cells of some rows side by side, once for all networks."""
    stops = np.cumsum(ends[rows + 1] - ends[rows])
    near_columns = np.empty(stops[-1], dtype=columns.dtype)
    near_values = np.empty(stops[-1], dtype=values.dtype)
    place = 0
    for row in rows:
        for k in range(ends[row], ends[row + 1]):
            near_columns[place], near_values[place] = columns[k], values[k]
            place += 1
    return stops, near_columns, near_values


@compiled
def _enter(
    stops: NDArray,
    columns: NDArray,
    values: NDArray,
    usual: NDArray,
    weight: NDArray,
    entered: NDArray,
) -> None:
    width, k = entered.shape[1], 0
    for i in range(len(stops)):
        for j in range(width):
            entered[i, j] = usual[j]
        while k < stops[i]:
            column, value = columns[k], values[k]
            for j in range(width):
                entered[i, j] += value * weight[column, j]
            k += 1


@compiled
def _pull(
    stops: NDArray,
    columns: NDArray,
    values: NDArray,
    usual: NDArray,
    total: NDArray,
    slope: NDArray,
    grad: NDArray,
) -> None:
    width, k = slope.shape[1], 0
    for column in range(len(usual)):
        for j in range(width):
            grad[column, j] = usual[column] * total[j]
    for i in range(len(stops)):
        while k < stops[i]:
            column, value = columns[k], values[k]
            for j in range(width):
                grad[column, j] += value * slope[i, j]
            k += 1
