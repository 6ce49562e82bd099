"""A digest of what a data set holds, equal wherever and however it was loaded."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from caveat.datasets._dataset import Dataset


def content_digest(dataset: Dataset) -> str:
    """Digest names, values and targets of a data set.

    Numbers count as float64, whatever width they are stored in; text counts as
    UTF-8; every missing value counts alike. Names, source, licence and notes of the
    data set do not count.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    str : SHA-256 in hexadecimal.

    Examples
    --------
    >>> from caveat.datasets import load
    >>> content_digest(load("xor")) == content_digest(load("xor"))
    True
    """
    digest = hashlib.sha256(b"caveat content 1\n")
    _text(digest, [dataset.task, repr(dataset.image_shape)])
    for frame in (dataset.X, dataset.Y):
        if frame is not None:
            _text(digest, map(str, frame.columns))
            for position in range(frame.shape[1]):
                _column(digest, frame.iloc[:, position])
    if dataset.y is not None:
        _column(digest, dataset.y)
    if dataset.candidates is not None:
        digest.update(repr(dataset.candidates.shape).encode())
        digest.update(np.packbits(dataset.candidates).tobytes())
    _text(digest, map(str, dataset.classes))
    if dataset.n_test:
        _text(digest, ["test part", str(dataset.n_test)])
    return digest.hexdigest()


def _text(digest: Any, words: Any) -> None:
    for word in words:
        encoded = word.encode("utf-8", "surrogatepass")
        digest.update(f"{len(encoded)}:".encode() + encoded)
    digest.update(b";")


def _column(digest: Any, column: pd.Series) -> None:
    if types.is_numeric_dtype(column.dtype) or types.is_bool_dtype(column.dtype):
        digest.update(b"n")
        digest.update(_numbers(column).tobytes())
        return
    # Levels once, then a code per row: text that repeats is hashed once.
    codes, levels = pd.factorize(column.astype(object), sort=False)
    digest.update(b"t")
    digest.update(codes.astype("<i8").tobytes())
    _text(digest, (f"{type(level).__name__}:{level}" for level in levels))


def _numbers(column: pd.Series) -> NDArray[np.float64]:
    values = column.to_numpy(dtype="float64", na_value=np.nan).astype("<f8")
    values = np.where(np.isnan(values), np.nan, values) + 0.0  # one NaN, one zero
    return values.astype("<f8")
