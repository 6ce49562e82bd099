"""Bag forward correction: learn to predict the bag, read off the class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp

from caveat.bags._params import check_number, check_whole
from caveat.bags.learners._problem import BagProblem
from caveat.bags.learners._softmax import SoftmaxClassifier
from caveat.bags.solvers._design import Design
from caveat.bags.solvers._kernels import two_class_evidence

Floats = NDArray[np.float64]


class BagForwardCorrection(SoftmaxClassifier):
    """Linear classifier that is trained, through a transition matrix, to guess the bag.

    If a class looks the same in every bag, an item's bag depends on its label only:
    ``Pr(bag l | x) = sum_c Pr(bag l | c) Pr(c | x)``. The first factor follows from
    sizes and proportions; so the likelihood of the bags, which are known, teaches the
    classes, which are not.

    Parameters
    ----------
    lam : float, default=1
        Strength of the penalty ``lam/2 |w|^2``; the intercept goes free.
    max_iter : int, default=300
        Most iterations of L-BFGS.

    Attributes
    ----------
    classes_ : ndarray
    coef_, intercept_ : ndarray
        One row for two classes, else a row per class.
    objective_ : float
        Negative log-likelihood plus penalty.
    n_iter_ : int

    Warnings
    --------
    Exact under the Simple variant only: where bags differ in their items beyond their
    labels, differences between bags are taken for differences between classes.
    With (nearly) equal proportions in all bags there is nothing to learn from.
    The objective is not convex; it starts at the global class shares.

    References
    ----------
    .. [1] C. Scott, J. Zhang (2020). Learning from label proportions: a mutual
       contamination framework. NeurIPS 33.
    .. [2] J. Zhang, Y. Wang, C. Scott (2022). Learning from label proportions by
       learning with label noise. NeurIPS 35.

    Examples
    --------
    >>> from caveat.bags import BagForwardCorrection
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = BagForwardCorrection()
    >>> model.fit(X, bags=[0, 0, 0, 1, 1, 1], proportions=[0.3, 0.7]).predict(X)
    array([0, 0, 1, 0, 1, 1])
    """

    def __init__(self, lam: float = 1.0, *, max_iter: int = 300) -> None:
        self.lam = lam
        self.max_iter = max_iter

    def _fit(self, problem: BagProblem) -> None:
        check_number("lam", self.lam, least=0)
        check_whole("max_iter", self.max_iter, least=1)
        items = problem.items.with_constant()
        n_classes = problem.shares.shape[1]
        rows = 1 if n_classes == 2 else n_classes
        start = np.zeros((rows, items.shape[1]))
        start[:, -1] = _starting_scores(problem.global_shares)
        log_bags = log_transitions(problem)
        objective = _Objective(items, log_bags[problem.bags], float(self.lam), rows)
        end = minimize(
            objective,
            start.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": self.max_iter,
                "ftol": 1e-13,
                "gtol": 1e-10 * problem.n_items,
            },
        )
        vectors = end.x.reshape(rows, -1)
        self.coef_, self.intercept_ = vectors[:, :-1], vectors[:, -1]
        self.objective_, self.n_iter_ = float(end.fun), int(end.nit)


class _Objective:
    """Negative log-likelihood of the bags and its gradient."""

    def __init__(
        self, items: Design, log_transition: Floats, lam: float, rows: int
    ) -> None:
        self.items = items
        self.log_transition = log_transition
        self.transition = np.exp(log_transition)
        self.lam = lam
        self.rows = rows

    def __call__(self, point: Floats) -> tuple[float, Floats]:
        vectors = point.reshape(self.rows, -1)
        scores = self.items.scores(vectors.T)
        loss, slopes = self._two(scores) if self.rows == 1 else self._more(scores)
        penalised = vectors.copy()
        penalised[:, -1] = 0.0
        value = loss + 0.5 * self.lam * float(
            np.einsum("ij,ij->", penalised, penalised)
        )
        gradient = self.items.weighted_sum(slopes).T
        return value, (gradient + self.lam * penalised).ravel()

    def _two(self, scores: Floats) -> tuple[float, Floats]:
        first, second = self.transition.T
        loss, slopes = two_class_evidence(scores[:, 0], first, second)
        return loss, slopes[:, None]

    def _more(self, scores: Floats) -> tuple[float, Floats]:
        log_h = log_softmax(scores, axis=1)
        joint = self.log_transition + log_h
        evidence = logsumexp(joint, axis=1)
        # d(-log sum_c T_c h_c) / d score_c = h_c - posterior_c
        return -float(evidence.sum()), np.exp(log_h) - np.exp(joint - evidence[:, None])


def log_transitions(problem: BagProblem) -> Floats:
    """``log Pr(bag l | class c) = log(s_l p_lc / (N pi_c))``, shape (bags, classes).

    Every column sums to 1. A class of which no bag has any gets no bag at all.
    """
    counts = problem.sizes[:, None] * problem.shares
    totals = counts.sum(axis=0)
    with np.errstate(divide="ignore"):
        return np.log(counts / np.where(totals > 0, totals, 1.0))


def _starting_scores(shares: Floats) -> Floats:
    logs = np.log(np.clip(shares, 1e-6, None))
    return logs[1:] - logs[0] if len(shares) == 2 else logs - logs.mean()
