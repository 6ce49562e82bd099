"""Some rows of a file that is too large to be read whole.

Rows are picked at random without looking at what they hold, in the order of the file.
A large text file is gone through twice in blocks: once to count its records, once to
take the picked ones; so memory holds the sample, never the file.
"""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from caveat._files import open_plain
from caveat.datasets.readers._packed import opened
from caveat.exceptions import DataError, InvalidInput

if TYPE_CHECKING:
    from caveat.datasets._dataset import Dataset

LARGE_BYTES = 2**20
_BLOCK = 16 * 2**20
_NEWLINE, _QUOTE, _RETURN = 10, 34, 13
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def check_sample(rows: object, seed: object) -> None:
    """Refuse a sample that cannot be meant."""
    for name, value, least in (("sample", rows, 2), ("sample_seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InvalidInput(
                f"{name} is {value!r}; use a whole number from {least} on"
            )


def picked_rows(count: int, rows: int, seed: int) -> NDArray[np.int64]:
    """Pick row numbers without repetition, ascending; all if there are no more.

    Examples
    --------
    >>> picked_rows(5, 9, 0).tolist(), len(picked_rows(1000, 10, 0))
    ([0, 1, 2, 3, 4], 10)
    """
    if count <= rows:
        return np.arange(count)
    chosen = np.random.default_rng(seed).choice(count, size=rows, replace=False)
    return np.sort(chosen)


def sampled_bytes(
    place: Path, form: str, rows: int, seed: int, *, header: bool
) -> tuple[bytes, int] | None:
    """Return a smaller file of the same format, and how many rows the whole one has.

    None where the file is small, or of a format that has to be read whole.
    """
    try:
        if place.stat().st_size < LARGE_BYTES and place.suffix.lower() != ".gz":
            return None
        if form == "parquet":
            return _parquet_sample(place, rows, seed)
        if form == "csv":
            return _text_sample(place, rows, seed, header)
    except OSError as error:
        raise DataError(f"{place} cannot be read: {error.strerror or error}") from error
    return None


def sampled_dataset(dataset: Dataset, rows: int, seed: int) -> tuple[Dataset, int]:
    """Take a sample of a data set that was read whole, and say how large it was."""
    count = len(dataset)
    if count <= rows:
        return dataset, count
    chosen = picked_rows(count, rows, seed)
    parts: dict[str, Any] = {
        name: part.iloc[chosen].reset_index(drop=True)
        for name, part in (("X", dataset.X), ("y", dataset.y), ("Y", dataset.Y))
        if part is not None
    }
    if dataset.candidates is not None:
        parts["candidates"] = dataset.candidates[chosen]
    return dataclasses.replace(dataset, **parts), count


def _parquet_sample(place: Path, rows: int, seed: int) -> tuple[bytes, int] | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open_plain(place) as stream:
            file = pq.ParquetFile(stream)
            count = file.metadata.num_rows
            if count <= rows:
                return None
            chosen, start, taken = picked_rows(count, rows, seed), 0, []
            for batch in file.iter_batches(batch_size=65_536):
                inside = chosen[(chosen >= start) & (chosen < start + batch.num_rows)]
                taken.append(batch.take(pa.array(inside - start)))
                start += batch.num_rows
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_batches(taken), sink)
    except pa.ArrowException:
        return None  # the reader will say what is wrong with the file
    return sink.getvalue().to_pybytes(), count


def _text_sample(
    place: Path, rows: int, seed: int, header: bool
) -> tuple[bytes, int] | None:
    with opened(place) as stream:
        if stream.read(2) in _WIDE_MARKS:
            return None
    count = sum(len(ends) for _, _, ends in _records(place)) - header
    if count <= rows:
        return None
    wanted = picked_rows(count, rows, seed) + header
    if header:
        wanted = np.concatenate([[0], wanted])
    out, seen = io.BytesIO(), 0
    for block, starts, ends in _records(place):
        inside = wanted[(wanted >= seen) & (wanted < seen + len(ends))] - seen
        for number in inside:
            out.write(block[starts[number] : ends[number]])
            out.write(b"\n")
        seen += len(ends)
    return out.getvalue(), count


def _records(
    place: Path,
) -> Iterator[tuple[bytes, NDArray[np.int64], NDArray[np.int64]]]:
    """Go through a text file in blocks of whole records: bytes, starts and ends.

    A line break ends a record where the number of quotes before it is even (RFC 4180);
    empty lines are no records.
    """
    with opened(place) as stream:
        rest = b""
        while True:
            new = stream.read(_BLOCK)
            block = rest + new
            if not block:
                return
            codes = np.frombuffer(block, dtype=np.uint8)
            breaks = np.flatnonzero(codes == _NEWLINE)
            quotes = np.flatnonzero(codes == _QUOTE)
            if len(quotes):
                breaks = breaks[np.searchsorted(quotes, breaks) % 2 == 0]
            if not new:
                rest = b""
                if not len(breaks) or breaks[-1] != len(block) - 1:
                    breaks = np.append(breaks, len(block))
            else:
                cut = int(breaks[-1]) + 1 if len(breaks) else 0
                rest = block[cut:]
            starts = np.concatenate([[0], breaks[:-1] + 1]) if len(breaks) else breaks
            ends = breaks - (codes[np.maximum(breaks - 1, 0)] == _RETURN)
            filled = ends > starts
            if len(breaks):
                yield block, starts[filled], ends[filled]
            if not new:
                return
