"""LLP-VAT: bag proportions, and outputs that small changes of an item do not move."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import exp
from typing import Any

from numpy.typing import NDArray
from torch import Tensor, nn

from caveat.bags._params import check_number, check_whole
from caveat.bags.learners._network import Adversary, BagLoss
from caveat.bags.learners._network_steps import BagNetworkClassifier
from caveat.bags.learners._perceptron import share_loss
from caveat.bags.learners._problem import BagProblem
from caveat.bags.losses import LOG_TINY, consistency, proportion_cross_entropy

_RAMP_SHARE = 0.4


@dataclass(eq=False, repr=False)
class LLPVAT(BagNetworkClassifier):
    """DLLP with virtual adversarial training: boundaries stay away from items.

    Besides the bag loss, the output for an item must not change when the item is moved
    a little in the direction that would change it most. The weight of that term rises
    over the first 40 % of the steps.

    Parameters
    ----------
    learning_rate : float, default=1e-3
    alpha : float, default=0.05
        Final weight of the adversarial term; 0 leaves it out.
    eps : float, default=1.0
        How far an item is moved.
    xi : float, default=1.0
        How far the probe goes that finds the direction; 10 for images.
    n_power : int, default=1
        Power iterations for the direction.
    hidden, bag_batch, n_steps, epochs, early_stopping, validation_fraction, patience,\
 device, random_state
        As in `DLLPClassifier`.

    Attributes
    ----------
    classes_, network_, losses_, n_steps_
        As in `DLLPClassifier`.

    Warnings
    --------
    `eps` is a length in the space of the features: scale them. Where classes overlap, a
    boundary that avoids items avoids the right place.

    References
    ----------
    .. [1] K.-H. Tsai, H.-T. Lin (2020). Learning from label proportions with
       consistency regularization. ACML 12.
    .. [2] T. Miyato, S. Maeda, M. Koyama, S. Ishii (2018). Virtual adversarial
    training.
       IEEE TPAMI 41.

    Examples
    --------
    >>> from caveat.bags import LLPVAT
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = LLPVAT(learning_rate=0.01, n_steps=200, random_state=0)
    >>> model.fit(X, bags=[0, 0, 0, 1, 1, 1], proportions=[0.3, 0.7]).predict([[2.0]])
    array([1])
    """

    _: KW_ONLY
    alpha: float = 0.05
    eps: float = 1.0
    xi: float = 1.0
    n_power: int = 1

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("alpha", self.alpha, least=0)
        check_number("eps", self.eps, above=0)
        check_number("xi", self.xi, above=0)
        check_whole("n_power", self.n_power, least=1)

    def _objective(self, problem: BagProblem) -> BagLoss:
        return VATLoss(problem.shares, self.alpha, self.eps, self.xi, self.n_power)


class VATLoss(BagLoss):
    """Cross-entropy of the bags' shares plus the ramped adversarial term."""

    by_logits = True

    def __init__(
        self, shares: Any, alpha: float, eps: float, xi: float, n_power: int
    ) -> None:
        super().__init__(shares)
        self.alpha = alpha
        self.eps = eps
        self.xi = xi
        self.n_power = n_power

    def loss(self, run: Any, batch: Any) -> Tensor:
        """Compute the loss of a batch."""
        loss = self.value(run.module, batch["x"], batch["bag"])
        adversary = self.adversary(run.updates, run.total)
        if adversary is None:
            return loss
        return loss + adversary.weight * self.divergence(run.module, batch["x"])

    @property
    def adversarial(self) -> bool:
        """Whether steps may have an adversarial term."""
        return self.alpha > 0.0

    def adversary(self, step: int, total: int) -> Adversary | None:
        """Describe the adversarial term of a step."""
        weight = self.alpha * ramp(step, _RAMP_SHARE * total)
        if weight == 0.0:
            return None
        return Adversary(weight, self.eps, self.xi, self.n_power)

    def of(self, logits: Tensor, bags: Tensor) -> Tensor:
        """Cross-entropy of the mean output with the known shares."""
        return proportion_cross_entropy(logits, bags, self.shares)

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
        return share_loss(log_h, h, place, known, LOG_TINY, slope)

    def divergence(self, network: nn.Module, x: Tensor) -> Tensor:
        """How far outputs move in the worst directions."""
        return consistency(network, x, eps=self.eps, xi=self.xi, n_power=self.n_power)


def ramp(step: int, length: float) -> float:
    """``exp(-5 (1 - t/T)^2)`` up to T, then 1."""
    if length <= 0:
        return 1.0
    return exp(-5.0 * (1.0 - min(step, length) / length) ** 2)
