"""Inverse calibration: regress the bags' log-odds on their means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVR

from caveat.bags._params import check_number, check_whole
from caveat.bags.learners._base import OneVersusRest
from caveat.bags.learners._problem import BagProblem


class InverseCalibration(OneVersusRest):
    """Support vector regression of the bags' log-odds on the bags' means.

    A calibrated linear classifier says ``1 / (1 + e^-(w.x + c))``. So a bag whose mean
    item scores f should have about that share of positives; turned around, the bag's
    share says what its mean should score.

    Parameters
    ----------
    C : float, default=1
        Price of missing a bag's log-odds by more than `epsilon`.
    epsilon : float, default=0.1
        Error in a bag's log-odds that costs nothing.
    max_iter : int, default=-1
        Most iterations of the solver; -1 is no limit.
    multiclass : {"ovr", "error"}, default="ovr"
        What to do with more than two classes: each against the rest, or refuse.

    Attributes
    ----------
    classes_ : ndarray
    coef_, intercept_ : ndarray
        A row per class, or one row for two classes.
    n_iter_ : int

    Warnings
    --------
    Every bag is one data point: with few bags there is little to learn from, and bags
    with like means but unlike proportions confuse it.
    The mean of a bag's scores is not the score of its mean through a sigmoid, so
    probabilities of items are too timid. For a curved boundary give it features
    that approximate a kernel; a bag's mean of them is its mean kernel.

    References
    ----------
    .. [1] S. Rueping (2010). SVM classifier estimation from group probabilities.
       ICML 27.

    Examples
    --------
    >>> from caveat.bags import InverseCalibration
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = InverseCalibration(C=10)
    >>> model.fit(X, bags=[0, 0, 0, 1, 1, 1], proportions=[0.3, 0.7]).predict([[2.0]])
    array([1])
    """

    def __init__(
        self,
        C: float = 1.0,
        epsilon: float = 0.1,
        *,
        max_iter: int = -1,
        multiclass: str = "ovr",
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.multiclass = multiclass

    def _fit(self, problem: BagProblem) -> None:
        check_number("C", self.C, above=0)
        check_number("epsilon", self.epsilon, least=0)
        check_whole("max_iter", self.max_iter, least=-1)
        labels = self._positive_classes(problem)
        singles = problem.sizes.max() == 1
        means = problem.X if singles else problem.means
        rows = problem.bags if singles else problem.present
        sizes = problem.sizes[rows]
        fits = []
        for label in labels:
            target = smoothed_log_odds(problem.shares[rows, label], sizes)
            regression = SVR(
                kernel="linear", C=self.C, epsilon=self.epsilon, max_iter=self.max_iter
            )
            # Without a seed it would draw one from numpy's global generator, although
            # the solver makes no use of it; the constructor does not take one.
            regression.random_state = 0
            fits.append(regression.fit(means, target))
        self.coef_ = np.vstack([_dense(fit.coef_) for fit in fits])
        self.intercept_ = np.array([float(fit.intercept_[0]) for fit in fits])
        self.n_iter_ = int(max(np.max(fit.n_iter_) for fit in fits))


def smoothed_log_odds(p: NDArray, sizes: NDArray) -> NDArray[np.float64]:
    """Log-odds of a share among `sizes` items, with half an item added to each side.

    So that pure bags, and bags of one item (plus or minus log 3), stay finite.
    """
    return np.log((sizes * p + 0.5) / (sizes * (1.0 - p) + 0.5))


def _dense(row: object) -> NDArray[np.float64]:
    return row.toarray() if hasattr(row, "toarray") else np.asarray(row)
