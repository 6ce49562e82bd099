"""One fold: encode, represent, cluster, label, judge. Labels enter at the last two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.baseline._choose import Choice, Part, choose, judge
from caveat.baseline._clusters import Clusters, has_distinct
from caveat.baseline._evaluate import masks_of
from caveat.baseline._inputs import Images, Table
from caveat.baseline._label_vectors import LabelVectors
from caveat.baseline._neighbours import Neighbours
from caveat.baseline._representation import Representation
from caveat.baseline._scores import labeling_scores
from caveat.exceptions import InvalidInput
from caveat.ranking import roc_auc

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """Everything that all folds share.

    Attributes
    ----------
    data : Table or Images
    ks : list of int
        Numbers of clusters, increasing.
    represent : callable
        Makes a fresh representation from the number of encoded columns.
    cluster : callable
        ``(Z, ks, seed)`` to an iterator over k and clusters, see `_clusterers`.
    labeling, score : str
    honest, paper : bool
        Which selections are wanted.
    pooled : bool
        Whether neighbours and labelings are kept, to pool scores over folds.
    shuffles : int
    n_tasks : int
    """

    data: Table | Images
    ks: list[int]
    represent: Callable[[int], Representation]
    cluster: Callable[[Floats, list[int], int], Iterator[tuple[int, Clusters | str]]]
    labeling: str
    score: str
    honest: bool
    paper: bool
    pooled: bool
    shuffles: int
    n_tasks: int


@dataclass
class FoldResult:
    """What one fold yields, for every k.

    Attributes
    ----------
    honest, paper : ndarray of shape (k, vectors)
        AUC on the held-out part, by either selection; NaN where not defined.
    train : ndarray of shape (k, tasks)
        AUC on the training part of the labeling chosen there, observed labels.
    masks, paper_masks : list of lists of int
        Labelings chosen for the observed labels, per k and task.
    exact : ndarray of bool, shape (k,)
    reasons : dict of int to str
        Why there is no value at some k.
    clusters : dict of int to Clusters
    encoder, representation : fitted objects
    kept : dict of int to (Neighbours, labels)
        For pooling: the held-out part's neighbours, and a labeling per vector.
    """

    honest: Floats
    paper: Floats
    train: Floats
    masks: list[list[int]]
    paper_masks: list[list[int]]
    exact: NDArray[np.bool_]
    reasons: dict[int, str] = field(default_factory=dict)
    clusters: dict[int, Clusters] = field(default_factory=dict)
    encoder: Any = None
    representation: Any = None
    kept: dict[int, tuple[Neighbours, NDArray[np.bool_]]] = field(default_factory=dict)


def run_fold(
    plan: Plan,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    vectors: Callable[[], Iterable[LabelVectors]],
    seed: int,
    done: Callable[[], None],
) -> FoldResult:
    """Run one fold.

    Parameters
    ----------
    plan : Plan
    train, test : ndarray of int
        Row numbers.
    vectors : callable
        Gives the blocks of label vectors of all rows, the observed ones last.
    seed : int
        Of the clusterer.
    done : callable
        Called after every k.
    """
    encoder = plan.data.fit(train)
    encoded = _finite(encoder.encode(train))
    if encoded.shape[1] == 0:
        raise InvalidInput(
            "X: no column varies in the training rows, so there is nothing to cluster"
        )
    model = plan.represent(encoded.shape[1]).fit(encoded)
    Z_train = _finite(model.transform(encoded))
    del encoded
    Z_test = _finite(model.transform(encoder.encode(test)))
    count = (plan.shuffles + 1) * plan.n_tasks
    shape = (len(plan.ks), count)
    result = FoldResult(
        honest=np.full(shape, np.nan),
        paper=np.full(shape, np.nan),
        train=np.full((len(plan.ks), plan.n_tasks), np.nan),
        masks=[[] for _ in plan.ks],
        paper_masks=[[] for _ in plan.ks],
        exact=np.full(len(plan.ks), True),
        encoder=encoder,
        representation=model,
    )
    blocks = _parts_of(vectors, train, test)
    for k, found in _clusterings(plan, Z_train, seed):
        if isinstance(found, str):
            result.reasons[k] = found
        else:
            distances = found.distances(Z_train)
            clusters, distances = found.ordered(distances)
            result.clusters[k] = clusters
            _judge_k(
                plan,
                result,
                k,
                Part(distances, plan.score),
                Part(clusters.distances(Z_test), plan.score),
                blocks(),
            )
        done()
    return result


def _parts_of(
    vectors: Callable[[], Iterable[LabelVectors]],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
) -> Callable[[], Iterable[tuple[LabelVectors, LabelVectors]]]:
    """Give the label vectors of both parts, for every k anew if they come in blocks."""
    blocks = vectors()
    if isinstance(blocks, list):
        pairs = [(block.take(train), block.take(test)) for block in blocks]
        return lambda: pairs
    return lambda: ((block.take(train), block.take(test)) for block in vectors())


def _clusterings(
    plan: Plan, Z: Floats, seed: int
) -> Iterator[tuple[int, Clusters | str]]:
    """Cluster for all k that the points allow; say why not for the others."""
    distinct = has_distinct(Z, plan.ks[-1])
    possible = [k for k in plan.ks if k <= distinct]
    if possible:
        for k, found in plan.cluster(Z, possible, seed):
            if isinstance(found, Clusters) and found.n_distinct() < k:
                yield k, f"the clusterer found {found.n_distinct()} clusters"
            else:
                yield k, found
    for k in plan.ks[len(possible) :]:
        yield k, f"the training rows have {distinct} distinct points"


def _judge_k(
    plan: Plan,
    result: FoldResult,
    k: int,
    train: Part,
    test: Part,
    blocks: Iterable[tuple[LabelVectors, LabelVectors]],
) -> None:
    """Choose and judge a labeling for every label vector, block by block."""
    row = plan.ks.index(k)
    alone = plan.shuffles == 0
    start = 0
    labels: list[NDArray[np.bool_]] = []
    for on_train, on_test in blocks:
        here = slice(start, start + on_train.count)
        start += on_train.count
        if plan.honest:
            choice = choose(plan.labeling, train, on_train, alone=alone)
            values = judge(test, on_test, choice.labels)
            if choice.exact and choice.aucs is not None:
                # No labeling is better than its opposite: there is no name to give.
                values[choice.aucs == 0.5] = 0.5
            result.honest[row, here] = values
            result.exact[row] &= choice.exact
            if plan.pooled:
                labels.append(choice.labels)
        if plan.paper:
            paper_choice = choose(plan.labeling, test, on_test, alone=alone)
            reached = paper_choice.aucs
            if reached is None:
                reached = judge(test, on_test, paper_choice.labels)
            result.paper[row, here] = reached
            result.exact[row] &= paper_choice.exact
    # The last block ends with the observed labels.
    if plan.honest:
        _note_observed(plan, result, row, choice, train, on_train)
    if plan.paper:
        result.paper_masks[row] = masks_of(paper_choice.labels[-plan.n_tasks :])
    if plan.pooled:
        result.kept[k] = test.near, np.vstack(labels)


def _note_observed(
    plan: Plan,
    result: FoldResult,
    row: int,
    choice: Choice,
    train: Part,
    vectors: LabelVectors,
) -> None:
    """Keep the labelings of the observed labels and how well they fit."""
    chosen = choice.labels[-plan.n_tasks :]
    result.masks[row] = masks_of(chosen)
    if choice.aucs is not None:
        result.train[row] = choice.aucs[-plan.n_tasks :]
        return
    for task, labels in enumerate(chosen):
        positive = vectors.vector(vectors.count - plan.n_tasks + task)
        scores = labeling_scores(train.distances, labels, plan.score)
        result.train[row, task] = roc_auc(positive, scores)


def _finite(Z: Floats) -> Floats:
    features = np.ascontiguousarray(Z, dtype=np.float64)
    if not np.isfinite(features).all() or np.abs(features).max(initial=0.0) > 1e140:
        raise InvalidInput(
            "X: numbers are too large to measure distances; divide the columns first"
        )
    return features
