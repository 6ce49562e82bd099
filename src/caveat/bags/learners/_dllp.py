"""DLLP: a network whose mean output over a bag meets the bag's proportions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy
from torch import Tensor

from caveat.bags.learners._network import BagLoss
from caveat.bags.learners._network_steps import BagNetworkClassifier
from caveat.bags.learners._perceptron import share_loss
from caveat.bags.learners._problem import BagProblem
from caveat.bags.losses import proportion_kl


@dataclass(eq=False, repr=False)
class DLLPClassifier(BagNetworkClassifier):
    """Perceptron trained so that its mean output over a bag is the bag's proportions.

    One step per bag (small bags together, large ones in part): the loss is the
    Kullback-Leibler divergence of the mean softmax output from the known shares.

    Parameters
    ----------
    learning_rate : float, default=1e-3
        Of Adam.
    hidden : sequence of int, default=(100, 100)
        Widths of the hidden layers.
    bag_batch : int or None, default=512
        Items in a step: a random part of a larger bag, several smaller bags. None
        takes every bag whole and alone.
    n_steps : int, default=2000
        Updates, unless `epochs` is given.
    epochs : int or None, default=None
        Passes over all bags.
    early_stopping : bool, default=False
        Hold out a part of every bag, and keep the weights at which its loss was
        smallest.
    validation_fraction : float, default=0.2
        That part.
    patience : int, default=5
        Checkpoints (a twentieth of the steps each) without a smaller loss before
        it stops.
    device : str, default="cpu"
    random_state : int, RandomState or None, default=None
        Seeds weights and batches.

    Attributes
    ----------
    classes_ : ndarray
    network_ : torch.nn.Sequential
    losses_ : list of float
        Loss of every step.
    n_steps_ : int

    Warnings
    --------
    Meeting every bag's share says little about items when bags are few and large: many
    networks do. Scale the features; it does not.

    References
    ----------
    .. [1] E. M. Ardehaly, A. Culotta (2017). Co-training for demographic classification
       using deep learning from label proportions. ICDM workshops.

    Examples
    --------
    >>> from caveat.bags import DLLPClassifier
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = DLLPClassifier(learning_rate=0.01, n_steps=200, random_state=0)
    >>> model.fit(X, bags=[0, 0, 0, 1, 1, 1], proportions=[0.3, 0.7]).predict([[2.0]])
    array([1])
    """

    def _objective(self, problem: BagProblem) -> BagLoss:
        return KLLoss(problem.shares)


class KLLoss(BagLoss):
    """Mean over the batch's bags of ``KL(p || mean softmax output)``."""

    by_logits = True

    def of(self, logits: Tensor, bags: Tensor) -> Tensor:
        """Compute the loss of what a network said of some items."""
        return proportion_kl(logits, bags, self.shares)

    def slopes(
        self,
        log_h: NDArray,
        h: NDArray,
        present: NDArray,
        place: NDArray,
        slope: NDArray,
    ) -> float:
        """Compute the same loss, and write its derivative by the logits down."""
        known = self.shares.numpy()[present]
        entropy = -float(xlogy(known, known).sum(axis=1).mean())
        return share_loss(log_h, h, place, known, -np.inf, slope) - entropy
