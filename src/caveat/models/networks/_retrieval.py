"""What networks share that look training rows up when they answer."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from caveat.models.networks._layers import PeriodicEmbedding
from caveat.models.networks._layout import Layout
from caveat.models.networks._objective import Supervised
from caveat.training import Batch, Run


class Retrieval(Supervised):
    """The usual loss of a network that is told which training rows it is asked about.

    It must not find the answer of a row in that row itself.
    """

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Compute the loss of a batch."""
        return self.risk(run.module(batch.view(self.look), batch.rows), batch)


class Waves(nn.Module):
    """Numbers as waves, beside the indicators of levels as they are."""

    def __init__(
        self, layout: Layout, n_frequencies: int, scale: float, d: int
    ) -> None:
        super().__init__()
        self.plain = layout.plain
        self.waves = PeriodicEmbedding(layout.plain, n_frequencies, scale, d)
        self.width = self.waves.width + layout.width - layout.plain

    def forward(self, x: Tensor) -> Tensor:
        """Make one vector of each row."""
        return torch.cat([self.waves(x[:, : self.plain]), x[:, self.plain :]], 1)


class Memory(nn.Module):
    """The training rows, and what the network makes of them, computed when needed.

    Parameters
    ----------
    layout : Layout
    """

    x: Tensor
    y: Tensor

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.register_buffer("x", torch.zeros(layout.rows, layout.width))
        self.register_buffer("y", torch.zeros(layout.rows))
        self._made: Tensor | None = None

    def fill(self, x: Tensor, y: Tensor) -> None:
        """Keep the training rows."""
        self.x.copy_(x)
        self.y.copy_(y)

    def train(self, mode: bool = True) -> Memory:
        """Forget what was made: the weights may have changed since."""
        self._made = None
        return super().train(mode)

    def all(self, encode: Callable[[Tensor], Tensor]) -> Tensor:
        """Encode all rows; outside of training this is done once."""
        if self.training:
            return encode(self.x)
        if self._made is None:
            parts = [encode(part) for part in self.x.split(1024)]
            self._made = torch.cat(parts).detach()
        return self._made
