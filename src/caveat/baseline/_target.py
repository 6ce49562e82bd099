"""Labels as EAPP sees them: codes, the tasks they make, and where each is read off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import type_of_target

from caveat.exceptions import InvalidInput, listing


@dataclass(frozen=True)
class Task:
    """One class against the rest.

    Attributes
    ----------
    label : object
        The positive class.
    code : int
        Its number.
    n, n_positive : int
        Number of rows, and of positive ones.
    """

    label: Any
    code: int
    n: int
    n_positive: int

    @property
    def n_min(self) -> int:
        """Size of the smaller class."""
        return min(self.n_positive, self.n - self.n_positive)

    @property
    def k_floor(self) -> int:
        """⌊1/p₀⌋, by whole numbers: p₀ as a float would err at 1/0.1."""
        return self.n // self.n_min

    @property
    def fraction(self) -> float:
        """What 1/p₀ has behind the point."""
        return (self.n % self.n_min) / self.n_min

    @property
    def k_star(self) -> float:
        """1/p₀: as many clusters of the smaller class's size as the rows can fill."""
        return self.n / self.n_min

    @property
    def k_ceil(self) -> int:
        """⌈1/p₀⌉."""
        return self.k_floor + (self.fraction > 0)

    def at_k_star(self, values: NDArray[np.float64], ks: list[int]) -> NDArray:
        """Interpolate values, one for each of `ks` along the last axis, at 1/p₀.

        Examples
        --------
        >>> task = Task(label="yes", code=1, n=5, n_positive=2)
        >>> task.k_star, float(task.at_k_star(np.array([0.6, 0.7]), [2, 3]))
        (2.5, 0.65)
        """
        below = values[..., ks.index(self.k_floor)]
        if self.fraction == 0:
            return below
        above = values[..., ks.index(self.k_ceil)]
        return (1 - self.fraction) * below + self.fraction * above


@dataclass(frozen=True)
class Target:
    """All labels of a data set.

    Attributes
    ----------
    classes : ndarray
        Distinct labels, sorted.
    codes : ndarray of uint16, shape (n,)
        Index of each row's label in `classes`.
    tasks : list of Task
        One for two classes, else one per class.
    """

    classes: NDArray
    codes: NDArray[np.uint16]
    tasks: list[Task]

    @property
    def binary(self) -> bool:
        """Whether there is one task only."""
        return len(self.tasks) == 1

    def without(self, tasks: list[Task]) -> Target:
        """Leave some tasks out; their rows stay, as part of the rest."""
        kept = [task for task in self.tasks if task not in tasks]
        return Target(self.classes, self.codes, kept)


def read_target(y: ArrayLike, n_rows: int, pos_label: object = None) -> Target:
    """Check labels and number them.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of any sortable type.
    n_rows : int
        How many rows `X` has.
    pos_label : object, optional
        The positive class; with it, more than two classes become that one against
        the rest. Else the larger of two classes is positive.
    """
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
    return Target(classes, codes.astype(np.uint16), tasks)


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
            "EAPP needs classes: cut y at a threshold or into bins"
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
