"""The conditional mean of a joint Gaussian."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from caveat.exceptions import InvalidInput
from caveat.shift.imputers._design import Design
from caveat.shift.imputers._imputers import Replace, RowImputer
from caveat.shift.scenarios._subsets import Masks


class Gaussian(RowImputer):
    """What the remaining columns lead one to expect, if all were jointly Gaussian.

    With standardised training columns of covariance Σ, the columns S that are gone
    become Σ_SR (Σ_RR + λI)⁻¹ x_R, given the rest R. Categories are blocks of
    standardised indicators, of which the largest wins. One Cholesky factor per mask.

    Parameters
    ----------
    ridge : float, default=1e-3
        λ, added to the diagonal.

    Attributes
    ----------
    covariance_ : array
        Σ.

    Warnings
    --------
    Follows straight lines only, and gives every row its most likely value: the
    imputed columns vary less than real ones.

    References
    ----------
    .. [1] R. J. A. Little, D. B. Rubin (2002). Statistical analysis with missing
       data, section 8.2. Wiley.

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [2.0, 4.0, 6.0]})
    >>> Gaussian().fit(train).impute(pd.DataFrame({"a": [3.0], "b": [0.0]}), ["b"])
         a     b
    0  3.0  5.99...
    """

    constant = True

    def __init__(self, ridge: float = 1e-3) -> None:
        if not ridge > 0:
            raise InvalidInput(f"ridge is {ridge!r}; it must be above 0")
        self.ridge = ridge

    def _fit(self, X: pd.DataFrame, rng: np.random.Generator) -> None:
        self._design = Design(X)
        matrix = self._design.encode(X)
        self._centre = matrix.mean(axis=0)
        spread = matrix.std(axis=0)
        self._scale = np.where(spread > 0, spread, 1.0)
        self._standard = (matrix - self._centre) / self._scale
        self.covariance_ = self._standard.T @ self._standard / len(matrix)

    def bind(self, X: pd.DataFrame) -> Replace:
        """Standardise the rows once for all masks."""
        standard = (self._design.encode(X) - self._centre) / self._scale

        def replace(mask: Masks) -> dict[int, NDArray[Any]]:
            gone = self._design.places(mask)
            expected = self._expected(standard, gone) * self._scale + self._centre
            return {
                place: self._design.decode(
                    place, expected[:, self._design.blocks[place]]
                )
                for place in np.flatnonzero(mask).tolist()
            }

        return replace

    def _expected(
        self, standard: NDArray[np.float64], gone: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Rows with the conditional mean in the places that are gone."""
        expected = np.zeros_like(standard)
        if gone.all():
            return expected
        rest = ~gone
        known, count = standard[:, rest], len(self._standard)
        if count < rest.sum():
            # The same from the products of rows: there are fewer rows than columns.
            own = self._standard[:, rest]
            inverse = _factor(own @ own.T / count, self.ridge)
            weights = cho_solve(inverse, self._standard[:, gone])
            expected[:, gone] = (known @ own.T) @ weights / count
        else:
            inverse = _factor(self.covariance_[np.ix_(rest, rest)], self.ridge)
            between = self.covariance_[np.ix_(rest, gone)]
            expected[:, gone] = known @ cho_solve(inverse, between)
        return expected


def _factor(matrix: NDArray[np.float64], ridge: float) -> Any:
    return cho_factor(matrix + ridge * np.eye(len(matrix)), lower=True)
