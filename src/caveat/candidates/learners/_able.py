"""ABLE: features attract each other by how well candidate sets explain it."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from caveat.candidates._algorithm import check_number
from caveat.candidates._losses import (
    candidate_softmax,
    uniform_confidences,
    weighted_cross_entropy,
)
from caveat.candidates.learners._contrast import (
    TEMPERATURE,
    ViewAlgorithm,
    add_head,
    best_candidates,
    log_shares,
    without_oneself,
)
from caveat.training import Batch, Run


class Able(ViewAlgorithm):
    """ABLE: contrast with every item that one's candidates might have in common.

    An item attracts those that are taken for one of its candidates, by the confidence
    it has in that candidate. Both views go through the network together.

    Parameters
    ----------
    width : int, default=128
        Of the features that are contrasted.
    weight : float, default=1.0
        Of the contrastive loss.
    temperature : float, default=0.07
        Of the contrast.
    allow_identical_views : bool, default=False
        See `ViewAlgorithm`.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    The weights of an item's partners add up to about 2, not to 1, so `weight` counts
    twice; this is so in the published method, too.

    References
    ----------
    .. [1] S. Xia et al. (2022). Ambiguity-induced contrastive learning for
       instance-dependent partial label learning. IJCAI.
    """

    deviation: ClassVar[str] = (
        "partners are weighted with the confidences of the first training rows, not "
        "of the rows in the batch"
    )
    kept: ClassVar[tuple[str, ...]] = ("W",)

    def __init__(
        self,
        *,
        width: int = 128,
        weight: float = 1.0,
        temperature: float = TEMPERATURE,
        **common: Any,
    ) -> None:
        super().__init__(**common)
        self.width = check_number("width", width, 1)
        self.weight = check_number("weight", weight, 0)
        self.temperature = check_number("temperature", temperature, 1e-3)

    def begin(self, run: Run) -> None:
        """Start from equal confidences, with a head on the network."""
        super().begin(run)
        self.W = uniform_confidences(run.data["candidates"])
        self.encoder = add_head(run, self.width)

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Cross-entropy against the confidences, and the weighted contrast."""
        count, S = len(batch), batch["candidates"]
        # One pass for both views: batch statistics are joint.
        both = torch.cat([batch.view("weak"), batch.view("strong")])
        logits, h = self.encoder(both)
        z = logits[:count]
        W = self.W.index_select(0, batch.rows)
        cls = weighted_cross_entropy(z, W)
        believed = self.W[:count] if self.is_plench else W
        shares = log_shares(h, h[:0], self.temperature)
        partners = partner_weights(believed * S, best_candidates(z.detach(), S))
        con = -(partners * shares).sum() / (2 * count) * self.temperature / TEMPERATURE
        self.keep(logits=z, logits_strong=logits[count:], feat=h, cls=cls, con=con)
        return cls + self.weight * con

    def after_step(self, run: Run, batch: Batch) -> None:
        """Replace the confidences of the batch by the model's."""
        found = candidate_softmax(self.seen["logits"], batch["candidates"])
        self.W.index_copy_(0, batch.rows, found)


def partner_weights(believed: Tensor, c: Tensor) -> Tensor:
    """Weight of every pair among both views of a batch; oneself has none.

    Parameters
    ----------
    believed : tensor of shape (items, classes)
        Confidences, 0 outside the sets.
    c : tensor of shape (items,)
        Class that every item is taken for.
    """
    member = one_hot(c, believed.shape[1]).to(believed.dtype)
    weights = believed @ (member / member.sum(dim=0).clamp(min=1)).T
    tiled = weights.repeat(2, 2)
    return tiled * without_oneself(torch.ones_like(tiled, dtype=torch.bool))
