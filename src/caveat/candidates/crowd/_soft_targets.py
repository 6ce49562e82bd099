"""Learning from a crowd: soft targets for any learner, and a model in the loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold

from caveat.candidates.crowd import DawidSkene, PooledCrowd, as_answers
from caveat.exceptions import InvalidInput
from caveat.tables import TableEncoder, detect_kinds

Floats = NDArray[np.float64]

_LEAST_SHARE = 0.01
_TEMPERATURES = np.linspace(0.5, 4.0, 15)


def soft_targets(
    X: Any, proba: Any, *, least: float = _LEAST_SHARE
) -> tuple[Any, NDArray[np.intp], Floats]:
    """Turn probabilities of labels into rows with weights, for any learner.

    Every item comes once for each of its probable classes, weighted by how probable
    the class is: ``learner.fit(rows, codes, sample_weight=weights)``.

    Parameters
    ----------
    X : DataFrame or array of shape (n_items, n_columns)
    proba : array-like of shape (n_items, n_classes)
    least : float, default=0.01
        Classes below this probability get no row.

    Returns
    -------
    rows, codes, weights
        `codes` number the columns of `proba`.

    Examples
    --------
    >>> rows, codes, weights = soft_targets([[1.0], [2.0]], [[0.7, 0.3], [0.0, 1.0]])
    >>> rows.ravel().tolist(), codes.tolist(), weights.tolist()
    ([1.0, 1.0, 2.0], [0, 1, 1], [0.7, 0.3, 1.0])
    """
    shares = np.asarray(proba, dtype=float)
    if shares.ndim != 2 or len(shares) != len(X):
        raise InvalidInput(
            f"proba: found the shape {shares.shape} for {len(X)} items; pass items by "
            "classes"
        )
    row, code = np.nonzero(shares >= least)
    rows = X.iloc[row] if isinstance(X, pd.DataFrame) else np.asarray(X)[row]
    return rows, code, shares[row, code]


class CrowdClassifier(ClassifierMixin, BaseEstimator):
    """A classifier and a model of the crowd that teach each other [1]_.

    The classifier learns from the probable labels (soft targets); what it says of
    items whose answers it has not seen is, in turn, what the crowd's model knows
    beforehand; and again. Predictions for training items are out of fold throughout.

    Parameters
    ----------
    learner : classifier, optional
        Takes ``sample_weight`` and gives probabilities; a random forest by default.
    rounds : int, default=1
    folds : int, default=5
    random_state : int, default=0

    Attributes
    ----------
    classes_ : array
    crowd_ : DawidSkene
        Fitted with what the classifier knows.
    out_of_fold_ : array of shape (n_items, n_classes)
        What the classifier says of every item, without its answers.
    posterior_ : array of shape (n_items, n_classes)
        Both together.

    Warnings
    --------
    A learner that is sure and wrong outvotes people. Its probabilities are tempered to
    fit the crowd's, which helps only if the crowd is right on average.

    References
    ----------
    .. [1] V. C. Raykar et al. (2010). Learning from crowds. JMLR 11.

    Examples
    --------
    >>> X = pd.DataFrame({"a": [0.0, 1.0] * 20})
    >>> rows = [(i, who, "ab"[i % 2]) for i in range(40) for who in ("ann", "ben")]
    >>> answers = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> model = CrowdClassifier().fit(X, answers)
    >>> model.predict(X[:2]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        learner: Any = None,
        *,
        rounds: int = 1,
        folds: int = 5,
        random_state: int = 0,
    ) -> None:
        self.learner = learner
        self.rounds = rounds
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Any, answers: Any) -> CrowdClassifier:
        """Learn from items and answers.

        Parameters
        ----------
        X : DataFrame or array
            One row per item, in the order in which `answers` first names them.
        answers : DataFrame or Answers
        """
        found = as_answers(answers)
        if len(X) != len(found.items):
            raise InvalidInput(
                f"X has {len(X)} rows, answers name {len(found.items)} items; pass one "
                "row per item, in the order in which the answers first name them"
            )
        self.classes_ = np.array(found.classes)
        self._encode = _encoder(X)
        rows = self._encode(X)
        posterior = PooledCrowd().fit(found).posterior_
        # Of what nobody answered there is nothing to learn.
        self._answered = found.per_item > 0
        self.soft_ = self._out_of_fold(rows, posterior)
        self.out_of_fold_ = self.soft_
        for _ in range(self.rounds):
            self.crowd_ = DawidSkene().fit(found, item_prior=self.out_of_fold_)
            posterior = self.crowd_.posterior_
            self.out_of_fold_ = self._out_of_fold(rows, posterior)
        self.posterior_ = posterior
        known = self._answered
        self.model_ = self._learn(rows[known], posterior[known])
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of every label of new items."""
        return _spread(self.model_, self._encode(X), len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of new items."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _learn(self, rows: Any, posterior: Floats) -> Any:
        learner = self.learner
        if learner is None:
            learner = RandomForestClassifier(
                100, min_samples_leaf=3, random_state=self.random_state
            )
        data, codes, weights = soft_targets(rows, posterior)
        return clone(learner).fit(data, codes, sample_weight=weights)

    def _out_of_fold(self, rows: Any, posterior: Floats) -> Floats:
        """Predict every item by a model that has not seen its answers."""
        known = self._answered
        folds = min(self.folds, int(known.sum()))
        splits = KFold(folds, shuffle=True, random_state=self.random_state)
        found = np.empty_like(posterior)
        answered, silent = np.flatnonzero(known), np.flatnonzero(~known)
        for train, test in splits.split(answered):
            own = answered[train]
            model = self._learn(rows[own], posterior[own])
            asked = answered[test]
            found[asked] = _spread(model, rows[asked], posterior.shape[1])
        if len(silent):
            model = self._learn(rows[answered], posterior[answered])
            found[silent] = _spread(model, rows[silent], posterior.shape[1])
        return tempered(found, posterior, known)


def tempered(proba: Floats, target: Floats, known: NDArray[np.bool_]) -> Floats:
    """Return probabilities to the power that fits a probable truth best.

    Of powers 1/T, with T from 0.5 to 4, the one with the least cross-entropy over
    the items of which something is known.
    """
    logs = np.log(np.clip(proba, 1e-4, 1.0))
    best, least = proba, np.inf
    for temperature in _TEMPERATURES:
        scaled = np.exp(logs / temperature)
        scaled /= scaled.sum(axis=1, keepdims=True)
        loss = -float((target[known] * np.log(scaled[known])).sum())
        if loss < least:
            best, least = scaled, loss
    return best


def _encoder(X: Any) -> Any:
    if not isinstance(X, pd.DataFrame):
        return lambda rows: np.asarray(rows, dtype=np.float32)
    frame = X.rename(columns=str)
    encoder = TableEncoder(detect_kinds(frame), dtype="float32").fit(frame)
    return lambda rows: np.asarray(encoder.transform(rows.rename(columns=str)))


def _spread(model: Any, rows: Any, classes: int) -> Floats:
    """Put probabilities in their columns; a class that was not seen has none."""
    found = np.full((len(rows), classes), 1e-6)
    found[:, np.asarray(model.classes_, dtype=np.intp)] += model.predict_proba(rows)
    return found / found.sum(axis=1, keepdims=True)
