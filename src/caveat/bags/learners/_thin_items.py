"""Items as the first layer of a network needs them: two products with its weights.

Tables with one-hot columns have a usual value in most cells, 0 or after scaling -1.
What differs from it is sparse, and the products cost as much as that, not as the table.
"""

from __future__ import annotations

from typing import Protocol

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
        """Write ``x W'`` of the batch down."""

    def pull(self, slope: NDArray, total: NDArray, grad: NDArray) -> None:
        """Write ``slope' x`` of the batch down; `total` sums the rows of `slope`."""


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
        """Write ``x W'`` of the batch down."""
        np.dot(self._batch, weight.T, out=entered)

    def pull(self, slope: NDArray, total: NDArray, grad: NDArray) -> None:
        """Write ``slope' x`` of the batch down; `total` sums the rows of `slope`."""
        np.dot(slope.T, self._batch, out=grad)


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
        self._rows = rows.numpy()

    def enter(self, weight: NDArray, entered: NDArray) -> None:
        """Write ``x W'`` of the batch down."""
        _enter(
            self._rows,
            self._ends,
            self._columns,
            self._values,
            weight @ self._usual,
            np.ascontiguousarray(weight.T),
            entered,
        )

    def pull(self, slope: NDArray, total: NDArray, grad: NDArray) -> None:
        """Write ``slope' x`` of the batch down; `total` sums the rows of `slope`."""
        _pull(
            self._rows,
            self._ends,
            self._columns,
            self._values,
            slope,
            self._usual,
            total,
            grad,
        )


@compiled
def _enter(
    rows: NDArray,
    ends: NDArray,
    columns: NDArray,
    values: NDArray,
    usual: NDArray,
    turned: NDArray,
    entered: NDArray,
) -> None:
    for i in range(len(rows)):
        out = entered[i]
        for j in range(len(out)):
            out[j] = usual[j]
        for k in range(ends[rows[i]], ends[rows[i] + 1]):
            value, weight = values[k], turned[columns[k]]
            for j in range(len(out)):
                out[j] += value * weight[j]


@compiled
def _pull(
    rows: NDArray,
    ends: NDArray,
    columns: NDArray,
    values: NDArray,
    slope: NDArray,
    usual: NDArray,
    total: NDArray,
    grad: NDArray,
) -> None:
    sums = np.zeros((grad.shape[1], grad.shape[0]), dtype=np.float32)
    for i in range(len(rows)):
        own = slope[i]
        for k in range(ends[rows[i]], ends[rows[i] + 1]):
            value, out = values[k], sums[columns[k]]
            for j in range(len(own)):
                out[j] += value * own[j]
    for k in range(len(usual)):
        for j in range(len(total)):
            grad[j, k] = sums[k, j] + total[j] * usual[k]
