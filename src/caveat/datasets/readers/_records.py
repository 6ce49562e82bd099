"""The skeleton of a separated file: records, fields, separator. Counted, not read.

pandas shifts or cuts rows that are too long, and fills rows that are too short, in
silence. So every record's fields are counted before pandas sees the file.
"""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pyarrow
from numpy.typing import NDArray
from pyarrow import csv as csv_of_arrow

from caveat.datasets.readers._native import native
from caveat.exceptions import DataError

SEPARATORS = (",", ";", "\t", "|")
_QUOTE, _LF, _ZERO = 34, 10, 48
_BLOCK = 2**30
_SAMPLE = 64 * 1024
_SAY = "by separator= in Python or separator: in a study file"
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
            f"{where} can be parted by {' or by '.join(map(spelt, even))}; say "
            f"which one it is, {_SAY}"
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
    if b'"' not in data and len(separator.encode()) == 1:
        rows = _even_rows(data, separator, fields)
        if rows is not None:
            return rows - int(skip_header)
    counts, line_of = _counted(data, separator, where)
    wrong = np.flatnonzero(counts != fields)
    if len(wrong):
        first = int(wrong[0])
        more = f" (and {len(wrong) - 1} more such lines)" if len(wrong) > 1 else ""
        raise DataError(
            f"{where}, line {line_of[first]}: found {counts[first]} fields, expected "
            f"{fields}, parted by {spelt(separator)}{more}; mend the line, or say "
            f"what parts the cells, {_SAY}"
        )
    return len(counts) - int(skip_header)


def _even_rows(data: bytes, separator: str, fields: int) -> int | None:
    """Count the records with pyarrow, which refuses ragged ones; None if it does.

    Not for quotation marks: pyarrow takes text after a closing one as part of the cell.
    """
    names = [str(place) for place in range(fields)]
    try:
        batches = csv_of_arrow.open_csv(
            native(data),
            # One block: a wide record may be longer than the usual ones.
            csv_of_arrow.ReadOptions(
                use_threads=False,
                column_names=names,
                block_size=min(max(len(data), 1), _BLOCK),
            ),
            csv_of_arrow.ParseOptions(delimiter=separator, quote_char=False),
            csv_of_arrow.ConvertOptions(
                check_utf8=False,
                include_columns=names[:1],
                column_types={"0": pyarrow.binary()},
            ),
        )
        return sum(len(batch) for batch in batches)
    except pyarrow.ArrowInvalid:
        return None


def has_padded_number(data: bytes, separator: str) -> bool:
    """Tell whether a field is a whole number that begins with 0, such as 02139."""
    cells = np.frombuffer(data, dtype=np.uint8)
    zeros = np.flatnonzero(cells[:-1] == _ZERO)
    second = cells[zeros + 1]
    zeros = zeros[(second >= _ZERO) & (second < _ZERO + 10) & (zeros > 0)]
    edges = np.array([ord(separator), _LF, _QUOTE], dtype=np.uint8)
    zeros = zeros[np.isin(cells[zeros - 1], edges)]
    whole = re.compile(rb"0\d+[\r\n\"" + re.escape(separator.encode()) + rb"]")
    quotes = counted = 0
    for place in map(int, zeros[:1000]):
        if whole.match(data, place):
            # In a quoted cell, a comma before it is a decimal comma, say: "1,05".
            quotes += data.count(b'"', counted, place)
            counted = place
            if quotes % 2 == (data[place - 1] == _QUOTE):
                return True
    return False


def _counted(
    data: bytes, separator: str, where: str
) -> tuple[NDArray[np.int64], list[int]]:
    """Give the fields of every record, and the line on which it begins."""
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
    return np.array(counts, dtype=np.int64), lines
