"""PaPi: class prototypes learn from the classifier, not the other way round."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor

from caveat.candidates._algorithm import check_number
from caveat.candidates._losses import (
    candidate_softmax,
    divergence,
    weighted_cross_entropy,
)
from caveat.candidates.learners._contrast import (
    add_head,
    best_candidates,
    move_prototypes,
)
from caveat.candidates.learners._mixup import MixingAlgorithm, mixed
from caveat.training import Batch, Run


class Papi(MixingAlgorithm):
    """PaPi: similarities to class prototypes must agree with the confidences.

    The classifier names the labels, and features are drawn to the prototypes of the
    classes that it believes in: no item is contrasted with another. Both views of the
    items are mixed first, so that features between classes are learnt, too.

    Parameters
    ----------
    width : int, default=128
        Of the features that are compared with prototypes.
    weight : float, default=1.0
        Of the agreement with the prototypes, once it is fully in.
    ramp : int, default=10
        Epochs in which that weight grows from 0.
    temperature : float, default=0.3
        Of the similarities.
    first_momentum, last_momentum : float, default=0.95, 0.8
        Of the confidences, at the first and the last step.
    first_prototype_momentum, last_prototype_momentum : float, default=0.9, 0.5
        Of the prototypes.
    mixup_shape : float, default=8.0
        Both parameters of the Beta distribution of the mixed shares.
    allow_identical_views : bool, default=False
        See `ViewAlgorithm`.
    variant : {"paper", "plench"}, default="paper"
        The benchmark does not have this algorithm: both are the same.

    Warnings
    --------
    Prototypes are learnt from the classifier's own guesses, so they repeat its errors.
    The method was tuned over 500 epochs: in a run of a few, shorten `ramp`.

    Notes
    -----
    The strong view itself only moves prototypes, so no gradient is computed for it. In
    the published code both momenta are 0.99 in the first epoch; here they begin with
    the first number.

    References
    ----------
    .. [1] S. Xia et al. (2023). Towards effective visual representations for
       partial-label learning. CVPR.
    """

    parts: ClassVar[tuple[str, ...]] = ("cls", "sim")
    kept: ClassVar[tuple[str, ...]] = ("W", "prototypes")

    def __init__(
        self,
        *,
        width: int = 128,
        weight: float = 1.0,
        ramp: int = 10,
        temperature: float = 0.3,
        first_momentum: float = 0.95,
        last_momentum: float = 0.8,
        first_prototype_momentum: float = 0.9,
        last_prototype_momentum: float = 0.5,
        mixup_shape: float = 8.0,
        **common: Any,
    ) -> None:
        super().__init__(weight=weight, ramp=ramp, mixup_shape=mixup_shape, **common)
        self.width = check_number("width", width, 1)
        self.temperature = check_number("temperature", temperature, 1e-3)
        self.momenta = (
            check_number("first_momentum", first_momentum, 0, 1),
            check_number("last_momentum", last_momentum, 0, 1),
        )
        self.prototype_momenta = (
            check_number("first_prototype_momentum", first_prototype_momentum, 0, 1),
            check_number("last_prototype_momentum", last_prototype_momentum, 0, 1),
        )

    def begin(self, run: Run) -> None:
        """Start from equal confidences, with a head on the network."""
        super().begin(run)
        self.encoder = add_head(run, self.width)
        self.prototypes = torch.zeros(self.W.shape[1], self.width, device=run.device)

    def agreement(self, run: Run) -> float:
        """Give the weight of the agreement with the prototypes in this epoch."""
        return self.weight * self.grown(run)

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Cross-entropy against the confidences, and what prototypes say of mixes."""
        S, weak, strong = (
            batch["candidates"],
            batch.view("weak"),
            batch.view("strong"),
        )
        z, h = self.encoder(weak)
        with torch.no_grad():
            z_strong, k = self.encoder(strong)
        # Similarities are to the prototypes as they were before this batch.
        before = self.prototypes.clone()
        self._move(run, h.detach(), best_candidates(z.detach(), S))
        self._move(run, k, best_candidates(z_strong, S))
        W = self._confidences(run, batch, z.detach())
        cls = weighted_cross_entropy(z, W)
        share = self.draws.share(run.updates)
        order = self.draws.order(run.updates, len(batch)).to(run.device)
        sims = []
        for x in (weak, strong):
            _, between = self.encoder(mixed(x, x.index_select(0, order), share))
            sims.append(self._apart(between @ before.T, W, order, share))
        sim = sims[0] + sims[1]
        self.keep(logits=z, logits_strong=z_strong, cls=cls, sim=sim)
        return cls + self.agreement(run) * sim

    def _apart(self, similar: Tensor, W: Tensor, order: Tensor, share: float) -> Tensor:
        """Divergence of similarities from the confidences of both mixed items."""
        z = similar / self.temperature
        other = divergence(W.index_select(0, order), z)
        return share * divergence(W, z) + (1.0 - share) * other

    def _confidences(self, run: Run, batch: Batch, z: Tensor) -> Tensor:
        """Move the confidences of a batch towards the classifier's."""
        phi = _between(run, *self.momenta)
        goal = candidate_softmax(z, batch["candidates"])
        W = phi * self.W.index_select(0, batch.rows) + (1.0 - phi) * goal
        self.W.index_copy_(0, batch.rows, W)
        return W

    def _move(self, run: Run, h: Tensor, c: Tensor) -> None:
        momentum = _between(run, *self.prototype_momenta)
        move_prototypes(self.prototypes, h, c, momentum)


def _between(run: Run, first: float, last: float) -> float:
    """Go from one number to another during the run."""
    return first + run.share * (last - first)
