"""Thresholds by name, as learners and study files write them."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

from sklearn.base import clone

from caveat.exceptions import InvalidInput, UnknownName
from caveat.multilabel.thresholds._per_instance import (
    CardinalityThreshold,
    InstanceThreshold,
)
from caveat.multilabel.thresholds._per_label import LabelThreshold
from caveat.multilabel.thresholds._threshold import (
    FixedThreshold,
    GlobalThreshold,
    ProportionThreshold,
    Threshold,
)

THRESHOLDS: dict[str, Callable[[], Threshold]] = {
    "fixed": FixedThreshold,
    "half": lambda: FixedThreshold(0.5),
    "global": GlobalThreshold,
    "per-label": LabelThreshold,
    "per-label-micro": lambda: LabelThreshold("micro_f1"),
    "per-instance": InstanceThreshold,
    "cardinality": CardinalityThreshold,
    "proportion": ProportionThreshold,
}


def make_threshold(threshold: Any) -> Threshold:
    """Build a threshold from a name, a number or a threshold.

    Parameters
    ----------
    threshold : str, float or Threshold
        ``fixed`` (0), ``half`` (0.5), ``global``, ``per-label``,
        ``per-label-micro``, ``per-instance``, ``cardinality``, ``proportion``, a
        number, or an object with settings of its own (it is copied).

    Returns
    -------
    Threshold, not fitted

    Examples
    --------
    >>> make_threshold("per-label")
    LabelThreshold()
    >>> make_threshold(0.3)
    FixedThreshold(value=0.3)
    """
    if isinstance(threshold, Threshold):
        return clone(threshold)
    if isinstance(threshold, Real) and not isinstance(threshold, bool):
        return FixedThreshold(float(threshold))
    if not isinstance(threshold, str):
        raise InvalidInput(
            f"threshold is {threshold!r}; pass a name, a number or a Threshold"
        )
    name = threshold.replace("_", "-")
    if name not in THRESHOLDS:
        raise UnknownName.among("threshold", threshold, THRESHOLDS)
    return THRESHOLDS[name]()
