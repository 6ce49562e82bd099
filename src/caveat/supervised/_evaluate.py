"""All measures of a fitted model at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput, listing
from caveat.measures import class_numbers
from caveat.measures import evaluate as judge
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
    known: Any = None
    truth = np.asarray(y)
    if task == "regression":
        answers = {"amounts": np.asarray(model.predict(X), dtype=np.float64).ravel()}
    else:
        labels = list(model.classes_ if classes is None else classes)
        answers = _class_answers(model, X, labels)
        # Labels are looked up once, not by every measure again.
        truth, known = class_numbers(truth, labels), range(len(labels))
    chosen = [measure for measure in MEASURES.values() if task in measure.tasks]
    return judge(chosen, truth, answers, classes=known)


def _class_answers(
    model: Any, X: Any, classes: Sequence[Any]
) -> dict[str, NDArray[Any]]:
    proba = class_probabilities(model, X, classes)
    if proba is not None and isinstance(model, TabularModel):
        # Its label is the most probable one: no need to ask twice.
        return {"probabilities": proba}
    labels = class_numbers(known_labels(model.predict(X), classes), classes)
    found = {} if proba is None else {"probabilities": proba}
    return {"decisions": labels, **found}


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
