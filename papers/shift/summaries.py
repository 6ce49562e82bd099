"""The tables of the feature-shift paper, from tidy results."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from caveat.exceptions import InvalidInput, UnknownName
from caveat.shift.evaluation._tables import is_categorical
from papers.shift.points import bins, curves, larger_is_better, pick

_KEYS = ["task", "dataset", "model"]


def gap_table(
    frame: pd.DataFrame, *, weighting: str = "datasets", scenario: str = "random"
) -> pd.DataFrame:
    """Average performance gap by task and degree (Table 3).

    Degrees go into bins of 20 %: "40%" holds the points with a share of missing
    columns in (20 %, 40 %]. So "100%" is not complete removal, and a data set with four
    columns has no point in "20%".

    Parameters
    ----------
    frame : DataFrame
        Tidy results of one measure per task: `task`, `dataset`, `model`, `scenario`,
        `k`, `degree`, `value`. Seeds are averaged first.
    weighting : {"datasets", "points"}, default="datasets"
        Mean inside each data set, then over data sets; or the mean of all points, as
        published, where a data set with many columns weighs more.
    scenario : str, default="random"

    Returns
    -------
    DataFrame indexed by task and model, a column per bin.

    Warnings
    --------
    A model that was never good has small gaps. Read it beside `rank_table`.

    Examples
    --------
    >>> tidy = pd.DataFrame({"task": "binary", "dataset": "d", "model": "m",
    ...     "scenario": "random", "k": [0, 1, 2], "degree": [0, 0.5, 1.0],
    ...     "value": [0.8, 0.6, 0.4]})
    >>> gap_table(tidy).round(3).to_dict("records")
    [{'60%': -0.25, '100%': -0.5}]
    """
    if weighting not in ("datasets", "points"):
        raise InvalidInput(f"weighting is {weighting!r}; use 'datasets' or 'points'")
    points = curves(
        pick(frame, [*_KEYS, "k", "degree", "value"], scenario=scenario), _KEYS
    )
    points = points[points["k"] > 0].assign(bin=lambda rows: bins(rows["degree"]))
    if weighting == "datasets":
        keys = ["task", "model", "dataset", "bin"]
        points = points.groupby(keys, sort=False)["gap"].mean().reset_index()
    table = points.groupby(["task", "model", "bin"], sort=False)["gap"].mean()
    return _by_bin(table)


def rank_table(
    frame: pd.DataFrame,
    *,
    method: str = "within",
    scale: str | None = None,
    scenario: str = "random",
) -> pd.DataFrame:
    """Rank of each model by task and degree; 1 is the best (Table 4).

    Parameters
    ----------
    frame : DataFrame
        Tidy results of one measure per task, as for `gap_table`, with `measure`.
    method : {"within", "pooled"}, default="within"
        Rank inside each data set and bin, then average; or pool the values of all
        data sets of a bin and rank their means, as published, ties to the smaller.
    scale : {None, "minmax"}
        With ``pooled``: bring the values of each data set into 0 to 1 first, over all
        models and degrees. Needed for errors, whose units differ.
    scenario : str, default="random"

    Returns
    -------
    DataFrame indexed by task and model, a column per bin, from "0%".

    Warnings
    --------
    Ranks hide distances: the second may be as good as the first, or far behind.

    Examples
    --------
    >>> tidy = pd.DataFrame({"task": "binary", "dataset": "d", "scenario": "random",
    ...     "measure": "accuracy", "model": ["a", "a", "b", "b"], "k": [0, 1, 0, 1],
    ...     "degree": [0.0, 1.0, 0.0, 1.0], "value": [0.9, 0.5, 0.8, 0.6]})
    >>> rank_table(tidy).to_dict("records")
    [{'0%': 1.0, '100%': 2.0}, {'0%': 2.0, '100%': 1.0}]
    """
    if method not in ("within", "pooled") or scale not in (None, "minmax"):
        raise InvalidInput(
            f"method is {method!r} and scale {scale!r}; use 'within' or 'pooled', and "
            "None or 'minmax'"
        )
    rows = pick(frame, [*_KEYS, "measure", "k", "degree", "value"], scenario=scenario)
    points = curves(rows, [*_KEYS, "measure"])
    points = points.assign(
        bin=bins(points["degree"]),
        # Turned round where small is good, so that larger is better throughout.
        value=points["value"]
        * points["measure"].map(lambda name: 1.0 if larger_is_better(name) else -1.0),
    )
    if method == "pooled":
        if scale == "minmax":
            by_set = points.groupby(["task", "dataset"])["value"]
            low, high = by_set.transform("min"), by_set.transform("max")
            points["value"] = (points["value"] - low) / (high - low).where(
                high > low, 1
            )
        means = points.groupby(["task", "model", "bin"], sort=False)["value"].mean()
        ranks = means.groupby(["task", "bin"]).rank(ascending=False, method="min")
        return _by_bin(ranks)
    means = points.groupby(["task", "dataset", "model", "bin"], sort=False)[
        "value"
    ].mean()
    inside = means.groupby(["task", "dataset", "bin"]).rank(ascending=False)
    return _by_bin(inside.groupby(["task", "model", "bin"], sort=False).mean())


def rank_summary(ranks: pd.DataFrame) -> pd.DataFrame:
    """Average rank over tasks and degrees, and how many are among the best three.

    Parameters
    ----------
    ranks : DataFrame
        From `rank_table`: indexed by task and model.

    Returns
    -------
    DataFrame indexed by model: `average_rank`, `top_3`.

    Examples
    --------
    >>> ranks = pd.DataFrame({"0%": [1, 4], "20%": [2, 5]},
    ...     index=pd.MultiIndex.from_tuples([("binary", "a"), ("binary", "b")],
    ...                                     names=["task", "model"]))
    >>> rank_summary(ranks)
           average_rank  top_3
    model
    a               1.5      2
    b               4.5      0
    """
    long = ranks.stack()
    by_model = long.groupby(level="model", sort=False)
    return pd.DataFrame(
        {
            "average_rank": by_model.mean(),
            "top_3": (long <= 3).groupby(level="model", sort=False).sum(),
        }
    )


def imputation_table(
    frame: pd.DataFrame, *, scenario: str = "random", measure: str = "accuracy"
) -> pd.DataFrame:
    """Value by number of missing columns, model and imputer (Table 8).

    The published table shows heart for k = 1 to 10 of 11 columns, labelled "10%" to
    "100%".

    Parameters
    ----------
    frame : DataFrame
        Tidy results of one data set: `model`, `imputation`, `scenario`, `measure`, `k`,
        `value`.
    scenario, measure : str

    Returns
    -------
    DataFrame indexed by k, columns by model and imputation.

    Examples
    --------
    >>> tidy = pd.DataFrame({"model": "m", "imputation": ["mean", "mean"], "k": [0, 1],
    ...     "scenario": "random", "measure": "accuracy", "value": [0.9, 0.7]})
    >>> imputation_table(tidy)[("m", "mean")].to_dict()
    {0: 0.9, 1: 0.7}
    """
    rows = pick(
        frame, ["model", "imputation", "k", "value"], scenario=scenario, measure=measure
    )
    return rows.pivot_table(
        index="k", columns=["model", "imputation"], values="value", sort=False
    ).sort_index()


def column_types(
    X: pd.DataFrame, overrides: Mapping[str, str] | None = None
) -> pd.Series:
    """Tell categorical, boolean and numerical columns apart, by training rows.

    Boolean is what has exactly two values; else text is categorical and numbers are
    numerical.

    Parameters
    ----------
    X : DataFrame
        Training rows.
    overrides : mapping of str to str, optional
        Column to type. The paper counts the 0/1 column FastingBS of heart as numerical.

    Examples
    --------
    >>> X = pd.DataFrame({"age": [1, 2, 3], "sex": ["f", "m", "m"]})
    >>> column_types(X).to_dict()
    {'age': 'numerical', 'sex': 'boolean'}
    """
    given = dict(overrides or {})
    for name in given:
        if name not in X.columns:
            raise UnknownName.among("column", name, map(str, X.columns))

    def kind(name: str) -> str:
        if name in given:
            return given[name]
        if X[name].nunique() == 2:
            return "boolean"
        return "categorical" if is_categorical(X[name]) else "numerical"

    return pd.Series({name: kind(name) for name in X.columns}, name="type")


def type_table(
    frame: pd.DataFrame,
    types: Mapping[str, str] | pd.Series,
    *,
    measure: str = "accuracy",
) -> pd.DataFrame:
    """Mean value when one column of a type vanishes (Table 11).

    Parameters
    ----------
    frame : DataFrame
        Tidy results of the single scenario of one data set: `model`, `scenario`, `k`,
        `column`, `measure`, `value`.
    types : mapping of str to str
        Column to type, from `column_types`.
    measure : str, default="accuracy"

    Returns
    -------
    DataFrame indexed by model: `baseline` and a column per type.

    Warnings
    --------
    A type with two columns is two columns, not a type: another data set may order
    them the other way round.

    Examples
    --------
    >>> tidy = pd.DataFrame({"model": "m", "scenario": "single", "measure": "accuracy",
    ...     "k": [0, 1, 1], "column": [None, "age", "sex"], "value": [0.9, 0.8, 0.6]})
    >>> type_table(tidy, {"age": "numerical", "sex": "boolean"}).to_dict("records")
    [{'baseline': 0.9, 'numerical': 0.8, 'boolean': 0.6}]
    """
    rows = pick(
        frame, ["model", "k", "column", "value"], scenario="single", measure=measure
    )
    baseline = rows[rows["k"] == 0].groupby("model", sort=False)["value"].mean()
    removed = rows[rows["k"] == 1]
    known = dict(types)
    for name in removed["column"].unique():
        if name not in known:
            raise UnknownName.among("column with a type", name, known)
    by_column = removed.groupby(["model", "column"], sort=False)["value"].mean()
    kinds = by_column.index.get_level_values("column").map(known)
    means = by_column.groupby(
        [by_column.index.get_level_values("model"), kinds], sort=False
    )
    table = means.mean().unstack(sort=False)
    table.columns.name = None
    table.insert(0, "baseline", baseline)
    return table


def runtime_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Cost per model: seconds of the fit, of a million masked rows, and memory.

    Parameters
    ----------
    frame : DataFrame
        A row per run: `model`, `fit_seconds`, `predict_seconds`, `rows_masked`, and
        `peak_bytes` if known.

    Returns
    -------
    DataFrame indexed by model.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["m"], "fit_seconds": [2.0],
    ...     "predict_seconds": [1.0], "rows_masked": [500_000]})
    >>> runtime_table(runs).to_dict("records")
    [{'fit_seconds': 2.0, 'seconds_per_million_rows': 2.0}]
    """
    rows = pick(frame, ["model", "fit_seconds", "predict_seconds", "rows_masked"])
    by_model = rows.groupby("model", sort=False)
    table = pd.DataFrame(
        {
            "fit_seconds": by_model["fit_seconds"].mean(),
            "seconds_per_million_rows": by_model["predict_seconds"].sum()
            / by_model["rows_masked"].sum()
            * 1e6,
        }
    )
    if "peak_bytes" in rows.columns:
        table["peak_bytes"] = by_model["peak_bytes"].max()
    return table


def _by_bin(values: pd.Series) -> pd.DataFrame:
    table = values.unstack("bin", sort=False)
    order = sorted(table.columns, key=lambda name: int(str(name).rstrip("%")))
    table.columns.name = None
    return table[order]
