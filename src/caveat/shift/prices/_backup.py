"""Which columns to protect: pairs that matter, and the cheapest set to back up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import Bounds, LinearConstraint, milp

from caveat.exceptions import InvalidInput, UnknownName
from caveat.shift.prices._prices import ALL, Book

_MOST = 15
"""So many of the dearest columns are lost in pairs."""


def asked_pairs(strength: Sequence[str]) -> list[tuple[str, str]]:
    """List the pairs of the columns that matter most."""
    return list(combinations(strength[:_MOST], 2))


def price_pairs(
    book: Book, model: str, pairs: Sequence[tuple[str, str]]
) -> pd.DataFrame:
    """Price pairs of columns, and what a pair costs beyond its columns.

    Every pair must be in the book: one that is left out would count as harmless.

    Returns
    -------
    DataFrame : `left`, `right`, `loss`, `low`, `high`, and `more` with `more_low`,
    `more_high`: the loss of both minus the losses of each, corrected for all pairs.
    """
    rows = []
    for left, right in pairs:
        both = (model, f"pair {left} | {right}", "")
        singles = [(model, f"column {name}", "") for name in (left, right)]
        loss = book.loss((model, ALL, ""), both)
        alone = [book.loss((model, ALL, ""), key) for key in singles]
        one = loss.estimate("")
        more = (loss - alone[0] - alone[1]).estimate("", corrected_for=len(pairs))
        rows.append(
            {
                "left": left,
                "right": right,
                "loss": one.value,
                "low": one.low,
                "high": one.high,
                "more": more.value,
                "more_low": more.low,
                "more_high": more.high,
            }
        )
    return pd.DataFrame(rows)


def cheapest_backup(
    columns: pd.DataFrame,
    pairs: pd.DataFrame,
    tolerated: float,
    costs: Mapping[str, float] | None = None,
) -> list[str]:
    """Find the cheapest columns to back up, so that what is left may fail.

    Protected columns never vanish. Of the others any one, and any two, may be lost
    without costing more than the tolerated loss, by the upper end of its interval. A
    column that costs more alone must be protected; of a pair that costs more, one
    column must be: a cover of least cost, found exactly.

    Parameters
    ----------
    columns : DataFrame
        `column`, `loss`, `high`.
    pairs : DataFrame
        `left`, `right`, `loss`, `high`; as `price_pairs` makes it.
    tolerated : float
    costs : mapping of column to cost, optional
        1 for columns that are not in it.

    Examples
    --------
    >>> alone = pd.DataFrame({"column": ["a", "b", "c"], "loss": 0.0,
    ...                       "high": [0.2, 0.01, 0.01]})
    >>> both = pd.DataFrame({"left": ["b"], "right": ["c"], "loss": 0.1, "high": 0.2})
    >>> cheapest_backup(alone, both, 0.05, {"b": 3.0})
    ['a', 'c']
    """
    names = [str(name) for name in columns["column"]]
    prices = check_costs(names, tolerated, costs)
    place = {name: number for number, name in enumerate(names)}
    demands = [
        [place[str(row["column"])]]
        for row in columns.to_dict("records")
        if _most(row) > tolerated
    ]
    demands += [
        [place[str(row["left"])], place[str(row["right"])]]
        for row in pairs.to_dict("records")
        if _most(row) > tolerated
    ]
    if not demands:
        return []
    matrix = np.zeros((len(demands), len(names)))
    for number, covered in enumerate(demands):
        matrix[number, covered] = 1
    # A column that costs nothing still needs a reason to be in the set.
    weights = np.array([prices[name] for name in names]) + 1e-9
    found = milp(
        weights,
        constraints=LinearConstraint(matrix, lb=1),
        integrality=np.ones(len(names)),
        bounds=Bounds(0, 1),
    )
    return [name for name, taken in zip(names, found.x, strict=True) if taken > 0.5]


def check_costs(
    names: Sequence[str], tolerated: float, costs: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Check the tolerated loss and the costs; give every column its own."""
    if not tolerated >= 0:
        raise InvalidInput(f"--protect is {tolerated!r}; use a loss of 0 or more")
    prices = dict.fromkeys(names, 1.0)
    for name, cost in (costs or {}).items():
        if name not in prices:
            raise UnknownName.among("column", name, names)
        if not 0 <= cost < math.inf:
            raise InvalidInput(f"--cost {name}={cost!r}: use a cost of 0 or more")
        prices[name] = float(cost)
    return prices


def _most(row: Mapping[str, Any]) -> float:
    """Give the careful end of a loss; a loss without an interval may be any."""
    high = row["high"]
    return math.inf if high is None or math.isnan(high) else float(high)
