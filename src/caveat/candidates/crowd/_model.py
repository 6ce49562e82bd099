"""What all models of a crowd share: answers in, labels and people out."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from caveat.candidates.crowd._long_table import Answers, as_answers
from caveat.candidates.crowd._reliability import reliability
from caveat.exceptions import InvalidInput

Floats = NDArray[np.float64]


class CrowdModel(BaseEstimator):
    """Base class: `_fit` turns answers into a posterior, this does the rest.

    Attributes
    ----------
    classes_ : array
    annotators_ : DataFrame
        A row per person: ``annotator``, ``answers``, ``accuracy`` with its 95 %
        interval ``low`` and ``high``, and ``flag`` ("spammer", "adversary", "few
        answers" or ""). See `caveat.candidates.crowd`.
    objective_ : array
        What is maximised, after every round; it never falls.
    n_iter_ : int
    """

    def fit(self, answers: Any, y: Any = None) -> Self:
        """Learn from answers alone.

        Parameters
        ----------
        answers : DataFrame or Answers
            One row per answer with the columns item, annotator and label (one label,
            a list or set of labels, or text such as ``cat|dog``).
        y : ignored
        """
        found = as_answers(answers)
        if not len(found):
            raise InvalidInput("answers: nobody named a label; every row is empty")
        self.answers_ = found
        self.classes_ = np.array(found.classes)
        posterior, objective = self._fit(found)
        self.posterior_ = posterior
        self.objective_ = np.asarray(objective, dtype=float)
        self.n_iter_ = len(self.objective_)
        return self

    @property
    def annotators_(self) -> pd.DataFrame:
        """How reliable everybody is."""
        check_is_fitted(self, "posterior_")
        found = self.answers_
        return reliability(found, self.posterior_, self._credit(found))

    @abstractmethod
    def _fit(self, found: Answers) -> tuple[Floats, list[float]]:
        """Return the posterior, items by classes, and the objective of every round."""

    def _credit(self, found: Answers) -> Floats:
        """Return how right every answer is, by the truth as it is known."""
        return found.credit(self.posterior_)

    def predict(self) -> pd.Series:
        """Return the most probable label of every item.

        Equal ones go to the class that is more frequent among all items.
        """
        check_is_fitted(self, "posterior_")
        labels = [self.answers_.classes[code] for code in decide(self.posterior_)]
        return pd.Series(labels, index=self.answers_.items, name="label")

    def predict_proba(self) -> pd.DataFrame:
        """Return the probability of every label, items by classes."""
        check_is_fitted(self, "posterior_")
        return pd.DataFrame(
            self.posterior_, index=self.answers_.items, columns=self.answers_.classes
        )


class EMModel(CrowdModel):
    """A crowd model fitted by expectation-maximisation, from the vote onwards.

    The objective is the log-likelihood of all answers plus the logarithm of the
    prior. A round that maximises (or only raises) its lower bound never lowers it.
    """

    max_iter: int
    tol: float
    frequency: ClassVar[float | None] = 1.0
    """Pseudo-items of every class, which keep a rare one possible; None: all classes
    are taken to be equally frequent."""

    def fit(self, answers: Any, y: Any = None, *, item_prior: Any = None) -> Self:
        """Learn from answers, and from what is known of every item beforehand.

        Parameters
        ----------
        answers : DataFrame or Answers
            As in all crowd models.
        y : ignored
        item_prior : array-like of shape (n_items, n_classes), optional
            Probabilities from elsewhere, such as a classifier that has not seen the
            item's answers; they take the place of the classes' frequencies.
        """
        self._item_prior = None
        if item_prior is not None:
            known = np.asarray(item_prior, dtype=float)
            self._item_prior = np.log(np.clip(known, 1e-6, 1.0))
        return super().fit(answers)

    def _fit(self, found: Answers) -> tuple[Floats, list[float]]:
        answered = found.per_item > 0
        posterior = start(found)
        self._begin(found, posterior)
        objective: list[float] = []
        for _ in range(self.max_iter):
            self.class_prior_ = self._class_prior(posterior[answered])
            self._maximise(found, posterior)
            scores = self._evidence(found) + self._log_known()
            top = log_sum(scores)
            posterior = np.exp(scores - top)
            pseudo = (self.frequency or 0.0) * np.log(self.class_prior_).sum()
            objective.append(float(top.sum() + pseudo + self._log_prior()))
            if self._settled(objective):
                break
        return posterior, objective

    def _log_known(self) -> Floats:
        """Return what is known of items without their answers."""
        known = self._item_prior
        return np.log(self.class_prior_) if known is None else known

    def _class_prior(self, posterior: Floats) -> Floats:
        classes = posterior.shape[1]
        if self.frequency is None:
            return np.full(classes, 1.0 / classes)
        return (posterior.sum(axis=0) + self.frequency) / (
            len(posterior) + classes * self.frequency
        )

    def _settled(self, objective: list[float]) -> bool:
        if len(objective) < 2:
            return False
        return objective[-1] - objective[-2] <= self.tol * len(self.answers_)

    @abstractmethod
    def _begin(self, found: Answers, posterior: Floats) -> None:
        """Prepare what does not change, and the prior."""

    @abstractmethod
    def _maximise(self, found: Answers, posterior: Floats) -> None:
        """Set the parameters that raise the expected log-likelihood plus prior."""

    @abstractmethod
    def _evidence(self, found: Answers) -> Floats:
        """Return log P(all answers on an item | its class), items by classes."""

    @abstractmethod
    def _log_prior(self) -> float:
        """Return the logarithm of the prior, up to a constant."""


def log_sum(scores: Floats) -> Floats:
    """Return log Σ exp of every row, as a column; scores are finite."""
    top = scores.max(axis=1, keepdims=True)
    return top + np.log(np.exp(scores - top).sum(axis=1, keepdims=True))


def start(found: Answers) -> Floats:
    """Return vote shares, with a little of every class: where all fits begin."""
    votes = found.votes()
    smooth = votes + 0.1 / votes.shape[1]
    return smooth / smooth.sum(axis=1, keepdims=True)


def decide(posterior: Floats) -> NDArray[np.intp]:
    """Return the most probable class; ties go to the more frequent class."""
    frequent = posterior.sum(axis=0)
    rank = frequent.argsort(kind="stable").argsort(kind="stable")
    near = posterior >= posterior.max(axis=1, keepdims=True) - 1e-9
    return np.where(near, rank, -1).argmax(axis=1)
