"""FT-Transformer: every cell a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor, nn

from caveat.models.networks._base import EMBEDDED, NetworkModel
from caveat.models.networks._layers import Attention, Tokens
from caveat.models.networks._layout import Layout


class ReGLU(nn.Module):
    """W_2 dropout(u * relu(v)) with [u, v] = W_1 x."""

    def __init__(self, d: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.inner = nn.Linear(d, 2 * inner)
        self.dropout = nn.Dropout(dropout)
        self.outer = nn.Linear(inner, d)

    def forward(self, x: Tensor) -> Tensor:
        """Apply it to the last dimension."""
        u, v = self.inner(x).chunk(2, dim=-1)
        return self.outer(self.dropout(u * v.relu()))


class FTBlock(nn.Module):
    """x <- x + attention(LN x), x <- x + feed-forward(LN x), the first LN left out.

    Parameters
    ----------
    first : bool
        The tokens come straight from the columns: no norm before the attention.
    last : bool
        Only the first token is asked for.
    """

    def __init__(
        self, model: FTTransformer, inner: int, *, first: bool, last: bool
    ) -> None:
        super().__init__()
        d = model.d_token
        self.last = last
        self.norm: nn.Module = nn.Identity() if first else nn.LayerNorm(d)
        self.attention = Attention(d, model.n_heads, dropout=model.attention_dropout)
        self.second_norm = nn.LayerNorm(d)
        self.forward_part = ReGLU(d, inner, model.ffn_dropout)
        self.dropout = nn.Dropout(model.residual_dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Change tokens (n, tokens, d)."""
        normed = self.norm(x)
        asking = normed[:, :1] if self.last else normed
        kept = x[:, :1] if self.last else x
        kept = kept + self.dropout(self.attention(asking, normed))
        return kept + self.dropout(self.forward_part(self.second_norm(kept)))


class FirstToken(nn.Module):
    """Take the first token of every row."""

    def forward(self, x: Tensor) -> Tensor:
        """Give (n, d) of (n, tokens, d)."""
        return x[:, 0]


@dataclass(eq=False, repr=False)
class FTTransformer(NetworkModel):
    """A transformer over the columns of a row, read off at a learnt first token.

    Tokens: the learnt one, x_j w_j + b_j for numbers, a vector + b_j for levels. Blocks
    with the norm before (none before the first attention); the last one computes the
    first token only; answer = W relu(LN(first token)).

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    n_blocks : int, default=3
    d_token : int, default=192
    n_heads : int, default=8
        Must divide `d_token`.
    ffn_factor : float, default=4/3
        Inner width of the feed-forward part, over `d_token`.
    attention_dropout, ffn_dropout, residual_dropout : float, default=0.2, 0.1, 0.0
    learning_rate, weight_decay : float, default=1e-4, 1e-5
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    Time and memory grow with the square of the columns: hundreds of columns take hours
    on a CPU.

    References
    ----------
    .. [1] Y. Gorishniy et al. (2021). Revisiting deep learning models for tabular data.
       NeurIPS.
    """

    n_blocks: int = 3
    d_token: int = 192
    n_heads: int = 8
    ffn_factor: float = 4 / 3
    attention_dropout: float = 0.2
    ffn_dropout: float = 0.1
    residual_dropout: float = 0.0
    learning_rate: float = 1e-4

    encoding: ClassVar[Any] = EMBEDDED

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        inner = max(1, int(self.d_token * self.ffn_factor))
        last = self.n_blocks - 1
        return nn.Sequential(
            Tokens(layout, self.d_token, cls=True),
            *[
                FTBlock(self, inner, first=number == 0, last=number == last)
                for number in range(self.n_blocks)
            ],
            FirstToken(),
            nn.LayerNorm(self.d_token),
            nn.ReLU(),
            nn.Linear(self.d_token, n_outputs),
        )
