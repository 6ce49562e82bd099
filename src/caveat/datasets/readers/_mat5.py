"""MATLAB's binary format, level 5: numbers, text and sparse matrices, nothing else.

A broken file can crash the interpreter inside of the usual reader (a flipped byte is
enough). Every length and index is checked here before it is used.

References
----------
.. [1] The MathWorks. MAT-file format (level 5): header, data elements, arrays.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

MOST_BYTES = 4 * 2**30
_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_NUMBERS = {
    1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8",
    13: "u8",
}  # fmt: skip
_TEXT = {
    4: "utf-16",
    16: "utf-8",
    17: "utf-16",
    18: "utf-32",
    2: "latin-1",
    1: "latin-1",
}
_CLASSES = {
    1: "cell", 2: "struct", 3: "object", 4: "char", 5: "sparse", 6: "double",
    7: "single", 8: "int8", 9: "uint8", 10: "int16", 11: "uint16", 12: "int32",
    13: "uint32", 14: "int64", 15: "uint64", 16: "function", 17: "opaque",
}  # fmt: skip
_COMPLEX, _LOGICAL = 0x0800, 0x0200


class BrokenMat(ValueError):
    """A file that does not keep to the format."""


@dataclass(frozen=True)
class Variable:
    """A variable of the file; its values are unpacked on demand."""

    name: str
    kind: str
    shape: tuple[int, ...]
    flags: int
    order: str  # "<" or ">"
    payload: memoryview

    def values(self) -> Any:
        """Unpack numbers, text or a sparse matrix."""
        if self.flags & _COMPLEX:
            raise BrokenMat(f"variable {self.name!r} holds complex numbers")
        parts = _elements(self.payload, self.order)
        if self.kind == "sparse":
            return self._sparse(parts)
        if self.kind == "char":
            kind, data = next(parts, (0, memoryview(b"")))
            return _text(kind, data, self.order)
        numbers = _numbers(next(parts, None), self.order)
        if len(numbers) != math.prod(self.shape):
            raise BrokenMat(
                f"variable {self.name!r} has {len(numbers)} values for the shape "
                f"{self.shape}"
            )
        # Doubles that are whole are stored in fewer bytes; they stay so small.
        native = bool if self.flags & _LOGICAL else numbers.dtype.newbyteorder("=")
        return numbers.astype(native).reshape(self.shape, order="F")

    def _sparse(self, parts: Iterator[tuple[int, memoryview]]) -> sparse.csc_array:
        rows = _numbers(next(parts, None), self.order)
        ends = _numbers(next(parts, None), self.order)
        values = _numbers(next(parts, None), self.order)
        if len(self.shape) != 2 or len(ends) != self.shape[1] + 1:
            raise BrokenMat(f"sparse variable {self.name!r} has broken columns")
        count = int(ends[-1])
        steps = np.diff(ends.astype(np.int64))
        if ends[0] != 0 or (steps < 0).any() or count > min(len(rows), len(values)):
            raise BrokenMat(f"sparse variable {self.name!r} has broken columns")
        rows, values = rows[:count].astype(np.int64), values[:count]
        if count and (rows.min() < 0 or rows.max() >= self.shape[0]):
            raise BrokenMat(f"sparse variable {self.name!r} has rows that do not exist")
        cells = (values.astype(np.float64), rows, ends.astype(np.int64))
        return sparse.csc_array(cells, shape=self.shape)


def variables(data: bytes) -> Iterator[Variable]:
    """Yield the variables of a file, or raise `BrokenMat`."""
    if len(data) < _HEADER:
        raise BrokenMat("the header is cut short")
    mark = data[126:128]
    if mark not in (b"IM", b"MI"):
        raise BrokenMat("the header is not that of a level 5 file")
    order = "<" if mark == b"IM" else ">"
    left = MOST_BYTES
    for kind, content in _elements(memoryview(data)[_HEADER:], order):
        if kind == _COMPRESSED:
            plain = _unpacked(content, left)
            left -= len(plain)
            inner = list(_elements(memoryview(plain), order))
            if len(inner) != 1:
                raise BrokenMat("a packed element does not hold exactly one variable")
            kind, content = inner[0]
        if kind != _MATRIX:
            raise BrokenMat(f"an element is of type {kind}, not a variable")
        yield _variable(content, order)


def _variable(content: memoryview, order: str) -> Variable:
    parts = _elements(content, order)
    flags = _numbers(next(parts, None), order)
    shape = _numbers(next(parts, None), order)
    _, name = next(parts, (0, None))
    if name is None or len(flags) < 1 or len(shape) < 2 or (shape < 0).any():
        raise BrokenMat("a variable has a broken head")
    place = _place_after(content, order, 3)
    return Variable(
        name=bytes(name).decode("latin-1"),
        kind=_CLASSES.get(int(flags[0]) & 0xFF, "unknown"),
        shape=tuple(int(side) for side in shape),
        flags=int(flags[0]),
        order=order,
        payload=content[place:],
    )


def _tag(data: memoryview, place: int, order: str) -> tuple[int, int, int]:
    """Read a tag: type, where its data begin, how many bytes they are."""
    if place + 8 > len(data):
        raise BrokenMat("the file ends inside of a tag")
    first, second = struct.unpack_from(f"{order}II", data, place)
    if first >> 16:  # four bytes or less stand in the tag itself
        kind, size, start = first & 0xFFFF, first >> 16, place + 4
        if size > 4:
            raise BrokenMat("a small element claims more than four bytes")
    else:
        kind, size, start = first, second, place + 8
    if start + size > len(data):
        raise BrokenMat("the file ends inside of an element")
    return kind, start, size


def _next_place(kind: int, start: int, size: int, place: int) -> int:
    if start == place + 4:
        return place + 8
    end = start + size
    return end if kind == _COMPRESSED else end + (-size) % 8


def _elements(data: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    place = 0
    while place < len(data):
        kind, start, size = _tag(data, place, order)
        yield kind, data[start : start + size]
        place = _next_place(kind, start, size, place)


def _place_after(data: memoryview, order: str, count: int) -> int:
    place = 0
    for _ in range(count):
        kind, start, size = _tag(data, place, order)
        place = _next_place(kind, start, size, place)
    return place


def _numbers(element: tuple[int, memoryview] | None, order: str) -> NDArray[Any]:
    if element is None:
        raise BrokenMat("values are missing")
    kind, data = element
    if kind not in _NUMBERS:
        raise BrokenMat(f"values are of type {kind}, which holds no numbers")
    dtype = np.dtype(order + _NUMBERS[kind])
    if len(data) % dtype.itemsize:
        raise BrokenMat("values end in the middle of a number")
    return np.frombuffer(data, dtype)


def _text(kind: int, data: memoryview, order: str) -> NDArray[np.str_]:
    encoding = _TEXT.get(kind)
    if encoding is None:
        raise BrokenMat(f"text is of type {kind}")
    if encoding in ("utf-16", "utf-32"):
        encoding += "-le" if order == "<" else "-be"
    return np.array([bytes(data).decode(encoding, "replace")])


def _unpacked(content: memoryview, most: int) -> bytes:
    machine = zlib.decompressobj()
    try:
        plain = machine.decompress(content, most)
    except zlib.error as error:
        raise BrokenMat(f"a packed element is broken: {error}") from error
    if not machine.eof:
        raise BrokenMat("a packed element is cut short, or too large")
    return plain
