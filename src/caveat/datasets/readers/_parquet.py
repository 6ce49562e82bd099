"""Parquet files."""

from __future__ import annotations

import pandas as pd
import pyarrow.parquet as pq

from caveat.datasets.readers._native import native
from caveat.exceptions import DataError


def read_parquet(data: bytes, where: str) -> pd.DataFrame:
    """Read a Parquet file; a stored index becomes columns if it has names.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.
    """
    try:
        table = pq.read_table(native(data))
        table.validate(full=True)  # offsets, and that text is text
        frame = table.to_pandas()
    except Exception as error:  # on broken files pyarrow and pandas fail in many ways
        raise DataError(
            f"{where} is not a whole Parquet file: {_first_line(error)}"
        ) from error
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    if not len(frame):
        raise DataError(f"{where} has no rows")
    return frame.reset_index(drop=True)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
