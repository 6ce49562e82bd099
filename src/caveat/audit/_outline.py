"""A first look at a table: what each column is for, before anything is fitted.

Cheap checks only, a few passes over the table. What they find decides what the models
get to see and in which other ways the rows have to be split; nothing here keeps a cell.
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

# Words of a column's name that say when a row was.
_WHEN = frozenset(
    [
        *("date", "time", "timestamp", "datetime", "year", "month", "week"),
        *("quarter", "period", "day", "epoch"),
    ]
)
_MOST_STRATUM_LEVELS = 20
_MOST_STRATA = 24


@dataclass(frozen=True)
class Outline:
    """What a table holds, column by column.

    Attributes
    ----------
    aside : dict of str to str
        Columns that models do not get, and why: ``constant``, ``empty``,
        ``identifier``, ``free text``, ``date``, ``names a group``.
    dates : list of str
        Columns of text that are dates.
    owner : str or None
        A column that says which rows belong together, though nobody said so.
    clock : str or None
        A column that says when a row was, though nobody said so.
    strata : list of str
        Columns of few levels, within which a model is worth asking about.
    """

    aside: dict[str, str] = field(default_factory=dict)
    dates: list[str] = field(default_factory=list)
    owner: str | None = None
    clock: str | None = None
    strata: list[str] = field(default_factory=list)


def outline(
    X: pd.DataFrame,
    y: pd.Series,
    kinds: Mapping[str, str],
    *,
    regression: bool,
    taken: Iterable[str] = (),
    keep: Iterable[str] = (),
) -> Outline:
    """Look at every column once.

    Parameters
    ----------
    X, y : DataFrame and Series
    kinds : mapping of column to kind
    regression : bool
    taken : iterable of str
        Columns with a role already (groups, time, weights); they are no features.
    keep : iterable of str
        Columns that stay features, whatever they look like.
    """
    roles, kept = set(taken), set(keep)
    aside: dict[str, str] = {}
    dates: list[str] = []
    owners: list[tuple[float, str]] = []
    clocks: list[tuple[float, str]] = []
    strata: list[str] = []
    sameness = _sameness(y, regression)
    for place, name in enumerate(X.columns):
        if name in roles:
            continue
        column = X[name]
        known = column.dropna()
        distinct = int(known.nunique())
        reason = column_role(column, kinds[name])
        is_date = reason == "date"
        if is_date and not types.is_datetime64_any_dtype(column.dtype):
            dates.append(name)
        if reason and name not in kept:
            aside[name] = reason
            if not is_date:
                continue
        if is_date or _is_clock(known, distinct, name):
            clocks.append((-float(is_date), name))
        elif _owns(column, distinct, name, sameness) and name not in kept:
            owners.append((-float(bool(name_words(name) & OWNER_WORDS)), name))
        if not is_date and _is_stratum(distinct, len(known), kinds[name], place):
            strata.append(name)
    owner = min(owners, key=lambda one: one[0])[1] if owners else None
    if owner is not None:
        aside[owner] = "names a group"
    return Outline(
        aside=aside,
        dates=dates,
        owner=owner,
        clock=min(clocks, key=lambda one: one[0])[1] if clocks else None,
        strata=[name for name in strata if name != owner][:_MOST_STRATA],
    )


def hints(name: object) -> bool:
    """Whether a name says whose row it is, or when it was."""
    return bool(name_words(name) & (OWNER_WORDS | _WHEN))


def _is_clock(known: pd.Series, distinct: int, name: object) -> bool:
    """Whether numbers are points in time: by their name, or as the file's order."""
    if not types.is_numeric_dtype(known.dtype) or types.is_bool_dtype(known.dtype):
        return False
    if distinct < 10:
        return False
    if name_words(name) & _WHEN and (name_words(name) - _WHEN) <= {
        "of",
        "in",
        "at",
        "unix",
    }:
        return True
    return bool(known.is_monotonic_increasing and distinct > 0.2 * len(known))


def _is_stratum(distinct: int, known: int, kind: str, place: int) -> bool:
    most = _MOST_STRATUM_LEVELS if kind != "numerical" else 5
    return 2 <= distinct <= most and known >= 10 * distinct and place < 2_000


def _sameness(y: pd.Series, regression: bool) -> tuple[NDArray[np.intp], float]:
    """Give the target as a few classes, and how often two rows agree by chance."""
    if regression:
        ranks = y.rank(pct=True, method="average").to_numpy()
        codes = np.minimum((ranks * 4).astype(np.intp), 3)
    else:
        codes = pd.factorize(y)[0]
    shares = np.bincount(codes) / len(codes)
    return codes, float((shares**2).sum())


def _owns(
    column: pd.Series,
    distinct: int,
    name: object,
    sameness: tuple[NDArray[np.intp], float],
) -> bool:
    """Whether rows of one value belong together.

    They do if the name says so, or if rows of one value share the target far more often
    than other rows do.
    """
    rows = len(column)
    if distinct < 10 or distinct > rows / 2 or column.isna().any():
        return False
    if types.is_float_dtype(column.dtype) and not (column % 1 == 0).all():
        return False
    hinted = bool(name_words(name) & OWNER_WORDS)
    if not hinted and distinct < rows / 50:
        return False
    codes, base = sameness
    levels = pd.factorize(column)[0]
    sizes = np.bincount(levels)
    # A value that many rows share is a default (0, "unknown"), not somebody.
    if not hinted and sizes.max() > max(10, 0.05 * rows):
        return False
    cells = np.bincount(levels * (codes.max() + 1) + codes)
    pairs = float((sizes * (sizes - 1.0)).sum())
    if pairs == 0:
        return False
    agreeing = float((cells * (cells - 1.0)).sum()) / pairs
    excess = (agreeing - base) / max(1.0 - base, 1e-12)
    noise = np.sqrt(base * (1 - base) / (pairs / 2)) / max(1.0 - base, 1e-12)
    if hinted:
        return excess > 4 * noise or distinct > rows / 50
    return excess > 0.3 and excess > 5 * noise


def split_values(column: pd.Series, is_date: bool) -> NDArray[Any]:
    """Return a column as numbers that can be put in order, or told apart."""
    if is_date:
        return as_dates(column).to_numpy().astype("datetime64[s]").astype(np.int64)
    if types.is_numeric_dtype(column.dtype):
        return column.to_numpy(dtype=float)
    return pd.factorize(column.astype(str), sort=True)[0]
