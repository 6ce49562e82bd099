"""Columns of a table of items that hold labels, though nobody said so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from caveat.candidates.crowd import Answers

_ALIKE = 0.4
"""So far beyond chance numbers must agree with the answers to be labels."""


def label_columns(
    X: pd.DataFrame, answers: Answers, keep: Sequence[str], separator: str
) -> list[str]:
    """Name the columns whose cells are all names of classes: labels, no features.

    Where classes are words, that is enough. Where they are numbers, such as 0 and 1,
    many a feature has the same values: it must agree with the answers, too.

    Parameters
    ----------
    X : DataFrame
        The items, in the order of `answers.items`.
    answers : Answers
    keep : sequence of str
        Columns that are features, whatever they look like.
    separator : str
        Between the labels of a set.

    Examples
    --------
    >>> said = pd.DataFrame({"item": [0, 1], "annotator": "ann", "label": ["a", "b"]})
    >>> items = pd.DataFrame({"kind": ["A", "b"], "size": [1.5, 2.0]})
    >>> label_columns(items, Answers.from_frame(said), [], "|")
    ['kind']
    """
    place = {_plain(name): code for code, name in enumerate(answers.classes)}
    words = any(_number(name) is None for name in place)
    found = []
    for column in X.columns:
        if column in set(keep):
            continue
        codes = _codes(X[column], place, separator)
        if codes is not None and (words or _agreement(codes, answers) > _ALIKE):
            found.append(str(column))
    return found


def labels_of(cell: Any, separator: str) -> list[str]:
    """Read the candidate labels of one cell; an empty one has none."""
    if cell is None or (isinstance(cell, float) and np.isnan(cell)) or cell is pd.NA:
        return []
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    values = cell if isinstance(cell, list | tuple | set | np.ndarray) else None
    parts = str(cell).split(separator) if values is None else map(str, values)
    return [part.strip() for part in parts if part.strip()]


def _codes(
    column: pd.Series, place: dict[str, int], separator: str
) -> list[tuple[int, ...]] | None:
    """Read every cell as classes; None where that fails, or all are empty."""
    known: dict[Any, tuple[int, ...]] = {}
    for cell in column.map(str).where(column.notna(), "").unique():
        read = [_plain(label) for label in labels_of(cell, separator)]
        if not set(read) <= set(place):
            return None
        known[cell] = tuple(place[label] for label in read)
    if not any(known.values()):
        return None
    return [known[cell] for cell in column.map(str).where(column.notna(), "")]


def _agreement(codes: list[tuple[int, ...]], answers: Answers) -> float:
    """Return how often a column names what most people do, beyond chance."""
    votes = answers.votes()
    named = (votes == votes.max(axis=1, keepdims=True)) & (votes > 0)
    rows = [n for n, one in enumerate(codes) if one and named[n].any()]
    if not rows:
        return 0.0
    firsts = np.array([codes[n][0] for n in rows])
    hits = named[rows, firsts].mean()
    chance = named[rows].mean(axis=0)[firsts].mean()
    return float((hits - chance) / max(1 - chance, 1e-9))


def _plain(label: Any) -> str:
    """Write a label so that 7, 7.0 and 007, or Cat and cat, are one."""
    number = _number(label)
    return str(label).strip().casefold() if number is None else repr(number)


def _number(text: Any) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
