"""Dawid and Skene's model of annotators, for answers that may be sets."""

from __future__ import annotations

import numpy as np

from caveat.candidates.crowd._inclusion import log_normaliser, raise_likelihood
from caveat.candidates.crowd._long_table import Answers
from caveat.candidates.crowd._model import EMModel, Floats
from caveat.candidates.crowd._skill import OneCoin


class DawidSkene(EMModel):
    """Everybody has a table of confusions: what they name, given what is true.

    Single labels are drawn from the row of the true class, as Dawid and Skene have it
    [1]_. A set of m labels is drawn among all sets of m labels by the same weights
    (conditional Bernoulli sampling), so that how many labels somebody names says
    nothing, and which ones says all. A set of all classes carries no information.

    Parameters
    ----------
    prior : float, default=5.0
        How many answers per true class everybody is taken to have given already, in
        the manner of somebody equally good at all classes. So that few answers are
        safe.
    max_iter : int, default=200
    tol : float, default=1e-6
        Stop when a round raises the objective by less than this per answer.

    Attributes
    ----------
    confusion_ : array of shape (n_annotators, n_classes, n_classes)
        ``[a, j, k]``: probability that person a, who names one label, names k when
        class j is true.
    inclusion_ : array of shape (n_annotators, n_classes, n_classes)
        ``[a, j, k]``: probability that k is among the labels that person a names; the
        same as `confusion_` where answers are single labels.
    class_prior_ : array of shape (n_classes,)
    classes_, annotators_, objective_, n_iter_
        As in all crowd models.

    Warnings
    --------
    It takes people for independent, given the truth. Where all fall for the same trap,
    its probabilities are too sure. Where most people are worse than chance, it
    believes them.

    References
    ----------
    .. [1] A. P. Dawid, A. M. Skene (1979). Maximum likelihood estimation of observer
       error-rates using the EM algorithm. Applied Statistics 28(1).

    Examples
    --------
    Two careful people outweigh two who always say "dog".

    >>> import pandas as pd
    >>> truth = ["cat", "dog", "cat", "cat"] * 8
    >>> rows = [(i, who, t) for i, t in enumerate(truth) for who in ("ann", "ben")]
    >>> rows += [(i, who, "dog") for i in range(32) for who in ("cy", "dan")]
    >>> answers = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    >>> model = DawidSkene().fit(answers)
    >>> model.predict().tolist() == truth
    True
    """

    _skill: Floats | None = None
    """How good everybody is, where a model of one coin is fitted already."""

    def __init__(
        self, prior: float = 5.0, *, max_iter: int = 200, tol: float = 1e-6
    ) -> None:
        self.prior = prior
        self.max_iter = max_iter
        self.tol = tol

    def _begin(self, found: Answers, posterior: Floats) -> None:
        self._by_label = found.named.T.tocsr()
        self._by_size = found.given.T.tocsr()
        skill = OneCoin().fit(found).skill_ if self._skill is None else self._skill
        self._weights = equally_good(found, posterior, skill)
        # Pseudo-answers of everybody, (annotator, label, truth).
        self._pseudo = self.prior * self._weights + 1e-6

    def _maximise(self, found: Answers, posterior: Floats) -> None:
        self._fit_tables(found, posterior, self._named(posterior))

    def _named(self, posterior: Floats) -> Floats:
        """Return how often everybody names what, (annotator, label, truth)."""
        classes = posterior.shape[1]
        return (self._by_label @ posterior).reshape(-1, classes, classes)

    def _fit_tables(self, found: Answers, posterior: Floats, named: Floats) -> None:
        _, people, classes = found.shape
        total = named + self._pseudo
        weights = total / total.sum(axis=1, keepdims=True)
        if len(found.vague):
            some = found.vague
            given = (self._by_size @ posterior).reshape(people, -1, classes)[some]
            given[:, 0] += self._pseudo[some].sum(axis=1)
            stepped = raise_likelihood(
                _rows(self._weights[some]), _rows(total[some]), _rows(given)
            )
            stepped = stepped.reshape(len(some), classes, classes).swapaxes(1, 2)
            weights[some] = stepped / stepped.sum(axis=1, keepdims=True)
        self._weights, self._said = np.maximum(weights, 1e-12), total
        self.confusion_ = self._weights.swapaxes(1, 2)
        self.inclusion_ = self.confusion_
        if len(found.vague):
            shares = (
                total
                / (
                    (self._by_size @ posterior).reshape(people, -1, classes).sum(axis=1)
                    + self._pseudo.sum(axis=1)
                )[:, None]
            )
            self.inclusion_ = shares.swapaxes(1, 2)

    def _evidence(self, found: Answers) -> Floats:
        _, people, classes = found.shape
        logs = np.log(self._weights).reshape(people * classes, classes)
        scores = found.named @ logs
        if len(found.vague):
            sums = np.zeros((people, classes, found.largest))
            some = self._weights[found.vague].swapaxes(1, 2)
            logged = log_normaliser(classes * _flat(some), found.largest)
            logged -= np.arange(1, found.largest + 1) * np.log(classes)
            sums[found.vague] = logged.reshape(len(some), classes, -1)
            flat = sums.swapaxes(1, 2).reshape(people * found.largest, classes)
            scores -= found.given @ flat
        return scores

    def _log_prior(self) -> float:
        # Pseudo-answers are single labels, drawn from shares that add up to 1.
        return float((self._pseudo * np.log(self._weights)).sum())


def equally_good(found: Answers, posterior: Floats, skill: Floats) -> Floats:
    """Return the table of everybody who is equally good at all classes.

    Which wrong labels are likely is the same for all and comes from the vote. Shape
    (annotators, labels, true classes).
    """
    _, people, classes = found.shape
    skill = skill[:, None, None]
    named = (found.named.T @ posterior).reshape(people, classes, classes).sum(axis=0)
    wrong = (named + 1.0) * (1.0 - np.eye(classes))
    wrong = wrong / np.maximum(wrong.sum(axis=0), 1e-12)
    return skill * np.eye(classes) + (1.0 - skill) * wrong


def _rows(found: Floats) -> Floats:
    """Lay (annotator, value, truth) out as one row per annotator and truth."""
    return _flat(found.swapaxes(1, 2))


def _flat(found: Floats) -> Floats:
    return np.ascontiguousarray(found).reshape(-1, found.shape[-1])
