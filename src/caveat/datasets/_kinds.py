"""What kind of column this is: numerical, categorical or boolean."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from pandas.api import types

from caveat.exceptions import InvalidInput, UnknownName, listing

KINDS = ("numerical", "categorical", "boolean")

# What pandas calls a column of Python objects, and what it means to us. Objects
# of several types are levels, told apart by their text.
_KIND_OF_OBJECTS = {
    "integer": "numerical",
    "floating": "numerical",
    "mixed-integer-float": "numerical",
    "decimal": "numerical",
    "datetime": "numerical",
    "datetime64": "numerical",
    "date": "numerical",
    "timedelta": "numerical",
    "boolean": "boolean",
    "string": "categorical",
    "categorical": "categorical",
    "mixed": "categorical",
    "mixed-integer": "categorical",
    "period": "categorical",
    "time": "categorical",
    "empty": "numerical",
}


def column_kind(column: pd.Series) -> str:
    """Tell the kind of one column.

    Numbers and dates are numerical, also when they are whole and few: a column of
    0 and 1 counts as numerical until somebody says otherwise. Text, categories and
    mixed objects are categorical. An object column without a value is numerical.

    Parameters
    ----------
    column : Series

    Returns
    -------
    str : ``numerical``, ``categorical`` or ``boolean``.

    Examples
    --------
    >>> column_kind(pd.Series(["a", None, "b"])), column_kind(pd.Series([0, 1]))
    ('categorical', 'numerical')
    """
    dtype = column.dtype
    if isinstance(dtype, pd.SparseDtype):
        dtype = dtype.subtype
    if types.is_bool_dtype(dtype) and not isinstance(dtype, pd.CategoricalDtype):
        return "boolean"
    if types.is_complex_dtype(dtype):
        raise InvalidInput(
            f"column {str(column.name)!r} holds complex numbers; "
            "split it into a real and an imaginary column"
        )
    if (
        types.is_numeric_dtype(dtype)
        or types.is_datetime64_any_dtype(dtype)
        or types.is_timedelta64_dtype(dtype)
    ):
        return "numerical"
    if types.is_object_dtype(dtype):
        return _kind_of_objects(column)
    return "categorical"


def _kind_of_objects(column: pd.Series) -> str:
    inferred = types.infer_dtype(column, skipna=True)
    if inferred not in _KIND_OF_OBJECTS:
        raise InvalidInput(
            f"column {str(column.name)!r} holds {inferred} objects; "
            "turn them into numbers or text first"
        )
    if inferred == "mixed":
        _refuse_containers(column)
    return _KIND_OF_OBJECTS[inferred]


def _refuse_containers(column: pd.Series) -> None:
    for value in column:
        if types.is_list_like(value) or isinstance(value, complex):
            raise InvalidInput(
                f"column {str(column.name)!r} holds {type(value).__name__} objects; "
                "a cell must be one number, text or truth value"
            )


def check_columns(frame: pd.DataFrame) -> None:
    """Refuse a frame whose columns cannot be told apart by name.

    Raises
    ------
    InvalidInput
        For several header levels, doubled names, or names of several types.
    """
    names = frame.columns
    if isinstance(names, pd.MultiIndex):
        raise InvalidInput(
            f"columns have {names.nlevels} header levels; join them into one name "
            "per column, such as 'level1.level2'"
        )
    if not names.is_unique:
        doubled = names[names.duplicated()].unique()
        raise InvalidInput(
            f"column names must be unique; {listing(doubled)} occurs more than once"
        )
    kinds_of_names = {type(name).__name__ for name in names}
    if "str" in kinds_of_names and len(kinds_of_names) > 1:
        raise InvalidInput(
            f"column names are of several types ({', '.join(sorted(kinds_of_names))}); "
            "make them all text"
        )


def detect_kinds(
    frame: pd.DataFrame, overrides: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Tell the kind of every column of a table.

    Parameters
    ----------
    frame : DataFrame
    overrides : mapping of column to kind, optional
        What you know better, such as a number that is a code.

    Returns
    -------
    dict : column to ``numerical``, ``categorical`` or ``boolean``, in column order.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [40, 49], "sex": ["M", "F"], "fit": [True, False]})
    >>> detect_kinds(table, {"age": "categorical"})
    {'age': 'categorical', 'sex': 'categorical', 'fit': 'boolean'}
    """
    check_columns(frame)
    given = dict(overrides or {})
    for column, kind in given.items():
        if column not in frame.columns:
            raise UnknownName.among("column", column, map(str, frame.columns))
        if kind not in KINDS:
            raise InvalidInput(
                f"kind of column {str(column)!r} is {kind!r}; it must be one of "
                f"{listing(KINDS)}"
            )
    return {
        name: given[name] if name in given else column_kind(frame[name])
        for name in frame.columns
    }
