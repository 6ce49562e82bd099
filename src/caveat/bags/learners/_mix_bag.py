"""MixBag: DLLP on bags that are mixed from two, within what their shares allow."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from caveat.bags._params import check_number
from caveat.bags.learners._dllp import KLLoss
from caveat.bags.learners._network import BagLoss
from caveat.bags.learners._network_steps import BagNetworkClassifier
from caveat.bags.learners._problem import BagProblem
from caveat.bags.losses import bag_log_means

_NORMAL = 1.96


@dataclass(eq=False, repr=False)
class MixBag(BagNetworkClassifier):
    """Perceptron that meets the shares of bags and of mixtures of two bags.

    A part of one bag and a part of another make a new bag. Its share is not known
    exactly, since only parts were taken, but it lies within a margin: a mean output
    inside of it costs nothing, one outside the divergence from its nearer end.

    Parameters
    ----------
    learning_rate : float, default=1e-3
    mix : float, default=1.0
        Weight of the mixed bags' loss; 0 is `DLLPClassifier`.
    hidden, bag_batch, n_steps, epochs, early_stopping, validation_fraction, patience,\
 device, network, random_state
        As in `DLLPClassifier`.

    Attributes
    ----------
    classes_, network_, losses_, n_steps_
        As in `DLLPClassifier`.

    Warnings
    --------
    Made for many small bags. Of few large bags every part has the share of the whole:
    mixing adds nothing there. A step takes about `bag_batch` items, and mixes the bags
    among them: bags of more than half as many come alone, and this is `DLLPClassifier`.

    With a bag for every item it is the supervised perceptron at ``mix=0`` only. Mixed
    items are known by their mean label, so that the default learns something else.

    References
    ----------
    .. [1] T. Asanomi, S. Matsuo, D. Suehiro, R. Bise (2023). MixBag: bag-level data
       augmentation for learning from label proportions. ICCV.

    Examples
    --------
    >>> from caveat.bags import MixBag
    >>> X = [[-2.0], [-1.0], [1.0], [-1.0], [1.0], [2.0]]
    >>> model = MixBag(learning_rate=0.01, n_steps=200, random_state=0)
    >>> model.fit(X, bags=[0, 0, 0, 1, 1, 1], proportions=[0.3, 0.7]).predict([[2.0]])
    array([1])
    """

    _: KW_ONLY
    mix: float = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("mix", self.mix, least=0)

    def _objective(self, problem: BagProblem) -> BagLoss:
        return MixBagLoss(problem.shares, self.mix)


class MixBagLoss(KLLoss):
    """KL of the bags of a batch, plus that of their mixtures beyond the margins."""

    by_logits = False

    def __init__(self, shares: Any, mix: float) -> None:
        super().__init__(shares)
        self.mix = mix

    def loss(self, run: Any, batch: Any) -> Tensor:
        """Compute the loss of a batch."""
        loss = self.value(run.module, batch["x"], batch["bag"])
        if self.mix == 0.0:
            return loss
        return loss + self.mix * self.mixed(run.module, batch["x"], batch["bag"])

    def mixed(self, network: nn.Module, x: Tensor, bags: Tensor) -> Tensor:
        """Mix neighbouring bags of a random order, a random part of each."""
        present, place = torch.unique(bags, return_inverse=True)
        count = len(present)
        if count < 2:
            return x.new_zeros(())
        partner = torch.randperm(count, device=x.device)
        pair = torch.empty_like(partner)
        pair[partner] = torch.arange(count, device=x.device) // 2
        keep = torch.rand(count, device=x.device).clamp(0.1, 0.9)
        taken = torch.rand(len(x), device=x.device) < keep[place]
        whole = torch.bincount(place, minlength=count).to(x.dtype)
        parts = torch.bincount(place[taken], minlength=count).to(x.dtype)
        if not bool(taken.any()):
            return x.new_zeros(())
        low, high = mixed_margins(self.shares[present], whole, parts, pair)
        log_means, mixtures = bag_log_means(network(x[taken]), pair[place[taken]])
        means = torch.exp(log_means)
        nearest = torch.minimum(torch.maximum(means, low[mixtures]), high[mixtures])
        nearest = nearest.detach()
        terms = torch.special.xlogy(nearest, nearest) - nearest * log_means
        outside = (nearest - means.detach()).abs().sum(dim=1) > 0
        return (terms.sum(dim=1) * outside).mean()


def mixed_margins(
    shares: Tensor, whole: Tensor, parts: Tensor, pair: Tensor
) -> tuple[Tensor, Tensor]:
    """Give the ends of the shares of mixtures.

    A part of m items, drawn from a bag of n with share p, has a share of variance ``p
    (1 - p) / m * (n - m) / (n - 1)``; two parts weigh by their items.
    """
    count = int(pair.max()) + 1
    total = torch.zeros(count, dtype=shares.dtype, device=shares.device)
    total = total.index_add(0, pair, parts)
    weight = parts / total[pair].clamp(min=1.0)
    kept = ((whole - parts) / (whole - 1).clamp(min=1.0)).clamp(min=0.0)
    variance = shares * (1 - shares) / parts.clamp(min=1.0)[:, None] * kept[:, None]
    centre = torch.zeros(count, shares.shape[1], dtype=shares.dtype, device=pair.device)
    spread = centre.index_add(0, pair, weight[:, None] ** 2 * variance)
    centre = centre.index_add(0, pair, weight[:, None] * shares)
    half = _NORMAL * spread.sqrt()
    return (centre - half).clamp(min=0.0), (centre + half).clamp(max=1.0)
