"""Automated feature engineering as generation: Tables 9 and 10 of the paper.

Columns that are derived from what is left (products, ratios, differences of two columns
of numbers) are appended, and the model is fitted again: closer to the upper bound than
to a shift. The choice is made on training rows, so that no test row is read: from a
small set, or by OpenFE (``maker=DerivedColumns()`` of `caveat.shift`). As imputation
the rules of `caveat.shift.Rules` compute a missing column from the others, with
``rule=OpenFERule`` by way of what OpenFE derives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from caveat.exceptions import InvalidInput
from caveat.measures import get as get_measure
from caveat.shift import Subsets
from caveat.tables import column_kind

_MAKERS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "*": np.multiply,
    "-": np.subtract,
    "/": lambda a, b: a / np.where(np.abs(b) < 1e-9, 1e-9, b),
}


def candidates(X: pd.DataFrame) -> list[tuple[str, str, str]]:
    """List what could be derived: left column, sign, right column."""
    numbers = [name for name in X.columns if column_kind(X[name]) == "numerical"]
    return [(a, sign, b) for a, b in combinations(numbers, 2) for sign in _MAKERS]


def derived(X: pd.DataFrame, chosen: Sequence[tuple[str, str, str]]) -> pd.DataFrame:
    """Append derived columns.

    Examples
    --------
    >>> derived(pd.DataFrame({"a": [2.0], "b": [4.0]}), [("a", "/", "b")])
         a    b  a / b
    0  2.0  4.0    0.5
    """
    made = {
        f"{a} {sign} {b}": _MAKERS[sign](
            X[a].to_numpy(np.float64), X[b].to_numpy(np.float64)
        )
        for a, sign, b in chosen
    }
    return X.assign(**made)


def choose(X: pd.DataFrame, y: Any, most: int = 5) -> list[tuple[str, str, str]]:
    """Choose derived columns by their rank correlation beyond that of their parents.

    On training rows only.
    """
    codes = pd.Series(pd.factorize(pd.Series(np.asarray(y)), sort=True)[0])
    if np.issubdtype(np.asarray(y).dtype, np.floating):
        codes = pd.Series(np.asarray(y))
    target = codes.rank().to_numpy()

    def strength(values: Any) -> float:
        ranks = pd.Series(np.asarray(values)).rank().to_numpy()
        if ranks.std() == 0:
            return 0.0
        return abs(float(np.corrcoef(ranks, target)[0, 1]))

    found = []
    for one in candidates(X):
        values = derived(X, [one]).iloc[:, -1]
        gain = strength(values) - max(strength(X[one[0]]), strength(X[one[2]]))
        found.append((gain, one))
    found.sort(key=lambda pair: -pair[0])
    return [one for gain, one in found[:most] if gain > 0]


def generation_curve(
    make: Callable[[], Any],
    X: pd.DataFrame,
    y: Any,
    X_test: pd.DataFrame,
    y_test: Any,
    *,
    measure: str = "auc",
    subsets: int = 5,
    seed: int = 0,
    maker: Any = None,
) -> pd.DataFrame:
    """Fit again without columns, with and without derived ones, any k gone.

    Parameters
    ----------
    make : callable
        Returns an unfitted model.
    X, y, X_test, y_test
        Training and test part.
    measure : str
    subsets : int
        Of one size.
    seed : int
    maker : object, optional
        Derives columns instead: with ``fit(X, y)`` and ``transform(X)``.

    Returns
    -------
    DataFrame : `k`, `refitted`, `generated`, `columns` (derived, on average).
    """
    judge = get_measure(measure)
    names = np.array(X.columns, dtype=object)
    if len(names) < 2:
        raise InvalidInput("generation needs two columns; the table has one")
    rows = []
    for k in range(len(names)):
        masks = [np.zeros(len(names), dtype=bool)]
        if k:
            drawn = Subsets(len(names), k, most=subsets, seed=seed)
            masks = list(drawn.take(0, len(drawn)))
        found = []
        for mask in masks:
            left = list(names[~mask])
            parts = X[left], X_test[left]
            if maker is None:
                chosen = choose(parts[0], y)
                more = [derived(part, chosen) for part in parts]
            else:
                fitted = maker.fit(parts[0], y)
                more = [fitted.transform(part) for part in parts]
            values = []
            for rows_in, table in (parts, more):
                model = make().fit(rows_in, y)
                answers = (
                    model.predict_proba(table)
                    if judge.needs != "amounts"
                    else model.predict(table)
                )
                values.append(judge(y_test, answers))
            found.append((*values, more[0].shape[1] - len(left)))
        mean = np.mean(found, axis=0)
        rows.append(
            {"k": k, "refitted": mean[0], "generated": mean[1], "columns": mean[2]}
        )
    return pd.DataFrame(rows)
