"""Pieces that several networks are made of."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, sqrt
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from caveat.exceptions import InvalidInput
from caveat.models.networks._layout import Layout


class CategoryEmbedding(nn.Module):
    """A vector for every level of every categorical column.

    Row 0 of a column is the unknown level; it starts at zero and learns only where
    training shows it, by rows that lose the column.

    Parameters
    ----------
    sizes : sequence of int
        How many rows each column has.
    d : int
        Width of a vector.
    """

    offsets: Tensor

    def __init__(self, sizes: Sequence[int], d: int) -> None:
        super().__init__()
        starts = torch.tensor([0, *sizes]).cumsum(0)[:-1]
        self.register_buffer("offsets", starts, persistent=False)
        self.weight = nn.Parameter(torch.empty(sum(sizes), d))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the vectors uniformly, within one over the root of their width."""
        nn.init.uniform_(self.weight, -1 / sqrt(self.width), 1 / sqrt(self.width))
        with torch.no_grad():
            self.weight[self.offsets] = 0.0

    @property
    def width(self) -> int:
        """Width of a vector."""
        return self.weight.shape[1]

    def forward(self, codes: Tensor) -> Tensor:
        """Look codes (n, columns) up: (n, columns, width)."""
        return self.weight[codes + self.offsets]


class Tokens(nn.Module):
    """A vector for every cell: numbers x_j w_j (+ b_j), levels e_j (+ b_j).

    Parameters
    ----------
    layout : Layout
    d : int
        Width of a token.
    bias : bool, default=True
        Whether every column adds a vector of its own.
    cls : bool, default=False
        Whether a learnt token comes first.
    """

    def __init__(
        self, layout: Layout, d: int, *, bias: bool = True, cls: bool = False
    ) -> None:
        super().__init__()
        self.layout = layout
        self.count = layout.width + len(layout.sizes) + cls
        self.weight = nn.Parameter(torch.empty(layout.width, d))
        columns = layout.width + len(layout.sizes)
        self.bias = nn.Parameter(torch.empty(columns, d)) if bias else None
        self.cls = nn.Parameter(torch.empty(1, d)) if cls else None
        self.levels = CategoryEmbedding(layout.sizes, d)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all vectors as those of the levels are drawn."""
        bound = 1 / sqrt(self.weight.shape[1])
        for weight in (self.weight, self.bias, self.cls):
            if weight is not None:
                nn.init.uniform_(weight, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        """Make tokens of rows: (n, tokens, d)."""
        numbers, codes = self.layout.split(x)
        tokens = torch.cat([numbers[..., None] * self.weight, self.levels(codes)], 1)
        if self.bias is not None:
            tokens = tokens + self.bias
        if self.cls is not None:
            tokens = torch.cat([self.cls.expand(len(x), 1, -1), tokens], 1)
        return tokens


class Flat(nn.Module):
    """Numbers and the vectors of the levels, side by side.

    Parameters
    ----------
    layout : Layout
    d : int
        Width of a level's vector.
    """

    def __init__(self, layout: Layout, d: int) -> None:
        super().__init__()
        self.layout = layout
        self.levels = CategoryEmbedding(layout.sizes, d)
        self.width = layout.width + len(layout.sizes) * d

    def forward(self, x: Tensor) -> Tensor:
        """Make one vector of each row: (n, width)."""
        numbers, codes = self.layout.split(x)
        return torch.cat([numbers, self.levels(codes).flatten(1)], 1)


class Attention(nn.Module):
    """Multi-head attention: softmax(Q K^T / sqrt(d_head)) V, then an output map.

    Parameters
    ----------
    d : int
        Width of a token.
    heads : int
    d_head : int or None, default=None
        Width of a head; None is ``d // heads``.
    dropout : float, default=0.0
        Of the attention weights.
    bias, output : bool, default=True
        Whether the maps have a bias, and whether there is one for the output.
    """

    def __init__(
        self,
        d: int,
        heads: int,
        *,
        d_head: int | None = None,
        dropout: float = 0.0,
        bias: bool = True,
        output: bool = True,
    ) -> None:
        super().__init__()
        if d_head is None and d % heads:
            raise InvalidInput(f"{heads} heads do not divide a token of {d} numbers")
        inner = heads * (d_head or d // heads)
        self.heads, self.dropout = heads, dropout
        self.query = nn.Linear(d, inner, bias=bias)
        self.key = nn.Linear(d, inner, bias=bias)
        self.value = nn.Linear(d, inner, bias=bias)
        self.out = nn.Linear(inner, d) if output else None

    def forward(self, asking: Tensor, asked: Tensor | None = None) -> Tensor:
        """Let tokens (n, s, d) look at themselves, or at others (n, t, d)."""
        other = asking if asked is None else asked
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(-3, -2)
            for part in (self.query(asking), self.key(other), self.value(other))
        )
        drop = self.dropout if self.training else 0.0
        seen = scaled_dot_product_attention(q, k, v, dropout_p=drop)
        mixed = seen.transpose(-3, -2).flatten(-2)
        return mixed if self.out is None else self.out(mixed)


class GEGLU(nn.Module):
    """Feed-forward part W_2 dropout(u * gelu(v)) with [u, v] = W_1 x."""

    def __init__(self, d: int, *, mult: int = 4, dropout: float = 0.0) -> None:
        super().__init__()
        self.inner = nn.Linear(d, 2 * mult * d)
        self.dropout = nn.Dropout(dropout)
        self.outer = nn.Linear(mult * d, d)

    def forward(self, x: Tensor) -> Tensor:
        """Apply it to the last dimension."""
        u, v = self.inner(x).chunk(2, dim=-1)
        return self.outer(self.dropout(u * gelu(v)))


class GhostBatchNorm(nn.Module):
    """Batch norm over pieces of a batch in training, by running means in use.

    Parameters
    ----------
    d : int
    virtual : int, default=256
        Rows in a piece, about.
    momentum : float, default=0.1
    """

    def __init__(self, d: int, *, virtual: int = 256, momentum: float = 0.1) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(d, momentum=momentum)
        self.virtual = virtual

    def forward(self, x: Tensor) -> Tensor:
        """Normalise rows (n, d)."""
        if not self.training:
            return self.norm(x)
        pieces = x.chunk(max(1, len(x) // self.virtual))
        return torch.cat([self.norm(piece) for piece in pieces])


class PeriodicEmbedding(nn.Module):
    """Numbers as waves: relu(W [sin 2πc_j x_j, cos 2πc_j x_j] + b), W for all columns.

    Parameters
    ----------
    columns : int
        How many numbers there are.
    n_frequencies : int
    scale : float
        Standard deviation of the first frequencies c.
    d : int
        Width of a number's vector.
    """

    def __init__(self, columns: int, n_frequencies: int, scale: float, d: int) -> None:
        super().__init__()
        self.scale = scale
        self.frequencies = nn.Parameter(torch.empty(columns, n_frequencies))
        self.map = nn.Linear(2 * n_frequencies, d)
        self.width = columns * d
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the frequencies."""
        nn.init.normal_(self.frequencies, std=self.scale)

    def forward(self, x: Tensor) -> Tensor:
        """Embed rows (n, columns): (n, columns * d)."""
        angle = 2 * pi * self.frequencies * x[..., None]
        waves = torch.cat([angle.sin(), angle.cos()], -1)
        return self.map(waves).relu().flatten(1)


def sparsemax(z: Tensor, dim: int = -1) -> Tensor:
    """Project onto the simplex: max(z - τ, 0) with τ such that the sum is 1.

    References
    ----------
    .. [1] A. F. T. Martins, R. F. Astudillo (2016). From softmax to sparsemax. ICML.

    Examples
    --------
    >>> import torch
    >>> sparsemax(torch.tensor([2.0, 1.5, 0.0])).tolist()
    [0.75, 0.25, 0.0]
    """
    ordered = z.sort(dim=dim, descending=True).values
    sums = ordered.cumsum(dim) - 1
    shape = [1] * z.ndim
    shape[dim] = -1
    counts = torch.arange(1, z.shape[dim] + 1, device=z.device).reshape(shape)
    support = (counts * ordered > sums).sum(dim, keepdim=True)
    threshold = sums.gather(dim, support - 1) / support
    return (z - threshold).relu()


class _Entmax15(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, dim: int) -> Tensor:
        half = (z - z.amax(dim, keepdim=True)) / 2
        ordered = half.sort(dim=dim, descending=True).values
        shape = [1] * z.ndim
        shape[dim] = -1
        counts = torch.arange(1, z.shape[dim] + 1, device=z.device).reshape(shape)
        mean = ordered.cumsum(dim) / counts
        spread = counts * (ordered.square().cumsum(dim) / counts - mean.square())
        thresholds = mean - ((1 - spread) / counts).clamp_min(0).sqrt()
        support = (thresholds <= ordered).sum(dim, keepdim=True)
        p = (half - thresholds.gather(dim, support - 1)).relu().square()
        ctx.save_for_backward(p)
        ctx.dim = dim
        return p

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None]:
        # dp = s * (dz - sum(s dz) / sum(s)) with s = sqrt(p).
        (p,) = ctx.saved_tensors
        s = p.sqrt()
        weighed = slopes[0] * s
        mean = weighed.sum(ctx.dim, keepdim=True) / s.sum(ctx.dim, keepdim=True)
        return weighed - mean * s, None


def entmax15(z: Tensor, dim: int = -1) -> Tensor:
    """Map to the simplex: max(z / 2 - τ, 0)² with τ such that the sum is 1.

    References
    ----------
    .. [1] B. Peters, V. Niculae, A. F. T. Martins (2019). Sparse sequence-to-sequence
       models. ACL.

    Examples
    --------
    >>> import torch
    >>> entmax15(torch.tensor([3.0, 3.0, 0.0])).tolist()
    [0.5, 0.5, 0.0]
    """
    return _Entmax15.apply(z, dim)
