"""Items mixed with one another, and their labels likewise."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.distributions import Beta


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
