"""Splits and strategies as published (llp-learn 1.1.0)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from caveat.bags import (
    FullBagKFold,
    SplitBagBootstrap,
    SplitBagKFold,
    SplitBagShuffle,
)

SPLIT_SEEDS = (
    189395, 962432364, 832061813, 316313123, 1090792484, 1041300646, 242592193,
    634253792, 391077503, 2644570296, 1925621443, 3585833024, 530107055, 3338766924,
    3029300153, 2924454568, 1443523392, 2612919611, 2781981831, 3394369024, 641017724,
    626917272, 1164021890, 3439309091, 1066061666, 411932339, 1446558659, 1448895932,
    952198910, 3882231031,
)  # fmt: skip
"""Seeds of the 30 published executions."""


class PublishedFullBagKFold(FullBagKFold):
    """Folds that draw towards the wrong side.

    With as many folds as bags it makes no difference.
    """

    def _lacks(self, share: float, overall: float) -> bool:
        return share > overall


class PublishedSplitBagKFold(SplitBagKFold):
    """Parts of bags that are shuffled anew for every fold.

    Validation parts overlap then, and do not cover all items. Training rows come bag by
    bag before they are permuted, which decides the first labels of EM/LR.
    """

    def _split(
        self, bags: NDArray, shares: NDArray, rng: RandomState
    ) -> Iterator[tuple[NDArray, NDArray]]:
        for train, validation in super()._split(bags, shares, rng):
            yield train[np.argsort(bags[train], kind="stable")], validation

    def _shuffles(
        self, members: list[NDArray], rng: RandomState
    ) -> Iterator[list[NDArray]]:
        for _ in range(self.n_splits):
            # In place of `members`: every fold shuffles the order of the one before.
            members = [rng.permutation(rows) for rows in members]
            yield members


_KINDS: Mapping[str, type] = {
    "full-bag-kfold": PublishedFullBagKFold,
    "split-bag-kfold": PublishedSplitBagKFold,
    "split-bag-shuffle": SplitBagShuffle,
    "split-bag-bootstrap": SplitBagBootstrap,
}


def published_strategies(
    names: Sequence[str], n_splits: int, seed: int
) -> Mapping[str, object]:
    """Build the published splitters of some strategies, by name."""
    return {name: _KINDS[name](n_splits, random_state=seed) for name in names}
