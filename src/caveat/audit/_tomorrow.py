"""Tomorrow: what a fitted model is worth while columns vanish."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from caveat.audit._folds import Fold
from caveat.audit._table import Table
from caveat.exceptions import CaveatError
from caveat.shift import Single, Stages, shift_curve, upper_bound

Row = dict[str, Any]

POLICIES = ("mean", "median", "zero", "gaussian", "marginalise", "native")
_MOST_COLUMNS = 40
_MOST_TEST_ROWS = 1_000
_MOST_LEARNT = 4_000
_MOST_DEGREES = 12
_MOST_SUBSETS = 40
_WIDE = 200


def decay(
    model: Any, table: Table, fold: Fold, *, seed: int
) -> tuple[Row, dict[str, list[Row]], list[str]]:
    """Take columns away from a fitted model: one, any number, the most used one.

    Returns
    -------
    row, curves, notes
        Curves: ``single`` (each column alone), ``decay`` (scenarios by number of
        columns), ``policies`` (ways to fill in the most used column).
    """
    train, test = fold
    if len(test) > _MOST_TEST_ROWS:
        rng = np.random.default_rng(seed)
        test = np.sort(rng.choice(test, _MOST_TEST_ROWS, replace=False))
    judged = (table.X.iloc[test], table.y[test])
    fitted = (table.X.iloc[train], table.y[train], *judged)
    if len(train) > _MOST_LEARNT:
        # Imputers and the order of columns need no more rows; the model is fitted.
        rng = np.random.default_rng(seed)
        train = np.sort(rng.choice(train, _MOST_LEARNT, replace=False))
    parts = (table.X.iloc[train], table.y[train], *judged)
    wide = table.X.shape[1] > _WIDE
    settings: dict[str, Any] = {
        "metric": "auc" if table.classes else "rmse",
        "task": "classification" if table.classes else "regression",
        "random_state": seed,
    }
    with warnings.catch_warnings():
        # Fewer subsets than could be asked for is what was asked for.
        warnings.simplefilter("ignore")
        alone = shift_curve(
            model, *parts, scenario=Single(most=_MOST_COLUMNS), **settings
        ).of()
        closed = float(alone["value"].iloc[0])
        sign = 1.0 if table.classes else -1.0
        lost = sign * (closed - alone["value"].iloc[1:])
        used = pd.Series(lost.to_numpy(), index=alone["column"].iloc[1:].astype(str))
        curves = {
            "single": [
                {"column": column, "value": closed - sign * loss}
                for column, loss in used.items()
            ],
            "decay": _scenarios(model, parts, used, list(table.X.columns), settings),
            "policies": _policies(
                model, parts, fitted, str(used.idxmax()), settings, wide
            ),
        }
    row = {
        "test.auc" if table.classes else "test.rmse": closed,
        "fact.test-rows": len(test),
        "fact.training-rows": len(fitted[0]),
        "fact.columns": table.X.shape[1],
        "fact.asked-columns": len(used),
        "fact.most-used": str(used.idxmax()),
    }
    return row, curves, []


def _degrees(columns: int) -> list[int]:
    """Choose a few numbers of columns, close together where the first ones vanish."""
    if columns <= _MOST_DEGREES:
        return list(range(1, columns + 1))
    early = np.geomspace(1, columns / 4, 4)
    late = np.linspace(columns / 4, columns, _MOST_DEGREES - 4)
    half = -(-columns // 2)
    return sorted({half, *(round(float(one)) for one in (*early, *late))})


def _scenarios(
    model: Any,
    parts: tuple[Any, ...],
    used: pd.Series,
    columns: list[str],
    settings: dict[str, Any],
) -> list[Row]:
    # Columns that were not asked one by one matter less than those that were.
    floor = float(used.min()) - 1.0
    importance = pd.Series(floor, index=columns)
    importance[used.index] = used
    found: list[Row] = []
    for scenario in ("most", "random", "least"):
        curve = shift_curve(
            model,
            *parts,
            scenario=scenario,
            importance=importance,
            degrees=_degrees(len(columns)),
            max_subsets=_MOST_SUBSETS,
            **settings,
        )
        found += [
            {
                "scenario": scenario,
                "k": int(row["k"]),
                "value": float(row["value"]),
                "low": _known(row["low"]),
                "high": _known(row["high"]),
                "subsets": int(row["n_subsets"]),
                "possible": float(row["n_possible"]),
            }
            for row in curve.of().to_dict("records")
        ]
    return found


def _policies(
    model: Any,
    parts: tuple[Any, ...],
    fitted: tuple[Any, ...],
    column: str,
    settings: dict[str, Any],
    wide: bool,
) -> list[Row]:
    """Fill the most used column in by every policy; and fit again without it."""
    stage = Stages({"gone": [column]})
    found: list[Row] = []
    for policy in POLICIES:
        if wide and policy in ("gaussian", "marginalise"):
            continue
        try:
            values = shift_curve(
                model, *parts, scenario=stage, imputer=policy, **settings
            ).of()["value"]
        except CaveatError:
            continue  # a model that takes no missing cells, a column without a mean
        found.append({"policy": policy, "value": float(values.iloc[1])})
    if len(parts[0].columns) > 1:
        try:
            bound = upper_bound(model, *fitted, scenarios=[stage], **settings)
        except CaveatError:
            return found
        found.append({"policy": "refitted", "value": float(bound["upper"].iloc[0])})
    return found


def _known(value: Any) -> float | None:
    return None if value is None or np.isnan(value) else float(value)
