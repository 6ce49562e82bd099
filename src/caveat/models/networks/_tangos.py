"""TANGOS: hidden units that look at few columns each, and at different ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from caveat.models._tasks import is_classification
from caveat.models.networks._base import NetworkModel
from caveat.models.networks._layout import Layout
from caveat.models.networks._objective import Supervised
from caveat.training import Batch, Run


class Perceptron(nn.Module):
    """A perceptron that knows how its last hidden units depend on the inputs."""

    def __init__(self, widths: Sequence[int], n_outputs: int, dropout: float) -> None:
        super().__init__()
        pairs = pairwise(widths)
        self.layers = nn.ModuleList([nn.Linear(*pair) for pair in pairs])
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(widths[-1], n_outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Answer rows."""
        for layer in self.layers:
            x = self.dropout(layer(x).relu())
        return self.head(x)

    def slopes(self, x: Tensor) -> Tensor:
        """Derive the last hidden units by the inputs: (n, units, inputs).

        Without dropout. A rectified unit passes the derivative on or stops it, so they
        are products of the weights.
        """
        found = None
        for layer in self.layers:
            before = layer(x)
            weight = layer.weight if found is None else layer.weight @ found
            found = (before > 0).to(x.dtype)[..., None] * weight
            x = before.relu()
        assert found is not None
        return found


class Tangos(Supervised):
    """The usual loss, and two penalties on the derivatives of the hidden units."""

    def __init__(
        self, classify: bool, view: str, lambdas: tuple[float, float], pairs: int
    ) -> None:
        super().__init__(classify, view)
        self.lambdas = lambdas
        self.pairs = pairs

    def loss(self, run: Run, batch: Batch) -> Tensor:
        """Compute the loss of a batch."""
        x = batch.view(self.look)
        module = run.module
        slopes = module.slopes(x)  # type: ignore[operator]
        units = torch.randint(slopes.shape[1], (2, self.pairs), device=x.device)
        special, orthogonal = penalties(slopes, units)
        task = self.risk(module(x), batch)
        return task + self.lambdas[0] * special + self.lambdas[1] * orthogonal


def penalties(slopes: Tensor, units: Tensor) -> tuple[Tensor, Tensor]:
    """Mean size of the derivatives, and mean |cosine| between pairs of units.

    Parameters
    ----------
    slopes : tensor of shape (n, units, inputs)
    units : int tensor of shape (2, pairs)
    """
    one, other = slopes[:, units[0]], slopes[:, units[1]]
    cosine = torch.cosine_similarity(one, other, dim=-1)
    return slopes.abs().mean(), cosine.abs().mean()


@dataclass(eq=False, repr=False)
class TANGOS(NetworkModel):
    """A perceptron whose last hidden units specialise and do not repeat each other.

    With A_i the derivative of hidden unit i by the inputs, per row: loss + λ1 mean |A|
    + λ2 mean over random pairs of |cos(A_i, A_j)|.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    hidden : sequence of int, default=(256, 256, 256)
        Width of each hidden layer.
    dropout : float, default=0.1
    lambda1, lambda2 : float, default=1.0, 0.01
        Weights of the two penalties.
    subsample : int, default=50
        How many pairs of units are compared in a step.
    learning_rate, weight_decay : float, default=1e-3, 2e-4
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    The default weight of the first penalty is strong: answers are smooth, and sharp
    steps are not learnt. A step costs about as many passes as there are columns.

    References
    ----------
    .. [1] A. Jeffares et al. (2023). TANGOS: regularizing tabular neural networks
       through gradient orthogonalization and specialization. ICLR.
    """

    hidden: Sequence[int] = (256, 256, 256)
    dropout: float = 0.1
    lambda1: float = 1.0
    lambda2: float = 0.01
    subsample: int = 50
    learning_rate: float = 1e-3
    weight_decay: float = 2e-4

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        return Perceptron([layout.width, *self.hidden], n_outputs, self.dropout)

    def _objective(self, view: str) -> Supervised:
        lambdas = (self.lambda1, self.lambda2)
        return Tangos(is_classification(self.task), view, lambdas, self.subsample)
