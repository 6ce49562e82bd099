"""From encoded rows to features and clusters, for a whole range of k. No labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.eapp.clusters._clusters import Clusters, has_distinct
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Stage:
    """What one k works with.

    Attributes
    ----------
    clusters : Clusters
    representation : fitted representation
        The same for all k, unless features and clusters are learnt together.
    Z : ndarray of shape (n, latent)
        Features of the training rows.
    """

    clusters: Clusters
    representation: Any
    Z: Floats


def stages(
    encoded: Floats,
    ks: Sequence[int],
    representation: Any,
    cluster: Callable[[Floats, list[int], int], Iterator[tuple[int, Clusters | str]]],
    seed: int,
) -> Iterator[tuple[int, Stage | str]]:
    """Yield a stage for every k that the points allow, for the others why not.

    Parameters
    ----------
    encoded : ndarray of shape (n, columns)
        Training rows.
    ks : sequence of int
        Numbers of clusters, increasing.
    representation : Representation or KMeansFeatures
        Not yet fitted; one that has a ``path`` brings its own clusters.
    cluster : callable
        ``(Z, ks, seed)`` to an iterator over k and clusters, see `_clusterers`.
    seed : int
        Of the clusterer.
    """
    found: Iterator[tuple[int, Stage | str]]
    if hasattr(representation, "path"):
        distinct = has_distinct(encoded, ks[-1])
        possible = [k for k in ks if k <= distinct]
        found = _together(encoded, possible, representation)
    else:
        Z = finite(representation.fit(encoded).transform(encoded))
        del encoded
        distinct = has_distinct(Z, ks[-1])
        possible = [k for k in ks if k <= distinct]
        found = _one_by_one(Z, possible, representation, cluster, seed)
    for k, stage in found:
        yield k, _checked(stage, k)
    for k in ks[len(possible) :]:
        yield k, f"the training rows have {distinct} distinct points"


def _one_by_one(
    Z: Floats, ks: list[int], representation: Any, cluster: Any, seed: int
) -> Iterator[tuple[int, Stage | str]]:
    if ks:
        for k, found in cluster(Z, ks, seed):
            yield (
                k,
                found if isinstance(found, str) else Stage(found, representation, Z),
            )


def _together(
    encoded: Floats, ks: list[int], representation: Any
) -> Iterator[tuple[int, Stage | str]]:
    if ks:
        for k, found, encoder in representation.path(encoded, ks):
            if isinstance(found, str):
                yield k, found
            else:
                yield k, Stage(found, encoder, finite(encoder.transform(encoded)))


def _checked(stage: Stage | str, k: int) -> Stage | str:
    if isinstance(stage, str):
        return stage
    count = stage.clusters.n_distinct()
    return stage if count == k else f"the clusterer found {count} clusters"


def finite(Z: Floats) -> Floats:
    """Refuse numbers whose distances would overflow."""
    features = np.ascontiguousarray(Z, dtype=np.float64)
    if not np.isfinite(features).all() or np.abs(features).max(initial=0.0) > 1e140:
        raise InvalidInput(
            "X: numbers are too large to measure distances; divide the columns first"
        )
    return features
