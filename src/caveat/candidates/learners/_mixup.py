"""Items mixed with one another, and their labels likewise."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.distributions import Beta

from caveat.candidates._algorithm import check_number
from caveat.candidates._losses import uniform_confidences
from caveat.candidates.learners._contrast import ViewAlgorithm
from caveat.training import Run


class MixingAlgorithm(ViewAlgorithm):
    """Base of algorithms that mix the items of a batch and let a part of the loss grow.

    Parameters
    ----------
    weight : float
        Of that part, once it is fully in.
    ramp : int
        Epochs in which it grows from 0.
    mixup_shape : float
        Both parameters of the Beta distribution of the mixed shares.

    Attributes
    ----------
    W : tensor of shape (items, classes)
        Confidences; equal at first.
    """

    def __init__(
        self, *, weight: float, ramp: int, mixup_shape: float, **common: Any
    ) -> None:
        super().__init__(**common)
        self.weight = check_number("weight", weight, 0)
        self.ramp = check_number("ramp", ramp, 0)
        self.draws = Draws(check_number("mixup_shape", mixup_shape, 1e-3))

    def begin(self, run: Run) -> None:
        """Start from equal confidences."""
        super().begin(run)
        self.W = uniform_confidences(run.data["candidates"])

    def grown(self, run: Run) -> float:
        """Say how much of the ramp is behind us."""
        return 1.0 if run.epoch >= self.ramp else run.epoch / self.ramp


class Draws:
    """What mixing leaves to chance: from torch's own generator, which the run seeds.

    Parameters
    ----------
    shape : float
        Both parameters of the Beta distribution of the shares.
    """

    def __init__(self, shape: float) -> None:
        self.shape = float(shape)

    def share(self, step: int) -> float:
        """Draw the share of the first item."""
        return float(Beta(self.shape, self.shape).sample())

    def order(self, step: int, count: int) -> Tensor:
        """Draw which item each one is mixed with."""
        return torch.randperm(count)


def larger_share(share: float) -> float:
    """Let the first item have the larger part."""
    return max(share, 1.0 - share)


def mixed(first: Tensor, second: Tensor, share: float) -> Tensor:
    """Mix two batches, of items or of labels."""
    return share * first + (1.0 - share) * second
