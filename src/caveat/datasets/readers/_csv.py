"""Separated text files, read as they are meant or refused with a reason."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
from pandas.api import types

from caveat.datasets.readers._notation import (
    GROUPED_BY_COMMA,
    GROUPED_BY_POINT,
    Notation,
    notations,
)
from caveat.datasets.readers._records import (
    check_records,
    find_separator,
    has_padded_number,
    header,
    spelt,
)
from caveat.datasets.readers._text import as_utf8
from caveat.datasets.readers._units import is_money, without_unit
from caveat.exceptions import DataError, UnknownName, listing

# What people write into a numerical column where a number is missing.
GAPS = frozenset(
    ["na", "n/a", "nan", "null", "none", "?", "-", "--", ".", "#n/a", "#na", "missing"]
)
_NUMBER_LIKE = re.compile(r"[+-]?[\d.,' ]*\d[\d.,' ]*%?")
_DAY_LIKE = re.compile(r"\d{1,4}\.\d{1,2}\.\d{1,4}( .*)?")


def read_csv(
    data: bytes,
    where: str,
    *,
    labels: Collection[str] | None = (),
    text: Collection[str] = (),
    drop: Collection[str] = (),
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    columns: Sequence[str] | None = None,
    missing: Sequence[str] = (),
) -> tuple[pd.DataFrame, list[str]]:
    """Read a separated text file.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.
    labels : collection of str, optional
        Target columns: in them only an empty field is missing, so that ``NA`` and
        ``None`` stay labels. None means: the last column that is not dropped.
    text : collection of str
        Columns to read as text even if they look like numbers, such as codes.
    drop : collection of str
        Columns that will be left out; they are read all the same.
    separator, decimal, encoding : str, optional
        What parts fields, what parts whole from broken, what the bytes mean; guessed
        if not given, and the guess is noted.
    columns : sequence of str, optional
        Names of the columns; the file then has no header line.
    missing : sequence of str
        More words that stand for a missing cell, in every feature column.

    Returns
    -------
    DataFrame, list of str
        The table, and notes on what was guessed or looks odd.

    Raises
    ------
    DataError
        With file and line, where records differ in length, names are doubled, a quote
        is not closed, and so on.
    """
    clean, notes = as_utf8(data, where, encoding)
    parted = separator or find_separator(clean, where)
    if len(parted) != 1:
        raise DataError(f"separator is {parted!r}; it must be one character")
    if separator is None and parted != ",":
        notes.append(f"fields are parted by {spelt(parted)}")
    names = _names(clean, parted, where, columns, {*(labels or ()), *text}, notes)
    if labels is None:
        labels = [name for name in names if name not in drop][-1:]
    headless = columns is not None
    rows = check_records(clean, parted, len(names), where, skip_header=not headless)
    if rows == 0:
        raise DataError(f"{where} has a header line and no rows")
    _check_known(labels, names)
    if has_padded_number(clean, parted):
        notes.append(
            "some whole numbers begin with 0, such as codes do: they were read as "
            "numbers; call their column categorical in kinds to keep them as text"
        )
    parse = partial(
        _parse, clean, where, parted, names, decimal, headless, labels, missing
    )
    frame = parse(text={*labels, *text})
    if len(frame) != rows:
        raise DataError(
            f"{where} has {rows} lines after the header, but {len(frame)} rows were "
            "read; a line holds nothing but blanks"
        )
    features = [name for name in names if name not in labels and name not in text]
    _leave_units_out(frame, features, labels, decimal, notes)
    found = {name: _spoken(frame[name]) for name in features} | {
        name: list(frame[name].dropna().unique()) for name in labels
    }
    odd = {name: words for name, words in found.items() if not _plain(words)}
    written = notations(odd, where, decimal)
    if decimal is None and any(one.point == "," for one in written.values()):
        # Where the comma is the decimal sign, 1.500 is no broken number.
        broken = [name for name in features if types.is_float_dtype(frame[name].dtype)]
        doubtful = [*broken, *(name for name in labels if name not in odd)]
        raw = parse(text=doubtful, only=doubtful)
        for name, column in raw.items():
            if GROUPED_BY_POINT.fits(column.dropna().unique()):
                frame[name] = column
                written[str(name)] = GROUPED_BY_POINT
    for name in labels:
        if name in written:
            frame[name] = _number_column(frame[name], written[name], notes)
        else:
            frame[name] = _label_column(frame[name], decimal)
    _mend_features(frame, features, written, notes)
    return _without_nameless(frame, notes), notes


def _check_known(labels: Collection[str], names: list[str]) -> None:
    """Refuse a label column that the file does not have."""
    for name in labels:
        if name not in names:
            extra = ""
            if len(names) == 1:
                extra = f"; the only column is {names[0]!r}: is the separator another?"
            raise UnknownName(f"{UnknownName.among('column', name, names)}{extra}")


def _leave_units_out(
    frame: pd.DataFrame,
    features: list[str],
    labels: Collection[str],
    decimal: str | None,
    notes: list[str],
) -> None:
    """Strip units that all numbers of a column share."""
    for name in (*features, *labels):
        found = without_unit(_spoken(frame[name]), labels=name in labels)
        if found is None:
            continue
        bare, unit = found
        if is_money(unit):
            # Nobody writes a thousandth of a dollar: $1,500 is fifteen hundred.
            for one in (GROUPED_BY_COMMA, GROUPED_BY_POINT):
                if decimal in (None, one.point) and one.fits(bare.values()):
                    plain = map(repr, one.numbers(bare.values()))
                    bare = dict(zip(bare, plain, strict=True))
                    break
        first = next(iter(bare))
        notes.append(
            f"column {name!r}: numbers in {unit}, {first!r} read as {bare[first]}"
        )
        frame[name] = frame[name].map(lambda word, bare=bare: bare.get(word, word))


def _spoken(column: pd.Series) -> list[str]:
    """Give the words of a text column that stand for no gap."""
    if not types.is_string_dtype(column.dtype) or types.is_object_dtype(column.dtype):
        return []
    return [w for w in column.dropna().unique() if w.strip().lower() not in GAPS]


def _plain(words: Collection[str]) -> bool:
    """Whether all words are numbers as a program writes them."""
    try:
        return len([float(word) for word in words if "_" not in word]) == len(words)
    except ValueError:
        return False


def _names(
    clean: bytes,
    separator: str,
    where: str,
    columns: Sequence[str] | None,
    asked: Collection[str],
    notes: list[str],
) -> list[str]:
    found = header(clean, separator, where)
    if columns is not None:
        names = [str(name) for name in columns]
    else:
        names = [name.strip() for name in found]
        if names != found:
            notes.append("blanks around column names were left out")
        if _all_numbers(names) and not set(asked) & set(names):
            raise DataError(
                f"{where}, line 1: {listing(names, most=4)} are numbers, not names; "
                "add a header line, or pass columns="
            )
    doubled = sorted(n for n, count in Counter(names).items() if n and count > 1)
    if doubled:
        raise DataError(
            f"{where}: column name {listing(doubled)} occurs more than once; rename one"
        )
    nameless = [place for place, name in enumerate(names) if not name]
    for place in nameless:
        names[place] = f"unnamed {place + 1}"
    return names


def _all_numbers(names: list[str]) -> bool:
    try:
        return bool([float(name) for name in names])
    except ValueError:
        return False


def _parse(
    clean: bytes,
    where: str,
    separator: str,
    names: list[str],
    decimal: str | None,
    headless: bool,
    labels: Collection[str],
    missing: Sequence[str],
    *,
    text: Collection[str],
    only: Sequence[str] | None = None,
) -> pd.DataFrame:
    gaps = {name: [""] if name in labels else ["", *missing] for name in names}
    try:
        return pd.read_csv(
            io.BytesIO(clean),
            sep=separator,
            names=names,
            header=None if headless else 0,
            index_col=False,
            usecols=only,
            dtype={name: str for name in text if name in names},
            keep_default_na=False,
            na_values=gaps,
            decimal=decimal or ".",
            low_memory=False,
            encoding="utf-8",
        )
    except (ValueError, OverflowError) as error:  # also pandas' ParserError
        raise DataError(f"{where} cannot be read: {error}") from error


def _label_column(column: pd.Series, decimal: str | None) -> pd.Series:
    """Make labels numbers if every one is written as a plain number."""
    words = pd.Series(column.dropna().unique(), dtype=object).astype(str)
    plain = words.str.strip()
    if decimal:
        plain = plain.str.replace(decimal, ".", regex=False)
    numeric = plain.str.fullmatch(
        r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", case=False
    )
    padded = plain.str.fullmatch(r"[+-]?0[0-9]+.*")
    if not len(words) or not numeric.all() or padded.any():
        return column
    table = dict(zip(words, pd.to_numeric(plain), strict=True))
    values = column.map(table)
    whole = plain.str.fullmatch(r"[+-]?[0-9]+").all() and values.notna().all()
    return values.astype(np.int64) if whole else values.astype(np.float64)


def _mend_features(
    frame: pd.DataFrame,
    features: list[str],
    written: Mapping[str, Notation],
    notes: list[str],
) -> None:
    """Mend what pandas left as text although it is numbers with words for gaps.

    A word that stands for a gap among the numbers of this file stands for one among
    its levels too; without such a witness it stays a level, and is noted.
    """
    witnessed: set[str] = set()
    levelled: list[str] = []
    for name in features:
        column = frame[name]
        if types.is_object_dtype(column.dtype):
            frame[name] = _truth_column(column)
        elif types.is_string_dtype(column.dtype):
            words, spoken = column.dropna().unique(), _spoken(column)
            if not spoken or not (name in written or _plain(spoken)):
                _note_notation(name, spoken, notes)
                levelled.append(name)
                continue
            gaps = sorted(set(words) - set(spoken))
            if gaps:
                notes.append(f"column {name!r}: {listing(gaps)} read as missing")
                witnessed.update(gaps)
            numbers = column.where(column.isin(spoken), None)
            frame[name] = _number_column(numbers, written.get(name), notes)
    for name in levelled:
        frame[name] = _levels(frame[name], witnessed, notes)


def _number_column(
    column: pd.Series, notation: Notation | None, notes: list[str]
) -> pd.Series:
    words = list(column.dropna().unique())
    if notation is None:
        numbers = [float(word) for word in words]
    else:
        numbers = notation.numbers(words)
        notes.append(notation.note(str(column.name), words))
    return column.map(dict(zip(words, numbers, strict=True))).astype(np.float64)


def _note_notation(name: str, words: list[str], notes: list[str]) -> None:
    if not words or not all(_NUMBER_LIKE.fullmatch(word.strip()) for word in words):
        return
    if not all(_DAY_LIKE.fullmatch(word.strip()) for word in words):
        notes.append(
            f"column {name!r} looks like numbers in another notation ({words[0]!r}): "
            "kept as text"
        )


def _levels(column: pd.Series, witnessed: set[str], notes: list[str]) -> pd.Series:
    words = column.dropna().unique()
    gaps = sorted(word for word in words if word in witnessed)
    doubtful = sorted({w for w in words if w.strip().lower() in GAPS} - witnessed)
    if gaps:
        notes.append(f"column {str(column.name)!r}: {listing(gaps)} read as missing")
        column = column.where(~column.isin(gaps), None)
    if doubtful:
        notes.append(
            f"column {str(column.name)!r} holds {listing(doubtful)}: kept as levels; "
            "pass missing= to read them as missing cells"
        )
    if any(word != word.strip() for word in words):
        notes.append(f"column {str(column.name)!r} holds words with blanks around them")
    return column


def _truth_column(column: pd.Series) -> pd.Series:
    """Turn what pandas leaves as objects (truth values with gaps, huge numbers)."""
    if types.infer_dtype(column, skipna=True) == "integer":
        return column.astype(np.float64)
    if types.infer_dtype(column, skipna=True) == "boolean":
        return column.astype("boolean")
    return column.astype(str).where(column.notna(), None)


def _without_nameless(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Leave out nameless columns that say nothing: an index, or a trailing comma."""
    for name in [c for c in frame.columns if str(c).startswith("unnamed ")]:
        column = frame[name]
        if column.isna().all():
            notes.append(f"column {name!r} has no name and no value: left out")
            frame = frame.drop(columns=name)
        elif types.is_integer_dtype(column.dtype) and (column.diff()[1:] == 1).all():
            notes.append(f"column {name!r} has no name and counts the rows: left out")
            frame = frame.drop(columns=name)
        else:
            notes.append(f"column {name!r} has no name in the file")
    return frame
