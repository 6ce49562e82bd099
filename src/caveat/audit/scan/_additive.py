"""What all columns tell together, or all but some: a quick additive model.

Every column becomes a few numbers (its normal score and bins, or its levels); a ridge
regression on all of them is solved from one table of products, so leaving columns out
costs one small linear system and no second pass over the rows.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.special import ndtri
from scipy.stats import rankdata

from caveat.audit.scan._column import Column
from caveat.audit.scan._questions import bins_of, words_of
from caveat.audit.scan._single_question import FOLDS
from caveat.audit.scan._target import Target
from caveat.ranking import roc_auc

_MOST_LEVELS = 12
_MOST_WORDS = 40
_BINS = 8
# Columns whose every value is a row's own tell no other row, except by their order.
_PENALTY = 3.0


class Additive:
    """Ridge regression on all columns, cross-fitted over the scan's folds.

    Parameters
    ----------
    columns : sequence of Column
    target : Target
    fold : array of int
    """

    def __init__(
        self, columns: Sequence[Column], target: Target, fold: NDArray[np.intp]
    ) -> None:
        blocks, owner = [], []
        for number, column in enumerate(columns):
            block = _block(column)
            blocks.append(block)
            owner += [number] * block.shape[1]
        self.names = [column.name for column in columns]
        self.target, self.fold = target, fold
        self.design = np.column_stack([*blocks, np.ones(len(target))])
        self.owner = np.array([*owner, -1])
        self.response = _responses(target)
        self._products = []
        for part in range(FOLDS):
            there = fold != part
            X = self.design[there]
            self._products.append((X.T @ X, X.T @ self.response[there]))

    def answers(
        self, without: Collection[str] = (), only: Collection[str] | None = None
    ) -> NDArray[np.float64]:
        """Cross-fitted answers of the model: (rows, responses)."""
        gone = np.array(
            [
                name in without or (only is not None and name not in only)
                for name in self.names
            ]
        )
        keep = np.array([one < 0 or not gone[one] for one in self.owner])
        penalty = np.full(int(keep.sum()), _PENALTY)
        penalty[-1] = 1e-6
        found = np.empty_like(self.response)
        for part, (square, cross) in enumerate(self._products):
            A = square[np.ix_(keep, keep)] + np.diag(penalty)
            weights = linalg.solve(A, cross[keep], assume_a="pos")
            here = self.fold == part
            found[here] = self.design[np.ix_(here, keep)] @ weights
        return found

    def shuffled(self, order: NDArray[np.intp]) -> Additive:
        """Fit the same columns to the targets of other rows."""
        other = copy(self)
        other.target = self.target.rows(order)
        other.response = _responses(other.target)
        other._products = []
        for part, (square, _) in enumerate(self._products):
            there = self.fold != part
            cross = self.design[there].T @ other.response[there]
            other._products.append((square, cross))
        return other

    def score(
        self, without: Collection[str] = (), only: Collection[str] | None = None
    ) -> float:
        """AUC (mean over classes, within folds) or R² of the answers."""
        return score_answers(self.answers(without, only), self.target, self.fold)


def score_answers(
    answers: NDArray[np.float64], target: Target, fold: NDArray[np.intp]
) -> float:
    """AUC (mean over classes, within folds) or R² of cross-fitted answers."""
    if target.regression:
        error = float(((target.numbers - answers[:, 0]) ** 2).sum())
        spread = float(((target.numbers - target.numbers.mean()) ** 2).sum())
        return 1 - error / spread if spread > 0 else 0.0
    found = []
    for label in range(answers.shape[1]):
        positive = target.codes == (1 if target.classes == 2 else label)
        for part in range(FOLDS):
            here = fold == part
            if 0 < positive[here].sum() < here.sum():
                found.append(roc_auc(positive[here], answers[here, label]))
    return float(np.mean(found)) if found else math.nan


def _responses(target: Target) -> NDArray[np.float64]:
    if target.regression:
        return target.numbers[:, None].copy()
    if target.classes == 2:
        return (target.codes == 1).astype(float)[:, None]
    return (target.codes[:, None] == np.arange(target.classes)).astype(float)


def _block(column: Column) -> NDArray[np.float64]:
    """Turn one column into numbers of about unit spread."""
    rows = len(column.identity)
    parts = []
    missing = column.missing
    if 0 < missing.sum() < rows:
        parts.append(missing.astype(float)[:, None])
    if column.text is not None:
        parts.append(words_of(column, _MOST_WORDS).astype(float))
    elif column.names_rows or column.distinct < 2:
        parts.append(np.zeros((rows, 0)))
    elif column.order is not None and column.kind != "category":
        known = np.isfinite(column.order)
        values = np.where(known, column.order, np.median(column.order[known]))
        parts.append(ndtri(rankdata(values) / (rows + 1))[:, None])
        parts.append(_standardised(values)[:, None])
        if column.distinct > 2:
            levels = np.minimum(bins_of(values, _BINS * 25), _BINS)
            parts.append((levels[:, None] == np.arange(2, _BINS + 1)).astype(float))
    else:
        counts = np.bincount(np.maximum(column.identity, 0), minlength=1)
        frequent = np.argsort(-counts, kind="stable")[:_MOST_LEVELS]
        frequent = frequent[counts[frequent] > 4]
        parts.append((column.identity[:, None] == frequent).astype(float))
    return np.column_stack(parts)


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre and scale, and clip what lies far out, so that no cell owns the fit."""
    low, middle, high = np.quantile(values, (0.1, 0.5, 0.9))
    scale = (high - low) / 2.56 or float(values.std()) or 1.0
    return np.clip((values - middle) / scale, -6, 6)
