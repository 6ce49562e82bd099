"""A first look at a table: what each column is for, before anything is fitted.

Cheap checks only, a few passes over the table. What they find decides what the models
get to see; nothing here keeps a cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from caveat.datasets import OWNER_WORDS, as_dates, column_role, name_words

# Words of a column's name that say when its row was.
_WHEN = frozenset(
    [
        *("date", "time", "timestamp", "datetime", "year", "month", "week"),
        *("quarter", "period", "day", "epoch"),
    ]
)


@dataclass(frozen=True)
class Outline:
    """What a table holds, column by column.

    Attributes
    ----------
    aside : dict of str to str
        Columns that models do not get, and why: ``constant``, ``empty``,
        ``identifier``, ``free text``, ``date``.
    dates : list of str
        Columns of text that are dates.
    clock : str or None
        A column that says when a row was, though nobody said so.
    """

    aside: dict[str, str] = field(default_factory=dict)
    dates: list[str] = field(default_factory=list)
    clock: str | None = None


def outline(
    X: pd.DataFrame,
    kinds: Mapping[str, str],
    *,
    taken: Iterable[str] = (),
    keep: Iterable[str] = (),
) -> Outline:
    """Look at every column once.

    Parameters
    ----------
    X : DataFrame
    kinds : mapping of column to kind
    taken : iterable of str
        Columns with a role already (groups, time, weights); they are no features.
    keep : iterable of str
        Columns that stay features, whatever they look like.
    """
    roles, kept = set(taken), set(keep)
    aside: dict[str, str] = {}
    dates: list[str] = []
    clocks: list[tuple[float, str]] = []
    for name in X.columns:
        if name in roles:
            continue
        column = X[name]
        reason = column_role(column, kinds[name])
        dated = reason == "date"
        if dated and not types.is_datetime64_any_dtype(column.dtype):
            dates.append(name)
        if dated or (not reason and _is_clock(column.dropna(), name)):
            clocks.append((-float(dated), name))
        if reason and name not in kept:
            aside[name] = reason
    return Outline(
        aside=aside,
        dates=dates,
        clock=min(clocks, key=lambda one: one[0])[1] if clocks else None,
    )


def names_rows(target: pd.Series, task: str) -> bool:
    """Whether a target tells rows apart instead of saying something about them.

    Examples
    --------
    >>> names_rows(pd.Series(range(100, 300)), "regression")
    True
    >>> names_rows(pd.Series([0.5, 1.5] * 100), "regression")
    False
    """
    rows, distinct = len(target), int(target.nunique())
    if task != "regression":
        return distinct > 0.5 * rows
    whole = types.is_integer_dtype(target.dtype) and distinct == rows
    return whole and float(target.max()) - float(target.min()) + 1 <= 1.05 * rows


def hints(name: object) -> bool:
    """Whether a name says whose row it is, or when it was."""
    return bool(name_words(name) & (OWNER_WORDS | _WHEN))


def _is_clock(known: pd.Series, name: object) -> bool:
    """Whether numbers are points in time: by their name, or as the file's order."""
    if not types.is_numeric_dtype(known.dtype) or types.is_bool_dtype(known.dtype):
        return False
    distinct = int(known.nunique())
    if distinct < 10:
        return False
    words = name_words(name)
    if words & _WHEN and (words - _WHEN) <= {"of", "in", "at", "unix"}:
        return True
    return bool(known.is_monotonic_increasing and distinct > 0.2 * len(known))


def split_values(column: pd.Series, is_date: bool) -> NDArray[Any]:
    """Return a column as numbers that can be put in order, or told apart."""
    if is_date:
        return as_dates(column).to_numpy().astype("datetime64[s]").astype(np.int64)
    if types.is_numeric_dtype(column.dtype):
        return column.to_numpy(dtype=float)
    return pd.factorize(column.astype(str), sort=True)[0]
