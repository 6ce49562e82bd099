"""Which monitor would notice an outage, and after how many rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binom, norm

from caveat.shift.evaluation._tables import is_categorical
from caveat.shift.prices._folds import Fold
from caveat.shift.prices._outages import Outage
from caveat.tables import column_numbers

ALPHA = 0.01
"""How often a monitor may cry out over intact rows, over all its looks."""
UNFIT = 0.2
"""A monitor that cries out over so many intact streams tells nothing of an outage."""
_STREAMS = 40
_MOST_ROWS = 512

Watch = Callable[[pd.Series], "NDArray[np.bool_]"]


def watch_missing(train: pd.Series) -> Watch:
    """Count missing cells, and compare with the training rows."""
    rate = float(train.isna().mean())
    return lambda seen: _too_many(seen.isna().to_numpy(), rate)


def watch_range(train: pd.Series) -> Watch:
    """Count values that training never had: beyond its range, or new categories."""
    if is_categorical(train):
        known = set(train.dropna().unique())
        strange = lambda seen: ~seen.isin(known) & seen.notna()  # noqa: E731
    else:
        numbers = column_numbers(train)
        low, high = np.nanmin(numbers), np.nanmax(numbers)

        def strange(seen: pd.Series) -> Any:
            values = column_numbers(seen)
            return (values < low) | (values > high)

    # Even intact rows pass the ends now and then: about 2 in n + 1 do.
    rate = 2 / (len(train) + 1)
    return lambda seen: _too_many(np.asarray(strange(seen)), rate)


def watch_mean(train: pd.Series) -> Watch:
    """Compare the mean of the rows so far with the training mean."""
    if is_categorical(train):
        top = train.mode().iloc[0] if train.notna().any() else None
        return lambda seen: _too_far(
            (seen == top).to_numpy(float), (train == top).to_numpy(float)
        )
    return lambda seen: _too_far(column_numbers(seen), column_numbers(train))


def watch_same(train: pd.Series) -> Watch:
    """Count how often one value comes again and again."""
    shares = train.value_counts(normalize=True)
    most = float(shares.iloc[0]) if len(shares) else 1.0

    def watch(seen: pd.Series) -> NDArray[np.bool_]:
        values = pd.factorize(seen)[0]
        same = np.concatenate(
            [[False], (values[1:] == values[:-1]) & (values[1:] >= 0)]
        )
        run = np.zeros(len(seen))
        for place in range(1, len(seen)):
            run[place] = run[place - 1] + 1 if same[place] else 0
        # A run of r more of the commonest value has the chance most^r.
        return most**run < ALPHA / _MOST_ROWS

    return watch


MONITORS: dict[str, Callable[[pd.Series], Watch]] = {
    "missing cells": watch_missing,
    "values outside the training range": watch_range,
    "the running mean": watch_mean,
    "the same value again": watch_same,
}


def when_noticed(outage: Outage, fold: Fold, seed: int = 0) -> pd.DataFrame:
    """Say after how many rows of an outage each monitor of its columns cries out.

    Rows that the outage hits are put in a random order many times, and fail as the
    outage says. A monitor looks after every row; its thresholds are such that it cries
    out over intact rows in about 1 of 100 streams.

    Parameters
    ----------
    outage : Outage
    fold : Fold
    seed : int

    Returns
    -------
    DataFrame : `outage`, `column`, `monitor`, `rows` (median over streams; NaN if
    fewer than half notice, or if the monitor cries out over one in five intact
    streams), `noticed` and `false_alarms` (shares of streams).
    """
    hit = np.flatnonzero(outage.hits(fold, seed))
    rng = np.random.default_rng([seed, 4])
    columns = list(dict.fromkeys(outage.columns))
    streams = []
    for _ in range(_STREAMS):
        rows = rng.choice(hit, size=min(_MOST_ROWS, max(len(hit), 64)))
        intact = fold.X_test[columns].iloc[rows].reset_index(drop=True)
        everywhere = np.ones(len(intact), dtype=bool)
        if outage.kind == "vanish":
            failed = intact.mask(np.ones(intact.shape, dtype=bool))
        else:
            failed = outage.table(intact, everywhere, fold.X_train)
        streams.append((intact, failed))
    found = []
    for column in columns:
        for name, make in MONITORS.items():
            watch = make(fold.X_train[column])
            broken = [_first(watch(failed[column])) for _, failed in streams]
            calm = [_first(watch(intact[column])) for intact, _ in streams]
            false_alarms = float(np.mean(np.isfinite(calm)))
            found.append(
                {
                    "outage": outage.words,
                    "column": column,
                    "monitor": name,
                    "rows": _median(broken) if false_alarms < UNFIT else np.nan,
                    "noticed": float(np.mean(np.isfinite(broken))),
                    "false_alarms": false_alarms,
                }
            )
    return pd.DataFrame(found)


def _first(alarm: NDArray[np.bool_]) -> float:
    return float(np.argmax(alarm) + 1) if alarm.any() else np.inf


def _median(rows: Sequence[float]) -> float:
    middle = float(np.median(rows))
    return middle if np.isfinite(middle) else np.nan


def _too_many(odd: NDArray[Any], rate: float) -> NDArray[np.bool_]:
    """Whether so many odd rows among the first n are no chance."""
    n = np.arange(1, len(odd) + 1)
    counts = np.cumsum(odd)
    chance = binom.sf(counts - 1, n, rate)
    return (counts > 0) & (chance < ALPHA / _looks(len(odd)))


def _too_far(seen: NDArray[Any], train: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the mean so far is no chance; missing values are left out."""
    known = np.isfinite(seen)
    n = np.maximum(np.cumsum(known), 1)
    mean = np.cumsum(np.where(known, seen, 0.0)) / n
    spread = float(np.nanstd(train)) or 1e-12
    bound = norm.isf(ALPHA / (2 * _looks(len(seen))))
    # Fewer than eight rows of a skewed column have no normal mean.
    return (np.abs(mean - np.nanmean(train)) * np.sqrt(n) / spread > bound) & (n >= 8)


def _looks(rows: int) -> int:
    """Count looks that differ: means over n and n + 1 rows hardly do."""
    return max(1, 4 * int(np.ceil(np.log2(rows + 1))))
