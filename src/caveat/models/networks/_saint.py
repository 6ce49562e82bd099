"""SAINT: attention between columns, and between rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from caveat.exceptions import InvalidInput
from caveat.models.networks._base import EMBEDDED, NetworkModel
from caveat.models.networks._layers import GEGLU, Attention, CategoryEmbedding
from caveat.models.networks._layout import Layout

ATTENTION = ("colrow", "col", "row")
Pair = tuple[Tensor, Tensor]


class CellTokens(nn.Module):
    """A learnt first token, vectors of levels, and each number through 1-100-d."""

    def __init__(self, layout: Layout, d: int) -> None:
        super().__init__()
        self.layout = layout
        self.count = 1 + len(layout.sizes) + layout.width
        self.first = nn.Parameter(torch.empty(1, d))
        self.levels = CategoryEmbedding(layout.sizes, d)
        self.inner = nn.Parameter(torch.empty(2, layout.width, 100))
        self.outer = nn.Parameter(torch.empty(layout.width, 100, d))
        self.shift = nn.Parameter(torch.empty(layout.width, d))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw as linear layers do: uniform within one over the root of the inputs."""
        nn.init.uniform_(self.first, -1 / sqrt(self.first.shape[1]))
        for weight, inputs in ((self.inner, 1), (self.outer, 100), (self.shift, 100)):
            nn.init.uniform_(weight, -1 / sqrt(inputs), 1 / sqrt(inputs))

    def forward(self, x: Tensor) -> Tensor:
        """Make tokens of rows: (n, tokens, d)."""
        numbers, codes = self.layout.split(x)
        hidden = (numbers[..., None] * self.inner[0] + self.inner[1]).relu()
        vectors = torch.einsum("njh,jhd->njd", hidden, self.outer) + self.shift
        first = self.first.expand(len(x), 1, -1)
        return torch.cat([first, self.levels(codes), vectors], 1)


class RowAttention(nn.Module):
    """Rows attend to rows: to those beside them, or to fixed ones and themselves."""

    def __init__(self, d: int, heads: int, *, d_head: int = 64) -> None:
        super().__init__()
        self.heads, self.root = heads, sqrt(d_head)
        self.maps = nn.Linear(d, 3 * heads * d_head, bias=False)
        self.out = nn.Linear(heads * d_head, d)

    def parts(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Give queries, keys and values (n, heads, d_head) of rows."""
        q, k, v = self.maps(rows).chunk(3, dim=-1)
        return tuple(part.unflatten(-1, (self.heads, -1)) for part in (q, k, v))  # type: ignore[return-value]

    def among(self, rows: Tensor) -> tuple[Tensor, Pair]:
        """Let rows attend to each other; also give their keys and values."""
        q, k, v = self.parts(rows)
        weight = (torch.einsum("nhd,mhd->hnm", q, k) / self.root).softmax(-1)
        seen = torch.einsum("hnm,mhd->nhd", weight, v)
        return self.out(seen.flatten(1)), (k, v)

    def towards(self, rows: Tensor, context: Pair) -> Tensor:
        """Let each row attend to the fixed rows and to itself, to no other."""
        q, k, v = self.parts(rows)
        others = torch.einsum("nhd,mhd->nhm", q, context[0])
        itself = (q * k).sum(-1, keepdim=True)
        weight = (torch.cat([others, itself], -1) / self.root).softmax(-1)
        seen = torch.einsum("nhm,mhd->nhd", weight[..., :-1], context[1])
        return self.out((seen + weight[..., -1:] * v).flatten(1))


class SaintBlock(nn.Module):
    """Attention over columns, then over rows; each with a feed-forward part.

    y = x + f(LN x) throughout.
    """

    def __init__(self, model: SAINT, tokens: int) -> None:
        super().__init__()
        d, wide = model.dim, tokens * model.dim
        drops = {"dropout": model.attention_dropout}
        if model.attention_type != "row":
            self.norms = nn.ModuleList([nn.LayerNorm(d), nn.LayerNorm(d)])
            self.columns = Attention(d, model.heads, d_head=16, **drops)  # type: ignore[arg-type]
            self.columns_forward = GEGLU(d, dropout=model.ffn_dropout)
        if model.attention_type != "col":
            self.row_norms = nn.ModuleList([nn.LayerNorm(wide), nn.LayerNorm(wide)])
            self.rows = RowAttention(wide, model.heads)
            self.rows_forward = GEGLU(wide, dropout=model.ffn_dropout)
        self.kind = model.attention_type

    def forward(
        self, x: Tensor, context: Pair | None = None
    ) -> tuple[Tensor, Pair | None]:
        """Change tokens (n, tokens, d); without a context rows see each other."""
        if self.kind != "row":
            x = x + self.columns(self.norms[0](x))
            x = x + self.columns_forward(self.norms[1](x))
        if self.kind == "col":
            return x, None
        flat = x.flatten(1)
        normed = self.row_norms[0](flat)
        if context is None:
            seen, context = self.rows.among(normed)
        else:
            seen = self.rows.towards(normed, context)
        flat = flat + seen
        flat = flat + self.rows_forward(self.row_norms[1](flat))
        return flat.unflatten(1, x.shape[1:]), context


class SaintNet(nn.Module):
    """Tokens, blocks, and a head on the first token; training rows as context."""

    context: Tensor

    def __init__(self, model: SAINT, layout: Layout, n_outputs: int) -> None:
        super().__init__()
        self.tokens = CellTokens(layout, model.dim)
        blocks = [SaintBlock(model, self.tokens.count) for _ in range(model.depth)]
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Sequential(
            nn.Linear(model.dim, 1000), nn.ReLU(), nn.Linear(1000, n_outputs)
        )
        kept = min(model.context_size, layout.rows)
        width = layout.width + len(layout.sizes)
        self.register_buffer("context", torch.zeros(kept, width))
        self._seen: list[Pair | None] = []

    def train(self, mode: bool = True) -> SaintNet:
        """Forget what the context looked like: the weights may have changed since."""
        self._seen = []
        return super().train(mode)

    def forward(self, x: Tensor) -> Tensor:
        """Answer rows: in training with those of the batch, else with the context."""
        tokens = self.tokens(x)
        for block, context in zip(self.blocks, self._contexts(), strict=True):
            tokens, _ = block(tokens, context)
        return self.head(tokens[:, 0])

    def _contexts(self) -> list[Pair | None]:
        if self.training:
            return [None] * len(self.blocks)
        if not self._seen:
            tokens = self.tokens(self.context)
            for block in self.blocks:
                tokens, pair = block(tokens)
                self._seen.append(pair and (pair[0].detach(), pair[1].detach()))
        return self._seen


@dataclass(eq=False, repr=False)
class SAINT(NetworkModel):
    """Transformer blocks over the columns of a row and over the rows of a batch.

    Tokens: a learnt first one, vectors of levels, every number through its own 1-100-d
    perceptron. Block: x <- x + attention over columns(LN x), x <- x + GEGLU(LN x); then
    the same with the row as one vector and attention over rows. Answer = W_2 relu(W_1
    first token).

    Parameters
    ----------
    task : {"classification", "binary", "multiclass", "regression"}
        Decides between the classifier and the regressor.
    dim, depth, heads : int, default=32, 6, 8
    attention_type : {"colrow", "col", "row"}, default="colrow"
    attention_dropout, ffn_dropout : float, default=0.0, 0.0
        The first for columns only.
    context_size : int, default=512
        How many training rows the rows in question attend to.
    learning_rate, weight_decay : float, default=1e-4, 0.01
        Of AdamW.

    The other parameters and the attributes are those of `NetworkModel`.

    Warnings
    --------
    In training, rows attend to the other rows of their batch. In use they attend to
    themselves and to fixed training rows, which are part of the model and of its file;
    so a row's answer does not depend on the others that are asked about with it, which
    in the authors' code it does. Time grows with the square of the columns.

    References
    ----------
    .. [1] G. Somepalli et al. (2021). SAINT: improved neural networks for tabular data
       via row attention and contrastive pre-training. arXiv:2106.01342.
    """

    dim: int = 32
    depth: int = 6
    heads: int = 8
    attention_type: str = "colrow"
    attention_dropout: float = 0.0
    ffn_dropout: float = 0.0
    context_size: int = 512
    learning_rate: float = 1e-4
    weight_decay: float = 0.01

    encoding: ClassVar[Any] = EMBEDDED

    def _network(self, layout: Layout, n_outputs: int) -> nn.Module:
        if self.attention_type not in ATTENTION:
            raise InvalidInput(
                f"attention_type is {self.attention_type!r}; use 'colrow', 'col' or "
                "'row'"
            )
        return SaintNet(self, layout, n_outputs)

    def _prepare(self, module: nn.Module, x: Tensor, y: Tensor) -> None:
        assert isinstance(module, SaintNet)
        chosen = torch.randperm(len(x))[: len(module.context)]
        module.context.copy_(x[chosen])
