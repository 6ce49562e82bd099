"""The one shape in which all data travels through caveat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from caveat.datasets._kinds import check_columns, detect_kinds
from caveat.exceptions import InvalidInput, listing

TASKS = ("binary", "multiclass", "regression", "multilabel", "candidates")


class _Shared:
    """A field that hands out what cannot be used to change the data set.

    Frames and series go out as shallow copies: pandas copies on write, so a change
    stays with whoever made it. Arrays are locked, mappings are shown through a proxy.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.slot = f"_{name}"
        self.name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            raise AttributeError(self.name)  # the field has no default
        value = instance.__dict__.get(self.slot)
        if isinstance(value, pd.DataFrame | pd.Series):
            return value.copy(deep=False)
        if isinstance(value, dict):
            return MappingProxyType(value)
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.slot] = value


class _SharedOrNone(_Shared):
    def __get__(self, instance: Any, owner: type) -> Any:
        return None if instance is None else super().__get__(instance, owner)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Dataset:
    """A table with its target, its kinds of columns, and where it comes from.

    Nothing in it changes after it was made: `X`, `y` and `Y` come out as copies on
    write, `candidates` is locked. Use `dataclasses.replace` for a changed one.

    Parameters
    ----------
    name : str
        How studies and pages call it.
    X : DataFrame of shape (items, columns)
        Features with their original types; rows are renumbered from 0.
    y : Series, optional
        One label or number per item. Partial-label data keep the hidden truth here,
        when it is known.
    Y : DataFrame, optional
        0/1 per item and label, for many labels.
    candidates : bool array of shape (items, classes), optional
        Which labels an item may have, in the order of `classes`.
    task : {"binary", "multiclass", "regression", "multilabel", "candidates"}
    kinds : mapping, optional
        Column to ``numerical``, ``categorical`` or ``boolean``; what is missing is
        detected.
    source, licence : str
        Where it comes from, and what its owners allow.
    image_shape : tuple of int, optional
        (height, width) or (height, width, channels): then `X` has a column per pixel,
        row by row, channels last.
    n_test : int, default=0
        How many of the last rows are the published test part, which nothing may learn
        from or choose by. Their candidates, if there are any, are the true labels.
    annotations : sequence, optional
        Per item of the training part, per person, a list of label numbers.
    groups, order : str, optional
        Columns that say which items belong together, or in which order they came.
    classes : tuple, optional
        Labels in order; found in `y` (sorted), or the names of `Y`, if not given.
    left_out : mapping of column to reason
        Columns of the file that are no features: dates, names of rows, constants.
    notes : tuple of str
        Known traps and guesses made while reading. Nothing was repaired in silence.

    Examples
    --------
    >>> from caveat.datasets import load
    >>> iris = load("iris")
    >>> iris
    Dataset('iris', multiclass, 150 rows x 4 columns, 3 classes)
    >>> iris.classes
    ('setosa', 'versicolor', 'virginica')
    """

    name: str
    X: pd.DataFrame = _Shared()  # type: ignore[assignment]
    task: str
    y: pd.Series | None = _SharedOrNone()  # type: ignore[assignment]
    Y: pd.DataFrame | None = _SharedOrNone()  # type: ignore[assignment]
    candidates: NDArray[np.bool_] | None = None
    kinds: Mapping[str, str] = _SharedOrNone()  # type: ignore[assignment]
    source: str = ""
    licence: str = ""
    image_shape: tuple[int, ...] | None = None
    n_test: int = 0
    annotations: Sequence[Sequence[Sequence[int]]] | None = None
    groups: str | None = None
    order: str | None = None
    classes: tuple[Any, ...] = ()
    notes: tuple[str, ...] = field(default=())
    left_out: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise InvalidInput(
                f"task of data set {self.name!r} is {self.task!r}; it must be one of "
                f"{listing(TASKS)}"
            )
        frame = self._check_table()
        self._keep("X", frame)
        self._keep("kinds", detect_kinds(frame, self.kinds))
        self._keep("notes", tuple(self.notes))
        self._check_target(len(frame))
        self._check_image()
        self._check_parts(len(frame))
        for role in ("groups", "order"):
            column = getattr(self, role)
            if column is not None and column not in frame.columns:
                raise InvalidInput(
                    f"{role}: data set {self.name!r} has no column {column!r}; "
                    f"it has {listing(frame.columns)}"
                )

    def _keep(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_table(self) -> pd.DataFrame:
        frame = self.X
        if not isinstance(frame, pd.DataFrame):
            raise InvalidInput(
                f"X of data set {self.name!r} is a {type(frame).__name__}; "
                "pass a pandas DataFrame"
            )
        check_columns(frame)
        return frame.reset_index(drop=True)

    def _check_target(self, rows: int) -> None:
        if self.task == "multilabel":
            self._check_labels()
        elif self.task == "candidates":
            self._check_candidates(rows)
        elif self.y is None:
            raise InvalidInput(
                f"data set {self.name!r} has the task {self.task!r} but no y"
            )
        if self.y is not None:
            self._keep("y", _series(self.y, self.name))
        for role, part in (("y", self.y), ("Y", self.Y)):
            if part is not None and len(part) != rows:
                raise InvalidInput(
                    f"{role} of data set {self.name!r} has {len(part)} rows, "
                    f"but X has {rows}"
                )
        if self.task in ("binary", "multiclass") and not self.classes:
            self._keep("classes", _labels(self.y))
        self._keep("classes", tuple(self.classes))

    def _check_labels(self) -> None:
        labels = self.Y
        if not isinstance(labels, pd.DataFrame) or not labels.shape[1]:
            raise InvalidInput(
                f"data set {self.name!r} is multilabel, so it needs Y, a DataFrame "
                "with one 0/1 column per label"
            )
        check_columns(labels)
        values = labels.to_numpy()
        if not np.isin(values, (0, 1)).all():
            row, column = np.argwhere(~np.isin(values, (0, 1)))[0]
            raise InvalidInput(
                f"Y of data set {self.name!r} holds {values[row, column]!r} in row "
                f"{row}, label {str(labels.columns[column])!r}; it must be 0 or 1"
            )
        self._keep("Y", labels.astype(np.uint8).reset_index(drop=True))
        if not self.classes:
            self._keep("classes", tuple(labels.columns))

    def _check_candidates(self, rows: int) -> None:
        if self.candidates is None:
            raise InvalidInput(
                f"data set {self.name!r} is partial, so it needs candidates"
            )
        candidates = np.array(self.candidates, dtype=bool)
        candidates.setflags(write=False)
        if candidates.ndim != 2 or len(candidates) != rows:
            raise InvalidInput(
                f"candidates of data set {self.name!r} have the shape "
                f"{candidates.shape}; expected ({rows}, classes)"
            )
        if not self.classes:
            self._keep("classes", tuple(range(candidates.shape[1])))
        if len(self.classes) != candidates.shape[1]:
            raise InvalidInput(
                f"candidates of data set {self.name!r} have {candidates.shape[1]} "
                f"columns, but there are {len(self.classes)} classes"
            )
        self._keep("candidates", candidates)

    def _check_image(self) -> None:
        if self.image_shape is None:
            return
        shape = tuple(int(side) for side in self.image_shape)
        if len(shape) not in (2, 3) or np.prod(shape) != self.X.shape[1]:
            raise InvalidInput(
                f"image_shape of data set {self.name!r} is {shape}, which does not fit "
                f"{self.X.shape[1]} pixel columns"
            )
        self._keep("image_shape", shape)

    def _check_parts(self, rows: int) -> None:
        if not 0 <= self.n_test < rows:
            raise InvalidInput(
                f"n_test of data set {self.name!r} is {self.n_test}; it has {rows} "
                "rows, and some must be left to learn from"
            )
        if self.annotations is not None and len(self.annotations) != rows - self.n_test:
            raise InvalidInput(
                f"annotations of data set {self.name!r} are of {len(self.annotations)} "
                f"items, but {rows - self.n_test} are to learn from"
            )

    @property
    def images(self) -> NDArray[Any]:
        """The items as images: (items, height, width) or (..., channels)."""
        if self.image_shape is None:
            raise InvalidInput(f"data set {self.name!r} does not hold images")
        return self.X.to_numpy().reshape(-1, *self.image_shape)

    def __len__(self) -> int:
        return len(self.X)

    def __repr__(self) -> str:
        rows, columns = self.X.shape
        counted = {"multilabel": "labels", "regression": ""}.get(self.task, "classes")
        tail = f", {len(self.classes)} {counted}" if counted else ""
        size = f"{rows} rows x {columns} columns"
        return f"Dataset({self.name!r}, {self.task}, {size}{tail})"


def _series(y: ArrayLike, name: str) -> pd.Series:
    values = y if isinstance(y, pd.Series) else pd.Series(np.asarray(y), name="target")
    values = values.reset_index(drop=True)
    missing = np.flatnonzero(values.isna())
    if len(missing):
        raise InvalidInput(
            f"y of data set {name!r} is missing in {len(missing)} rows (row "
            f"{missing[0]} first); drop these rows or fill them in"
        )
    return values


def _labels(y: pd.Series | None) -> tuple[Any, ...]:
    """Return the distinct labels in order; labels of mixed types by their text."""
    values = pd.Series(y).unique().tolist()
    try:
        return tuple(sorted(values))
    except TypeError:
        return tuple(sorted(values, key=str))
