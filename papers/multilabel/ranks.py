"""Several methods side by side: average ranks and relative performance.

Both take a tidy frame with the columns ``method``, ``measure``, ``value`` and, if
there are several, ``dataset``; repetitions are further rows.
"""

from __future__ import annotations

import pandas as pd

from caveat.exceptions import InvalidInput, UnknownName, listing
from caveat.measures import LABEL_MEASURES as MEASURES


def average_ranks(frame: pd.DataFrame) -> pd.DataFrame:
    """Rank the methods on every data set and measure, and average over data sets.

    Ranks go by the unrounded mean over repetitions, 1 is best, equal means share
    their average rank: what Figure 4 of [1]_ shows.

    Parameters
    ----------
    frame : DataFrame
        Columns ``method``, ``measure``, ``value``, optionally ``dataset``.

    Returns
    -------
    DataFrame, one row per measure and one column per method

    Warnings
    --------
    Ranks say nothing about distances, and a mean of ranks over few data sets is
    not a test.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Figure 4.

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "dataset": ["a", "a", "b", "b"],
    ...     "method": ["LIMO", "BR", "LIMO", "BR"],
    ...     "measure": ["coverage"] * 4,
    ...     "value": [1.0, 2.0, 5.0, 5.0],
    ... })
    >>> average_ranks(frame)
    method     BR  LIMO
    measure
    coverage  1.75  1.25
    """
    means = _means(frame)
    signed = means["value"] * means["measure"].map(_sign)
    ranks = signed.groupby([means["dataset"], means["measure"]]).rank(method="average")
    table = means.assign(rank=ranks).pivot_table(
        index="measure", columns="method", values="rank", aggfunc="mean"
    )
    return table.reindex(_in_order(table.index))


def relative_performance(frame: pd.DataFrame) -> pd.DataFrame:
    """Rescale every measure: the best method gets 1, the worst 0.

    Parameters
    ----------
    frame : DataFrame
        Columns ``method``, ``measure``, ``value``, of one data set.

    Returns
    -------
    DataFrame with ``measure``, ``method``, ``value`` (mean over repetitions),
    ``relative`` and ``worst`` (the value that became 0). Equal methods get 1.

    Warnings
    --------
    A difference of 0.0001 fills the whole scale as one of 0.5 does: read the
    values beside it.

    References
    ----------
    .. [1] X.-Z. Wu, Z.-H. Zhou (2017). A unified view of multi-label performance
       measures. ICML, PMLR 70. Figures 2 and 3.

    Examples
    --------
    >>> frame = pd.DataFrame({
    ...     "method": ["LIMO", "BR", "GFM"],
    ...     "measure": ["coverage"] * 3,
    ...     "value": [1.0, 2.0, 5.0],
    ... })
    >>> relative_performance(frame)[["method", "relative", "worst"]]
      method  relative  worst
    0     BR      0.75    5.0
    1    GFM      0.00    5.0
    2   LIMO      1.00    5.0
    """
    means = _means(frame)
    names = list(dict.fromkeys(means["dataset"]))
    if len(names) > 1:
        raise InvalidInput(
            f"frame holds {len(names)} data sets ({listing(names, 3)}); "
            "pass the rows of one"
        )
    parts = []
    for measure in _in_order(means["measure"].unique()):
        part = means[means["measure"] == measure].drop(columns="dataset")
        signed = part["value"] * _sign(measure)
        low, high = signed.min(), signed.max()
        scaled = (high - signed) / (high - low) if high > low else signed * 0 + 1.0
        worst = float(part["value"].iloc[int(signed.to_numpy().argmax())])
        parts.append(part.assign(relative=scaled, worst=worst))
    return pd.concat(parts, ignore_index=True)


def _sign(measure: str) -> int:
    """Return 1 if smaller is better, -1 if larger is."""
    return -1 if MEASURES[measure].larger_is_better else 1


def _in_order(measures: object) -> list[str]:
    there = set(measures)  # type: ignore[call-overload]
    return [name for name in MEASURES if name in there]


def _means(frame: pd.DataFrame) -> pd.DataFrame:
    """Average over repetitions; refuse unknown measures and missing columns."""
    missing = [name for name in ("method", "measure", "value") if name not in frame]
    if missing:
        raise InvalidInput(
            f"frame lacks the columns {listing(missing)}; "
            "it needs method, measure and value"
        )
    if frame.empty:
        raise InvalidInput("frame has no rows; pass at least one value")
    tidy = frame.assign(
        dataset=frame.get("dataset", ""),
        measure=frame["measure"].astype(str).str.replace("-", "_"),
    )
    for name in tidy["measure"].unique():
        if name not in MEASURES:
            raise UnknownName.among("measure", name, MEASURES)
    if tidy["value"].isna().any():
        raise InvalidInput("value holds NaN; leave these rows out first")
    return tidy.groupby(["dataset", "measure", "method"], as_index=False).agg(
        {"value": "mean"}
    )
