"""Data out of a pickle, without unpickling it.

A pickle is a program for a small stack machine. Most of its instructions build plain
data; a few import and call things, and those are why a pickle must never be loaded
from a stranger. This machine knows the first kind only: lists, tuples, dicts, sets,
numbers, text, True, False and None. At any other instruction it stops.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from caveat.exceptions import DataError

_FORBIDDEN = {
    b"c": "GLOBAL",
    b"\x93": "STACK_GLOBAL",
    b"R": "REDUCE",
    b"i": "INST",
    b"o": "OBJ",
    b"b": "BUILD",
    b"\x81": "NEWOBJ",
    b"\x92": "NEWOBJ_EX",
    b"P": "PERSID",
    b"Q": "BINPERSID",
    b"\x82": "EXT1",
    b"\x83": "EXT2",
    b"\x84": "EXT4",
    b"\x97": "NEXT_BUFFER",
}
_MARK = object()


def read_plain_pickle(data: bytes, where: str) -> Any:
    """Read a pickle that holds nothing but plain containers, numbers and text.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.

    Raises
    ------
    DataError
        At the first instruction that imports, calls or builds anything else.

    Examples
    --------
    >>> import pickle
    >>> read_plain_pickle(pickle.dumps({0: [[1, 2], [3]]}), "x.pkl")
    {0: [[1, 2], [3]]}
    >>> read_plain_pickle(pickle.dumps(print), "x.pkl")
    Traceback (most recent call last):
    ...
    caveat.exceptions.DataError: x.pkl, byte ...: STACK_GLOBAL would import code; ...
    """
    machine = _Machine(data, where)
    try:
        return machine.run()
    except (IndexError, KeyError, struct.error, ValueError, TypeError) as error:
        raise DataError(
            f"{where}, byte {machine.place}: not a whole pickle of plain data "
            f"({type(error).__name__})"
        ) from error


class _Machine:
    """The part of the pickle machine that builds plain data."""

    def __init__(self, data: bytes, where: str) -> None:
        self.data = data
        self.where = where
        self.place = 0
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def run(self) -> Any:
        data, handlers, stack = self.data, _HANDLERS, self.stack
        while True:
            code = data[self.place]
            self.place += 1
            if code == 0x2E:  # STOP
                if stack[-1] is _MARK:
                    raise ValueError("nothing was built")
                return stack[-1]
            handler = handlers[code]
            if handler is None:
                self.refuse(bytes([code]))
            else:
                handler(self)

    def refuse(self, code: bytes) -> None:
        name = _FORBIDDEN.get(code)
        what = f"{name} would import code or call it" if name else "unknown instruction"
        if name in ("GLOBAL", "STACK_GLOBAL", "INST"):
            what = f"{name} would import code"
        raise DataError(
            f"{self.where}, byte {self.place - 1}: {what}; only lists, tuples, dicts, "
            "numbers and text are admitted"
        )

    def take(self, count: int) -> bytes:
        """Take the next bytes of the program."""
        end = self.place + count
        if count < 0 or end > len(self.data):
            raise IndexError("the file ends here")
        chunk = self.data[self.place : end]
        self.place = end
        return chunk

    def line(self) -> bytes:
        """Take the bytes up to the end of the line."""
        end = self.data.index(b"\n", self.place)
        chunk = self.data[self.place : end]
        self.place = end + 1
        return chunk

    def number(self, form: str) -> int:
        """Take a number of the program."""
        return int(struct.unpack(form, self.take(struct.calcsize(form)))[0])

    def above_mark(self) -> list[Any]:
        """Take everything above the last mark off the stack."""
        stack = self.stack
        place = len(stack) - 1
        while stack[place] is not _MARK:
            place -= 1
            if place < 0:
                raise IndexError("no mark")
        items = stack[place + 1 :]
        del stack[place:]
        return items


def _push(make: Callable[[_Machine], Any]) -> Callable[[_Machine], None]:
    def handler(machine: _Machine) -> None:
        machine.stack.append(make(machine))

    return handler


def _pairs(items: list[Any]) -> dict[Any, Any]:
    return dict(zip(items[::2], items[1::2], strict=True))


def _kind(machine: _Machine, kind: type) -> Any:
    top = machine.stack[-1]
    if type(top) is not kind:
        raise TypeError(f"expected a {kind.__name__}")
    return top


def _append(machine: _Machine) -> None:
    item = machine.stack.pop()
    _kind(machine, list).append(item)


def _appends(machine: _Machine) -> None:
    items = machine.above_mark()
    _kind(machine, list).extend(items)


def _setitem(machine: _Machine) -> None:
    value, key = machine.stack.pop(), machine.stack.pop()
    _kind(machine, dict)[key] = value


def _setitems(machine: _Machine) -> None:
    items = machine.above_mark()
    _kind(machine, dict).update(_pairs(items))


def _additems(machine: _Machine) -> None:
    items = machine.above_mark()
    _kind(machine, set).update(items)


def _tuple_of(count: int) -> Callable[[_Machine], None]:
    def handler(machine: _Machine) -> None:
        if len(machine.stack) < count:
            raise IndexError("the stack is empty")
        items = tuple(machine.stack[-count:])
        del machine.stack[-count:]
        machine.stack.append(items)

    return handler


def _long(machine: _Machine, form: str) -> int:
    return int.from_bytes(machine.take(machine.number(form)), "little", signed=True)


def _text(machine: _Machine, form: str) -> str:
    return machine.take(machine.number(form)).decode("utf-8", "surrogatepass")


def _decimal(machine: _Machine) -> Any:
    written = machine.line().rstrip(b"L")
    if written in (b"00", b"01"):  # how protocol 0 writes False and True
        return written == b"01"
    return int(written)


def _quoted(machine: _Machine) -> str:
    written = machine.line()
    if len(written) < 2 or written[0] != written[-1] or b"\\" in written:
        raise ValueError("text of a form that is not admitted")
    return written[1:-1].decode("latin-1")


def _put(form: str) -> Callable[[_Machine], None]:
    def handler(machine: _Machine) -> None:
        machine.memo[machine.number(form)] = machine.stack[-1]

    return handler


def _memoize(machine: _Machine) -> None:
    machine.memo[len(machine.memo)] = machine.stack[-1]


def _put_text(machine: _Machine) -> None:
    machine.memo[int(machine.line())] = machine.stack[-1]


def _pop(machine: _Machine) -> None:
    machine.stack.pop()


def _pop_mark(machine: _Machine) -> None:
    machine.above_mark()


def _skip(count: int) -> Callable[[_Machine], None]:
    def handler(machine: _Machine) -> None:
        machine.take(count)

    return handler


_CODES: dict[bytes, Callable[[_Machine], None]] = {
    b"\x80": _skip(1),  # PROTO
    b"\x95": _skip(8),  # FRAME
    b"(": _push(lambda m: _MARK),
    b"0": _pop,
    b"1": _pop_mark,
    b"2": _push(lambda m: m.stack[-1]),
    b"N": _push(lambda m: None),
    b"\x88": _push(lambda m: True),
    b"\x89": _push(lambda m: False),
    b"I": _push(_decimal),
    b"L": _push(_decimal),
    b"K": _push(lambda m: m.take(1)[0]),
    b"M": _push(lambda m: m.number("<H")),
    b"J": _push(lambda m: m.number("<i")),
    b"\x8a": _push(lambda m: _long(m, "<B")),
    b"\x8b": _push(lambda m: _long(m, "<i")),
    b"F": _push(lambda m: float(m.line())),
    b"G": _push(lambda m: struct.unpack(">d", m.take(8))[0]),
    b"V": _push(lambda m: m.line().decode("raw-unicode-escape")),
    b"\x8c": _push(lambda m: _text(m, "<B")),
    b"X": _push(lambda m: _text(m, "<I")),
    b"\x8d": _push(lambda m: _text(m, "<Q")),
    b"S": _push(_quoted),
    b"U": _push(lambda m: m.take(m.number("<B")).decode("latin-1")),
    b"T": _push(lambda m: m.take(m.number("<i")).decode("latin-1")),
    b"]": _push(lambda m: []),
    b"l": _push(lambda m: m.above_mark()),
    b"a": _append,
    b"e": _appends,
    b")": _push(lambda m: ()),
    b"t": _push(lambda m: tuple(m.above_mark())),
    b"\x85": _tuple_of(1),
    b"\x86": _tuple_of(2),
    b"\x87": _tuple_of(3),
    b"}": _push(lambda m: {}),
    b"d": _push(lambda m: _pairs(m.above_mark())),
    b"s": _setitem,
    b"u": _setitems,
    b"\x8f": _push(lambda m: set()),
    b"\x90": _additems,
    b"q": _put("<B"),
    b"r": _put("<I"),
    b"p": _put_text,
    b"\x94": _memoize,
    b"h": _push(lambda m: m.memo[m.take(1)[0]]),
    b"j": _push(lambda m: m.memo[m.number("<I")]),
    b"g": _push(lambda m: m.memo[int(m.line())]),
}
_HANDLERS = [_CODES.get(bytes([code])) for code in range(256)]
