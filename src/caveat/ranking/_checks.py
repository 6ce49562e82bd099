"""What the ranking functions ask of their input."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput


def as_values(values: ArrayLike, name: str = "scores") -> NDArray[np.float64]:
    """Return a 1-D float array without NaN; infinities can be ranked."""
    numbers = _as_floats(values, name)
    if numbers.ndim != 1:
        raise InvalidInput(
            f"{name}: found {numbers.ndim} dimensions, shape {numbers.shape}; "
            "pass one value per item"
        )
    _refuse_nan(numbers, name)
    return numbers


def as_matrix(scores: ArrayLike) -> NDArray[np.float64]:
    """Return a 2-D float array without NaN."""
    numbers = _as_floats(scores, "scores")
    if numbers.ndim != 2:
        raise InvalidInput(
            f"scores: found {numbers.ndim} dimensions, shape {numbers.shape}; "
            "pass a matrix with a row per item"
        )
    _refuse_nan(numbers, "scores")
    return numbers


def as_flags(positive: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return which items are positive; only False/True and 0/1 will do."""
    flags = np.asarray(positive)
    if flags.shape != shape:
        raise InvalidInput(
            f"positive: shape {flags.shape} does not fit scores of shape {shape}; "
            "pass one flag per score"
        )
    if flags.dtype == bool:
        return flags
    try:
        odd = np.flatnonzero(~((flags == 0) | (flags == 1)).ravel())
    except (TypeError, ValueError):
        odd = np.arange(flags.size)
    if odd.size:
        raise InvalidInput(
            f"positive: found {flags.ravel()[odd[0]]!r} at position {odd[0]}; "
            "pass 0/1 or False/True"
        )
    return flags.astype(bool)


def as_weights(weights: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return finite weights, none of them negative."""
    numbers = as_values(weights, "weights")
    if len(numbers) != n:
        raise InvalidInput(
            f"weights: {len(numbers)} weights for {n} scores; pass one per score"
        )
    odd = np.flatnonzero(~(np.isfinite(numbers) & (numbers >= 0)))
    if odd.size:
        raise InvalidInput(
            f"weights: found {numbers[odd[0]]:g} at position {odd[0]}; "
            "weights are finite and not negative"
        )
    return numbers


def _as_floats(values: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name}: not numbers ({error}); pass numbers") from error


def _refuse_nan(numbers: NDArray[np.float64], name: str) -> None:
    missing = np.isnan(numbers)
    if missing.any():
        place = tuple(int(i) for i in np.argwhere(missing)[0])
        where = place[0] if len(place) == 1 else place
        raise InvalidInput(
            f"{name}: found NaN at position {where}, which has no rank; "
            "drop or fill missing values first"
        )
