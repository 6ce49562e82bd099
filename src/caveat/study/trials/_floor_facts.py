"""What a split gives away without learning, as facts of a trial's rows.

A board holds learners against these floors. They depend on the split, not on the
learner, so every trial writes them down and nobody has to plan a learner for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from caveat.measures import Measure


def floor_facts(name: str, values: Mapping[str, float]) -> dict[str, float]:
    """Give the facts of one floor, for the measures by which it has a value.

    Parameters
    ----------
    name : str
        As the board knows it, such as ``"constant"`` or ``"popularity"``.
    values : mapping of measure to float

    Examples
    --------
    >>> floor_facts("constant", {"accuracy": 0.6, "ece": float("nan")})
    {'fact.constant-accuracy': 0.6}
    """
    return {
        f"fact.{name}-{measure}": float(value)
        for measure, value in values.items()
        if math.isfinite(value)
    }


def constant_facts(
    measures: Iterable[Measure],
    y_train: ArrayLike,
    y_test: ArrayLike,
    *,
    classes: Sequence[Any] = (),
) -> dict[str, float]:
    """Give what the constant answer of the training rows has on the test rows.

    Measures by which it has the same value everywhere (0.5 AUC) say so themselves.
    Of two classes F1 is about the second: answering it always is the floor, as the
    most frequent class would have 0 where it is the first.

    Parameters
    ----------
    measures : iterable of Measure
    y_train, y_test : array-like
        Labels or numbers.
    classes : sequence of labels, optional

    Examples
    --------
    >>> from caveat import measures
    >>> accuracy = measures.get("accuracy")
    >>> constant_facts([accuracy], [0, 0, 1], [0, 0, 0, 1], classes=[0, 1])
    {'fact.constant-accuracy': 0.75, 'fact.always-positive-f1': 0.4}
    """
    two = len(classes) == 2
    asked = [
        one
        for one in measures
        if isinstance(one.constant, str) and not (two and one.one_class)
    ]
    known = {one.name: one.floor(y_train, y_test) for one in asked}
    facts = floor_facts("constant", known)
    if two:
        share = float(np.mean(np.asarray(y_test) == classes[1]))
        facts |= floor_facts("always-positive", {"f1": 2 * share / (1 + share)})
    return facts
