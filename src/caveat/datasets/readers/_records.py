"""The skeleton of a separated file: records, fields, separator. Counted, not read.

pandas shifts or cuts rows that are too long, and fills rows that are too short, in
silence. So every record's fields are counted before pandas sees the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from caveat.exceptions import DataError

SEPARATORS = (",", ";", "\t", "|")
_QUOTE, _LF, _CR, _ZERO = 34, 10, 13, 48
_SAMPLE = 64 * 1024
_SPELT = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}


def spelt(separator: str) -> str:
    """Name a separator for people."""
    return _SPELT.get(separator, repr(separator))


def find_separator(data: bytes, where: str) -> str:
    """Tell which character parts the fields, or refuse if two fit equally well."""
    cut = data[:_SAMPLE].decode("utf-8", "ignore")
    rows: dict[str, list[int]] = {}
    for separator in SEPARATORS:
        counts = [len(record) for record in _parsed(cut, separator, where) if record]
        whole = counts if len(data) <= _SAMPLE else counts[:-1]
        rows[separator] = whole or counts
    parts = {sep: counts for sep, counts in rows.items() if counts and counts[0] > 1}
    if len(parts) <= 1:
        return next(iter(parts), ",")
    even = [sep for sep, counts in parts.items() if len(set(counts)) == 1]
    if len(even) == 1:
        return even[0]
    if len(even) > 1:
        raise DataError(
            f"{where} can be parted by {' or by '.join(map(spelt, even))}; say which "
            "one with separator="
        )
    return max(parts, key=lambda separator: parts[separator][0])


def _parsed(text: str, separator: str, where: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    records = []
    try:
        for record in reader:
            records.append(record)
    except csv.Error as error:
        if not records:
            raise DataError(f"{where}, line {reader.line_num}: {error}") from error
    return records


def header(data: bytes, separator: str, where: str) -> list[str]:
    """Read the first record that is not blank."""
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
    try:
        for record in csv.reader(text, delimiter=separator):
            if record:
                return record
    except csv.Error as error:
        raise DataError(f"{where}, line 1: {error}") from error
    raise DataError(f"{where} is empty")


def check_records(
    data: bytes, separator: str, fields: int, where: str, *, skip_header: bool = True
) -> int:
    """Refuse a file with a record that is too long or too short; count the records.

    Parameters
    ----------
    data : bytes
        UTF-8.
    separator : str
    fields : int
        How many fields every record must have.
    where : str
    skip_header : bool
        Leave the first record out of the count.

    Returns
    -------
    int : how many records there are, blank lines left out.
    """
    counted = _counts_fast(data, separator, where)
    if counted is None:
        counted = _counts_slow(data, separator, where)
    counts, line_of = counted
    wrong = np.flatnonzero(counts != fields)
    if len(wrong):
        first = int(wrong[0])
        more = f" (and {len(wrong) - 1} more such lines)" if len(wrong) > 1 else ""
        raise DataError(
            f"{where}, line {line_of(first)}: found {counts[first]} fields, expected "
            f"{fields}, parted by {spelt(separator)}{more}; mend the line, or pass "
            "separator= if the guess is wrong"
        )
    return len(counts) - int(skip_header)


# Fields of every record, and what tells the line on which a record begins.
Counted = tuple[NDArray[np.int64], Callable[[int], int]]


def _counts_fast(data: bytes, separator: str, where: str) -> Counted | None:
    """Count with numpy; None if quotes stand where they make this unsafe."""
    cells = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(cells == _LF)
    parts = np.flatnonzero(cells == ord(separator))
    quotes = np.flatnonzero(cells == _QUOTE)
    if len(quotes):
        if not _quotes_at_edges(cells, quotes, ord(separator)):
            return None
        if len(quotes) % 2:
            line = data.count(b"\n", 0, int(quotes[-1])) + 1
            raise DataError(
                f"{where}: a quotation mark on line {line} or before is never closed"
            )
        # After an odd number of quotes we are inside of a cell.
        ends = ends[np.searchsorted(quotes, ends) % 2 == 0]
        parts = parts[np.searchsorted(quotes, parts) % 2 == 0]
    if not len(ends) or ends[-1] != len(cells) - 1:
        ends = np.append(ends, len(cells))
    starts = np.concatenate([[0], ends[:-1] + 1])
    counts = np.diff(np.searchsorted(parts, ends), prepend=0) + 1
    length = ends - starts
    blank = length == 0
    lone = np.flatnonzero(length == 1)
    blank[lone[cells[starts[lone]] == _CR]] = True
    begins = starts[~blank]
    return counts[~blank].astype(
        np.int64
    ), lambda record: data.count(b"\n", 0, int(begins[record])) + 1


def _quotes_at_edges(
    cells: NDArray[np.uint8], quotes: NDArray[np.intp], separator: int
) -> bool:
    """Tell whether every quotation mark opens or closes a field, or is doubled."""
    opening, closing = quotes[::2], quotes[1::2]
    before = cells[opening[opening > 0] - 1]
    after = cells[closing[closing < len(cells) - 1] + 1]
    edges = np.array([separator, _LF, _QUOTE], dtype=np.uint8)
    ends = np.array([separator, _LF, _CR, _QUOTE], dtype=np.uint8)
    return bool(np.isin(before, edges).all() and np.isin(after, ends).all())


def has_padded_number(data: bytes, separator: str) -> bool:
    """Tell whether a field is a whole number that begins with 0, such as 02139."""
    cells = np.frombuffer(data, dtype=np.uint8)
    zeros = np.flatnonzero(cells[:-1] == _ZERO)
    second = cells[zeros + 1]
    zeros = zeros[(second >= _ZERO) & (second < _ZERO + 10) & (zeros > 0)]
    edges = np.array([ord(separator), _LF, _QUOTE], dtype=np.uint8)
    zeros = zeros[np.isin(cells[zeros - 1], edges)]
    whole = re.compile(rb"0\d+[\r\n\"" + re.escape(separator.encode()) + rb"]")
    return any(whole.match(data, int(place)) for place in zeros[:1000])


def _counts_slow(data: bytes, separator: str, where: str) -> Counted:
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
    reader = csv.reader(text, delimiter=separator, strict=True)
    counts: list[int] = []
    lines: list[int] = []
    line = 1
    try:
        for record in reader:
            if record:
                counts.append(len(record))
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            f"{where}, line {reader.line_num}: {error}; a quotation mark stands where "
            "it should not"
        ) from error
    return np.array(counts, dtype=np.int64), lines.__getitem__
