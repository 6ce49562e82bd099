"""EasyLLP: an unbiased estimate of the item loss, from bag labels."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caveat.bags._params import check_number
from caveat.bags.learners._network import BagLoss
from caveat.bags.learners._network_steps import BagNetworkClassifier
from caveat.bags.learners._perceptron import item_loss
from caveat.bags.learners._problem import BagProblem


@dataclass(eq=False, repr=False)
class EasyLLP(BagNetworkClassifier):
    """Perceptron on an estimate of every item's loss that is right on average.

    In random bags of size k, the label of an item is on average that of all items plus
    k times what its bag has more of: the loss for class c gets the coefficient ``k (a_c
    - p_c) + p_c`` with the bag's share a and the global share p.

    Parameters
    ----------
    learning_rate : float, default=1e-3
    c_max : float or None, default=None
        Largest coefficient, either sign; None is no limit.
    hidden, bag_batch, n_steps, epochs, early_stopping, validation_fraction, patience,\
 device, random_state
        As in `DLLPClassifier`.

    Attributes
    ----------
    classes_, network_, losses_, n_steps_
        As in `DLLPClassifier`.

    Warnings
    --------
    Unbiased for random bags (the Naive variant) only. The spread of the coefficients
    grows with the size of bags; with thousands of items in a bag they are noise.
    Negative coefficients make the loss unbounded below: watch `losses_`, or set
    `c_max`.

    References
    ----------
    .. [1] R. Busa-Fekete, H. Choi, T. Dick, C. Gentile, A. Munoz Medina (2023). Easy
       learning from label proportions. NeurIPS 36.

    Examples
    --------
    >>> from caveat.bags import EasyLLP
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = EasyLLP(learning_rate=0.01, n_steps=100, random_state=0)
    >>> model.fit(X, bags=[0, 0, 1, 1, 2, 2], proportions=[0, 0.5, 1]).predict([[2.0]])
    array([1])
    """

    _: KW_ONLY
    c_max: float | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.c_max is not None:
            check_number("c_max", self.c_max, above=0)

    def _objective(self, problem: BagProblem) -> BagLoss:
        return WeightedItemLoss(easy_coefficients(problem, self.c_max))


class WeightedItemLoss(BagLoss):
    """``- sum_c w_c log h_c(x)`` with the coefficients of the item's bag."""

    by_logits = True

    def of(self, logits: Tensor, bags: Tensor) -> Tensor:
        """Compute the loss of what a network said of some items."""
        log_h = torch.log_softmax(logits, dim=1)
        return -(self.shares[bags] * log_h).sum(dim=1).mean()

    def slopes(
        self,
        log_h: NDArray,
        h: NDArray,
        present: NDArray,
        place: NDArray,
        slope: NDArray,
    ) -> float:
        """Compute the same loss, and write its derivative by the logits down."""
        return item_loss(log_h, h, place, self.shares.numpy()[present], slope)


def easy_coefficients(problem: BagProblem, c_max: float | None) -> np.ndarray:
    """``k (a_c - p_c) + p_c`` for every bag and class, shape (n_bags, n_classes)."""
    overall = problem.global_shares
    excess = problem.sizes[:, None] * (problem.shares - overall)
    coefficients = excess + overall
    if c_max is None:
        return coefficients
    return np.clip(coefficients, -c_max, c_max)
