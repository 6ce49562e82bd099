"""The free part: what clusters reach on the same folds as the models."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.audit._folds import Fold, thinned
from caveat.audit._table import Table
from caveat.eapp import EAPP
from caveat.exceptions import CaveatError

Row = dict[str, Any]

MOST_CLASSES = 12
_MOST_ROWS = 10_000
_MOST_LEVELS = 40
_MOST_DRIVERS = 120


def free_part(
    table: Table, folds: list[Fold], *, shuffles: int, seed: int
) -> tuple[Row, dict[str, list[Row]], list[str]]:
    """Run EAPP, and ask which columns it rests on.

    Numbers are read as two classes, above the median or not. Of many classes the
    eleven largest keep their names, all others count as one.

    Returns
    -------
    row, curves, notes
        As for a record of the ledger.
    """
    codes, notes = few_classes(table)
    folds = [thinned(fold, _MOST_ROWS, seed) for fold in folds]
    kinds = {name: table.kinds[name] for name in table.X.columns}
    model = EAPP(folds=folds, kinds=kinds, shuffles=shuffles, random_state=seed)
    with warnings.catch_warnings():
        # The model keeps its warnings as notes, and they go into the record.
        warnings.simplefilter("ignore", UserWarning)
        model.fit(_few_levels(table), codes)
    null = model.null_at_k_star_
    row: Row = {
        "test.auc": _known(model.value_),
        "fact.value_paper": _known(model.value_paper_),
        "fact.p_value": model.p_value_,
        "fact.skill": model.skill_,
        "fact.verdict": model.verdict_,
        "fact.null_mean": null["mean"],
        "fact.null_low": null["low"],
        "fact.null_high": null["high"],
        "fact.k_star": model.k_star_,
        "fact.classes": len(np.unique(codes)),
        "fact.rows": int(max(len(np.concatenate(fold)) for fold in folds)),
    }
    drivers = _drivers(model, table.X.shape[1], seed)
    curves = {"eapp": model.curve_.to_dict("records"), "drivers": drivers}
    return row, curves, notes


def few_classes(table: Table) -> tuple[NDArray[np.intp], list[str]]:
    """Give the classes that are asked for, few enough to be clustered for."""
    codes = table.upper
    counts = np.bincount(codes)
    if len(counts) <= MOST_CLASSES:
        return codes, []
    largest = np.argsort(-counts, kind="stable")[: MOST_CLASSES - 1]
    place = np.full(len(counts), MOST_CLASSES - 1)
    place[largest] = np.arange(MOST_CLASSES - 1)
    return place[codes], ["merged"]


def _few_levels(table: Table) -> pd.DataFrame:
    """Merge the rarer levels of columns that have many, by their number of rows.

    Each level is a direction of its own to a clusterer; thousands of them are slow and
    say nothing.
    """
    merged = {}
    for name in table.X.columns:
        column = table.X[name]
        if table.kinds[name] != "categorical" or column.nunique() <= _MOST_LEVELS:
            continue
        words = column.astype(object).map(str, na_action="ignore")
        frequent = words.value_counts().index[:_MOST_LEVELS]
        merged[name] = words.where(words.isin(frequent) | words.isna(), "other")
    return table.X.assign(**merged)


def _drivers(model: EAPP, columns: int, seed: int) -> list[Row]:
    """AUC lost when a column is shuffled; nothing where that would take too long."""
    if columns > _MOST_DRIVERS or np.isnan(model.value_):
        return []
    try:
        found = model.drivers(random_state=seed)
    except CaveatError:
        return []
    return [
        {"column": str(row["column"]), "drop": float(row["drop"])}
        for row in found.head(200).to_dict("records")
    ]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
