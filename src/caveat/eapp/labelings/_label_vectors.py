"""Many label vectors at once, a bit for each label.

The observed labels, every class of a multi-class problem against the rest, and their
shuffles are all the same thing here: columns of 0 and 1. A bit each keeps 200
shuffles of a million rows in 25 MB.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class LabelVectors:
    """A 0/1 matrix of points x vectors, packed along the vectors.

    Attributes
    ----------
    packed : ndarray of uint8, shape (n, ceil(count / 8))
        The bits, most significant first, as `numpy.packbits` leaves them.
    count : int
        Number of vectors.
    """

    packed: NDArray[np.uint8]
    count: int

    @classmethod
    def of(cls, columns: NDArray[np.bool_]) -> LabelVectors:
        """Pack a matrix of shape (n, count)."""
        return cls(np.packbits(columns, axis=1), columns.shape[1])

    def __len__(self) -> int:
        return len(self.packed)

    def take(self, rows: NDArray[np.int64]) -> LabelVectors:
        """Return the vectors of some of the points."""
        return LabelVectors(self.packed[rows], self.count)

    def unpack(self, rows: slice = slice(None)) -> NDArray[np.uint8]:
        """Return 0 and 1 for some of the points, shape (points, count)."""
        return np.unpackbits(self.packed[rows], axis=1, count=self.count)

    def vector(self, index: int) -> NDArray[np.bool_]:
        """Return one vector."""
        byte, bit = divmod(index, 8)
        return (self.packed[:, byte] >> np.uint8(7 - bit)) & 1 == 1

    @cached_property
    def positives(self) -> NDArray[np.int64]:
        """Number of 1s in every vector."""
        total = np.zeros(self.count, np.int64)
        for rows in blocks(len(self), max(1, 2**24 // max(1, self.count))):
            total += self.unpack(rows).sum(axis=0, dtype=np.int64)
        return total


def blocks(length: int, size: int) -> list[slice]:
    """Cut 0 .. length - 1 into slices of at most `size`."""
    return [slice(start, start + size) for start in range(0, length, size)]
