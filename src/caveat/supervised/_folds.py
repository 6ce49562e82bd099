"""Folds of the training part: by class, by group or in time, as the study splits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

from caveat.exceptions import InvalidInput

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def training_folds(
    y: ArrayLike,
    *,
    folds: int = 5,
    stratify: bool = True,
    groups: ArrayLike | None = None,
    order: ArrayLike | None = None,
    seed: int = 0,
) -> list[Fold]:
    """Cut training rows into folds the way the study cuts off its test part.

    With `order` a fold is always later than the rows it is learnt from; with `groups`
    no group is on both sides; with `stratify` classes keep their shares. Where rows,
    classes or groups are too few for so many folds, there are fewer; two at least.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        The target.
    folds : int, default=5
        How many.
    stratify : bool, default=True
        Whether `y` are classes that should keep their shares.
    groups, order : array-like of shape (n_rows,), optional
        Which rows belong together; in which order they came.
    seed : int, default=0
        Seeds the shuffle; `order` needs none.

    Returns
    -------
    list of (rows to learn from, rows to judge on)

    Examples
    --------
    >>> for learn, judge in training_folds([0, 0, 1, 1], folds=2):
    ...     print(len(learn), len(judge))
    2 2
    2 2
    """
    target = np.asarray(y)
    if folds < 2:
        raise InvalidInput(f"folds is {folds}; cross-validation needs at least 2")
    if len(target) < 2:
        raise InvalidInput(
            f"there are {len(target)} training rows; cross-validation needs 2 at least"
        )
    if order is not None:
        ranked = np.argsort(np.asarray(order), kind="stable")
        cut = TimeSeriesSplit(min(folds, len(target) - 1))
        return [(ranked[learn], ranked[judge]) for learn, judge in cut.split(ranked)]
    with warnings.catch_warnings():
        # That a class has fewer rows than there are folds is no surprise here.
        warnings.simplefilter("ignore", UserWarning)
        splitter = _splitter(target, folds, stratify, groups, seed)
        return list(splitter.split(np.empty(len(target)), target, groups))


def _splitter(
    target: NDArray[Any],
    folds: int,
    stratify: bool,
    groups: ArrayLike | None,
    seed: int,
) -> Any:
    largest = int(pd.Series(target).value_counts().max()) if stratify else 0
    if groups is not None:
        count = min(folds, len(np.unique(np.asarray(groups))))
        if count < 2:
            raise InvalidInput("the training rows are one group; folds need two")
        kind = StratifiedGroupKFold if stratify and largest >= count else GroupKFold
        return kind(count, shuffle=True, random_state=seed)
    if stratify and largest >= 2:
        return StratifiedKFold(min(folds, largest), shuffle=True, random_state=seed)
    return KFold(min(folds, len(target)), shuffle=True, random_state=seed)
