"""What stands in the place of a vanished column, cell by cell.

An imputer learns from training rows only. Those here give a cell a value that does not
depend on what else is missing; the others are in `_neighbours`, `_gaussian`, `_rules`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, UnknownName, listing
from caveat.shift.evaluation._tables import is_categorical
from caveat.shift.scenarios._subsets import Masks, mask_of
from caveat.tables import column_constants, column_kind, replace_columns

Replace = Callable[[Masks], dict[int, NDArray[Any]]]


class Imputer(ABC):
    """Base of all imputers.

    Attributes
    ----------
    columns_ : list of str
        The training columns.
    categorical_ : bool array (columns,)
    """

    constant: ClassVar[bool] = False
    """Whether all test rows get the same value when every column is gone."""

    needs_values: ClassVar[bool] = True
    """Whether a column without any training value is an error."""

    def fit(self, X: pd.DataFrame, *, random_state: int = 0) -> Self:
        """Learn from training rows.

        Parameters
        ----------
        X : DataFrame
            Training rows.
        random_state : int, default=0
            Seed of what is drawn.
        """
        self.columns_ = list(X.columns)
        self.categorical_ = np.array([is_categorical(X[name]) for name in X.columns])
        empty = [name for name in X.columns if X[name].isna().all()]
        if empty and self.needs_values:
            raise InvalidInput(
                f"the columns {listing(empty)} have no value in any training row, so "
                "nothing can stand in their place; leave them out, or use "
                "imputer='native'"
            )
        self._fit(X.reset_index(drop=True), np.random.default_rng(random_state))
        return self

    @abstractmethod
    def _fit(self, X: pd.DataFrame, rng: np.random.Generator) -> None: ...

    @abstractmethod
    def impute(self, X: pd.DataFrame, gone: Iterable[str]) -> pd.DataFrame:
        """Return the table with other values in the columns that are gone."""

    def _mask(self, gone: Iterable[str]) -> Masks:
        places = {name: place for place, name in enumerate(self.columns_)}
        for name in gone:
            if name not in places:
                raise UnknownName.among("column", name, self.columns_)
        return mask_of([places[name] for name in gone], len(places))


class CellImputer(Imputer):
    """Base of imputers whose values do not depend on what else is missing."""

    constant: ClassVar[bool] = True

    @abstractmethod
    def fills(self, n_rows: int) -> list[pd.DataFrame]:
        """List what each cell becomes: tables of one row for all, or of `n_rows`.

        Of several tables the model's answers are averaged.
        """

    def impute(self, X: pd.DataFrame, gone: Iterable[str]) -> pd.DataFrame:
        """Return the table with other values in the columns that are gone."""
        fills = self.fills(len(X))
        if len(fills) > 1:
            raise InvalidInput(
                f"{type(self).__name__} averages the answers to {len(fills)} tables, "
                "so there is no single imputed table; choose another imputer"
            )
        imputed = X.copy()
        for place in np.flatnonzero(self._mask(gone)):
            name = self.columns_[place]
            imputed[name] = _stretched(fills[0][name], len(X), X.index)
        return imputed


def _stretched(values: pd.Series, n_rows: int, index: pd.Index) -> pd.Series:
    rows = np.zeros(n_rows, dtype=int) if len(values) == 1 else np.arange(n_rows)
    return pd.Series(values.array.take(rows), index=index)


class RowImputer(Imputer):
    """Base of imputers that look at the columns that are left."""

    @abstractmethod
    def bind(self, X: pd.DataFrame) -> Replace:
        """Prepare a test table; return what gives new values for a mask.

        The result maps the number of each column that is gone to its values.
        """

    def impute(self, X: pd.DataFrame, gone: Iterable[str]) -> pd.DataFrame:
        """Return the table with other values in the columns that are gone."""
        imputed = X.copy()
        for place, values in self.bind(X)(self._mask(gone)).items():
            imputed[self.columns_[place]] = values
        return imputed


class _OnePerColumn(CellImputer):
    """One value for each column."""

    strategy: ClassVar[str] = "mean"

    def _fit(self, X: pd.DataFrame, rng: np.random.Generator) -> None:
        constants = column_constants(X, self.strategy)
        self.values_ = replace_columns(X.iloc[:1], constants)

    def fills(self, n_rows: int) -> list[pd.DataFrame]:
        """List one table of one row."""
        return [self.values_]

    def column(self, place: int, n_rows: int) -> NDArray[Any]:
        """Repeat a column's value for many rows."""
        values = self.values_[self.columns_[place]].to_numpy()
        return np.repeat(values, n_rows)


class Mean(_OnePerColumn):
    """Training mean of numbers, most frequent training category (ties: the smallest).

    Warnings
    --------
    The mean of a skewed or two-peaked column may be a value that no row has; a model
    then answers for a row that cannot exist.

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"age": [20, 41], "sex": ["f", "m"]})
    >>> Mean().fit(train).impute(pd.DataFrame({"age": [99], "sex": ["m"]}), ["age"])
        age sex
    0  30.5   m
    """


class Median(_OnePerColumn):
    """Training median of numbers, most frequent training category.

    Warnings
    --------
    In a column that is mostly zero it is zero: the model then sees the commonest
    case, not the average one.
    """

    strategy: ClassVar[str] = "median"


class Zero(_OnePerColumn):
    """Zero after standardisation, that is the mean; a category of its own.

    Parameters
    ----------
    raw : bool, default=False
        Whether to put 0 into the raw column instead.

    Warnings
    --------
    With `raw` the value may lie far outside of what training saw (a height of 0).
    """

    def __init__(self, raw: bool = False) -> None:
        self.raw = raw

    def _fit(self, X: pd.DataFrame, rng: np.random.Generator) -> None:
        constants = column_constants(X, "zero" if self.raw else "mean")
        for name in X.columns:
            if column_kind(X[name]) == "categorical":
                constants[name] = _unused(X[name])
            elif column_kind(X[name]) == "boolean":
                constants[name] = False
        self.values_ = replace_columns(X.iloc[:1], constants)


def _unused(values: pd.Series) -> str:
    """Name a category that the column has not."""
    known = set(map(str, values.dropna().unique()))
    own = "missing"
    while own in known:
        own += "_"
    return own


class Native(_OnePerColumn):
    """A missing cell: the model's own way of dealing with it.

    Warnings
    --------
    Where training had no missing cell, tree libraries differ: LightGBM takes it for
    0, XGBoost for a very large and CatBoost for a very small number.
    """

    needs_values: ClassVar[bool] = False

    def _fit(self, X: pd.DataFrame, rng: np.random.Generator) -> None:
        self.values_ = X.iloc[:1].mask(np.ones((1, X.shape[1]), dtype=bool))


class RandomCell(CellImputer):
    """A value drawn from the training column, for every cell on its own.

    The draws are made once for a test table, so that a cell gets the same value under
    every mask.

    Warnings
    --------
    Adds noise on purpose: the answer for one row is a lottery, only means over many
    rows say something.
    """

    constant: ClassVar[bool] = False

    def _fit(self, X: pd.DataFrame, rng: np.random.Generator) -> None:
        self._train = X
        self._seed = int(rng.integers(2**32))

    def fills(self, n_rows: int) -> list[pd.DataFrame]:
        """Draw every cell of a table with `n_rows` rows."""
        rng = np.random.default_rng(self._seed)
        drawn = {}
        for name in self.columns_:
            pool = self._train[name].dropna().array
            drawn[name] = pd.Series(pool.take(rng.integers(len(pool), size=n_rows)))
        return [pd.DataFrame(drawn)]


class Marginalise(CellImputer):
    """Average the model's answers over training rows that lend their values.

    With draws z₁..z_B of whole training rows, the answer for a row x without the
    columns S is the mean of f(x with S taken from z_b): an estimate of E[f(x) | rest]
    under independence of S and the rest. The same rows serve all test rows.

    Parameters
    ----------
    draws : int, default=32
        B; at most as many as there are training rows.

    Warnings
    --------
    Where columns depend on one another, it averages over rows that cannot exist.
    Costs B times as much.

    References
    ----------
    .. [1] E. Štrumbelj, I. Kononenko (2014). Explaining prediction models and
       individual predictions with feature contributions. Knowledge and Information
       Systems 41(3).
    """

    def __init__(self, draws: int = 32) -> None:
        if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
            raise InvalidInput(f"draws is {draws!r}; at least one row must be drawn")
        self.draws = draws

    def _fit(self, X: pd.DataFrame, rng: np.random.Generator) -> None:
        count = min(self.draws, len(X))
        self._rows = X.iloc[rng.choice(len(X), size=count, replace=False)]

    def fills(self, n_rows: int) -> list[pd.DataFrame]:
        """List one table of one row for every draw."""
        return [
            self._rows.iloc[[row]].reset_index(drop=True)
            for row in range(len(self._rows))
        ]


def leaves_missing(name: str) -> bool:
    """Tell whether an imputer fills in nothing, so that the model sees missing cells.

    Examples
    --------
    >>> leaves_missing("native"), leaves_missing("mean"), leaves_missing("my own")
    (True, False, False)
    """
    from caveat.shift.registry import IMPUTERS

    return name in IMPUTERS and bool(IMPUTERS[name].facts.get("leaves_missing"))


def check_imputer(imputer: object) -> Imputer:
    """Accept a name from the registry or an imputer of the user's own."""
    if isinstance(imputer, Imputer):
        return imputer
    if isinstance(imputer, str):
        from caveat.shift.registry import IMPUTERS

        made: Imputer = IMPUTERS[imputer].make()
        return made
    raise InvalidInput(
        f"imputer is {imputer!r}; pass a name or an object such as Mean()"
    )
