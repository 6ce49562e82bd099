"""What binds rows: a fit that is told of it holds out rows that respect it.

Whoever fits models for somebody calls `fit_model`: it is the one place that knows which
models can be told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from caveat.models._base import TabularModel
from caveat.models._holdout import hold_out


@dataclass(frozen=True)
class Bonds:
    """Which rows belong together, and in which order they came.

    Attributes
    ----------
    groups : array-like of shape (n_rows,) or None
        Rows of one group are learnt from or held out together.
    time : array-like of shape (n_rows,) or None
        The latest rows are held out.

    Examples
    --------
    >>> bonds = Bonds(groups=["ann", "ann", "bob"])
    >>> bool(bonds), bool(Bonds()), sorted(bonds.of([1, 2]).told())
    (True, False, ['groups'])
    """

    groups: Any = None
    time: Any = None

    def __bool__(self) -> bool:
        return self.groups is not None or self.time is not None

    def of(self, rows: ArrayLike) -> Bonds:
        """Take some of the rows."""
        return Bonds(_rows(self.groups, rows), _rows(self.time, rows))

    def told(self) -> dict[str, Any]:
        """Give the keywords of a fit.

        Where all rows are of one group it is left out: a model stops by rows of the
        same group then, or not at all.
        """
        known = {"groups": self.groups, "time": self.time}
        if self.groups is not None and len(pd.unique(pd.Series(self.groups))) < 2:
            del known["groups"]
        return {name: values for name, values in known.items() if values is not None}

    def hold_out(
        self, y: ArrayLike, share: float, *, classify: bool, seed: int
    ) -> NDArray[np.intp]:
        """Choose rows to judge by, the way a model chooses those it stops by.

        Returns
        -------
        array of int
            Row numbers, sorted; none where rows or groups are too few.
        """
        told = self.told()
        if self.groups is not None and "groups" not in told:
            return np.arange(0)
        target = pd.factorize(np.asarray(y))[0] if classify else np.asarray(y)
        return hold_out(target, share, classify=classify, seed=seed, **told)


def fit_model(model: Any, X: Any, y: Any, bonds: Bonds | None = None) -> Any:
    """Fit a model, telling it what binds the rows if it is one of caveat's.

    Any other model, a scikit-learn pipeline say, gets a plain ``fit(X, y)``.

    Parameters
    ----------
    model : unfitted model
    X, y : table and labels or numbers
    bonds : Bonds, optional
        Of the rows of `X`.

    Returns
    -------
    The fitted model.

    Examples
    --------
    >>> from caveat.models import make_model
    >>> X, y = [[0], [1], [0], [1]], [0, 1, 0, 1]
    >>> fit_model(make_model("k-nn", n_neighbors=1), X, y, Bonds([1, 1, 2, 2]))
    NearestNeighbours(n_neighbors=1)
    """
    told = bonds.told() if bonds and isinstance(model, TabularModel) else {}
    fitted = model.fit(X, y, **told)
    return model if fitted is None else fitted


def _rows(values: Any, rows: ArrayLike) -> Any:
    if values is None:
        return None
    return pd.Series(values).iloc[np.asarray(rows)].reset_index(drop=True)
