"""The three observations of the feature-shift paper, as questions with intervals.

1. Do most models lose when columns vanish, and would refitting have helped?
2. Is the loss in line with the importance of what vanished?
3. Are models that are good with all columns also good without some?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.exceptions import InvalidInput, listing
from papers.shift.points import (
    bins,
    correlation,
    correlations,
    curves,
    interval,
    larger_is_better,
    pick,
    resamples,
    sums_of,
)

_KEYS = ["dataset", "model", "measure"]
_COLUMNS = [*_KEYS, "k", "degree", "value"]


@dataclass(frozen=True)
class Observation:
    """A correlation with its uncertainty.

    Attributes
    ----------
    pooled : float
        Pearson's r over the points of all data sets.
    low, high : float
        95 % interval by bootstrap over data sets.
    mean : float
        Mean of the correlations of the data sets.
    by_dataset : Series
        Pearson's r of each data set.
    points : DataFrame
        What was correlated: `x` and `z`.
    """

    pooled: float
    low: float
    high: float
    mean: float
    by_dataset: pd.Series
    points: pd.DataFrame


def decay(
    frame: pd.DataFrame, *, scenario: str = "random", random_state: int = 0
) -> pd.DataFrame:
    """Ask how much is lost at each degree, over models and data sets (observation 1).

    Parameters
    ----------
    frame : DataFrame
        Tidy results: `dataset`, `model`, `scenario`, `measure`, `k`, `degree`, `value`;
        one measure per data set.
    scenario : str, default="random"
    random_state : int, default=0
        Seed of the bootstrap over data sets.

    Returns
    -------
    DataFrame per bin of degrees: `loss` (mean relative loss, positive is worse), `low`,
    `high` (95 %, data sets resampled), `share` (of data sets x models that lose).

    Warnings
    --------
    Relative losses of accuracy and of an error have no common scale; keep tasks apart.
    """
    points = _losses(frame, scenario)
    points = points[points["k"] > 0].assign(bin=lambda rows: bins(rows["degree"]))
    inside = points.groupby(["bin", "dataset", "model"], sort=False)["loss"].mean()
    by_set = inside.groupby(["bin", "dataset"], sort=False).mean().unstack("dataset")
    rows = {}
    for name in sorted(by_set.index, key=lambda text: int(text.rstrip("%"))):
        known = by_set.loc[name].dropna().to_numpy()
        draws = resamples(len(known), seed=random_state)
        low, high = interval(known[draws].mean(axis=1))
        rows[name] = {
            "loss": known.mean(),
            "low": low,
            "high": high,
            "share": (inside.loc[name] > 0).mean(),
        }
    return pd.DataFrame(rows).T


def importance_and_loss(
    frame: pd.DataFrame,
    importance: Mapping[str, pd.Series],
    *,
    scenarios: tuple[str, ...] = ("most", "least"),
    random_state: int = 0,
) -> Observation:
    """Ask whether the loss follows the importance of what vanished (observation 2).

    For each data set, scenario and k: x is the sum of the absolute importance of the
    columns that are gone, z the relative loss, averaged over models.

    Parameters
    ----------
    frame : DataFrame
        Tidy results, one measure per data set. For ``single`` with `column`.
    importance : mapping of str to Series
        Data set to the importance of its columns.
    scenarios : tuple of str, default=("most", "least")
        Or ``("single",)``.
    random_state : int, default=0
        Seed of the bootstrap over data sets.

    Returns
    -------
    Observation

    Warnings
    --------
    In the cumulative scenarios x and z both grow with k, so that a correlation is no
    surprise; the single scenario is the harder question.
    """
    parts = []
    for scenario in scenarios:
        points = _losses(frame, scenario)
        mean = points.groupby(
            ["dataset", "k", *(["column"] if scenario == "single" else [])], sort=False
        )["loss"].mean()
        rows = mean.reset_index(name="z")
        rows = rows[rows["k"] > 0].copy()
        rows["x"] = [_gone(row, scenario, importance) for _, row in rows.iterrows()]
        parts.append(rows.assign(scenario=scenario))
    return _observation(pd.concat(parts, ignore_index=True), random_state)


def closed_and_shifted(
    frame: pd.DataFrame, *, scenario: str = "random", random_state: int = 0
) -> pd.DataFrame:
    """Ask whether good models stay good without columns (observation 3).

    Per data set, over models: the correlation of the closed value with the mean value
    over all k from 1.

    Parameters
    ----------
    frame : DataFrame
        Tidy results, one measure per data set.
    scenario : str, default="random"
    random_state : int, default=0
        Seed of the bootstrap over models.

    Returns
    -------
    DataFrame indexed by data set: `models`, `pearson`, `low`, `high` (95 %, models
    resampled), `spearman`.

    Warnings
    --------
    One model far off, such as a language model that failed, can make or unmake the
    correlation; look at `spearman` too.

    Examples
    --------
    >>> tidy = pd.DataFrame({"dataset": "d", "scenario": "random",
    ...     "measure": "accuracy", "model": ["a", "a", "b", "b", "c", "c"],
    ...     "k": [0, 1] * 3, "degree": [0.0, 1.0] * 3,
    ...     "value": [0.9, 0.6, 0.8, 0.5, 0.7, 0.4]})
    >>> print(closed_and_shifted(tidy).loc["d", "pearson"].round(3))
    1.0
    """
    points = curves(pick(frame, _COLUMNS, scenario=scenario), _KEYS)
    shifted = points[points["k"] > 0].groupby(["dataset", "model"])["value"].mean()
    closed = points[points["k"] == 0].set_index(["dataset", "model"])["value"]
    rows = {}
    for dataset in points["dataset"].unique():
        x = closed.loc[dataset]
        y = shifted.loc[dataset].loc[x.index]
        low, high = interval(_resampled(sums_of(*_centred(x, y)), random_state))
        rows[dataset] = {
            "models": len(x),
            "pearson": correlation(x, y),
            "low": low,
            "high": high,
            "spearman": correlation(x, y, ranks=True),
        }
    table = pd.DataFrame(rows).T
    return table.astype({"models": int})


def _losses(frame: pd.DataFrame, scenario: str) -> pd.DataFrame:
    """Relative loss of every point; positive is worse."""
    single = scenario == "single"
    needed = [*_COLUMNS, *(["column"] if single else [])]
    rows = pick(frame, needed, scenario=scenario)
    if single:
        rows = rows.assign(column=rows["column"].fillna(""))
        closed = rows[rows["k"] == 0].groupby(_KEYS)["value"].mean()
        mean = rows.groupby([*_KEYS, "k", "column"], sort=False)["value"].mean()
        points = mean.reset_index().join(closed.rename("closed"), on=_KEYS)
        points["gap"] = (points["value"] - points["closed"]) / points["closed"]
    else:
        points = curves(rows, _KEYS)
    sign = points["measure"].map(lambda name: -1.0 if larger_is_better(name) else 1.0)
    return points.assign(loss=points["gap"] * sign)


def _centred(
    x: pd.Series, z: pd.Series
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Move both to mean 0, where sums of squares lose the fewest digits."""
    a, b = x.to_numpy(dtype=np.float64), z.to_numpy(dtype=np.float64)
    return a - a.mean(), b - b.mean()


def _resampled(sums: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Correlations over resampled rows of sums."""
    return correlations(sums[resamples(len(sums), seed=seed)].sum(axis=1))


def _gone(row: pd.Series, scenario: str, importance: Mapping[str, pd.Series]) -> float:
    """Total absolute importance of the columns that are gone."""
    if row["dataset"] not in importance:
        raise InvalidInput(
            f"importance lacks the data set {row['dataset']!r}; it has "
            f"{listing(importance)}"
        )
    sizes = importance[row["dataset"]].abs()
    if scenario == "single":
        return float(sizes[row["column"]])
    ordered = np.sort(sizes.to_numpy())
    k = int(row["k"])
    return float(ordered[::-1][:k].sum() if scenario == "most" else ordered[:k].sum())


def _observation(points: pd.DataFrame, seed: int) -> Observation:
    by_dataset = pd.Series(
        {
            name: correlation(rows["x"], rows["z"])
            for name, rows in points.groupby("dataset", sort=False)
        }
    )
    sums = pd.DataFrame(sums_of(*_centred(points["x"], points["z"])))
    by_set = sums.groupby(points["dataset"].to_numpy(), sort=False).sum().to_numpy()
    low, high = interval(_resampled(by_set, seed))
    return Observation(
        pooled=correlation(points["x"], points["z"]),
        low=low,
        high=high,
        mean=float(by_dataset.mean()),
        by_dataset=by_dataset,
        points=points,
    )
