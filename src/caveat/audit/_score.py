"""A model on one fold: what it scores, and what is left of that within levels."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline

from caveat._registry import Entry
from caveat.audit._folds import Fold
from caveat.audit._table import Table
from caveat.audit.registry import UPPER_HALF_AUC
from caveat.exceptions import InvalidInput
from caveat.measures import evaluate, get
from caveat.models import TabularModel
from caveat.models.registry import MODELS
from caveat.ranking import pair_counts
from caveat.tables import TableEncoder

Row = dict[str, Any]


def build(entry: Entry, params: Mapping[str, Any], table: Table, seed: int) -> Any:
    """Make an unfitted model that takes the table as it is.

    It is told task, kinds and seed where it takes them. A model of the user's that is
    no pipeline gets the table encoded: numbers scaled and filled in, categories as 0/1
    columns.
    """
    made: Any = entry.load()
    kinds = {name: table.kinds[name] for name in table.X.columns}
    if inspect.isclass(made) or not hasattr(made, "fit"):
        if not callable(made):
            raise InvalidInput(
                f"--model {entry.name}: a {type(made).__name__} can neither be fitted "
                "nor called; name an estimator, its class, or a function that makes one"
            )
        made = entry.make_for(params, task=table.task, kinds=kinds, random_state=seed)
    model = clone(made)
    if isinstance(model, TabularModel | Pipeline):
        return model
    return make_pipeline(TableEncoder(kinds=kinds, max_levels=256), model)


def answers_of(model: Any, X: pd.DataFrame, table: Table) -> NDArray[np.float64]:
    """Probabilities of shape (n, classes), or numbers."""
    if not table.classes:
        return np.asarray(model.predict(X), dtype=float).ravel()
    proba = np.zeros((len(X), len(table.classes)))
    known = np.asarray(model.classes_).astype(int)
    if hasattr(model, "predict_proba"):
        proba[:, known] = np.asarray(model.predict_proba(X), dtype=float)
        return proba
    if hasattr(model, "decision_function") and len(known) == 2:
        margin = np.asarray(model.decision_function(X), dtype=float)
        proba[:, known[1]] = 1 / (1 + np.exp(-np.clip(margin, -500, 500)))
        proba[:, known[0]] = 1 - proba[:, known[1]]
        return proba
    proba[np.arange(len(X)), np.asarray(model.predict(X)).astype(int)] = 1.0
    return proba


def measures_of(
    table: Table, rows: NDArray[np.intp], answers: NDArray[np.float64]
) -> dict[str, float | None]:
    """Judge answers for some rows by all measures of the task."""
    weights = None if table.weights is None else table.weights[rows]
    if weights is not None and not weights.any():
        weights = None
    judge = partial(evaluate, sample_weight=weights)
    if table.classes:
        chosen, known = ("auc", "accuracy", "log-loss"), range(len(table.classes))
        answered = {"probabilities": answers}
        return judge(map(get, chosen), table.y[rows], answered, classes=known)
    found = judge(map(get, ("rmse", "mae", "r2")), table.y[rows], {"amounts": answers})
    halves = {"scores": answers}
    return found | judge([UPPER_HALF_AUC], table.upper[rows], halves, classes=range(2))


def within(
    table: Table,
    rows: NDArray[np.intp],
    answers: NDArray[np.float64],
    strata: list[str],
) -> list[Row]:
    """AUC among rows of one level only, for every column of few levels.

    A score that only tells the levels of a column apart has nothing left within them.
    """
    weights = None if table.weights is None else table.weights[rows]
    found = []
    for name in strata:
        column = table.whole[name].iloc[rows]
        levels = pd.factorize(column.astype(str).where(column.notna(), None))[0]
        value = auc_within(table.upper[rows], answers, weights, levels)
        if not np.isnan(value):
            found.append({"column": str(name), "value": value})
    return found


def auc_within(
    codes: NDArray[np.intp],
    answers: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    levels: NDArray[np.intp],
) -> float:
    """AUC of pairs whose rows share a level, -1 for none: NaN without such a pair.

    Of several classes the mean of each against the rest.

    Examples
    --------
    Within each of two levels the scores say nothing; between them, everything.

    >>> codes, scores = np.array([0, 0, 0, 1, 0, 1, 1, 1]), np.repeat([0.1, 0.9], 4)
    >>> auc_within(codes, scores, None, np.repeat([0, 1], 4))
    0.5
    """
    matrix = answers[:, None] if answers.ndim == 1 else answers
    few = matrix.shape[1] <= 2
    parts = [np.flatnonzero(levels == one) for one in np.unique(levels)[:64]]
    parts = [part for part in parts if levels[part[0]] >= 0]
    found = []
    for label in [1] if few else range(matrix.shape[1]):
        scores = matrix[:, -1 if few else label]
        counts = [
            pair_counts(
                codes[part] == label,
                scores[part],
                weights=None if weights is None else weights[part],
            )
            for part in parts
        ]
        total = sum(one.total for one in counts)
        if total:
            right = sum(2 * one.above + one.tied for one in counts)
            found.append(right / (2 * total))
    return float(np.mean(found)) if found else float("nan")


def given_answers(table: Table, path: Mapping[str, Any]) -> NDArray[np.float64]:
    """Read scores that somebody made elsewhere, row by row of the table."""
    frame = read_predictions(path["file"])
    score = frame[path["score"]].to_numpy(dtype=float)
    if path["key"] is None:
        rows = len(table.y) if table.held.any() else table.count
        if len(score) != rows:
            raise InvalidInput(
                f"--predictions has {len(score):,} rows, the table {rows:,}; "
                "add a column that both have, and that tells rows apart"
            )
        found = score if table.held.any() else score[table.origin]
    else:
        key = frame[path["key"]].astype(str)
        if key.duplicated().any():
            raise InvalidInput(
                f"--predictions: column {path['key']!r} names "
                f"{int(key.duplicated().sum()):,} rows twice; use a key per row"
            )
        place = pd.Series(score, index=key)
        found = place.reindex(table.whole[path["key"]].astype(str)).to_numpy()
    if not np.isfinite(found).all():
        raise InvalidInput(
            f"--predictions: {int((~np.isfinite(found)).sum()):,} rows of the table "
            "have no finite score; give one for each"
        )
    if not table.classes:
        return found
    if len(table.classes) != 2:
        raise InvalidInput(
            f"--predictions holds one score per row, the target {len(table.classes)} "
            "classes; name one of them with --positive"
        )
    low, high = float(found.min()), float(found.max())
    if low < 0 or high > 1:
        # Scores that are no probabilities keep their order, which is all AUC reads.
        found = (found - low) / (high - low or 1.0)
    return np.column_stack([1 - found, found])


def read_predictions(path: str) -> pd.DataFrame:
    """Read a CSV or Parquet file of scores."""
    from caveat.datasets._files import bytes_of, existing, find_format
    from caveat.datasets.readers._csv import read_csv
    from caveat.datasets.readers._packed import unpacked
    from caveat.datasets.readers._parquet import read_parquet

    place = existing(path)
    if find_format(place) == "parquet":
        return read_parquet(bytes_of(place), place.name)
    return read_csv(unpacked(bytes_of(place), place.name), place.name)[0]


def fit_and_judge(
    entry: Entry,
    params: Mapping[str, Any],
    table: Table,
    fold: Fold,
    *,
    seed: int,
    strata: list[str],
    predictions: Mapping[str, Any] | None = None,
) -> tuple[dict[str, float | None], list[Row]]:
    """Fit a model to one fold's training rows and judge it on the others."""
    train, test = fold
    if entry.name == "predictions":
        assert predictions is not None
        answers = given_answers(table, predictions)[test]
    elif entry.name == "dummy":
        answers = constant_answers(table, train, len(test))
    else:
        model = build(entry, params, table, seed)
        model.fit(table.X.iloc[train], table.y[train])
        answers = answers_of(model, table.X.iloc[test], table)
    if not np.isfinite(answers).all():
        raise InvalidInput(f"{entry.name}: its answers are not finite")
    return measures_of(table, test, answers), within(table, test, answers, strata)


def constant_answers(
    table: Table, train: NDArray[np.intp], count: int
) -> NDArray[np.float64]:
    """Answer with the class shares, or the mean, of the training rows."""
    if not table.classes:
        return np.full(count, float(table.y[train].mean()))
    shares = np.bincount(table.y[train], minlength=len(table.classes)) / len(train)
    return np.tile(shares, (count, 1))


def is_fitted_here(name: str) -> bool:
    """Whether a learner of an audit is a model that is fitted."""
    return ":" in name or (name in MODELS and name != "dummy")
