"""Numbers that somebody's network made of pictures, instead of their pixels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.datasets import Dataset, existing, from_frame, pictures_of, read_frame
from caveat.exceptions import InvalidInput, listing

_TARGET = "class"


def embedded(folder: str | Path, place: str | Path) -> Dataset:
    """Read embeddings of the pictures of a folder, with their classes.

    Parameters
    ----------
    folder : path
        Holds a folder of pictures per class.
    place : path
        A CSV or Parquet file of numbers with one column of words that names pictures
        (``cats/7.png``, or ``7.png`` where that is one picture only). Without such a
        column, or as an array (.npy): a row per picture, by class and then by name.
    """
    pictures = pictures_of(existing(folder))
    names = [f"{label}/{path.name}" for path, label in pictures]
    numbers = _numbers(existing(place), names)
    if not np.isfinite(numbers).all():
        raise InvalidInput(f"--embeddings {place}: some cells are no finite numbers")
    columns = [f"e{j}" for j in range(numbers.shape[1])]
    frame = pd.DataFrame(numbers, columns=columns)
    frame[_TARGET] = [label for _, label in pictures]
    kinds = dict.fromkeys(columns, "numerical")
    return from_frame(frame, _TARGET, name=Path(folder).name, kinds=kinds)


def _numbers(place: Path, names: Sequence[str]) -> NDArray[np.float64]:
    if place.suffix.lower() == ".npy":
        try:
            found = np.load(place, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise InvalidInput(
                f"--embeddings {place} is not an array: {error}"
            ) from error
        return _in_order(place, np.asarray(found), len(names))
    frame = read_frame(place)
    words = [c for c in frame if not pd.api.types.is_numeric_dtype(frame[c])]
    if len(words) > 1:
        raise InvalidInput(
            f"--embeddings {place}: {listing(words)} are not numbers; one column names "
            "the pictures, all others hold numbers"
        )
    if not words:
        return _in_order(place, frame.to_numpy(), len(names))
    rows = _by_name(place, [str(one) for one in frame[words[0]]], names)
    return _in_order(place, frame.drop(columns=words).to_numpy()[rows], len(names))


def _in_order(place: Path, found: NDArray, pictures: int) -> NDArray[np.float64]:
    if found.ndim != 2 or found.dtype.kind not in "biuf" or not found.shape[1]:
        raise InvalidInput(f"--embeddings {place} is not a table of numbers")
    if len(found) != pictures:
        raise InvalidInput(
            f"--embeddings {place} has {len(found):,} rows and the folder "
            f"{pictures:,} pictures"
        )
    return found.astype(np.float64)


def _by_name(place: Path, given: list[str], names: Sequence[str]) -> list[int]:
    """Find each picture's row: by class and name, or by name where it is the only."""
    short = [name.partition("/")[2] for name in names]
    row_of: dict[str, int] = {}
    for row, one in enumerate(given):
        parts = one.replace("\\", "/").rstrip("/").split("/")
        for key in {"/".join(parts[-2:]), parts[-1]}:
            # Two rows of one key: neither is meant.
            row_of[key] = -1 if key in row_of else row
    found = []
    for name, last in zip(names, short, strict=True):
        row = row_of.get(name, -1)
        if row < 0 and short.count(last) == 1:
            row = row_of.get(last, -1)
        if row < 0:
            raise InvalidInput(
                f"--embeddings {place} does not have one row for {name!r}; name every "
                "picture once, as class/file"
            )
        found.append(row)
    return found
