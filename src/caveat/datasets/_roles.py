"""What a column is for: a feature, or something that only names or dates its rows.

One reader for all commands: what is left out here is left out of every look at a
person's own file, and the class called positive is the same in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from pandas.api import types

from caveat.exceptions import UnknownName

# Words of a column's name that say whose row it is.
OWNER_WORDS = frozenset(
    [
        *("id", "ids", "uid", "uuid", "guid", "key", "patient", "subject", "person"),
        *("user", "customer", "client", "member", "household", "family", "group"),
        *("cluster", "account", "device", "session", "case", "specimen"),
    ]
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_YES = frozenset(["yes", "y", "true", "t", "1", "1.0", "positive", "pos"])
_MOMENT_WORDS = frozenset(
    [
        *("date", "datetime", "time", "timestamp", "ts", "epoch", "unix", "when"),
        *("created", "updated", "started", "ended", "opened", "closed", "at", "on"),
    ]
)
_MONTH = r"(19|20)\d\d[-/](0[1-9]|1[0-2])"
_PARTED = r"\d{1,4}[-/. :]\w{1,9}[-/. :]\d{1,4}|^[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4}$"
# Whole numbers that may be moments: their unit, and from 1973 to 2099.
_UNITS = {"s": (1e8, 4.1e9), "ms": (1e11, 4.1e12), "us": (1e14, 4.1e15)}
_FEWEST_ROWS = 20
_FEWEST_DAYS = 10
_LONG_TEXT = 25
_SAMPLE = 200


def name_words(name: object) -> set[str]:
    """Split a column's name into its words, in small letters.

    Examples
    --------
    >>> sorted(name_words("patientId_2"))
    ['2', 'id', 'patient']
    """
    return {word.lower() for word in _WORDS.findall(str(name))}


def column_role(column: pd.Series, kind: str) -> str:
    """Say why a column is no feature, or ''.

    Parameters
    ----------
    column : Series
    kind : {"numerical", "categorical", "boolean"}

    Returns
    -------
    str
        ``empty``, ``constant``, ``date``, ``identifier`` (another value in every row),
        ``free text``, or ``''``. Below 20 rows nothing but the first three is said:
        few rows differ by chance.

    Examples
    --------
    >>> column_role(pd.Series(["2024-01-31", "2024-02-29"]), "categorical")
    'date'
    """
    known, rows = column.dropna(), len(column)
    distinct = int(known.nunique())
    if distinct == 0:
        return "empty"
    if distinct == 1 and len(known) == rows:
        return "constant"
    if is_date(known):
        return "date"
    if rows < _FEWEST_ROWS:
        return ""
    if kind == "categorical":
        if distinct == len(known) and len(known) > rows / 2:
            return "free text" if _length(known) > _LONG_TEXT else "identifier"
        if distinct > 0.5 * len(known) and _length(known) > _LONG_TEXT:
            return "free text"
    elif types.is_integer_dtype(known.dtype) and distinct == rows:
        spread = float(known.max()) - float(known.min()) + 1
        if spread <= 1.05 * rows or name_words(column.name) & OWNER_WORDS:
            return "identifier"
    return ""


def columns_left_out(
    frame: pd.DataFrame, kinds: Mapping[str, str], *, keep: Iterable[str] = ()
) -> dict[str, str]:
    """Name the columns that are no features, each with its reason.

    Examples
    --------
    >>> table = pd.DataFrame({"day": ["2024-01-31", "2024-02-29"], "a": [1.5, 2.5]})
    >>> columns_left_out(table, {"day": "categorical", "a": "numerical"})
    {'day': 'date'}
    """
    kept = set(keep)
    found = {
        name: column_role(frame[name], kinds[name])
        for name in frame.columns
        if name not in kept
    }
    return {name: reason for name, reason in found.items() if reason}


def positive_class(y: pd.Series, asked: Any = None) -> Any:
    """Choose which of the classes is the positive one.

    The one that was asked for; else the one that reads as yes (yes, true, 1,
    positive); else the rarer one, and of two equally frequent ones the last.

    Parameters
    ----------
    y : Series
        Labels of two and more classes.
    asked : label or its text, optional

    Raises
    ------
    UnknownName
        If no class is called as asked.

    Examples
    --------
    >>> positive_class(pd.Series(["no", "no", "yes"]))
    'yes'
    >>> positive_class(pd.Series(["bad", "good", "good"])), positive_class(
    ...     pd.Series(["bad", "good", "good"]), "good")
    ('bad', 'good')
    """
    counts = y.value_counts(dropna=True)
    labels = sorted(counts.index, key=lambda label: (str(type(label)), label))
    if asked is not None:
        named = {str(label): label for label in labels}
        if str(asked) not in named:
            raise UnknownName.among("class", str(asked), list(named))
        return named[str(asked)]
    says_yes = [label for label in labels if str(label).strip().lower() in _YES]
    if len(says_yes) == 1:
        return says_yes[0]
    return min(reversed(labels), key=lambda label: counts[label])


def is_date(known: pd.Series) -> bool:
    """Whether values, none missing, are dates: by type, written or counted as such.

    Whole numbers are days if all are written as year, month and day (20240131), and
    seconds since 1970 if the column's name speaks of time.

    Examples
    --------
    >>> is_date(pd.Series(["2024-01", "2024-02"])), is_date(pd.Series([20240131, 7]))
    (True, False)
    """
    if types.is_datetime64_any_dtype(known.dtype):
        return True
    if not len(known) or types.is_bool_dtype(known.dtype):
        return False
    if types.is_numeric_dtype(known.dtype):
        return bool(_form_of_numbers(known))
    some = known.head(_SAMPLE).astype(str)
    if some.str.fullmatch(_MONTH).all():
        return True
    # A date has digits and something that parts them; plain words and codes have not.
    if not some.str.fullmatch(r"[0-9A-Za-z,:./+\- ]{6,40}").all():
        return False
    if not some.str.contains(_PARTED).all():
        return False
    parsed = pd.to_datetime(some, errors="coerce", format="mixed", utc=True)
    return bool(parsed.notna().mean() >= 0.95)


def as_dates(column: pd.Series) -> pd.Series:
    """Read text or numbers as dates; what is none becomes missing.

    Examples
    --------
    >>> as_dates(pd.Series(["03.02.2024", "28.02.2024"])).dt.month.tolist()
    [2, 2]
    """
    if types.is_datetime64_any_dtype(column.dtype):
        return column
    if types.is_numeric_dtype(column.dtype):
        form = _form_of_numbers(column.dropna())
        if form == "day":
            days = column.astype("Int64").astype("string")
            return pd.to_datetime(days, errors="coerce", format="%Y%m%d")
        return pd.to_datetime(column, errors="coerce", unit=form or "s")
    found = pd.to_datetime(
        column,
        errors="coerce",
        format="mixed",
        utc=True,
        dayfirst=_day_comes_first(column),
    )
    return found.dt.tz_localize(None)


def _form_of_numbers(known: pd.Series) -> str:
    """Say how whole numbers count moments: ``day``, ``s``, ``ms``, ``us``, or ''."""
    low, high = float(known.min()), float(known.max())
    if not (low >= 19000101 and high < 4.1e15) or bool((known % 1 != 0).any()):
        return ""
    if high <= 21001231:
        is_day = (known // 100 % 100).between(1, 12) & (known % 100).between(1, 31)
        return "day" if is_day.all() and known.nunique() >= _FEWEST_DAYS else ""
    if not name_words(known.name) & _MOMENT_WORDS:
        return ""
    return next((u for u, (a, b) in _UNITS.items() if a <= low and high < b), "")


def _day_comes_first(column: pd.Series) -> bool:
    """Whether dates such as 28.02.2024 can only be read with the day first."""
    parts = column.astype("string").str.extract(r"^\s*(\d{1,2})[-/.](\d{1,2})[-/.]\d")
    first, second = (pd.to_numeric(parts[j]) for j in (0, 1))
    return bool((first > 12).any() and not (second > 12).any())


def _length(known: pd.Series) -> float:
    return float(known.head(_SAMPLE).astype(str).str.len().mean())
