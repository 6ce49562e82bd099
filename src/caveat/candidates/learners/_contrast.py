"""What algorithms that contrast views of items share: losses, queues, prototypes.

Throughout, ``h`` are unit-length features of the batch, with gradients. They are
contrasted with one another and with others, such as keys and the queue.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from caveat.candidates._algorithm import Algorithm, check_number
from caveat.exceptions import InvalidInput
from caveat.training import Batch, ProjectionHead, Run, last_layer, with_features

#: Temperature of the methods where they have no other; they scale losses by it, too.
TEMPERATURE = 0.07


#: Steps of the benchmark's first phase, about an epoch of its images.
FIRST_STEPS = 178


class ViewAlgorithm(Algorithm):
    """Base of algorithms that compare several views of an item.

    Parameters
    ----------
    allow_identical_views : bool, default=False
        Run on a table, too, where all views of a row are the row itself. Such a run
        says nothing about the method.

    Attributes
    ----------
    seen : dict of str to tensor
        What the last step computed: logits, features, parts of the loss.
    """

    needs_views: ClassVar[bool] = True
    #: Parts of the loss, as `seen` names them.
    parts: ClassVar[tuple[str, ...]] = ("cls", "con")
    views: tuple[str, ...] = ("weak", "strong")

    def __init__(self, *, allow_identical_views: bool = False, **common: Any) -> None:
        super().__init__(**common)
        self.allow_identical_views = allow_identical_views

    def begin(self, run: Run) -> None:
        """Refuse a table, unless it is asked for."""
        self.seen: dict[str, Tensor] = {}
        if not self.allow_identical_views and not run.views.differ(self.views):
            # A docstring begins with the name that papers use.
            name = (type(self).__doc__ or type(self).__name__).partition(":")[0]
            raise InvalidInput(
                f"{name} compares several views of an image, "
                "and a row of a table has only one; use another algorithm, such as "
                "'proden', or pass params={'allow_identical_views': True}"
            )

    def step(self, run: Run, batch: Batch) -> float | Tensor:
        """Forget the step before, and make one update."""
        self.seen = {}
        return super().step(run, batch)

    def keep(self, **found: Tensor) -> None:
        """Note what a step computed."""
        self.seen |= {name: value.detach() for name, value in found.items()}


def check_start(start: Any) -> int | None:
    """Refuse a length of the first phase that is none."""
    return None if start is None else check_number("start", start, 0)


def first_full_step(algorithm: Any, run: Run) -> int:
    """Give the first step of the second phase.

    A first phase of a fixed number of steps would take most of a short run, or all of
    it: what it ends with needs epochs to be unlearnt.
    """
    if algorithm.start is not None:
        return algorithm.start
    return FIRST_STEPS if algorithm.is_plench else run.batches_per_epoch


class Encoder(nn.Module):
    """A network with a projection head: logits and unit-length features."""

    def __init__(self, network: nn.Module, head: nn.Module) -> None:
        super().__init__()
        self.network = network
        self.head = head

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Give logits and features of a batch."""
        logits, features = with_features(self.network, x)
        return logits, self.head(features)


def add_head(run: Run, width: int) -> Encoder:
    """Give the run's network a head that learns with it."""
    head = ProjectionHead(last_layer(run.module).in_features, width)
    return Encoder(run.module, run.add("head", head))


def add_follower(run: Run, name: str, encoder: Encoder) -> Encoder:
    """Set an encoder beside the run's that gets no gradient."""
    run.add(name, encoder.requires_grad_(False))
    return encoder


@torch.no_grad()
def follow(slow: nn.Module, fast: nn.Module, momentum: float) -> None:
    """Move the weights of one network a little towards another's.

    Weights only: each network keeps batch statistics of its own.
    """
    for own, other in zip(slow.parameters(), fast.parameters(), strict=True):
        own.lerp_(other, 1.0 - momentum)


class Ring:
    """Columns of the last so many items: what comes in overwrites the oldest.

    Examples
    --------
    >>> import torch
    >>> ring = Ring(keys=torch.zeros(3, 1), labels=torch.full((3,), -1))
    >>> for number in (5, 6):
    ...     ring.push(keys=torch.full((2, 1), float(number)),
    ...               labels=torch.full((2,), number))
    >>> ring["labels"].tolist(), ring.pointer
    ([6, 5, 6], 1)
    """

    def __init__(self, **columns: Tensor) -> None:
        self.columns = columns
        self.pointer = 0

    def __getitem__(self, name: str) -> Tensor:
        return self.columns[name]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def push(self, **items: Tensor) -> None:
        """Let items in; the last ones, where they are more than there is room for."""
        count = len(next(iter(items.values())))
        size = len(self)
        spots = (self.pointer + torch.arange(count)) % size
        for name, values in items.items():
            column = self.columns[name]
            where = spots.to(column.device)[-size:]
            column[where] = values.detach()[-size:].to(column.dtype)
        self.pointer = (self.pointer + count) % size

    def state(self) -> dict[str, Any]:
        """Return everything, for a file."""
        return {"columns": dict(self.columns), "pointer": self.pointer}

    def load(self, state: Mapping[str, Any], device: torch.device) -> None:
        """Take everything back."""
        self.columns = {k: v.to(device) for k, v in state["columns"].items()}
        self.pointer = state["pointer"]


class Queued(Algorithm):
    """Base of algorithms with a queue, which is written and read with the rest."""

    ring: Ring

    def state(self) -> Any:
        """Return everything, the queue too."""
        return {**super().state(), "ring": self.ring.state()}

    def load_state(self, run: Run, state: Any) -> None:
        """Take everything back."""
        super().load_state(run, state)
        self.ring.load(state["ring"], run.device)


def first_keys(size: int, width: int, run: Run, *, by_column: bool) -> Tensor:
    """Draw the first keys of a queue, of unit length.

    Published code divides every column by its norm, where rows are meant.
    """
    drawn = torch.randn(size, width, device=run.device)
    return functional.normalize(drawn, dim=0 if by_column else 1)


def instance_loss(h: Tensor, k: Tensor, others: Tensor, temperature: float) -> Tensor:
    """InfoNCE: tell an item's own key from the keys of others."""
    own = (h * k).sum(dim=1, keepdim=True)
    logits = torch.cat([own, h @ others.T], dim=1) / temperature
    first = torch.zeros(len(h), dtype=torch.int64, device=h.device)
    return functional.cross_entropy(logits, first)


def log_shares(h: Tensor, others: Tensor, temperature: float) -> Tensor:
    """Log-softmax of similarities to ``[h; others]``, oneself left out.

    Its own entry is 0 in every row. No gradient goes to the others, which are most of
    the features, so none is computed for them.
    """
    logits = torch.cat([h @ h.T, h @ others.detach().T], dim=1) / temperature
    oneself = _diagonal(logits)
    rest = logits.masked_fill(oneself, -math.inf)
    return rest.log_softmax(dim=1).masked_fill(oneself, 0.0)


def mean_over(shares: Tensor, positives: Tensor) -> Tensor:
    """Mean log-share of every anchor's positives; 0 where it has none."""
    chosen = without_oneself(positives)
    return (shares * chosen).sum(dim=1) / chosen.sum(dim=1).clamp(min=1)


def without_oneself(positives: Tensor) -> Tensor:
    """Leave every anchor out of its own positives."""
    return positives & ~_diagonal(positives)


def _diagonal(like: Tensor) -> Tensor:
    return torch.eye(*like.shape, dtype=torch.bool, device=like.device)


@torch.no_grad()
def move_prototypes(prototypes: Tensor, h: Tensor, c: Tensor, momentum: float) -> None:
    """Move the prototype of every item's class towards the item, one after another.

    In closed form: with items s = 1..r of a class in the order of the batch, m^r mu +
    (1 - m) sum_s m^(r-s) h_s. Then all prototypes get unit length; those that saw
    nothing stay 0.

    Parameters
    ----------
    prototypes : tensor of shape (classes, width)
        Changed in place.
    h : tensor of shape (items, width)
    c : tensor of shape (items,)
        Class of every item.
    momentum : float

    Examples
    --------
    >>> import torch
    >>> prototypes = torch.zeros(2, 2)
    >>> move_prototypes(prototypes, torch.eye(2), torch.tensor([0, 0]), 0.5)
    >>> prototypes
    tensor([[0.4472, 0.8944],
            [0.0000, 0.0000]])
    """
    member = functional.one_hot(c, len(prototypes)).to(h.dtype)
    counts = member.sum(dim=0)
    later = ((counts - member.cumsum(dim=0)) * member).sum(dim=1)
    weight = (1.0 - momentum) * momentum**later
    moved = prototypes * (momentum**counts)[:, None] + (member * weight[:, None]).T @ h
    prototypes.copy_(functional.normalize(moved, dim=1))


def best_candidates(scores: Tensor, S: Tensor) -> Tensor:
    """Give the candidate with the largest score of every row."""
    return scores.masked_fill(~S, -math.inf).argmax(dim=1)
