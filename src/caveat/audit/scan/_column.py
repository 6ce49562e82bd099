"""Columns as the scan asks them: levels to count, an order, what is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.datasets import as_dates, is_date

_LARGEST = 1e100
_DIGITS = re.compile(r"\d+")
_NAMES_ROWS = re.compile(
    r"(^|[_\W])(id|ids|key|uuid|guid|no|nr|num|number|index|idx|code|rownames?)$"
    r"|^(id|index|key|row|rownames?|unnamed.*)([_\W]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Column:
    """One column, read in every way that a question needs.

    Attributes
    ----------
    name : str
    kind : str
        ``number``, ``integer``, ``two values``, ``category``, ``text``, ``date``,
        ``constant`` or ``empty``.
    identity : array of int
        Number of the cell's value, -1 where it is missing.
    distinct : int
    order : array of float, or None
        The cell as a number, NaN where missing. For text: the number in it, if every
        cell has one (``P-0012``).
    text : array of object, or None
        The cells, where words in them may tell something.
    letters : array of int, or None
        For names of rows (``A0012``): number of what is left without the digits.
    """

    name: str
    kind: str
    identity: NDArray[np.intp]
    distinct: int
    order: NDArray[np.float64] | None
    text: NDArray[np.object_] | None = None
    letters: NDArray[np.intp] | None = None

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells are missing."""
        return self.identity < 0

    @property
    def is_prose(self) -> bool:
        """Whether cells are several words with blanks between: no names of rows."""
        if self.text is None:
            return False
        return bool(np.mean([" " in str(cell).strip() for cell in self.text]) > 0.5)

    @property
    def names_rows(self) -> bool:
        """Whether every row has its own value, so that only its order could tell."""
        here = len(self.identity) - int(self.missing.sum())
        if here < 20 or self.distinct < 0.98 * here:
            return False
        if self.kind in ("text", "category"):
            return True
        return self.kind == "integer" and (
            bool(_NAMES_ROWS.search(self.name)) or self._is_counter()
        )

    def _is_counter(self) -> bool:
        """Tell whether the numbers run on without gaps, as counters do."""
        values = self.order[~self.missing] if self.order is not None else np.zeros(0)
        return bool(np.ptp(values) < 1.5 * len(values))

    def rows(self, chosen: NDArray[np.intp]) -> Column:
        """Keep some rows."""
        return Column(
            self.name,
            self.kind,
            self.identity[chosen],
            self.distinct,
            None if self.order is None else self.order[chosen],
            None if self.text is None else self.text[chosen],
            None if self.letters is None else self.letters[chosen],
        )


def read_column(column: pd.Series, name: str, kind: str) -> Column:
    """Read one column of a table.

    Parameters
    ----------
    column : Series
    name : str
    kind : {"numerical", "categorical", "boolean"}
        As the data set has it.
    """
    identity, values = pd.factorize(column)
    distinct = len(values)
    if distinct == 0:
        return Column(name, "empty", identity, 0, None)
    if distinct > 2 and is_date(column.dropna()):
        return Column(name, "date", identity, distinct, _seconds(as_dates(column)))
    if kind == "categorical":
        return _words(column, name, identity, distinct)
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(
        dtype=np.float64, na_value=np.nan
    )
    numbers = np.where(np.isfinite(numbers), numbers, np.nan)
    peak = float(np.nanmax(np.abs(numbers), initial=0.0))
    if peak > _LARGEST:  # its square would not be finite; another unit is as good
        numbers = numbers / peak
    if np.isnan(numbers).all():  # infinite cells only
        return Column(name, "empty", np.full(len(identity), -1), 0, None)
    if distinct == 1:
        return Column(name, "constant", identity, 1, numbers)
    if distinct == 2:
        return Column(name, "two values", identity, 2, numbers)
    known = numbers[~np.isnan(numbers)]
    is_whole = bool(len(known)) and bool((known == np.round(known)).all())
    return Column(
        name, "integer" if is_whole else "number", identity, distinct, numbers
    )


def _words(
    column: pd.Series, name: str, identity: NDArray[np.intp], distinct: int
) -> Column:
    cells = column.astype(object).map(str, na_action="ignore")
    if distinct <= 2:
        kind = "constant" if distinct == 1 else "two values"
        return Column(name, kind, identity, distinct, None)
    known = cells[identity >= 0]
    inside, numbers = _numbers_inside(known), None
    if inside is not None:
        numbers = np.full(len(column), np.nan)
        numbers[identity >= 0] = inside
    is_text = distinct > 20 and (
        known.head(200).str.contains(r"\w\W+\w", regex=True).mean() > 0.5
    )
    text = cells.to_numpy(dtype=object) if is_text else None
    kind = "text" if is_text else "category"
    found = Column(name, kind, identity, distinct, numbers, text)
    if found.is_prose or not found.names_rows:
        return found
    letters = pd.factorize(cells.str.replace(_DIGITS, "", regex=True))[0]
    return replace(found, letters=letters)


def _seconds(dates: pd.Series) -> NDArray[np.float64]:
    plain = pd.to_datetime(dates, utc=True).dt.tz_localize(None)
    seconds = plain.to_numpy().astype("datetime64[s]").astype(np.float64)
    return np.where(plain.isna().to_numpy(), np.nan, seconds)


def _numbers_inside(cells: pd.Series) -> NDArray[np.float64] | None:
    """Return the number that each cell ends with, if each has one."""
    found = [_DIGITS.findall(cell) for cell in cells.head(50)]
    if not all(found):
        return None
    numbers = cells.str.extract(r"(\d{1,15})\D*$", expand=False)
    values = pd.to_numeric(numbers, errors="coerce").to_numpy(dtype=np.float64)
    return None if np.isnan(values).any() else values
