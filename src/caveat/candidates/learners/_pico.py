"""PiCO: class prototypes from contrasted views, and labels from prototypes."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from caveat.candidates._algorithm import check_number
from caveat.candidates._losses import uniform_confidences, weighted_cross_entropy
from caveat.candidates.learners._contrast import (
    TEMPERATURE,
    Queued,
    Ring,
    ViewAlgorithm,
    add_follower,
    add_head,
    best_candidates,
    check_start,
    first_full_step,
    first_keys,
    follow,
    instance_loss,
    log_shares,
    mean_over,
    move_prototypes,
)
from caveat.training import Batch, Run


@dataclass(frozen=True)
class Contrast:
    """What a step has computed of its batch.

    Attributes
    ----------
    z, h : tensor
        Logits and unit-length features of the weak view.
    k : tensor
        Features of the strong view, from the key network.
    c : tensor
        Class that every item is taken for.
    a : tensor
        How similar an item is to every prototype, as shares.
    others : tensor
        Features that the batch is contrasted with, besides itself: keys and queue.
    labels : tensor
        Of the batch and of the others.
    """

    z: Tensor
    h: Tensor
    k: Tensor
    c: Tensor
    a: Tensor
    others: Tensor
    labels: Tensor


class Pico(Queued, ViewAlgorithm):
    """PiCO: an item is labelled by the nearest class prototype among its candidates.

    A query network sees the weak view, a key network, which follows it slowly, the
    strong one. Features of items that are taken for one class attract each other,
    classes get prototypes, and confidences move towards the nearest prototype.

    Parameters
    ----------
    start : int or None, default=None
        Steps before prototypes count: until then an item attracts its own key only.
        None is one epoch, of "plench" the 178 steps that this is in the benchmark.
    width : int, default=128
        Of the features that are contrasted.
    queue : int, default=8192
        Keys of earlier steps that are kept.
    momentum : float, default=0.999
        Of the key network.
    prototype_momentum : float, default=0.99
    weight : float, default=0.5
        Of the contrastive loss.
    first_momentum, last_momentum : float, default=0.95, 0.8
        Of the confidences, at the first and the last step.
    allow_identical_views : bool, default=False
        See `ViewAlgorithm`.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    Prototypes of classes that are often candidates together are close: the method
    then agrees with itself on the wrong one.

    References
    ----------
    .. [1] H. Wang et al. (2022). PiCO: contrastive label disambiguation for partial
       label learning. ICLR.
    """

    deviation: ClassVar[str] = (
        "the first keys of the queue are divided by the norm of their column, so they "
        "are not of unit length until they are overwritten"
    )
    kept: ClassVar[tuple[str, ...]] = ("W", "prototypes")

    def __init__(
        self,
        *,
        start: int | None = None,
        width: int = 128,
        queue: int = 8192,
        momentum: float = 0.999,
        prototype_momentum: float = 0.99,
        weight: float = 0.5,
        first_momentum: float = 0.95,
        last_momentum: float = 0.8,
        **common: Any,
    ) -> None:
        super().__init__(**common)
        self.start = check_start(start)
        self.width = check_number("width", width, 1)
        self.queue = check_number("queue", queue, 1)
        self.momentum = check_number("momentum", momentum, 0, 1)
        self.prototype_momentum = check_number(
            "prototype_momentum", prototype_momentum, 0, 1
        )
        self.weight = check_number("weight", weight, 0)
        self.first_momentum = check_number("first_momentum", first_momentum, 0, 1)
        self.last_momentum = check_number("last_momentum", last_momentum, 0, 1)

    def begin(self, run: Run) -> None:
        """Set a head on the network, a key network beside it, and fill the queue."""
        super().begin(run)
        S = run.data["candidates"]
        self.W = uniform_confidences(S)
        self.query = add_head(run, self.width)
        self.key = add_follower(run, "key", deepcopy(self.query))
        self.prototypes = torch.zeros(S.shape[1], self.width, device=run.device)
        self.ring = Ring(
            keys=first_keys(self.queue, self.width, run, by_column=self.is_plench),
            # No class has the number -1, so the first keys are nobody's positives.
            labels=torch.full((self.queue,), -1, device=run.device),
        )

    def clock(self, run: Run) -> int:
        """Count the steps; variants of this class have a clock that stands still."""
        return run.updates

    def is_full(self, run: Run) -> bool:
        """Whether prototypes count."""
        return self.clock(run) >= first_full_step(self, run)

    def confidence_momentum(self, run: Run) -> float:
        """How much of its confidence an item keeps in this step."""
        if run.updates == 0:
            return 0.99
        done = max(self.clock(run) - 1, 0) / run.total
        return self.first_momentum + done * (self.last_momentum - self.first_momentum)

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Cross-entropy against the confidences, and the contrast of features."""
        found = self.contrast(run, batch)
        if self.is_full(run):
            self.move_confidences(run, batch, self.target(found, batch))
        cls = weighted_cross_entropy(found.z, self.W.index_select(0, batch.rows))
        con = self.contrastive(run, found)
        self.keep(cls=cls, con=con)
        return cls + self.weight * con

    def contrast(self, run: Run, batch: Batch) -> Contrast:
        """Look at both views; move prototypes, key network and queue on."""
        z, h = self.query(batch.view("weak"))
        detached = h.detach()
        c = self.taken_for(z.detach(), batch)
        a = (detached @ self.prototypes.T).softmax(dim=1)
        self.move(detached, c, batch)
        follow(self.key, self.query, self.momentum)
        with torch.no_grad():
            _, k = self.key(batch.view("strong"))
        others = torch.cat([k, self.ring["keys"]])
        labels = torch.cat([c, c, self.ring["labels"]])
        self.keep(logits=z, feat=torch.cat([detached, k]), pseudo=c, score_prot=a)
        return Contrast(z, h, k, c, a, others, labels)

    def taken_for(self, z: Tensor, batch: Batch) -> Tensor:
        """Take every item for its most probable candidate."""
        return best_candidates(z, batch["candidates"])

    def move(self, h: Tensor, c: Tensor, batch: Batch) -> None:
        """Move the prototypes towards the items of the batch."""
        move_prototypes(self.prototypes, h, c, self.prototype_momentum)

    def target(self, found: Contrast, batch: Batch) -> Tensor:
        """Name the class that confidences move to: the nearest candidate prototype."""
        return best_candidates(found.a, batch["candidates"])

    def move_confidences(self, run: Run, batch: Batch, target: Tensor) -> None:
        """Move the confidences of a batch towards a class each."""
        phi = self.confidence_momentum(run)
        goal = one_hot(target, self.W.shape[1]).to(self.W.dtype)
        moved = phi * self.W.index_select(0, batch.rows) + (1.0 - phi) * goal
        self.W.index_copy_(0, batch.rows, moved)

    def contrastive(self, run: Run, found: Contrast) -> Tensor:
        """Contrast with items of one's class, or at first with one's own key."""
        if not self.is_full(run):
            queue = found.others[len(found.h) :]
            return instance_loss(found.h, found.k, queue, TEMPERATURE)
        shares = log_shares(found.h, found.others, TEMPERATURE)
        return -mean_over(shares, found.c[:, None] == found.labels).mean()

    def after_step(self, run: Run, batch: Batch) -> None:
        """Let the keys of the batch into the queue."""
        keys = self.seen["feat"][len(batch) :]
        self.ring.push(keys=keys, labels=self.seen["pseudo"])
