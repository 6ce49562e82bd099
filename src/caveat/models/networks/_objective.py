"""What a network for tables minimises, unless its paper says otherwise."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import cross_entropy

from caveat.training import Batch, Objective, Run


class Supervised(Objective):
    """Cross-entropy, or squared error of the standardised target; weighted.

    Parameters
    ----------
    classify : bool
    view : str, default="plain"
        Which view of the rows is learnt from: "weak" takes columns away.
    """

    def __init__(self, classify: bool, view: str = "plain") -> None:
        self.classify = classify
        self.look = view
        self.views = (view,)

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Compute the loss of a batch."""
        return self.risk(run.forward(batch.view(self.look)), batch)

    def risk(self, z: Tensor, batch: Batch) -> Tensor:
        """Compute the mean loss of answers to a batch."""
        return mean_loss(z, batch["y"], batch.tensors.get("w"), self.classify)

    def judge(self, z: Tensor, y: Tensor, w: Tensor | None) -> float:
        """Give the loss on validation rows."""
        return float(mean_loss(z, y, w, self.classify))


def mean_loss(z: Tensor, y: Tensor, w: Tensor | None, classify: bool) -> Tensor:
    """Average the losses of rows; weights have mean 1 over all training rows."""
    if classify:
        losses = cross_entropy(z, y.long(), reduction="none")
    else:
        losses = (z[:, 0] - y).square()
    return losses.mean() if w is None else (w * losses).mean()
