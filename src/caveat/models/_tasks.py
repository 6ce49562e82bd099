"""The words for what is predicted."""

from __future__ import annotations

from collections.abc import Sequence

from caveat.exceptions import InvalidInput, hint, listing

CLASSIFICATION = ("classification", "binary", "multiclass")
REGRESSION = ("regression",)
TASKS = (*CLASSIFICATION, *REGRESSION)


def is_classification(task: str) -> bool:
    """Tell whether the task's answers are labels."""
    return task != "regression"


def check_task(task: str, able: Sequence[str] = TASKS, who: str = "the model") -> None:
    """Refuse a word that names no task, or one that the model cannot do.

    Examples
    --------
    >>> check_task("regress")
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: task is 'regress', which is no task; did you
    mean 'regression'?
    """
    if task not in TASKS:
        raise InvalidInput(f"task is {task!r}, which is no task; {hint(task, TASKS)}")
    if task not in able:
        raise InvalidInput(f"{who} cannot do {task!r}; it can do {listing(able)}")
