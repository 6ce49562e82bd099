"""IDGP: one network for the true label, one for how wrong candidates come about."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor

from caveat.candidates import _slopes as slopes
from caveat.candidates._algorithm import Algorithm, check_number
from caveat.candidates._losses import (
    ALMOST_ONE,
    TINY,
    candidate_softmax,
    divergence,
    uniform_confidences,
)
from caveat.training import Batch, Run, fresh_copy


def cross_entropy(z: Tensor, D: Tensor) -> Tensor:
    """Mean of -sum_j D_j log(p_j + 1e-12)."""
    return -(D * torch.log(z.softmax(dim=1) + TINY)).sum(dim=1).mean()


def binary_entropy(a: Tensor, G: Tensor) -> Tensor:
    """Mean over rows of summed binary cross-entropies of sigmoid(a) against G."""
    u = torch.sigmoid(a)
    rows = G * torch.log(u + TINY) + (1.0 - G) * torch.log(ALMOST_ONE - u)
    return -rows.sum(dim=1).mean()


def generation_posterior(a: Tensor, S: Tensor, D: Tensor) -> Tensor:
    """How likely each candidate is the true one by the generation model.

    With c the label that D finds most likely and u' = 1 - u at c, else u, the formula
    is v_j ~ (1 - u'_j) / u'_j * prod_k u'_k over the candidates. The product is the
    same for all j, and the odds are exp(-a), or exp(a) at c: a softmax.
    """
    top = (D * S).argmax(dim=1, keepdim=True)
    odds = (-a).scatter(1, top, a.gather(1, top))
    return candidate_softmax(odds, S)


def label_loss(z: Tensor, D: Tensor, v: Tensor, weight: float) -> Tensor:
    """Loss of the label network after the warm-up."""
    return cross_entropy(z, D) + cross_entropy(z, v) + weight * divergence(D, z)


def generation_loss(
    a: Tensor, S: Tensor, G: Tensor, r: Tensor, weight: float
) -> Tensor:
    """Loss of the generation network after the warm-up."""
    u = torch.sigmoid(a)
    truth = -(r * torch.log(ALMOST_ONE - u)).sum(dim=1).mean()
    consistency = torch.xlogy(G, G) - G * torch.nn.functional.logsigmoid(a)
    return (
        binary_entropy(a, G)
        + truth
        + binary_entropy(a, S.to(a.dtype))
        + weight * consistency.sum(dim=1).mean()
    )


class Idgp(Algorithm):
    """IDGP: decompose candidate sets into a true label and generated wrong ones.

    Network f gives the label, network g the chance of every label to be in the set.
    Each teaches the other after a warm-up; every network has its own optimiser.

    Parameters
    ----------
    warm_up : int, default=10
        Epochs in which the two learn apart.

    Warnings
    --------
    Twice the work of other algorithms. Built for sets whose wrong labels depend on the
    item; elsewhere the second network learns noise.

    Notes
    -----
    The paper averages consistency terms over augmented views of an image; a table has
    one view.

    References
    ----------
    .. [1] C. Qiao et al. (2023). Decompositional generation process for
       instance-dependent partial label learning. ICLR.
    """

    kept: ClassVar[tuple[str, ...]] = ("D", "G")

    def __init__(self, *, warm_up: int = 10, **common: Any) -> None:
        super().__init__(**common)
        self.warm_up = check_number("warm_up", warm_up, 0)

    def begin(self, run: Run) -> None:
        """Set the second network beside the first."""
        S = run.data["candidates"]
        self.D, self.G = uniform_confidences(S), S.to(torch.float32)
        self.generator = fresh_copy(run.module)
        kind, how = type(run.optimiser), run.optimiser.defaults
        self.optimiser = kind(self.generator.parameters(), **how)

    def step(self, run: Run, batch: Batch) -> float:
        """Update both networks."""
        x, S, rows = self.items(batch), batch["candidates"], batch.rows
        z, a = run.forward(x), run.forward(x, self.generator)
        D, G = self.D.index_select(0, rows), self.G.index_select(0, rows)
        is_warm = run.updates > self.warm_up * len(run.data["x"]) / len(batch)
        weight = min(run.share / 0.2, 1.0)
        label, spread = z.detach(), a.detach()
        within = candidate_softmax(label, S)
        v = generation_posterior(spread, S, D) if is_warm else None
        first = slopes.label_loss(label, D, v, weight)
        taught = (S, within) if is_warm else None
        second = slopes.generation_loss(spread, G, taught, weight)
        value = run.follow(z, *first)
        value += run.follow(a, *second, self.optimiser)
        self.D.index_copy_(0, rows, within)
        self.G.index_copy_(0, rows, torch.sigmoid(spread) * S)
        return value

    def state(self) -> Any:
        """Return both confidences and the second network."""
        return {
            **super().state(),
            "generator": dict(self.generator.state_dict()),
            "optimiser": self.optimiser.state_dict(),
        }

    def load_state(self, run: Run, state: Any) -> None:
        """Take back both confidences and the second network."""
        super().load_state(run, state)
        self.generator.load_state_dict(state["generator"])
        self.optimiser.load_state_dict(state["optimiser"])
