"""What columns do if they alone decide why rows are in their group.

Then the label of an item is drawn from its columns, whatever its group (Intermediate).
With log-odds that are linear in the columns, the positives of a group have the mean
sum of p and the variance sum of p(1 - p) over its items: a regression of the shares on
*all* columns at once. A line through the shares and one column is not: what the other
columns do would be put down to that one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Floats = NDArray[np.float64]
_SLOPE_SD = 1.5
_LEVEL_SD = 10.0
_LEAST_VARIANCE = 0.25
_STEPS, _HALVINGS = 100, 20
_STILL = 1e-6
_NORMAL = 1.959964


class ItemModel:
    """Logistic regression of items, fitted to the shares of their groups.

    Parameters
    ----------
    items : ndarray of shape (n_items, n_columns)
    groups : ndarray of shape (n_items,)
    shares : ndarray of shape (n_groups,)
        Share of one class.
    margins : ndarray of shape (n_groups,), optional
        Half widths of the shares' 95 % intervals.

    Attributes
    ----------
    proba : ndarray of shape (n_items,)

    Warnings
    --------
    A few groups cannot tell many columns apart. What they leave open is filled by a
    prior: a standard deviation of a column changes the log-odds by 0, give or take 1.5.
    Standard errors hold that, too. The form is an assumption: no share can tell
    whether log-odds are linear.
    """

    def __init__(
        self,
        items: Floats,
        groups: NDArray,
        shares: Floats,
        margins: Floats | None = None,
    ) -> None:
        spread = items.std(axis=0)
        told = spread > 0
        columns = (items[:, told] - items[:, told].mean(axis=0)) / spread[told]
        self._design = np.column_stack([np.ones(len(items)), columns])
        self._groups = groups
        prior = np.full(self._design.shape[1], _SLOPE_SD**-2)
        prior[0] = _LEVEL_SD**-2
        sizes = np.bincount(groups, minlength=len(shares))
        half = np.zeros(len(shares)) if margins is None else np.asarray(margins)
        self._told_variance = (half / _NORMAL * sizes) ** 2
        self._fit(shares * sizes, prior)

    def _fit(self, positives: Floats, prior: Floats) -> None:
        """Regress by Gauss and Newton, with variances from the step before."""
        n_groups = len(positives)
        beta = np.zeros(len(prior))
        for _ in range(_STEPS):
            p, slopes, variance = self._at(beta, n_groups)
            off = positives - np.bincount(self._groups, p, minlength=n_groups)
            pull = slopes.T @ (off / variance) - prior * beta
            curve = (slopes.T / variance) @ slopes + np.diag(prior)
            step = np.linalg.solve(curve, pull)
            before = off @ (off / variance) + prior @ beta**2
            for _ in range(_HALVINGS):
                q = expit(self._design @ (beta + step))
                gap = positives - np.bincount(self._groups, q, minlength=n_groups)
                if gap @ (gap / variance) + prior @ (beta + step) ** 2 <= before:
                    break
                step = step / 2
            beta = beta + step
            if np.abs(step).max() < _STILL:
                break
        self.proba, slopes, variance = self._at(beta, n_groups)
        self._curve = (slopes.T / variance) @ slopes + np.diag(prior)

    def _at(self, beta: Floats, n_groups: int) -> tuple[Floats, Floats, Floats]:
        """Give probabilities, slopes and variances of the groups' positives."""
        p = expit(self._design @ beta)
        weight = p * (1 - p)
        slopes = np.zeros((n_groups, len(beta)))
        for place in range(len(beta)):
            slopes[:, place] = np.bincount(
                self._groups, weight * self._design[:, place], minlength=n_groups
            )
        variance = np.bincount(self._groups, weight, minlength=n_groups)
        return p, slopes, np.maximum(variance, _LEAST_VARIANCE) + self._told_variance

    def effect(self, exposed: NDArray[np.bool_]) -> tuple[float, float]:
        """Give the difference between exposed items and others, and its error.

        The error is that of the slopes, and of the labels that were drawn from them.
        """
        sign = np.where(exposed, 1 / exposed.sum(), -1 / (~exposed).sum())
        weight = self.proba * (1 - self.proba)
        slope = self._design.T @ (sign * weight)
        of_slopes = slope @ np.linalg.solve(self._curve, slope)
        return float(sign @ self.proba), float(np.sqrt(of_slopes + sign**2 @ weight))
