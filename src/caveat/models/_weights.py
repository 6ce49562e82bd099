"""How much each row counts: weights of rows times weights of their classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput, listing

Floats = NDArray[np.float64]


def row_weights(
    sample_weight: ArrayLike | None,
    class_weight: str | Mapping[Any, float] | None,
    target: NDArray[Any],
    classes: NDArray[Any] | None,
) -> Floats | None:
    """Multiply weights of rows and classes; None if there are neither.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,) or None
    class_weight : "balanced", mapping of label to weight, or None
        "balanced" makes all classes weigh alike.
    target : array of shape (n_rows,)
        Codes of classes, or numbers.
    classes : array or None
        The labels; None for a regression.

    Examples
    --------
    >>> import numpy as np
    >>> y, classes = np.array([0, 0, 0, 1]), np.array(["a", "b"])
    >>> row_weights(None, "balanced", y, classes).round(2).tolist()
    [0.67, 0.67, 0.67, 2.0]
    """
    weights = None
    if sample_weight is not None:
        weights = _checked(sample_weight, len(target))
    if class_weight is None or classes is None:
        return weights
    by_class = class_weights(class_weight, target, classes)[target]
    return by_class if weights is None else weights * by_class


def _checked(sample_weight: ArrayLike, n_rows: int) -> Floats:
    # A plain number weighs all rows alike.
    given = np.asarray(sample_weight, dtype=np.float64)
    weights = np.full(n_rows, float(given)) if given.ndim == 0 else given
    if weights.shape != (n_rows,):
        raise InvalidInput(
            f"sample_weight has the shape {weights.shape}, but there are {n_rows} rows"
        )
    wrong = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(wrong):
        raise InvalidInput(
            f"sample_weight is {weights[wrong[0]]} in row {wrong[0]}; pass finite "
            "numbers of at least 0"
        )
    if not weights.any():
        raise InvalidInput("sample_weight is zero in every row; some row must count")
    return weights


def class_weights(
    class_weight: str | Mapping[Any, float], target: NDArray[Any], classes: NDArray[Any]
) -> Floats:
    """Give the weight of every class; "balanced" looks at the training rows.

    Examples
    --------
    >>> class_weights("balanced", np.array([0, 0, 0, 1]), np.array(["a", "b"])).tolist()
    [0.6666666666666666, 2.0]
    """
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise InvalidInput(
                f"class_weight is {class_weight!r}; pass 'balanced' or a weight for "
                "every label"
            )
        return len(target) / (len(classes) * np.bincount(target))
    labels = classes.tolist()
    missing = [label for label in labels if label not in class_weight]
    if missing:
        raise InvalidInput(f"class_weight has no weight for {listing(missing)}")
    return np.array([float(class_weight[label]) for label in labels])
