"""Deep & cross network, version 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from caveat.models.networks._base import EMBEDDED, NetworkModel
from caveat.models.networks._layers import Flat
from caveat.models.networks._layout import Layout


class CrossNet(nn.Module):
    """x_{l+1} = dropout(x_0 * (W_l x_l + b_l)) + x_l, in parallel with a deep part."""

    def __init__(
        self,
        flat: Flat,
        n_outputs: int,
        *,
        d: int,
        cross: tuple[int, float],
        deep: tuple[int, float],
    ) -> None:
        super().__init__()
        self.enter = nn.Sequential(flat, nn.Linear(flat.width, d))
        self.cross = nn.ModuleList([nn.Linear(d, d) for _ in range(cross[0])])
        self.cross_dropout = nn.Dropout(cross[1])
        layers: list[nn.Module] = []
        for _ in range(deep[0]):
            layers += [nn.Linear(d, d), nn.ReLU(), nn.Dropout(deep[1])]
        self.deep = nn.Sequential(*layers)
        self.head = nn.Linear(2 * d, n_outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Answer rows."""
        first = crossed = self.enter(x)
        for layer in self.cross:
            crossed = self.cross_dropout(first * layer(crossed)) + crossed
        return self.head(torch.cat([crossed, self.deep(first)], 1))


@dataclass(eq=False, repr=False)
class DCN2(NetworkModel):
    """Explicit products of columns, beside a deep network.

    x_0 = W [numbers, vectors of categories]; x_{l+1} = dropout(x_0 * (W_l x_l + b_l)) +
    x_l; deep layers h <- dropout(relu(W h + b)) start from x_0, too; answer = W_o
    [crossed, deep].

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    d : int, default=512
        Width of all layers.
    d_embedding : int, default=64
        Width of a category's vector.
    n_cross_layers, n_hidden_layers : int, default=3, 2
    cross_dropout, hidden_dropout : float, default=0.1, 0.1
    learning_rate, weight_decay : float, default=1e-4, 2e-4
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    A product of far-off columns grows with its degree: rows outside of the training
    range get extreme answers.

    References
    ----------
    .. [1] R. Wang et al. (2021). DCN V2: improved deep & cross network. WWW.
    """

    d: int = 512
    d_embedding: int = 64
    n_cross_layers: int = 3
    n_hidden_layers: int = 2
    cross_dropout: float = 0.1
    hidden_dropout: float = 0.1
    learning_rate: float = 1e-4
    weight_decay: float = 2e-4

    encoding: ClassVar[Any] = EMBEDDED

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        return CrossNet(
            Flat(layout, self.d_embedding),
            n_outputs,
            d=self.d,
            cross=(self.n_cross_layers, self.cross_dropout),
            deep=(self.n_hidden_layers, self.hidden_dropout),
        )
