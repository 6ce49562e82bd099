"""Chained linear models, each column from all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression, Ridge

from caveat.exceptions import InvalidInput
from caveat.shift.imputers._design import Design, Matrix
from caveat.shift.imputers._feature_rules import check_rounds
from caveat.shift.imputers._imputers import Mean, Replace, RowImputer
from caveat.shift.scenarios._subsets import Masks


class Iterative(RowImputer):
    """Chained linear models: ridge regression for numbers, logistic for categories.

    Each column's model is learnt once, from all other training columns. At test time
    the columns that are gone start from the mean and are computed one after the
    other, `rounds` times.

    Parameters
    ----------
    rounds : int, default=10
        How often all models are applied.
    alpha : float, default=1.0
        Strength of the penalty, on standardised columns.

    Warnings
    --------
    Follows straight lines only. Where most columns are gone the models feed on one
    another's guesses, and the result stays near the mean.

    References
    ----------
    .. [1] S. van Buuren, K. Groothuis-Oudshoorn (2011). mice: multivariate
       imputation by chained equations in R. Journal of Statistical Software 45(3).

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [2.0, 4.0, 6.0]})
    >>> table = pd.DataFrame({"a": [3.0], "b": [0.0]})
    >>> Iterative(alpha=1e-6).fit(train).impute(table, ["b"]).round(3)
         a    b
    0  3.0  6.0
    """

    constant = True

    def __init__(self, rounds: int = 10, alpha: float = 1.0) -> None:
        self.rounds = check_rounds(rounds)
        if not alpha > 0:
            raise InvalidInput(f"alpha is {alpha!r}; it must be above 0")
        self.alpha = alpha

    def _fit(self, X: pd.DataFrame, rng: np.random.Generator) -> None:
        self._design = Design(X)
        self._matrix = self._design.encode(X)
        self._start = self._design.encode(Mean().fit(X).fills(1)[0])[0]
        self._models: dict[int, tuple[Matrix, Matrix]] = {}

    def _model(self, place: int) -> tuple[Matrix, Matrix]:
        """Weights (width, block) and intercepts (block,) of a column's linear model."""
        if place not in self._models:
            self._models[place] = self._learn(place)
        return self._models[place]

    def _learn(self, place: int) -> tuple[Matrix, Matrix]:
        block = self._design.blocks[place]
        others = np.delete(self._matrix, block, axis=1)
        target = self._matrix[:, block]
        weights = np.zeros((self._design.width, target.shape[1]))
        outside = np.delete(np.arange(self._design.width), block)
        if not others.shape[1] or self._design.categories[place] is None:
            if not others.shape[1]:
                return weights, target.mean(axis=0)
            ridge = Ridge(alpha=self.alpha).fit(others, target[:, 0])
            weights[outside, 0] = ridge.coef_
            return weights, np.array([ridge.intercept_])
        known = target.any(axis=1)
        classes = target[known].argmax(axis=1)
        present = np.unique(classes)
        intercepts = np.full(target.shape[1], -np.inf)
        if len(present) == 1:
            intercepts[present] = 0.0
            return weights, intercepts
        logistic = LogisticRegression(C=1 / self.alpha, max_iter=1000)
        logistic.fit(others[known], classes)
        coefficients, intercept = logistic.coef_, logistic.intercept_
        if len(present) == 2:  # one row of coefficients, for the second class
            coefficients = np.vstack([np.zeros_like(coefficients), coefficients])
            intercept = np.array([0.0, intercept[0]])
        weights[np.ix_(outside, present)] = coefficients.T
        intercepts[present] = intercept
        return weights, intercepts

    def bind(self, X: pd.DataFrame) -> Replace:
        """Encode the rows once for all masks."""
        rows = self._design.encode(X)

        def replace(mask: Masks) -> dict[int, NDArray[Any]]:
            gone = np.flatnonzero(mask).tolist()
            places = self._design.places(mask)
            matrix = np.where(places, self._start, rows)
            # Once everything is gone there is nothing to follow from.
            rounds = 0 if mask.all() else self.rounds if len(gone) > 1 else 1
            for _ in range(rounds):
                for place in gone:
                    matrix[:, self._design.blocks[place]] = self._step(matrix, place)
            return {
                place: self._design.decode(place, matrix[:, self._design.blocks[place]])
                for place in gone
            }

        return replace

    def _step(self, matrix: Matrix, place: int) -> Matrix:
        weights, intercepts = self._model(place)
        found = matrix @ weights + intercepts
        if self._design.categories[place] is None:
            return found
        chosen = np.zeros_like(found)
        chosen[np.arange(len(found)), found.argmax(axis=1)] = 1.0
        return chosen
