"""PiCO+: PiCO that trusts the sets near their prototypes only."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import torch
from torch import Tensor

from caveat.candidates._algorithm import check_number
from caveat.candidates._losses import weighted_cross_entropy
from caveat.candidates.learners._contrast import (
    TEMPERATURE,
    best_candidates,
    log_shares,
    mean_over,
    move_prototypes,
)
from caveat.candidates.learners._mixup import Draws, larger_share, mixed
from caveat.candidates.learners._pico import Contrast, Pico
from caveat.exceptions import UnknownName
from caveat.training import Batch, Run


class PicoPlus(Pico):
    """PiCO+: items near a prototype of their set are reliable, the others are guessed.

    Reliable items learn as in PiCO. Of the others any label may be true: they learn
    from guesses by their prototypes, and attract their nearest neighbours. All are
    mixed with one another.

    Parameters
    ----------
    pure_ratio : float or None, default=1.0
        Share of the items that count as reliable. None estimates it, as the share of
        items whose most probable label is a candidate.
    neighbours : int, default=16
        That an unreliable item attracts, itself counted.
    neighbours_start : int, default=5000
        Steps before neighbours count.
    guess_temperature : float, default=0.07
        Of the guesses; small ones are sharp.
    unreliable_weight : float, default=0.1
    label_weight : float, default=2.0
        Of the cross-entropy of reliable items.
    mixup_shape : float, default=4.0
        Both parameters of the Beta distribution of the shares.
    every : {"epoch", "step"}, default="epoch"
        When reliable items are chosen anew.
    start, width, queue, momentum, prototype_momentum, weight, first_momentum, \
last_momentum, allow_identical_views
        See `Pico`.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    With the default ratio every item is reliable, and only mixing is left of the
    method. The estimate takes errors of a young model for noise, and what it distrusts
    it learns less from: on digits with clean sets it fell from 0.63 to 0.50, and the
    accuracy from 0.86 to 0.27 (`start=100`, 300 steps). Whoever sets the ratio to one
    minus the true noise rate uses what no user knows: call such a number an oracle's.
    Items are trusted over all classes together: a class without a good prototype when
    that begins loses most of its items, and can be lost altogether.

    References
    ----------
    .. [1] H. Wang et al. (2024). PiCO+: contrastive label disambiguation for robust
       partial label learning. IEEE Transactions on Pattern Analysis and Machine
       Intelligence 46(5).
    """

    deviation: ClassVar[str] = (
        "its step counter stays at 0, so prototypes never count, every item is "
        "reliable and nothing is mixed; first keys as in PiCO"
    )
    parts: ClassVar[tuple[str, ...]] = (
        "cls",
        "con",
        "con_all",
        "con_rel",
        "ur",
        "mix",
    )
    kept: ClassVar[tuple[str, ...]] = (*Pico.kept, "distance", "reliable", "covered")

    def __init__(
        self,
        *,
        pure_ratio: float | None = 1.0,
        neighbours: int = 16,
        neighbours_start: int = 5000,
        guess_temperature: float = 0.07,
        unreliable_weight: float = 0.1,
        label_weight: float = 2.0,
        mixup_shape: float = 4.0,
        every: str = "epoch",
        **common: Any,
    ) -> None:
        super().__init__(**common)
        if pure_ratio is not None:
            check_number("pure_ratio", pure_ratio, 0, 1)
        self.pure_ratio = pure_ratio
        self.neighbours = check_number("neighbours", neighbours, 1)
        self.neighbours_start = check_number("neighbours_start", neighbours_start, 0)
        self.guess_temperature = check_number(
            "guess_temperature", guess_temperature, 1e-3
        )
        self.unreliable_weight = check_number("unreliable_weight", unreliable_weight, 0)
        self.label_weight = check_number("label_weight", label_weight, 0)
        self.draws = Draws(check_number("mixup_shape", mixup_shape, 1e-3))
        if every not in ("epoch", "step"):
            raise UnknownName.among("time to choose", every, ("epoch", "step"))
        self.every = every

    def begin(self, run: Run) -> None:
        """Trust every item at first."""
        super().begin(run)
        count = len(self.W)
        # An item that was never seen counts as reliable.
        self.distance = torch.full((count,), -math.inf, device=run.device)
        self.reliable = torch.ones(count, dtype=torch.bool, device=run.device)
        self.covered = torch.ones(count, dtype=torch.bool, device=run.device)
        self.ring.columns["reliable"] = torch.zeros(
            self.queue, dtype=torch.bool, device=run.device
        )

    def clock(self, run: Run) -> int:
        """Count the steps; published code does not."""
        return 0 if self.is_plench else run.updates

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """PiCO's losses at first, then those of reliable and of other items apart."""
        if not self.is_full(run):
            return super().loss(run, batch)
        if self.every == "step" or self.clock(run) % run.batches_per_epoch == 0:
            self.choose()
        trusted = self.reliable.index_select(0, batch.rows)
        found = self.contrast(run, batch)
        self.move_confidences(run, batch, self.target(found, batch))
        W = self.W.index_select(0, batch.rows)
        # a ** (1 / T), normalised: by logarithms, because the power underflows.
        guess = (found.a.log() / self.guess_temperature).softmax(dim=1)
        cls = _mean_cross_entropy(found.z, W, trusted)
        ur = _mean_cross_entropy(found.z, guess, ~trusted)
        mix = self._mixed(run, batch, torch.where(trusted[:, None], W, guess))
        con_rel, con_all = self._contrasts(run, found, trusted)
        self.keep(
            cls=cls, ur=ur, mix=mix, con_rel=con_rel, con_all=con_all, guess=guess
        )
        doubtful = self.unreliable_weight * (ur + con_all)
        return mix + self.label_weight * cls + con_rel + doubtful

    def choose(self) -> None:
        """Trust the items nearest to their prototypes; of equals, the first."""
        ratio = self.pure_ratio
        if ratio is None:
            ratio = float(self.covered.double().mean())
        count = int(len(self.W) * ratio)
        nearest = self.distance.sort(stable=True).indices[:count]
        self.reliable = torch.zeros_like(self.reliable)
        self.reliable[nearest] = True

    def taken_for(self, z: Tensor, batch: Batch) -> Tensor:
        """Take reliable items for their best candidate, others for the best class."""
        S = batch["candidates"]
        inside, best = best_candidates(z, S), z.argmax(dim=1)
        self.covered[batch.rows] = inside == best
        self._inside = inside
        return torch.where(self.reliable.index_select(0, batch.rows), inside, best)

    def move(self, h: Tensor, c: Tensor, batch: Batch) -> None:
        """Note how far items are from their prototypes; reliable ones move these."""
        nearest = self.prototypes.index_select(0, self._inside)
        self.distance.index_copy_(0, batch.rows, -(h * nearest).sum(dim=1))
        trusted = self.reliable.index_select(0, batch.rows)
        momentum = self.prototype_momentum
        move_prototypes(self.prototypes, h[trusted], c[trusted], momentum)

    def _mixed(self, run: Run, batch: Batch, targets: Tensor) -> Tensor:
        share = larger_share(self.draws.share(run.updates))
        order = self.draws.order(run.updates, len(batch)).to(run.device)
        x = batch.view("weak")
        z, _ = self.query(mixed(x, x.index_select(0, order), share))
        self.keep(logits_mix=z)
        goal = mixed(targets, targets.index_select(0, order), share)
        return weighted_cross_entropy(z, goal)

    def _contrasts(
        self, run: Run, found: Contrast, trusted: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Contrast with reliable items of one's class, and with all of one's class."""
        shares = log_shares(found.h, found.others, TEMPERATURE)
        same = found.c[:, None] == found.labels
        flags = torch.cat([trusted, trusted, self.ring["reliable"].bool()])
        positives = same & trusted[:, None] & flags
        weights = torch.ones_like(found.h[:, 0])
        if self.clock(run) >= self.neighbours_start:
            near = self._near(found)
            positives = torch.where(trusted[:, None], positives, near)
            weights = torch.where(trusted, self.weight, self.unreliable_weight)
        # An item's own key is always a positive.
        own = torch.arange(len(trusted), device=trusted.device)
        positives[own, own + len(trusted)] = True
        reliable = -(weights * mean_over(shares, positives)).mean()
        return reliable, -mean_over(shares, same).mean()

    def _near(self, found: Contrast) -> Tensor:
        h = found.h.detach()
        similar = h @ torch.cat([h, found.others]).T
        count = min(self.neighbours, similar.shape[1])
        chosen = torch.zeros_like(similar, dtype=torch.bool)
        return chosen.scatter_(1, similar.topk(count, dim=1).indices, True)

    def after_step(self, run: Run, batch: Batch) -> None:
        """Let the keys of the batch into the queue, with whether they are reliable."""
        self.ring.push(
            keys=self.seen["feat"][len(batch) :],
            labels=self.seen["pseudo"],
            reliable=self.reliable.index_select(0, batch.rows),
        )


def _mean_cross_entropy(z: Tensor, W: Tensor, chosen: Tensor) -> Tensor:
    """Cross-entropy of the chosen rows; 0 where none is."""
    rows = -(W * z.log_softmax(dim=1)).sum(dim=1)
    return (rows * chosen).sum() / chosen.sum().clamp(min=1)
