"""ModernNCA: soft nearest neighbours in a learnt space."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from caveat.exceptions import InvalidInput
from caveat.models._tasks import is_classification
from caveat.models.networks._base import NetworkModel
from caveat.models.networks._layout import Layout
from caveat.models.networks._objective import Supervised
from caveat.models.networks._retrieval import Memory, Retrieval, Waves
from caveat.training import Batch

_LEAST = 1e-7


class NCANet(nn.Module):
    """An encoder, and the training rows that vote."""

    def __init__(self, model: ModernNCA, layout: Layout, n_outputs: int) -> None:
        super().__init__()
        frequencies = (model.n_frequencies, model.frequency_scale)
        waves = Waves(layout, *frequencies, model.d_embedding)
        layers: list[nn.Module] = [waves, nn.Linear(waves.width, model.dim)]
        for _ in range(model.n_blocks):
            layers += [
                nn.BatchNorm1d(model.dim),
                nn.Linear(model.dim, model.d_block),
                nn.ReLU(),
                nn.Dropout(model.dropout),
                nn.Linear(model.d_block, model.dim),
            ]
        layers += [nn.BatchNorm1d(model.dim)] if model.n_blocks else []
        self.encoder = nn.Sequential(*layers)
        self.classes = n_outputs if is_classification(model.task) else 0
        self.temperature, self.share = model.temperature, model.sample_rate
        self.memory = Memory(layout)

    def forward(self, x: Tensor, rows: Tensor | None = None) -> Tensor:
        """Answer rows: log probabilities, or a number."""
        z = self.encoder(x)
        if rows is None:
            others, y = self.memory.all(self.encoder), self.memory.y
        else:
            beside = self._beside(rows)
            others = torch.cat([z, self.encoder(self.memory.x[beside])])
            y = self.memory.y[torch.cat([rows, beside])]
        exact = "donot_use_mm_for_euclid_dist"
        nearness = -torch.cdist(z, others, compute_mode=exact) / self.temperature
        if rows is not None:
            itself = torch.eye(len(z), len(others), dtype=torch.bool, device=z.device)
            nearness = nearness.masked_fill(itself, -torch.inf)
        weight = nearness.softmax(-1)
        if not self.classes:
            return (weight @ y)[:, None]
        shares = weight @ one_hot(y.long(), self.classes).to(z.dtype)
        return (shares + _LEAST).log()

    def _beside(self, rows: Tensor) -> Tensor:
        """Draw training rows that are not in the batch."""
        free = torch.ones(len(self.memory.y), dtype=torch.bool, device=rows.device)
        free[rows] = False
        pool = free.nonzero()[:, 0]
        order = torch.randperm(len(pool), device=rows.device)
        return pool[order[: ceil(self.share * len(pool))]]


class LogLoss(Retrieval):
    """-log(p + 1e-7), or the squared error."""

    def risk(self, z: Tensor, batch: Batch) -> Tensor:
        """Compute the mean loss; the answers are log(p + 1e-7) already."""
        if not self.classify:
            return super().risk(z, batch)
        losses = -z.gather(1, batch["y"][:, None])[:, 0]
        w = batch.tensors.get("w")
        return losses.mean() if w is None else (w * losses).mean()


@dataclass(eq=False, repr=False)
class ModernNCA(NetworkModel):
    """Training rows vote, the nearer in a learnt space the more.

    z = encoder(waves of the numbers, indicators); p(y | x) = Σ_i softmax_i(-|z - z_i| /
    T) 1[y_i = y], the plain distance; a number is the same mean of y_i. In training a
    row does not vote for itself, and a random share of the other rows votes.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    dim : int, default=128
        Width of a row's vector.
    n_blocks, d_block : int, default=0, 512
        Blocks BN, Lin, relu, dropout, Lin, without a way round them.
    dropout : float, default=0.1
    temperature : float, default=1.0
    sample_rate : float, default=0.5
        Share of the rows outside of the batch that vote in a step.
    n_frequencies : int, default=77
    frequency_scale : float, default=0.044
    d_embedding : int, default=34
        Width of a number's vector.
    learning_rate, weight_decay : float, default=0.01, 2e-4
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    The training rows are part of the model and of its file. No probability is below
    1e-7, and no number is outside of the range of the training numbers. A row that
    weighs more has a greater loss, but one vote.

    References
    ----------
    .. [1] H.-J. Ye, H.-H. Yin, D.-C. Zhan (2024). Modern neighborhood components
       analysis: a deep tabular baseline two decades later. arXiv:2407.03257.
    """

    dim: int = 128
    n_blocks: int = 0
    d_block: int = 512
    dropout: float = 0.1
    temperature: float = 1.0
    sample_rate: float = 0.5
    n_frequencies: int = 77
    frequency_scale: float = 0.044
    d_embedding: int = 34
    learning_rate: float = 0.01
    weight_decay: float = 2e-4

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        if not 0 < self.sample_rate <= 1:
            raise InvalidInput(
                f"sample_rate is {self.sample_rate}; pass a share above 0 and at most 1"
            )
        return NCANet(self, layout, n_outputs)

    def _prepare(self, module: nn.Module, x: Tensor, y: Tensor) -> None:
        assert isinstance(module, NCANet)
        module.memory.fill(x, y)

    def _objective(self, view: str) -> Supervised:
        return LogLoss(is_classification(self.task), view)
