"""Groups whose shares are known: what they are like, and what can be learnt from them.

The labels of the rows are hidden from the learners; only the share of every class in
every group of the training rows is kept.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat._registry import Entry
from caveat.audit._folds import Fold, thinned
from caveat.audit._models import measures_of
from caveat.audit._table import Table
from caveat.audit.registry import SHARES
from caveat.bags import (
    QUICK_GRIDS,
    STRATEGIES,
    bag_hardness,
    feature_bags,
    identify_variant,
    search,
    share_table,
)
from caveat.bags.registry import LEARNERS as BAG_LEARNERS
from caveat.exceptions import InvalidInput
from caveat.tables import TableEncoder

Row = dict[str, Any]

RULE = "split-bag-shuffle"
"""How settings are chosen without labels, unless said otherwise."""

SMALLEST = 10
_MOST_ROWS = 5_000
_MOST_LEVELS = 100
# A solve over all pairs of groups; beyond this it takes longer than all else.
_MOST_GROUPS_FOR_PAIRS = 1000
_PAIRS = ("lmm",)
_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def share_learners(groups: int) -> list[dict[str, Any]]:
    """Write the learners and their grids as a study file does."""
    found = []
    for name in SHARES:
        if name in _PAIRS and groups > _MOST_GROUPS_FOR_PAIRS:
            continue
        grid = QUICK_GRIDS.get(name, BAG_LEARNERS[name].grid)
        found.append({"name": name, **{key: list(v) for key, v in grid.items()}})
    return found


def group_numbers(table: Table, column: str) -> NDArray[np.intp]:
    """Return the group of every row; -1 where it is too small, or of a test file."""
    learnt = ~table.held
    sizes = table.whole.loc[learnt, column].value_counts(dropna=False)
    large = int((sizes >= SMALLEST).sum())
    if large < 2:
        groups = "one group" if large == 1 else "no group"
        raise InvalidInput(
            f"--bags: {column!r} makes {groups} of at least {SMALLEST} rows; shares "
            "need two, name another column"
        )
    bags = feature_bags(
        table.whole.loc[learnt, [column]],
        table.y[learnt],
        column,
        smallest=SMALLEST,
        largest=None,
        min_kept_share=0.0,
    )
    found = np.full(len(table.y), -1, dtype=np.intp)
    found[learnt] = bags.assignment
    return found


def look_at_groups(
    table: Table, column: str, *, seed: int
) -> tuple[Row, dict[str, list[Row]]]:
    """Say how groups depend on rows and labels, and how hard they are.

    No group is named: its name is a cell of the table.
    """
    groups = group_numbers(table, column)
    rows = np.flatnonzero(groups >= 0)
    numbers, codes = groups[rows], table.y[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        items = _encoder(table, rows, (0.0, 1.0)).transform(table.X.iloc[rows])
        variant = identify_variant(
            items, codes, numbers, max_items=_MOST_ROWS, random_state=seed
        )
        shares = share_table(numbers, codes, len(table.classes))
        hardness = bag_hardness(items, numbers, shares)
    last = shares[:, -1]
    row: Row = {
        "fact.variant": variant.variant,
        "fact.sentence": variant.sentence(),
        **{f"fact.{test}": float(p) for test, p in variant.p_values.items()},
        "fact.groups": hardness.n_bags,
        "fact.rows": len(rows),
        "fact.left-out": int((~table.held).sum()) - len(rows),
        "fact.spread": hardness.proportion_std,
        "fact.separation": _known(hardness.separation),
        "fact.smallest": hardness.size_min,
        "fact.mean-size": hardness.size_mean,
        "fact.largest": hardness.size_max,
        "fact.looked-at": variant.n_items,
    }
    quantiles = [{"q": q, "share": float(np.quantile(last, q))} for q in _QUANTILES]
    return row, {"shares": quantiles}


def learn_shares(
    entry: Entry,
    configurations: Sequence[tuple[int, dict[str, Any]]],
    fixed: dict[str, Any],
    table: Table,
    fold: Fold,
    column: str,
    *,
    seed: int,
) -> list[Row]:
    """Fit every setting to the shares of one fold; one row per setting.

    Every strategy judges every setting without a label; the test rows judge it too, so
    that the price of choosing without labels can be told.
    """
    groups = group_numbers(table, column)
    train, test = thinned(fold, _MOST_ROWS, seed)
    train = train[groups[train] >= 0]
    encoder = _encoder(table, train, (-1.0, 1.0))
    learner = entry.make_for(fixed, fit_intercept=True, random_state=seed)
    numbers = pd.factorize(groups[train])[0]
    table_of_shares = share_table(numbers, table.y[train], len(table.classes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inside = encoder.transform(table.X.iloc[train])
        outside = encoder.transform(table.X.iloc[test])
        found = search(
            learner,
            [params for _, params in configurations],
            inside,
            numbers,
            table_of_shares,
            random_state=seed,
        )
    rows = []
    for place, (index, _) in enumerate(configurations):
        row: Row = {"config": index, "checkpoint": None}
        for rule in STRATEGIES:
            if rule in found.table:
                row[f"criterion.{rule}"] = _known(found.table[rule].iloc[place])
        model = found.models[place]
        if model is not None:
            answers = np.asarray(model.predict_proba(outside), dtype=float)
            if np.isfinite(answers).all():
                scores = measures_of(table, test, answers)
                row |= {f"test.{name}": value for name, value in scores.items()}
        row["fact.training-rows"], row["fact.test-rows"] = len(train), len(test)
        rows.append(row)
    return rows


def _encoder(
    table: Table, rows: NDArray[np.intp], scale_range: tuple[float, float]
) -> TableEncoder:
    kinds = {name: table.kinds[name] for name in table.X.columns}
    encoder = TableEncoder(
        kinds, scale="minmax", scale_range=scale_range, max_levels=_MOST_LEVELS
    )
    return encoder.fit(table.X.iloc[rows])


def _known(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
