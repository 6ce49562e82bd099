"""Columns that vanish: what a fitted model loses without each, fold by fold."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from caveat.audit._folds import Fold
from caveat.audit._table import Table
from caveat.exceptions import CaveatError
from caveat.models import Bonds
from caveat.shift import Single, Stages, shift_curve, upper_bound

Row = dict[str, Any]

_MOST_COLUMNS = 40
_MOST_TEST_ROWS = 1_000
_MOST_LEARNT = 4_000
_REFITTED = 2


def losses(
    model: Any, table: Table, fold: Fold, *, seed: int, bonds: Bonds | None = None
) -> tuple[Row, list[Row]]:
    """Take every column away from a fitted model, one at a time.

    `bonds` bind the training rows.

    Returns
    -------
    row, curve
        As for a record of the ledger. The curve has ``column``, ``value`` (filled in by
        the mean or the most frequent value) and, for the columns that are missed most,
        ``refitted``: the score of a model that never had it.
    """
    train, test = fold
    rng = np.random.default_rng(seed)
    if len(test) > _MOST_TEST_ROWS:
        test = np.sort(rng.choice(test, _MOST_TEST_ROWS, replace=False))
    judged = (table.X.iloc[test], table.y[test])
    fitted = (table.X.iloc[train], table.y[train], *judged)
    if len(train) > _MOST_LEARNT:
        # Imputers and the order of columns need no more rows; the model is fitted.
        train = np.sort(rng.choice(train, _MOST_LEARNT, replace=False))
    parts = (table.X.iloc[train], table.y[train], *judged)
    settings: dict[str, Any] = {
        "metric": "auc" if table.classes else "rmse",
        "task": "classification" if table.classes else "regression",
        "random_state": seed,
    }
    with warnings.catch_warnings():
        # Fewer columns than could be asked for is what was asked for.
        warnings.simplefilter("ignore")
        scenario = Single(most=_MOST_COLUMNS)
        alone = shift_curve(model, *parts, scenario=scenario, **settings).of()
        whole = float(alone["value"].iloc[0])
        sign = 1.0 if table.classes else -1.0
        values = pd.Series(
            alone["value"].iloc[1:].to_numpy(dtype=float),
            index=alone["column"].iloc[1:].astype(str),
        )
        missed = (sign * values).sort_values(kind="stable").index[:_REFITTED]
        again = {
            name: _refitted(model, fitted, name, {**settings, "bonds": bonds})
            for name in missed
            if table.X.shape[1] > 1
        }
    curve = [
        {"column": name, "value": float(value), "refitted": again.get(name)}
        for name, value in values.items()
    ]
    row = {
        "test.auc" if table.classes else "test.rmse": whole,
        "fact.test-rows": len(test),
        "fact.training-rows": len(fitted[0]),
    }
    return row, curve


def _refitted(
    model: Any, fitted: tuple[Any, ...], column: str, settings: dict[str, Any]
) -> float | None:
    try:
        stage = Stages({"gone": [column]})
        bound = upper_bound(model, *fitted, scenarios=[stage], **settings)
    except CaveatError:
        return None
    return float(bound["upper"].iloc[0])
