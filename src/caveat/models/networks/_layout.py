"""What goes into a network: numbers, mask bits and codes, in one array.

An absent column is all zeros there: the mean of a standardised number, no level of a
one-hot column, and row 0 of an embedding, which also stands for levels and missing
cells that training did not have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caveat.models._absence import owners
from caveat.tables import TableEncoder

FURTHEST = 8.0
"""Standardised numbers end here: one cell of a column with a long tail would else take
most of the gradient, and of the loss of the validation rows that says when to stop."""


@dataclass(frozen=True)
class Layout:
    """The columns of a network's input: numbers, then mask bits, then codes.

    Attributes
    ----------
    owner : tuple of int
        For every number and every code, which column of the table it comes from.
    sizes : tuple of int
        How many rows the embedding of each code has; row 0 is the unknown level.
    bits : int
        How many mask bits there are: one per column of the table, or none.
    rows : int
        How many rows were learnt from, for networks that look them up again.
    plain : int
        How many of the numbers are numbers of the table; the others are indicators.
    """

    owner: tuple[int, ...]
    sizes: tuple[int, ...] = ()
    bits: int = 0
    rows: int = 0
    plain: int = 0

    @classmethod
    def of(cls, encoder: TableEncoder, *, bits: bool = False, rows: int = 0) -> Layout:
        """Read the layout off a fitted encoder."""
        codes = encoder.categories == "ordinal"
        sizes = tuple(size + 1 for size in encoder.sizes_) if codes else ()
        columns = len(encoder.columns_) if bits else 0
        plain = len(encoder.numerical_)
        return cls(tuple(owners(encoder)), sizes, columns, rows, plain)

    @property
    def width(self) -> int:
        """How many numbers there are, mask bits included."""
        return len(self.owner) - len(self.sizes) + self.bits

    def inputs(self, encoded: NDArray[Any]) -> NDArray[np.float32]:
        """Make a network's input of an encoded table; no mask bit is set."""
        numbers = len(self.owner) - len(self.sizes)
        values = np.clip(encoded[:, :numbers], -FURTHEST, FURTHEST)
        bits = np.zeros((len(encoded), self.bits))
        return np.hstack([values, bits, encoded[:, numbers:] + 1]).astype(np.float32)

    def split(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Give numbers (with mask bits) and codes apart."""
        return x[:, : self.width], x[:, self.width :].long()

    def without(self, x: Tensor, gone: Tensor) -> Tensor:
        """Take columns of the table away.

        Parameters
        ----------
        x : tensor of shape (n_rows, n_inputs)
        gone : bool tensor of shape (n_rows, n_columns)
        """
        numbers = len(self.owner) - len(self.sizes)
        away = gone[:, torch.tensor(self.owner, dtype=torch.long, device=x.device)]
        parts = [x[:, :numbers].masked_fill(away[:, :numbers], 0.0)]
        if self.bits:
            parts.append(torch.maximum(x[:, numbers : self.width], gone.to(x.dtype)))
        parts.append(x[:, self.width :].masked_fill(away[:, numbers:], 0.0))
        return torch.cat(parts, dim=1)


@dataclass(frozen=True)
class RandomAbsence:
    """A view of rows some of whose columns are gone, as they may be one day.

    With probability `rate` a row loses columns: its share of lost columns is uniform
    between none and all, so that every degree of loss is practised.
    """

    layout: Layout
    columns: int
    rate: float

    def __call__(self, x: Tensor, generator: torch.Generator) -> Tensor:
        """Take columns away at random."""
        settings: dict[str, Any] = {"generator": generator, "device": x.device}
        hit = torch.rand(len(x), 1, **settings) < self.rate
        share = torch.rand(len(x), 1, **settings)
        gone = torch.rand(len(x), self.columns, **settings) < share
        return self.layout.without(x, gone & hit)
