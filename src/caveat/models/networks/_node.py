"""NODE: differentiable oblivious trees."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from caveat.models.networks._base import NetworkModel
from caveat.models.networks._layers import sparsemax
from caveat.models.networks._layout import Layout


class ObliviousTrees(nn.Module):
    """A layer of trees that ask one soft question per level.

    Parameters
    ----------
    d : int
        Inputs.
    trees, depth, channels : int
    """

    def __init__(self, d: int, trees: int, depth: int, channels: int) -> None:
        super().__init__()
        self.choice = nn.Parameter(torch.empty(d, trees, depth))
        self.threshold = nn.Parameter(torch.zeros(trees, depth))
        self.log_scale = nn.Parameter(torch.zeros(trees, depth))
        self.response = nn.Parameter(torch.empty(trees, channels, 2**depth))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw choices and responses; thresholds wait for the data."""
        nn.init.uniform_(self.choice)
        nn.init.normal_(self.response)

    def questions(self, x: Tensor) -> Tensor:
        """Give what the levels ask about: (n, trees, depth)."""
        return torch.einsum("nd,dtk->ntk", x, sparsemax(self.choice, dim=0))

    @torch.no_grad()
    def start(self, x: Tensor) -> None:
        """Set thresholds at random quantiles of the rows, scales to reach them all."""
        asked = self.questions(x)
        level = torch.rand(self.threshold.shape)
        place = (level * (len(x) - 1)).round().long()[None]
        self.threshold.copy_(asked.sort(dim=0).values.gather(0, place)[0])
        reach = (asked - self.threshold).abs().amax(0)
        self.log_scale.copy_(reach.clamp_min(1e-6).log())

    def forward(self, x: Tensor) -> Tensor:
        """Answer rows: (n, trees, channels)."""
        gap = (self.questions(x) - self.threshold) * (-self.log_scale).exp()
        right = (0.5 * gap + 0.5).clamp(0, 1)
        weight = torch.ones_like(right[..., :1])
        for level in range(right.shape[-1]):
            go = right[..., level : level + 1]
            weight = torch.cat([weight * (1 - go), weight * go], -1)
        return torch.einsum("ntl,tcl->ntc", weight, self.response)


class ForestStack(nn.Module):
    """Layers of trees; each sees the columns and all trees before it."""

    def __init__(
        self, d: int, n_outputs: int, layers: int, trees: int, depth: int, channels: int
    ) -> None:
        super().__init__()
        self.n_outputs = n_outputs
        self.layers = nn.ModuleList(
            [
                ObliviousTrees(d + number * trees * channels, trees, depth, channels)
                for number in range(layers)
            ]
        )

    def start(self, x: Tensor) -> None:
        """Start every layer from the rows."""
        for layer in self.layers:
            layer.start(x)  # type: ignore[operator]
            x = torch.cat([x, layer(x).flatten(1)], 1)

    def forward(self, x: Tensor) -> Tensor:
        """Average the trees of all layers."""
        found = []
        for layer in self.layers:
            found.append(layer(x))
            x = torch.cat([x, found[-1].flatten(1)], 1)
        return torch.cat(found, 1)[..., : self.n_outputs].mean(1)


@dataclass(eq=False, repr=False)
class NODE(NetworkModel):
    """An ensemble of soft oblivious trees, learnt by gradient.

    Every level of a tree asks z = clip(((x · F - b) exp(-τ) + 1) / 2, 0, 1), with F =
    sparsemax of learnt logits over the columns; a leaf weighs the product of z or 1 - z
    along its path; a tree answers the weighed sum of its leaves, and the model the mean
    over the trees. Thresholds b start at random quantiles of training rows.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    num_layers : int, default=1
        Layers of trees; each sees the columns and what the trees before it said.
    layer_dim : int, default=1024
        Trees in a layer.
    depth : int, default=6
    tree_dim : int or None, default=None
        Numbers that a tree answers; None is the number of classes, at least 2.
    learning_rate, weight_decay : float, default=1e-3, 0.0
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    Slow and hungry for memory on a CPU: a batch holds its rows times trees times 2 to
    the depth. Outside of the training range the questions saturate, as in trees.

    References
    ----------
    .. [1] S. Popov, S. Morozov, A. Babenko (2020). Neural oblivious decision ensembles
       for deep learning on tabular data. ICLR.
    """

    num_layers: int = 1
    layer_dim: int = 1024
    depth: int = 6
    tree_dim: int | None = None
    learning_rate: float = 1e-3
    weight_decay: float = 0.0

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        channels = max(self.tree_dim or 2, n_outputs)
        sizes = (self.num_layers, self.layer_dim, self.depth, channels)
        return ForestStack(layout.width, n_outputs, *sizes)

    def _prepare(self, module: nn.Module, x: Tensor, y: Tensor) -> None:
        chosen = torch.randperm(len(x))[:1000]
        module.start(x[chosen])  # type: ignore[operator]
