"""Checked matrices, handed out in blocks of rows.

Whatever a person passes (array, frame, sparse matrix, memory map, function),
the loops see blocks of one kind: uint8 for labels and decisions, float64 for
scores. Nothing is made dense beyond one block, and nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from caveat.exceptions import InvalidInput
from caveat.measures.multilabel._checks import (
    check_binary,
    check_real,
    check_same,
    check_sparse_binary,
    frame_names,
    plain_matrix,
    refuse_places,
)
from caveat.measures.multilabel._kernels import (
    ByteArray,
    FloatArray,
    IntArray,
    count_pass,
    first_non_finite,
)

BLOCK_ENTRIES = 2**20
"""How many entries one block has at most; a row is never cut."""

ScoreBlocks = Callable[[int, int], Any]


class _Rows:
    """What both kinds of matrix share: a shape, names, and slices of rows."""

    def __init__(self, argument: str, matrix: Any) -> None:
        self.argument = argument
        self.columns, self.index = frame_names(matrix)
        self._matrix = plain_matrix(argument, matrix)
        self.shape: tuple[int, int] = tuple(self._matrix.shape)  # type: ignore[assignment]

    def _slice(self, start: int, stop: int) -> NDArray[Any]:
        part = self._matrix[start:stop]
        return part.toarray() if sparse.issparse(part) else np.asarray(part)


class LabelRows(_Rows):
    """A 0/1 matrix: truth or decisions.

    Parameters
    ----------
    argument : str
        The argument's name, for messages.
    matrix : array-like, frame, sparse matrix or memory map of shape (m, l)
        Values 0 and 1, or -1 and +1.
    """

    def __init__(self, argument: str, matrix: Any) -> None:
        if callable(matrix) and not hasattr(matrix, "shape"):
            raise InvalidInput(
                f"{argument} is a function; only scores can be given block by block, "
                f"pass {argument} as an array, a sparse matrix or a memory map"
            )
        super().__init__(argument, matrix)
        if sparse.issparse(self._matrix):
            self._matrix = check_sparse_binary(argument, self._matrix)
            self._signed = False
        elif isinstance(self._matrix, np.memmap):
            self._signed = self._check_in_blocks()
        else:
            self._signed = check_binary(argument, self._matrix, 0)
            self._matrix = self._to_bytes(self._matrix)
            self._signed = False

    def _check_in_blocks(self) -> bool:
        signed = [
            check_binary(self.argument, self._slice(start, stop), start)
            for start, stop in row_blocks(self.shape)
        ]
        if any(signed) and not all(signed):
            # A block of ones fits both spellings; only a zero beside a -1 does not.
            for start, stop in row_blocks(self.shape):
                refuse_places(self.argument, self._slice(start, stop) == 0, start, 0)
        return any(signed)

    def _to_bytes(self, part: NDArray[Any]) -> ByteArray:
        if part.dtype == np.bool_:
            return np.ascontiguousarray(part).view(np.uint8)
        if self._signed:
            part = part > 0
        return np.ascontiguousarray(part, dtype=np.uint8)

    def rows(self, start: int, stop: int) -> ByteArray:
        """Return rows start to stop as zeros and ones."""
        return self._to_bytes(self._slice(start, stop))

    @cached_property
    def row_counts(self) -> IntArray:
        """How many relevant labels each row has."""
        return self._counts[0]

    @cached_property
    def label_counts(self) -> IntArray:
        """How many positives each label has."""
        return self._counts[1]

    @cached_property
    def _counts(self) -> tuple[IntArray, IntArray]:
        n_rows, n_labels = self.shape
        if sparse.issparse(self._matrix):
            per_label = np.bincount(self._matrix.indices, minlength=n_labels)
            per_row = np.diff(self._matrix.indptr)
            return per_row.astype(np.int64), per_label.astype(np.int64)
        per_row = np.zeros(n_rows, dtype=np.int64)
        per_label = np.zeros(n_labels, dtype=np.int64)
        for start, stop in row_blocks(self.shape):
            count_pass(self.rows(start, stop), start, per_row, per_label)
        return per_row, per_label

    def dense(self) -> ByteArray:
        """Return all rows."""
        return self.rows(0, self.shape[0])

    def label_names(self) -> list[Any]:
        """Return the frame's column names, or 0..l-1."""
        return list(range(self.shape[1])) if self.columns is None else self.columns


class ScoreRows(_Rows):
    """A matrix of real scores.

    Parameters
    ----------
    matrix : array-like, frame, sparse matrix, memory map or callable
        A callable gets ``(start, stop)`` and returns these rows.
    truth : LabelRows
        What the scores are held against: gives the shape and the names.
    argument : str
        The argument's name, for messages.
    """

    def __init__(self, matrix: Any, truth: LabelRows, argument: str = "scores") -> None:
        self._function: ScoreBlocks | None = None
        if callable(matrix) and not hasattr(matrix, "shape"):
            self.argument = argument
            self.columns = self.index = None
            self._function = matrix
            self.shape = truth.shape
            return
        super().__init__(argument, matrix)
        check_same(truth, self)
        check_real(argument, self._matrix)

    def rows(self, start: int, stop: int) -> FloatArray:
        """Return rows start to stop; NaN and infinities are refused."""
        if self._function is None:
            part = self._slice(start, stop)
        else:
            part = np.asarray(self._function(start, stop))
            expected = (stop - start, self.shape[1])
            if part.shape != expected:
                raise InvalidInput(
                    f"{self.argument}({start}, {stop}) returned an array of shape "
                    f"{part.shape}; expected {expected}"
                )
            check_real(self.argument, part)
        block = np.ascontiguousarray(part, dtype=np.float64)
        bad = first_non_finite(block)
        if bad >= 0:
            self._refuse_row(block[bad], start + bad)
        return block

    def _refuse_row(self, values: FloatArray, row: int) -> None:
        label = int(np.flatnonzero(~np.isfinite(values))[0])
        name = label if self.columns is None else repr(self.columns[label])
        raise InvalidInput(
            f"{self.argument}: {values[label]} at row {row}, label {name}; "
            "scores must be finite, replace it or leave the row out"
        )

    def dense(self) -> FloatArray:
        """Return all rows."""
        return self.rows(0, self.shape[0])


def row_blocks(
    shape: tuple[int, int], entries: int = BLOCK_ENTRIES
) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of blocks of rows with about `entries` entries each."""
    n_rows, n_labels = shape
    step = max(1, entries // max(1, n_labels))
    for start in range(0, n_rows, step):
        yield start, min(start + step, n_rows)
