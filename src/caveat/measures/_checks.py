"""What measures take, checked: labels as class numbers, probabilities as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput, listing

Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


def checked(
    needs: str, y: ArrayLike, answers: ArrayLike, classes: Sequence[Any] | None
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Give truth and answers as a measure's function takes them, and the classes."""
    if needs == "amounts":
        return *numbers(y, answers), 0
    if needs == "decisions" and np.ndim(answers) < 2:
        return label_codes(y, answers, classes)
    truth, matrix = probabilities(y, answers, classes)
    if needs == "decisions":
        return truth, most_probable(matrix), matrix.shape[1]
    if needs == "probabilities":
        is_distribution(matrix)
    return truth, matrix, matrix.shape[1]


def weights_of(sample_weight: ArrayLike | None, n_rows: int) -> Floats | None:
    """Refuse weights that are not one finite number per row, some above 0."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise InvalidInput(
            f"sample_weight has the shape {weights.shape} for {n_rows} rows; pass one "
            "weight per row"
        )
    if not np.isfinite(weights).all() or weights.min() < 0 or not weights.any():
        raise InvalidInput(
            "sample_weight must be finite, not negative and not all 0; repair it, or "
            "leave it out"
        )
    return weights


def mean_of(values: NDArray[Any], weights: Floats | None) -> Any:
    """Mean over the last axis."""
    if weights is None:
        return values.mean(axis=-1)
    return values @ weights / weights.sum()


def most_probable(proba: Floats) -> Codes:
    """Give the number of each row's largest entry, the first of several."""
    if proba.shape[-1] == 2:  # several times faster than argmax over two
        return (proba[..., 1] > proba[..., 0]).astype(np.intp)
    return proba.argmax(axis=-1)


def class_numbers(labels: NDArray[Any], classes: Sequence[Any]) -> NDArray[np.int64]:
    """Give each label's place among the classes; a stranger gets the place after."""
    found = pd.Index(list(classes)).get_indexer(pd.Index(labels))
    return np.where(found < 0, len(classes), found)


def label_codes(
    y: ArrayLike, predicted: ArrayLike, classes: Sequence[Any] | None
) -> tuple[Codes, Codes, int]:
    """Give labels on both sides as numbers, and how many classes there are.

    A label that `classes` does not hold gets a number of its own beyond them.
    """
    truth, guess = _column(y, "y"), _column(predicted, "predicted")
    if len(truth) != len(guess):
        raise InvalidInput(
            f"y has {len(truth)} rows and predicted has {len(guess)}; "
            "they must be equally many"
        )
    if _are_codes(classes, truth, guess):
        return truth, guess, len(classes)  # type: ignore[arg-type]
    found = _distinct(truth, guess)
    known = found if classes is None else list(classes)
    strangers = [label for label in found if label not in set(known)]
    index = _index([*known, *strangers])
    both = [index.get_indexer(pd.Index(side)) for side in (truth, guess)]
    return both[0], both[1], len(known)


def probabilities(
    y: ArrayLike, proba: ArrayLike, classes: Sequence[Any] | None
) -> tuple[Codes, Floats]:
    """Give the number of each row's label (-1: no column has it) and the matrix.

    One column of probabilities is that of the second of two classes.
    """
    truth = _column(y, "y")
    matrix = np.asarray(proba)
    if matrix.dtype.kind != "f":
        matrix = matrix.astype(np.float64)
    if matrix.ndim == 1:
        matrix = np.column_stack([1 - matrix, matrix])
    if matrix.ndim != 2 or len(matrix) != len(truth):
        raise InvalidInput(
            f"proba has the shape {np.shape(proba)}, y has {len(truth)} rows; "
            "pass one row of class probabilities for each"
        )
    if not np.isfinite(matrix).all():
        row = int(np.flatnonzero(~np.isfinite(matrix).all(axis=1))[0])
        raise InvalidInput(f"proba is not finite in row {row}; repair the model")
    known = _distinct(truth) if classes is None else list(classes)
    if len(known) != matrix.shape[1]:
        raise InvalidInput(
            f"proba has {matrix.shape[1]} columns for {len(known)} classes "
            f"({listing(known)}); name the classes of its columns with classes="
        )
    if _are_codes(classes, truth):
        return np.where(truth < len(known), truth, -1), matrix
    return _index(known).get_indexer(pd.Index(truth)), matrix


def is_distribution(matrix: Floats) -> Floats:
    """Refuse rows that are no probabilities."""
    off = np.abs(matrix.sum(axis=1) - 1)
    # Sums of 32-bit numbers are as far off as 1e-5 without being wrong.
    near = max(1e-6, 100 * float(np.finfo(matrix.dtype).eps))
    wrong = np.flatnonzero((off > near) | (matrix < 0).any(axis=1))
    if len(wrong):
        row = int(wrong[0])
        raise InvalidInput(
            f"proba of row {row} is {matrix[row].tolist()}, which is not a "
            "distribution; pass probabilities that sum to 1"
        )
    return matrix


def numbers(y: ArrayLike, predicted: ArrayLike) -> tuple[Floats, Floats]:
    """Give both sides of a regression as finite numbers."""
    sides = []
    for name, side in (("y", y), ("predicted", predicted)):
        try:
            column = np.asarray(_column(side, name), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidInput(
                f"{name} holds something that is not a number ({error})"
            ) from error
        if not np.isfinite(column).all():
            row = int(np.flatnonzero(~np.isfinite(column))[0])
            raise InvalidInput(f"{name} is {column[row]} in row {row}; use numbers")
        sides.append(column)
    if len(sides[0]) != len(sides[1]):
        raise InvalidInput(
            f"y has {len(sides[0])} rows and predicted has {len(sides[1])}; "
            "they must be equally many"
        )
    return sides[0], sides[1]


def _column(values: ArrayLike, name: str) -> NDArray[Any]:
    column = np.asarray(values)
    if column.ndim != 1:
        raise InvalidInput(f"{name} has the shape {column.shape}; pass one column")
    if not len(column):
        raise InvalidInput(f"{name} has 0 rows; pass at least one")
    return column


def _are_codes(classes: Sequence[Any] | None, *sides: NDArray[Any]) -> bool:
    """Tell whether the labels are numbers of classes already: nothing to look up."""
    return (
        isinstance(classes, range)
        and (classes.start, classes.step) == (0, 1)
        and all(side.dtype.kind in "iu" and side.min() >= 0 for side in sides)
    )


def _distinct(*sides: NDArray[Any]) -> list[Any]:
    labels = {label for side in sides for label in np.asarray(pd.unique(side)).tolist()}
    try:
        return sorted(labels)
    except TypeError as error:
        raise InvalidInput(
            "labels of several types have no order; name the classes with classes="
        ) from error


def _index(labels: list[Any]) -> pd.Index:
    index = pd.Index(labels)
    if not index.is_unique:
        raise InvalidInput(f"classes names a label twice: {listing(labels)}")
    return index
