"""AutoInt: columns that attend to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor, nn

from caveat.models.networks._base import EMBEDDED, NetworkModel
from caveat.models.networks._layers import Attention, Tokens
from caveat.models.networks._layout import Layout


class InteractionLayer(nn.Module):
    """relu(LN(V x + dropout(attention(x)))), V without a bias."""

    def __init__(self, d: int, heads: int, attention: float, residual: float) -> None:
        super().__init__()
        self.attention = Attention(d, heads, dropout=attention, output=False)
        self.shortcut = nn.Linear(d, d, bias=False)
        self.dropout = nn.Dropout(residual)
        self.norm = nn.LayerNorm(d)

    def forward(self, x: Tensor) -> Tensor:
        """Let the tokens (n, columns, d) of each row interact."""
        mixed = self.shortcut(x) + self.dropout(self.attention(x))
        return self.norm(mixed).relu()


@dataclass(eq=False, repr=False)
class AutoInt(NetworkModel):
    """Self-attention between columns; all tokens side by side go into the answer.

    Tokens: x_j w_j for numbers, a vector for levels. n times x <- relu(LN(V x +
    dropout(attention(x)))); answer = W [x_1, ..., x_N].

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_layers : int, default=3
    d_token : int, default=64
    n_heads : int, default=8
        Must divide `d_token`.
    attention_dropout, residual_dropout : float, default=0.2, 0.0
    learning_rate, weight_decay : float, default=1e-4, 1e-5
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    A number's token has no bias: at the mean of the column it is zero, as if the
    column were not there. Time and memory grow with the square of the columns.

    References
    ----------
    .. [1] W. Song et al. (2019). AutoInt: automatic feature interaction learning via
       self-attentive neural networks. CIKM.
    """

    n_layers: int = 3
    d_token: int = 64
    n_heads: int = 8
    attention_dropout: float = 0.2
    residual_dropout: float = 0.0
    learning_rate: float = 1e-4

    encoding: ClassVar[Any] = EMBEDDED

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        tokens = Tokens(layout, self.d_token, bias=False)
        drops = (self.attention_dropout, self.residual_dropout)
        layers = [
            InteractionLayer(self.d_token, self.n_heads, *drops)
            for _ in range(self.n_layers)
        ]
        head = nn.Linear(tokens.count * self.d_token, n_outputs)
        return nn.Sequential(tokens, *layers, nn.Flatten(), head)
