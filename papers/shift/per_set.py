"""A defect of the study's own program, for those who want its numbers.

It numbers the categories of training and of each test set separately, in sorted order.
After imputation a column has one category, whose number is always 0: the first one of
training, whatever the mode was.
"""

from __future__ import annotations

import pandas as pd

from caveat.shift import CellImputer, Mean
from caveat.shift.evaluation._tables import check_tables, is_categorical


class _FirstCategory(CellImputer):
    """Another imputer's numbers, and the first training category."""

    def __init__(self, fills: pd.DataFrame) -> None:
        self._fills = fills
        self.columns_ = list(fills.columns)

    def _fit(self, X: pd.DataFrame, rng: object) -> None:
        """Nothing is left to learn."""

    def fills(self, n_rows: int) -> list[pd.DataFrame]:
        return [self._fills]


def per_set(
    X_train: pd.DataFrame, X_test: pd.DataFrame
) -> tuple[pd.DataFrame, CellImputer]:
    """Rename categories so that a correct encoder gives the numbers of the defect.

    Returns
    -------
    (test table, imputer), for `shift_curve`
    """
    tables = check_tables(X_train, X_test, None, missing="error")
    imputer = Mean()
    imputer.fit(tables.train, random_state=0)
    test, fill = tables.test.copy(), imputer.fills(len(tables.test))[0].copy()
    for name in tables.columns:
        if not is_categorical(tables.train[name]):
            continue
        known = _levels(tables.train[name])
        here = _levels(test[name])
        # The i-th category of this set gets the i-th number; further ones stay unknown.
        renamed = dict(zip(here, [*known, *here[len(known) :]], strict=False))
        test[name] = test[name].map(renamed).astype(tables.train[name].dtype)
        fill[name] = pd.Series([known[0]], dtype=tables.train[name].dtype)
    return test, _FirstCategory(fill)


def _levels(values: pd.Series) -> list[object]:
    return sorted(values.dropna().unique(), key=str)
