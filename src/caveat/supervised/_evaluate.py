"""All measures of a fitted model at once."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from caveat.exceptions import InvalidInput, listing
from caveat.models import TabularModel
from caveat.study import known_labels
from caveat.supervised.registry import MEASURES


def evaluate(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    task: str,
    classes: Sequence[Any] | None = None,
) -> dict[str, float | None]:
    """Judge a fitted model by every measure of its task.

    Parameters
    ----------
    model : fitted estimator
        A classifier with `classes_`, or a regressor.
    X, y
        Rows and their true labels or numbers.
    task : {"binary", "multiclass", "regression"}
    classes : sequence of labels, optional
        All classes of the data set; a model that saw fewer gives the others the
        probability 0. Without it those of the model.

    Returns
    -------
    dict of measure to float
        None where a measure is not defined (one class only among the rows) or the
        model gives no probabilities; NaN everywhere if its answers are not finite.

    Examples
    --------
    >>> from caveat.models import make_model
    >>> model = make_model("dummy").fit([[0], [0], [0]], ["no", "no", "yes"])
    >>> scores = evaluate(model, [[0], [0]], ["no", "yes"], task="binary")
    >>> scores["accuracy"], scores["auc"]
    (0.5, 0.5)
    """
    answers: dict[str, NDArray[Any] | None]
    truth, keywords = np.asarray(y), {}
    if task == "regression":
        answers = {"numbers": _numbers(model, X)}
    else:
        known = list(model.classes_ if classes is None else classes)
        answers = _class_answers(model, X, known)
        # Labels are looked up once, not by every measure again.
        truth = class_numbers(truth, known)
        keywords = {"classes": range(len(known))}
    finite = all(_is_finite(answer) for answer in answers.values())
    scores: dict[str, float | None] = {}
    for name, entry in MEASURES.items():
        if task not in entry.tasks:
            continue
        answer = answers[entry.facts["needs"]]
        if answer is None:
            scores[name] = None
        elif not finite:
            scores[name] = math.nan
        else:
            scores[name] = _defined(entry.load(), truth, answer, keywords)
    return scores


def class_numbers(labels: NDArray[Any], classes: Sequence[Any]) -> NDArray[np.int64]:
    """Give each label's place among the classes; a stranger's is after them."""
    found = pd.Index(list(classes)).get_indexer(pd.Index(labels))
    return np.where(found < 0, len(classes), found)


def _class_answers(
    model: Any, X: Any, classes: Sequence[Any]
) -> dict[str, NDArray[Any] | None]:
    proba = class_probabilities(model, X, classes)
    if proba is not None and isinstance(model, TabularModel):
        # Its label is the most probable one: no need to ask twice.
        labels = np.asarray(proba.argmax(axis=1))
    else:
        labels = class_numbers(known_labels(model.predict(X), classes), classes)
    return {"labels": labels, "probabilities": proba}


def class_probabilities(
    model: Any, X: Any, classes: Sequence[Any]
) -> NDArray[np.float64] | None:
    """Give a model's probabilities in the order of all classes.

    A class that the model never saw has the probability 0. None if the model gives
    no probabilities.
    """
    if not hasattr(model, "predict_proba"):
        return None
    given = np.asarray(model.predict_proba(X), dtype=np.float64)
    places = {label: place for place, label in enumerate(classes)}
    unknown = [label for label in model.classes_.tolist() if label not in places]
    if unknown:
        raise InvalidInput(
            f"the model knows the classes {listing(unknown)}, which the data set does "
            f"not have; it has {listing(classes)}"
        )
    proba = np.zeros((len(given), len(classes)))
    proba[:, [places[label] for label in model.classes_.tolist()]] = given
    return proba


def _numbers(model: Any, X: Any) -> NDArray[np.float64]:
    return np.asarray(model.predict(X), dtype=np.float64).ravel()


def _is_finite(answer: NDArray[Any] | None) -> bool:
    if answer is None or answer.dtype.kind != "f":
        return True
    return bool(np.isfinite(answer).all())


def _defined(
    measure: Any, y: NDArray[Any], answer: NDArray[Any], keywords: dict[str, Any]
) -> float | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        value = measure(y, answer, **keywords)
    return None if math.isnan(value) else value
