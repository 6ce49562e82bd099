"""From a name to a model that suits the task."""

from __future__ import annotations

from typing import Any

import pandas as pd

from caveat.exceptions import InvalidInput, listing
from caveat.models._tasks import check_task
from caveat.models.registry import MODELS


def make_model(
    name: str, task: str = "classification", *, random_state: Any = None, **params: Any
) -> Any:
    """Make a model by name: the classifier or the regressor, as the task asks.

    Parameters
    ----------
    name : str
        One of those that `available` lists.
    task : {"classification", "binary", "multiclass", "regression"}
        What is predicted.
    random_state : int, RandomState instance or None
        Seeds all that is random in the fit.
    **params
        Parameters of the model.

    Returns
    -------
    TabularModel
        A scikit-learn estimator that takes a raw frame.

    Examples
    --------
    >>> make_model("k-nn", "regression", n_neighbors=3)
    NearestNeighbours(n_neighbors=3, task='regression')
    >>> make_model("ridge", "binary")
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: 'ridge' cannot do 'binary'; 'logistic-regression'
    can
    """
    entry = MODELS[name]
    check_task(task)
    if not _can(name, task):
        raise InvalidInput(f"{name!r} cannot do {task!r}; {_who_can(name, task)}")
    return entry.make(task=task, random_state=random_state, **params)


def counterpart(name: str, task: str) -> str:
    """Name the same kind of model for a task: itself, or its counterpart.

    Examples
    --------
    >>> counterpart("logistic-regression", "regression")
    'ridge'
    >>> counterpart("random-forest", "regression")
    'random-forest'
    """
    check_task(task)
    if _can(name, task):
        return name
    other = MODELS[name].facts.get("counterpart")
    if other is None or not _can(other, task):
        raise InvalidInput(f"{name!r} cannot do {task!r}; {_who_can(name, task)}")
    return other


def names_for(task: str) -> list[str]:
    """List the models that can do a task, in the order of the registry.

    Examples
    --------
    >>> names_for("regression")[:3]
    ['dummy', 'ridge', 'k-nn']
    """
    check_task(task)
    return [name for name in MODELS if _can(name, task)]


def is_constant(name: str) -> bool:
    """Tell whether a learner is a model that answers alike for all rows.

    Examples
    --------
    >>> is_constant("dummy"), is_constant("k-nn"), is_constant("mine:Nearest")
    (True, False, False)
    """
    return name in MODELS and bool(MODELS[name].facts.get("constant"))


def available() -> pd.DataFrame:
    """List all models without importing any.

    Returns
    -------
    DataFrame
        `name`, `family`, `tasks` and `extra`: which extra of caveat installs what
        the model needs, '' if nothing.

    Examples
    --------
    >>> available().set_index("name").loc["lightgbm"].to_list()
    ['boosting', 'binary, multiclass, regression', 'trees']
    """
    rows = [
        {
            "name": entry.name,
            "family": entry.facts.get("family", ""),
            "tasks": ", ".join(entry.tasks),
            "extra": entry.extra or "",
        }
        for entry in MODELS.values()
    ]
    return pd.DataFrame(rows, columns=["name", "family", "tasks", "extra"])


def _can(name: str, task: str) -> bool:
    tasks = MODELS[name].tasks
    # A row of another package may leave its tasks open; and "classification" is
    # what the two kinds of it have in common.
    wanted = "multiclass" if task == "classification" else task
    return not tasks or wanted in tasks


def _who_can(name: str, task: str) -> str:
    other = MODELS[name].facts.get("counterpart")
    if other is not None and _can(other, task):
        return f"{other!r} can"
    return f"those that can are {listing(names_for(task))}"
