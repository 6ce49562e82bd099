"""Which labeling: exact, greedy or by contribution, for every label vector."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caveat.eapp.labelings._best import ENUMERATED, LARGEST_EXACT
from caveat.eapp.labelings._branch_and_bound import branch_and_bound
from caveat.eapp.labelings._contribution import contribution_for_each
from caveat.eapp.labelings._enumeration import search_all
from caveat.eapp.labelings._evaluation import evaluate_each, labels_of
from caveat.eapp.labelings._greedy import greedy_for_each
from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.labelings._many_vectors import best_for_each
from caveat.eapp.labelings._neighbours import Neighbours, neighbours
from caveat.eapp.labelings._rank_table import RankTable, rank_table
from caveat.eapp.labelings._several_classes import name_jointly

LABELINGS = ("exact", "greedy", "contribution")
# With more clusters than this even greedy gives way to the linear method.
LARGEST_GREEDY = 64
# Nodes x points that branch and bound may look at before it settles for less.
BRANCH_WORK = 4_000_000_000


class Part:
    """One part of the data (training or held-out): distances and what follows.

    Neighbours and rank table are made when first asked for, and once.
    """

    def __init__(self, distances: NDArray[np.float64], score: str) -> None:
        self.distances = distances
        self._score = score
        self._near: Neighbours | None = None
        self._table: RankTable | None = None

    @property
    def near(self) -> Neighbours:
        """Every point's centroids by distance."""
        if self._near is None:
            self._near = neighbours(self.distances, self._score)
        return self._near

    @property
    def table(self) -> RankTable:
        """Ranks of all scores; all points are cells."""
        if self._table is None:
            self._table = rank_table(self.near)
        return self._table


@dataclass(frozen=True)
class Choice:
    """A labeling for every label vector.

    Attributes
    ----------
    labels : ndarray of bool, shape (count, k)
        Which clusters are positive.
    aucs : ndarray of shape (count,) or None
        Their AUC on the part that chose them, where choosing told it.
    exact : bool
        Whether no labeling can be better.
    """

    labels: NDArray[np.bool_]
    aucs: NDArray[np.float64] | None
    exact: bool


def choose(
    labeling: str,
    part: Part,
    vectors: LabelVectors,
    *,
    alone: bool,
    classes: int | None = None,
) -> Choice:
    """Choose a labeling for each label vector.

    Parameters
    ----------
    labeling : {"exact", "greedy", "contribution"}
        What was asked for. Beyond 16 clusters "exact" gives way to "greedy", beyond 64
        that gives way to "contribution".
    part : Part
        Where to choose.
    vectors : LabelVectors
        Labels of the part's points.
    alone : bool
        Whether there are no shuffles to be compared with. Then "exact" goes on to 24
        clusters by branch and bound, which would take too long for every shuffle.
    classes : int, optional
        If given, so many vectors in a row are the classes of one problem, and every
        cluster gets the name of one of them.
    """
    if classes is not None:
        labels, aucs = name_jointly(part.near, vectors, classes, part.table)
        return Choice(labels, aucs, exact=True)
    k = part.distances.shape[1]
    if labeling == "exact" and k > ENUMERATED:
        if alone and k <= LARGEST_EXACT:
            return _branched(part, vectors)
        labeling = "greedy"
    if labeling == "exact":
        return _exact(part, vectors)
    if labeling == "greedy" and k <= LARGEST_GREEDY:
        sums, labels = greedy_for_each(part.near, vectors, part.table)
        return Choice(labels, as_aucs(sums, vectors), exact=False)
    return Choice(contribution_for_each(part.distances, vectors), None, exact=False)


def judge(
    part: Part, vectors: LabelVectors, labels: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """AUC of every label vector under its own labeling."""
    return as_aucs(evaluate_each(part.near, part.table, vectors, labels), vectors)


def as_aucs(sums: NDArray[np.int64], vectors: LabelVectors) -> NDArray[np.float64]:
    """Turn Σ into AUC: a whole number divided once; NaN where a class is missing."""
    positives = vectors.positives
    pairs = positives * (len(vectors) - positives)
    return np.divide(
        sums + pairs, 2 * pairs, out=np.full(len(sums), np.nan), where=pairs > 0
    )


def _exact(part: Part, vectors: LabelVectors) -> Choice:
    if vectors.count == 1:
        positive = vectors.vector(0)
        doubled, mask = search_all(part.near, positive, blind=True)
        pairs = int(positive.sum()) * int((~positive).sum())
        sums, masks = np.array([doubled - pairs]), np.array([mask])
    else:
        sums, masks = best_for_each(part.near, vectors, part.table)
    k = part.near.n_clusters
    return Choice(labels_of(masks, k), as_aucs(sums, vectors), exact=True)


def _branched(part: Part, vectors: LabelVectors) -> Choice:
    budget = min(2_000_000, BRANCH_WORK // max(1, len(vectors)))
    positives = [vectors.vector(v) for v in range(vectors.count)]
    found = [branch_and_bound(part.near, p, budget=budget) for p in positives]
    masks = np.array([mask for _, mask, _ in found])
    aucs = [
        doubled / (2 * int(positive.sum()) * int((~positive).sum()))
        for (doubled, _, _), positive in zip(found, positives, strict=True)
    ]
    exact = all(complete for _, _, complete in found)
    return Choice(labels_of(masks, part.near.n_clusters), np.array(aucs), exact)
