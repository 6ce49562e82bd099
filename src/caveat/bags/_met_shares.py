"""Probabilities that meet the known shares of their groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

Floats = NDArray[np.float64]
_LEAST = 1e-9


def met_shares(proba: Floats, groups: NDArray, shares: Floats) -> Floats:
    """Shift every group's probabilities until their means are the known shares.

    A constant per class more or less in the logarithms of a group: just what the group
    adds if it depends on the label alone (Simple), and nothing if it depends on the
    items alone (Intermediate) and the probabilities are right. A share of 0 or 1
    decides a whole group.
    """
    logs = np.log(np.clip(proba, _LEAST, 1.0))
    result = np.full_like(proba, _LEAST)
    for group, share in enumerate(shares):
        rows = np.flatnonzero(groups == group)
        if not len(rows):
            continue
        there = np.flatnonzero(share > _LEAST)
        target = share[there] / share[there].sum()
        result[np.ix_(rows, there)] = _shifted(logs[np.ix_(rows, there)], target)
    return result / result.sum(axis=1, keepdims=True)


def _shifted(logs: Floats, share: Floats) -> Floats:
    """Add to the columns what makes the means of their softmax the shares.

    That is where a convex function is smallest: the mean of logsumexp(logs + shift)
    less share @ shift, whose gradient is what the means have too much.
    """
    n = len(logs)

    def value(shift: Floats) -> float:
        return float(logsumexp(logs + shift, axis=1).mean() - share @ shift)

    def slope(shift: Floats) -> Floats:
        return softmax(logs + shift, axis=1).mean(axis=0) - share

    def curve(shift: Floats) -> Floats:
        p = softmax(logs + shift, axis=1)
        return np.diag(p.mean(axis=0)) - p.T @ p / n

    begin = np.log(share) - np.log(softmax(logs, axis=1).mean(axis=0))
    found = minimize(
        value, begin, jac=slope, hess=curve, method="trust-exact",
        options={"gtol": 1e-7},
    )  # fmt: skip
    return softmax(logs + found.x, axis=1)
