"""Results that go into a record of a ledger, and come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Self

import pandas as pd


class Recorded:
    """A frozen dataclass whose fields are plain values, tuples and small tables.

    Attributes
    ----------
    _topic : str
        Begins the names of its curves.
    _frames : tuple of str
        Fields that hold a table; each becomes a curve.
    _tuples : tuple of str
        Fields that are tuples: JSON makes lists of them.
    _columns : tuple of (str, sequence of str)
        Tables that may be empty, and their columns: no row is there to name them.
    """

    _topic: ClassVar[str]
    _frames: ClassVar[tuple[str, ...]]
    _tuples: ClassVar[tuple[str, ...]] = ("notes",)
    _columns: ClassVar[tuple[tuple[str, Sequence[str]], ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        record = self.to_record()
        return {**record["row"], **record["curves"]}

    def to_record(self) -> dict[str, Any]:
        """Write it as a row and curves of a ledger."""
        names = [one.name for one in fields(self)]  # type: ignore[arg-type]
        curves = {
            f"{self._topic}-{name}": getattr(self, name).to_dict("records")
            for name in self._frames
        }
        row = {name: getattr(self, name) for name in names if name not in self._frames}
        return {"row": row, "curves": curves}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """Read back what `to_record` wrote."""
        row = dict(record["row"])
        for name in cls._tuples:
            row[name] = None if row[name] is None else tuple(row[name])
        frames = {
            name: pd.DataFrame(record["curves"][f"{cls._topic}-{name}"])
            for name in cls._frames
        }
        for name, columns in cls._columns:
            if frames[name].empty:
                frames[name] = pd.DataFrame([], columns=list(columns))
        return cls(**row, **frames)
