"""How well one question alone tells the target of rows it was not fitted on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import stats

from caveat.audit.scan._target import Target
from caveat.statistics import share_interval

FOLDS = 3
# One row's worth of the overall answer keeps small levels from shouting.
_PRIOR = 1.0
_Z = 1.96


@dataclass(frozen=True)
class Score:
    """A cross-fitted score with its 95 % interval, and the same of shuffled targets.

    Attributes
    ----------
    value, low, high : float
    null_mean, null_sd : float
    """

    value: float
    low: float
    high: float
    null_mean: float = math.nan
    null_sd: float = math.nan

    @property
    def null_high(self) -> float:
        """Upper end of what shuffled targets give (95 % of them lie below)."""
        return self.null_mean + 1.645 * self.null_sd

    def words(self, title: str) -> str:
        """Say it with its measure and its interval."""
        return f"{title} {self.value:.3f} ({self.low:.3f} to {self.high:.3f})"

    @property
    def p_value(self) -> float:
        """Chance of as much from a shuffled target, by a normal tail."""
        if not self.null_sd > 0:
            return 1.0
        return float(stats.norm.sf((self.value - self.null_mean) / self.null_sd))


def folds_of(target: Target, seed: int) -> NDArray[np.intp]:
    """Deal rows to folds at random, each class (or tenth) evenly."""
    rng = np.random.default_rng([seed, 1])
    order = np.lexsort((rng.random(len(target)), target.codes))
    fold = np.empty(len(target), dtype=np.intp)
    fold[order] = np.arange(len(target)) % FOLDS
    return fold


def score_levels(
    levels: NDArray[np.intp], target: Target, fold: NDArray[np.intp]
) -> float:
    """AUC (mean over classes) or R² of each level's mean answer in the other folds.

    Parameters
    ----------
    levels : array of int, from 0
    target : Target
    fold : array of int

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 600)
    >>> target = Target(y, y.astype(float), 2, False)
    >>> fold = folds_of(target, 0)
    >>> score_levels(3 * y, target, fold)
    1.0
    >>> score_levels(rng.integers(0, 9, 600), target, fold) < 0.6
    True
    """
    wide = int(levels.max()) + 1
    if target.regression:
        return float(_r2_of_levels(levels, target.numbers, fold, wide))
    asked = 1 if target.classes == 2 else target.classes
    found = _aucs_of_levels(levels, target.codes, fold, wide, target.classes, asked)
    return float(np.nanmean(found)) if np.isfinite(found).any() else math.nan


@njit(cache=True)
def _aucs_of_levels(levels, codes, fold, wide, classes, asked):  # type: ignore[no-untyped-def]
    """AUC of each asked class, within folds, averaged over the folds.

    Scores are compared within a fold only: between folds the left-out rows shift the
    overall mean against themselves, and shuffled targets would score below one half.
    """
    counts = np.zeros((FOLDS, wide, classes))
    for row in range(len(levels)):
        counts[fold[row], levels[row], codes[row]] += 1
    total = np.zeros((wide, classes))
    for part in range(FOLDS):
        total += counts[part]
    result = np.full(asked, np.nan)
    for one in range(asked):
        label = classes - 1 if asked == 1 else one
        summed, parts = 0.0, 0
        for part in range(FOLDS):
            else_label, else_all = 0.0, 0.0
            for level in range(wide):
                else_label += total[level, label] - counts[part, level, label]
                else_all += (total[level] - counts[part, level]).sum()
            if else_all == 0:
                continue
            # A level's score is its share of the label in the other folds, drawn to
            # the overall share where it has few rows there.
            prior = else_label / else_all
            score = np.empty(wide)
            positive, negative = np.empty(wide), np.empty(wide)
            for level in range(wide):
                here = counts[part, level].sum()
                there = total[level].sum() - here
                with_label = total[level, label] - counts[part, level, label]
                score[level] = (with_label + _PRIOR * prior) / (there + _PRIOR)
                positive[level] = counts[part, level, label]
                negative[level] = here - positive[level]
            pairs = positive.sum() * negative.sum()
            if pairs == 0:
                continue
            # AUC = pairs in the right order / all pairs, a tie counting half: levels by
            # rising score, `below` the negatives that were passed.
            order = np.argsort(score)
            below, above, start = 0.0, 0.0, 0
            while start < wide:
                end, tied_positive, tied_negative = start, 0.0, 0.0
                while end < wide and score[order[end]] == score[order[start]]:
                    tied_positive += positive[order[end]]
                    tied_negative += negative[order[end]]
                    end += 1
                above += tied_positive * (below + tied_negative / 2)
                below += tied_negative
                start = end
            summed += above / pairs
            parts += 1
        if parts:
            result[one] = summed / parts
    return result


@njit(cache=True)
def _r2_of_levels(levels, numbers, fold, wide):  # type: ignore[no-untyped-def]
    """R² of a level's mean in the other folds, drawn to their overall mean."""
    size = np.zeros((FOLDS, wide))
    total = np.zeros((FOLDS, wide))
    for row in range(len(levels)):
        size[fold[row], levels[row]] += 1
        total[fold[row], levels[row]] += numbers[row]
    mean = numbers.mean()
    error, spread = 0.0, 0.0
    answer = np.empty((FOLDS, wide))
    for part in range(FOLDS):
        there = size.sum() - size[part].sum()
        prior = (total.sum() - total[part].sum()) / there if there else mean
        for level in range(wide):
            seen = size[:, level].sum() - size[part, level]
            known = total[:, level].sum() - total[part, level]
            answer[part, level] = (known + _PRIOR * prior) / (seen + _PRIOR)
    for row in range(len(levels)):
        error += (numbers[row] - answer[fold[row], levels[row]]) ** 2
        spread += (numbers[row] - mean) ** 2
    return 1 - error / spread if spread > 0 else 0.0


def score_order(
    values: NDArray[np.float64], ranks: NDArray[np.float64], target: Target
) -> float:
    """AUC or R² of the cell itself, up or down.

    For a number as target: the better of amounts told by amounts and ranks told by
    ranks, so that a logarithm of the target is seen for what it is.
    """
    if target.regression:
        by_rank = squared_correlation(ranks, target.ranks)
        return max(by_rank, squared_correlation(values, target.numbers))
    asked = range(1 if target.classes == 2 else 0, target.classes)
    sums = np.bincount(target.codes, ranks, minlength=target.classes)
    sizes = np.bincount(target.codes, minlength=target.classes).astype(float)
    found = []
    for label in asked:
        here, there = sizes[label], len(ranks) - sizes[label]
        if here and there:
            auc = (sums[label] - here * (here + 1) / 2) / (here * there)
            found.append(max(auc, 1 - auc))
    return float(np.mean(found)) if found else math.nan


def squared_correlation(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Share of the variance of one that a straight line tells of the other."""
    a, b = left - left.mean(), right - right.mean()
    scale = float(a @ a) * float(b @ b)
    return float(a @ b) ** 2 / scale if scale > 0 else 0.0


def interval(value: float, target: Target) -> tuple[float, float]:
    """95 % interval of a score that many rows gave, inside the measure's range.

    AUC: Wilson's interval of a share, for as many pairs as have the variance of Hanley
    and McNeil (1982). R²: the interval of a correlation on Fisher's scale.
    """
    rows = len(target)
    if target.regression:
        # A perfect line through few rows is no proof of a perfect line.
        z = math.atanh(min(math.sqrt(max(value, 0.0)), 1 - 1 / rows**2))
        half = _Z / math.sqrt(max(rows - 3, 1))
        low = math.tanh(max(z - half, 0.0)) ** 2
        return min(low, value), max(math.tanh(z + half) ** 2, value)
    counts = np.bincount(target.codes, minlength=target.classes)
    rare = float(max(1, counts[counts > 0].min() if target.classes == 2 else rows / 4))
    many = max(1.0, rows - rare)
    variance = auc_variance(value, rare, many)
    # As many independent pairs as have this variance, at most twice the rarer rows.
    pairs = 2 * rare
    if variance > 0:
        pairs = min(pairs, value * (1 - value) / variance) or pairs
    return share_interval(value, pairs)


def auc_variance(value: float, positives: float, negatives: float) -> float:
    """Variance of an AUC over draws of so many rows (Hanley and McNeil 1982).

    Examples
    --------
    >>> round(auc_variance(0.8, 50, 50) ** 0.5, 3)
    0.045
    """
    q1, q2 = value / (2 - value), 2 * value**2 / (1 + value)
    spread = value * (1 - value) + (positives - 1) * (q1 - value**2)
    return (spread + (negatives - 1) * (q2 - value**2)) / (positives * negatives)
