"""What clusters answer on rows they were not made of, for measures other than AUC."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caveat.eapp.clusters._stages import finite
from caveat.eapp.target._prediction import Pair, cluster_means
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.eapp._eapp import EAPP
    from caveat.eapp.folds._fold import FoldResult
    from caveat.eapp.folds._splits import Split
    from caveat.eapp.target._target import Target

Floats = NDArray[np.float64]


def cluster_answers(model: EAPP) -> list[Floats]:
    """Answer the held-out rows of every fold, see `EAPP.answers`."""
    target = model._target
    if target.members is not None:
        raise InvalidInput(
            "y: clusters answer with classes or numbers, and rows have many labels; "
            "pass one label per row"
        )
    k = max(task.k_ceil for task in model._tasks)
    return [
        _answered(target, fold, split, k)
        for fold, split in zip(model._folds, model._splits, strict=True)
    ]


def _answered(target: Target, fold: FoldResult, split: Split, k: int) -> Floats:
    if k not in fold.clusters:
        raise InvalidInput(f"X: there are no {k} clusters ({fold.reasons[k]})")
    represent, clusters = fold.representations[k], fold.clusters[k]
    inside, outside = (
        clusters.distances(finite(represent.transform(fold.encoder.encode(rows))))
        for rows in split
    )
    members, near = inside.argmin(axis=1), Pair.of(outside)
    train, _ = split
    if target.numbers is not None:
        return near.predict(cluster_means(target.numbers[train], members, k))
    hits = target.codes[train][:, None] == np.arange(len(target.classes))
    return np.column_stack([_shares(hit, members, k)[near.first] for hit in hits.T])


def _shares(hit: NDArray[np.bool_], members: NDArray[np.int64], k: int) -> Floats:
    """Share of a class in every cluster.

    One row's worth of the overall share keeps a share from being 0: a small cluster
    without a class does not rule it out.
    """
    numbers = np.append(hit.astype(float), np.full(k, hit.mean()))
    return cluster_means(numbers, np.append(members, np.arange(k)), k)
