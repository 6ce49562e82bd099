"""t-tests that have an answer for constant, single and missing values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student
from scipy.stats import ttest_ind_from_stats

from caveat.exceptions import InvalidInput
from caveat.statistics._checks import check_pairs, check_share
from caveat.statistics.intervals._intervals import moments

# Two constant samples differ if their values do by more than rounding.
_ROUNDING = 1e-12


def welch_p_values(
    mean: float,
    sd: float,
    n: float,
    means: NDArray[np.float64],
    sds: NDArray[np.float64],
    ns: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Two-sided Welch p-values of one sample against others; all sd have ddof 1.

    Fewer than two values on a side leave the test undefined: NaN. Where both
    sides are constant, p is 1 if they are the same and 0 if they are not.
    """
    defined = (n >= 2) & (ns >= 2) & ~np.isnan(means - mean)
    constant = defined & (sd == 0) & (sds == 0)
    usual = defined & ~constant
    p_values = np.full(len(means), np.nan)
    p_values[usual] = ttest_ind_from_stats(
        mean, sd, n, means[usual], sds[usual], ns[usual], equal_var=False
    ).pvalue
    p_values[constant] = np.where(_same(mean, means[constant]), 1.0, 0.0)
    return p_values


def paired_p_value(differences: NDArray[np.float64]) -> float:
    """Two-sided paired t-test; constant differences give 1 if 0, else 0."""
    n = len(differences)
    if n < 2:
        return np.nan
    mean, sd = moments(differences)
    if sd == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * student.sf(abs(mean) / (sd / np.sqrt(n)), n - 1))


def _same(a: float, b: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.abs(a - b) <= _ROUNDING * np.maximum(np.abs(a), np.abs(b))


@dataclass(frozen=True)
class ResampledTTest:
    """Outcome of `corrected_resampled_t_test`.

    Attributes
    ----------
    difference : float
        Mean of a - b.
    low, high : float
        Confidence interval of the difference, with the same correction.
    statistic, df, p_value : float
        NaN with fewer than two folds.
    n_folds : int
        Folds with both values.
    missing : int
        Folds that lack a value and were left out.
    confidence : float
    """

    difference: float
    low: float
    high: float
    statistic: float
    df: float
    p_value: float
    n_folds: int
    missing: int
    confidence: float


def corrected_resampled_t_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    test_train_ratio: float,
    confidence: float = 0.95,
) -> ResampledTTest:
    r"""t-test for scores from splits of one data set, corrected for their overlap.

    The training parts of J splits share items, so their scores vary together and
    the plain variance of the mean is too small. Nadeau and Bengio [1]_ replace
    :math:`s^2 / J` by :math:`s^2 (1 / J + n_{test} / n_{train})`.

    Parameters
    ----------
    a, b : array-like of shape (J,)
        Scores of two learners, split by split (all folds of all repeats of a
        repeated cross-validation in a row [2]_). A split that lacks one (NaN) is
        left out and counted.
    test_train_ratio : float
        Items of the test part per item of the training part: 1 / (k - 1) for
        k-fold cross-validation, 1 / 3 for a split of 75 to 25 %.
    confidence : float, default=0.95

    Returns
    -------
    ResampledTTest
        Differences that are all the same give p-value 1 if they are 0, else 0.

    Warnings
    --------
    The correction is a rule of thumb, not a theorem: no unbiased estimate of this
    variance exists. It speaks about one data set.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio (2003). Inference for the generalization error.
       Machine Learning 52(3).
    .. [2] R. R. Bouckaert, E. Frank (2004). Evaluating the replicability of
       significance tests for comparing learning algorithms. PAKDD.

    Examples
    --------
    >>> a = [0.81, 0.84, 0.79, 0.85, 0.82]
    >>> b = [0.78, 0.80, 0.79, 0.82, 0.79]
    >>> result = corrected_resampled_t_test(a, b, test_train_ratio=1 / 4)
    >>> round(result.difference, 3), round(result.p_value, 3)
    (0.026, 0.063)
    """
    level = check_share("confidence", confidence)
    try:
        ratio = float(test_train_ratio)
    except (TypeError, ValueError):
        ratio = np.nan
    if not 0 < ratio < np.inf:
        raise InvalidInput(
            f"test_train_ratio is {test_train_ratio!r}; pass the test items per "
            "training item, such as 1 / 9 for ten folds"
        )
    differences, missing = check_pairs(a, b)
    folds = len(differences)
    mean, sd = moments(differences)
    if folds < 2:
        blank = (np.nan,) * 5
        return ResampledTTest(mean, *blank, folds, missing, level)
    se = sd * np.sqrt(1 / folds + ratio)
    if sd == 0:
        statistic = float(np.copysign(np.inf, mean)) if mean else 0.0
    else:
        statistic = float(mean / se)
    half = float(student.ppf((1 + level) / 2, folds - 1)) * se
    return ResampledTTest(
        difference=mean,
        low=float(mean - half),
        high=float(mean + half),
        statistic=statistic,
        df=float(folds - 1),
        p_value=float(2 * student.sf(abs(statistic), folds - 1)),
        n_folds=folds,
        missing=missing,
        confidence=level,
    )
