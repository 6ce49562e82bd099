"""Which part of the axis to show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


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
    kept = np.sort([value for value in values if np.isfinite(value)])
    fixed = [value for value in anchors if np.isfinite(value)]
    while len(kept) > 2:
        span = _span([*kept, *fixed])
        without_first, without_last = (
            _span([*kept[1:], *fixed]),
            _span([*kept[:-1], *fixed]),
        )
        if 0 < without_first < span / 4:
            kept = kept[1:]
        elif 0 < without_last < span / 4:
            kept = kept[:-1]
        else:
            break
    everything = [*kept, *fixed]
    low, high = min(everything), max(everything)
    # One value, or equal ones: any width will do, as long as there is one.
    room = (high - low) * margin or max(abs(high), 1.0) * 0.02
    return float(low - room), float(high + room)


def _span(values: Sequence[float]) -> float:
    return max(values) - min(values) if len(values) else 0.0
