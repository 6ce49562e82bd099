"""What each column does to a class: bounds, and points under two assumptions.

No share can tell whether a group itself matters. If groups depend on labels only
(Simple), or on items only (Intermediate), an effect is a single number; if on both
(Hard), only the bounds hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.bags.ecological._bounds import effect_bounds
from caveat.tables import detect_kinds

Floats = NDArray[np.float64]
_MOST_LEVELS = 3


def column_effects(
    frame: pd.DataFrame,
    groups: NDArray,
    shares: Floats,
    proba: Floats,
    *,
    label: str = "",
    kinds: Mapping[str, str] | None = None,
    margins: Floats | None = None,
) -> pd.DataFrame:
    """Bound the effect of every column on one class.

    Parameters
    ----------
    frame : DataFrame
        The items.
    groups : ndarray of shape (n_items,)
    shares : ndarray of shape (n_groups,)
        Share of the class in every group.
    proba : ndarray of shape (n_items,)
        What a learner says of every item.
    label : str
        Name of the class.
    kinds : mapping of column to kind, optional
    margins : ndarray, optional
        Half widths of the shares' 95 % intervals.

    Returns
    -------
    DataFrame
        A row per column, or per frequent level of a column: ``column``, ``contrast``
        (what is compared with its contrary), ``class``, ``learner`` (difference of the
        learner's probabilities), ``simple`` and ``intermediate`` (the effect if one
        of the two assumptions holds), ``low`` and ``high`` (without any).

    Warnings
    --------
    The points have no intervals; with few groups they rest on few numbers. A point
    outside of the bounds shows that its assumption does not hold here.
    """
    rows = []
    for column, contrast, exposed in contrasts(frame, kinds):
        low, high = effect_bounds(exposed, groups, shares, margins=margins)
        simple, intermediate = assumed_effects(exposed, groups, shares)
        rows.append(
            {
                "column": column,
                "contrast": contrast,
                "class": label,
                "learner": float(proba[exposed].mean() - proba[~exposed].mean()),
                "simple": simple,
                "intermediate": intermediate,
                "low": low,
                "high": high,
            }
        )
    names = ["column", "contrast", "class", "learner", "simple", "intermediate"]
    return pd.DataFrame(rows, columns=[*names, "low", "high"])


def contrasts(
    frame: pd.DataFrame, kinds: Mapping[str, str] | None = None
) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """Cut every column in two: above its median, or one level against the others."""
    found = detect_kinds(frame)
    found.update({name: kind for name, kind in (kinds or {}).items() if name in frame})
    for name in frame.columns:
        column = frame[name]
        if found[name] == "numerical" and column.nunique() > 2:
            numbers = pd.to_numeric(column, errors="coerce")
            middle = float(numbers.median())
            exposed = (numbers > middle).to_numpy()
            parts = [(f"above {middle:g}", exposed)]
        else:
            parts = list(_levels(column))
        for contrast, exposed in parts:
            if 0 < exposed.sum() < len(exposed):
                yield str(name), contrast, exposed


def _levels(column: pd.Series) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    text = column.astype(object).where(column.notna(), "(no value)").astype(str)
    common = text.value_counts()
    shown = common.index[:1] if len(common) == 2 else common.index[:_MOST_LEVELS]
    for level in shown:
        yield f"is {level}", (text == level).to_numpy()


def assumed_effects(
    exposed: NDArray[np.bool_], groups: NDArray, shares: Floats
) -> tuple[float, float]:
    """Give the effect if groups depend on labels only, and if on items only.

    Simple: the share of exposed items in a group is ``p a1 + (1 - p) a0`` with the
    shares a1, a0 of exposed items among positives and others, the same in all groups.
    Intermediate: the share of the class is ``x t1 + (1 - x) t0`` with its shares t1,
    t0 among exposed items and others (Goodman's regression). Both are fitted by least
    squares, groups weighted by their items.
    """
    sizes = np.bincount(groups, minlength=len(shares)).astype(np.float64)
    there = sizes > 0
    weights, p = sizes[there], shares[there]
    x = np.bincount(groups, exposed, minlength=len(shares))[there] / weights
    a0, a1 = _ends(p, x, weights)
    positive = float(np.average(p, weights=weights))
    inside = a1 * positive + a0 * (1 - positive)
    simple = np.nan
    if 0 < inside < 1:
        simple = a1 * positive / inside - (1 - a1) * positive / (1 - inside)
    t0, t1 = _ends(x, p, weights)
    return float(simple), float(t1 - t0)


def _ends(x: Floats, y: Floats, weights: Floats) -> tuple[float, float]:
    """Fit a line by least squares; its values at 0 and 1, which are shares."""
    middle = np.average(x, weights=weights)
    spread = weights @ (x - middle) ** 2
    level = np.average(y, weights=weights)
    if spread <= 1e-12 * weights.sum():
        return np.nan, np.nan
    slope = weights @ ((x - middle) * (y - level)) / spread
    ends: Any = np.clip([level - slope * middle, level + slope * (1 - middle)], 0, 1)
    return float(ends[0]), float(ends[1])
