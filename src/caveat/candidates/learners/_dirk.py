"""DIRK: a teacher rectifies labels, a student learns them and contrasts features."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn import functional

from caveat.candidates._algorithm import check_number
from caveat.candidates._losses import TINY, candidate_softmax, weighted_cross_entropy
from caveat.candidates.learners._contrast import (
    TEMPERATURE,
    Encoder,
    Queued,
    Ring,
    ViewAlgorithm,
    add_follower,
    add_head,
    check_start,
    first_full_step,
    first_keys,
    follow,
    instance_loss,
    log_shares,
    without_oneself,
)
from caveat.training import Batch, Run, fresh_copy


class Dirk(Queued, ViewAlgorithm):
    """DIRK: learn a teacher's opinion, corrected so that candidates come first.

    The teacher follows the student slowly. Its opinion of a third view is rectified:
    every candidate is put above every other label, and the order within both is kept.
    Items whose rectified labels agree attract each other's features.

    Parameters
    ----------
    momentum : float, default=0.99
        Of the teacher.
    queue : int, default=8192
        Items of earlier steps that are kept for the contrast.
    width : int, default=128
        Of the features that are contrasted.
    start : int or None, default=None
        Steps before labels count in the contrast; None as in `Pico`.
    weight : float, default=1.0
        Of the contrastive loss.
    label_temperature : float, default=0.4
        Of the weights of partners, by the similarity of their labels.
    temperature : float, default=0.07
        Of the contrast.
    allow_identical_views : bool, default=False
        See `ViewAlgorithm`.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    Three views, two of them twice: it takes about twice as long as PiCO.

    References
    ----------
    .. [1] D.-D. Wu et al. (2024). Distilling reliable knowledge for instance-dependent
       partial label learning. AAAI.
    """

    deviation: ClassVar[str] = (
        "the teacher starts with random weights of its own; first queue as in PiCO, "
        "with random labels that count as partners until they are overwritten"
    )
    views: tuple[str, ...] = ("weak", "strong", "distill")

    def __init__(
        self,
        *,
        momentum: float = 0.99,
        queue: int = 8192,
        width: int = 128,
        start: int | None = None,
        weight: float = 1.0,
        label_temperature: float = 0.4,
        temperature: float = TEMPERATURE,
        **common: Any,
    ) -> None:
        super().__init__(**common)
        self.momentum = check_number("momentum", momentum, 0, 1)
        self.queue = check_number("queue", queue, 1)
        self.width = check_number("width", width, 1)
        self.start = check_start(start)
        self.weight = check_number("weight", weight, 0)
        self.label_temperature = check_number(
            "label_temperature", label_temperature, 1e-3
        )
        self.temperature = check_number("temperature", temperature, 1e-3)

    def begin(self, run: Run) -> None:
        """Set a head on the student, a teacher beside it, and fill the queue."""
        super().begin(run)
        q = run.data["candidates"].shape[1]
        self.student = add_head(run, self.width)
        twin = fresh_copy if self.is_plench else deepcopy
        teacher = Encoder(twin(run.module), twin(self.student.head))
        self.teacher = add_follower(run, "teacher", teacher)
        drawn = torch.randn if self.is_plench else torch.zeros
        self.ring = Ring(
            keys=first_keys(self.queue, self.width, run, by_column=self.is_plench),
            labels=drawn(self.queue, q, device=run.device),
            # Without a candidate in common nobody is a partner.
            candidates=drawn(self.queue, q, device=run.device),
        )

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Cross-entropy against rectified labels, and the contrast of features."""
        S = batch["candidates"]
        with torch.no_grad():
            _, k = self.teacher(batch.view("weak"))
            opinion, _ = self.teacher(batch.view("distill"))
            r = rectified(opinion, S)
        z, _ = self.student(batch.view("distill"))
        _, h = self.student(batch.view("strong"))
        cls = weighted_cross_entropy(z, r)
        if run.updates < first_full_step(self, run):
            con = instance_loss(h, k, self.ring["keys"], self.temperature)
        else:
            con = self._contrast(h, k, r, S)
        self.keep(logits=z, feat=torch.cat([h.detach(), k]), r=r, cls=cls, con=con)
        return cls + self.weight * con

    def _contrast(self, h: Tensor, k: Tensor, r: Tensor, S: Tensor) -> Tensor:
        """Contrast with items of the same rectified label, by similarity of labels."""
        own = S.to(h.dtype)
        labels = torch.cat([r, r, self.ring["labels"]])
        sets = torch.cat([own, own, self.ring["candidates"]])
        same = r.argmax(dim=1)[:, None] == labels.argmax(dim=1)
        partners = without_oneself(same & (own @ sets.T != 0))
        near = functional.normalize(r, dim=1) @ functional.normalize(labels, dim=1).T
        weights = candidate_softmax(near / self.label_temperature, partners)
        others = torch.cat([k, self.ring["keys"]])
        shares = log_shares(h, others, self.temperature)
        rows = (weights * shares).sum(dim=1)
        return -rows.mean() * self.temperature / TEMPERATURE

    def after_step(self, run: Run, batch: Batch) -> None:
        """Let the teacher follow, and the batch into the queue."""
        follow(self.teacher, self.student, self.momentum)
        self.ring.push(
            keys=self.seen["feat"][len(batch) :],
            labels=self.seen["r"],
            candidates=batch["candidates"],
        )


def rectified(z: Tensor, S: Tensor) -> Tensor:
    """Mix the shares within and outside a set, such that candidates come first.

    With u and v the shares within and outside and s the set's mass, r = alpha u +
    (1 - alpha) v and alpha = max v / (max v + s min u): then the least candidate is
    1 / s times the largest other label. Full sets have alpha 1.

    Examples
    --------
    >>> import torch
    >>> z = torch.tensor([[0.1, 0.6, 0.3]]).log()
    >>> rectified(z, torch.tensor([[True, False, True]])).round(decimals=3)
    tensor([[0.2270, 0.0910, 0.6820]])
    """
    u = candidate_softmax(z, S)
    p = z.softmax(dim=1)
    outside = p * ~S
    v = outside / (outside.sum(dim=1, keepdim=True) + 1e-20)
    mass = (p * S).sum(dim=1, keepdim=True)
    top = v.amax(dim=1, keepdim=True)
    low = u.masked_fill(~S, 1.0).amin(dim=1, keepdim=True)
    alpha = torch.where(top > 0, top / (top + mass * low).clamp(min=TINY), 1.0)
    return alpha * u + (1.0 - alpha) * v
