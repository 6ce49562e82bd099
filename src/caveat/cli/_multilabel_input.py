"""What `caveat multilabel` reads: a table with label columns, and a model's scores."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from caveat.datasets import Dataset, read
from caveat.datasets._files import bytes_of, existing, find_format
from caveat.datasets.readers._arff import read_arff
from caveat.datasets.readers._arrays import read_arrays
from caveat.datasets.readers._csv import read_csv
from caveat.datasets.readers._packed import unpacked
from caveat.datasets.readers._parquet import read_parquet
from caveat.exceptions import InvalidInput, UnknownName, listing


def read_labels(
    file: str, targets: str | None, prefix: str | None, drop: tuple[str, ...]
) -> Dataset:
    """Read the file; its labels are listed, share a prefix, or name themselves."""
    if targets is not None and prefix is not None:
        raise InvalidInput("--targets and --targets-prefix were both given; use one")
    chosen = None if targets is None else words("--targets", targets)
    if prefix is not None:
        columns = _column_names(file)
        chosen = [name for name in columns if name.startswith(prefix)]
        if not chosen:
            raise InvalidInput(
                f"--targets-prefix: no column of {Path(file).name} begins with "
                f"{prefix!r}; there are {listing(columns, 5)}"
            )
    dataset = read(file, targets=chosen, drop=drop)
    if dataset.task != "multilabel":
        raise InvalidInput(
            f"{Path(file).name} does not say which columns are labels; add --targets "
            "A,B,C or --targets-prefix P"
        )
    if dataset.Y.shape[1] < 2:
        raise InvalidInput(
            f"{Path(file).name} has one label, {str(dataset.Y.columns[0])!r}, and most "
            "measures compare the labels of a row; name two or more, or judge one with "
            "caveat audit --target"
        )
    return dataset


def _column_names(file: str) -> list[str]:
    """List the columns of a table without choosing a target."""
    path = existing(file)
    form, data = find_format(path), bytes_of(path)
    if form == "csv":
        frame, _ = read_csv(unpacked(data, str(path)), str(path))
    elif form == "parquet":
        frame = read_parquet(data, str(path))
    elif form == "arff":
        frame = read_arff(data, str(path)).frame()
    else:
        raise InvalidInput(
            f"--targets-prefix: {path.name} is no table with named columns"
        )
    return [str(name) for name in frame.columns]


def words(option: str, text: str) -> list[str]:
    """Split a list with commas; a name that is there twice is refused."""
    found = Counter(word.strip() for word in text.split(",") if word.strip())
    if not found:
        raise InvalidInput(f"{option} is empty; write names with commas between them")
    doubled = [word for word, times in found.items() if times > 1]
    if doubled:
        raise InvalidInput(f"{option} names {listing(doubled)} twice; name each once")
    return list(found)


def read_matrix(option: str, file: str, dataset: Dataset) -> Any:
    """Read a matrix with a column per label: by name, or by position from npy."""
    path = existing(file)
    form, data, where = find_format(path), bytes_of(path), str(path)
    labels = [str(name) for name in dataset.Y.columns]
    if form == "npz":
        arrays = list(read_arrays(data, where).values())
        if len(arrays) != 1:
            raise InvalidInput(
                f"{option}: {path.name} holds {len(arrays)} arrays; write one of shape "
                f"{dataset.Y.shape}, rows by labels"
            )
        values = np.asarray(arrays[0])
        if values.shape != dataset.Y.shape:
            turned = " (transposed?)" if values.shape == dataset.Y.shape[::-1] else ""
            raise InvalidInput(
                f"{option}: {path.name} holds an array of shape {values.shape}, the "
                f"data need {dataset.Y.shape}, rows by labels{turned}"
            )
        return values
    if form not in ("csv", "parquet"):
        raise InvalidInput(f"{option}: {path.name} is neither CSV, Parquet nor npy")
    frame = (
        read_csv(unpacked(data, where), where)[0]
        if form == "csv"
        else read_parquet(data, where)
    )
    frame.columns = [str(name) for name in frame.columns]
    missing = [name for name in labels if name not in frame.columns]
    if missing:
        known = UnknownName.among("column", missing[0], frame.columns)
        raise InvalidInput(
            f"{option}: {path.name} lacks {len(missing)} of {len(labels)} labels; "
            f"{known}"
        )
    if len(frame) != len(dataset.Y):
        raise InvalidInput(
            f"{option}: {path.name} has {len(frame):,} rows and the data have "
            f"{len(dataset.Y):,}; one row per row is needed"
        )
    return frame[labels].to_numpy()
