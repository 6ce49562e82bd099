"""The two tables of a curve, checked, and aligned by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from caveat.exceptions import InvalidInput, listing
from caveat.tables import check_columns, column_kind


@dataclass(frozen=True)
class Tables:
    """Training and test table with the same columns in the same order.

    Attributes
    ----------
    train, test : DataFrame
        A column that never arrives at test time is missing in every test row.
    absent : tuple of str
        Columns that never arrive at test time.
    extra : tuple of str
        Columns of the test table that the model does not know.
    unseen : dict of str to int
        How many test rows have a category that training has not.
    named : bool
        Whether the model is to get frames; else arrays, as it was given.
    """

    train: pd.DataFrame
    test: pd.DataFrame
    absent: tuple[str, ...]
    extra: tuple[str, ...]
    unseen: dict[str, int]
    named: bool

    @cached_property
    def columns(self) -> list[str]:
        """Names of all columns that the model learnt from."""
        return list(self.train.columns)

    @cached_property
    def present(self) -> list[int]:
        """Numbers of the columns that can still vanish."""
        absent = set(self.absent)
        return [place for place, name in enumerate(self.columns) if name not in absent]


def check_tables(
    X_train: Any, X_test: Any, model: Any = None, *, missing: str = "error"
) -> Tables:
    """Check both tables and bring the test columns into the order of training.

    Parameters
    ----------
    X_train, X_test : DataFrame or array-like
        Two frames are aligned by name, two arrays by position.
    model : object or None
        Its `feature_names_in_`, if any, say which columns count.
    missing : {"error", "impute"}
        What to do about training columns that the test table has not.
    """
    if missing not in ("error", "impute"):
        raise InvalidInput(f"missing is {missing!r}; use 'error' or 'impute'")
    framed = isinstance(X_train, pd.DataFrame)
    if framed != isinstance(X_test, pd.DataFrame):
        raise InvalidInput(
            "one of X_train and X_test is a frame and the other is not; pass two "
            "frames, or two arrays with the same columns"
        )
    train, test = check_table(X_train, "X_train"), check_table(X_test, "X_test")
    if not framed and train.shape[1] != test.shape[1]:
        raise InvalidInput(
            f"X_train has {train.shape[1]} columns and X_test has {test.shape[1]}; "
            "arrays are aligned by position and need the same number"
        )
    known = _known_columns(train, model)
    train = train[known]
    absent = tuple(name for name in known if name not in test.columns)
    if absent and missing == "error":
        raise InvalidInput(
            f"X_test lacks the columns {listing(absent)} that the model learnt from; "
            "missing='impute' puts imputed values in their place, or add them"
        )
    if len(absent) == len(known):
        raise InvalidInput(
            f"X_test has none of the {len(known)} training columns; check the names, "
            f"the first is {known[0]!r}"
        )
    extra = tuple(name for name in test.columns if name not in train.columns)
    aligned = test.reindex(columns=known)
    _check_kinds(train, aligned, absent)
    return Tables(
        train,
        aligned,
        absent,
        extra,
        _unseen(train, aligned),
        wants_frames(model, X_train),
    )


def check_table(X: Any, name: str) -> pd.DataFrame:
    """Turn a table into a frame with unique names and finite numbers."""
    if issparse(X):
        raise InvalidInput(f"{name} is sparse; pass a frame or a dense array")
    if isinstance(X, pd.DataFrame):
        frame = X.reset_index(drop=True)
    else:
        array = np.asarray(X)
        if array.ndim != 2:
            raise InvalidInput(
                f"{name} has {array.ndim} dimension(s); pass rows and columns"
            )
        frame = pd.DataFrame(array).infer_objects()
    try:
        check_columns(frame)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from None
    if not len(frame) or not frame.shape[1]:
        raise InvalidInput(
            f"{name} has {len(frame)} rows and {frame.shape[1]} columns; at least one "
            "of each is needed"
        )
    for column in frame.columns:
        values = frame[column]
        if (
            pd.api.types.is_float_dtype(values)
            and np.isinf(values.to_numpy(dtype=float, na_value=np.nan)).any()
        ):
            raise InvalidInput(
                f"{name} has infinite numbers in the column {str(column)!r}; replace "
                "them by missing or finite values"
            )
    return frame


def _known_columns(train: pd.DataFrame, model: Any) -> list[str]:
    names = model_columns(model)
    if names is None or not set(names) & set(train.columns):
        # Fitted on an array, or by a library that makes names up: by position.
        return list(train.columns)
    lacking = [name for name in names if name not in train.columns]
    if lacking:
        raise InvalidInput(
            f"X_train lacks the columns {listing(lacking)} that the model learnt from; "
            "pass the table that it was fitted on"
        )
    return names


def model_columns(model: Any) -> list[str] | None:
    """Names of the columns that a model was fitted on, if it remembers them."""
    names = getattr(model, "feature_names_in_", None)
    if names is None and callable(getattr(model, "is_fitted", None)):
        # CatBoost has a word of its own, which an unfitted model must not be asked.
        names = getattr(model, "feature_names_", None) if model.is_fitted() else None
    return None if names is None else list(names)


def wants_frames(model: Any, X: Any) -> bool:
    """Whether a model is to be asked with frames: as it was fitted, if one can tell."""
    if not isinstance(X, pd.DataFrame):
        return False
    names = model_columns(model)
    if names is not None:
        return bool(set(names) & set(X.columns))
    # scikit-learn remembers names of frames; what has none was fitted on an array.
    ours = type(model).__module__.partition(".")[0] == "sklearn"
    return not (ours and hasattr(model, "n_features_in_"))


def is_categorical(values: pd.Series) -> bool:
    """Tell whether a column holds categories: text, truth values, mixed objects."""
    return column_kind(values) != "numerical"


def _check_kinds(
    train: pd.DataFrame, test: pd.DataFrame, absent: Sequence[str]
) -> None:
    for name in train.columns:
        alike = is_categorical(train[name]) == is_categorical(test[name])
        if not (alike or name in absent or test[name].isna().all()):
            raise InvalidInput(
                f"the column {str(name)!r} is {train[name].dtype} in X_train and "
                f"{test[name].dtype} in X_test; give it one type"
            )


def _unseen(train: pd.DataFrame, test: pd.DataFrame) -> dict[str, int]:
    counts = {}
    for name in train.columns:
        if is_categorical(train[name]):
            known = pd.unique(train[name].dropna())
            new = test[name].notna() & ~test[name].isin(known)
            counts[str(name)] = int(new.sum())
    return {name: count for name, count in counts.items() if count}
