"""Label sets as classes: the label powerset, and random small powersets (RAkEL)."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from caveat.multilabel._arrays import ByteArray, FloatArray, IntArray
from caveat.multilabel.learners._base import (
    MultiLabelClassifier,
    ProbabilityMixin,
    check_count,
    make_scaler,
)


class _Powerset:
    """A classifier whose classes are the distinct label sets of training."""

    def __init__(self, estimator: Any, X: Any, Y: ByteArray) -> None:
        self.sets, classes = np.unique(Y, axis=0, return_inverse=True)
        self.model = None
        if len(self.sets) > 1:
            self.model = (
                LogisticRegression(max_iter=1000)
                if estimator is None
                else clone(estimator)
            ).fit(X, classes.ravel())

    def probabilities(self, X: Any) -> FloatArray:
        """Probability of every set, shape (m, sets)."""
        if self.model is None:
            return np.ones((X.shape[0], 1))
        return np.asarray(self.model.predict_proba(X))

    def choose(self, X: Any) -> ByteArray:
        """Return the most probable set of every row."""
        return self.sets[self.probabilities(X).argmax(axis=1)]


class LabelPowerset(ProbabilityMixin, MultiLabelClassifier):
    """Every label set that occurs in training is one class.

    A label's score is the probability of all sets that contain it; the decision is
    the most probable set.

    Parameters
    ----------
    estimator : classifier with predict_proba, optional
        Learner of the classes; logistic regression by default.
    scaling : {'auto', 'standard', 'max-abs', 'none'}, default='auto'
        Scaling of the features, learnt in `fit`.

    Warnings
    --------
    It can only predict sets that it has seen. Where every row has a set of its own
    (CAL500), there is one class per row.

    References
    ----------
    .. [1] M. R. Boutell, J. Luo, X. Shen, C. M. Brown (2004). Learning multi-label
       scene classification. Pattern Recognition 37(9).

    Examples
    --------
    >>> X = [[-2.0], [-1.0], [1.0], [2.0]]
    >>> Y = [[0, 1], [0, 1], [1, 1], [1, 1]]
    >>> LabelPowerset().fit(X, Y).predict([[-1.5], [1.5]])
    array([[0, 1],
           [1, 1]])
    """

    def __init__(self, estimator: Any = None, *, scaling: str | None = "auto") -> None:
        self.estimator = estimator
        self.scaling = scaling

    def _fit(self, X: Any, Y: ByteArray) -> None:
        self.scaler_ = make_scaler(self.scaling, X)
        self.powerset_ = _Powerset(self.estimator, self._scaled(X), Y)

    def _scores(self, X: Any) -> FloatArray:
        return self.powerset_.probabilities(self._scaled(X)) @ self.powerset_.sets

    def _decide(self, scores: FloatArray, X: Any) -> NDArray[np.int64]:
        return self.powerset_.choose(self._scaled(X)).astype(np.int64)


class RAkEL(ProbabilityMixin, MultiLabelClassifier):
    """Random k-labelsets: a label powerset on each of many small sets of labels.

    Parameters
    ----------
    estimator : classifier with predict_proba, optional
        Learner of each powerset; logistic regression by default.
    k : int, default=3
        Labels per set.
    overlapping : bool, default=True
        ``True`` (RAkELo): random distinct sets; a label's score is its share of
        votes. ``False`` (RAkELd): a random partition; a label's score is the
        probability of the sets that contain it.
    n_sets : int, optional
        Sets of the overlapping kind; min(2 l, C(l, k)) by default. More are drawn
        until every label is in one.
    scaling : {'auto', 'standard', 'max-abs', 'none'}, default='auto'
        Scaling of the features, learnt in `fit`.
    random_state : int, RandomState or None
        Seed of the sets.

    Attributes
    ----------
    label_sets_ : list of arrays

    Warnings
    --------
    Votes take few values, so the overlapping kind has many tied scores.

    References
    ----------
    .. [1] G. Tsoumakas, I. Katakis, I. Vlahavas (2011). Random k-labelsets for
       multilabel classification. IEEE Trans. Knowledge and Data Engineering 23(7).

    Examples
    --------
    >>> X = [[-2.0], [-1.0], [1.0], [2.0]]
    >>> Y = [[0, 1, 0, 1], [0, 1, 0, 1], [1, 1, 0, 0], [1, 1, 0, 0]]
    >>> RAkEL(random_state=0).fit(X, Y).predict([[-1.5], [1.5]])
    array([[0, 1, 0, 1],
           [1, 1, 0, 0]])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        k: int = 3,
        overlapping: bool = True,
        n_sets: int | None = None,
        scaling: str | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.k = k
        self.overlapping = overlapping
        self.n_sets = n_sets
        self.scaling = scaling
        self.random_state = random_state

    def _fit(self, X: Any, Y: ByteArray) -> None:
        size = min(check_count("k", self.k), Y.shape[1])
        random = check_random_state(self.random_state)
        self.scaler_ = make_scaler(self.scaling, X)
        self.label_sets_ = (
            self._random_sets(Y.shape[1], size, random)
            if self.overlapping
            else _partition(Y.shape[1], size, random)
        )
        Z = self._scaled(X)
        self.powersets_ = [
            _Powerset(self.estimator, Z, Y[:, labels]) for labels in self.label_sets_
        ]

    def _random_sets(
        self, n_labels: int, size: int, random: np.random.RandomState
    ) -> list[IntArray]:
        most = comb(n_labels, size)
        wanted = min(2 * n_labels, most)
        if self.n_sets is not None:
            wanted = min(check_count("n_sets", self.n_sets), most)
        sets: set[tuple[int, ...]] = set()
        missing = set(range(n_labels))
        while len(sets) < wanted or missing:
            # Once there are enough sets, the rest is drawn around a missing label.
            if len(sets) < wanted:
                drawn = random.choice(n_labels, size, replace=False)
            else:
                label = min(missing)
                others = np.delete(np.arange(n_labels), label)
                drawn = np.append(random.choice(others, size - 1, replace=False), label)
            sets.add(tuple(sorted(int(j) for j in drawn)))
            missing -= set(map(int, drawn))
        return [np.array(labels) for labels in sorted(sets)]

    def _scores(self, X: Any) -> FloatArray:
        Z = self._scaled(X)
        total = np.zeros((X.shape[0], self.n_labels_))
        votes = np.zeros(self.n_labels_)
        for labels, powerset in zip(self.label_sets_, self.powersets_, strict=True):
            total[:, labels] += (
                powerset.choose(Z)
                if self.overlapping
                else powerset.probabilities(Z) @ powerset.sets
            )
            votes[labels] += 1
        return total / votes

    def _decide(self, scores: FloatArray, X: Any) -> NDArray[np.int64]:
        if self.overlapping:
            return (scores > 0.5).astype(np.int64)
        chosen = np.zeros(scores.shape, dtype=np.int64)
        Z = self._scaled(X)
        for labels, powerset in zip(self.label_sets_, self.powersets_, strict=True):
            chosen[:, labels] = powerset.choose(Z)
        return chosen


def _partition(
    n_labels: int, size: int, random: np.random.RandomState
) -> list[IntArray]:
    order = random.permutation(n_labels)
    return [np.sort(order[k : k + size]) for k in range(0, n_labels, size)]
