"""ARFF files, dense or sparse, as Weka, MULAN, MEKA and OpenML write them."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.datasets.readers._arff_header import (
    ArffHeader,
    Attribute,
    read_header,
    tokens,
)
from caveat.datasets.readers._packed import unpacked
from caveat.datasets.readers._text import as_utf8
from caveat.exceptions import DataError, listing

_MOST_CELLS = 10**9
_PAIR = re.compile(r"(\d+)[ \t]+(.*)", re.DOTALL)


@dataclass(frozen=True)
class ArffTable:
    """An ARFF file: its declarations, and a column per attribute.

    Numbers are float64 (NaN: missing), levels are codes of the declared list (-1:
    missing), text is an object array (None: missing).
    """

    header: ArffHeader
    columns: tuple[NDArray, ...]
    notes: tuple[str, ...]

    def frame(self, positions: Collection[int] | None = None) -> pd.DataFrame:
        """Give the attributes as a table; two of one name get a number.

        Levels 0 and 1 become whole numbers, false and true become truth values, other
        levels become text.
        """
        chosen = range(len(self.columns)) if positions is None else positions
        names: dict[str, int] = {}
        table = {}
        for place in chosen:
            name = self.header.attributes[place].name
            names[name] = names.get(name, 0) + 1
            label = name if names[name] == 1 else f"{name} #{names[name]}"
            table[label] = _typed(self.header.attributes[place], self.columns[place])
        return pd.DataFrame(table)

    def kinds(self) -> dict[str, str]:
        """Say which attributes are truth values although they look like numbers."""
        return {
            attribute.name: "boolean"
            for attribute in self.header.attributes
            if attribute.kind == "nominal" and set(attribute.levels) <= {"0", "1"}
        }


def read_arff(data: bytes, where: str, *, drop: Collection[str] = ()) -> ArffTable:
    """Read an ARFF file, packed by gzip or not.

    A row is sparse if it stands in braces; what it leaves out is 0 or, for levels,
    the first one that was declared.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.
    drop : collection of str
        Attributes to leave out; dates and relations can only be left out.
    """
    clean, notes = as_utf8(unpacked(data, where), where)
    lines = iter(enumerate(io.StringIO(clean.decode(), newline=None), start=1))
    header = read_header(lines, where)
    for attribute in header.attributes:
        if attribute.kind in ("date", "relational") and attribute.name not in drop:
            raise DataError(
                f"{where}: attribute {attribute.name!r} is of type {attribute.kind}, "
                "which cannot be a feature; leave it out with drop="
            )
    columns = _Columns(header, where)
    for number, row in lines:
        line = row.strip()
        if line and not line.startswith("%"):
            columns.add(line, number)
    if not columns.rows:
        raise DataError(f"{where} has no rows after @data")
    kept = [a.name not in drop for a in header.attributes]
    chosen = [a for a, keep in zip(header.attributes, kept, strict=True) if keep]
    values = [v for v, keep in zip(columns.arrays(), kept, strict=True) if keep]
    return ArffTable(
        ArffHeader(header.relation, tuple(chosen)), tuple(values), tuple(notes)
    )


class _Columns:
    """Rows on their way to columns."""

    def __init__(self, header: ArffHeader, where: str) -> None:
        self.attributes = header.attributes
        self.where = where
        self.rows = 0
        self.words: dict[str, int] = {}  # all text of the file, numbered
        self.codes = [
            {level: code for code, level in enumerate(a.levels)}
            for a in self.attributes
        ]
        # What a sparse row leaves out: 0, or the first level.
        self.default = np.zeros(len(self.attributes))
        self.blocks: list[NDArray[np.float64]] = []

    def add(self, line: str, number: int) -> None:
        place = f"{self.where}, line {number}"
        self.rows += 1
        if self.rows * len(self.attributes) > _MOST_CELLS:
            raise DataError(
                f"{self.where} has more than {_MOST_CELLS:,} cells; cut it into parts"
            )
        row = self._sparse(line, place) if line[0] == "{" else self._dense(line, place)
        self.blocks.append(row)

    def _dense(self, line: str, place: str) -> NDArray[np.float64]:
        if "'" in line or '"' in line:
            cells = tokens(line, place)
        else:
            cells = [None if c == "?" else c for c in map(str.strip, line.split(","))]
        if len(cells) > len(self.attributes) and (cells[-1] or "").startswith("{"):
            cells.pop()  # the weight of an instance
        if len(cells) != len(self.attributes):
            raise DataError(
                f"{place}: found {len(cells)} values, expected {len(self.attributes)} "
                f"(the last read belongs to attribute "
                f"{self.attributes[min(len(cells), len(self.attributes)) - 1].name!r})"
            )
        try:
            # The common case, all numbers: one conversion for the whole row.
            if all(a.kind == "numeric" for a in self.attributes):
                return np.array(cells, dtype=np.float64)
        except (ValueError, TypeError):
            pass
        return np.array(
            [self._value(j, cell, place) for j, cell in enumerate(cells)], dtype=float
        )

    def _sparse(self, line: str, place: str) -> NDArray[np.float64]:
        inner, end, rest = line[1:].rpartition("}")
        if not end or (rest.strip() and not rest.strip().startswith(",")):
            raise DataError(f"{place}: the sparse row is not closed by a brace")
        row = self.default.copy()
        last = -1
        for piece in _pieces(inner, place):
            found = _PAIR.fullmatch(piece)
            if not found:
                raise DataError(
                    f"{place}: expected 'index value', found {piece[:30]!r}"
                )
            j = int(found.group(1))
            if j >= len(self.attributes):
                raise DataError(
                    f"{place}: attribute number {j}, but there are "
                    f"{len(self.attributes)}, counted from 0"
                )
            if j <= last:
                raise DataError(
                    f"{place}: attribute {self.attributes[j].name!r} (number {j}) is "
                    "not in ascending order, or twice there"
                )
            last = j
            row[j] = self._value(j, tokens(found.group(2), place)[0], place)
        return row

    def _value(self, j: int, cell: str | None, place: str) -> float:
        if cell is None:
            return np.nan
        attribute = self.attributes[j]
        if attribute.kind == "nominal":
            code = self.codes[j].get(cell)
            if code is None:
                raise DataError(
                    f"{place}: attribute {attribute.name!r} has the value {cell!r}, "
                    f"which is not declared; declared are {listing(attribute.levels)}"
                )
            return code
        if attribute.kind in ("numeric", "integer"):
            try:
                return float(cell)
            except ValueError:
                raise DataError(
                    f"{place}: attribute {attribute.name!r} has the value {cell!r}, "
                    "which is not a number"
                ) from None
        return self.words.setdefault(cell, len(self.words))

    def arrays(self) -> Iterator[NDArray]:
        table = np.vstack(self.blocks)
        words = np.array([*self.words, None], dtype=object)
        for j, attribute in enumerate(self.attributes):
            values = table[:, j]
            if attribute.kind in ("numeric", "integer"):
                yield values.copy()
                continue
            codes = np.where(np.isnan(values), -1, values).astype(np.int64)
            yield codes if attribute.kind == "nominal" else words[codes]


def _pieces(inner: str, place: str) -> list[str]:
    """Part a sparse row at its commas; quotes protect them."""
    if not inner.strip():
        return []
    if "'" not in inner and '"' not in inner:
        return [piece.strip() for piece in inner.split(",")]
    pieces, start, quote = [], 0, ""
    place_in_text = 0
    while place_in_text < len(inner):
        sign = inner[place_in_text]
        if quote:
            if sign == "\\":
                place_in_text += 1
            elif sign == quote:
                quote = ""
        elif sign in "'\"":
            quote = sign
        elif sign == ",":
            pieces.append(inner[start:place_in_text].strip())
            start = place_in_text + 1
        place_in_text += 1
    if quote:
        raise DataError(f"{place}: a quotation mark is never closed")
    return [*pieces, inner[start:].strip()]


_TRUTH = {"false": False, "true": True}


def _typed(attribute: Attribute, values: NDArray) -> NDArray | pd.Series:
    if attribute.kind == "integer" and not np.isnan(values).any():
        whole = np.abs(values) < 2**53
        if (values == np.floor(values)).all() and whole.all():
            return values.astype(np.int64)
    if attribute.kind != "nominal":
        return values
    gaps = values < 0
    if set(attribute.levels) <= {"0", "1"}:
        numbers = np.array([float(level) for level in attribute.levels] + [np.nan])
        cells = numbers[values]
        return cells if gaps.any() else cells.astype(np.int8)
    words = [level.lower() for level in attribute.levels]
    if len(set(words)) == len(words) and set(words) <= set(_TRUTH):
        truth = np.array([_TRUTH[word] for word in words] + [False])[values]
        return pd.Series(pd.arrays.BooleanArray(truth, gaps)) if gaps.any() else truth
    levels = np.array([*attribute.levels, None], dtype=object)
    return pd.Series(levels[values], dtype="str")
