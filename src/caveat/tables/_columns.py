"""Columns as plain arrays: floats for numbers, integer codes for levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api import types
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags, check_array
from sklearn.utils.validation import validate_data

from caveat.datasets import check_columns
from caveat.exceptions import InvalidInput, listing

_DAY = np.timedelta64(1, "D")


def as_table(X: ArrayLike | pd.DataFrame) -> pd.DataFrame:
    """Return a DataFrame of whatever was passed as `X`, its column names as text.

    Columns of arrays are called x0, x1, ...

    Parameters
    ----------
    X : DataFrame or array-like of shape (rows, columns)

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> as_table([[1, 2], [3, 4]]).columns.tolist()
    ['x0', 'x1']
    """
    if isinstance(X, pd.DataFrame):
        check_columns(X)
        if all(isinstance(name, str) for name in X.columns):
            return X
        return X.set_axis([str(name) for name in X.columns], axis=1)
    if sparse.issparse(X):
        raise InvalidInput(
            "X is a sparse matrix; a table has columns of their own kinds: pass "
            "X.toarray(), or use the matrix as it is"
        )
    values = check_array(X, dtype=None, ensure_all_finite=False, ensure_min_samples=0)
    if values.dtype.kind == "c":
        raise InvalidInput(
            "Complex data not supported: X holds complex numbers; split them into real "
            "and imaginary columns"
        )
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    names = [f"x{j}" for j in range(values.shape[1])]
    frame = pd.DataFrame(values, columns=names)
    return frame.infer_objects() if values.dtype == object else frame


class TableTransformer(TransformerMixin, BaseEstimator):
    """What learns from the columns of a table, of whatever kinds they are."""

    def _training_table(self, X: ArrayLike | pd.DataFrame) -> pd.DataFrame:
        """Remember the columns' names, and give the rows to learn from."""
        frame = as_table(X)
        if not len(frame) or not frame.shape[1]:
            raise InvalidInput(
                f"Found array with {len(frame)} sample(s) and {frame.shape[1]} "
                "feature(s) while a minimum of 1 is required: pass a table with at "
                "least one row and one column"
            )
        validate_data(self, X=X, reset=True, skip_check_array=True)
        return frame

    def __sklearn_tags__(self) -> Tags:
        """Say that missing cells, text and categories are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def column_numbers(column: pd.Series) -> NDArray[np.float64]:
    """Give a column as float64, NaN where it is missing; dates as days since 1970.

    Raises
    ------
    InvalidInput
        Where a cell is infinite or no number.

    Examples
    --------
    >>> column_numbers(pd.Series(["1970-01-02", None], dtype="datetime64[ns]"))
    array([ 1., nan])
    """
    dtype = column.dtype
    if isinstance(dtype, pd.SparseDtype):
        column = pd.Series(np.asarray(column), name=column.name)
        dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        column = column.astype(dtype.categories.dtype)
        dtype = column.dtype
    if types.is_datetime64_any_dtype(dtype):
        stamps = (
            column.dt.tz_convert("UTC").dt.tz_localize(None) if column.dt.tz else column
        )
        values = (stamps - pd.Timestamp(0)).to_numpy() / _DAY
    elif types.is_timedelta64_dtype(dtype):
        values = column.to_numpy() / _DAY
    elif types.is_numeric_dtype(dtype) or types.is_bool_dtype(dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        values = _parsed(column)
    infinite = np.isinf(values)
    if infinite.any():
        rows = np.flatnonzero(infinite)
        raise InvalidInput(
            f"column {str(column.name)!r} holds infinity in {len(rows)} rows (row "
            f"{rows[0]} first); replace it by a number or leave the cell empty"
        )
    return np.asarray(values, dtype=np.float64)


def _parsed(column: pd.Series) -> NDArray[np.float64]:
    if types.infer_dtype(column, skipna=True) in ("datetime", "datetime64", "date"):
        return column_numbers(pd.to_datetime(column, utc=True))
    if types.infer_dtype(column, skipna=True) == "timedelta":
        return column_numbers(pd.to_timedelta(column))
    objects = column.astype(object)
    numbers = pd.to_numeric(objects.where(objects.notna(), None), errors="coerce")
    values = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = np.flatnonzero(np.isnan(values) & objects.notna().to_numpy())
    if len(wrong):
        raise InvalidInput(
            f"column {str(column.name)!r} holds {objects.iloc[wrong[0]]!r} in row "
            f"{wrong[0]}, which is not a number; call the column categorical in `kinds`"
        )
    return values


def level_key(value: Any) -> Any:
    """Return what a level is known by: whole numbers as int, objects by their text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | float | np.number):
        number = value.item() if isinstance(value, np.number) else value
        whole = isinstance(number, float) and number.is_integer()
        return int(number) if whole else number
    return str(value)


def level_text(value: Any) -> str:
    """Write a level as text: the same for 1 and 1.0."""
    return value if isinstance(value, str) else str(level_key(value))


def is_mixed(column: pd.Series) -> bool:
    """Whether a column holds objects of several types: their text is their level."""
    objects = types.is_object_dtype(column.dtype)
    return objects and types.infer_dtype(column).startswith("mixed")


def factorized(
    column: pd.Series, *, by_text: bool | None = None
) -> tuple[NDArray[np.intp], list[Any]]:
    """Split a column into codes (-1: missing) and the keys they stand for.

    Keys need not be distinct: the objects 1 and 1.0 share one.

    Parameters
    ----------
    column : Series
    by_text : bool or None, default=None
        Whether levels go by their text, as those of a mixed column do. What training
        found has to be told: a few rows of a mixed column need not be mixed.
    """
    dtype = column.dtype
    mixed = is_mixed(column)
    told = mixed if by_text is None else by_text
    form = level_text if told else level_key
    if isinstance(dtype, pd.CategoricalDtype):
        return np.asarray(column.cat.codes, dtype=np.intp), [
            form(level) for level in dtype.categories
        ]
    if isinstance(dtype, pd.SparseDtype):
        column = pd.Series(np.asarray(column), name=column.name)
    if mixed or told:
        # 1, True and 1.0 are equal to Python, and lists cannot be hashed at all.
        known = column.astype(object)
        column = known.where(known.isna(), known.map(form))
    codes, uniques = pd.factorize(column)
    levels = uniques.tolist()
    if not isinstance(uniques.dtype, np.dtype) or uniques.dtype.kind not in "iub":
        levels = [level if type(level) is str else level_key(level) for level in levels]
    return codes.astype(np.intp), levels


def in_order(keys: Any) -> list[Any]:
    """Sort levels: numbers by value, then text by code points."""
    levels = list(keys)
    if len(set(map(type, levels))) <= 1:
        return sorted(levels)
    return sorted(levels, key=lambda key: (isinstance(key, str), key))


def named_like(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Pick the columns that were there in training, by name, in that order."""
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise InvalidInput(
            f"columns {listing(missing)} were there in training and are missing now; "
            "put them back, or fill them in with caveat.tables.replace_columns"
        )
    return frame[columns]
