"""Rules that compute a vanished column from the remaining ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from threadpoolctl import ThreadpoolController

from caveat.exceptions import InvalidInput
from caveat.shift.evaluation._tables import is_categorical
from caveat.shift.imputers._design import Design
from caveat.shift.imputers._imputers import Mean, Replace, RowImputer
from caveat.shift.scenarios._subsets import Masks


@cache
def _threads() -> ThreadpoolController:
    # scikit-learn's boosting takes all cores and has no n_jobs. A rule is asked often
    # and for few rows: on a busy machine its threads wait for each other far longer
    # than they work.
    return ThreadpoolController()


class FeatureRule(ABC):
    """A rule for one column, learnt from the training rows of the others."""

    @abstractmethod
    def fit(self, X: pd.DataFrame, column: str) -> Self:
        """Learn how `column` follows from the other columns of the training rows."""

    @abstractmethod
    def apply(self, X: pd.DataFrame) -> NDArray[Any]:
        """Compute the column for rows that have all columns but this one."""


class TreeRule(FeatureRule):
    """Gradient boosting of the column on all others.

    Parameters
    ----------
    max_iter : int, default=50
        Rounds of boosting.

    Warnings
    --------
    Never answers outside of the range that the column had in training.

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"a": range(100), "b": ["x"] * 50 + ["y"] * 50})
    >>> TreeRule().fit(train, "b").apply(pd.DataFrame({"a": [3, 90]})).tolist()
    ['x', 'y']
    """

    def __init__(self, max_iter: int = 50) -> None:
        self.max_iter = max_iter

    def fit(self, X: pd.DataFrame, column: str) -> Self:
        """Learn how `column` follows from the other columns of the training rows."""
        known = X[X[column].notna()]
        self._others = Design(known.drop(columns=column))
        values = known[column]
        self._constant = values.iloc[0] if values.nunique() == 1 else None
        if self._constant is None and self._others.columns:
            kind = (
                HistGradientBoostingClassifier
                if is_categorical(values)
                else HistGradientBoostingRegressor
            )
            self._model = kind(
                max_iter=self.max_iter, random_state=0, early_stopping=False
            )
            with _threads().limit(limits=1, user_api="openmp"):
                self._model.fit(self._others.encode(known), values.to_numpy())
        return self

    def apply(self, X: pd.DataFrame) -> NDArray[Any]:
        """Compute the column for rows that have all columns but this one."""
        if self._constant is not None:
            return np.full(len(X), self._constant)
        with _threads().limit(limits=1, user_api="openmp"):
            return self._model.predict(self._others.encode(X))


class CallableRule(FeatureRule):
    """A rule by any function: the hook for a language model or a formula.

    Parameters
    ----------
    function : callable
        Gets the training rows and the column's name; returns a function that gets
        rows without the column and returns its values.

    Warnings
    --------
    What the function knows besides the training rows is not checked.

    Examples
    --------
    >>> import pandas as pd
    >>> def learn(train, column):
    ...     return lambda rows: rows["kg"] / rows["m"] ** 2
    >>> rule = CallableRule(learn)
    >>> people = pd.DataFrame({"kg": [80.0], "m": [2.0], "bmi": [20.0]})
    >>> rule.fit(people, "bmi").apply(people.drop(columns="bmi")).tolist()
    [20.0]
    """

    def __init__(
        self,
        function: Callable[[pd.DataFrame, str], Callable[[pd.DataFrame], ArrayLike]],
    ) -> None:
        self.function = function

    def fit(self, X: pd.DataFrame, column: str) -> Self:
        """Let the function look at the training rows."""
        self._apply = self.function(X, column)
        return self

    def apply(self, X: pd.DataFrame) -> NDArray[Any]:
        """Compute the column for rows that have all columns but this one."""
        values = np.asarray(self._apply(X))
        if values.shape != (len(X),):
            raise InvalidInput(
                f"the rule returned an answer of the shape {values.shape} for {len(X)} "
                "rows; it must give one value per row"
            )
        return values


class Rules(RowImputer):
    """Each column by its own rule; several by turns.

    Every rule is learnt once, from all other columns. Where several columns are
    gone, they start from the mean and are computed one after the other, `rounds`
    times.

    Parameters
    ----------
    rule : callable, default=TreeRule
        Makes a `FeatureRule`.
    rounds : int, default=3
        How often all rules are applied.

    Warnings
    --------
    With many columns gone the rules feed on one another's guesses.

    References
    ----------
    .. [1] S. van Buuren, K. Groothuis-Oudshoorn (2011). mice: multivariate
       imputation by chained equations in R. Journal of Statistical Software 45(3).

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"a": range(100), "b": ["x"] * 50 + ["y"] * 50})
    >>> Rules().fit(train).impute(pd.DataFrame({"a": [3], "b": ["y"]}), ["b"])
       a  b
    0  3  x
    """

    constant = True

    def __init__(
        self, rule: Callable[[], FeatureRule] = TreeRule, rounds: int = 3
    ) -> None:
        self.rule = rule
        self.rounds = check_rounds(rounds)

    def _fit(self, X: pd.DataFrame, rng: np.random.Generator) -> None:
        self._train = X
        self._mean = Mean().fit(X)
        # Learnt when first needed: a single mask needs one rule, not all of them.
        self._rules: dict[int, FeatureRule] = {}

    def _rule(self, place: int) -> FeatureRule:
        if place not in self._rules:
            self._rules[place] = self.rule().fit(self._train, self.columns_[place])
        return self._rules[place]

    def bind(self, X: pd.DataFrame) -> Replace:
        """Compute the gone columns for any mask."""

        def replace(mask: Masks) -> dict[int, NDArray[Any]]:
            gone = np.flatnonzero(mask).tolist()
            values = {place: self._mean.column(place, len(X)) for place in gone}
            if mask.all():
                return values
            table = X.copy()
            for place in gone:
                table[self.columns_[place]] = values[place]
            for _ in range(self.rounds if len(gone) > 1 else 1):
                for place in gone:
                    name = self.columns_[place]
                    values[place] = self._rule(place).apply(table.drop(columns=name))
                    table[name] = values[place]
            return values

        return replace


def check_rounds(rounds: int) -> int:
    """Refuse a number of rounds that is none."""
    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 1:
        raise InvalidInput(f"rounds is {rounds!r}; use 1 or more")
    return rounds
