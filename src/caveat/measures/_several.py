"""Several measures of the same answers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from caveat.measures._measure import Measure


def evaluate(
    measures: Iterable[Measure],
    y: ArrayLike,
    answers: Mapping[str, Any],
    *,
    sample_weight: ArrayLike | None = None,
    classes: Any = None,
) -> dict[str, float | None]:
    """Judge answers by several measures.

    Parameters
    ----------
    measures : iterable of Measure
    y, sample_weight, classes
        As a measure takes them.
    answers : mapping of str to array
        What a measure needs (``decisions``, ``probabilities``, ...) to the answers of
        this kind. Probabilities serve where scores or decisions are not there.

    Returns
    -------
    dict of name to float
        None where a measure is not defined or its answers are not there; NaN
        everywhere if answers are not finite.

    Examples
    --------
    >>> from caveat.measures import MEASURES
    >>> chosen = [MEASURES["accuracy"], MEASURES["auc"], MEASURES["log-loss"]]
    >>> found = evaluate(chosen, [0, 1], {"decisions": [0, 0]}, classes=[0, 1])
    >>> found
    {'accuracy': 0.5, 'auc': None, 'log-loss': None}
    """
    finite = all(_is_finite(answer) for answer in answers.values())
    found: dict[str, float | None] = {}
    for measure in measures:
        given = answers.get(measure.needs)
        if given is None and measure.needs in ("scores", "decisions"):
            given = answers.get("probabilities")
        if given is None:
            found[measure.name] = None
        elif not finite:
            found[measure.name] = math.nan
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                value = measure(y, given, sample_weight=sample_weight, classes=classes)
            found[measure.name] = None if math.isnan(value) else value
    return found


def _is_finite(answer: Any) -> bool:
    column = np.asarray(answer)
    return column.dtype.kind != "f" or bool(np.isfinite(column).all())
