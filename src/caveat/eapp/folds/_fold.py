"""One fold: encode, represent, cluster, judge. Labels enter at the last of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.eapp._inputs import Images, Table
from caveat.eapp.clusters._clusters import Clusters
from caveat.eapp.clusters._stages import finite, stages
from caveat.eapp.labelings._neighbours import Neighbours
from caveat.eapp.representations._representation import Represent
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """Everything that all folds share.

    Attributes
    ----------
    data : Table or Images
    ks : list of int
        Numbers of clusters, increasing.
    represent : Represent
        Makes a fresh representation.
    cluster : callable
        ``(Z, ks, seed)`` to an iterator over k and clusters, see `_clusterers`.
    judge : type
        `Naming` for classes and labels, `Prediction` for numbers.
    labeling, score : str
    honest, paper : bool
        Which selections are wanted.
    pooled : bool
        Whether neighbours and labelings are kept, to pool scores over folds.
    joint : bool
        Whether clusters get the names of all classes at once.
    shuffles : int
    n_tasks : int
    """

    data: Table | Images
    ks: list[int]
    represent: Represent
    cluster: Callable[[Floats, list[int], int], Iterator[tuple[int, Clusters | str]]]
    judge: Any
    labeling: str
    score: str
    honest: bool
    paper: bool
    pooled: bool
    joint: bool
    shuffles: int
    n_tasks: int


@dataclass
class FoldResult:
    """What one fold yields, for every k.

    Attributes
    ----------
    honest, paper : ndarray of shape (k, vectors)
        Value on the held-out part, by either selection; NaN where not defined.
    train : ndarray of shape (k, tasks)
        Value on the training part of the labeling chosen there, observed labels.
    masks, paper_masks : list of lists of int
        Labelings chosen for the observed labels, per k and task.
    exact : ndarray of bool, shape (k,)
    encoder : fitted encoder
    reasons : dict of int to str
        Why there is no value at some k.
    clusters : dict of int to Clusters
    representations : dict of int to fitted representation
        The same for all k, unless features and clusters are learnt together.
    means : dict of int to ndarray
        Of a measured target: its mean in every cluster.
    kept : dict of int to (Neighbours, labels)
        For pooling: the held-out part's neighbours, and a labeling per vector.
    """

    honest: Floats
    paper: Floats
    train: Floats
    masks: list[list[int]]
    paper_masks: list[list[int]]
    exact: NDArray[np.bool_]
    encoder: Any
    reasons: dict[int, str] = field(default_factory=dict)
    clusters: dict[int, Clusters] = field(default_factory=dict)
    representations: dict[int, Any] = field(default_factory=dict)
    means: dict[int, Floats] = field(default_factory=dict)
    kept: dict[int, tuple[Neighbours, NDArray[np.bool_]]] = field(default_factory=dict)


def run_fold(
    plan: Plan,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    vectors: Any,
    seed: int,
    done: Callable[[int], None],
) -> FoldResult:
    """Run one fold.

    Parameters
    ----------
    plan : Plan
    train, test : ndarray of int
        Row numbers.
    vectors : object
        What the judge takes as labels: observed and shuffled.
    seed : int
        Of representation and clusterer.
    done : callable
        Called with 1 after every k, and with parts of `TICKS` while a network is
        trained.
    """
    encoder = plan.data.fit(train)
    encoded = finite(encoder.encode(train))
    columns = encoded.shape[1]
    if columns == 0:
        raise InvalidInput(
            "X: no column varies in the training rows (each is the same in all rows, "
            "or a different word in almost every one), so there is nothing to cluster; "
            "add columns whose values recur"
        )
    result = _empty(plan, encoder)
    judge = plan.judge(plan, train, test, vectors)
    found = stages(
        encoded, plan.ks, plan.represent(columns, seed, done), plan.cluster, seed
    )
    del encoded
    Z_test, last = np.empty((0, 0)), None
    for k, stage in found:
        if isinstance(stage, str):
            result.reasons[k] = stage
        else:
            if stage.representation is not last:
                last = stage.representation
                Z_test = finite(last.transform(encoder.encode(test)))
            clusters, distances = stage.clusters.ordered(
                stage.clusters.distances(stage.Z)
            )
            result.clusters[k] = clusters
            result.representations[k] = last
            judge.see(result, k, distances, clusters.distances(Z_test))
        done(1)
    judge.finish(result)
    return result


def _empty(plan: Plan, encoder: Any) -> FoldResult:
    shape = (len(plan.ks), (plan.shuffles + 1) * plan.n_tasks)
    return FoldResult(
        honest=np.full(shape, np.nan),
        paper=np.full(shape, np.nan),
        train=np.full((len(plan.ks), plan.n_tasks), np.nan),
        masks=[[] for _ in plan.ks],
        paper_masks=[[] for _ in plan.ks],
        exact=np.full(len(plan.ks), True),
        encoder=encoder,
    )
