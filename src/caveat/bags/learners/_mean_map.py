"""The mean map: class means from bag means, then a linear classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.bags.learners._mean_operator import MeanOperatorClassifier
from caveat.bags.learners._problem import SAME_SHARE, BagProblem

Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class MeanMap(MeanOperatorClassifier):
    """Linear classifier from class means that explain the bags' means.

    If items of a class look alike in every bag, a bag's mean is a mixture of the two
    class means: ``mu_l = p_l v+ + (1 - p_l) v-``. Least squares over the bags gives the
    class means, they give the mean operator ``m = q v+ - (1 - q) v-``, and that
    is all the logistic loss needs to know of the labels.

    Parameters
    ----------
    lam : float, default=1
        Strength of the penalty ``lam/2 |w|^2``; 0 is the limit of a vanishing one.
    weighting : {"size", "equal"}, default="size"
        What every bag counts for in q, the share of positives: its items, or the same.
    bag_weights : {"equal", "size"}, default="equal"
        What every bag counts for in the least-squares fit.
    fit_intercept : bool or "auto", default="auto"
        Add a constant feature, penalised like the others. "auto" adds it unless the
        columns already hold one, as one-hot columns do on any scale.
    max_iter : int, default=100
        A fifth of the most Newton steps.
    multiclass : {"ovr", "error"}, default="ovr"
        What to do with more than two classes: each against the rest, or refuse.

    Attributes
    ----------
    classes_ : ndarray
    coef_, intercept_ : ndarray
        A row per class, or one row for two classes.
    mean_operator_ : ndarray
        The estimate of ``E[y x]``, a row as in `coef_`.
    mean_operator_feasible_ : bool
        False when no labels at all can have this mean operator.
    objective_ : ndarray
        F at the solution.
    n_iter_ : int

    Warnings
    --------
    Assumes that a class looks the same in every bag (the Simple variant). Where bags
    differ in their items for other reasons, the class means are wrong. If all bags have
    nearly the same proportions the class means are noise divided by almost nothing;
    `mean_operator_feasible_` is then often False.

    References
    ----------
    .. [1] N. Quadrianto, A. Smola, T. Caetano, Q. Le (2009). Estimating labels from
       label proportions. JMLR 10.
    .. [2] G. Patrini, R. Nock, P. Rivera, T. Caetano (2014). (Almost) no label no
       cry. NeurIPS 27.

    Examples
    --------
    >>> from caveat.bags import MeanMap
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = MeanMap().fit(X, bags=[0, 0, 0, 1, 1, 1], proportions=[0.3, 0.7])
    >>> model.predict([[-2.0], [2.0]])
    array([0, 1])
    """

    def _bag_coefficients(self, problem: BagProblem, label: int) -> Floats:
        return mean_map_coefficients(problem, label, self)


def mean_map_coefficients(problem: BagProblem, label: int, model: Any) -> Floats:
    """Coefficients of the bag means in the mean operator ``m = q v+ - (1 - q) v-``."""
    p, sizes = positive_shares(problem, label)
    q = positive_rate(p, sizes, model.weighting)
    weights = sizes if model.bag_weights == "size" else np.ones(len(p))
    return mixture_coefficients(p, weights, np.array([q, q - 1.0]))


def positive_shares(problem: BagProblem, label: int) -> tuple[Floats, Floats]:
    """Share of one class, and number of items, of every bag that has items."""
    present = problem.present
    return problem.shares[present, label], problem.sizes[present].astype(np.float64)


def positive_rate(p: Floats, sizes: Floats, weighting: str) -> float:
    """q, the share of positives: of all items, or the mean over bags."""
    return float(np.average(p, weights=sizes if weighting == "size" else None))


def mixture_coefficients(p: Floats, weights: Floats, target: Floats) -> Floats:
    """Coefficients of the bag means in ``target[0] v+ + target[1] v-``.

    ``V = (Pi'D Pi)^-1 Pi'D Mu`` is linear in the bag means, so such a sum is one of
    them.
    """
    mixture = np.column_stack([p, 1.0 - p])
    normal = mixture.T @ (weights[:, None] * mixture)
    if np.ptp(p) <= SAME_SHARE:
        return weights * (mixture @ (np.linalg.pinv(normal) @ target))
    return weights * (mixture @ np.linalg.solve(normal, target))
