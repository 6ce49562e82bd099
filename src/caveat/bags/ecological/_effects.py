"""What each column does to a class: bounds, and numbers under two assumptions.

No share can tell whether a group itself matters. If groups depend on labels only
(Simple), an effect can be estimated from its column alone; if on items only
(Intermediate), from all columns together; if on both (Hard), only the bounds hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm

from caveat.bags.ecological._bounds import effect_bounds
from caveat.bags.ecological._item_model import ItemModel
from caveat.tables import detect_kinds

Floats = NDArray[np.float64]
_MOST_LEVELS = 3
_LEVEL = 0.05
_NORMAL = float(norm.ppf(0.975))
ASSUMED = ("simple", "intermediate")
"""The two assumptions under which an effect can be estimated."""


def column_effects(
    frame: pd.DataFrame,
    groups: NDArray,
    shares: Floats,
    proba: Floats,
    *,
    items: Floats,
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
    items : ndarray of shape (n_items, n_numbers)
        All columns as numbers: what decides the group, if items do.
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
        of the two assumptions holds), ``simple_error`` and ``intermediate_error``
        (their standard errors, if it does), ``low`` and ``high`` (without any).

    Warnings
    --------
    The number if Intermediate also rests on log-odds that are linear in the columns.
    A number far outside of the bounds is hard to square with its assumption (`stars`);
    one inside says nothing for it.
    """
    model = ItemModel(items, groups, shares, margins)
    rows = []
    for column, contrast, exposed in contrasts(frame, kinds):
        low, high = effect_bounds(exposed, groups, shares, margins=margins)
        simple, simple_error = simple_effect(exposed, groups, shares, margins)
        intermediate, error = model.effect(exposed)
        rows.append(
            {
                "column": column,
                "contrast": contrast,
                "class": label,
                "learner": float(proba[exposed].mean() - proba[~exposed].mean()),
                "simple": simple,
                "simple_error": simple_error,
                "intermediate": intermediate,
                "intermediate_error": error,
                "low": low,
                "high": high,
            }
        )
    names = ["column", "contrast", "class", "learner"]
    names += [name for one in ASSUMED for name in (one, f"{one}_error")]
    return pd.DataFrame(rows, columns=[*names, "low", "high"])


def assumed_ends(effects: pd.DataFrame, which: str) -> tuple[pd.Series, pd.Series]:
    """Give the ends of the 95 % intervals under one assumption."""
    half = _NORMAL * effects[f"{which}_error"]
    low, high = effects[which] - half, effects[which] + half
    return low.clip(-1.0, 1.0), high.clip(-1.0, 1.0)


def stars(effects: pd.DataFrame) -> pd.DataFrame:
    """Mark numbers that lie further outside of the bounds than sampling explains.

    Where the assumptions hold, one table in twenty has a star by chance: the level is
    shared among all its numbers (Bonferroni).
    """
    count = max(1, int(effects[list(ASSUMED)].notna().to_numpy().sum()))
    reach = float(norm.isf(_LEVEL / 2 / count))
    marked = {}
    for one in ASSUMED:
        half = reach * effects[f"{one}_error"]
        below = effects[one] + half < effects["low"] - 1e-9
        marked[one] = below | (effects[one] - half > effects["high"] + 1e-9)
    return pd.DataFrame(marked)


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


def simple_effect(
    exposed: NDArray[np.bool_],
    groups: NDArray,
    shares: Floats,
    margins: Floats | None = None,
) -> tuple[float, float]:
    """Give the effect if groups depend on labels only, and its standard error.

    The share x of exposed items in a group is then ``p a1 + (1 - p) a0`` with the
    shares a1, a0 of exposed items among positives and others, the same in all groups: a
    line through p, fitted by least squares, groups weighted by their items. With the
    shares P of positives and E of exposed items in all, which are known, the effect is
    ``P (a1 - E) / (E (1 - E))``. This holds for any cut of any column, whatever the
    other columns do. It may lie beyond 1, where the assumption does not hold.
    """
    sizes = np.bincount(groups, minlength=len(shares)).astype(np.float64)
    there = sizes > 0
    n, p = sizes[there], shares[there]
    has = np.bincount(groups, exposed, minlength=len(shares))[there]
    positive, inside = np.average(p, weights=n), has.sum() / n.sum()
    spread = n @ (p - positive) ** 2
    if spread <= 1e-12 * n.sum():
        return np.nan, np.nan
    pulls = n * (p - positive) / spread
    slope = pulls @ (has / n)  # a1 - a0
    factor = positive * (1 - positive) / (inside * (1 - inside))
    # Exposed items of a group vary by no more than if they were drawn at one rate.
    rate = (has + 0.5) / (n + 1)
    variance = rate * (1 - rate) / n
    if margins is not None:
        variance = variance + (slope * margins[there] / _NORMAL) ** 2
    return float(factor * slope), float(factor * np.sqrt(pulls**2 @ variance))
