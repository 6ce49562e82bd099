"""The picture of a curve: the figures of the page, for one model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caveat.pages import figures
from caveat.pages.claims import Estimate
from caveat.shift.registry import MEASURES, SCENARIOS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from caveat.shift.curves._curve_table import ShiftCurve


def draw(curve: ShiftCurve, measure: str) -> Axes:
    """Draw a line over the number of missing columns, or a dot for each row."""
    rows = curve.of(measure)
    known = measure in MEASURES
    title = MEASURES[measure].title if known else measure
    limits = MEASURES[measure].range if known else None
    band = bool((rows["se"] > 0).any())
    values = [
        Estimate(row.value, title, *((row.low, row.high) if band else ()))
        for row in rows.itertuples()
    ]
    whole = f"all columns: {values[0].value:.3g}"
    for kind, gone in (("column", "this column"), ("stage", "these columns")):
        if kind in curve.table:
            names = ["all columns", *rows[kind].iloc[1:].astype(str)]
            return figures.score_dots(
                [figures.Dot(*row) for row in zip(names, values, strict=True)],
                name=measure,
                title=title,
                label=whole,
                unit=f"{title} without {gone}",
                limits=limits,
                zero=values[0].value,
            ).axes()
    count = len(curve.columns)
    named = curve.scenario in SCENARIOS
    adds = named and SCENARIOS[curve.scenario].facts.get("adds")
    added = f"new columns, beside {count}"
    return figures.curves(
        [figures.Curve(f"{values[-1].value:.3g}", list(rows["k"]), values, "earned")],
        name=measure,
        title=title,
        label=whole,
        # Named, so that no band stands naked.
        unit=f"{title}; band: 95 % interval over subsets" if band else title,
        varied=added if adds else figures.columns_missing(count),
        limits=limits,
    ).axes()
