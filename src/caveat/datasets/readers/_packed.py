"""Packed files, with an end: what unpacks to more than it may is refused."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from caveat._files import open_plain
from caveat.exceptions import DataError

MOST_BYTES = 4 * 2**30
MOST_RATIO = 200
_MAGIC = b"\x1f\x8b"
_BROKEN = (OSError, EOFError, zlib.error)


def unpacked(data: bytes, where: str, most: int = MOST_BYTES) -> bytes:
    """Unpack gzip data; other data is returned as it is.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.
    most : int
        How many bytes it may become; never more than 200 times what it has.

    Examples
    --------
    >>> unpacked(gzip.compress(b"abc"), "x.gz"), unpacked(b"abc", "x")
    (b'abc', b'abc')
    """
    if not data.startswith(_MAGIC):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            plain = stream.read(most_unpacked(len(data), most) + 1)
    except _BROKEN as error:
        raise DataError(f"{where} is not a whole gzip file: {error}") from error
    check_unpacked(len(plain), len(data), where, most)
    return plain


@contextmanager
def opened(place: Path) -> Iterator[io.BufferedReader[Any]]:
    """Open a file, through gzip where its name says so, to be read in blocks."""
    with open_plain(place) as stream:
        if place.suffix.lower() != ".gz":
            yield stream
            return
        raw = _Bounded(stream, str(place), place.stat().st_size)
        with io.BufferedReader(raw) as plain:
            yield plain


class _Bounded(io.RawIOBase):
    """What a gzip file unpacks to, as far as it may."""

    def __init__(self, stream: BinaryIO, where: str, packed: int) -> None:
        self._plain = gzip.GzipFile(fileobj=stream)
        self._where, self._packed, self._size = where, packed, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        try:
            count = self._plain.readinto(buffer)  # type: ignore[arg-type]
        except _BROKEN as error:
            raise DataError(
                f"{self._where} is not a whole gzip file: {error}"
            ) from error
        self._size += count
        check_unpacked(self._size, self._packed, self._where)
        return count


def most_unpacked(packed: int, most: int = MOST_BYTES) -> int:
    """Return how many bytes so many packed ones may become."""
    # A little is allowed in any case: a tar of small files is mostly padding.
    return min(most, MOST_RATIO * packed + 2**16)


def check_unpacked(size: int, packed: int, where: str, most: int = MOST_BYTES) -> None:
    """Refuse what becomes too large, or much larger than honest data does."""
    if size > most:
        raise DataError(f"{where} unpacks to more than {most} bytes; it is refused")
    if size > most_unpacked(packed, most):
        raise DataError(
            f"{where} unpacks to more than {MOST_RATIO} times its size; it is refused"
        )
