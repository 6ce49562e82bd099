"""Tables with more columns than there is time for: a cheap choice of some.

Columns that go with the target are picked on a part of the rows, and those rows judge
nothing afterwards: a choice made on rows that also judge would flatter every score.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from caveat.audit._roles import hints
from caveat.datasets import opened
from caveat.exceptions import DataError

if TYPE_CHECKING:
    from caveat.datasets import Dataset

_A_MINUTE = 400
_FEWEST = 300
_SHARE = 1 / 3
_FEWEST_ROWS = 30
_MOST_CLASSES = 12
_MOST_HINTED = 40
_LINE = 2**22


def screening(
    dataset: Dataset, minutes: float, seed: int, needed: Collection[str]
) -> dict[str, Any] | None:
    """Choose the columns to look at, or None if there is time for all.

    Parameters
    ----------
    dataset : Dataset
    minutes : float
    seed : int
    needed : collection of str
        Columns with a role, and those to be kept, whatever they tell.

    Returns
    -------
    dict
        ``only`` (columns), ``of`` (how many there are), ``rows`` (how many chose),
        ``seed``.

    Warnings
    --------
    A column is judged by itself and by its correlation: what only tells something
    together with others, or only at both ends, may be left out.
    """
    most = int(max(_FEWEST, _A_MINUTE * minutes))
    names = list(dataset.X.columns)
    if len(names) <= 2 * most:
        return None
    rows = screening_rows(len(dataset), seed)
    told = np.random.default_rng(seed).random(len(names)) * 1e-9
    if len(rows):
        told += _told(dataset, rows)
    order = [names[place] for place in np.argsort(-told, kind="stable")]
    hinted = [name for name in names if hints(name)][:_MOST_HINTED]
    chosen = {*needed, *hinted, *order[:most]}
    return {
        "only": [name for name in names if name in chosen],
        "of": len(names),
        "rows": len(rows),
        "seed": seed,
    }


def screening_rows(count: int, seed: int) -> NDArray[np.intp]:
    """Return the rows that choose columns; none where there are too few."""
    size = int(count * _SHARE)
    if size < _FEWEST_ROWS:
        return np.arange(0)
    chosen = np.random.default_rng([seed, 11]).choice(count, size, replace=False)
    return np.sort(chosen)


def about_columns(place: Path, form: str) -> int:
    """Say about how many columns a file has, without parsing it."""
    try:
        with opened(place) as stream:
            if form == "parquet":
                return _parquet_columns(stream)
            line = stream.readline(_LINE)
    except OSError as error:
        raise DataError(f"{place} cannot be read: {error.strerror or error}") from error
    return 1 + max(line.count(sign) for sign in (b",", b";", b"\t", b"|"))


def _parquet_columns(stream: IO[bytes]) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.ParquetFile(stream).metadata.num_columns)
    except pa.ArrowException:
        return 1  # the reader will say what is wrong with the file


def _told(dataset: Dataset, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Correlate every column with the target, the largest over its classes."""
    wanted = _standard(_indicators(dataset, rows))
    frame = dataset.X.iloc[rows]
    kinds = [types.is_numeric_dtype(dtype) for dtype in frame.dtypes]
    numbers = np.flatnonzero(kinds)
    found = np.zeros(frame.shape[1])
    values = frame.iloc[:, numbers].to_numpy(dtype=float, na_value=np.nan)
    known = np.isfinite(values)
    means = np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    filled = np.where(known, values, means)
    found[numbers] = np.abs(_standard(filled).T @ wanted).max(axis=1) / len(rows)
    for place in np.flatnonzero(~np.array(kinds, dtype=bool)):
        found[place] = _of_levels(frame.iloc[:, place], wanted)
    return found


def _indicators(dataset: Dataset, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    if dataset.Y is not None:
        return dataset.Y.iloc[rows].to_numpy(dtype=float)
    target = dataset.y.iloc[rows]
    if dataset.task == "regression":
        return target.rank().to_numpy(dtype=float)[:, None]
    words = target.astype(str).to_numpy()
    labels = pd.Series(words).value_counts().index[:_MOST_CLASSES]
    return np.stack([words == label for label in labels], axis=1).astype(float)


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = values - values.mean(axis=0)
    spread = centred.std(axis=0)
    return centred / np.where(spread > 0, spread, np.inf)


def _of_levels(column: pd.Series, wanted: NDArray[np.float64]) -> float:
    """Root of the share of variance between levels, less what chance would give."""
    codes, levels = pd.factorize(column.astype(str), use_na_sentinel=False)
    rows, count = len(codes), len(levels)
    if count < 2 or count > rows / 2:
        return 0.0
    sums = np.zeros((count, wanted.shape[1]))
    np.add.at(sums, codes, wanted)
    between = (sums**2 / np.bincount(codes)[:, None]).sum(axis=0) / rows
    return float(np.sqrt(max(0.0, between.max() - (count - 1) / (rows - 1))))
