"""Bayesian comparison with a region of practical equivalence (ROPE).

How probable is it that one learner is better by more than matters, and that the two
are the same for all practical purposes? A p-value answers neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student

from caveat.exceptions import InvalidInput
from caveat.statistics._checks import check_count, check_pairs
from caveat.statistics.intervals._intervals import moments


@dataclass(frozen=True)
class Practical:
    """Probabilities that add up to 1.

    Attributes
    ----------
    better, same, worse : float
        That a is better than b by more than the ROPE, that they are equal for
        practical purposes, that a is worse. NaN with fewer than two values.
    rope : float
    n : int
        Pairs that it rests on.
    """

    better: float
    same: float
    worse: float
    rope: float
    n: int


def bayesian_correlated_t_test(
    a: ArrayLike, b: ArrayLike, *, test_train_ratio: float, rope: float = 0.01
) -> Practical:
    r"""Compare two learners on splits of one data set.

    The posterior of the mean difference is Student's t with n - 1 degrees of freedom,
    centred on the mean, with variance :math:`s^2 (1/n + n_{test}/n_{train})`.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Scores split by split; larger is better.
    test_train_ratio : float
        Items of the test part per item of the training part.
    rope : float, default=0.01
        Differences no larger than this do not matter.

    Returns
    -------
    Practical

    Warnings
    --------
    The correction for shared training rows is a rule of thumb. It is about this data
    set, not about others.

    References
    ----------
    .. [1] G. Corani, A. Benavoli (2015). A Bayesian approach for comparing
       cross-validated algorithms on multiple data sets. Machine Learning 100.

    Examples
    --------
    >>> a, b = [0.91, 0.92, 0.90, 0.93], [0.85, 0.86, 0.84, 0.88]
    >>> bayesian_correlated_t_test(a, b, test_train_ratio=1 / 3).better > 0.95
    True
    """
    differences, _ = check_pairs(a, b)
    width = _check_rope(rope)
    n = len(differences)
    if n < 2:
        return Practical(np.nan, np.nan, np.nan, width, n)
    mean, sd = moments(differences)
    if sd == 0:
        better, worse = float(mean > width), float(mean < -width)
        return Practical(better, 1 - better - worse, worse, width, n)
    scale = sd * np.sqrt(1 / n + test_train_ratio)
    worse = float(student.cdf((-width - mean) / scale, n - 1))
    better = float(student.sf((width - mean) / scale, n - 1))
    return Practical(better, 1 - better - worse, worse, width, n)


def bayesian_signed_rank_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    rope: float = 0.01,
    n_samples: int = 10_000,
    random_state: int | None = 0,
) -> Practical:
    """Compare two learners over many data sets.

    The differences get random weights from a Dirichlet process whose prior holds one
    difference of 0; each draw counts the weighted pairs whose mean lies left of, in
    and right of the ROPE. The answer is how often each of the three has the most.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Scores, one per data set; larger is better.
    rope : float, default=0.01
    n_samples : int, default=10_000
        Draws from the posterior.
    random_state : int or None, default=0

    Returns
    -------
    Practical

    Warnings
    --------
    With fewer than about eight data sets the prior still speaks. Differences should be
    comparable between data sets.

    References
    ----------
    .. [1] A. Benavoli, F. Mangili, G. Corani, M. Zaffalon, F. Ruggeri (2014). A
       Bayesian Wilcoxon signed-rank test based on the Dirichlet process. ICML.

    Examples
    --------
    >>> found = bayesian_signed_rank_test([0.9] * 9, [0.8] * 9)
    >>> found.better > 0.99
    True
    """
    differences, _ = check_pairs(a, b)
    width = _check_rope(rope)
    draws = check_count("n_samples", n_samples, 1)
    if len(differences) < 2:
        return Practical(np.nan, np.nan, np.nan, width, len(differences))
    values = np.concatenate([[0.0], differences])
    means = (values[:, None] + values[None, :]) / 2
    rng = np.random.default_rng(random_state)
    weights = rng.dirichlet(np.ones(len(values)), draws)
    mass = np.stack(
        [
            np.einsum("di,ij,dj->d", weights, side.astype(float), weights)
            for side in (means > width, np.abs(means) <= width, means < -width)
        ]
    )
    # Draws in which two sides have the same mass are shared out.
    top = mass == mass.max(axis=0)
    better, same, worse = (top / top.sum(axis=0)).mean(axis=1)
    return Practical(float(better), float(same), float(worse), width, len(differences))


def _check_rope(rope: float) -> float:
    width = float(rope)
    if not 0 <= width < np.inf:
        raise InvalidInput(
            f"rope is {rope!r}; pass the difference that does not matter, 0 or more"
        )
    return width
