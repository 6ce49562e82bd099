"""What a model learns to predict: labels or numbers, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.extensions import ExtensionArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from caveat.exceptions import InvalidInput


def check_labels(
    y: ArrayLike, n_rows: int, who: str, *, fewest: int = 2
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Sort the distinct labels, and say which one each row has.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels of any one sortable kind.
    n_rows : int
        How many rows the table has.
    who : str
        Who needs the labels, for messages.
    fewest : int, default=2
        How many classes there must be.

    Returns
    -------
    (classes, codes) : array of labels, array of whole numbers

    Examples
    --------
    >>> classes, codes = check_labels(["b", "a", "b"], 3, "RandomForest")
    >>> classes.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    labels = _column(y, n_rows, who)
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in labels})
        raise InvalidInput(
            f"y mixes labels of the types {', '.join(kinds)}, which have no order; "
            "turn them all into text or all into numbers"
        ) from error
    check_classification_targets(labels)
    if len(classes) < fewest:
        raise InvalidInput(
            f"y holds one class only, {classes.tolist()[0]!r}; {who} needs at least "
            f"{fewest} classes in the training rows"
        )
    return classes, codes


def check_numbers(y: ArrayLike, n_rows: int, who: str) -> NDArray[np.float64]:
    """Turn the target of a regression into finite numbers.

    Examples
    --------
    >>> check_numbers([1, 2], 2, "Ridge")
    array([1., 2.])
    """
    column = _column(y, n_rows, who)
    if column.dtype.kind in "mM":
        raise InvalidInput(
            "y holds dates or spans of time, which have no unit of their own; pass "
            "numbers, such as days since the first"
        )
    try:
        numbers = column.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"y holds {column.tolist()[0]!r}, which is not a number; {who} does a "
            "regression, for labels say task='classification'"
        ) from error
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        raise InvalidInput(
            f"y is infinite in row {wrong[0]} (inf); leave such rows out or repair them"
        )
    return numbers


def known_codes(y: ArrayLike, classes: NDArray[Any], n_rows: int) -> NDArray[np.intp]:
    """Say which of the known labels each row has; another one is refused.

    Examples
    --------
    >>> known_codes(["b", "a"], np.array(["a", "b"]), 2).tolist()
    [1, 0]
    """
    labels = _column(y, n_rows, "validation")
    codes = pd.Index(classes).get_indexer(pd.Index(labels))
    if (codes < 0).any():
        strange = labels[codes < 0].tolist()[0]
        raise InvalidInput(
            f"validation holds the label {strange!r}, which the training rows do not "
            "have; leave such rows out"
        )
    return codes


@dataclass(frozen=True)
class TargetScale:
    """Mean and standard deviation of what a regression learns: the one place for it.

    Without them targets stay as they are, as labels do.

    Examples
    --------
    >>> scale = TargetScale.of(np.array([1.0, 3.0]))
    >>> scale.apply(np.array([1.0, 3.0])), scale.undo(np.array([0.0]))
    (array([-1.,  1.]), array([2.]))
    """

    mean: float = 0.0
    spread: float = 1.0

    @classmethod
    def of(cls, target: NDArray[Any]) -> Self:
        """Learn it from the training rows."""
        # Divided first: the sum of huge numbers would not be finite.
        size = float(np.abs(target).max(initial=0.0)) or 1.0
        unit = target / size
        return cls(float(unit.mean()) * size, float(unit.std()) * size or 1.0)

    def apply(self, target: NDArray[Any]) -> NDArray[Any]:
        """Standardise."""
        if (self.mean, self.spread) == (0.0, 1.0):
            return target
        return (target - self.mean) / self.spread

    def undo(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Go back to the units of the target."""
        return numbers * self.spread + self.mean


def _column(y: ArrayLike, n_rows: int, who: str) -> NDArray[Any]:
    if y is None:
        raise InvalidInput(
            f"{who} requires y to be passed, but the target y is None; pass the labels"
        )
    # A nullable column of whole numbers or booleans would come back as floats.
    plain = y.to_numpy() if isinstance(y, pd.Series | ExtensionArray) else y
    column = column_or_1d(plain, warn=True)
    if np.iscomplexobj(column):
        raise InvalidInput("Complex data not supported: y holds complex numbers")
    if len(column) != n_rows:
        raise InvalidInput(
            f"the table has {n_rows} rows, but y has {len(column)}; "
            "they must be equally many"
        )
    missing = np.flatnonzero(pd.isna(column))
    if len(missing):
        raise InvalidInput(
            f"y is missing (NaN) in {len(missing)} rows, the first is row "
            f"{missing[0]}; leave rows without a target out"
        )
    return column
