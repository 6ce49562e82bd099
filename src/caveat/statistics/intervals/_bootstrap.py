"""Bootstrap of means: what else they could have been, with other items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput
from caveat.statistics._checks import (
    check_count,
    check_direction,
    check_pairs,
    check_share,
)

# Draws that are held in memory at a time: 32 MB of indices.
_DRAWS_AT_A_TIME = 4_000_000


@dataclass(frozen=True)
class PairedBootstrap:
    """How large a mean difference of pairs is, and how sure that is.

    Attributes
    ----------
    difference : float
        Mean of a - b.
    low, high : float
        Percentile interval of the difference.
    p_value : float
        Two-sided, for no difference.
    share_better : float
        Share of resamples in which a is better than b, ties counting half.
    n_pairs : int
        Pairs with both values.
    missing : int
        Pairs that lack a value and were left out.
    confidence : float
    """

    difference: float
    low: float
    high: float
    p_value: float
    share_better: float
    n_pairs: int
    missing: int
    confidence: float


def paired_bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    *,
    n: int = 10_000,
    confidence: float = 0.95,
    direction: str = "max",
    random_state: int | np.random.Generator | None = 0,
) -> PairedBootstrap:
    """Compare two learners on the same items, splits or data sets.

    Pairs are drawn with replacement. The interval takes the quantiles of the
    resampled mean differences d*; the p-value is the share of them that lie at
    least as far from the observed d as d lies from 0, with one added above and
    below so that it is never 0 [1]_.

    Parameters
    ----------
    a, b : array-like of shape (n_pairs,)
        Values of the two, pair by pair. A pair that lacks one (NaN) is left out
        and counted.
    n : int, default=10_000
        Resamples.
    confidence : float, default=0.95
    direction : {"max", "min"}, default="max"
        Whether larger or smaller values are better; decides `share_better` only.
    random_state : int, Generator or None, default=0

    Returns
    -------
    PairedBootstrap
        Without a pair all numbers are NaN; with one there is a difference but no
        interval and no p-value. Differences that are all the same give an
        interval without width, and p-value 1 if they are 0.

    Warnings
    --------
    With fewer than about 20 pairs percentile intervals are too narrow: at 5 pairs
    the smallest p-value says little. Folds of one cross-validation share training
    items and are no independent pairs; see `corrected_resampled_t_test`.

    References
    ----------
    .. [1] B. Efron, R. J. Tibshirani (1993). An Introduction to the Bootstrap,
       chapters 13 and 16. Chapman & Hall.

    Examples
    --------
    >>> result = paired_bootstrap([0.9, 0.8, 0.7, 0.9], [0.8, 0.8, 0.6, 0.7])
    >>> round(result.difference, 3), round(result.low, 3), round(result.high, 3)
    (0.1, 0.025, 0.175)
    """
    sign = check_direction(direction)
    level = check_share("confidence", confidence)
    resamples = check_count("n", n, 1)
    differences, missing = check_pairs(a, b)
    pairs = len(differences)
    mean = float(differences.mean()) if pairs else np.nan
    if pairs < 2:
        nothing = (np.nan, np.nan, np.nan, np.nan)
        return PairedBootstrap(mean, *nothing, pairs, missing, level)
    means = resampled_means(differences, resamples, random_state)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    # The resampled mean of equal numbers may differ in its last bit.
    slack = 1e-12 * np.abs(differences).max()
    extreme = np.count_nonzero(np.abs(means - mean) >= abs(mean) - slack)
    better = np.count_nonzero(sign * means > slack)
    equal = np.count_nonzero(np.abs(means) <= slack)
    return PairedBootstrap(
        difference=mean,
        low=float(low),
        high=float(high),
        p_value=float((extreme + 1) / (resamples + 1)),
        share_better=float((better + equal / 2) / resamples),
        n_pairs=pairs,
        missing=missing,
        confidence=level,
    )


def resampled_means(
    values: NDArray[np.float64],
    n: int,
    random_state: int | np.random.Generator | None,
) -> NDArray[np.float64]:
    """Means of n resamples with replacement, as large as the values themselves."""
    generator = check_generator(random_state)
    size = len(values)
    at_a_time = max(1, _DRAWS_AT_A_TIME // size)
    means = np.empty(n)
    for start in range(0, n, at_a_time):
        stop = min(start + at_a_time, n)
        drawn = generator.integers(size, size=(stop - start, size))
        means[start:stop] = values[drawn].mean(axis=1)
    return means


def check_generator(
    random_state: int | np.random.Generator | None,
) -> np.random.Generator:
    """Return a generator that shares nothing with the global one."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"random_state is {random_state!r} ({error}); pass a whole number, "
            "a numpy Generator or None"
        ) from None
