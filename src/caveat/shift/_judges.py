"""From the name of a measure to a number for every mask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, listing
from caveat.shift import _stacked
from caveat.shift._answers import Answers
from caveat.shift._targets import Target
from caveat.shift.registry import MEASURES

_ALIASES = {
    "roc-auc": "auc",
    "roc-auc-ovr": "auc",
    "brier-score": "brier",
    "root-mean-squared-error": "rmse",
}
_ENOUGH = {
    "labels": ("labels", "scores", "probabilities"),
    "scores": ("scores", "probabilities"),
    "probabilities": ("probabilities",),
    "numbers": ("numbers",),
}


@dataclass(frozen=True)
class Judge:
    """One measure.

    Attributes
    ----------
    name : str
    larger_is_better : bool
    measure : callable
        Truth (rows,) and stacked answers to a number for each of the stack.
    """

    name: str
    larger_is_better: bool
    measure: Callable[[NDArray[Any], Answers], NDArray[np.float64]]


def default_measure(task: str) -> str:
    """Name the measure of the paper: accuracy for labels, RMSE for numbers."""
    return "rmse" if task == "regression" else "accuracy"


def check_measures(metric: Any, target: Target, kind: str) -> list[Judge]:
    """Turn names and functions into judges, and refuse what the answers cannot serve.

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
    judges = [_judge(each, target, kind) for each in asked]
    names = [judge.name for judge in judges]
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        raise InvalidInput(
            f"metric names {listing(sorted(doubled))} twice; name it once"
        )
    return judges


def _judge(metric: Any, target: Target, kind: str) -> Judge:
    if callable(metric):
        return _users(metric, target)
    if not isinstance(metric, str):
        raise InvalidInput(
            f"metric is {metric!r}; pass a name such as 'accuracy', or a function"
        )
    name = metric.lower().replace("_", "-")
    entry = MEASURES[_ALIASES.get(name, name)]
    able = "regression" if target.task == "regression" else "multiclass"
    if able not in entry.tasks:
        suitable = [each.name for each in MEASURES.values() if able in each.tasks]
        raise InvalidInput(
            f"{entry.name!r} does not fit a {target.task}; use one of "
            f"{listing(suitable)}"
        )
    if kind not in _ENOUGH[entry.facts["needs"]]:
        raise InvalidInput(
            f"{entry.name!r} needs {entry.facts['needs']}, but the model gives {kind} "
            "only; use 'accuracy', or a model with predict_proba"
        )
    measure = getattr(_stacked, entry.name.replace("-", "_"))
    return Judge(entry.name, entry.facts["direction"] == "max", measure)


def _users(function: Callable[..., Any], target: Target) -> Judge:
    """Apply a user's function to labels or numbers, mask by mask."""
    classes = target.classes

    def measure(truth: NDArray[Any], answers: Answers) -> NDArray[np.float64]:
        if classes is None:
            return np.array([float(function(truth, each)) for each in answers])
        known = classes[np.maximum(truth, 0)]
        given = classes[answers.argmax(axis=2)]
        return np.array([float(function(known, each)) for each in given])

    if classes is not None and (target.values < 0).any():
        raise InvalidInput(
            "y_test has classes that the model does not know; a function as a metric "
            "cannot judge them, use a named measure"
        )
    return Judge(getattr(function, "__name__", "metric"), True, measure)
