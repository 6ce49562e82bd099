"""The Laplacian mean map: every bag has class means of its own, alike in like bags."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_random_state

from caveat.bags._params import check_choice, check_number, check_whole
from caveat.bags.learners._mean_map import (
    mean_map_coefficients,
    positive_rate,
    positive_shares,
)
from caveat.bags.learners._mean_operator import MeanOperatorClassifier
from caveat.bags.learners._problem import SAME_SHARE, BagProblem

Floats = NDArray[np.float64]

SIMILARITIES = ("G,s", "G", "NC")


@dataclass(eq=False, repr=False)
class LaplacianMeanMap(MeanOperatorClassifier):
    """Mean map whose class means may differ from bag to bag, but smoothly.

    Every bag has its own two class means. They must explain the bag's mean, and bags
    whose means are close must have close class means: a graph Laplacian over
    the bags, weighted by `gamma`, settles what the proportions leave open.

    Parameters
    ----------
    lam : float, default=1
        Strength of the penalty ``lam/2 |w|^2``.
    gamma : float, default=1
        Strength of the smoothness over bags, above 0.
    sigma : float, default=1
        Width of the similarity ``exp(-|mu_j - mu_k| / sigma)``.
    similarity : {"G,s", "G", "NC"}, default="G,s"
        How alike two bags are: Gaussian with width `sigma`, with width 1, or
        normalised cut over pairs of items.
    eps : float, default=0
        Added to the diagonal of the Laplacian.
    max_pair_items : int, default=500
        Items of a bag that ``NC`` looks at; a random sample if it has more.
    random_state : int, RandomState or None, default=None
        For that sample only.
    weighting, bag_weights, fit_intercept, max_iter, multiclass
        As in `MeanMap`; `weighting` also says what a bag's class means count
        for in the mean operator.

    Attributes
    ----------
    classes_, coef_, intercept_, mean_operator_, mean_operator_feasible_
        As in `MeanMap`.
    objective_, n_iter_
        As in `MeanMap`.

    Warnings
    --------
    Trusts that similar bags have similar class means. Costs memory of
    four numbers per pair of bags and time with the cube of their number: meant
    for up to a few thousand bags.
    With equal proportions in all bags the classes cannot be told apart; it warns.

    References
    ----------
    .. [1] G. Patrini, R. Nock, P. Rivera, T. Caetano (2014). (Almost) no label no
       cry. NeurIPS 27.

    Examples
    --------
    >>> from caveat.bags import LaplacianMeanMap
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = LaplacianMeanMap(gamma=0.1)
    >>> model.fit(X, bags=[0, 0, 0, 1, 1, 1], proportions=[0.3, 0.7]).predict([[2.0]])
    array([1])
    """

    gamma: float = 1.0
    sigma: float = 1.0
    _: KW_ONLY
    similarity: str = "G,s"
    eps: float = 0.0
    max_pair_items: int = 500
    random_state: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("gamma", self.gamma, above=0)
        check_number("sigma", self.sigma, above=0)
        check_number("eps", self.eps, least=0)
        check_choice("similarity", self.similarity, SIMILARITIES)
        check_whole("max_pair_items", self.max_pair_items, least=2)

    def _bag_coefficients(self, problem: BagProblem, label: int) -> Floats:
        p, sizes = positive_shares(problem, label)
        weights = sizes if self.bag_weights == "size" else np.ones(len(p))
        counts = sizes if self.weighting == "size" else np.ones(len(p))
        pure = bool(np.all((p == 0.0) | (p == 1.0)))
        alike = np.ptp(counts) == 0 and np.ptp(weights) == 0 and self.eps == 0
        if len(p) == 1 or (pure and alike):
            # One bag has no neighbour. In pure bags that count alike the Laplacian
            # drops out: summed over bags, its columns are zero.
            return mean_map_coefficients(problem, label, self)
        q = positive_rate(p, sizes, self.weighting)
        positives, negatives = counts * p, counts * (1.0 - p)
        target = np.concatenate(
            [q * _weights(positives), (q - 1.0) * _weights(negatives)]
        )
        system = self._system(problem, p, weights)
        solution = self._solution(system, target, p)
        return weights * (p * solution[: len(p)] + (1.0 - p) * solution[len(p) :])

    def _system(self, problem: BagProblem, p: Floats, weights: Floats) -> Floats:
        """``Pi' D Pi + gamma Lap`` with ``Pi = [diag(p), diag(1 - p)]``."""
        alike = self._similarities(problem)
        laplacian = np.diag(alike.sum(axis=1) + self.eps) - alike
        n = len(p)
        system = np.zeros((2 * n, 2 * n))
        system[:n, :n] = np.diag(weights * p * p) + self.gamma * laplacian
        system[n:, n:] = np.diag(weights * (1.0 - p) ** 2) + self.gamma * laplacian
        mixed = np.diag(weights * p * (1.0 - p))
        system[:n, n:] = mixed
        system[n:, :n] = mixed
        return system

    def _similarities(self, problem: BagProblem) -> Floats:
        if self.similarity == "NC":
            alike = normalised_cut(problem, self.max_pair_items, self.random_state)
        else:
            width = self.sigma if self.similarity == "G,s" else 1.0
            alike = np.exp(-problem.distances / width)
        np.fill_diagonal(alike, 0.0)
        return alike

    def _solution(self, system: Floats, target: Floats, p: Floats) -> Floats:
        if np.ptp(p) > SAME_SHARE:
            try:
                return cho_solve(cho_factor(system), target)
            except LinAlgError:
                warnings.warn(
                    "the bags fall into parts that are not alike at all; "
                    f"{type(self).__name__} cannot identify the classes: bags need a "
                    "larger sigma",
                    stacklevel=2,
                )
        return np.linalg.pinv(system, hermitian=True) @ target


def _weights(counts: Floats) -> Floats:
    """Shares of a total; all 0 when there is nothing to share."""
    total = counts.sum()
    return counts / total if total > 0 else counts


def normalised_cut(problem: BagProblem, most_items: int, random_state: Any) -> Floats:
    """``1/(1 + a(j,k)/a(j,j)) + 1/(1 + a(j,k)/a(k,k))``, a = sum of item distances."""
    rng = check_random_state(random_state)
    rows, sizes = [], []
    for bag in problem.present:
        members = problem.members[bag]
        if len(members) > most_items:
            members = np.sort(rng.choice(members, most_items, replace=False))
        rows.append(members)
        sizes.append(problem.sizes[bag])
    n = len(rows)
    association = np.empty((n, n))
    for j in range(n):
        for k in range(j, n):
            gaps = pairwise_distances(problem.X[rows[j]], problem.X[rows[k]])
            association[j, k] = association[k, j] = gaps.mean() * sizes[j] * sizes[k]
    own = np.diag(association)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(association > 0, 1.0 / (1.0 + association / own[:, None]), 1.0)
    return share + share.T
