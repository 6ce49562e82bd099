"""Gzip, with an end: what unpacks to more than it may is refused."""

from __future__ import annotations

import gzip
import io
import zlib

from caveat.exceptions import DataError

MOST_BYTES = 4 * 2**30
_MAGIC = b"\x1f\x8b"


def unpacked(data: bytes, where: str, most: int = MOST_BYTES) -> bytes:
    """Unpack gzip data; other data is returned as it is.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.
    most : int
        How many bytes it may become.

    Examples
    --------
    >>> unpacked(gzip.compress(b"abc"), "x.gz"), unpacked(b"abc", "x")
    (b'abc', b'abc')
    """
    if not data.startswith(_MAGIC):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            plain = stream.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{where} is not a whole gzip file: {error}") from error
    if len(plain) > most:
        raise DataError(f"{where} unpacks to more than {most} bytes; it is refused")
    return plain
