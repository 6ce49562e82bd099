"""TabNet: a few steps, each through a sparse choice of columns."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import torch
from torch import Tensor, nn

from caveat.models._tasks import is_classification
from caveat.models.networks._base import NetworkModel
from caveat.models.networks._layers import GhostBatchNorm, sparsemax
from caveat.models.networks._layout import Layout
from caveat.models.networks._objective import Supervised
from caveat.training import Batch, Recipe, Run, adam


class GatedUnit(nn.Module):
    """u * sigmoid(v) with [u, v] = BN(W x); W may be shared between steps."""

    def __init__(self, linear: nn.Linear, model: TabNet) -> None:
        super().__init__()
        self.linear = linear
        settings = {"virtual": model.virtual_batch, "momentum": model.momentum}
        self.norm = GhostBatchNorm(linear.out_features, **settings)  # type: ignore[arg-type]

    def forward(self, x: Tensor) -> Tensor:
        """Apply it to rows."""
        u, v = self.norm(self.linear(x)).chunk(2, dim=1)
        return u * v.sigmoid()


class FeatureTransformer(nn.Module):
    """Gated units in a row, each added to what came before, times sqrt(0.5)."""

    def __init__(self, shared: list[nn.Linear], model: TabNet, width: int) -> None:
        super().__init__()
        units = [GatedUnit(linear, model) for linear in shared]
        for _ in range(model.n_independent):
            linear = nn.Linear(width, 2 * width, bias=False)
            units.append(GatedUnit(linear, model))
        self.units = nn.ModuleList(units)

    def forward(self, x: Tensor) -> Tensor:
        """Apply it to rows."""
        x = self.units[0](x)
        for unit in list(self.units)[1:]:
            x = (x + unit(x)) * sqrt(0.5)
        return x


class SequentialChoice(nn.Module):
    """The network, which can also say how spread its choices are."""

    def __init__(self, model: TabNet, layout: Layout, n_outputs: int) -> None:
        super().__init__()
        d, self.split = layout.width, model.n_d
        width = model.n_d + model.n_a
        shared = [
            nn.Linear(d if number == 0 else width, 2 * width, bias=False)
            for number in range(model.n_shared)
        ]
        self.gamma = model.gamma
        self.norm = nn.BatchNorm1d(d, momentum=model.momentum)
        steps = range(model.n_steps + 1)
        self.transformers = nn.ModuleList(
            [FeatureTransformer(shared, model, width) for _ in steps]
        )
        settings = {"virtual": model.virtual_batch, "momentum": model.momentum}
        self.choices = nn.ModuleList(
            [
                nn.Sequential(
                    nn.Linear(model.n_a, d, bias=False),
                    GhostBatchNorm(d, **settings),  # type: ignore[arg-type]
                )
                for _ in range(model.n_steps)
            ]
        )
        self.head = nn.Linear(model.n_d, n_outputs, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Answer rows."""
        return self.choose(x)[0]

    def choose(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Answer rows, and give the mean entropy of the masks."""
        normed = self.norm(x)
        prior = torch.ones_like(normed)
        attended = self.transformers[0](normed)[:, self.split :]
        total: Tensor | float = 0.0
        entropy: Tensor | float = 0.0
        for choice, transformer in zip(
            self.choices, list(self.transformers)[1:], strict=True
        ):
            mask = sparsemax(prior * choice(attended))
            prior = prior * (self.gamma - mask)
            entropy = entropy - (mask * (mask + 1e-15).log()).sum(1).mean()
            out = transformer(mask * normed)
            total = total + out[:, : self.split].relu()
            attended = out[:, self.split :]
        return self.head(total), torch.as_tensor(entropy / len(self.choices))


class SparseChoice(Supervised):
    """The usual loss, and a price for choices that are spread over many columns."""

    def __init__(self, classify: bool, view: str, price: float) -> None:
        super().__init__(classify, view)
        self.price = price

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Compute the loss of a batch."""
        choose: Any = run.module.choose
        z, entropy = choose(batch.view(self.look))
        return self.risk(z, batch) + self.price * entropy


@dataclass(eq=False, repr=False)
class TabNet(NetworkModel):
    """Sequential attention: every step looks at a sparse choice of the columns.

    x <- BN(x); at each step a mask M = sparsemax(prior * BN(W a)), prior <- prior *
    (γ - M), [d, a] = transformer(M * x); answer = W_o Σ relu(d). Transformers are gated
    units, some of them shared by all steps. Loss + λ times the mean entropy of M.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_steps : int, default=3
    gamma : float, default=1.3
        How freely a column may be chosen again; 1 forbids it.
    n_d, n_a : int, default=8, 8
        Width of a step's answer, and of what goes into the next choice.
    n_shared, n_independent : int, default=2, 2
        Gated units that all steps share, and units of each step.
    virtual_batch : int, default=128
        Rows over which batch norm averages in training.
    momentum : float, default=0.02
        Of batch norm.
    sparsity : float, default=1e-3
        The price λ.
    learning_rate, weight_decay : float, default=0.01, 0.0
        Of Adam.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    The masks look like explanations; they differ from seed to seed. The running means
    of batch norm move slowly: with few steps, answers in use lag behind training.

    References
    ----------
    .. [1] S. Ö. Arik, T. Pfister (2021). TabNet: attentive interpretable tabular
       learning. AAAI.
    """

    n_steps: int = 3
    gamma: float = 1.3
    n_d: int = 8
    n_a: int = 8
    n_shared: int = 2
    n_independent: int = 2
    virtual_batch: int = 128
    momentum: float = 0.02
    sparsity: float = 1e-3
    learning_rate: float = 0.01
    weight_decay: float = 0.0

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        return SequentialChoice(self, layout, n_outputs)

    def _objective(self, view: str) -> Supervised:
        return SparseChoice(is_classification(self.task), view, self.sparsity)

    def _recipe(self) -> Recipe:
        return adam(self.learning_rate, weight_decay=self.weight_decay)
