"""The floor: what is reached without learning, by whichever simple way gets furthest.

Four ways are tried on the folds of the models: the constant answer, one column alone,
clusters that labels only had to name (EAPP), and the answer of the nearest row. One
p-value is for the largest of them, so that trying four ways, and every column, is paid
for.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors

from caveat.audit._folds import Fold, thinned
from caveat.audit._table import Table
from caveat.eapp import EAPP
from caveat.eapp.result import Result
from caveat.exceptions import CaveatError
from caveat.tables import TableEncoder

Row = dict[str, Any]
Values = NDArray[np.float64]

MOST_CLASSES = 12
MOST_ROWS = 6_000
"""Of a fold, to learn from; a quarter of it to judge by."""
_MOST_LEVELS = 40
_MOST_COLUMNS = 400
_BINS = 16
_MOST_WORDS = 64


def floor_of(
    table: Table, folds: list[Fold], *, shuffles: int, seed: int
) -> tuple[Row, dict[str, list[Row]]]:
    """Try the four ways on every fold, and on shuffled targets.

    Returns
    -------
    row, curves
        As for a record of the ledger. Curves: ``floor`` (``way``, ``column``, ``fold``,
        ``value``) and those of EAPP.
    """
    folds = [thinned(fold, MOST_ROWS, seed) for fold in folds]
    codes = few_classes(table)
    target = table.y.astype(float) if not table.classes else codes.astype(float)
    judge = _Judge(target, bool(table.classes), shuffles, seed)
    ways = {("constant", ""): judge.constant(folds)}
    for name, levels in _levels(table):
        ways["column", name] = judge.by_level(levels, folds)
    ways["nearest", ""] = judge.by_neighbour(_places(table), folds)
    curves: dict[str, list[Row]] = {}
    nulls = [values.mean(axis=0) for values in ways.values()]
    if table.classes:
        found, curves, clusters = _clusters(table, codes, folds, shuffles, seed)
        if found is not None:
            ways["clusters", ""] = found
            nulls.append(clusters)
    curves["floor"] = [
        {"way": way, "column": column, "fold": fold, "value": float(value)}
        for (way, column), values in _kept(ways, judge.sign).items()
        for fold, value in enumerate(values[:, -1])
    ]
    largest = judge.sign * np.max([judge.sign * one for one in nulls], axis=0)
    worse = judge.sign * (largest[:-1] - largest[-1]) >= 0
    row = {
        "fact.p_value": float((1 + worse.sum()) / (1 + shuffles)) if shuffles else None,
        "fact.shuffles": shuffles,
        "fact.rows": int(max(len(np.concatenate(fold)) for fold in folds)),
        "fact.columns": sum(way == "column" for way, _ in ways),
        "fact.test-rows": int(np.mean([len(test) for _, test in folds])),
        "fact.training-rows": int(np.mean([len(train) for train, _ in folds])),
    }
    return row, curves


def few_classes(table: Table) -> NDArray[np.intp]:
    """Give the classes that are asked for; of many the rarer ones count as one."""
    codes = table.upper
    counts = np.bincount(codes)
    if len(counts) <= MOST_CLASSES:
        return codes
    largest = np.argsort(-counts, kind="stable")[: MOST_CLASSES - 1]
    place = np.full(len(counts), MOST_CLASSES - 1)
    place[largest] = np.arange(MOST_CLASSES - 1)
    return place[codes]


class _Judge:
    """Scores a way on every fold, for all shuffled targets and, last, the true one.

    AUC (of several classes the mean of each against the others) or, for numbers, RMSE.
    """

    def __init__(self, target: Values, classes: bool, shuffles: int, seed: int) -> None:
        rng = np.random.default_rng([seed, 23])
        shuffled = [rng.permutation(target) for _ in range(shuffles)]
        self.target = np.stack([*shuffled, target], axis=1)
        self.classes = classes
        self.sign = 1.0 if classes else -1.0
        labels = np.unique(target)
        self.labels = labels[1:] if len(labels) == 2 else labels

    def constant(self, folds: list[Fold]) -> Values:
        """Answer alike for every row."""
        count = self.target.shape[1]
        if self.classes:
            return np.full((len(folds), count), 0.5)
        return np.stack(
            [
                np.sqrt(((self.target[test] - self.target[train].mean(0)) ** 2).mean(0))
                for train, test in folds
            ]
        )

    def by_level(self, levels: NDArray[np.intp], folds: list[Fold]) -> Values:
        """Answer with the mean target of the row's level among training rows."""
        wide = int(levels.max()) + 1
        found = []
        for train, test in folds:
            learn, judge = (
                csr_array(
                    (np.ones(len(rows)), (levels[rows], np.arange(len(rows)))),
                    shape=(wide, len(rows)),
                )
                for rows in (train, test)
            )
            if self.classes:
                parts = [
                    _level_auc(
                        learn,
                        self.target[train] == label,
                        judge,
                        self.target[test] == label,
                    )
                    for label in self.labels
                ]
                # A class that a fold lacks has no AUC there.
                found.append(_mean_known(parts))
            else:
                found.append(
                    _level_error(learn, self.target[train], judge, self.target[test])
                )
        return np.stack(found)

    def by_neighbour(self, places: Values, folds: list[Fold]) -> Values:
        """Answer as the nearest training row has it."""
        found = []
        for train, test in folds:
            near = NearestNeighbors(n_neighbors=1).fit(places[train])
            answer = self.target[train][near.kneighbors(places[test])[1].ravel()]
            truth = self.target[test]
            if not self.classes:
                found.append(np.sqrt(((truth - answer) ** 2).mean(axis=0)))
                continue
            parts = []
            for label in self.labels:
                said, true = answer == label, truth == label
                with np.errstate(invalid="ignore"):
                    hits = (said & true).sum(axis=0) / true.sum(axis=0)
                    alarms = (said & ~true).sum(axis=0) / (~true).sum(axis=0)
                parts.append(0.5 + (hits - alarms) / 2)
            found.append(_mean_known(parts))
        return np.stack(found)


def _mean_known(parts: list[Values]) -> Values:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a fold without any class
        found = np.nanmean(parts, axis=0)
    return np.where(np.isnan(found), 0.5, found)


def _means(learn: csr_array, values: Values) -> Values:
    sums, sizes = learn @ values.astype(float), learn.sum(axis=1)[:, None]
    # One row's worth of the overall mean keeps small levels from shouting.
    return (sums + values.mean(axis=0)) / (sizes + 1)


def _level_auc(
    learn: csr_array, known: NDArray[Any], judge: csr_array, truth: NDArray[Any]
) -> Values:
    """AUC of level means; levels are few, so pairs are counted level by level."""
    means = _means(learn, known)
    hits = judge @ truth.astype(float)
    rest = judge.sum(axis=1)[:, None] - hits
    order = np.argsort(means, axis=0, kind="stable")
    hits, rest = (np.take_along_axis(part, order, axis=0) for part in (hits, rest))
    below = np.cumsum(rest, axis=0) - rest
    with np.errstate(invalid="ignore"):
        right = (hits * (below + rest / 2)).sum(axis=0)
        return right / (hits.sum(axis=0) * rest.sum(axis=0))


def _level_error(
    learn: csr_array, known: Values, judge: csr_array, truth: Values
) -> Values:
    means, sizes = _means(learn, known), judge.sum(axis=1)[:, None]
    squares = judge @ truth**2 - 2 * means * (judge @ truth) + sizes * means**2
    return np.sqrt(np.maximum(squares.sum(axis=0), 0) / len(truth))


def _kept(
    ways: dict[tuple[str, str], Values], sign: float
) -> dict[tuple[str, str], Values]:
    """Keep the columns that might be the strongest in a fold, and all other ways."""
    columns = [key for key in ways if key[0] == "column"]
    order = sorted(columns, key=lambda key: -sign * ways[key][:, -1].mean())
    return {key: values for key, values in ways.items() if key not in order[12:]}


def _levels(table: Table) -> list[tuple[str, NDArray[np.intp]]]:
    names = list(table.X.columns)[:_MOST_COLUMNS]
    return [
        (str(name), levels_of(table.X[name], table.kinds[name] == "categorical"))
        for name in names
    ]


def levels_of(column: pd.Series, categorical: bool) -> NDArray[np.intp]:
    """Cut a column into a few levels; missing cells are level 0.

    Categories beyond the 64 most frequent share a level, numbers are cut at quantiles.
    """
    if categorical:
        text = column.astype(object).where(column.notna(), None)
        codes, names = pd.factorize(text.map(str, na_action="ignore"))
        if len(names) > _MOST_WORDS:
            counts = np.bincount(codes[codes >= 0])
            rank = np.empty(len(names), dtype=np.intp)
            rank[np.argsort(-counts, kind="stable")] = np.arange(len(names))
            codes = np.where(codes >= 0, np.minimum(rank[codes], _MOST_WORDS), -1)
        return codes + 1
    numbers = numbers_of(column)
    known = np.isfinite(numbers)
    levels = np.zeros(len(numbers), dtype=np.intp)
    if known.any():
        # A bin ends with its cut, so that a frequent value has a bin of its own.
        cuts = np.unique(np.quantile(numbers[known], np.linspace(0, 1, _BINS + 1)))
        levels[known] = 1 + np.searchsorted(cuts, numbers[known], side="left")
    return levels


def numbers_of(column: pd.Series) -> NDArray[np.float64]:
    """Return a column as floats: dates as seconds, truth values as 0 and 1."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        seconds = column.to_numpy().astype("datetime64[s]").astype(np.float64)
        return np.where(column.isna().to_numpy(), np.nan, seconds)
    return pd.to_numeric(column, errors="coerce").to_numpy(
        dtype=np.float64, na_value=np.nan
    )


def _places(table: Table) -> Values:
    kinds = {name: table.kinds[name] for name in table.X.columns}
    encoder = TableEncoder(kinds=kinds, max_levels=_MOST_LEVELS)
    return np.asarray(encoder.fit_transform(table.X), dtype=float)


def _clusters(
    table: Table, codes: NDArray[np.intp], folds: list[Fold], shuffles: int, seed: int
) -> tuple[Values | None, dict[str, list[Row]], Values]:
    """Run EAPP; its value here is the best over the curve, and so is its null."""
    kinds = {name: table.kinds[name] for name in table.X.columns}
    model = EAPP(folds=folds, kinds=kinds, shuffles=shuffles, random_state=seed)
    with warnings.catch_warnings():
        # The model keeps its warnings as notes, and they go into the record.
        warnings.simplefilter("ignore", UserWarning)
        try:
            model.fit(_few_levels(table), codes)
        except CaveatError:
            return None, {}, np.zeros(0)
    record = Result.of(model).to_record()
    record["row"]["notes"] = []
    label = [{**row, "label": ""} for row in record["curves"]["eapp-classes"]]
    curves = {
        **record["curves"],
        "eapp-classes": label,
        "eapp-row": [{"json": json.dumps(_finite(record["row"]))}],
    }
    values = _class_mean(model.fold_values_["honest"])
    top = int(np.nanargmax(np.nanmean(values, axis=0)))
    null = np.nanmax(_class_mean(model.null_["honest"]), axis=1)
    best = values[:, top]
    return best[:, None], curves, np.append(null, np.nanmean(best))


def _class_mean(values: NDArray[Any]) -> Values:
    """Average over classes, where there are several."""
    return np.asarray(values.mean(axis=0) if values.ndim == 3 else values, dtype=float)


def _finite(row: Row) -> Row:
    return {
        name: None if isinstance(value, float) and np.isnan(value) else value
        for name, value in row.items()
    }


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
