"""Tidy results, checked: what the tables of the paper are made from.

A tidy frame has a row per data set, model, scenario, number of missing columns and
measure (and seed, and imputation): `dataset`, `model`, `k`, `degree`, `measure`,
`value`, and where needed `task`, `scenario`, `column`, `imputation`. `ShiftCurve.tidy`
makes one, and so does the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, listing
from caveat.shift.registry import MEASURES


def pick(
    frame: pd.DataFrame,
    needed: Sequence[str],
    *,
    scenario: str | None = None,
    measure: str | None = None,
) -> pd.DataFrame:
    """Choose the rows of a scenario and measure, and check that columns are there.

    What a ledger calls a learner is a model here.
    """
    if "model" not in frame.columns and "learner" in frame.columns:
        frame = frame.rename(columns={"learner": "model"})
    wanted = [*needed, *(["scenario"] if scenario else [])]
    lacking = [name for name in wanted if name not in frame.columns]
    if lacking:
        raise InvalidInput(
            f"the frame lacks the columns {listing(lacking)}; it has "
            f"{listing(frame.columns)}"
        )
    rows = frame
    if scenario is not None:
        rows = rows[rows["scenario"] == scenario]
    if measure is not None:
        rows = rows[rows["measure"] == measure]
    if rows.empty:
        raise InvalidInput(
            f"the frame has no row of scenario {scenario!r} and measure {measure!r}"
        )
    return rows


def curves(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Average over seeds, and put the closed value and the gap beside each point.

    Returns
    -------
    DataFrame : the keys, `k`, `degree`, `value`, `closed`, `gap`; k = 0 included.
    """
    means = (
        frame.groupby([*keys, "k", "degree"], sort=False)["value"].mean().reset_index()
    )
    closed = means[means["k"] == 0].set_index(list(keys))["value"]
    if not closed.index.is_unique:
        raise InvalidInput(
            "the frame has several closed values of one data set and model"
        )
    points = means.join(closed.rename("closed"), on=list(keys))
    lost = points[points["closed"].isna()]
    if len(lost):
        first = lost.iloc[0][list(keys)].to_dict()
        raise InvalidInput(f"the frame has no row with k = 0 for {first}")
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = (points["value"] - points["closed"]) / points["closed"]
    return points.assign(gap=gap.where(points["closed"] != 0))


def bins(degree: pd.Series, width: float = 0.2) -> pd.Series:
    """Name the bin of a degree: "40%" holds those in (20 %, 40 %], "0%" is closed.

    Examples
    --------
    >>> bins(pd.Series([0.0, 0.2, 0.25, 1.0])).tolist()
    ['0%', '20%', '40%', '100%']
    """
    upper = np.ceil(degree / width - 1e-9) * width
    return (upper * 100).round().astype(int).astype(str) + "%"


def larger_is_better(measure: str) -> bool:
    """Look up the direction of a measure."""
    return MEASURES[measure].larger_is_better


def resamples(count: int, *, repeats: int = 2000, seed: int = 0) -> NDArray[np.intp]:
    """Draw `count` of `count` things with replacement, many times: (repeats, count)."""
    return np.random.default_rng(seed).integers(count, size=(repeats, count))


def interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """95 % percentile interval; what is not defined does not count."""
    known = values[~np.isnan(values)]
    if not len(known):
        return float("nan"), float("nan")
    low, high = np.quantile(known, [0.025, 0.975])
    return float(low), float(high)


def correlations(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pearson's r from sums: (..., 6) of 1, x, z, x², z², xz."""
    n, x, z, xx, zz, xz = np.moveaxis(sums, -1, 0)
    spread = (n * xx - x**2) * (n * zz - z**2)
    # A draw of equal points has a spread of 0 but for rounding.
    defined = spread > 1e-12 * (n * xx) * (n * zz)
    return np.where(
        defined, (n * xz - x * z) / np.sqrt(np.where(defined, spread, 1.0)), np.nan
    )


def sums_of(x: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the sums that a correlation needs, point by point: (points, 6)."""
    return np.column_stack([np.ones_like(x), x, z, x**2, z**2, x * z])


def correlation(a: pd.Series, b: pd.Series, *, ranks: bool = False) -> float:
    """Pearson's r, or Spearman's; nan where it is not defined."""
    if len(a) < 2 or a.nunique() < 2 or b.nunique() < 2:
        return float("nan")
    x, y = (a.rank(), b.rank()) if ranks else (a, b)
    return float(np.corrcoef(x, y)[0, 1])
