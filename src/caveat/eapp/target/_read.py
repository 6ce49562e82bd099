"""What a person passes as y, checked: classes, 0/1 columns or numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import type_of_target

from caveat.eapp.target._target import NumberTask, Target, Task
from caveat.exceptions import InvalidInput, listing

TASKS = ("auto", "classification", "multilabel", "regression")
MULTICLASS = ("rest", "joint")


def read_target(
    y: ArrayLike,
    n_rows: int,
    pos_label: object = None,
    *,
    task: str = "auto",
    multiclass: str = "rest",
) -> Target:
    """Check labels and number them.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, labels)
        Labels of any sortable type; or 0/1, a column for each label that a row may
        have; or numbers.
    n_rows : int
        How many rows `X` has.
    pos_label : object, optional
        The positive class; with it, more than two classes become that one against
        the rest. Else the larger of two classes is positive.
    task : {"auto", "classification", "multilabel", "regression"}
        What `y` is; "auto" takes two and more columns as labels, all else as classes.
    multiclass : {"rest", "joint"}
        Whether each of several classes is set against the rest, or all are named at
        once.
    """
    wide = np.ndim(y) == 2 and np.shape(y)[1] > 1  # type: ignore[arg-type]
    if task == "multilabel" or (task == "auto" and wide):
        return read_labels(y, n_rows, pos_label)
    if task == "regression":
        return read_numbers(y, n_rows, pos_label)
    labels = _as_series(y)
    if len(labels) != n_rows:
        raise InvalidInput(f"y: {len(labels)} labels for {n_rows} rows; pass one each")
    missing = np.flatnonzero(labels.isna())
    if len(missing):
        raise InvalidInput(
            f"y: {len(missing)} labels are missing (row {missing[0]} first); "
            "drop rows without a label"
        )
    values = labels.to_numpy()
    _refuse_numbers(values)
    classes, codes = _numbered(values)
    if len(classes) < 2:
        raise InvalidInput(
            f"y: found {len(classes)} class ({listing(classes)}); EAPP needs two"
        )
    if len(classes) > np.iinfo(np.uint16).max:
        raise InvalidInput(
            f"y: found {len(classes):,} classes in {n_rows:,} rows; pass labels, "
            "not identifiers"
        )
    positive = _positive_codes(classes, pos_label)
    counts = np.bincount(codes, minlength=len(classes))
    tasks = [
        Task(label=classes[code], code=code, n=n_rows, n_positive=int(counts[code]))
        for code in positive
    ]
    joint = multiclass == "joint" and len(tasks) > 1
    target = Target(classes, codes.astype(np.uint16), tasks, joint=joint)
    return target.without([])


def read_labels(y: Any, n_rows: int, pos_label: object = None) -> Target:
    """Read 0/1 columns, one for each label that a row may have."""
    table = pd.DataFrame(y if isinstance(y, pd.DataFrame) else np.asarray(y))
    _refuse_pos_label(pos_label, "many labels a row")
    if len(table) != n_rows:
        raise InvalidInput(f"y: {len(table)} labels for {n_rows} rows; pass one each")
    for name, column in table.items():
        strange = np.flatnonzero(~column.isin([0, 1]))
        if len(strange):
            raise InvalidInput(
                f"y: label {str(name)!r} is {column.iloc[strange[0]]!r} in row "
                f"{strange[0]}; many labels a row are written as 0 and 1"
            )
    if table.shape[1] > np.iinfo(np.uint16).max:
        raise InvalidInput(f"y: found {table.shape[1]:,} labels; pass fewer")
    matrix = table.to_numpy().astype(bool)
    members, codes = np.unique(matrix, axis=0, return_inverse=True)
    tasks, left_out = [], {}
    for code, (name, count) in enumerate(
        zip(table.columns, matrix.sum(axis=0), strict=True)
    ):
        task = Task(label=name, code=code, n=n_rows, n_positive=int(count))
        tasks.append(task)
        if task.n_min == 0:
            left_out[f"y: label {str(name)!r} is the same in all rows"] = task
    if len(left_out) == len(tasks):
        raise InvalidInput("y: every label is the same in all rows; there is no task")
    target = Target(
        table.columns.to_numpy(),
        codes.ravel().astype(np.uint32),
        tasks,
        members=members,
        left_out=left_out,
    )
    return target.without(list(left_out.values()))


def read_numbers(y: Any, n_rows: int, pos_label: object = None) -> Target:
    """Read a target that is measured."""
    series = _as_series(y)
    _refuse_pos_label(pos_label, "numbers")
    if len(series) != n_rows:
        raise InvalidInput(f"y: {len(series)} numbers for {n_rows} rows; pass one each")
    try:
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"y: not numbers ({error}); leave task='regression' out"
        ) from error
    strange = np.flatnonzero(~np.isfinite(numbers))
    if len(strange):
        raise InvalidInput(
            f"y: {len(strange)} numbers are missing or infinite (row {strange[0]} "
            "first); drop rows without a number"
        )
    if (numbers == numbers[0]).all():
        raise InvalidInput(f"y: all numbers are {numbers[0]:g}; there is no task")
    name = getattr(y, "name", None)
    task = NumberTask(
        label="y" if name is None else name, code=0, n=n_rows, n_positive=n_rows
    )
    codes = np.zeros(n_rows, np.uint16)
    return Target(np.array([task.label]), codes, [task], numbers=numbers)


def _refuse_pos_label(pos_label: object, what: str) -> None:
    if pos_label is not None:
        raise InvalidInput(
            f"pos_label: found {pos_label!r}, but y holds {what}; leave it out"
        )


def _as_series(y: ArrayLike) -> pd.Series:
    if isinstance(y, pd.DataFrame) or np.ndim(y) != 1:  # type: ignore[arg-type]
        shape = np.shape(y)  # type: ignore[arg-type]
        raise InvalidInput(f"y: shape {shape}; pass one label per row")
    if isinstance(y, pd.Series):
        return y.reset_index(drop=True)
    return pd.Series(np.asarray(y))


def _refuse_numbers(values: NDArray) -> None:
    """Refuse a target that is measured, not named."""
    if values.dtype.kind == "f" and type_of_target(values).startswith("continuous"):
        distinct = len(np.unique(values))
        raise InvalidInput(
            f"y: numbers with decimals, {distinct:,} distinct in {len(values):,} rows; "
            "EAPP needs classes: pass task='regression', or cut y into bins"
        )


def _numbered(values: NDArray) -> tuple[NDArray, NDArray[np.int64]]:
    try:
        return np.unique(values, return_inverse=True)
    except TypeError:
        # Labels of several types have no order of their own: take that of their text.
        text = np.array([str(value) for value in values])
        kinds = {type(value).__name__ for value in values}
        if len(np.unique(text)) != len(set(values)):
            raise InvalidInput(
                f"y: labels of types {listing(sorted(kinds))} cannot be told apart by "
                "their text; use one type"
            ) from None
        _, first, codes = np.unique(text, return_index=True, return_inverse=True)
        return values[first], codes


def _positive_codes(classes: NDArray, pos_label: object) -> list[int]:
    if pos_label is not None:
        found = np.flatnonzero(classes == pos_label)
        if not len(found):
            raise InvalidInput(
                f"pos_label: no label is {pos_label!r}; there are {listing(classes)}"
            )
        return [int(found[0])]
    return [1] if len(classes) == 2 else list(range(len(classes)))
