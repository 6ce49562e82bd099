"""Results that go into a record of a ledger, and come back."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Self, Union, get_args, get_origin, get_type_hints

import pandas as pd


class Recorded:
    """A frozen dataclass whose fields are plain values, tuples and small tables.

    The types of its fields say what JSON made of them: a table becomes a curve, a tuple
    a list.

    Attributes
    ----------
    _topic : str
        Begins the names of its curves.
    _first : str
        The table whose curve is called as the topic is, if there is one.
    _columns : tuple of (str, sequence of str)
        Tables that may be empty, and their columns: no row is there to name them.
    """

    _topic: ClassVar[str]
    _first: ClassVar[str] = ""
    _columns: ClassVar[tuple[tuple[str, Sequence[str]], ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        record = self.to_record()
        return {**record["row"], **record["curves"]}

    def to_record(self) -> dict[str, Any]:
        """Write it as a row and curves of a ledger."""
        row: dict[str, Any] = {}
        curves: dict[str, Any] = {}
        for name, kind in field_types(type(self)).items():
            value = getattr(self, name)
            if _is_table(kind):
                curves[self._curve(name)] = self._rows(value)
            else:
                row[name] = value
        return {"row": row, "curves": curves}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_record` wrote."""
        row: Mapping[str, Any] = record["row"]
        given: dict[str, Any] = {}
        for name, kind in field_types(cls).items():
            if _is_table(kind):
                found = cls._table(record["curves"].get(cls._curve(name), ()))
                given[name] = None if found.empty and kind != pd.DataFrame else found
            elif name in row:
                given[name] = made(kind, row[name])
        for name, columns in cls._columns:
            if given[name].empty:
                given[name] = pd.DataFrame([], columns=list(columns))
        return cls(**given)

    @classmethod
    def _curve(cls, name: str) -> str:
        return cls._topic if name == cls._first else f"{cls._topic}-{name}"

    @staticmethod
    def _rows(table: pd.DataFrame | None) -> Any:
        return [] if table is None else table.to_dict("records")

    @staticmethod
    def _table(rows: Any) -> pd.DataFrame:
        return pd.DataFrame(rows)


def field_types(cls: Any) -> dict[str, Any]:
    """Give the type of every field of a dataclass."""
    hints = get_type_hints(cls)
    return {one.name: hints[one.name] for one in fields(cls)}


def made(kind: Any, value: Any) -> Any:
    """Make what a field of a type held of what JSON made of it.

    Examples
    --------
    >>> made(tuple[str, ...], ["a", "b"]), made(tuple[int, ...] | None, None)
    (('a', 'b'), None)
    """
    if value is None:
        return None
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(one for one in get_args(kind) if one is not type(None))
    parts = get_args(kind)
    if get_origin(kind) is tuple:
        return tuple(made(parts[0], one) for one in value)
    if get_origin(kind) is Mapping:
        return {name: made(parts[1], one) for name, one in value.items()}
    if kind is pd.DataFrame:
        return pd.DataFrame(value)
    if hasattr(kind, "from_record"):
        return kind.from_record(value)
    return remade(kind, value) if is_dataclass(kind) else value


def remade(kind: Any, values: Mapping[str, Any]) -> Any:
    """Make a dataclass of what JSON made of its fields."""
    types_ = field_types(kind)
    return kind(**{name: made(types_[name], one) for name, one in values.items()})


def _is_table(kind: Any) -> bool:
    return pd.DataFrame in (kind, *get_args(kind))
