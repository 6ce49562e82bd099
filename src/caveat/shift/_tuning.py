"""Hyperparameters by Optuna, over the spaces of the paper, on validation rows only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import optuna
import pandas as pd

from caveat.exceptions import InvalidInput
from caveat.models import counterpart, make_model
from caveat.models.registry import MODELS
from caveat.shift.criteria import hold_out
from caveat.shift.evaluation._metric import default_measure
from caveat.shift.evaluation._tables import check_table
from caveat.shift.evaluation._targets import find_task

# Optuna's defaults at the time of writing, spelt out: they may change, results not.
SAMPLER: Mapping[str, Any] = {
    "n_startup_trials": 10,
    "n_ei_candidates": 24,
    "multivariate": False,
    "group": False,
    "constant_liar": False,
}


@dataclass(frozen=True)
class Tuning:
    """What a search found, and how.

    Attributes
    ----------
    model : str
        Name of the model.
    params : dict
        The best parameters; {} where the defaults were never beaten.
    value : float
        Their validation accuracy, or RMSE.
    measure : str
    trials : DataFrame
        Parameters and value of every trial, in order.
    settings : dict
        Sampler with all its settings, seed, share of validation rows, versions.
    """

    model: str
    params: dict[str, Any]
    value: float
    measure: str
    trials: pd.DataFrame
    settings: dict[str, Any]


def tune(
    model: str,
    X: Any,
    y: Any,
    *,
    task: str | None = None,
    n_trials: int = 100,
    validation: float = 0.2,
    sampler_seed: int = 0,
    random_state: int = 0,
    fixed: Mapping[str, Any] | None = None,
) -> Tuning:
    """Search a model's hyperparameters, on training rows alone.

    A part of the training rows is held out, every trial is fitted to the others and
    measured on it: accuracy for labels, RMSE for numbers. The first trial is the
    default setting. The test rows are not here to be looked at.

    Parameters
    ----------
    model : str
        A name from ``caveat.models.MODELS`` that has a space.
    X, y : DataFrame and array-like
        Training rows.
    task : {"binary", "multiclass", "classification", "regression"}, optional
    n_trials : int, default=100
    validation : float, default=0.2
        Share of the training rows that is held out.
    sampler_seed : int, default=0
        Seed of the tree-structured Parzen estimator.
    random_state : int, default=0
        Seed of the held-out part and of the fits.
    fixed : mapping, optional
        Parameters that are not searched.

    Returns
    -------
    Tuning

    Warnings
    --------
    The best of a hundred is partly the luckiest: its validation value is too good.

    References
    ----------
    .. [1] T. Akiba et al. (2019). Optuna: a next-generation hyperparameter
       optimization framework. KDD.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = tune("lightgbm", X, y, n_trials=3, fixed={"n_estimators": 5})
    >>> sorted(found.trials.columns)[:2], len(found.trials)
    (['learning_rate', 'min_data_in_leaf'], 3)
    """
    if isinstance(n_trials, bool) or not isinstance(n_trials, int) or n_trials < 1:
        raise InvalidInput(f"n_trials is {n_trials!r}; use 1 or more")
    if not 0 < validation < 1:
        raise InvalidInput(f"validation is {validation!r}; use a share such as 0.2")
    table, labels = check_table(X, "X"), pd.Series(np.asarray(y))
    asked = find_task(labels.to_numpy(), None, task)
    name = counterpart(model, task or asked)
    space = {
        parameter: distribution
        for parameter, distribution in MODELS[name].space.items()
        if parameter not in (fixed or {})
    }
    if not space:
        raise InvalidInput(
            f"{name!r} has nothing to tune; choose a model with a search space"
        )
    fit, held = hold_out(
        labels, validation, random_state, stratify=asked != "regression"
    )
    measure = default_measure(asked)
    better: Literal["minimize", "maximize"] = (
        "minimize" if asked == "regression" else "maximize"
    )

    def objective(trial: Any) -> float:
        params = {key: _suggest(trial, key, space[key]) for key in space}
        return score(params)

    def score(params: Mapping[str, Any]) -> float:
        fitted = make_model(
            name, asked, random_state=random_state, **{**(fixed or {}), **params}
        ).fit(table.iloc[fit], labels.iloc[fit])
        answers = fitted.predict(table.iloc[held])
        truth = labels.iloc[held].to_numpy()
        if asked == "regression":
            return float(np.sqrt(np.mean((answers - truth) ** 2)))
        return float(np.mean(answers == truth))

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=sampler_seed, **SAMPLER)
    search = optuna.create_study(direction=better, sampler=sampler)
    default = score({})
    search.optimize(objective, n_trials=n_trials - 1)
    return _outcome(
        name, default, search, space, measure, better, sampler_seed, validation
    )


def _outcome(
    name: str,
    default: float,
    search: Any,
    space: Mapping[str, Any],
    measure: str,
    better: str,
    sampler_seed: int,
    validation: float,
) -> Tuning:
    rows: list[dict[str, Any]] = [{"value": default}]
    for trial in search.trials:
        found = {key: _value(trial.params[key], space[key]) for key in trial.params}
        rows.append({**found, "value": trial.value})
    sign = 1 if better == "maximize" else -1
    # Of equal ones the earliest: the defaults stay unless they are beaten.
    best = max(
        range(len(rows)), key=lambda place: (sign * rows[place]["value"], -place)
    )
    params = {key: value for key, value in rows[best].items() if key != "value"}
    return Tuning(
        model=name,
        params=params,
        value=rows[best]["value"],
        measure=measure,
        trials=pd.DataFrame(rows, columns=[*space, "value"]),
        settings={
            "sampler": "TPESampler",
            **SAMPLER,
            "seed": sampler_seed,
            "validation": validation,
            "optuna": optuna.__version__,
        },
    )


def _suggest(trial: Any, name: str, distribution: Mapping[str, Any]) -> Any:
    ((kind, values),) = distribution.items()
    if kind == "choice":
        # By place: lists, such as widths of layers, are no categories to Optuna.
        return values[trial.suggest_categorical(name, list(range(len(values))))]
    low, high = values
    if kind == "integer":
        return trial.suggest_int(name, low, high)
    if kind == "log10-uniform":
        return 10 ** trial.suggest_float(name, low, high)
    return trial.suggest_float(name, low, high, log=kind == "log-uniform")


def _value(found: Any, distribution: Mapping[str, Any]) -> Any:
    ((kind, values),) = distribution.items()
    if kind == "choice":
        return values[found]
    return 10**found if kind == "log10-uniform" else found
