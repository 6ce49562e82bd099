"""Which rows go into a step: a permutation of the row numbers, cut in pieces."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log2
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from caveat.exceptions import InvalidInput, UnknownName
from caveat.training._views import Views


@dataclass(frozen=True, slots=True)
class Batch:
    """The rows of one step.

    Attributes
    ----------
    rows : tensor of int64
        Their numbers in the training data: where a learner keeps something for
        every row, this is where to look it up.
    tensors : dict of str to tensor
        The rows themselves; ``batch["x"]`` is short for ``batch.tensors["x"]``.
    beside : Batch or None
        The second batch of the step, where the sampler gives two.
    """

    rows: Tensor
    tensors: Mapping[str, Tensor]
    beside: Batch | None = None
    source: Source | None = None
    made: dict[str, Tensor] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Tensor:
        return self.tensors[name]

    def __len__(self) -> int:
        return len(self.rows)

    def view(self, name: str = "plain") -> Tensor:
        """Give a view of ``batch["x"]``: made at first, the same ever after."""
        if name not in self.made:
            if self.source is None:
                raise InvalidInput("the batch belongs to no run; it has no views")
            self.made[name] = self.source.make(name, self["x"])
        return self.made[name]


@dataclass(frozen=True, slots=True)
class Source:
    """Where the views of a batch come from.

    Attributes
    ----------
    views : Views
    needed : collection of str
        What the objective has asked for.
    step : int
        How many updates were made before.
    second : bool
        Whether it is the second batch of the step.
    """

    views: Views
    needed: Collection[str]
    step: int
    second: bool = False

    def make(self, name: str, x: Tensor) -> Tensor:
        """Make a view that the objective has asked for."""
        if name not in self.needed:
            raise UnknownName(
                f"the view {name!r} was not asked for; name it in the objective's "
                "`views`"
            )
        return self.views.make(name, x, step=self.step, beside=self.second)


Rows = Tensor | tuple[Tensor, Tensor]
"""Row numbers of a step; two of them where a second batch goes beside the first."""


class Sampler(Protocol):
    """Anything that cuts an epoch into batches; its length is their number."""

    def __len__(self) -> int: ...

    def epoch(self, generator: torch.Generator) -> Sequence[Rows]:
        """List the row numbers of every batch of the next epoch.

        All randomness must come from `generator`: a run that is resumed in the
        middle of an epoch draws its batches again.
        """
        ...


class Shuffled:
    """All rows in random order, cut into batches.

    Parameters
    ----------
    n_rows : int
        How many rows there are.
    batch_size : int
        Rows in a batch; at most `n_rows`.
    drop_last : bool, default=False
        Leave a last, smaller batch out of the epoch.

    Examples
    --------
    >>> import torch
    >>> sampler = Shuffled(5, 2)
    >>> [len(rows) for rows in sampler.epoch(torch.Generator())]
    [2, 2, 1]
    """

    def __init__(
        self, n_rows: int, batch_size: int, *, drop_last: bool = False
    ) -> None:
        if n_rows < 1:
            raise InvalidInput(f"there are {n_rows} rows to train on; one is the least")
        if batch_size < 1:
            raise InvalidInput(f"batch_size is {batch_size}; one row is the least")
        self.n_rows = n_rows
        self.batch_size = min(batch_size, n_rows)
        self.drop_last = drop_last

    def __len__(self) -> int:
        if self.drop_last:
            return self.n_rows // self.batch_size
        return ceil(self.n_rows / self.batch_size)

    def epoch(self, generator: torch.Generator) -> Sequence[Tensor]:
        """List the row numbers of every batch of the next epoch."""
        order = torch.randperm(self.n_rows, generator=generator)
        return order.split(self.batch_size)[: len(self)]


class Weighted:
    """Rows in random order, each as often as it weighs, cut into batches.

    A row of weight w is in an epoch ``n w / sum(w)`` times on average: at least the
    whole part of that, and once more with the rest as its probability.

    Parameters
    ----------
    weights : array-like
        Of every row; none negative.
    batch_size : int
    drop_last : bool, default=False

    Examples
    --------
    >>> import torch
    >>> sampler = Weighted([2.0, 1.0, 0.0], 3)
    >>> sampler.epoch(torch.Generator().manual_seed(0))[0].sort().values
    tensor([0, 0, 1])
    """

    def __init__(
        self, weights: Any, batch_size: int, *, drop_last: bool = False
    ) -> None:
        values = torch.as_tensor(np.asarray(weights, dtype=np.float64))
        self.ends = values.cumsum(0) * (len(values) / values.sum())
        self.inner = Shuffled(len(values), batch_size, drop_last=drop_last)

    def __len__(self) -> int:
        return len(self.inner)

    def epoch(self, generator: torch.Generator) -> Sequence[Tensor]:
        """List the row numbers of every batch of the next epoch."""
        count = self.inner.n_rows
        # A comb of n teeth over the weights laid end to end, shifted at random.
        teeth = torch.arange(count) + torch.rand(1, generator=generator)
        rows = torch.searchsorted(self.ends, teeth.double(), right=True)
        drawn = rows.clamp(max=count - 1)
        order = torch.randperm(count, generator=generator)
        return drawn[order].split(self.inner.batch_size)[: len(self)]


class Paired:
    """Two batches a step: an epoch of the first, beside it as many of the second.

    Parameters
    ----------
    first : Sampler
        Its epochs count.
    second : Sampler
        Drawn again, in another order, whenever it is through.

    Examples
    --------
    >>> import torch
    >>> sampler = Paired(Shuffled(6, 2), Shuffled(2, 2))
    >>> [(len(a), len(b)) for a, b in sampler.epoch(torch.Generator())]
    [(2, 2), (2, 2), (2, 2)]
    """

    def __init__(self, first: Sampler, second: Sampler) -> None:
        self.first = first
        self.second = second

    def __len__(self) -> int:
        return len(self.first)

    def epoch(self, generator: torch.Generator) -> Sequence[Any]:
        """List the row numbers of both batches of every step."""
        beside: list[Rows] = []
        while len(beside) < len(self):
            beside += self.second.epoch(generator)
        return list(zip(self.first.epoch(generator), beside, strict=False))


def suggest_batch_size(n_rows: int) -> int:
    """Choose a batch size that gives small tables several steps an epoch.

    The power of two at or above a quarter of the rows, between 32 and 1024.

    Examples
    --------
    >>> [suggest_batch_size(n) for n in (10, 600, 100_000)]
    [32, 256, 1024]
    """
    return int(min(1024, max(32, 2 ** ceil(log2(max(n_rows, 1) / 4)))))


def as_tensors(data: Mapping[str, Any], device: torch.device) -> dict[str, Tensor]:
    """Put training data on the device: reals as float32, whole numbers as int64.

    Bytes stay bytes: an image takes eight times the memory otherwise, and a view turns
    those of a batch into numbers.
    """
    if not data:
        raise InvalidInput("there is no data to train on; pass {'x': ..., 'y': ...}")
    tensors = {name: _as_tensor(value, device) for name, value in data.items()}
    lengths = {name: len(tensor) for name, tensor in tensors.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name!r}: {length}" for name, length in lengths.items())
        raise InvalidInput(f"the data have different numbers of rows ({found})")
    if not next(iter(lengths.values())):
        raise InvalidInput("the data have 0 rows; one is the least")
    return tensors


def _as_tensor(value: Any, device: torch.device) -> Tensor:
    # A copy of what numpy holds: torch would share memory, and warn if read-only.
    tensor = value if isinstance(value, Tensor) else torch.tensor(np.asarray(value))
    if tensor.is_floating_point():
        return tensor.to(device, torch.float32).contiguous()
    image = tensor.dtype is torch.uint8 and tensor.ndim > 1
    kept = image or tensor.dtype is torch.bool
    return tensor.to(device, tensor.dtype if kept else torch.int64).contiguous()
