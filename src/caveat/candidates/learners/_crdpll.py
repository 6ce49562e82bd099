"""CRDPLL: several views of an image must agree on its label."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor

from caveat.candidates._algorithm import check_number
from caveat.candidates._losses import (
    candidate_softmax,
    divergence,
    exclusion_entropy,
    uniform_confidences,
)
from caveat.candidates.learners._contrast import ViewAlgorithm
from caveat.exceptions import InvalidInput
from caveat.training import Batch, Run


class Crdpll(ViewAlgorithm):
    """CRDPLL: labels outside the set are unlearnt, those inside agreed on.

    Confidences are the geometric mean of what the views say, within the set; every
    view is drawn to them, more and more during the first half of the run.

    Parameters
    ----------
    lam : float, default=1.0
        Largest weight of the agreement.
    n_views : {2, 3}, default=2
        Weak and strong; with 3 also the image as it is.
    second_forward : bool or None, default=None
        Look at the views again after the step, which doubles the passes. None is
        False for "paper", True for "plench".
    allow_identical_views : bool, default=False
        See `ViewAlgorithm`.
    variant : {"paper", "plench"}, default="paper"

    Warnings
    --------
    Views that change what an image shows (a 6 turned upside down) make it agree on
    the wrong thing.

    References
    ----------
    .. [1] D.-D. Wu et al. (2022). Revisiting consistency regularization for deep
       partial label learning. ICML.
    """

    deviation: ClassVar[str] = (
        "confidences from second passes after the step, four passes instead of two"
    )
    parts: ClassVar[tuple[str, ...]] = ("kl_weak", "kl_strong", "sup")
    kept: ClassVar[tuple[str, ...]] = ("W",)

    def __init__(
        self,
        *,
        lam: float = 1.0,
        n_views: int = 2,
        second_forward: bool | None = None,
        **common: Any,
    ) -> None:
        super().__init__(**common)
        self.lam = check_number("lam", lam, 0)
        if n_views not in (2, 3):
            raise InvalidInput(f"n_views is {n_views!r}; pass 2 or 3")
        self.views = ("weak", "strong", "plain")[:n_views]
        self.second_forward = (
            self.is_plench if second_forward is None else second_forward
        )

    def begin(self, run: Run) -> None:
        """Start from equal confidences."""
        super().begin(run)
        self.W = uniform_confidences(run.data["candidates"])

    def agreement(self, run: Run) -> float:
        """Give the weight of the agreement in this step."""
        return min(1.0, run.updates / (run.total / 2)) * self.lam

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Divergence of every view from the confidences; entropy outside the sets."""
        answers = self._answers(run, batch)
        W = self.W.index_select(0, batch.rows)
        apart = [divergence(W, z) for z in answers]
        sup = exclusion_entropy(answers[0], batch["candidates"])
        self.keep(logits=answers[0], logits_strong=answers[1])
        self.keep(sup=sup, kl_weak=apart[0], kl_strong=apart[1])
        self.answers = [z.detach() for z in answers]
        return self.agreement(run) * torch.stack(apart).sum() + sup

    def _answers(self, run: Run, batch: Batch) -> list[Tensor]:
        return [run.module(batch.view(name)) for name in self.views]

    def after_step(self, run: Run, batch: Batch) -> None:
        """Replace confidences by the geometric mean of the views, within the sets."""
        answers = self.answers
        if self.second_forward:
            with torch.no_grad():
                answers = self._answers(run, batch)
        # The mean of log-probabilities; a softmax forgives each view's constant.
        mean = torch.stack(answers).mean(dim=0)
        found = candidate_softmax(mean, batch["candidates"])
        self.W.index_copy_(0, batch.rows, found)
