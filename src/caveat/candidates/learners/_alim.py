"""ALIM: PiCO that lets labels outside a set in, by how often sets are wrong."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor

from caveat.candidates._algorithm import check_number
from caveat.candidates._losses import weighted_cross_entropy
from caveat.candidates.learners._mixup import Draws, larger_share, mixed
from caveat.candidates.learners._pico import Contrast, Pico
from caveat.exceptions import InvalidInput
from caveat.training import Batch, Run


class Alim(Pico):
    """ALIM: prototypes of labels outside the set count, too, with a weight.

    The weight lambda is chosen after every epoch, such that for a share of `noise_rate`
    of the items a label outside the set wins. Items of two batches are mixed, besides.

    Parameters
    ----------
    start_epoch : int, default=40
        Epochs before labels outside a set are let in.
    mixup_weight : float, default=1.0
        Of the loss on mixed items.
    mixup_shape : float, default=4.0
        Both parameters of the Beta distribution of the shares.
    noise_rate : float or None, default=0.2
        Share of the sets that miss the true label. None estimates it, after every
        epoch, as the share of items whose nearest prototype is outside their set.
    cap : bool, default=True
        Keep lambda at most 1, so that no label outside counts more than one inside.
    start, width, queue, momentum, prototype_momentum, weight, first_momentum, \
last_momentum, allow_identical_views
        See `Pico`.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    Whoever sets `noise_rate` to the true share uses what no user knows: call such a
    number an oracle's.

    References
    ----------
    .. [1] M. Xu et al. (2023). ALIM: adjusting label importance mechanism for noisy
       partial label learning. NeurIPS.
    """

    deviation: ClassVar[str] = (
        "its step counter stays at 0, so prototypes never count, confidences stay "
        "uniform and no label outside a set is ever let in; first keys as in PiCO"
    )
    parts: ClassVar[tuple[str, ...]] = ("cls", "con", "mix")
    kept: ClassVar[tuple[str, ...]] = (*Pico.kept, "importance", "margins")
    needs_second_batch: ClassVar[bool] = True

    def __init__(
        self,
        *,
        start_epoch: int = 40,
        mixup_weight: float = 1.0,
        mixup_shape: float = 4.0,
        noise_rate: float | None = 0.2,
        cap: bool = True,
        **common: Any,
    ) -> None:
        super().__init__(**common)
        self.start_epoch = check_number("start_epoch", start_epoch, 1)
        self.mixup_weight = check_number("mixup_weight", mixup_weight, 0)
        if noise_rate is not None:
            check_number("noise_rate", noise_rate, 0, 1)
        self.noise_rate = noise_rate
        self.cap = cap
        self.draws = Draws(check_number("mixup_shape", mixup_shape, 1e-3))

    def begin(self, run: Run) -> None:
        """Start with labels of the sets only."""
        super().begin(run)
        self.importance = 0.0
        self.margins: list[Tensor] = []

    def clock(self, run: Run) -> int:
        """Count the steps; published code does not."""
        return 0 if self.is_plench else run.updates

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """PiCO's losses, and cross-entropy of mixed items."""
        self._adjust(run)
        loss = super().loss(run, batch)
        other = batch.beside
        if other is None:
            raise InvalidInput("alim mixes two batches a step; use a Paired sampler")
        count = min(len(batch), len(other))
        share = larger_share(self.draws.share(run.updates))
        x = mixed(batch.view("weak")[:count], other.view("weak")[:count], share)
        W = mixed(self.W[batch.rows[:count]], self.W[other.rows[:count]], share)
        z, _ = self.query(x)
        mix = weighted_cross_entropy(z, W)
        self.keep(mix=mix, logits_mix=z)
        return loss + self.mixup_weight * mix

    def target(self, found: Contrast, batch: Batch) -> Tensor:
        """Name the nearest prototype; those outside the set count less."""
        S = batch["candidates"]
        weight = torch.where(S, 1.0, self.importance)
        return (found.a * weight).argmax(dim=1)

    def after_step(self, run: Run, batch: Batch) -> None:
        """Note by how much the best candidate is ahead of the best other label."""
        super().after_step(run, batch)
        a, S = self.seen["score_prot"], batch["candidates"]
        inside = a.masked_fill(~S, 0.0).amax(dim=1)
        outside = a.masked_fill(S, 0.0).amax(dim=1)
        margin = inside / (1e-9 + outside)
        self.keep(margin=margin)
        self.margins.append(margin)

    def _adjust(self, run: Run) -> None:
        """Choose lambda anew when an epoch begins."""
        now = self.clock(run)
        if now % run.batches_per_epoch:
            return
        if now >= self.start_epoch * run.batches_per_epoch and self.margins:
            margins = torch.cat(self.margins).sort().values
            self.importance = self._quantile(margins)
        self.margins = []

    def _quantile(self, margins: Tensor) -> float:
        rate = self.noise_rate
        if rate is None:
            rate = float((margins < 1.0).double().mean())
        place = min(int(rate * len(margins)), len(margins) - 1)
        found = float(margins[place])
        return min(1.0, found) if self.cap else found
