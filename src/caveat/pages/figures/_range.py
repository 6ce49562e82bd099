"""Where an axis begins and ends, and the ends of what is drawn on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

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
