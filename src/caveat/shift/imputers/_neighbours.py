"""The nearest training rows lend their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput
from caveat.shift.imputers._design import Design
from caveat.shift.imputers._imputers import Mean, Replace, RowImputer
from caveat.shift.scenarios._subsets import Masks

_CELLS = 20_000_000
"""At most so many distances at a time."""


class Neighbours(RowImputer):
    """Mean, or most frequent category, of the nearest training rows.

    Near in the remaining columns: standardised numbers, and 1 for each category that
    differs. When nothing remains, all training rows are equally near: the mean.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many rows; at most as many as there are.

    Warnings
    --------
    With few columns left many training rows are about equally near, and which five
    are taken is chance. Looks at every training row for every test row.

    References
    ----------
    .. [1] O. Troyanskaya et al. (2001). Missing value estimation methods for DNA
       microarrays. Bioinformatics 17(6).

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"a": [0.0, 0.1, 9.0], "b": ["x", "x", "y"]})
    >>> near = Neighbours(n_neighbors=2).fit(train)
    >>> near.impute(pd.DataFrame({"a": [0.0], "b": ["y"]}), ["b"])
         a  b
    0  0.0  x
    """

    constant = True

    def __init__(self, n_neighbors: int = 5) -> None:
        if (
            isinstance(n_neighbors, bool)
            or not isinstance(n_neighbors, int)
            or n_neighbors < 1
        ):
            raise InvalidInput(f"n_neighbors is {n_neighbors!r}; use 1 or more")
        self.n_neighbors = n_neighbors

    def _fit(self, X: pd.DataFrame, rng: np.random.Generator) -> None:
        self._design = Design(X)
        self._train = self._scaled(X)
        # Mean and mode of lent values are taken on these: numbers as they are (the
        # mean where missing), categories as indicators.
        self._lent = self._design.encode(X)
        self._mean = Mean().fit(X)

    def _scaled(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Encode rows so that squared distances count 1 for categories that differ."""
        matrix = self._design.encode(X)
        for known, block in zip(
            self._design.categories, self._design.blocks, strict=True
        ):
            if known is not None:
                matrix[:, block] *= np.sqrt(0.5)
        return matrix

    def bind(self, X: pd.DataFrame) -> Replace:
        """Encode the rows once for all masks."""
        rows = self._scaled(X)

        def replace(mask: Masks) -> dict[int, NDArray[Any]]:
            gone = np.flatnonzero(mask).tolist()
            if mask.all():
                return {place: self._mean.column(place, len(rows)) for place in gone}
            rest = ~self._design.places(mask)
            nearest = self._nearest(rows[:, rest], self._train[:, rest])
            found = {}
            for place in gone:
                lent = self._lent[:, self._design.blocks[place]]
                found[place] = self._design.decode(place, lent[nearest].mean(axis=1))
            return found

        return replace

    def _nearest(
        self, rows: NDArray[np.float64], train: NDArray[np.float64]
    ) -> NDArray[np.intp]:
        count = min(self.n_neighbors, len(train))
        squares = (train**2).sum(axis=1)
        step = max(1, _CELLS // len(train))
        parts = []
        for start in range(0, len(rows), step):
            # |a - b|² without |a|², which is the same for all neighbours of a row.
            distances = squares - 2 * rows[start : start + step] @ train.T
            parts.append(np.argpartition(distances, count - 1, axis=1)[:, :count])
        return np.concatenate(parts)
