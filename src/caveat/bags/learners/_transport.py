"""Transported labels: pseudo-labels that meet every bag's share exactly."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import torch
from torch import Tensor, nn

from caveat.bags._params import check_number, check_whole
from caveat.bags.learners._network import BagLoss
from caveat.bags.learners._network_steps import BagNetworkClassifier
from caveat.bags.learners._problem import BagProblem


@dataclass(eq=False, repr=False)
class TransportLLP(BagNetworkClassifier):
    """Perceptron trained on labels that are shared out within every bag.

    In every step the network's own probabilities are moved, by entropic optimal
    transport, to soft labels whose mean in a bag is the bag's share; they are then
    learnt by cross-entropy. Items that the network is sure of keep their class.

    Parameters
    ----------
    learning_rate : float, default=1e-3
    regularisation : float, default=0.2
        Strength of the entropy: small makes labels hard, 1 keeps the network's odds.
    n_iter : int, default=50
        Rounds of Sinkhorn's scaling.
    hidden, bag_batch, n_steps, epochs, early_stopping, validation_fraction, patience,\
 device, network, random_state
        As in `DLLPClassifier`.

    Attributes
    ----------
    classes_, network_, losses_, n_steps_
        As in `DLLPClassifier`.

    Warnings
    --------
    It believes itself: what the first steps get wrong is confirmed later. In a random
    part of a bag the share is that of the whole only on average.

    References
    ----------
    .. [1] J. Liu, B. Wang, X. Shen, Z. Qi, Y. Tian (2021). Two-stage training for
       learning from label proportions. IJCAI.

    Examples
    --------
    >>> from caveat.bags import TransportLLP
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = TransportLLP(learning_rate=0.01, n_steps=200, random_state=0)
    >>> model.fit(X, bags=[0, 0, 1, 1, 2, 2], proportions=[0, 0.5, 1]).predict([[2.0]])
    array([1])
    """

    _: KW_ONLY
    regularisation: float = 0.2
    n_iter: int = 50

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("regularisation", self.regularisation, above=0)
        check_whole("n_iter", self.n_iter, least=1)

    def _objective(self, problem: BagProblem) -> BagLoss:
        loss = TransportLoss(problem.shares)
        loss.regularisation, loss.n_iter = self.regularisation, self.n_iter
        return loss


class TransportLoss(BagLoss):
    """Cross-entropy with the transported labels of the network's own output."""

    regularisation = 0.2
    n_iter = 50

    def value(self, network: nn.Module, x: Tensor, bags: Tensor) -> Tensor:
        """Compute the loss of some items."""
        log_h = torch.log_softmax(network(x), dim=1)
        labels = transported(
            log_h.detach(), bags, self.shares, self.regularisation, self.n_iter
        )
        return -(labels * log_h).sum(dim=1).mean()


def transported(
    log_h: Tensor,
    bags: Tensor,
    shares: Tensor,
    regularisation: float = 0.2,
    n_iter: int = 50,
) -> Tensor:
    """Soft labels nearest to the network's odds whose bag means are the shares.

    Sinkhorn's scaling for all bags of a batch at once: rows sum to 1, and in every bag
    columns sum to its size times its share. A class that a bag does not hold gets
    nothing.

    Parameters
    ----------
    log_h : tensor of shape (items, classes)
    bags : tensor of shape (items,)
    shares : tensor of shape (bags, classes)
    regularisation : float
    n_iter : int

    Returns
    -------
    tensor of shape (items, classes)
    """
    present, place = torch.unique(bags, return_inverse=True)
    sizes = torch.bincount(place, minlength=len(present)).to(log_h.dtype)
    wanted = torch.log((sizes[:, None] * shares[present].to(log_h.dtype)).clamp(1e-13))
    kernel = log_h / regularisation
    columns = torch.zeros_like(wanted)
    index = place[:, None].expand_as(log_h)
    for _ in range(n_iter):
        rows = torch.logsumexp(kernel + columns[place], dim=1, keepdim=True)
        part = kernel - rows
        top = torch.full_like(wanted, -torch.inf)
        top = top.scatter_reduce(0, index, part, "amax")
        sums = torch.zeros_like(wanted).scatter_add(
            0, index, torch.exp(part - top[place])
        )
        columns = wanted - torch.log(sums) - top
    return torch.softmax(kernel + columns[place], dim=1)
