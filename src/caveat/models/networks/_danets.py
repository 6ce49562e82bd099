"""DANets: layers that abstract groups of columns."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from caveat.models.networks._base import NetworkModel
from caveat.models.networks._layers import GhostBatchNorm, entmax15
from caveat.models.networks._layout import Layout


class AbstractLayer(nn.Module):
    """Σ_g relu(sigmoid(u_g) * v_g), [u_g, v_g] = BN(W_g (M_g * x)), M = entmax(logits).

    Parameters
    ----------
    d, width : int
        Inputs and outputs.
    groups : int
        How many choices of columns there are.
    virtual : int, default=256
        Rows over which batch norm averages in training.
    """

    def __init__(self, d: int, width: int, groups: int, *, virtual: int = 256) -> None:
        super().__init__()
        self.choice = nn.Parameter(torch.empty(groups, d))
        self.weight = nn.Parameter(torch.empty(groups, 2 * width, d))
        self.bias = nn.Parameter(torch.zeros(groups, 2 * width))
        self.norm = GhostBatchNorm(groups * 2 * width, virtual=virtual)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the choices uniformly, the weights with variance 2 / sqrt(d)."""
        nn.init.uniform_(self.choice)
        nn.init.normal_(self.weight, std=sqrt(2) / self.choice.shape[1] ** 0.25)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Apply it to rows."""
        chosen = entmax15(self.choice)[None] * x[:, None]
        mapped = torch.einsum("ngd,god->ngo", chosen, self.weight) + self.bias
        normed = self.norm(mapped.flatten(1)).unflatten(1, mapped.shape[1:])
        u, v = normed.chunk(2, dim=-1)
        return (u.sigmoid() * v).relu().sum(1)


class AbstractBlock(nn.Module):
    """Two layers on what came before, and one on the columns themselves."""

    def __init__(
        self, d: int, first: int, width: int, groups: int, drop: float
    ) -> None:
        super().__init__()
        half = max(1, width // 2)
        self.steps = nn.Sequential(
            AbstractLayer(d, half, groups), AbstractLayer(half, width, groups)
        )
        shortcut = AbstractLayer(first, width, groups)
        self.shortcut = nn.Sequential(nn.Dropout(drop), shortcut)

    def forward(self, first: Tensor, x: Tensor) -> Tensor:
        """Combine the columns with what came before."""
        return leaky_relu(self.steps(x) + self.shortcut(first), 0.01)


class AbstractStack(nn.Module):
    """Blocks that all see the columns, and a perceptron on top."""

    def __init__(self, model: DANet, layout: Layout, n_outputs: int) -> None:
        super().__init__()
        d, width = layout.width, model.base_outdim
        blocks = [
            AbstractBlock(width if number else d, d, width, model.k, model.dropout)
            for number in range(max(1, model.n_layers // 2))
        ]
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Sequential(
            nn.Dropout(0.1),
            nn.Linear(width, 256),
            nn.ReLU(),
            nn.Linear(256, 512),
            nn.ReLU(),
            nn.Linear(512, n_outputs),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Answer rows."""
        made = x
        for block in self.blocks:
            made = block(x, made)
        return self.head(made)


@dataclass(eq=False, repr=False)
class DANet(NetworkModel):
    """Deep abstract network: every layer picks groups of columns and abstracts them.

    Abstract layer: M = entmax1.5(logits), k groups; Σ_g relu(sigmoid(u_g) * v_g) with
    [u_g, v_g] = BN(W_g (M_g * x)). Block: leaky_relu(AL(AL(h)) + AL(dropout(x))), x the
    columns themselves.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_layers : int, default=20
        Two to a block.
    base_outdim : int, default=64
        Width of a block.
    k : int, default=5
        Groups of a layer.
    dropout : float, default=0.1
        Of the columns on the way round a block.
    learning_rate, weight_decay : float, default=1e-4, 2e-4
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    Deep and normed at every layer: small tables need many passes before its running
    means are true.

    References
    ----------
    .. [1] J. Chen et al. (2022). DANets: deep abstract networks for tabular data
       classification and regression. AAAI.
    """

    n_layers: int = 20
    base_outdim: int = 64
    k: int = 5
    dropout: float = 0.1
    learning_rate: float = 1e-4
    weight_decay: float = 2e-4

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        return AbstractStack(self, layout, n_outputs)
