"""What is to be predicted: labels as class numbers, or numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.multiclass import type_of_target

from caveat.exceptions import InvalidInput

TASKS = ("classification", "regression")


@dataclass(frozen=True)
class Target:
    """The target of the test rows.

    Attributes
    ----------
    task : {"classification", "regression"}
    classes : array or None
        The labels that the model knows, in the order of its probabilities.
    values : array
        Number of each test row's class (-1: a class that the model does not know),
        or the number to predict.
    train : array
        The same for the training rows.
    """

    task: str
    classes: NDArray[Any] | None
    values: NDArray[Any]
    train: NDArray[Any]

    @property
    def n_classes(self) -> int:
        """How many classes the model knows; 0 for a regression."""
        return 0 if self.classes is None else len(self.classes)

    def towards(
        self, positive: Any, answers: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Give truth and answers with the positive of two classes second.

        That is the one which measures such as F1 are about. Nothing changes where
        there are not two classes, or none is called positive.
        """
        if self.classes is None or len(self.classes) != 2:
            return self.values, answers
        if self.classes[0] != positive:
            return self.values, answers
        return 1 - self.values, answers[..., ::-1]


def check_target(
    y_train: Any,
    y_test: Any,
    n_train: int,
    n_test: int,
    model: Any = None,
    task: str | None = None,
) -> Target:
    """Check both targets and number the classes as the model does."""
    train, test = (
        _column(y_train, n_train, "y_train"),
        _column(y_test, n_test, "y_test"),
    )
    task = find_task(train, model, task)
    if task == "regression":
        return Target(task, None, _numbers(test, "y_test"), _numbers(train, "y_train"))
    known = getattr(model, "classes_", None)
    classes = _sorted(train) if known is None else np.asarray(known)
    codes = pd.Index(classes)
    return Target(task, classes, codes.get_indexer(test), codes.get_indexer(train))


def find_task(y: NDArray[Any], model: Any = None, task: str | None = None) -> str:
    """Tell labels from numbers: by the argument, the model, or the target itself.

    Examples
    --------
    >>> import numpy as np
    >>> find_task(np.array(["a", "b"])), find_task(np.array([1.5, 2.25]))
    ('classification', 'regression')
    """
    if task in ("binary", "multiclass"):
        return "classification"
    if task is not None and task not in TASKS:
        raise InvalidInput(f"task is {task!r}; use 'classification' or 'regression'")
    if task is not None:
        return task
    if hasattr(model, "predict") and (
        _is(is_classifier, model) or hasattr(model, "classes_")
    ):
        return "classification"
    if hasattr(model, "predict") and _is(is_regressor, model):
        return "regression"
    return "regression" if type_of_target(y) == "continuous" else "classification"


def _is(question: Any, model: Any) -> bool:
    try:
        return bool(question(model))
    except (AttributeError, TypeError):  # not a scikit-learn model: it has no tags
        return False


def _column(y: Any, n_rows: int, name: str) -> NDArray[Any]:
    column = np.asarray(y)
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1:
        raise InvalidInput(
            f"{name} has the shape {column.shape}; pass one label or number per row"
        )
    if len(column) != n_rows:
        raise InvalidInput(
            f"{name} has {len(column)} values for {n_rows} rows; they must be equally "
            "many"
        )
    missing = np.flatnonzero(pd.isna(column))
    if len(missing):
        raise InvalidInput(
            f"{name} is missing in {len(missing)} rows, the first is row {missing[0]}; "
            "leave rows without a target out"
        )
    return column


def _sorted(labels: NDArray[Any]) -> NDArray[Any]:
    try:
        return np.unique(labels)
    except TypeError as error:
        raise InvalidInput(
            "y_train mixes labels of several types, which have no order; turn them "
            "all into text or all into numbers"
        ) from error


def _numbers(column: NDArray[Any], name: str) -> NDArray[np.float64]:
    try:
        numbers = column.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"{name} holds {column[0]!r}, which is not a number; for labels say "
            "task='classification'"
        ) from error
    if not np.isfinite(numbers).all():
        raise InvalidInput(f"{name} holds infinite numbers; leave such rows out")
    return numbers
