"""From a plain table to a data set: which column is the target, what is the task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from pandas.api import types

from caveat.datasets._dataset import TASKS, Dataset
from caveat.datasets._kinds import check_columns
from caveat.exceptions import InvalidInput, UnknownName, listing

# A whole-number target with more distinct values than this is an amount.
MOST_CLASSES_OF_NUMBERS = 20

# Errors are squared and summed over rows, which must stay finite.
LARGEST_AMOUNT = 1e150


def from_frame(
    frame: pd.DataFrame,
    target: str | None = None,
    *,
    targets: Sequence[str] | None = None,
    name: str = "table",
    task: str | None = None,
    kinds: Mapping[str, str] | None = None,
    drop: Sequence[str] = (),
    groups: str | None = None,
    order: str | None = None,
    source: str = "",
    licence: str = "",
    notes: Sequence[str] = (),
) -> Dataset:
    """Make a data set of a table that holds features and target.

    Parameters
    ----------
    frame : DataFrame
    target : str, optional
        The column to predict; the last one if neither it nor `targets` is given.
    targets : sequence of str, optional
        Several 0/1 columns to predict: many labels.
    name : str
    task : {"binary", "multiclass", "regression", "multilabel"}, optional
        Guessed from the target if not given: text and truth values are labels, whole
        numbers too if they are few, other numbers are amounts. A guess is noted.
    kinds : mapping of column to kind, optional
    drop : sequence of str
        Columns to leave out.
    groups, order : str, optional
        See `Dataset`.
    source, licence : str
    notes : sequence of str

    Returns
    -------
    Dataset

    Examples
    --------
    >>> table = pd.DataFrame({"age": [40, 49, 37], "sick": ["no", "yes", "no"]})
    >>> from_frame(table, "sick")
    Dataset('table', binary, 3 rows x 1 columns, 2 classes)
    """
    check_columns(frame)
    if target is not None and targets is not None:
        raise InvalidInput("pass target or targets, not both")
    for column in drop:
        _check_column(frame, column)
    found = list(notes)
    remaining = frame.drop(columns=list(drop))
    if targets is not None:
        labels = _label_columns(remaining, targets)
        return Dataset(
            name=name,
            X=remaining.drop(columns=list(targets)),
            Y=labels,
            task="multilabel",
            kinds=_kept(kinds, remaining, targets),
            groups=groups,
            order=order,
            source=source,
            licence=licence,
            notes=tuple(found),
        )
    if remaining.shape[1] < 2:
        raise InvalidInput(
            f"{name!r} has the columns {listing(remaining.columns)}; a target and at "
            "least one feature are needed"
        )
    if target is None:
        target = remaining.columns[-1]
        found.append(f"no target was named: the last column, {str(target)!r}, is it")
    _check_column(remaining, target)
    y = _check_target(remaining[target], name)
    found += _alike(y)
    if task is None:
        task = guess_task(y, found)
    elif task not in TASKS:
        raise InvalidInput(f"task is {task!r}; it must be one of {listing(TASKS)}")
    return Dataset(
        name=name,
        X=remaining.drop(columns=[target]),
        y=_numbers(y) if task == "regression" else y,
        task=_checked_task(task, y),
        kinds=_kept(kinds, remaining, [target]),
        groups=groups,
        order=order,
        source=source,
        licence=licence,
        notes=tuple(found),
    )


def _alike(y: pd.Series) -> list[str]:
    """Note labels that look like one: they are classes of their own all the same."""
    spelt: dict[str, list[str]] = {}
    for label in y.unique():
        if isinstance(label, str):
            spelt.setdefault(label.strip().casefold(), []).append(label)
    return [
        f"target {str(y.name)!r}: {listing(labels)} differ in blanks or capitals only, "
        "and are classes of their own"
        for labels in spelt.values()
        if len(labels) > 1
    ]


def guess_task(y: pd.Series, notes: list[str]) -> str:
    """Guess the task from the target, and note the guess where it could be wrong."""
    distinct = y.nunique()
    if types.is_numeric_dtype(y.dtype) and not types.is_bool_dtype(y.dtype):
        whole = bool((y % 1 == 0).all())
        if not whole or distinct > MOST_CLASSES_OF_NUMBERS:
            return "regression"
        if distinct > 2:
            notes.append(
                f"target {str(y.name)!r} holds {distinct} distinct whole numbers: read "
                "as classes; pass task='regression' if they are amounts"
            )
    elif distinct > max(MOST_CLASSES_OF_NUMBERS, len(y) // 2):
        notes.append(
            f"target {str(y.name)!r} has {distinct} classes in {len(y)} rows: is it an "
            "identifier?"
        )
    return "binary" if distinct <= 2 else "multiclass"


def _checked_task(task: str, y: pd.Series) -> str:
    distinct = y.nunique()
    if distinct < 2:
        raise InvalidInput(
            f"target {str(y.name)!r} has the single value {str(y.iloc[0])!r}; there "
            "is nothing to learn"
        )
    if task == "binary" and distinct > 2:
        raise InvalidInput(
            f"target {str(y.name)!r} has {distinct} values; a binary task needs 2"
        )
    return task


def _check_target(y: pd.Series, name: str) -> pd.Series:
    if not len(y):
        raise InvalidInput(f"{name!r} has no rows")
    missing = np.flatnonzero(y.isna())
    if len(missing):
        which = listing(missing, most=5).replace("'", "")
        rows = "row" if len(missing) == 1 else "rows"
        raise InvalidInput(
            f"target {str(y.name)!r} is missing in {len(missing):,} {rows} "
            f"({rows} {which}); fill it in, or leave such rows out"
        )
    if isinstance(y.dtype, pd.CategoricalDtype):
        return y.astype(y.cat.categories.dtype)
    return y


def _numbers(y: pd.Series) -> pd.Series:
    if types.is_bool_dtype(y.dtype) or not types.is_numeric_dtype(y.dtype):
        numbers = pd.to_numeric(y.astype(object), errors="coerce")
        if numbers.isna().any():
            row = int(np.flatnonzero(numbers.isna())[0])
            raise InvalidInput(
                f"target {str(y.name)!r} holds {str(y.iloc[row])!r} in row {row}, "
                "which is not a number; regression needs numbers"
            )
        y = numbers.astype(float)
    amounts = y.to_numpy(dtype=float)
    if not np.isfinite(amounts).all():
        raise InvalidInput(f"target {str(y.name)!r} holds an infinite number")
    if np.abs(amounts).max() > LARGEST_AMOUNT:
        raise InvalidInput(
            f"target {str(y.name)!r} holds {amounts[np.abs(amounts).argmax()]:g}; the "
            f"square of an amount above {LARGEST_AMOUNT:g} is not a finite number: use "
            "larger units"
        )
    return y


def _label_columns(frame: pd.DataFrame, targets: Sequence[str]) -> pd.DataFrame:
    if isinstance(targets, str):
        raise InvalidInput(f"targets is the text {targets!r}; pass a list of columns")
    for column in targets:
        _check_column(frame, column)
    doubled = [name for name, times in Counter(targets).items() if times > 1]
    if doubled:
        raise InvalidInput(f"targets names {listing(doubled)} twice; name each once")
    words = pd.DataFrame(
        {
            column: frame[column].astype(str).str.strip().str.lower()
            for column in targets
        }
    )
    if not len(words):
        raise InvalidInput("the table has no rows")
    found = set(words.to_numpy().ravel())
    # Minus one means "no" only where every label of every row is -1 or 1.
    signed = found <= {*_MINUS, *_PLUS} and bool(found & _MINUS)
    truth = _TRUTH | (dict.fromkeys(_MINUS, 0) if signed else {})
    return pd.DataFrame(
        {column: _zero_one(words[column], frame[column], truth) for column in targets}
    )


_TRUTH = {"0": 0, "false": 0, "no": 0, "1": 1, "true": 1, "yes": 1}
_TRUTH |= {"0.0": 0, "1.0": 1}
_MINUS, _PLUS = {"-1", "-1.0"}, {"1", "1.0"}


def _zero_one(
    words: pd.Series, column: pd.Series, truth: Mapping[str, int]
) -> pd.Series:
    codes = words.map(truth)
    if codes.isna().any():
        row = int(np.flatnonzero(codes.isna())[0])
        raise InvalidInput(
            f"label {str(column.name)!r} holds {str(column.iloc[row])!r} in row {row}; "
            "it must be 0 or 1 (or no, yes; false, true; or -1 and 1 throughout)"
        )
    return codes.astype(np.uint8)


def _check_column(frame: pd.DataFrame, column: object) -> None:
    if column not in frame.columns:
        raise UnknownName.among("column", column, map(str, frame.columns))


def _kept(
    kinds: Mapping[str, str] | None, frame: pd.DataFrame, targets: Sequence[str]
) -> dict[str, str]:
    for column in kinds or {}:
        _check_column(frame, column)
    return {k: v for k, v in (kinds or {}).items() if k not in targets}
