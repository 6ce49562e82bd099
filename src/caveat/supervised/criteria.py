"""How a configuration can be chosen without the test part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from caveat.models import Bonds, fit_model
from caveat.supervised._evaluate import evaluate
from caveat.supervised._folds import Fold


def cross_validation(
    make: Callable[[], Any],
    X: pd.DataFrame,
    y: pd.Series,
    *,
    folds: Sequence[Fold],
    task: str,
    classes: Sequence[Any] | None = None,
    bonds: Bonds | None = None,
) -> dict[str, float | None]:
    """Judge a recipe for a model on rows that it did not learn from.

    Parameters
    ----------
    make : callable
        Makes the unfitted model.
    X, y : DataFrame, Series
        Training rows.
    folds : sequence of (rows to learn from, rows to judge on)
        As `training_folds` gives them.
    task : {"binary", "multiclass", "regression"}
    classes : sequence of labels, optional
        All classes of the data set.
    bonds : Bonds, optional
        What binds the training rows: a model that holds some out to stop early
        respects it.

    Returns
    -------
    dict of measure to float
        The mean over the folds in which the measure is defined, None if in none; and
        `loss`, see there.

    Warnings
    --------
    The best of many configurations looks better here than it is: the more were tried,
    the more. Its folds share training rows, so their spread says little of the error.

    References
    ----------
    .. [1] G. C. Cawley, N. L. C. Talbot (2010). On over-fitting in model selection and
       subsequent selection bias in performance evaluation. JMLR 11.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from caveat.models import make_model
    >>> from caveat.supervised import training_folds
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> scores = cross_validation(
    ...     lambda: make_model("k-nn"), X, y, folds=training_folds(y), task="multiclass"
    ... )
    >>> round(scores["accuracy"], 2)
    0.95
    """
    found: dict[str, list[float]] = {}
    known = (
        sorted(pd.unique(y)) if classes is None and task != "regression" else classes
    )
    for learn, judge in folds:
        told = bonds and bonds.of(learn)
        model = fit_model(make(), X.iloc[learn], y.iloc[learn], told)
        held = evaluate(model, X.iloc[judge], y.iloc[judge], task=task, classes=known)
        for name, score in {**held, "loss": loss(held)}.items():
            found.setdefault(name, []).extend([] if score is None else [score])
    return {
        name: float(np.mean(scores)) if scores else None
        for name, scores in found.items()
    }


def loss(scores: Mapping[str, float | None]) -> float | None:
    """One number for choosing, smaller is better, whatever the task.

    Log-loss where the model gives probabilities, else the share of errors; RMSE for a
    regression.

    Parameters
    ----------
    scores : mapping of measure to float
        As `evaluate` gives them.

    Returns
    -------
    float, 0 or larger; smaller is better.

    Warnings
    --------
    Losses of learners with and without probabilities are different numbers: choose
    with it among the configurations of one learner only. On the test part it uses
    labels that nobody has.

    Examples
    --------
    >>> loss({"accuracy": 0.9, "log-loss": None})
    0.09999999999999998
    """
    for name in ("rmse", "log-loss"):
        if scores.get(name) is not None:
            return scores[name]
    accuracy = scores.get("accuracy")
    return None if accuracy is None else 1 - accuracy
