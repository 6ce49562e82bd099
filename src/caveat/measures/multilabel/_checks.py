"""Refusals for matrices of labels, decisions and scores, and for too large ones.

Each message says which argument, which value, where, and what to do.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

import numpy as np
import psutil
from numpy.typing import NDArray
from scipy import sparse

from caveat.exceptions import InvalidInput, listing


class NamedMatrix(Protocol):
    """A matrix that knows its argument's name and, from a frame, its names."""

    argument: str
    shape: tuple[int, int]
    columns: list[Any] | None
    index: list[Any] | None


def check_same(truth: NamedMatrix, other: NamedMatrix) -> None:
    """Refuse two matrices that differ in shape, column names or row names."""
    if truth.shape != other.shape:
        turned = truth.shape == other.shape[::-1]
        raise InvalidInput(
            f"{other.argument} has shape {other.shape} and {truth.argument} has shape "
            f"{truth.shape}; "
            + (f"transposed? pass {other.argument}.T" if turned else "they must agree")
        )
    if truth.columns is not None and other.columns is not None:
        _check_columns(truth, other)
    if truth.index is not None and other.index is not None:
        differ = np.flatnonzero(
            [a != b for a, b in zip(truth.index, other.index, strict=True)]
        )
        if len(differ):
            row = int(differ[0])
            raise InvalidInput(
                f"{other.argument}: row {row} is named {other.index[row]!r}, but "
                f"{truth.index[row]!r} in {truth.argument}; rows are not matched by "
                "name, bring both frames into one order"
            )


def _check_columns(truth: NamedMatrix, other: NamedMatrix) -> None:
    mine, theirs = truth.columns or [], other.columns or []
    if mine == theirs:
        return
    missing = [name for name in mine if name not in theirs]
    extra = [name for name in theirs if name not in mine]
    if missing or extra:
        parts = []
        if missing:
            parts.append(f"lacks the labels {listing(missing, 5)}")
        if extra:
            parts.append(f"has {listing(extra, 5)} that {truth.argument} lacks")
        raise InvalidInput(
            f"{other.argument} {' and '.join(parts)}; "
            "both frames need the same label columns"
        )
    raise InvalidInput(
        f"{other.argument} has the label columns in another order than "
        f"{truth.argument} ({listing(theirs, 3)} against {listing(mine, 3)}); "
        f"pass {other.argument}[{truth.argument}.columns]"
    )


def frame_names(matrix: Any) -> tuple[list[Any] | None, list[Any] | None]:
    """Return column and row names of a frame; default numbers are no names."""
    if not (hasattr(matrix, "columns") and hasattr(matrix, "index")):
        return None, None
    columns = list(matrix.columns)
    repeated = [name for name, count in Counter(columns).items() if count > 1]
    if repeated:
        raise InvalidInput(
            f"the column names {listing(repeated, 5)} occur more than once; "
            "every label needs a name of its own"
        )
    index = list(matrix.index)
    return (
        None if columns == list(range(len(columns))) else columns,
        None if index == list(range(len(index))) else index,
    )


def plain_matrix(argument: str, matrix: Any) -> Any:
    """Turn a matrix into CSR or a 2-D array, refuse other shapes and kinds."""
    if matrix is None:
        raise InvalidInput(f"{argument} is None; pass a matrix of shape (n, l)")
    if sparse.issparse(matrix):
        plain = sparse.csr_array(matrix)
        if not plain.has_canonical_format:
            plain = plain.copy()  # never reorder a person's own matrix
            plain.sum_duplicates()
    elif hasattr(matrix, "columns") and hasattr(matrix, "to_numpy"):
        plain = _frame_values(argument, matrix)
    elif isinstance(matrix, np.ma.MaskedArray):
        if np.ma.is_masked(matrix):
            raise InvalidInput(
                f"{argument} has masked entries; fill them or leave the rows out"
            )
        plain = np.asarray(matrix)
    elif isinstance(matrix, np.ndarray):
        plain = matrix
    else:
        try:
            plain = np.asarray(matrix)
        except ValueError as error:
            raise InvalidInput(
                f"{argument} has rows of different lengths; expected a matrix (n, l)"
            ) from error
    _check_shape(argument, plain)
    if not sparse.issparse(plain) and plain.dtype.kind not in "biuf":
        plain = _as_numbers(argument, plain)
    return plain


def _check_shape(argument: str, plain: Any) -> None:
    if plain.ndim != 2:
        hint = (
            f"one label is {argument}.reshape(-1, 1)"
            if plain.ndim == 1
            else "one row per instance, one column per label"
        )
        raise InvalidInput(
            f"{argument} has shape {plain.shape}; expected (n, l): {hint}"
        )
    if plain.shape[0] == 0:
        raise InvalidInput(
            f"{argument} has no rows (shape {plain.shape}); pass at least one instance"
        )
    if plain.shape[1] == 0:
        raise InvalidInput(
            f"{argument} has no columns (shape {plain.shape}); pass at least one label"
        )


def _frame_values(argument: str, frame: Any) -> NDArray[Any]:
    try:
        if all(kind.kind == "b" for kind in frame.dtypes if hasattr(kind, "kind")):
            return frame.to_numpy(dtype=bool)
        return frame.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        bad = [
            name
            for name, kind in zip(frame.columns, frame.dtypes, strict=True)
            if getattr(kind, "kind", "O") not in "biuf"
        ]
        raise InvalidInput(
            f"{argument}: columns {listing(bad, 5)} hold no numbers; "
            "encode them as numbers first"
        ) from error


def _as_numbers(argument: str, plain: NDArray[Any]) -> NDArray[Any]:
    """Accept objects that are numbers after all; refuse text, dates and complex."""
    if plain.dtype.kind == "O":
        try:
            return plain.astype(np.float64)
        except (TypeError, ValueError):
            pass
    raise InvalidInput(
        f"{argument} holds values of type {plain.dtype}; expected numbers"
    )


def check_real(argument: str, plain: Any) -> None:
    if plain.dtype.kind not in "biuf":
        raise InvalidInput(
            f"{argument} holds values of type {plain.dtype}; expected real numbers"
        )


def refuse_places(argument: str, bad: Any, start: int, value: Any) -> None:
    rows, labels = np.nonzero(bad)
    if len(rows) == 0:
        return
    places = [
        f"({start + row}, {label})"
        for row, label in zip(rows[:5], labels[:5], strict=True)
    ]
    more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
    raise InvalidInput(
        f"{argument}: found {value} at (row, label) {', '.join(places)}{more}; "
        f"{argument} needs 0/1 (or -1/+1), real scores need threshold="
    )


def check_binary(argument: str, part: NDArray[Any], start: int) -> bool:
    """Refuse values other than 0/1 or -1/+1; return whether the block is signed."""
    if part.dtype == np.bool_:
        return False
    if part.dtype.kind in "iu" and part.min() >= 0 and part.max() <= 1:
        return False
    zero_one = (part == 0) | (part == 1)
    if zero_one.all():
        return False
    signed = (part == -1) | (part == 1)
    if signed.all():
        return True
    bad = ~(zero_one | (part == -1))
    if not bad.any():
        # All of -1, 0 and 1 occur: there is no saying what 0 means.
        bad = part == -1
    rows, labels = np.nonzero(bad)
    refuse_places(argument, bad, start, part[rows[0], labels[0]])
    return False


def check_sparse_binary(argument: str, matrix: Any) -> Any:
    """Refuse stored values other than 0 and 1, and drop stored zeros."""
    data = matrix.data
    bad = ~((data == 0) | (data == 1))
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        row = int(np.searchsorted(matrix.indptr, first, side="right")) - 1
        raise InvalidInput(
            f"{argument}: found {data[first]} at (row, label) "
            f"({row}, {matrix.indices[first]}); a sparse {argument} needs 0/1, "
            "real scores need threshold="
        )
    clean = matrix.astype(np.uint8)
    if not data.all():
        clean = clean.copy()
        clean.eliminate_zeros()
    return clean


def check_fits(n_bytes: float, what: str, instead: str) -> None:
    """Raise if `n_bytes` exceed the memory that is free now.

    Parameters
    ----------
    n_bytes : float
        What the work will need.
    what, instead : str
        What needs it, and what to do about it.

    Examples
    --------
    >>> check_fits(1e18, "this table", "take fewer rows")
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: this table would take 1,000,000,000.0 GB ...
    """
    free = psutil.virtual_memory().available
    if n_bytes > free:
        raise InvalidInput(
            f"{what} would take {n_bytes / 1e9:,.1f} GB of memory and "
            f"{free / 1e9:,.1f} GB are free; {instead}"
        )
