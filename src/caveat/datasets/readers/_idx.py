"""IDX files, the format of MNIST: a small header, then numbers, big-endian."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.datasets.readers._packed import unpacked
from caveat.exceptions import DataError

_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


def read_idx(data: bytes, where: str) -> NDArray[Any]:
    """Read an IDX file, packed by gzip or not.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.

    Returns
    -------
    array in the machine's own byte order, of the shape that the header states.
    """
    plain = unpacked(data, where)
    if len(plain) < 4 or plain[:2] != b"\0\0" or plain[2] not in _TYPES:
        raise DataError(
            f"{where} is not an IDX file: it begins with "
            f"{plain[:4].hex(' ') or 'nothing'}"
        )
    dtype = np.dtype(_TYPES[plain[2]])
    dimensions = plain[3]
    start = 4 + 4 * dimensions
    if not dimensions or len(plain) < start:
        raise DataError(f"{where} is cut short in its header")
    shape = tuple(int(n) for n in np.frombuffer(plain, ">u4", dimensions, 4))
    wanted = start + int(np.prod(shape, dtype=object)) * dtype.itemsize
    if len(plain) != wanted:
        raise DataError(
            f"{where} has {len(plain)} bytes, but its header {shape} asks for {wanted}"
        )
    values = np.frombuffer(plain, dtype, offset=start).reshape(shape)
    return values.astype(dtype.newbyteorder("="))


def pixel_names(height: int, width: int, channels: str = "") -> list[str]:
    """Name the columns of an image set, row by row, channels last.

    Examples
    --------
    >>> pixel_names(1, 2), pixel_names(1, 1, "rgb")
    (['r0c0', 'r0c1'], ['r0c0-r', 'r0c0-g', 'r0c0-b'])
    """
    places = [f"r{row}c{column}" for row in range(height) for column in range(width)]
    if not channels:
        return places
    return [f"{place}-{channel}" for place in places for channel in channels]
