"""One raw value per column, to stand in for cells or for whole columns.

Feature shift replaces vanished columns in raw space, before encoding and scaling;
audits and baselines fill gaps the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pandas.api import types
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from caveat.datasets import detect_kinds
from caveat.exceptions import InvalidInput, UnknownName, listing
from caveat.tables._categorical import level_counts
from caveat.tables._columns import (
    TableTransformer,
    as_table,
    column_numbers,
    factorized,
    in_order,
    named_like,
)
from caveat.tables._numerical import FILLS, fill_value


def column_constants(
    X: pd.DataFrame,
    strategy: str = "mean",
    *,
    kinds: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Give the value that stands for each column of the training rows.

    Parameters
    ----------
    X : DataFrame
        Training rows.
    strategy : {"mean", "median", "mode", "zero"}, default="mean"
        For numerical columns. Categorical and boolean columns always give their most
        frequent value; the smallest of several.
    kinds : mapping of column to kind, optional

    Returns
    -------
    dict : column to value. A column without any value gives NaN.

    References
    ----------
    .. [1] Z.-J. Cheng et al. (2025). TabFSBench: tabular benchmark for feature shifts
       in open environments. ICML. Missing columns are filled by mean or mode.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 41], "sex": ["m", "f"], "fit": [True, True]})
    >>> column_constants(table)
    {'age': 30.5, 'sex': 'f', 'fit': True}
    """
    if strategy not in FILLS:
        raise InvalidInput(
            f"strategy is {strategy!r}; it must be one of {listing(FILLS)}"
        )
    given = {k: v for k, v in (kinds or {}).items() if k in X.columns}
    found = detect_kinds(X, given)
    return {name: _constant(X[name], found[name], strategy) for name in X.columns}


def _constant(column: pd.Series, kind: str, strategy: str) -> Any:
    if kind == "numerical":
        values = column_numbers(column)
        return np.nan if np.isnan(values).all() else fill_value(values, strategy)
    counts = level_counts(*factorized(column))
    most = max(counts.values(), default=0)
    if not most:
        return np.nan
    return in_order(key for key, count in counts.items() if count == most)[0]


def replace_columns(
    X: pd.DataFrame, values: Mapping[str, Any], columns: Iterable[str] | None = None
) -> pd.DataFrame:
    """Put one value in place of whole columns; the table itself stays as it is.

    Whole-number columns become float where the value is not whole. A column that the
    table lacks is added, at the place that `values` gives it if all its columns are
    there in the end.

    Parameters
    ----------
    X : DataFrame
    values : mapping of column to value
        From `column_constants`; NaN makes the cells missing.
    columns : iterable of str, optional
        Which columns; all of `values` if not given.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 41], "sex": ["m", "f"]})
    >>> replace_columns(table, {"age": 30.5}, ["age"])
        age sex
    0  30.5   m
    1  30.5   f
    """
    chosen = list(values) if columns is None else list(columns)
    for name in chosen:
        if name not in values:
            raise UnknownName.among("column", name, map(str, values))
    replaced = {name: _filled(X, name, values[name]) for name in chosen}
    result = X.assign(**replaced) if _all_text(replaced) else _assigned(X, replaced)
    order = [name for name in values if name in result.columns]
    if len(order) == result.shape[1]:
        result = result[order]
    return result


def _all_text(names: Iterable[object]) -> bool:
    return all(isinstance(name, str) for name in names)


def _assigned(X: pd.DataFrame, replaced: Mapping[Any, pd.Series]) -> pd.DataFrame:
    result = X.copy(deep=False)
    for name, column in replaced.items():
        result[name] = column
    return result


def _filled(X: pd.DataFrame, name: str, value: Any) -> pd.Series:
    """Make a column of one value, in the column's own type where that can hold it."""
    rows = len(X)
    dtype = X[name].dtype if name in X.columns else None
    if dtype is None or types.is_object_dtype(dtype):
        return pd.Series([value] * rows, index=X.index)
    if isinstance(dtype, pd.CategoricalDtype):
        levels = dtype.categories
        if not pd.isna(value) and value not in levels:
            dtype = pd.CategoricalDtype([*levels, value], ordered=dtype.ordered)
        return pd.Series(pd.Categorical([value] * rows, dtype=dtype), index=X.index)
    if isinstance(dtype, np.dtype) and dtype.kind in "iub":
        whole = not pd.isna(value) and float(value).is_integer()
        return pd.Series(np.full(rows, value), index=X.index).astype(
            dtype if whole else np.float64
        )
    if types.is_datetime64_any_dtype(dtype) and isinstance(value, float):
        value = pd.Timestamp(0) + pd.Timedelta(days=value) if value == value else pd.NaT
    try:
        return pd.Series([value] * rows, index=X.index, dtype=dtype)
    except (TypeError, ValueError):
        return pd.Series([value] * rows, index=X.index)


class ConstantImputer(TableTransformer):
    """Fill missing cells in raw space: the table keeps its columns and their kinds.

    Parameters
    ----------
    strategy : {"mean", "median", "mode", "zero"}, default="mean"
        For numerical columns; others get their most frequent value, the smallest of
        several.
    kinds : mapping of column to kind, optional

    Attributes
    ----------
    values_ : dict
        Column to the value that fills it.

    Warnings
    --------
    Filled cells look like measured ones afterwards. Where it matters that a cell was
    missing, encode with an indicator or a level of its own.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20.0, None, 40.0], "job": ["full", "full", None]})
    >>> ConstantImputer().fit_transform(table)
        age   job
    0  20.0  full
    1  30.0  full
    2  40.0  full
    """

    def __init__(
        self, strategy: str = "mean", *, kinds: Mapping[str, str] | None = None
    ) -> None:
        self.strategy = strategy
        self.kinds = kinds

    def fit(self, X: ArrayLike | pd.DataFrame, y: object = None) -> Self:
        """Learn the fills from training rows."""
        frame = self._training_table(X)
        self.values_ = column_constants(frame, self.strategy, kinds=self.kinds)
        empty = [name for name, value in self.values_.items() if pd.isna(value)]
        if empty:
            raise InvalidInput(
                f"columns {listing(empty)} have no value in the training rows, so "
                "there is nothing to fill them with; leave them out"
            )
        return self

    def transform(self, X: ArrayLike | pd.DataFrame) -> pd.DataFrame:
        """Fill the missing cells of rows."""
        check_is_fitted(self, "values_")
        if isinstance(X, pd.DataFrame) and hasattr(self, "feature_names_in_"):
            frame = named_like(as_table(X), list(self.values_))
        else:
            frame = as_table(X)
            validate_data(self, X=X, reset=False, skip_check_array=True)
            frame = frame.set_axis(list(self.values_), axis=1)
        gaps = [name for name in frame.columns if frame[name].isna().any()]
        return _assigned(frame, {name: self._mended(frame, name) for name in gaps})

    def _mended(self, frame: pd.DataFrame, name: str) -> pd.Series:
        column = frame[name]
        fills = _filled(frame, name, self.values_[name])
        return column.where(column.notna(), fills.to_numpy()).infer_objects()

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Name the columns: they stay what they were."""
        check_is_fitted(self, "values_")
        return np.array([str(name) for name in self.values_], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        """Say that what comes out is a table."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags
