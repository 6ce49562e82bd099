"""What one column tells of the target all by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.measures import get
from caveat.ranking import roc_auc

_BINS = 16
_MOST_LEVELS = 64
_MOST_CLASSES = 10
_PARTS = 3


def levels_of(column: pd.Series, categorical: bool) -> NDArray[np.intp]:
    """Cut a column into a few levels; missing cells are level 0.

    Categories beyond the 64 most frequent share a level, numbers are cut at quantiles.
    """
    if categorical:
        text = column.astype(object).where(column.notna(), None)
        codes, names = pd.factorize(text.map(str, na_action="ignore"))
        if len(names) > _MOST_LEVELS:
            counts = np.bincount(codes[codes >= 0])
            rank = np.empty(len(names), dtype=np.intp)
            rank[np.argsort(-counts, kind="stable")] = np.arange(len(names))
            codes = np.where(codes >= 0, np.minimum(rank[codes], _MOST_LEVELS), -1)
        return codes + 1
    numbers = numbers_of(column)
    known = np.isfinite(numbers)
    levels = np.zeros(len(numbers), dtype=np.intp)
    if known.any():
        # A bin ends with its cut, so that a frequent value has a bin of its own.
        cuts = np.unique(np.quantile(numbers[known], np.linspace(0, 1, _BINS + 1)))
        levels[known] = 1 + np.searchsorted(cuts, numbers[known], side="left")
    return levels


def numbers_of(column: pd.Series) -> NDArray[np.float64]:
    """Return a column as floats: dates as seconds, truth values as 0 and 1."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        seconds = column.to_numpy().astype("datetime64[s]").astype(np.float64)
        return np.where(column.isna().to_numpy(), np.nan, seconds)
    return pd.to_numeric(column, errors="coerce").to_numpy(
        dtype=np.float64, na_value=np.nan
    )


def score_alone(
    levels: NDArray[np.intp], target: NDArray[Any], *, regression: bool, seed: int
) -> float:
    """AUC (numbers: R²) of the level's mean target, learnt on other rows.

    Parameters
    ----------
    levels : array of int
    target : array
        Class numbers, or numbers.
    regression : bool
    seed : int
        Of the three parts.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> target = rng.integers(0, 2, 600)
    >>> round(score_alone(target * 3, target, regression=False, seed=0), 2)
    1.0
    >>> score_alone(rng.integers(0, 9, 600), target, regression=False, seed=0) < 0.6
    True
    """
    part = np.random.default_rng(seed).permutation(len(target)) % _PARTS
    wide = int(levels.max()) + 1
    if regression:
        answers = _means_elsewhere(levels, target.astype(float), part, wide)
        return get("r2")(target, answers) if np.ptp(target) else 0.0
    counts = np.bincount(target)
    frequent = np.argsort(-counts, kind="stable")[:_MOST_CLASSES]
    wanted = [1] if len(counts) == 2 else [int(label) for label in frequent]
    found = []
    for label in wanted:
        flags = (target == label).astype(float)
        if 0 < flags.sum() < len(flags):
            scores = _means_elsewhere(levels, flags, part, wide)
            found.append(roc_auc(flags, scores))
    return float(np.mean(found)) if found else float("nan")


def _means_elsewhere(
    levels: NDArray[np.intp],
    values: NDArray[np.float64],
    part: NDArray[np.intp],
    wide: int,
) -> NDArray[np.float64]:
    """Mean of the values in each row's level, over the rows of the other parts."""
    answers = np.empty(len(values))
    for one in range(_PARTS):
        here, there = part == one, part != one
        sums = np.bincount(levels[there], values[there], minlength=wide)
        sizes = np.bincount(levels[there], minlength=wide)
        overall = values[there].mean() if there.any() else 0.0
        # One row's worth of the overall mean keeps small levels from shouting.
        means = (sums + overall) / (sizes + 1)
        answers[here] = means[levels[here]]
    return answers
