"""FREDIS: candidate sets that are refined and disambiguated while learning."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import torch
from torch import Tensor

from caveat.candidates._algorithm import check_number
from caveat.candidates._losses import (
    TINY,
    candidate_softmax,
    divergence,
    exclusion_entropy,
)
from caveat.candidates.learners._identification import ConfidenceAlgorithm
from caveat.training import Batch, Run


class Fredis(ConfidenceAlgorithm):
    """FREDIS: labels join and leave the sets by how far they are behind the best.

    Every `update_interval` epochs, with the gap of a label to the row's largest
    probability: labels outside a set whose gap is below theta join; `times` as many
    with the largest gaps leave. Built for sets that miss the true label.

    Parameters
    ----------
    theta : float, default=1e-6
        First threshold for joining.
    delta : float, default=1.0
        First threshold for leaving.
    inc, dec : float, default=1e-6
        Steps of the two thresholds, once little changes.
    change_size : int, default=500
        Most labels that join at a time.
    times : int, default=2
        Labels that leave for each that joins.
    update_interval : int, default=20
        Epochs between changes.
    lam : float, default=10.0
        Weight of the divergence from the confidences.
    alpha : float, default=1.0
        Weight of the loss outside the sets.
    second_forward : bool or None, default=None
        None is True: confidences are those after the step.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    As many settings as some tables have rows. On clean sets a true label can leave.
    `change_size` is the benchmark's for 45,000 items: with 2,700 images of MNIST and a
    change every two epochs, 500 gave 0.55, 50 gave 0.92.

    Notes
    -----
    In the published code ("plench") loss and confidences go on with the sets as they
    were given; changed sets shape confidences only until a row is seen again. Its first
    change comes after the first step, when nearly all probabilities are equal; what it
    draws may be in a set already; and a set may end empty. Here the changed sets count,
    the first change comes after the first interval, and the best label of a row always
    stays. In both, the threshold that published code searches in steps of `dec` is
    found by sorting.

    References
    ----------
    .. [1] C. Qiao et al. (2023). FREDIS: a fusion framework of refinement and
       disambiguation for unreliable partial label learning. ICML.
    """

    deviation: ClassVar[str] = (
        "loss and confidences keep the given sets, the first change comes after the "
        "first step, and labels are drawn whether they would change a set or not"
    )
    second_by_default: ClassVar[bool] = True
    kept: ClassVar[tuple[str, ...]] = ("W", "S", "posterior", "theta", "delta")

    def __init__(
        self,
        *,
        theta: float = 1e-6,
        delta: float = 1.0,
        inc: float = 1e-6,
        dec: float = 1e-6,
        change_size: int = 500,
        times: int = 2,
        update_interval: int = 20,
        lam: float = 10.0,
        alpha: float = 1.0,
        **common: Any,
    ) -> None:
        super().__init__(**common)
        self.first_theta = check_number("theta", theta, 0, 1)
        self.first_delta = check_number("delta", delta, 0, 1)
        self.inc = check_number("inc", inc, 0)
        self.dec = check_number("dec", dec, 0)
        self.change_size = check_number("change_size", change_size, 1)
        self.times = check_number("times", times, 0)
        self.update_interval = check_number("update_interval", update_interval, 1)
        self.lam = check_number("lam", lam, 0)
        self.alpha = check_number("alpha", alpha, 0)

    def begin(self, run: Run) -> None:
        """Start from the sets as they are."""
        super().begin(run)
        self.S = run.data["candidates"].clone()
        self.posterior = torch.full_like(self.W, 1.0 / self.W.shape[1])
        self.theta, self.delta = self.first_theta, self.first_delta

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Divergence from the confidences, and entropy outside the changed sets."""
        outside = exclusion_entropy(z, S if self.is_plench else self.S[rows])
        return self.lam * divergence(self.W[rows], z) + self.alpha * outside

    def allowed(self, batch: Batch) -> Tensor:
        """Give the sets as changed so far; as given, where published code does."""
        return batch["candidates"] if self.is_plench else self.S[batch.rows]

    def confidences(self, z: Tensor, S: Tensor) -> Tensor:
        """Probabilities within the changed sets."""
        return candidate_softmax(z, S)

    def update(self, run: Run, batch: Batch) -> None:
        """Keep probabilities and confidences of the rows of a batch."""
        z = self.logits
        if self.second_forward:
            with torch.no_grad():
                z = run.module(self.items(batch))
        self.posterior.index_copy_(0, batch.rows, z.softmax(dim=1))
        self.W.index_copy_(0, batch.rows, self.confidences(z, self.allowed(batch)))

    def after_step(self, run: Run, batch: Batch) -> None:
        """Update the confidences; published code changes the sets early."""
        super().after_step(run, batch)
        interval = self.update_interval * run.batches_per_epoch
        if self.is_plench and run.updates % interval == 0:
            self.change()

    def after_epoch(self, run: Run) -> None:
        """Change the sets when it is time."""
        if not self.is_plench and run.epoch % self.update_interval == 0:
            self.change()

    def change(self) -> None:
        """Let labels join and leave the sets."""
        gaps = self.posterior.amax(dim=1, keepdim=True) - self.posterior
        near = gaps < self.theta
        join = sampled(near if self.is_plench else ~self.S & near, self.change_size)
        joined = int(join.sum())
        leave = self._leaving(gaps, self.times * joined)
        self.S = (self.S | join) & ~leave
        kept = self.S + TINY if self.is_plench else self.S
        share = (self.posterior + TINY) * kept
        self.W = share / share.sum(dim=1, keepdim=True)
        changes = joined + int(leave.sum())
        if changes < self.change_size and self.theta < 0.9 and self.delta > 0.1:
            self.theta += self.inc
            self.delta -= self.dec

    def _leaving(self, gaps: Tensor, needed: int) -> Tensor:
        """Choose labels to leave; delta falls until there are as many as needed."""
        if self.is_plench:
            free = torch.ones_like(self.S)
        else:
            best = self.posterior.masked_fill(~self.S, -1.0).argmax(dim=1, keepdim=True)
            free = self.S.scatter(1, best, False)
        found = gaps[free].sort(descending=True).values
        if int((found > self.delta).sum()) < needed:
            self.delta = self._lowered(found, needed)
        return sampled(free & (gaps > self.delta), self.change_size * self.times)

    def _lowered(self, found: Tensor, needed: int) -> float:
        """Give the delta below which enough labels are, of sorted gaps."""
        if not self.is_plench:
            return float(found[needed]) if needed < len(found) else 0.0
        # Down in steps of `dec` until the last that is needed is above it.
        last = float(found[min(needed, len(found)) - 1])
        steps = math.floor((self.delta - last) / max(self.dec, TINY)) + 1
        return self.delta - steps * self.dec


def sampled(chosen: Tensor, most: int) -> Tensor:
    """Keep at most so many entries of a mask, drawn at random."""
    places = chosen.nonzero()
    if len(places) <= most:
        return chosen
    kept = places[torch.randperm(len(places), device=places.device)[:most]]
    found = torch.zeros_like(chosen)
    found[kept[:, 0], kept[:, 1]] = True
    return found
