"""Whether average ranks differ at all, and by how much they must to count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2, f, studentized_range

from caveat.exceptions import InvalidInput
from caveat.statistics._checks import check_count, check_share, check_values
from caveat.statistics.comparisons._ranks import AverageRanks


@dataclass(frozen=True)
class FriedmanTest:
    """Outcome of `friedman_test`.

    Attributes
    ----------
    chi_square, chi_square_p : float
        Friedman's statistic as Demsar [1]_ gives it, without correction for ties.
    f, f_p : float
        Iman and Davenport's statistic, less conservative; prefer it.
    tied_chi_square, tied_chi_square_p, tied_f, tied_f_p : float
        The same, corrected for ties (as scipy and R do).
    n_learners, n_blocks : int
    note : str
        Why numbers are NaN; empty if they are not.
    """

    chi_square: float
    chi_square_p: float
    f: float
    f_p: float
    tied_chi_square: float
    tied_chi_square_p: float
    tied_f: float
    tied_f_p: float
    n_learners: int
    n_blocks: int
    note: str = ""


def friedman_test(ranks: AverageRanks) -> FriedmanTest:
    """Test whether the learners' average ranks differ at all.

    Parameters
    ----------
    ranks : AverageRanks
        From `average_ranks`.

    Returns
    -------
    FriedmanTest
        NaN with fewer than two learners or two blocks. Where all are tied, the
        statistics are 0 and the p-values 1.

    Warnings
    --------
    Both reference distributions are approximations that are poor below about 10
    blocks or 5 learners. A small p-value says that some two learners differ, not
    which. Blocks must be independent: worlds made from one data set are not.

    References
    ----------
    .. [1] J. Demsar (2006). Statistical comparisons of classifiers over multiple
       data sets. Journal of Machine Learning Research 7.
    .. [2] R. L. Iman, J. M. Davenport (1980). Approximations of the critical region
       of the Friedman statistic. Communications in Statistics A 9(6).

    Examples
    --------
    >>> from caveat.statistics import average_ranks
    >>> ranks = average_ranks([[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]],
    ...                       direction="min")
    >>> test = friedman_test(ranks)
    >>> round(test.chi_square, 2), round(test.f, 2), round(test.f_p, 3)
    (4.5, 3.86, 0.084)
    """
    if not isinstance(ranks, AverageRanks):
        raise InvalidInput(
            f"ranks is a {type(ranks).__name__}; pass what average_ranks makes of a "
            "table of scores, which knows whether larger is better"
        )
    inside = (ranks.table.to_numpy() - (ranks.n_learners + 1) / 2) ** 2
    # Without ties every block adds (k^3 - k) / 12.
    most = ranks.n_blocks * (ranks.n_learners**3 - ranks.n_learners) / 12
    share = float(inside.sum() / most) if most else np.nan
    return _friedman(ranks.ranks.to_numpy(), ranks.n_blocks, share)


def friedman_from_averages(
    averages: Mapping[Any, float] | ArrayLike, n_blocks: int
) -> FriedmanTest:
    """Friedman's test from published average ranks.

    Parameters
    ----------
    averages : mapping of name to float, or array-like of shape (learners,)
        Average ranks; they must add up to k (k + 1) / 2, up to rounding.
    n_blocks : int
        How many data sets they are over.

    Returns
    -------
    FriedmanTest
        Without the corrections for ties, which published averages do not allow.

    Warnings
    --------
    See `friedman_test`; rounded ranks give rounded statistics.

    Examples
    --------
    >>> test = friedman_from_averages([3.143, 2.000, 2.893, 1.964], n_blocks=14)
    >>> round(test.chi_square, 2), round(test.f, 2)
    (9.28, 3.69)
    """
    given = list(averages.values()) if isinstance(averages, Mapping) else averages
    values = check_values("averages", given)
    blocks = check_count("n_blocks", n_blocks, 0)
    k = len(values)
    if not abs(values.sum() - k * (k + 1) / 2) <= 0.01 * k:
        raise InvalidInput(
            f"the average ranks of {k} learners add up to {values.sum():.6g}, not to "
            f"{k * (k + 1) / 2:.6g}; pass the ranks of all learners"
        )
    return _friedman(values, blocks, np.nan)


def _friedman(
    averages: NDArray[np.float64], n: int, share_left_by_ties: float
) -> FriedmanTest:
    k = len(averages)
    if k < 2 or n < 2:
        note = f"needs two learners and two data sets, has {k} and {n}"
        return FriedmanTest(*(np.nan,) * 8, n_learners=k, n_blocks=n, note=note)
    plain = 12 * n / (k * (k + 1)) * float(((averages - (k + 1) / 2) ** 2).sum())
    # All blocks wholly tied: nothing speaks for a difference.
    tied = plain / share_left_by_ties if share_left_by_ties else 0.0
    return FriedmanTest(
        *_distributed(plain, k, n), *_distributed(tied, k, n), n_learners=k, n_blocks=n
    )


def _distributed(chi: float, k: int, n: int) -> tuple[float, float, float, float]:
    """Statistics and p-values of Friedman, and of Iman and Davenport."""
    left = n * (k - 1) - chi
    # All blocks agree: rounding may leave the denominator a little off 0.
    agreed = left <= 1e-9 * n * (k - 1)
    iman = np.inf if agreed else (n - 1) * chi / left
    return (
        chi,
        float(chi2.sf(chi, k - 1)),
        float(iman),
        float(f.sf(iman, k - 1, (k - 1) * (n - 1))),
    )


def critical_difference(
    n_learners: int, n_blocks: int, *, alpha: float = 0.05
) -> float:
    r"""Nemenyi's critical difference of average ranks.

    :math:`q_\alpha \sqrt{k (k + 1) / (6 N)}` with :math:`q_\alpha` the upper quantile
    of the studentized range of k at infinite degrees of freedom, over
    :math:`\sqrt 2` [1]_. Two learners whose average ranks differ by at least that
    much are significantly different.

    Parameters
    ----------
    n_learners, n_blocks : int
        From 2 and from 1 on.
    alpha : float, default=0.05

    Returns
    -------
    float

    Warnings
    --------
    It corrects for all pairs, so it grows with the number of learners in the
    comparison, also with those that nobody asked about. Wilcoxon tests with Holm's
    correction find more, and do not depend on third learners' ranks.

    References
    ----------
    .. [1] J. Demsar (2006). Statistical comparisons of classifiers over multiple
       data sets. Journal of Machine Learning Research 7.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    k = check_count("n_learners", n_learners, 2)
    n = check_count("n_blocks", n_blocks, 1)
    quantile = _range_quantile(check_share("alpha", alpha), k)
    return float(quantile * np.sqrt(k * (k + 1) / (6 * n)))


@lru_cache(maxsize=256)
def _range_quantile(alpha: float, k: int) -> float:
    return float(studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2))
