"""Losses for PyTorch that know bags: functions of logits, and modules of them.

They go with any network and any training loop: logits of shape (items, classes), the
bag of every item, and a table of shares of shape (bags, classes), of which the batch
may hold some bags only, whole or in part.

>>> import torch
>>> from caveat.bags.losses import proportion_kl
>>> logits = torch.zeros(4, 2)
>>> bags, shares = torch.tensor([0, 0, 1, 1]), torch.tensor([[0.5, 0.5], [0.5, 0.5]])
>>> proportion_kl(logits, bags, shares).item()
0.0
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from caveat.bags._params import check_whole
from caveat.exceptions import InvalidInput

_TINY = 1e-8
LOG_TINY = math.log(_TINY)


def bag_log_means(logits: Tensor, bags: Tensor) -> tuple[Tensor, Tensor]:
    """Log of the mean probability of every class in every bag of a batch.

    ``log mean_i h_c(x_i)`` as a log-sum-exp over the bag's items, which never
    underflows.

    Returns
    -------
    log_means : tensor of shape (bags in the batch, classes)
    present : tensor
        Numbers of these bags.
    """
    log_h = torch.log_softmax(logits, dim=1)
    present, place = torch.unique(bags, return_inverse=True)
    if len(present) == 1:
        mean = torch.logsumexp(log_h, dim=0, keepdim=True) - math.log(len(log_h))
        return mean, present
    index = place[:, None].expand_as(log_h)
    shape = (len(present), log_h.shape[1])
    top = torch.full(shape, -torch.inf, device=log_h.device, dtype=log_h.dtype)
    top = top.scatter_reduce(0, index, log_h.detach(), "amax")
    scaled = torch.exp(log_h - top[place])
    sums = torch.zeros(shape, device=log_h.device, dtype=log_h.dtype)
    sums = sums.scatter_add(0, index, scaled)
    counts = torch.bincount(place, minlength=len(present)).to(log_h.dtype)
    return torch.log(sums) + top - torch.log(counts)[:, None], present


def proportion_cross_entropy(logits: Tensor, bags: Tensor, shares: Tensor) -> Tensor:
    """Mean over bags of ``- sum_c p_c log mean_i h_c(x_i)``; clipped at 1e-8."""
    log_means, present = bag_log_means(logits, bags)
    clipped = log_means.clamp(min=LOG_TINY)
    return -(shares[present] * clipped).sum(dim=1).mean()


def proportion_kl(logits: Tensor, bags: Tensor, shares: Tensor) -> Tensor:
    """Mean over bags of ``KL(p || mean softmax output)``: the loss of DLLP."""
    log_means, present = bag_log_means(logits, bags)
    known = shares[present]
    # xlogy: a share of 0 costs nothing.
    terms = torch.special.xlogy(known, known) - known * log_means
    return terms.sum(dim=1).mean()


def proportion_l1(logits: Tensor, bags: Tensor, shares: Tensor) -> Tensor:
    """Mean over bags of ``sum_c |p_c - mean_i h_c(x_i)|``."""
    log_means, present = bag_log_means(logits, bags)
    return (shares[present] - torch.exp(log_means)).abs().sum(dim=1).mean()


def easy_llp(
    logits: Tensor,
    bags: Tensor,
    shares: Tensor,
    sizes: Tensor,
    *,
    c_max: float | None = None,
) -> Tensor:
    """Mean over items of ``- sum_c (k (a_c - p_c) + p_c) log h_c(x)``.

    Unbiased for the item loss in random bags of size k with share a; p is the share of
    all items. Coefficients beyond ``c_max`` are cut.
    """
    overall = (sizes[:, None] * shares).sum(dim=0) / sizes.sum()
    weights = sizes[:, None] * (shares - overall) + overall
    if c_max is not None:
        weights = weights.clamp(-c_max, c_max)
    log_h = torch.log_softmax(logits, dim=1)
    return -(weights[bags].to(log_h.dtype) * log_h).sum(dim=1).mean()


def forward_correction(
    logits: Tensor, bags: Tensor, shares: Tensor, sizes: Tensor
) -> Tensor:
    """Mean over items of ``- log sum_c T_bc h_c(x)``, ``T_bc = (s_b/N) p_bc / pi_c``.

    The likelihood of an item's bag where bags depend on the label alone.
    """
    weights = sizes[:, None] * shares / sizes.sum()
    transition = weights / weights.sum(dim=0).clamp(min=_TINY)
    log_h = torch.log_softmax(logits, dim=1)
    log_t = torch.log(transition[bags].to(log_h.dtype).clamp(min=1e-30))
    return -torch.logsumexp(log_t + log_h, dim=1).mean()


def consistency(
    network: nn.Module,
    x: Tensor,
    *,
    eps: float = 1.0,
    xi: float = 1.0,
    n_power: int = 1,
) -> Tensor:
    """``mean_i KL(h(x_i) || h(x_i + eps d_i))`` in the worst directions d.

    Virtual adversarial training: the direction is found by `n_power` steps from a
    random one; x may have any shape, pictures too. Moved items are none of the data:
    running means of batch normalisation stay as they are.
    """
    with frozen_statistics(network):
        with torch.no_grad():
            log_h = torch.log_softmax(network(x), dim=1)
        direction = unit_items(torch.randn_like(x))
        for _ in range(n_power):
            direction.requires_grad_()
            moved = torch.log_softmax(network(x + xi * direction), dim=1)
            (slope,) = torch.autograd.grad(mean_kl(log_h, moved), direction)
            direction = unit_items(slope.detach())
        moved = torch.log_softmax(network(x + eps * direction), dim=1)
    return mean_kl(log_h, moved)


@contextmanager
def frozen_statistics(network: nn.Module) -> Iterator[None]:
    """Let passes leave the running statistics of batch normalisation alone.

    A layer in training still normalises by the batch; it just does not remember it.
    """
    layers: list[Any] = [
        layer
        for layer in network.modules()
        if getattr(layer, "track_running_stats", False)
    ]
    for layer in layers:
        layer.track_running_stats = False
    try:
        yield
    finally:
        for layer in layers:
            layer.track_running_stats = True


def unit_items(vectors: Tensor) -> Tensor:
    """Every item divided by its length."""
    lengths = vectors.flatten(1).norm(dim=1)
    return vectors / (lengths.reshape(-1, *[1] * (vectors.ndim - 1)) + _TINY)


def mean_kl(log_p: Tensor, log_q: Tensor) -> Tensor:
    """Mean over rows of ``KL(p || q)``."""
    return (torch.exp(log_p) * (log_p - log_q)).sum(dim=1).mean()


class _ShareLoss(nn.Module):
    """A loss with the table of shares inside; it moves with the network."""

    shares: Tensor

    def __init__(self, shares: Tensor) -> None:
        super().__init__()
        known = torch.as_tensor(shares, dtype=torch.float32)
        if known.ndim == 1:
            known = torch.stack([1 - known, known], dim=1)
        self.register_buffer("shares", known)


class ProportionCrossEntropy(_ShareLoss):
    """`proportion_cross_entropy` as a module: ``loss(logits, bags)``."""

    def forward(self, logits: Tensor, bags: Tensor) -> Tensor:
        """Compute the loss of a batch."""
        return proportion_cross_entropy(logits, bags, self.shares)


class ProportionKL(_ShareLoss):
    """`proportion_kl` as a module: ``loss(logits, bags)``."""

    def forward(self, logits: Tensor, bags: Tensor) -> Tensor:
        """Compute the loss of a batch."""
        return proportion_kl(logits, bags, self.shares)


class ProportionL1(_ShareLoss):
    """`proportion_l1` as a module: ``loss(logits, bags)``."""

    def forward(self, logits: Tensor, bags: Tensor) -> Tensor:
        """Compute the loss of a batch."""
        return proportion_l1(logits, bags, self.shares)


class _SizedLoss(_ShareLoss):
    """A loss that also knows how many items every bag has."""

    sizes: Tensor

    def __init__(self, shares: Tensor, sizes: Tensor) -> None:
        super().__init__(shares)
        self.register_buffer("sizes", torch.as_tensor(sizes, dtype=torch.float32))


class EasyLLPLoss(_SizedLoss):
    """`easy_llp` as a module: ``loss(logits, bags)``."""

    def __init__(
        self, shares: Tensor, sizes: Tensor, *, c_max: float | None = None
    ) -> None:
        super().__init__(shares, sizes)
        self.c_max = c_max

    def forward(self, logits: Tensor, bags: Tensor) -> Tensor:
        """Compute the loss of a batch."""
        return easy_llp(logits, bags, self.shares, self.sizes, c_max=self.c_max)


class ForwardCorrectionLoss(_SizedLoss):
    """`forward_correction` as a module: ``loss(logits, bags)``."""

    def forward(self, logits: Tensor, bags: Tensor) -> Tensor:
        """Compute the loss of a batch."""
        return forward_correction(logits, bags, self.shares, self.sizes)


class ConsistencyLoss(nn.Module):
    """`consistency` as a module: ``loss(network, x)``."""

    def __init__(self, eps: float = 1.0, xi: float = 1.0, n_power: int = 1) -> None:
        super().__init__()
        self.eps, self.xi, self.n_power = eps, xi, n_power

    def forward(self, network: nn.Module, x: Tensor) -> Tensor:
        """Compute the loss of a batch."""
        return consistency(network, x, eps=self.eps, xi=self.xi, n_power=self.n_power)


class BagSampler(torch.utils.data.Sampler[list[int]]):
    """Batches of whole bags, or of some items of each, for a DataLoader.

    Parameters
    ----------
    bags : sequence of int
        Bag of every item.
    bags_per_batch : int, default=1
    items_per_bag : int, optional
        A random part of every larger bag; by default bags stay whole.
    generator : torch.Generator, optional

    Examples
    --------
    >>> sampler = BagSampler([0, 0, 1, 1, 1, 2], bags_per_batch=2, items_per_bag=2)
    >>> len(sampler), sum(len(rows) for rows in sampler)
    (2, 5)
    """

    def __init__(
        self,
        bags: Tensor,
        *,
        bags_per_batch: int = 1,
        items_per_bag: int | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        check_whole("bags_per_batch", bags_per_batch, least=1)
        if items_per_bag is not None:
            check_whole("items_per_bag", items_per_bag, least=1)
        numbers = torch.as_tensor(bags)
        if numbers.ndim != 1 or not len(numbers):
            raise InvalidInput(
                f"bags: found shape {tuple(numbers.shape)}; expected the bag of every "
                "item, at least one"
            )
        self.members = [
            torch.nonzero(numbers == bag)[:, 0] for bag in torch.unique(numbers)
        ]
        self.bags_per_batch = bags_per_batch
        self.items_per_bag = items_per_bag
        self.generator = generator

    def __len__(self) -> int:
        return math.ceil(len(self.members) / self.bags_per_batch)

    def __iter__(self) -> Iterator[list[int]]:
        order = torch.randperm(len(self.members), generator=self.generator).tolist()
        for first in range(0, len(order), self.bags_per_batch):
            chosen = order[first : first + self.bags_per_batch]
            parts = [self._part(self.members[bag]) for bag in chosen]
            yield torch.cat(parts).tolist()

    def _part(self, rows: Tensor) -> Tensor:
        if self.items_per_bag is None or len(rows) <= self.items_per_bag:
            return rows
        order = torch.randperm(len(rows), generator=self.generator)
        return rows[order[: self.items_per_bag]]
