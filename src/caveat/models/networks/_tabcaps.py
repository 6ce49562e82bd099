"""TabCaps: capsules of columns that agree on a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, one_hot

from caveat.models._tasks import CLASSIFICATION
from caveat.models.networks._base import NetworkModel
from caveat.models.networks._danets import AbstractLayer
from caveat.models.networks._layers import entmax15
from caveat.models.networks._layout import Layout
from caveat.models.networks._objective import Supervised
from caveat.training import Batch, Run


class CapsuleNet(nn.Module):
    """Primary capsules, routing by agreement of leaves, capsules of classes."""

    def __init__(self, model: TabCaps, layout: Layout, n_classes: int) -> None:
        super().__init__()
        d, q = layout.width, layout.width + model.init_dim
        p, out = model.primary_capsules + 1, n_classes * model.sub_class
        self.sub, self.classes = model.sub_class, n_classes
        self.enter = nn.Linear(d, model.init_dim)
        self.scale = nn.Parameter(torch.empty(p - 1, q))
        self.norm = nn.LayerNorm(q)
        self.weight = nn.Parameter(torch.empty(p, out, q, model.digit_size))
        self.leaves = nn.Parameter(torch.empty(model.leaves, model.digit_size))
        self.threshold = nn.Parameter(torch.empty(p, out))
        self.out_norm = nn.LayerNorm(model.digit_size)
        inner = model.sub_class * model.digit_size
        self.first = AbstractLayer(inner, 16, 3)
        self.second = AbstractLayer(inner + 16, 32, 3)
        self.back = nn.Linear(32, d)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw scales and weights normally, leaves and thresholds uniformly."""
        nn.init.normal_(self.scale)
        nn.init.normal_(self.weight)
        nn.init.uniform_(self.leaves)
        nn.init.uniform_(self.threshold)

    def capsules(self, x: Tensor) -> Tensor:
        """Make the capsules of the classes: (n, classes * sub, digit size)."""
        wide = torch.cat([x, self.enter(x)], 1)
        primary = torch.cat([wide[:, None] * self.scale, wide[:, None]], 1)
        prior = torch.einsum(
            "npq,poqt->npot", self.norm(primary), entmax15(self.weight, dim=2)
        )
        leaves = self.leaves / self.leaves.norm(dim=1, keepdim=True)
        votes = (prior @ leaves.T).sigmoid()
        distance = (votes - votes.mean(1, keepdim=True)).square().mean(-1)
        weight = (self.threshold.square() - distance).relu().softmax(1)
        return self.out_norm((weight[..., None] * prior).sum(1))

    def scores(self, capsules: Tensor) -> Tensor:
        """Add up the lengths of a class's capsules."""
        lengths = dropout(capsules.norm(dim=-1), 0.2, self.training)
        return lengths.unflatten(1, (self.classes, self.sub)).sum(-1)

    def forward(self, x: Tensor) -> Tensor:
        """Answer rows."""
        return self.scores(self.capsules(x))

    def rebuilt(self, capsules: Tensor, y: Tensor) -> Tensor:
        """Make the columns again from the capsules of the true class."""
        by_class = capsules.unflatten(1, (self.classes, self.sub))
        own = by_class[torch.arange(len(y), device=y.device), y].flatten(1)
        first = self.first(own)
        return self.back(self.second(torch.cat([own, first], 1)))


class Margins(Supervised):
    """Margins on the softmax of the scores, and a small price of reconstruction."""

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Compute the loss of a batch."""
        module = run.module
        assert isinstance(module, CapsuleNet)
        x, y = batch.view(self.look), batch["y"]
        capsules = module.capsules(x)
        losses = margin_loss(module.scores(capsules).softmax(1), y)
        errors = (module.rebuilt(capsules, y) - x).square().sum(1)
        w = batch.tensors.get("w")
        rows = losses if w is None else w * losses
        return rows.mean() + 1e-6 * errors.sum()


def margin_loss(s: Tensor, y: Tensor) -> Tensor:
    """Σ_c 1[c = y] relu(0.9 - s_c)² + 0.5 · 1[c ≠ y] relu(s_c - 0.1)² of each row."""
    true = one_hot(y, s.shape[1]).to(s.dtype)
    missed, wrong = (0.9 - s).relu().square(), (s - 0.1).relu().square()
    return (true * missed + 0.5 * (1 - true) * wrong).sum(1)


def _shrinking(optimiser: torch.optim.Optimizer) -> Any:
    return torch.optim.lr_scheduler.StepLR(optimiser, 20, 0.95)


@dataclass(eq=False, repr=False)
class TabCaps(NetworkModel):
    """Capsules: whole vectors of columns that vote for classes. Classification only.

    x' = [x; W x]; primary capsules c_p = LN(x' * w_p), the last LN(x'); priors u_po =
    entmax(W_po)^T c_p; votes σ(l_j · u_po) of unit leaves l_j; weight softmax_p
    relu(θ_po² - mean_j (vote - mean_p vote)²); capsule o = LN(Σ_p weight u_po); score
    of a class = sum of |o| over its capsules. Loss: margins on the softmax of the
    scores, + 1e-6 times the squared error of a reconstruction from the true class's
    capsules.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass"}
    init_dim : int, default=64
        How many learnt columns join those of the table.
    primary_capsules, digit_size, leaves : int, default=16, 16, 16
    sub_class : int, default=3
        Capsules of a class.
    learning_rate, weight_decay : float, default=1e-3, 2e-4
        Of AdamW; the rate shrinks by 5 % every 20 passes.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    Margins do not make probabilities: its log-loss is poor where its accuracy is good.
    Memory grows with classes times columns. The authors' optimiser is QHAdam.

    References
    ----------
    .. [1] J. Chen et al. (2023). TabCaps: a capsule neural network for tabular data
       classification with BoW routing. ICLR.
    """

    init_dim: int = 64
    primary_capsules: int = 16
    digit_size: int = 16
    leaves: int = 16
    sub_class: int = 3
    learning_rate: float = 1e-3
    weight_decay: float = 2e-4

    tasks: ClassVar[tuple[str, ...]] = CLASSIFICATION
    _schedule: ClassVar[Any] = staticmethod(_shrinking)

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        return CapsuleNet(self, layout, n_outputs)

    def _objective(self, view: str) -> Supervised:
        return Margins(True, view)
