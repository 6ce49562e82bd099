"""Data out of a pickle, without unpickling it.

A pickle is a program for a small stack machine. Most of its instructions build plain
data; a few import and call things, and those are why a pickle must never be loaded
from a stranger. The standard library's `pickletools` takes the program apart without
running it; this machine runs the first kind only: lists, tuples, dicts, sets, numbers,
text, True, False and None. At any other instruction it stops.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from typing import Any

from caveat.exceptions import DataError

_IMPORTS = ("GLOBAL", "STACK_GLOBAL", "INST")
_CALLS = (
    "REDUCE", "OBJ", "BUILD", "NEWOBJ", "NEWOBJ_EX", "PERSID", "BINPERSID", "EXT1",
    "EXT2", "EXT4", "NEXT_BUFFER",
)  # fmt: skip
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
    machine = _Machine()
    place = 0
    try:
        for code, argument, at in pickletools.genops(data):
            place = at or 0
            step = _STEPS.get(code.name)
            if step is None:
                raise DataError(
                    f"{where}, byte {place}: {_reason(code.name)}; only lists, tuples, "
                    "dicts, numbers and text are admitted"
                )
            step(machine, argument)
        return machine.result()
    except (IndexError, KeyError, ValueError, TypeError, OverflowError) as error:
        raise DataError(
            f"{where}, byte {place}: not a whole pickle of plain data "
            f"({type(error).__name__})"
        ) from error


def _reason(name: str) -> str:
    if name in _IMPORTS:
        return f"{name} would import code"
    return f"{name} would import code or call it" if name in _CALLS else name


class _Machine:
    """The part of the pickle machine that builds plain data."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def result(self) -> Any:
        if self.stack[-1] is _MARK:
            raise ValueError("nothing was built")
        return self.stack[-1]

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

    def last(self, count: int) -> tuple[Any, ...]:
        """Take some items off the stack."""
        if len(self.stack) < count:
            raise IndexError("the stack is empty")
        items = tuple(self.stack[-count:])
        del self.stack[-count:]
        return items

    def top(self, kind: type) -> Any:
        if type(self.stack[-1]) is not kind:
            raise TypeError(f"expected a {kind.__name__}")
        return self.stack[-1]


def _pop_mark(machine: _Machine, _: Any) -> None:
    machine.above_mark()


def _append(machine: _Machine, _: Any) -> None:
    item = machine.stack.pop()
    machine.top(list).append(item)


def _appends(machine: _Machine, _: Any) -> None:
    items = machine.above_mark()
    machine.top(list).extend(items)


def _setitem(machine: _Machine, _: Any) -> None:
    key, value = machine.last(2)
    machine.top(dict)[key] = value


def _setitems(machine: _Machine, _: Any) -> None:
    items = machine.above_mark()
    machine.top(dict).update(_pairs(items))


def _additems(machine: _Machine, _: Any) -> None:
    items = machine.above_mark()
    machine.top(set).update(items)


def _pairs(items: list[Any]) -> dict[Any, Any]:
    return dict(zip(items[::2], items[1::2], strict=True))


def _put(machine: _Machine, number: Any) -> None:
    place = len(machine.memo) if number is None else number
    machine.memo[place] = machine.stack[-1]


def _push(make: Callable[[_Machine, Any], Any]) -> Callable[[_Machine, Any], None]:
    def step(machine: _Machine, argument: Any) -> None:
        machine.stack.append(make(machine, argument))

    return step


def _skip(machine: _Machine, _: Any) -> None:
    pass


_ARGUMENTS = (
    "INT", "LONG", "BININT", "BININT1", "BININT2", "LONG1", "LONG4", "FLOAT",
    "BINFLOAT", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "STRING",
    "SHORT_BINSTRING", "BINSTRING",
)  # fmt: skip
_STEPS: dict[str, Callable[[_Machine, Any], None]] = {
    **dict.fromkeys(("PROTO", "FRAME", "STOP"), _skip),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"), _put),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), _push(lambda m, a: m.memo[a])),
    **dict.fromkeys(_ARGUMENTS, _push(lambda m, a: a)),
    "MARK": _push(lambda m, a: _MARK),
    "POP": lambda m, a: m.stack.pop(),
    "POP_MARK": _pop_mark,
    "DUP": _push(lambda m, a: m.stack[-1]),
    "NONE": _push(lambda m, a: None),
    "NEWTRUE": _push(lambda m, a: True),
    "NEWFALSE": _push(lambda m, a: False),
    "EMPTY_LIST": _push(lambda m, a: []),
    "LIST": _push(lambda m, a: m.above_mark()),
    "APPEND": _append,
    "APPENDS": _appends,
    "EMPTY_TUPLE": _push(lambda m, a: ()),
    "TUPLE": _push(lambda m, a: tuple(m.above_mark())),
    "TUPLE1": _push(lambda m, a: m.last(1)),
    "TUPLE2": _push(lambda m, a: m.last(2)),
    "TUPLE3": _push(lambda m, a: m.last(3)),
    "EMPTY_DICT": _push(lambda m, a: {}),
    "DICT": _push(lambda m, a: _pairs(m.above_mark())),
    "SETITEM": _setitem,
    "SETITEMS": _setitems,
    "EMPTY_SET": _push(lambda m, a: set()),
    "ADDITEMS": _additems,
}
