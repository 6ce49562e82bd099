"""The one way from a table of mixed columns to numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from caveat.datasets import detect_kinds
from caveat.exceptions import InvalidInput, listing
from caveat.tables._categorical import UNSEEN, CategoricalColumn, learn_categorical
from caveat.tables._columns import TableTransformer, as_table, level_text, named_like
from caveat.tables._numerical import FILLS, SCALES, learn_numerical, numbers_of

_MOST_BYTES = 8 * 2**30


class TableEncoder(TableTransformer):
    """Turn a table into numbers, by what the training rows were like.

    Numerical and boolean columns come first, in the order of the table; then a column
    per indicator of missing numbers; then the categorical columns, in the order of the
    table, their levels sorted (numbers by value, text by code points; an ordered
    categorical keeps its own order).

    Parameters
    ----------
    kinds : mapping of column to kind, optional
        ``numerical``, ``categorical`` or ``boolean`` where detection would err. Columns
        that the table does not have are ignored, so `Dataset.kinds` can be passed.
    categories : {"onehot", "ordinal", "keep"}, default="onehot"
        A 0/1 column per level; one column of codes 0, 1, ... (-1 is unknown); or the
        text as it is, for learners that take it (the result is then a DataFrame).
    scale : {"standard", "minmax", None}, default="standard"
        Mean 0 and population standard deviation 1, or a range, for numerical and
        boolean columns. A constant column becomes 0 (or the low end of the range).
    impute : {"mean", "median", "mode", "zero", None}, default="mean"
        What missing numbers become; None leaves NaN. Boolean columns get their mode.
        A column without any value becomes 0, with a warning.
    missing_level : {"own", "mode", None}, default="own"
        What missing categories become: a level of their own (if there were any in
        training; else they count as unseen), the most frequent level, or nothing
        (all-zero indicators, NaN codes).
    unseen : {"ignore", "mode", "error"}, default="ignore"
        What becomes of a level that training did not have: the merged rare level if
        there is one, else all-zero indicators or the code -1; the most frequent level;
        or an error that names it.
    indicator : float, optional
        Add a 0/1 column ``age is missing`` for every numerical column that is missing
        in at least this share of the training rows (and in one row at least).
    rare : float, optional
        Merge levels with a smaller share of the training rows into one.
    max_levels : int, optional
        Keep the most frequent levels only, and merge the others.
    block_scale : bool, default=False
        Centre the indicators of a categorical column by their training shares q, and
        divide them by sqrt(sum q (1 - q)), so that one categorical column has total
        variance 1, like one standardised numerical column.
    drop_constant : bool, default=False
        Leave out what does not vary in training.
    scale_codes : bool, default=False
        Scale ordinal codes like numbers.
    scale_range : pair of float, default=(0.0, 1.0)
        For ``scale="minmax"``. Rows outside the training range end outside of it.
    sparse_output : bool, default=False
        Give a CSR matrix; then `block_scale` cannot be used.
    dtype : {"float64", "float32"}, default="float64"

    Attributes
    ----------
    kinds_ : dict
        Column to kind.
    numerical_, categorical_ : list of str
        Columns that are encoded as numbers (also boolean ones), and as levels.
    levels_ : dict
        Categorical column to its levels, in the order of their codes.
    sizes_ : list of int
        How many codes each categorical column has, for embeddings.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if it was fitted on a table whose names are text.

    Warnings
    --------
    One column that identifies the rows (a name, a number of a case) becomes as many
    indicators as there are rows, and a model can learn them by heart; use `rare` or
    `max_levels`. Standardising hides that two columns had the same unit.
    Ordinal codes give levels an order that they may not have.

    Notes
    -----
    Columns are found by name: another order makes no difference, columns that training
    did not have are left out, a missing one is refused. Levels are known by their
    text, numbers by their value: 1 and 1.0 are one level, 1 and "1" are two, but in a
    column of mixed objects all go by their text. Infinite numbers are refused. Dates
    become days since 1970. A number too far outside of the training range to be scaled
    is held at the end of its type.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [20, 40, None], "job": ["full", None, "part"]})
    >>> encoder = TableEncoder(scale=None).fit(table)
    >>> encoder.transform(table)
    array([[20.,  1.,  0.,  0.],
           [40.,  0.,  0.,  1.],
           [30.,  0.,  1.,  0.]])
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'job=full', 'job=part', 'job is missing']
    """

    def __init__(
        self,
        kinds: Mapping[str, str] | None = None,
        categories: str = "onehot",
        scale: str | None = "standard",
        impute: str | None = "mean",
        *,
        missing_level: str | None = "own",
        unseen: str = "ignore",
        indicator: float | None = None,
        rare: float | None = None,
        max_levels: int | None = None,
        block_scale: bool = False,
        drop_constant: bool = False,
        scale_codes: bool = False,
        scale_range: tuple[float, float] = (0.0, 1.0),
        sparse_output: bool = False,
        dtype: str = "float64",
    ) -> None:
        self.kinds = kinds
        self.categories = categories
        self.scale = scale
        self.impute = impute
        self.missing_level = missing_level
        self.unseen = unseen
        self.indicator = indicator
        self.rare = rare
        self.max_levels = max_levels
        self.block_scale = block_scale
        self.drop_constant = drop_constant
        self.scale_codes = scale_codes
        self.scale_range = scale_range
        self.sparse_output = sparse_output
        self.dtype = dtype

    def fit(self, X: ArrayLike | pd.DataFrame, y: object = None) -> Self:
        """Learn fills, scales and levels from training rows.

        Parameters
        ----------
        X : DataFrame or array-like of shape (rows, columns)
        y : ignored

        Returns
        -------
        self
        """
        self._check_parameters()
        frame = self._training_table(X)
        self.by_name_ = isinstance(X, pd.DataFrame)
        self.columns_ = [str(name) for name in frame.columns]
        known = {str(name): kind for name, kind in (self.kinds or {}).items()}
        self.kinds_ = detect_kinds(
            frame, {name: known[name] for name in self.columns_ if name in known}
        )
        levelled = [c for c in self.columns_ if self.kinds_[c] == "categorical"]
        self.numerical_ = [c for c in self.columns_ if self.kinds_[c] != "categorical"]
        self._fit_numbers(frame)
        self._parts: list[CategoricalColumn] = []
        if self.categories != "keep":
            self._parts = [self._learn_levels(frame[name]) for name in levelled]
        if self.drop_constant:
            drop = self._part.constant
            self._kept_numbers = np.flatnonzero(~drop)
            self._parts = [part for part in self._parts if part.size > 1]
        self.categorical_ = levelled
        self.levels_ = {part.name: list(part.levels) for part in self._parts}
        self.sizes_ = [part.size for part in self._parts]
        self._fit_codes(frame)
        return self

    def _learn_levels(self, column: pd.Series) -> CategoricalColumn:
        return learn_categorical(
            column,
            missing_level=self.missing_level,
            unseen=self.unseen,
            rare=self.rare,
            max_levels=self.max_levels,
        )

    def _fit_numbers(self, frame: pd.DataFrame) -> None:
        values = numbers_of(frame, self.numerical_)
        boolean = [self.kinds_[c] == "boolean" for c in self.numerical_]
        share = np.isnan(values).mean(axis=0)
        wanted = self.indicator is not None
        gaps = wanted & (share > 0) & (share >= (self.indicator or 0.0))
        self._indicated = np.flatnonzero(gaps & (share < 1))
        self._gap_shares = share[self._indicated]
        self._part = learn_numerical(
            values,
            self.numerical_,
            np.array(boolean, dtype=np.bool_),
            impute=self.impute,
            scale=self.scale,
            scale_range=self.scale_range,
        )
        self._kept_numbers = np.arange(len(self.numerical_))

    def _fit_codes(self, frame: pd.DataFrame) -> None:
        self._code_part = None
        if self.scale_codes and self.categories == "ordinal":
            self._code_part = learn_numerical(
                self._ordinal(frame),
                [part.name for part in self._parts],
                np.zeros(len(self._parts), dtype=np.bool_),
                impute=None,
                scale=self.scale,
                scale_range=self.scale_range,
            )

    def transform(self, X: ArrayLike | pd.DataFrame) -> Any:
        """Encode rows.

        Parameters
        ----------
        X : DataFrame or array-like of shape (rows, columns)

        Returns
        -------
        array of shape (rows, encoded columns); a CSR matrix with `sparse_output`, a
        DataFrame with ``categories="keep"``.
        """
        frame = self._table(X)
        values = numbers_of(frame, self.numerical_)
        gaps = np.isnan(values[:, self._indicated]).astype(np.float64)
        numbers = self._part.apply(values, self.dtype)[:, self._kept_numbers]
        if self.block_scale:
            q = self._gap_shares
            gaps = (gaps - q) / np.sqrt(q * (1 - q))
        if self.categories == "keep":
            return self._with_text(frame, np.hstack([numbers, gaps]))
        if self.categories == "ordinal":
            codes = self._ordinal(frame)
            if self._code_part is not None:
                codes = self._code_part.apply(codes)
            return self._finish([numbers, gaps, codes])
        if self.sparse_output:
            blocks = [self._sparse_block(part, frame) for part in self._parts]
            numbers = sparse.csr_array(np.hstack([numbers, gaps]))
            return sparse.csr_array(
                sparse.hstack([numbers, *blocks], format="csr", dtype=self.dtype)
            )
        return self._dense(frame, numbers, gaps)

    def _dense(
        self, frame: pd.DataFrame, numbers: NDArray[Any], gaps: NDArray[Any]
    ) -> NDArray[Any]:
        head = numbers.shape[1] + gaps.shape[1]
        width = head + sum(part.size for part in self._parts)
        self._check_size(len(frame), width)
        out = np.zeros((len(frame), width), dtype=self.dtype)
        out[:, : numbers.shape[1]] = numbers
        out[:, numbers.shape[1] : head] = gaps
        rows = np.arange(len(frame))
        for part in self._parts:
            codes = part.encode(frame[part.name], refuse=self.unseen == "error")
            known = codes >= 0
            out[rows[known], head + codes[known]] = 1.0
            if self.block_scale:
                block = out[:, head : head + part.size]
                variance = float((part.shares * (1 - part.shares)).sum())
                block -= part.shares
                block /= np.sqrt(variance) if variance > 0 else 1.0
            head += part.size
        return out

    def _sparse_block(self, part: CategoricalColumn, frame: pd.DataFrame) -> Any:
        codes = part.encode(frame[part.name], refuse=self.unseen == "error")
        known = np.flatnonzero(codes >= 0)
        cells = (np.ones(len(known), dtype=self.dtype), (known, codes[known]))
        return sparse.csr_array(cells, shape=(len(frame), part.size))

    def _ordinal(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        codes = np.empty((len(frame), len(self._parts)))
        for j, part in enumerate(self._parts):
            column = frame[part.name]
            codes[:, j] = part.encode(column, refuse=self.unseen == "error")
            if self.missing_level is None:
                codes[column.isna().to_numpy(), j] = np.nan
        return codes

    def _with_text(self, frame: pd.DataFrame, numbers: NDArray[Any]) -> pd.DataFrame:
        names = [self.numerical_[j] for j in self._kept_numbers]
        names += [f"{self.numerical_[j]} is missing" for j in self._indicated]
        out = pd.DataFrame(numbers.astype(self.dtype), columns=names, index=frame.index)
        text = {}
        for name in self.categorical_:
            column = frame[name].astype(object)
            words = column.map(level_text)
            gap = "missing" if self.missing_level == "own" else None
            text[name] = words.where(column.notna(), gap)
        return pd.concat([out, pd.DataFrame(text, index=frame.index)], axis=1)

    def _finish(self, parts: list[NDArray[Any]]) -> Any:
        self._check_size(len(parts[0]), sum(part.shape[1] for part in parts))
        table = np.hstack(parts).astype(self.dtype, copy=False)
        return sparse.csr_array(table) if self.sparse_output else table

    def _table(self, X: ArrayLike | pd.DataFrame) -> pd.DataFrame:
        check_is_fitted(self, "columns_")
        if isinstance(X, pd.DataFrame) and self.by_name_:
            return named_like(as_table(X), self.columns_)
        frame = as_table(X)
        validate_data(self, X=X, reset=False, skip_check_array=True)
        return frame.set_axis(self.columns_, axis=1)

    def unseen_counts(self, X: ArrayLike | pd.DataFrame) -> pd.Series:
        """Count, per categorical column, the cells whose level training did not have.

        Parameters
        ----------
        X : DataFrame or array-like of shape (rows, columns)

        Returns
        -------
        Series of int, by column.
        """
        frame = self._table(X)
        return pd.Series(
            {part.name: part.count_unseen(frame[part.name]) for part in self._parts},
            dtype=int,
        )

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Name the encoded columns: ``age``, ``age is missing``, ``job=full``.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        array of str
        """
        check_is_fitted(self, "columns_")
        names = [self.numerical_[j] for j in self._kept_numbers]
        names += [f"{self.numerical_[j]} is missing" for j in self._indicated]
        if self.categories == "keep":
            names += self.categorical_
        for part in self._parts:
            names += [part.name] if self.categories == "ordinal" else part.names()
        return np.array(names, dtype=object)

    def _check_size(self, rows: int, width: int) -> None:
        need = rows * width * np.dtype(self.dtype).itemsize
        if need > _MOST_BYTES:
            widest = max(self._parts, key=lambda part: part.size, default=None)
            where = (
                f", {widest.size} of them from column {widest.name!r}" if widest else ""
            )
            raise InvalidInput(
                f"encoding {rows} rows into {width} columns{where} would take "
                f"{need / 2**30:.0f} GiB; use categories='ordinal', max_levels or "
                "sparse_output"
            )

    def _check_parameters(self) -> None:
        allowed: dict[str, tuple[Any, ...]] = {
            "categories": ("onehot", "ordinal", "keep"),
            "scale": (*SCALES, None),
            "impute": (*FILLS, None),
            "missing_level": ("own", "mode", None),
            "unseen": UNSEEN,
            "dtype": ("float64", "float32"),
        }
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise InvalidInput(
                    f"{name} is {getattr(self, name)!r}; it must be one of "
                    f"{listing(values)}"
                )
        for name in ("indicator", "rare"):
            share = getattr(self, name)
            if share is not None and not 0 <= share <= 1:
                raise InvalidInput(f"{name} is {share!r}; it must be a share, 0 to 1")
        if self.max_levels is not None and self.max_levels < 1:
            raise InvalidInput(
                f"max_levels is {self.max_levels!r}; it must be at least 1"
            )
        if self.block_scale and (self.sparse_output or self.categories != "onehot"):
            raise InvalidInput(
                "block_scale needs dense indicators: use it with categories='onehot' "
                "and without sparse_output"
            )
        low, high = self.scale_range
        if not low < high:
            raise InvalidInput(
                f"scale_range is {self.scale_range!r}; low must be below high"
            )


def remember_columns(model: Any, encoder: Any) -> None:
    """Give a fitted model the columns of its encoder, as scikit-learn names them."""
    model.n_features_in_ = encoder.n_features_in_
    if hasattr(encoder, "feature_names_in_"):
        model.feature_names_in_ = encoder.feature_names_in_
    elif hasattr(model, "feature_names_in_"):
        del model.feature_names_in_
