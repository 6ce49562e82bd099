"""A model on one fold: how it is made, what it answers, what that scores."""

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
from caveat.models import Bonds, TabularModel, fit_model, is_constant
from caveat.models.registry import MODELS
from caveat.tables import TableEncoder


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


def fit_and_answer(
    entry: Entry,
    params: Mapping[str, Any],
    table: Table,
    fold: Fold,
    *,
    seed: int,
    bonds: Bonds | None = None,
) -> NDArray[np.float64]:
    """Fit a model to one fold's training rows and let it answer for the others.

    `bonds` bind the rows of the whole table.
    """
    train, test = fold
    if is_constant(entry.name):
        return constant_answers(table, train, len(test))
    told = bonds and bonds.of(train)
    unfitted = build(entry, params, table, seed)
    model = fit_model(unfitted, table.X.iloc[train], table.y[train], told)
    answers = answers_of(model, table.X.iloc[test], table)
    if not np.isfinite(answers).all():
        raise InvalidInput(f"{entry.name}: its answers are not finite")
    return answers


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
    return ":" in name or (name in MODELS and not is_constant(name))
