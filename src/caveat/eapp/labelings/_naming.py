"""Clusters get names: choose a labeling for every label vector, and judge it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from caveat.eapp.labelings._choice import Choice, Part, choose, judge
from caveat.eapp.labelings._evaluation import masks_of
from caveat.eapp.labelings._label_vectors import LabelVectors
from caveat.eapp.labelings._scores import labeling_scores
from caveat.ranking import roc_auc

if TYPE_CHECKING:
    from caveat.eapp.folds._fold import FoldResult, Plan

Floats = NDArray[np.float64]
# More points than this do not change a name: the AUC of a labeling is then known to
# about 0.002, and its sums are exact in single precision (see `_many_vectors`).
NAMING_POINTS = 2**16


class Naming:
    """The judge of one fold, for classes and labels.

    Of more than 65,536 points, as many drawn at random choose the names; all held-out
    points judge them.

    Parameters
    ----------
    plan : Plan
    train, test : ndarray of int
        Row numbers.
    vectors : callable
        Gives the blocks of label vectors of all rows, the observed ones last.
    """

    def __init__(
        self,
        plan: Plan,
        train: NDArray[np.int64],
        test: NDArray[np.int64],
        vectors: Callable[[], Iterable[LabelVectors]],
    ) -> None:
        self.plan = plan
        self._named, self._tried = _some(len(train)), _some(len(test))
        self._blocks = _parts_of(vectors, train[self._named], test)

    def see(
        self, result: FoldResult, k: int, on_train: Floats, on_test: Floats
    ) -> None:
        """Judge one k by the distances of both parts to its centroids."""
        plan = self.plan
        row = plan.ks.index(k)
        train = Part(on_train[self._named], plan.score)
        test = Part(on_test, plan.score)
        few = test
        if plan.paper and len(on_test) > NAMING_POINTS:
            few = Part(on_test[self._tried], plan.score)
        start = 0
        labels: list[NDArray[np.bool_]] = []
        for train_labels, test_labels in self._blocks():
            here = slice(start, start + train_labels.count)
            start += train_labels.count
            if plan.honest:
                choice = self._choose(train, train_labels)
                values = judge(test, test_labels, choice.labels)
                if choice.exact and choice.aucs is not None and not plan.joint:
                    # No labeling beats its opposite: there is no name to give.
                    values[choice.aucs == 0.5] = 0.5
                result.honest[row, here] = values
                result.exact[row] &= choice.exact
                if plan.pooled:
                    labels.append(choice.labels)
            if plan.paper:
                chosen_by = test_labels
                if few is not test:
                    chosen_by = test_labels.take(self._tried)
                paper_choice = self._choose(few, chosen_by)
                reached = paper_choice.aucs if few is test else None
                if reached is None:
                    reached = judge(test, test_labels, paper_choice.labels)
                result.paper[row, here] = reached
                result.exact[row] &= paper_choice.exact
        # The last block ends with the observed labels.
        if plan.honest:
            self._note_observed(result, row, choice, train, train_labels)
        if plan.paper:
            result.paper_masks[row] = masks_of(paper_choice.labels[-plan.n_tasks :])
        if plan.pooled:
            result.kept[k] = test.near, np.vstack(labels)

    def finish(self, result: FoldResult) -> None:
        """Everything was judged on the way."""

    def _choose(self, part: Part, vectors: LabelVectors) -> Choice:
        plan = self.plan
        classes = plan.n_tasks if plan.joint else None
        return choose(
            plan.labeling, part, vectors, alone=plan.shuffles == 0, classes=classes
        )

    def _note_observed(
        self,
        result: FoldResult,
        row: int,
        choice: Choice,
        train: Part,
        vectors: LabelVectors,
    ) -> None:
        """Keep the labelings of the observed labels and how well they fit."""
        n_tasks = self.plan.n_tasks
        chosen = choice.labels[-n_tasks:]
        result.masks[row] = masks_of(chosen)
        if choice.aucs is not None:
            result.train[row] = choice.aucs[-n_tasks:]
            return
        for task, labels in enumerate(chosen):
            positive = vectors.vector(vectors.count - n_tasks + task)
            scores = labeling_scores(train.distances, labels, self.plan.score)
            result.train[row, task] = roc_auc(positive, scores)


def _some(count: int) -> NDArray[np.int64]:
    """Return the points that choose names: all of them, or a sample."""
    if count <= NAMING_POINTS:
        return np.arange(count)
    rng = np.random.default_rng(count)
    return np.sort(rng.choice(count, NAMING_POINTS, replace=False))


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
