"""Hyperparameters by Optuna, over the spaces of the paper, on validation rows only."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np
import optuna
import pandas as pd
from numpy.typing import ArrayLike
from optuna.storages.journal import JournalFileBackend

from caveat.exceptions import InvalidInput
from caveat.models import Bonds, counterpart, fit_model, make_model
from caveat.models.registry import MODELS
from caveat.shift.criteria import hold_out
from caveat.shift.curves._curve import shift_curve
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
        Their validation accuracy, or RMSE; with `masked` its mean while columns vanish.
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
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    masked: bool = False,
    random_state: int = 0,
    fixed: Mapping[str, Any] | None = None,
    file: str | PathLike[str] | None = None,
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
    groups, time : array-like of shape (n_rows,), optional
        Whole groups, the latest rows are held out: to measure on, and again by models
        that hold rows out to stop early.
    masked : bool, default=False
        Measure on rows that lose columns: the mean over all numbers of lost columns, at
        most 20 sets of each. The share of training rows that lose columns (`mask_rate`)
        is then searched, too.
    random_state : int, default=0
        Seed of the held-out part, the fits and the tree-structured Parzen estimator.
    fixed : mapping, optional
        Parameters that are not searched.
    file : path, optional
        Where finished trials are kept. The same call goes on from there, after any
        interruption, and finds what it would have found without one; a call with
        other rows or settings keeps its own trials beside them.

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
    space = _space(name, asked, masked, fixed or {})
    bonds = Bonds(groups, time)
    fit, held = hold_out(
        labels, validation, random_state, stratify=asked != "regression", bonds=bonds
    )
    if not len(held):
        raise InvalidInput(
            "groups and time leave no row to be held out; pass more rows or groups, or "
            "leave them out"
        )
    measure = default_measure(asked)
    better: Literal["minimize", "maximize"] = (
        "minimize" if asked == "regression" else "maximize"
    )

    def objective(trial: Any) -> float:
        return score({key: _suggest(trial, key, space[key]) for key in space})

    def score(params: Mapping[str, Any]) -> float:
        settings = {**(fixed or {}), **params}
        unfitted = make_model(name, asked, random_state=random_state, **settings)
        known = (table.iloc[fit], labels.iloc[fit])
        fitted = fit_model(unfitted, *known, bonds.of(fit))
        rows = (table.iloc[held], labels.iloc[held])
        if masked:
            return _while_lost(fitted, known, rows, measure, asked)
        answers, truth = fitted.predict(rows[0]), rows[1].to_numpy()
        if asked == "regression":
            return float(np.sqrt(np.mean((answers - truth) ** 2)))
        return float(np.mean(answers == truth))

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    asked_for = [name, asked, validation, masked, random_state, dict(fixed or {})]
    if bonds:
        asked_for += [
            [] if one is None else pd.Series(one).tolist() for one in (groups, time)
        ]
    search = optuna.create_study(
        direction=better,
        storage=None if file is None else _journal(file),
        study_name=_digest(table, labels, asked_for),
        load_if_exists=True,
    )
    if "default" not in search.user_attrs:
        search.set_user_attr("default", score({}))
    for number in range(len(_done(search)), n_trials - 1):
        # A seed for each: what comes next depends on what was found, not on when.
        seed = int(np.random.SeedSequence([random_state, number]).generate_state(1)[0])
        search.sampler = optuna.samplers.TPESampler(seed=seed, **SAMPLER)
        search.optimize(objective, n_trials=1)
    settings = {"seed": random_state, "validation": validation, "masked": masked}
    return _outcome(name, search, space, measure, better, settings)


def _space(
    name: str, task: str, masked: bool, fixed: Mapping[str, Any]
) -> dict[str, Mapping[str, Any]]:
    """List what is searched: the model's space, and how many rows lose columns."""
    space: dict[str, Mapping[str, Any]] = dict(MODELS[name].space)
    if masked:
        if "mask_rate" not in make_model(name, task).get_params():
            raise InvalidInput(
                f"{name!r} cannot be trained for loss; leave masked out, or choose a "
                "network or a booster"
            )
        space["mask_rate"] = {"uniform": [0.0, 0.8]}
    space = {key: value for key, value in space.items() if key not in fixed}
    if not space:
        raise InvalidInput(
            f"{name!r} has nothing to tune; choose a model with a search space"
        )
    return space


def _while_lost(
    fitted: Any,
    known: tuple[pd.DataFrame, pd.Series],
    rows: tuple[pd.DataFrame, pd.Series],
    measure: str,
    task: str,
) -> float:
    """Average a measure over all numbers of lost columns, none and all included."""
    with warnings.catch_warnings():
        # A small table has fewer sets of a size.
        warnings.filterwarnings("ignore", message="there are no more than")
        settings: dict[str, Any] = {"metric": measure, "task": task}
        settings |= {"max_subsets": 20, "random_state": 0}
        curve = shift_curve(fitted, *known, *rows, **settings)
    return float(curve.table["value"].mean())


def _outcome(
    name: str,
    search: Any,
    space: Mapping[str, Any],
    measure: str,
    better: str,
    settings: Mapping[str, Any],
) -> Tuning:
    rows: list[dict[str, Any]] = [{"value": search.user_attrs["default"]}]
    for trial in _done(search):
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
            **settings,
            "optuna": optuna.__version__,
        },
    )


def _journal(file: str | PathLike[str]) -> Any:
    """Open the file that keeps finished trials, a line for each step."""
    return optuna.storages.JournalStorage(JournalFileBackend(fspath(file)))


def _done(search: Any) -> list[Any]:
    """List the trials that came to an end; one that was cut off is made again."""
    finished = (optuna.trial.TrialState.COMPLETE,)
    return list(search.get_trials(deepcopy=False, states=finished))


def _digest(table: pd.DataFrame, labels: pd.Series, asked_for: list[Any]) -> str:
    """Name a search by its rows and settings."""
    rows = pd.util.hash_pandas_object(table.assign(**{"\0": labels.to_numpy()}))
    text = json.dumps([list(map(str, table.columns)), asked_for], default=str)
    return sha256(rows.to_numpy().tobytes() + text.encode()).hexdigest()


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
