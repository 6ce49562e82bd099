"""Identification: find the true label among the candidates while learning."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from caveat.candidates import _slopes as slopes
from caveat.candidates._algorithm import Algorithm, check_number
from caveat.candidates._losses import (
    candidate_softmax,
    uniform_confidences,
    weighted_cross_entropy,
)
from caveat.candidates._slopes import Slope
from caveat.training import Batch, Run


class ConfidenceAlgorithm(Algorithm):
    """Base of algorithms that keep a confidence for every candidate of every row.

    Parameters
    ----------
    second_forward : bool or None, default=None
        Compute new confidences with the weights after the step, which costs another
        pass. None does as the variant does.
    """

    kept: ClassVar[tuple[str, ...]] = ("W",)
    # Whether the paper's own procedure makes the second pass.
    second_by_default: ClassVar[bool] = False

    def __init__(self, *, second_forward: bool | None = None, **common: Any) -> None:
        super().__init__(**common)
        if second_forward is None:
            second_forward = self.second_by_default or self.is_plench
        self.second_forward = second_forward

    def begin(self, run: Run) -> None:
        """Start from equal confidences."""
        self.W = uniform_confidences(run.data["candidates"])

    def risk(self, z: Tensor, S: Tensor, rows: Tensor) -> Tensor:
        """Cross-entropy, weighted by the confidences."""
        return weighted_cross_entropy(z, self.W[rows])

    def slope(self, z: Tensor, S: Tensor, rows: Tensor) -> Slope:
        """Cross-entropy and its derivative."""
        return slopes.weighted_cross_entropy(z, self.W.index_select(0, rows))

    def confidences(self, z: Tensor, S: Tensor) -> Tensor:
        """Give new confidences of rows by their logits."""
        return candidate_softmax(z, S)

    def update(self, run: Run, batch: Batch) -> None:
        """Replace the confidences of the rows of a batch."""
        z = self.logits
        if self.second_forward:
            with torch.no_grad():
                z = run.module(self.items(batch))
        self.W.index_copy_(0, batch.rows, self.confidences(z, self.allowed(batch)))

    def allowed(self, batch: Batch) -> Tensor:
        """Which labels the rows of a batch may still have."""
        return batch["candidates"]


class Proden(ConfidenceAlgorithm):
    """PRODEN: cross-entropy against confidences that follow the model.

    Loss -sum_j W_j log p_j; after the step W = p restricted to the candidates. RC has
    the same form.

    Parameters
    ----------
    second_forward : bool or None, default=None
        See `ConfidenceAlgorithm`; None is False for "paper", True for "plench".
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    It believes its own early guesses: a label that wins by chance in the first epochs
    is hard to lose again.

    References
    ----------
    .. [1] J. Lv et al. (2020). Progressive identification of true labels for
       partial-label learning. ICML.
    .. [2] L. Feng et al. (2020). Provably consistent partial-label learning. NeurIPS.
    """

    deviation: ClassVar[str] = "confidences from a second pass after the step"


class Cavl(ConfidenceAlgorithm):
    """CAVL: the candidate with the largest class activation value is taken as true.

    With logits o, the value is o |1 - o|; confidences are one-hot at its maximum over
    the candidates.

    Parameters
    ----------
    second_forward : bool or None, default=None
        None is True: the values are those after the step.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    Hard decisions from the first step on: it scores below PRODEN on most tables.

    References
    ----------
    .. [1] F. Zhang et al. (2022). Exploiting class activation value for partial-label
       learning. ICLR.
    """

    deviation: ClassVar[str] = (
        "the maximum is taken of value times candidate mask, so a label outside "
        "the set wins where all candidates are negative"
    )
    second_by_default: ClassVar[bool] = True

    def confidences(self, z: Tensor, S: Tensor) -> Tensor:
        """One-hot at the largest activation value."""
        values = z * (1.0 - z).abs()
        masked = values * S if self.is_plench else values.masked_fill(~S, -math.inf)
        return one_hot(masked.argmax(dim=1), S.shape[1]).to(z.dtype)


class Pop(ConfidenceAlgorithm):
    """POP: PRODEN that also removes candidates it has stopped believing in.

    After every epoch from `warm_up` on, with M the mean confidence over the last
    `window` epochs, label j leaves the set of row i if M_ij < theta max_k M_ik; theta
    grows by the factor 1 + inc whenever few labels left.

    Parameters
    ----------
    window : int, default=5
        Epochs that are averaged.
    warm_up : int, default=20
        Epochs before the first removal.
    theta : float, default=1e-3
        First threshold, below 1.
    inc : float, default=1e-3
        Relative growth of the threshold.
    every : int, default=1
        Purify every so many epochs.
    second_forward : bool or None, default=None
        See `ConfidenceAlgorithm`; None is False for "paper", True for "plench".
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    A true label that was removed never comes back. The memory of confidences takes
    `window` times items times classes numbers.

    References
    ----------
    .. [1] N. Xu et al. (2023). Progressive purification for instance-dependent partial
       label learning. ICML.
    """

    deviation: ClassVar[str] = (
        "removed labels come back at the next step, because confidences are computed "
        "on the original sets; purification runs after the first step of every epoch"
    )
    kept: ClassVar[tuple[str, ...]] = ("W", "S", "memory", "theta")

    def __init__(
        self,
        *,
        window: int = 5,
        warm_up: int = 20,
        theta: float = 1e-3,
        inc: float = 1e-3,
        every: int = 1,
        **common: Any,
    ) -> None:
        super().__init__(**common)
        self.window = check_number("window", window, 1)
        self.warm_up = check_number("warm_up", warm_up, 0)
        self.first_theta = check_number("theta", theta, 0, 1)
        self.inc = check_number("inc", inc, 0)
        self.every = check_number("every", every, 1)

    def begin(self, run: Run) -> None:
        """Start from equal confidences, whole sets and an empty memory."""
        super().begin(run)
        self.S = run.data["candidates"].clone()
        self.memory = torch.zeros(self.window, *self.W.shape, device=self.W.device)
        self.theta = self.first_theta

    def allowed(self, batch: Batch) -> Tensor:
        """Purified sets; the original ones where published code uses these."""
        return batch["candidates"] if self.is_plench else self.S[batch.rows]

    def after_step(self, run: Run, batch: Batch) -> None:
        """Update confidences; published code also purifies, early in an epoch."""
        super().after_step(run, batch)
        if self.is_plench and run.updates % run.batches_per_epoch == 0:
            self._end_epoch(run.updates // run.batches_per_epoch, run)

    def after_epoch(self, run: Run) -> None:
        """Remember the confidences and purify the sets."""
        if not self.is_plench:
            self._end_epoch(run.epoch, run)

    def _end_epoch(self, epoch: int, run: Run) -> None:
        self.memory[epoch % self.window] = self.W
        if epoch >= self.warm_up and epoch % self.every == 0:
            before = run.data["candidates"] if self.is_plench else self.S
            self._purify(before)

    def _purify(self, before: Tensor) -> None:
        # Only what is still allowed competes, so a row never loses its last label.
        M = self.memory.mean(dim=0) * before
        kept = before & (self.theta * M.amax(dim=1, keepdim=True) <= M)
        changed = int((before != kept).sum())
        share = M * kept
        self.W = share / share.sum(dim=1, keepdim=True)
        self.S = kept
        if self.theta < 0.4 and changed < 1e-4 * kept.numel():
            self.theta *= 1.0 + self.inc
