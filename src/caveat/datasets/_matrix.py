"""A matrix with a column per label: from an array, a frame or a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat.datasets._files import bytes_of, existing, find_format
from caveat.datasets.readers._arff import read_arff
from caveat.datasets.readers._arrays import read_arrays
from caveat.datasets.readers._csv import read_csv
from caveat.datasets.readers._packed import unpacked
from caveat.datasets.readers._parquet import read_parquet
from caveat.exceptions import InvalidInput, UnknownName


def column_names(file: str | Path) -> list[str]:
    """List the columns of a table in a file, without choosing a target."""
    path = existing(file)
    if find_format(path) not in ("csv", "parquet", "arff"):
        raise InvalidInput(f"{path.name} is not a table with named columns")
    return [str(name) for name in read_frame(path).columns]


def read_frame(file: str | Path) -> pd.DataFrame:
    """Read a CSV, Parquet or ARFF file as it is, without choosing a target."""
    path = existing(file)
    form, data, where = find_format(path), bytes_of(path), str(path)
    if form == "parquet":
        return read_parquet(data, where)
    if form == "arff":
        return read_arff(data, where).frame()
    return read_csv(unpacked(data, where), where)[0]


def read_matrix(
    option: str, data: Any, labels: Sequence[str], rows: int
) -> np.ndarray[Any, Any]:
    """Read a matrix of `rows` rows: columns by name, or by position from an array.

    Parameters
    ----------
    option : str
        What it is called in messages.
    data : array-like, DataFrame or path
    labels : sequence of str
        Names of its columns, in the order that is returned.
    rows : int
        How many rows it must have.
    """
    if isinstance(data, str | Path):
        path = existing(data)
        form, name = find_format(path), path.name
        if form == "npz":
            return _shaped(option, name, _only_array(option, path), labels, rows)
        if form not in ("csv", "parquet"):
            raise InvalidInput(f"{option}: {name} is neither CSV, Parquet nor npy")
        frame = read_frame(path)
    elif isinstance(data, pd.DataFrame):
        frame, name = data.copy(), "the table"
    else:
        return _shaped(option, "it", np.asarray(data), labels, rows)
    frame.columns = [str(column) for column in frame.columns]
    missing = [label for label in labels if label not in frame.columns]
    if missing:
        known = UnknownName.among("column", missing[0], frame.columns)
        raise InvalidInput(
            f"{option}: {name} lacks {len(missing)} of {len(labels)} labels; {known}"
        )
    if len(frame) != rows:
        raise InvalidInput(
            f"{option}: {name} has {len(frame):,} rows and the data have {rows:,}; one "
            "row per row is needed"
        )
    return frame[list(labels)].to_numpy()


def _only_array(option: str, path: Path) -> np.ndarray[Any, Any]:
    arrays = list(read_arrays(bytes_of(path), str(path)).values())
    if len(arrays) != 1:
        raise InvalidInput(
            f"{option}: {path.name} holds {len(arrays)} arrays; write one, rows by "
            "labels"
        )
    return np.asarray(arrays[0])


def _shaped(
    option: str,
    name: str,
    values: np.ndarray[Any, Any],
    labels: Sequence[str],
    rows: int,
) -> np.ndarray[Any, Any]:
    wanted = (rows, len(labels))
    if values.shape != wanted:
        turned = " (transposed?)" if values.shape == wanted[::-1] else ""
        raise InvalidInput(
            f"{option}: {name} holds an array of shape {values.shape}, the data need "
            f"{wanted}, rows by labels{turned}"
        )
    return values
