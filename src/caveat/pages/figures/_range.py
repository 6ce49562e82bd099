"""Where an axis begins and ends, and the ends of what is drawn on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from caveat.pages._axes import value_range

if TYPE_CHECKING:
    from caveat.pages.claims import Estimate


def axis_range(
    values: Iterable[float], limits: tuple[float, float] | None
) -> tuple[float, float]:
    """Hold all values with some air, and end where the measure ends."""
    low, high = value_range(values)
    if limits is None:
        return low, high
    return max(low, limits[0]), min(high, limits[1])


def ends_of(one: Estimate) -> tuple[float, float]:
    """Both ends of an interval; the value itself where there is none."""
    if one.low is None or one.high is None or not one.has_interval:
        return one.value, one.value
    return one.low, one.high


def shown_range(
    values: Sequence[float], anchors: Sequence[float] = (), margin: float = 0.08
) -> tuple[float, float]:
    """Choose the part of a score axis that lets the values be told apart.

    Values so far out that the others would shrink to a quarter of the axis are
    left outside; the figure then shows an arrow with the number.

    Parameters
    ----------
    values : sequence of float
        What is drawn.
    anchors : sequence of float
        What must be seen: the free part, the reference, the leader.
    margin : float
        Share of the range added at both ends.

    Examples
    --------
    >>> low, high = shown_range([0.80, 0.82, 0.85])
    >>> round(low, 3), round(high, 3)
    (0.796, 0.854)
    >>> low, high = shown_range([-40.0, 0.80, 0.82, 0.85])
    >>> round(low, 3)
    0.796
    """
    kept = sorted({float(value) for value in values if np.isfinite(value)})
    fixed = [float(value) for value in anchors if np.isfinite(value)]
    while len(kept) > 2:
        span = _span([*kept, *fixed])
        if 0 < _span([*kept[1:], *fixed]) < span / 4:
            kept = kept[1:]
        elif 0 < _span([*kept[:-1], *fixed]) < span / 4:
            kept = kept[:-1]
        else:
            break
    everything = [*kept, *fixed]
    if not everything:
        return 0.0, 1.0
    low, high = min(everything), max(everything)
    # One value, or equal ones: any width will do, as long as there is one.
    room = (high - low) * margin or max(abs(high), 1.0) * 0.02
    return low - room, high + room


def interval_range(
    intervals: Sequence[tuple[float, float, float]],
    anchors: Sequence[float] = (),
    margin: float = 0.06,
) -> tuple[float, float]:
    """Choose the part of an axis for means with their intervals.

    Which means are shown is decided by the means alone; the range then has room for
    the whole intervals of those.

    Parameters
    ----------
    intervals : sequence of (low, mean, high)
        Ends may be NaN.
    anchors : sequence of float
        What must be seen.
    margin : float
        Share of the range added at both ends.

    Examples
    --------
    >>> low, high = interval_range([(0.7, 0.8, 0.9), (0.75, 0.82, 0.9)], margin=0.05)
    >>> round(low, 3), round(high, 3)
    (0.69, 0.91)
    """
    low, high = shown_range([mean for _, mean, _ in intervals], anchors, 1e-9)
    ends = [end for one in intervals if low <= one[1] <= high for end in one]
    return shown_range([], [*anchors, *ends], margin)


def _span(values: Sequence[float]) -> float:
    return max(values) - min(values) if len(values) else 0.0
