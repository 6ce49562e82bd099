"""Means over nested units: repeats inside worlds inside data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput, UnknownName
from caveat.statistics._checks import check_choice, check_share, check_values
from caveat.statistics.intervals._intervals import (
    METHODS,
    Interval,
    factor,
    mean_interval,
)


def nested_mean_interval(
    values: ArrayLike,
    *levels: ArrayLike,
    confidence: float = 0.95,
    method: str = "t",
    units: str = "sampled",
    random_state: int | np.random.Generator | None = 0,
) -> Interval:
    """Mean over units of their means, with an interval that respects the nesting.

    Values are averaged inside each innermost unit, those means inside the next,
    and so on, so that a unit with more values does not weigh more.

    ``units="sampled"`` (what would other units give?): the outermost units are the
    sample, and the interval is that of their means. If there is only one, the
    interval is over the outermost level that has two or more members; `over` says
    which.

    ``units="fixed"`` (what would further repeats on exactly these units give?): the
    variances of the innermost means add up, weighted; the degrees of freedom are
    Satterthwaite's [1]_. Every innermost unit needs two values.

    Parameters
    ----------
    values : array-like of shape (n,)
        For example a test score per repeat. NaN are left out and counted.
    *levels : array-like of shape (n,)
        Which unit a value belongs to, outermost first: data set, world, ... A
        Series gives the level its name.
    confidence : float, default=0.95
    method : {"t", "normal", "bootstrap"}, default="t"
        As in `mean_interval`; the bootstrap needs sampled units.
    units : {"sampled", "fixed"}, default="sampled"
    random_state : int, Generator or None, default=0
        Of the bootstrap.

    Returns
    -------
    Interval
        `n` counts the members of `over`; `empty` the innermost units that have no
        value at all and are not part of the mean.

    Warnings
    --------
    Data sets of a benchmark were hardly drawn at random; "sampled" takes them as
    if they were. "fixed" intervals are narrow and silent about any other unit.

    References
    ----------
    .. [1] F. E. Satterthwaite (1946). An approximate distribution of estimates of
       variance components. Biometrics Bulletin 2(6).

    Examples
    --------
    Three repeats in each of two worlds: two units, however many repeats.

    >>> scores = [0.70, 0.71, 0.72, 0.80, 0.81, 0.82]
    >>> world = ["simple", "simple", "simple", "hard", "hard", "hard"]
    >>> wide = nested_mean_interval(scores, world)
    >>> round(wide.mean, 2), wide.n, round(wide.high - wide.mean, 2)
    (0.76, 2, 0.64)
    >>> narrow = nested_mean_interval(scores, world, units="fixed")
    >>> round(narrow.high - narrow.mean, 3)
    0.011
    """
    if not levels:
        raise InvalidInput(
            "no levels were given; pass the units, outermost first, or use "
            "mean_interval for values without units"
        )
    how = check_choice("method", method, METHODS)
    kind = check_choice("units", units, ("sampled", "fixed"))
    array = check_values("values", values)
    codes, names = _unit_codes(levels, len(array))
    missing = int(np.isnan(array).sum())
    cells = pd.DataFrame(codes)
    cells["value"] = array
    keys = list(codes)
    # One frame per level, innermost first: the means of its units.
    steps = [cells.groupby(keys, sort=False)["value"].mean().reset_index()]
    empty = int(steps[0]["value"].isna().sum())
    for depth in range(len(keys) - 1, 0, -1):
        means = steps[-1].groupby(keys[:depth], sort=False)["value"].mean()
        steps.append(means.reset_index())
    if kind == "fixed":
        found = _fixed(cells, steps, keys, confidence, how)
        over = "values"
    else:
        # Outermost first; the values themselves are the last resort.
        samples = [step["value"].dropna().to_numpy() for step in reversed(steps)]
        samples.append(array[~np.isnan(array)])
        at = next((i for i, s in enumerate(samples) if len(s) > 1), len(samples) - 1)
        found = mean_interval(
            samples[at], confidence, method=how, random_state=random_state
        )
        over = [*names, "values"][at]
    facts = asdict(found) | {"missing": missing, "empty": empty, "over": over}
    return Interval(**facts)


def interval_table(
    frame: pd.DataFrame,
    value: str,
    *,
    by: str | Sequence[str],
    levels: Sequence[str] = (),
    confidence: float = 0.95,
    method: str = "t",
    units: str = "sampled",
) -> pd.DataFrame:
    """Intervals of many means: one row per combination of the `by` columns.

    Parameters
    ----------
    frame : DataFrame
        For example what `select` gives.
    value : str
        Column to average.
    by : str or sequence of str
        Columns that tell the rows of the result apart, such as learner.
    levels : sequence of str, default=()
        Columns of the units inside, outermost first, as in
        `nested_mean_interval`; without any the values count one by one.
    confidence, method, units
        As in `nested_mean_interval`.

    Returns
    -------
    DataFrame with the `by` columns, sorted by them, and the fields of `Interval`.

    Warnings
    --------
    One interval per row, each with its own confidence: of 20 rows one may well
    miss its true mean at 0.95.

    Examples
    --------
    >>> scores = pd.DataFrame({"learner": ["a", "a", "b", "b"],
    ...                        "test.f1": [0.7, 0.8, 0.5, None]})
    >>> interval_table(scores, "test.f1", by="learner")[
    ...     ["learner", "mean", "n", "missing"]]
      learner  mean  n  missing
    0       a  0.75  2        0
    1       b  0.50  1        1
    """
    keys = [by] if isinstance(by, str) else list(by)
    for column in [*keys, value, *levels]:
        if column not in frame.columns:
            raise UnknownName.among("column", column, frame.columns)
    rows = []
    for name, part in frame.groupby(keys, sort=True, dropna=False, observed=True):
        if levels:
            found = nested_mean_interval(
                part[value],
                *(part[level] for level in levels),
                confidence=confidence,
                method=method,
                units=units,
            )
        else:
            found = mean_interval(part[value], confidence, method=method)
        rows.append(dict(zip(keys, name, strict=True)) | asdict(found))
    columns = [*keys, *Interval.__dataclass_fields__]
    return pd.DataFrame(rows, columns=columns)


def _unit_codes(
    levels: Sequence[ArrayLike], n: int
) -> tuple[dict[str, NDArray[np.intp]], list[str]]:
    """Give the members of every level numbers, and the levels names."""
    codes, names = {}, []
    for position, level in enumerate(levels):
        series = level if isinstance(level, pd.Series) else pd.Series(level)
        if len(series) != n:
            raise InvalidInput(
                f"level {position + 1} has {len(series)} entries for {n} values; "
                "pass one unit per value"
            )
        codes[f"unit {position}"] = pd.factorize(series, use_na_sentinel=False)[0]
        names.append(str(series.name or f"level {position + 1}"))
    return codes, names


def _fixed(
    cells: pd.DataFrame,
    steps: list[pd.DataFrame],
    keys: list[str],
    confidence: float,
    method: str,
) -> Interval:
    if method == "bootstrap":
        raise InvalidInput(
            "method is 'bootstrap', which needs sampled units; pass units='sampled' "
            "or method='t'"
        )
    level = check_share("confidence", confidence)
    inner = cells.groupby(keys, sort=False)["value"].agg(["count", "var"])
    inner = inner[inner["count"] > 0]
    # A mean of means weighs an innermost unit by the product of 1 / siblings.
    weight = np.ones(len(inner))
    index = inner.index.to_frame(index=False)
    for depth in range(len(keys)):
        siblings = index[keys[: depth + 1]].drop_duplicates()
        if depth == 0:
            weight /= max(len(siblings), 1)
        else:
            counts = siblings.groupby(keys[:depth], sort=False).size().rename("n")
            weight /= index.join(counts, on=keys[:depth])["n"].to_numpy()
    parts = weight**2 * (inner["var"] / inner["count"]).to_numpy()
    variance = float(parts.sum()) if len(parts) else np.nan
    freedom = (inner["count"] - 1).to_numpy()
    mean = float(steps[-1]["value"].mean())
    se = np.sqrt(variance)
    if variance > 0:
        # Counts of one would divide by zero, but then the variance is NaN.
        df = variance**2 / float((parts**2 / np.maximum(freedom, 1)).sum())
    else:
        df = float(freedom.sum())
    half = factor(method, level, df) * se
    n = int(inner["count"].sum())
    return Interval(
        mean=mean,
        low=float(mean - half),
        high=float(mean + half),
        sd=float(se * np.sqrt(n)),
        se=float(se),
        n=n,
        confidence=level,
        method=method,
    )
