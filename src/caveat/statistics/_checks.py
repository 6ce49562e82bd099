"""What the statistics accept, and the one sentence for what they do not."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput, hint

DIRECTIONS = ("max", "min")


def check_choice(name: str, value: object, known: Sequence[str]) -> str:
    """Return the value if it is one of the known words."""
    if not isinstance(value, str) or value not in known:
        raise InvalidInput(f"{name} is {value!r}; {hint(value, known)}")
    return value


def check_direction(direction: object) -> float:
    """Return the factor that makes larger better: 1 for max, -1 for min."""
    return 1.0 if check_choice("direction", direction, DIRECTIONS) == "max" else -1.0


def check_share(name: str, value: float) -> float:
    """Return a number that lies strictly between 0 and 1."""
    try:
        share = float(value)
    except (TypeError, ValueError):
        share = np.nan
    if not 0 < share < 1:
        raise InvalidInput(f"{name} is {value!r}; pass a number between 0 and 1")
    return share


def check_count(name: str, value: int, least: int) -> int:
    """Return a whole number that is not below the least one."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:
        raise InvalidInput(f"{name} is {value!r}; pass a whole number from {least} on")
    return int(value)


def check_values(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return a copy as one row of floats; None becomes NaN, infinity is refused."""
    try:
        # Columns of pandas may hold NA, which numpy cannot turn into a float.
        if isinstance(values, (pd.Series, pd.Index)):
            values = values.to_numpy(dtype=np.float64, na_value=np.nan)
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} are not numbers ({error}); pass floats") from None
    if array.ndim != 1:
        raise InvalidInput(
            f"{name} have {array.ndim} dimensions, not 1; pass one list of numbers"
        )
    if np.isinf(array).any():
        raise InvalidInput(
            f"{name} hold {array[np.isinf(array)][0]}, which has no mean; "
            "pass NaN where there is no value"
        )
    return array


def check_pairs(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], int]:
    """Return the differences a - b where both are there, and how many are not."""
    first, second = check_values("a", a), check_values("b", b)
    if len(first) != len(second):
        raise InvalidInput(
            f"a has {len(first)} values and b has {len(second)}; pass pairs, "
            "with NaN where one is missing"
        )
    differences = first - second
    missing = np.isnan(differences)
    return differences[~missing], int(missing.sum())


def check_table(table: pd.DataFrame | ArrayLike) -> pd.DataFrame:
    """Return blocks x learners as floats; None becomes NaN, infinity may stay."""
    try:
        frame = table if isinstance(table, pd.DataFrame) else _as_frame(table)
        floats = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    except InvalidInput:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"the table holds something that is not a number ({error}); "
            "pass one row per data set and one column per learner"
        ) from None
    if frame.shape[1] == 0:
        raise InvalidInput("the table has no columns; pass one column per learner")
    doubled: list[Hashable] = list(frame.columns[frame.columns.duplicated()])
    if doubled:
        raise InvalidInput(
            f"the table has two columns called {str(doubled[0])!r}; rename one"
        )
    return pd.DataFrame(floats, index=frame.index, columns=frame.columns)


def absent_cells(
    values: NDArray[np.float64], frame: pd.DataFrame, policy: str, others: str
) -> NDArray[np.bool_]:
    """Tell which cells have no value; refuse any, naming the others, if asked to."""
    absent = np.isnan(values)
    if absent.any() and policy == "error":
        row, column = np.argwhere(absent)[0]
        raise InvalidInput(
            f"learner {str(frame.columns[column])!r} has no value in block "
            f"{str(frame.index[row])!r} ({absent.sum()} cells are missing); pass "
            f"{others}"
        )
    return absent


def _as_frame(table: ArrayLike) -> pd.DataFrame:
    array = np.array(table, dtype=np.float64)
    if array.ndim != 2:
        raise InvalidInput(
            f"the table has {array.ndim} dimensions, not 2; pass one row per data "
            "set and one column per learner"
        )
    return pd.DataFrame(array)
