"""TabTransformer: attention between the categorical columns only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from caveat.exceptions import InvalidInput
from caveat.models.networks._base import EMBEDDED, NetworkModel
from caveat.models.networks._layers import GEGLU, Attention, CategoryEmbedding
from caveat.models.networks._layout import Layout


class LevelTokens(nn.Module):
    """Vectors of levels, each beside a vector of its column that is an eighth of it."""

    def __init__(self, layout: Layout, d: int) -> None:
        super().__init__()
        shared = d // 8
        self.levels = CategoryEmbedding(layout.sizes, d - shared)
        self.columns = nn.Parameter(torch.empty(len(layout.sizes), shared))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the vectors of the columns."""
        nn.init.normal_(self.columns, std=0.02)

    def forward(self, codes: Tensor) -> Tensor:
        """Make tokens of codes (n, columns)."""
        columns = self.columns.expand(len(codes), -1, -1)
        return torch.cat([self.levels(codes), columns], -1)


class TransformerBlock(nn.Module):
    """x <- x + attention(LN x), x <- x + GEGLU(LN x)."""

    def __init__(self, d: int, heads: int, attention: float, ffn: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.attention = Attention(d, heads, d_head=16, dropout=attention)
        self.second_norm = nn.LayerNorm(d)
        self.forward_part = GEGLU(d, dropout=ffn)

    def forward(self, x: Tensor) -> Tensor:
        """Change tokens (n, tokens, d)."""
        x = x + self.attention(self.norm(x))
        return x + self.forward_part(self.second_norm(x))


class LevelTransformer(nn.Module):
    """Transformed levels and numbers, side by side, into a perceptron."""

    def __init__(self, model: TabTransformer, layout: Layout, n_outputs: int) -> None:
        super().__init__()
        self.layout = layout
        width = layout.width
        if layout.sizes:
            drops = (model.attention_dropout, model.ffn_dropout)
            self.tokens = LevelTokens(layout, model.dim)
            self.blocks = nn.Sequential(
                *[
                    TransformerBlock(model.dim, model.heads, *drops)
                    for _ in range(model.depth)
                ]
            )
            width += len(layout.sizes) * model.dim
        normed = model.row_norm and layout.width > 0
        self.norm = nn.LayerNorm(layout.width) if normed else nn.Identity()
        self.head = nn.Sequential(
            nn.Linear(width, 4 * width),
            nn.ReLU(),
            nn.Linear(4 * width, 2 * width),
            nn.ReLU(),
            nn.Linear(2 * width, n_outputs),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Answer rows."""
        numbers, codes = self.layout.split(x)
        parts = [self.norm(numbers)]
        if self.layout.sizes:
            parts.insert(0, self.blocks(self.tokens(codes)).flatten(1))
        return self.head(torch.cat(parts, 1))


@dataclass(eq=False, repr=False)
class TabTransformer(NetworkModel):
    """A transformer over categorical columns; numbers join after it.

    Tokens of levels go through blocks x <- x + attention(LN x), x <- x + GEGLU(LN x);
    flattened, beside the standardised numbers, they enter a perceptron with hidden
    layers of 4 and 2 times its input.

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    dim : int, default=32
        Width of a token; at least 8.
    depth, heads : int, default=6, 8
    attention_dropout, ffn_dropout : float, default=0.08, 0.3
    row_norm : bool, default=False
        Put the numbers of a row through a layer norm, as published.
    learning_rate, weight_decay : float, default=1e-3, 2e-4
        Of AdamW. The published 1e-4 is too slow for the small perceptron of a table
        with few columns.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    Without categorical columns it is a perceptron. A layer norm takes mean and scale of
    a row away: with `row_norm` a single number becomes a constant, and of two numbers
    only the larger is known.

    References
    ----------
    .. [1] X. Huang et al. (2020). TabTransformer: tabular data modeling using
       contextual embeddings. arXiv:2012.06678.
    """

    dim: int = 32
    depth: int = 6
    heads: int = 8
    attention_dropout: float = 0.08
    ffn_dropout: float = 0.3
    row_norm: bool = False
    learning_rate: float = 1e-3
    weight_decay: float = 2e-4

    encoding: ClassVar[Any] = EMBEDDED

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        if self.dim < 8:
            raise InvalidInput(f"dim is {self.dim}; 8 is the least")
        return LevelTransformer(self, layout, n_outputs)
