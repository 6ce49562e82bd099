"""ResNet for tables."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from caveat.models.networks._base import NetworkModel
from caveat.models.networks._layout import Layout


class ResNetBlock(nn.Module):
    """x + dropout_r(W_2 dropout_h(relu(W_1 BN(x))))."""

    def __init__(self, d: int, inner: int, hidden: float, residual: float) -> None:
        super().__init__()
        self.steps = nn.Sequential(
            nn.BatchNorm1d(d),
            nn.Linear(d, inner),
            nn.ReLU(),
            nn.Dropout(hidden),
            nn.Linear(inner, d),
            nn.Dropout(residual),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Add the block's answer to its input."""
        return x + self.steps(x)


@dataclass(eq=False, repr=False)
class ResNet(NetworkModel):
    """Residual blocks with batch norm, on standardised and one-hot columns.

    h = W x; n times h <- h + dropout_r(W_2 dropout_h(relu(W_1 BN(h)))); answer =
    W_o relu(BN(h)).

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_layers : int, default=2
        How many blocks.
    d : int, default=192
        Width of the residual stream.
    hidden_factor : float, default=2.0
        Inner width of a block, over `d`.
    hidden_dropout, residual_dropout : float, default=0.3, 0.0
    learning_rate, weight_decay : float, default=3e-4, 1e-5
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    Batch norm uses the means of training: rows from elsewhere are normalised as if
    they were from here.

    References
    ----------
    .. [1] Y. Gorishniy et al. (2021). Revisiting deep learning models for tabular data.
       NeurIPS.
    """

    n_layers: int = 2
    d: int = 192
    hidden_factor: float = 2.0
    hidden_dropout: float = 0.3
    residual_dropout: float = 0.0
    learning_rate: float = 3e-4

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        inner = max(1, int(self.d * self.hidden_factor))
        drops = (self.hidden_dropout, self.residual_dropout)
        blocks = [ResNetBlock(self.d, inner, *drops) for _ in range(self.n_layers)]
        return nn.Sequential(
            nn.Linear(layout.width, self.d),
            *blocks,
            nn.BatchNorm1d(self.d),
            nn.ReLU(),
            nn.Linear(self.d, n_outputs),
        )
