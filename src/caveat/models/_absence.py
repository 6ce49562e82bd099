"""Absent columns: which they are, and what of the encoded table they own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, UnknownName
from caveat.tables import TableEncoder

Gone = NDArray[np.bool_]


def owners(encoder: TableEncoder) -> list[int]:
    """Say for every encoded column which column of the table it comes from."""
    place = {name: number for number, name in enumerate(encoder.columns_)}
    owner = [place[name] for name in encoder.numerical_]
    if encoder.categories != "onehot":
        return owner + [place[name] for name in encoder.categorical_]
    for name, size in zip(encoder.categorical_, encoder.sizes_, strict=True):
        owner += [place[name]] * size
    return owner


def gone_matrix(
    gone: Any, columns: Sequence[str], n_rows: int, *, order: Sequence[str]
) -> Gone:
    """Say for every row which columns are gone.

    Parameters
    ----------
    gone : names of columns, or bool array
        Of shape (n_columns,) or (n_rows, n_columns), in the order of `order`.
    columns : sequence of str
        The columns of the training table, whose order the answer has.
    n_rows : int
    order : sequence of str
        The columns of the table in question.

    Examples
    --------
    >>> gone_matrix(["b"], ["a", "b"], 2, order=["a", "b"]).tolist()
    [[False, True], [False, True]]
    >>> gone_matrix([True, False], ["a", "b"], 1, order=["b", "a"]).tolist()
    [[False, True]]
    """
    if isinstance(gone, str) or not isinstance(gone, Iterable):
        raise InvalidInput(f"gone is {gone!r}; pass a list of columns or a bool array")
    listed = gone if isinstance(gone, np.ndarray) else list(gone)
    array = np.asarray(listed)
    if array.dtype == bool and array.size:
        if array.shape not in ((len(order),), (n_rows, len(order))):
            raise InvalidInput(
                f"gone has the shape {array.shape}, but the table has {n_rows} rows "
                f"and {len(order)} columns"
            )
        place = [list(order).index(name) for name in columns]
        return np.broadcast_to(array, (n_rows, len(order)))[:, place]
    # Columns are known by text, also those of a frame whose names are numbers.
    names = [str(name) for name in listed]
    for name in names:
        if name not in columns:
            raise UnknownName.among("column", name, columns)
    row = np.array([name in names for name in columns])
    return np.broadcast_to(row, (n_rows, len(columns)))


def random_absence(n_rows: int, n_columns: int, rng: np.random.Generator) -> Gone:
    """Draw which columns rows lose: their share is uniform between none and all."""
    return rng.random((n_rows, n_columns)) < rng.random((n_rows, 1))


def blank(table: Any, owner: Sequence[int], gone: Gone) -> Any:
    """Make the cells of absent columns missing, in a copy of an encoded table."""
    away = gone[:, list(owner)]
    if not isinstance(table, pd.DataFrame):
        return np.where(away, np.nan, table)
    made = {}
    for number, name in enumerate(table.columns):
        text = not pd.api.types.is_numeric_dtype(table[name])
        made[name] = table[name].mask(away[:, number], "missing" if text else np.nan)
    return pd.DataFrame(made, index=table.index)
