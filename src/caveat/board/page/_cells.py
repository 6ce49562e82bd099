"""Searches laid out by block and learner: what they gave, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]


class CellFacts(NamedTuple):
    """Searches of one learner in one block: their mean, and how many of which kind."""

    mean: float
    n: int
    planned: int
    incomplete: int
    open: int

    @property
    def is_partial(self) -> bool:
        """Whether searches failed, or a value rests on part of a search."""
        failed = self.planned - self.n - self.open
        return failed > 0 or self.incomplete > 0


@dataclass(frozen=True)
class Layout:
    """Which search belongs to which block and learner, and how complete it is.

    Attributes
    ----------
    learners : tuple of str
    blocks : int
        How many there are.
    block, learner : array of shape (n_searches,)
    complete, open : array of shape (n_searches,)
        Whether all configurations have a result; whether some have none yet.
    """

    learners: tuple[str, ...]
    blocks: int
    block: Whole
    learner: Whole
    complete: NDArray[np.bool_]
    open: NDArray[np.bool_]

    @property
    def code(self) -> Whole:
        """Number of each search's cell, counted block by block."""
        return self.block * len(self.learners) + self.learner

    def total(self, weights: Floats | NDArray[np.bool_]) -> Floats:
        """Sum over the searches of each cell: blocks x learners."""
        shape = self.blocks, len(self.learners)
        size = shape[0] * shape[1]
        sums = np.bincount(self.code, weights.astype(float), minlength=size)
        # Of no search at all numpy counts whole numbers.
        return sums.astype(np.float64).reshape(shape)


@dataclass(frozen=True)
class Cells:
    """Values of searches, and their means by block and learner.

    Attributes
    ----------
    layout : Layout
    value, search_regret : array of shape (n_searches,)
        NaN where a search gave none.
    mean, regret : array of shape (blocks, learners)
        Over the searches that gave a value.
    n, planned, incomplete, open : array of shape (blocks, learners)
        Searches that gave a value, that were planned, that gave a value from part of
        their configurations, that still wait.
    """

    layout: Layout
    value: Floats
    search_regret: Floats
    mean: Floats
    regret: Floats
    n: Whole
    planned: Whole
    incomplete: Whole
    open: Whole

    @classmethod
    def of(cls, layout: Layout, value: Floats, regret: Floats) -> Cells:
        """Lay values out and average them."""
        known = np.isfinite(value)
        n = layout.total(known)
        return cls(
            layout=layout,
            value=value,
            search_regret=regret,
            mean=_divided(layout.total(np.where(known, value, 0.0)), n),
            regret=_divided(layout.total(np.where(known, regret, 0.0)), n),
            n=n.astype(np.intp),
            planned=layout.total(np.ones(len(value))).astype(np.intp),
            incomplete=layout.total(known & ~layout.complete).astype(np.intp),
            open=layout.total(layout.open).astype(np.intp),
        )

    @property
    def learners(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.layout.learners

    @property
    def repeats(self) -> int:
        """Most searches of any cell."""
        return int(self.planned.max(initial=0))

    def facts(self, block: int, learner: int) -> CellFacts | None:
        """Return what is known of one cell; None if nothing was planned there."""
        if not self.planned[block, learner]:
            return None
        whole = (self.n, self.planned, self.incomplete, self.open)
        counts = (int(one[block, learner]) for one in whole)
        return CellFacts(float(self.mean[block, learner]), *counts)

    def values_of(self, learner: int) -> Floats:
        """All values of one learner."""
        return self.value[(self.layout.learner == learner) & np.isfinite(self.value)]

    def samples(self) -> dict[int, dict[str, Floats]]:
        """Values by block and learner, where there are any."""
        known = np.flatnonzero(np.isfinite(self.value))
        order = known[np.argsort(self.layout.code[known], kind="stable")]
        codes, starts = np.unique(self.layout.code[order], return_index=True)
        parts = np.split(self.value[order], starts[1:]) if len(codes) else []
        found: dict[int, dict[str, Floats]] = {}
        for code, part in zip(codes, parts, strict=True):
            block, learner = divmod(int(code), len(self.learners))
            found.setdefault(block, {})[self.learners[learner]] = part
        return found


def _divided(sums: Floats, counts: Floats) -> Floats:
    """Means; NaN where there is nothing to average."""
    with np.errstate(invalid="ignore"):
        return sums / counts
