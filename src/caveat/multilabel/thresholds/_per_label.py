"""One threshold per label."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.model_selection import KFold

from caveat.exceptions import InvalidInput, UnknownName
from caveat.multilabel._arrays import ByteArray, FloatArray
from caveat.multilabel.thresholds._search import EXACT, Ranking, coordinate_ascent
from caveat.multilabel.thresholds._threshold import (
    Threshold,
    check_beta,
    check_decision_measure,
)

FBR_GRID = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
_EXACT = {**EXACT, "macro_f1": Ranking.best_f}


class LabelThreshold(Threshold):
    """One threshold per label (SCut): the natural one for instance-wise margins.

    macro-F1 and Hamming loss fall apart into labels, each solved exactly in
    O(m log m). micro-F1 is solved exactly for all labels together, by
    Dinkelbach's method. instance-F1 couples the labels; there, one label after
    the other is solved exactly until none improves (a local optimum).

    Parameters
    ----------
    measure : {'macro_f1', 'hamming_loss', 'micro_f1', 'instance_f1'}
        What to optimise on the training rows; default ``macro_f1``.
    beta : float, default=1.0
        Weight of recall in the F-measures.
    fbr : float, 'auto' or None, default=None
        Fall-back rule of [1]_ for macro-F1: thresholds are averaged over folds,
        and a label whose F-measure stays below `fbr` gets a high threshold.
        ``auto`` chooses from 0.1, ..., 0.8 by an inner loop of folds.
    fallback : {'highest', 'never'}, default='highest'
        The high threshold: the label's highest training score, or infinity.
    folds : int, default=5
        Folds of the fall-back rule.

    Attributes
    ----------
    threshold_ : array of shape (l,)
    fbr_ : float or None
        The limit that was used.

    Warnings
    --------
    Thresholds of rare labels rest on a handful of positives; estimated on the
    scores of rows that the model was fitted to, they are too high. Use
    out-of-fold scores (`ThresholdedClassifier(cv=5)`) with flexible models. On
    CAL500 the fall-back rule lowered macro-F1; it is off by default.

    References
    ----------
    .. [1] R.-E. Fan, C.-J. Lin (2007). A study on threshold selection for
       multi-label classification. Technical report, National Taiwan University.

    Examples
    --------
    >>> scores, Y = [[0.9, 8], [0.4, 9], [0.3, 1]], [[1, 0], [1, 1], [0, 0]]
    >>> LabelThreshold().fit(scores, Y).threshold_
    array([0.35, 8.5 ])
    """

    def __init__(
        self,
        measure: str = "macro_f1",
        *,
        beta: float = 1.0,
        fbr: float | Literal["auto"] | None = None,
        fallback: str = "highest",
        folds: int = 5,
    ) -> None:
        self.measure = measure
        self.beta = beta
        self.fbr = fbr
        self.fallback = fallback
        self.folds = folds

    def _fit(self, scores: FloatArray, truth: ByteArray, X: Any) -> None:
        measure, beta = check_decision_measure(self.measure), check_beta(self.beta)
        self.fbr_: float | None = None
        if self.fbr is not None:
            self._fit_with_fallback(scores, truth, measure, beta)
        elif measure in _EXACT:
            self.threshold_ = _exact(scores, truth, measure, beta)
        else:
            self.threshold_, self.n_rounds_ = coordinate_ascent(scores, truth, beta)

    def _limits(self, scores: FloatArray, X: Any) -> FloatArray:
        return self.threshold_

    def _fit_with_fallback(
        self, scores: FloatArray, truth: ByteArray, measure: str, beta: float
    ) -> None:
        # The rule is Fan & Lin's, and a rule for macro-F1: no other falls back.
        if measure != "macro_f1":
            raise InvalidInput(f"fbr is for macro_f1; measure is {measure!r}")
        if self.fallback not in ("highest", "never"):
            raise UnknownName.among("fallback", self.fallback, ("highest", "never"))
        if not 2 <= self.folds <= len(scores):
            raise InvalidInput(
                f"folds is {self.folds}; pass 2 to {len(scores)} (the training rows)"
            )
        if self.fbr == "auto":
            self.fbr_ = self._choose_limit(scores, truth, beta)
        else:
            self.fbr_ = float(self.fbr)  # type: ignore[arg-type]
        self.threshold_ = self._averaged(scores, truth, beta, self.fbr_)

    def _averaged(
        self, scores: FloatArray, truth: ByteArray, beta: float, limit: float
    ) -> FloatArray:
        """Average the folds' thresholds; raise those of hopeless labels."""
        parts = KFold(min(self.folds, len(scores))).split(scores)
        found = [
            _exact(scores[part], truth[part], "macro_f1", beta) for _, part in parts
        ]
        mean = np.mean(found, axis=0)
        reached = _f_of_labels(scores > mean, truth, beta)
        high = scores.max(axis=0) if self.fallback == "highest" else np.inf
        return np.where(reached < limit, high, mean)

    def _choose_limit(self, scores: FloatArray, truth: ByteArray, beta: float) -> float:
        """Pick the limit with the best macro-F on held-out folds, the lowest first."""
        totals = np.zeros(len(FBR_GRID))
        for train, test in KFold(self.folds).split(scores):
            for k, limit in enumerate(FBR_GRID):
                cut = self._averaged(scores[train], truth[train], beta, limit)
                totals[k] += _f_of_labels(scores[test] > cut, truth[test], beta).mean()
        return FBR_GRID[int(totals.argmax())]


def _exact(
    scores: FloatArray, truth: ByteArray, measure: str, beta: float
) -> FloatArray:
    ranking = Ranking(np.ascontiguousarray(scores.T), np.ascontiguousarray(truth.T))
    return _EXACT[measure](ranking, beta)


def _f_of_labels(chosen: Any, truth: ByteArray, beta: float) -> FloatArray:
    weight = beta * beta
    tp = (chosen & (truth == 1)).sum(axis=0)
    bottom = weight * truth.sum(axis=0, dtype=np.int64) + chosen.sum(axis=0)
    return (1 + weight) * tp / np.where(bottom > 0, bottom, 1.0)
