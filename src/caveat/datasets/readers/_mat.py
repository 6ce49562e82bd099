"""MATLAB files of partial-label data, as the PALM group publishes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from caveat.datasets.readers._mat5 import BrokenMat, Variable
from caveat.datasets.readers._mat5 import variables as read_variables
from caveat.exceptions import DataError, listing

_PLAIN = frozenset(
    ["double", "single", "logical", "char", "sparse"]
    + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)
_MOST_CELLS = 10**9
FIELDS = {"data": "data", "target": "target", "candidates": "partial_target"}


@dataclass(frozen=True)
class PartialLabels:
    """Features, candidate sets and, where known, the hidden truth."""

    X: NDArray[Any]
    candidates: NDArray[np.bool_]
    y: NDArray[np.int64] | None


def read_mat(
    data: bytes, where: str, *, variables: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """Read the numeric, sparse and text variables of a MATLAB file (up to v7).

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.
    variables : tuple of str, optional
        Which ones; a cell, struct, object or function handle among them is refused.
        All plain ones if not given.

    Returns
    -------
    dict : name to array.
    """
    found = _listed(data, where)
    if variables is not None:
        missing = [name for name in variables if name not in found]
        if missing:
            shapes = [f"{name} {item.shape}" for name, item in found.items()]
            raise DataError(
                f"{where} has no variable {listing(missing)}; it has {listing(shapes)}"
            )
    chosen = variables or tuple(n for n, item in found.items() if item.kind in _PLAIN)
    return {name: _values(found[name], where) for name in chosen}


def _values(variable: Variable, where: str) -> Any:
    if variable.kind not in _PLAIN:
        raise DataError(
            f"{where}: variable {variable.name!r} is a {variable.kind}; only numbers, "
            "text and sparse matrices are read"
        )
    if math.prod(variable.shape) > _MOST_CELLS:
        raise DataError(
            f"{where}: variable {variable.name!r} of shape {variable.shape} is too "
            "large"
        )
    try:
        return variable.values()
    except BrokenMat as error:
        raise DataError(f"{where} is not a whole MATLAB file: {error}") from error


def _listed(data: bytes, where: str) -> dict[str, Variable]:
    if data[:19] == b"MATLAB 7.3 MAT-file" or data[:8] == b"\x89HDF\r\n\x1a\n":
        raise DataError(
            f"{where} is a MATLAB 7.3 file, which is HDF5; save it again with -v7"
        )
    try:
        return {variable.name: variable for variable in read_variables(data)}
    except BrokenMat as error:
        raise DataError(
            f"{where} is not a whole MATLAB file: {error}; save it with -v7 or -v6"
        ) from error


def read_partial_labels(
    data: bytes,
    where: str,
    *,
    fields: Mapping[str, str] | None = None,
    transposed: bool = True,
) -> PartialLabels:
    """Read features, candidate sets and true labels.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.
    fields : mapping, optional
        What the variables are called, if not ``data``, ``target``, ``partial_target``:
        keys ``data``, ``target``, ``candidates``. Case does not matter.
    transposed : bool, default=True
        Labels stand as classes x items, as published.
    """
    names = {**FIELDS, **(fields or {})}
    found = _listed(data, where)
    folded = {name.lower(): name for name in found}
    actual = {role: folded.get(name.lower(), name) for role, name in names.items()}
    wanted = [actual["data"], actual["candidates"]]
    known = actual["target"] in found
    loaded = read_mat(
        data, where, variables=tuple(wanted + ([actual["target"]] if known else []))
    )
    X = _dense(loaded[actual["data"]])
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise DataError(f"{where}: {actual['data']!r} is not a matrix of numbers")
    candidates = _labels(loaded[actual["candidates"]], X, transposed, actual, where)
    empty = np.flatnonzero(~candidates.any(axis=1))
    if len(empty):
        raise DataError(
            f"{where}: rows {listing(empty, most=5)} have no candidate (counted from 0)"
        )
    y = None
    if known:
        truth = _labels(loaded[actual["target"]], X, transposed, actual, where)
        if truth.shape != candidates.shape:
            raise DataError(
                f"{where}: {truth.shape[1]} classes in {actual['target']!r}, but "
                f"{candidates.shape[1]} in {actual['candidates']!r}"
            )
        several = np.flatnonzero(truth.sum(axis=1) != 1)
        if len(several):
            raise DataError(
                f"{where}: row {several[0]} has {int(truth[several[0]].sum())} true "
                "labels; each row needs exactly one"
            )
        y = truth.argmax(axis=1).astype(np.int64)
    return PartialLabels(X, candidates, y)


def _dense(values: Any) -> NDArray[Any]:
    return values.toarray() if sparse.issparse(values) else np.asarray(values)


def _labels(
    values: Any,
    X: NDArray[Any],
    transposed: bool,
    names: Mapping[str, str],
    where: str,
) -> NDArray[np.bool_]:
    matrix = _dense(values)
    matrix = matrix.T if transposed else matrix
    if matrix.ndim != 2 or len(matrix) != len(X):
        hint = ""
        if matrix.ndim == 2 and matrix.shape[1] == len(X):
            hint = f"; pass transposed={not transposed}"
        raise DataError(
            f"{where}: {names['data']!r} has {len(X)} rows, but the labels have the "
            f"shape {matrix.shape}{hint}"
        )
    wrong = np.argwhere((matrix != 0) & (matrix != 1))
    if len(wrong):
        row, column = wrong[0]
        raise DataError(
            f"{where}: row {row}, class {column} holds {matrix[row, column]}; labels "
            "must be 0 or 1"
        )
    return matrix.astype(bool)
