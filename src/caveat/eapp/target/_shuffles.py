"""Shuffled labels: what the same procedure gives when there is nothing to find.

Labels change places within each held-out fold, so every fold keeps its class counts.
Clusterings ignore labels and stay as they are. The vectors come in blocks, and each
group of eight shuffles has a generator of its own: however large the blocks, the
shuffles are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.target._target import Target

# Bytes that the label vectors of one block may take.
LABEL_BYTES = 2**27
GROUP = 8


@dataclass(frozen=True)
class ShuffledLabels:
    """The shuffles of a target, and at the end the labels as they are.

    Vector ``s * tasks + c`` is shuffle s, class c against the rest; the observed labels
    come last, as shuffle number `shuffles`.

    Attributes
    ----------
    target : Target
    strata : list of ndarray
        Rows within which labels change places.
    shuffles : int
        How many; 0 leaves the observed labels alone.
    seed : int
    """

    target: Target
    strata: list[NDArray[np.int64]]
    shuffles: int
    seed: int

    @property
    def count(self) -> int:
        """Number of vectors in all."""
        return (self.shuffles + 1) * len(self.target.tasks)

    def blocks(self, limit: int = LABEL_BYTES) -> Iterator[LabelVectors]:
        """Yield all vectors, at most about `limit` bytes of them at a time."""
        n = len(self.target.codes)
        groups = -(-self.shuffles // GROUP)
        size = max(1, limit // (n * len(self.target.tasks)))
        for start in range(0, max(groups, 1), size):
            stop = min(start + size, groups)
            shuffled = map(self._group, range(start, stop))
            observed = [self._columns(self.target.codes[:, None])]
            yield _packed(chain(shuffled, observed if stop == groups else []))

    def _group(self, number: int) -> NDArray[np.bool_]:
        codes = self.target.codes
        count = min(GROUP, self.shuffles - number * GROUP)
        rng = np.random.default_rng([self.seed, number])
        shuffled = np.empty((len(codes), count), codes.dtype)
        for rows in self.strata:
            copies = np.repeat(codes[rows][None], count, axis=0)
            shuffled[rows] = rng.permuted(copies, axis=1).T
        return self._columns(shuffled)

    def _columns(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Turn codes (n, shuffles) into one 0/1 column per shuffle and task."""
        return self.target.hits(codes).reshape(len(codes), -1)


def _packed(columns: Iterable[NDArray[np.bool_]]) -> LabelVectors:
    """Pack columns as they come; only the last ones may leave a byte unfinished."""
    packed: list[NDArray[np.uint8]] = []
    unfinished: list[NDArray[np.bool_]] = []
    count = 0
    for part in columns:
        count += part.shape[1]
        if part.shape[1] % 8 or unfinished:
            unfinished.append(part)
        else:
            packed.append(np.packbits(part, axis=1))
    if unfinished:
        packed.append(np.packbits(np.hstack(unfinished), axis=1))
    return LabelVectors(np.hstack(packed), count)
