"""Confidence intervals of measures by resampling instances.

A resample is a weight per row.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from caveat.exceptions import InvalidInput
from caveat.measures.multilabel import Conventions, Resampler, ZeroDivision, evaluate


def bootstrap_intervals(
    Y: Any,
    scores: Any,
    decisions: Any = None,
    *,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    ties: str = "half",
    zero_division: ZeroDivision = 0.0,
    degenerate: str = "skip",
    measures: Iterable[str] | None = None,
    random_state: Any = None,
) -> pd.DataFrame:
    """Percentile bootstrap intervals of the measures, over instances.

    Parameters
    ----------
    Y, scores, decisions, ties, zero_division, degenerate, measures
        As in `evaluate`.
    n_resamples : int, default=1000
        How many times m instances are drawn with replacement.
    confidence : float, default=0.95
        Coverage of the interval.
    random_state : int, RandomState or None
        Seed of the draws.

    Returns
    -------
    DataFrame indexed by measure: ``value`` (on the data as it is), ``low``,
    ``high``, ``se`` (standard deviation over resamples), ``n_defined`` (resamples
    in which the measure was defined).

    Warnings
    --------
    The interval speaks of other instances of the same kind. It does not cover
    training on other data, other labels, or thresholds chosen on these rows.
    Labels with very few positives are lost in part of the resamples, which makes
    macro-AUC and macro-F1 intervals rough.

    References
    ----------
    .. [1] B. Efron, R. Tibshirani (1993). An introduction to the bootstrap. Ch. 13.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.random((200, 4)) < 0.4
    >>> table = bootstrap_intervals(Y, Y + rng.normal(size=Y.shape), random_state=0)
    >>> bool(table["value"].between(table["low"], table["high"]).all())
    True
    """
    if isinstance(n_resamples, bool) or int(n_resamples) != n_resamples:
        raise InvalidInput(f"n_resamples is {n_resamples!r}; pass a whole number")
    if n_resamples < 2:
        raise InvalidInput(f"n_resamples is {n_resamples}; pass 2 or more")
    if not 0 < confidence < 1:
        raise InvalidInput(f"confidence is {confidence}; pass a number such as 0.95")
    draws = bootstrap_draws(
        Y,
        scores,
        decisions,
        ties=ties,
        zero_division=zero_division,
        degenerate=degenerate,
        measures=measures,
        n_resamples=int(n_resamples),
        random_state=random_state,
    )
    tail = (1 - confidence) / 2
    rows = []
    for name in draws.columns:
        at, kept = draws[name].iloc[0], draws[name].iloc[1:].dropna()
        low, high = np.quantile(kept, [tail, 1 - tail]) if len(kept) else (np.nan,) * 2
        spread = kept.std(ddof=1) if len(kept) > 1 else np.nan
        rows.append((name, at, low, high, spread, len(kept)))
    columns = ["measure", "value", "low", "high", "se", "n_defined"]
    return pd.DataFrame(rows, columns=columns).set_index("measure")


def bootstrap_draws(
    Y: Any,
    scores: Any,
    decisions: Any = None,
    *,
    n_resamples: int,
    random_state: Any,
    ties: str = "half",
    zero_division: ZeroDivision = 0.0,
    degenerate: str = "skip",
    measures: Any = None,
) -> pd.DataFrame:
    """Compute the measures on the rows as they are, then on resampled rows.

    A column per measure, the value itself in the first row. Calls with one seed and one
    number of rows draw the same rows: models can be compared resample by resample.
    """
    value = evaluate(
        Y,
        scores,
        decisions,
        ties=ties,
        zero_division=zero_division,
        degenerate=degenerate,
        measures=measures,
    )
    sample = Resampler(
        Y,
        scores,
        decisions,
        names=tuple(value),
        conventions=Conventions.of(ties, zero_division, degenerate),
    )
    random = check_random_state(random_state)
    m = sample.n_rows
    draws = np.empty((1 + n_resamples, len(value)))
    draws[0] = list(value.values())
    for k in range(1, 1 + n_resamples):
        weights = np.bincount(random.randint(m, size=m), minlength=m)
        draws[k] = list(sample.values(weights.astype(np.float64)).values())
    return pd.DataFrame(draws, columns=list(value))
