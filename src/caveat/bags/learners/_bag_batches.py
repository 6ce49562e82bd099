"""Batches of whole bags, or of some of their items."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class BagBatches:
    """One bag a step; small bags go together, of large ones a random part.

    Parameters
    ----------
    bags : ndarray of shape (n_items,)
        Bag of every item.
    items_per_step : int or None
        About how many items a step takes. None takes every bag whole and alone.

    Examples
    --------
    >>> import numpy as np, torch
    >>> batches = BagBatches(np.array([0, 0, 0, 1, 1, 2]), 2)
    >>> [len(rows) for rows in batches.epoch(torch.Generator().manual_seed(0))]
    [1, 2, 2]
    """

    def __init__(self, bags: NDArray, items_per_step: int | None) -> None:
        order = np.argsort(bags, kind="stable")
        sizes = np.bincount(bags)
        ends = np.cumsum(sizes)
        rows = torch.as_tensor(order)
        self._members = [
            rows[end - size : end]
            for size, end in zip(sizes.tolist(), ends.tolist(), strict=True)
            if size
        ]
        self._most = items_per_step
        typical = float(np.median(sizes[sizes > 0]))
        together = 1 if items_per_step is None else int(items_per_step // typical)
        self._together = max(1, together)

    @property
    def largest(self) -> int:
        """Items of the largest batch that may come."""
        sizes = sorted(len(rows) for rows in self._members)
        most = self._most or sizes[-1]
        return sum(min(size, most) for size in sizes[-self._together :])

    def __len__(self) -> int:
        return ceil(len(self._members) / self._together)

    def epoch(self, generator: torch.Generator) -> Sequence[Tensor]:
        """List the row numbers of every batch of the next epoch."""
        order = torch.randperm(len(self._members), generator=generator).tolist()
        parts = [self._part(self._members[bag], generator) for bag in order]
        step = self._together
        return [torch.cat(parts[i : i + step]) for i in range(0, len(parts), step)]

    def _part(self, rows: Tensor, generator: torch.Generator) -> Tensor:
        if self._most is None or len(rows) <= self._most:
            return rows
        return rows[torch.randperm(len(rows), generator=generator)[: self._most]]
