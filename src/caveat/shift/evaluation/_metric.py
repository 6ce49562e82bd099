"""From the argument `metric` to the measures of a curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, listing
from caveat.measures import Measure
from caveat.shift.evaluation._targets import Target
from caveat.shift.registry import MEASURES

_ALIASES = {
    "roc-auc": "auc",
    "roc-auc-ovr": "auc",
    "brier-score": "brier",
    "root-mean-squared-error": "rmse",
}
_ENOUGH = {
    "decisions": ("labels", "scores", "probabilities"),
    "scores": ("scores", "probabilities"),
    "probabilities": ("probabilities",),
    "amounts": ("numbers",),
}


def usual_measures(task: str) -> list[str]:
    """Name what is measured if nothing is asked for, the paper's measure first."""
    return ["rmse"] if task == "regression" else ["accuracy", "auc"]


def default_measure(task: str) -> str:
    """Name the measure of the paper: accuracy for labels, RMSE for numbers."""
    return usual_measures(task)[0]


def check_measures(metric: Any, target: Target, kind: str) -> list[Measure]:
    """Turn names and functions into measures; refuse what the answers cannot serve.

    Parameters
    ----------
    metric : None, str, callable, or sequence of them
        None is accuracy or RMSE. A function gets true and predicted labels (or
        numbers) and returns a number, like those of `sklearn.metrics`.
    target : Target
    kind : str
        What the model's answers are, see `Answerer`.
    """
    if metric is None:
        metric = default_measure(target.task)
    several = isinstance(metric, Sequence) and not isinstance(metric, str)
    asked = list(metric) if several else [metric]
    if not asked:
        raise InvalidInput("metric is empty; name at least one measure")
    measures = [_measure(each, target, kind) for each in asked]
    names = [measure.name for measure in measures]
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        raise InvalidInput(
            f"metric names {listing(sorted(doubled))} twice; name it once"
        )
    return measures


def _measure(metric: Any, target: Target, kind: str) -> Measure:
    if callable(metric):
        return _users(metric, target)
    if not isinstance(metric, str):
        raise InvalidInput(
            f"metric is {metric!r}; pass a name such as 'accuracy', or a function"
        )
    name = metric.lower().replace("_", "-")
    measure = MEASURES[_ALIASES.get(name, name)]
    able = "regression" if target.task == "regression" else "multiclass"
    if able not in measure.tasks:
        suitable = [each.name for each in MEASURES.values() if able in each.tasks]
        raise InvalidInput(
            f"{measure.name!r} does not fit a {target.task}; use one of "
            f"{listing(suitable)}"
        )
    if kind not in _ENOUGH[measure.needs]:
        raise InvalidInput(
            f"{measure.name!r} needs {measure.needs}, but the model gives {kind} "
            "only; use 'accuracy', or a model with predict_proba"
        )
    return measure


def _users(function: Callable[..., Any], target: Target) -> Measure:
    """Apply a user's function to labels or numbers, mask by mask."""
    classes = target.classes

    def on_labels(truth: NDArray[Any], given: NDArray[Any]) -> float:
        assert classes is not None
        return float(function(classes[np.maximum(truth, 0)], classes[given]))

    if classes is not None and (target.values < 0).any():
        raise InvalidInput(
            "y_test has classes that the model does not know; a function as a metric "
            "cannot judge them, use a named measure"
        )
    return Measure(
        name=getattr(function, "__name__", "metric"),
        target="",
        needs="amounts" if classes is None else "decisions",
        function=function if classes is None else on_labels,
    )
