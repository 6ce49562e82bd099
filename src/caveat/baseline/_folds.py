"""Which rows are held out when: stratified folds, or the caller's own splits."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from caveat.baseline._target import Target, Task
from caveat.exceptions import InvalidInput

Split = tuple[NDArray[np.int64], NDArray[np.int64]]


def make_folds(
    folds: int | Iterable[tuple[Any, Any]], target: Target, seed: int
) -> tuple[list[Split], dict[str, Task]]:
    """Return (train, test) row numbers, and the classes that they cannot judge.

    Parameters
    ----------
    folds : int or iterable of pairs
        Number of stratified, shuffled folds; or pairs of row numbers whose test parts
        have no row in common.
    target : Target
        Labels; used to stratify and to check only.
    seed : int
        Of the shuffle.

    Returns
    -------
    splits : list of pairs of ndarray
    unfit : dict of str to Task
        By reason: classes, of more than two, that some part lacks. Where there is
        nothing else to judge, an error says so instead.
    """
    n = len(target.codes)
    if isinstance(folds, int | np.integer) and not isinstance(folds, bool):
        return _stratified(int(folds), target, seed)
    if isinstance(folds, str | bytes | bool) or not isinstance(folds, Iterable):
        raise InvalidInput(
            f"folds: found {folds!r}; pass a number from 2, or pairs of row numbers"
        )
    splits = [_read_split(number, pair, n) for number, pair in enumerate(folds)]
    if not splits:
        raise InvalidInput("folds: found no pair; pass at least one (train, test)")
    held_out = np.concatenate([test for _, test in splits])
    rows, counts = np.unique(held_out, return_counts=True)
    if (counts > 1).any():
        raise InvalidInput(
            f"folds: row {rows[counts > 1][0]} is held out more than once; pass test "
            "parts without a common row"
        )
    return splits, _settled(_absent(splits, target), target)


def strata_of(splits: Sequence[Split], n: int) -> list[NDArray[np.int64]]:
    """Return sets of rows within which labels change places: folds, and the rest."""
    rest = np.ones(n, bool)
    for _, test in splits:
        rest[test] = False
    strata = [test for _, test in splits]
    return [*strata, np.flatnonzero(rest)] if rest.any() else strata


def _stratified(
    folds: int, target: Target, seed: int
) -> tuple[list[Split], dict[str, Task]]:
    if folds < 2:
        raise InvalidInput(f"folds: found {folds}; pass at least 2")
    unfit = {}
    # Classes that are not judged, for being two or too rare, share one code.
    codes = np.zeros(len(target.codes), np.uint16)
    for number, task in enumerate(target.tasks, 1):
        if task.n_min >= folds:
            codes[target.codes == task.code] = number
            continue
        advice = (
            f"use folds={task.n_min}"
            if task.n_min > 1
            else "one row cannot be both learnt from and held out"
        )
        unfit[
            f"folds: {folds} folds need {folds} rows of every class, but "
            f"{_smaller(task)} has {task.n_min}; {advice}"
        ] = task
    _settled(unfit, target)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # Of the classes that share a code there may be fewer rows than folds.
        warnings.filterwarnings("ignore", "The least populated class")
        return list(splitter.split(np.zeros((len(codes), 1)), codes)), unfit


def _settled(unfit: dict[str, Task], target: Target) -> dict[str, Task]:
    """Refuse labels of which no class can be judged."""
    if len(unfit) == len(target.tasks):
        raise InvalidInput(next(iter(unfit)))
    return unfit


def _smaller(task: Task) -> str:
    if 2 * task.n_positive <= task.n:
        return f"class {str(task.label)!r}"
    return f"the rest beside class {str(task.label)!r}"


def _read_split(number: int, pair: Any, n: int) -> Split:
    try:
        train, test = (_rows(part, n) for part in pair)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"folds: pair {number} is not two lists of row numbers from 0 to {n - 1} "
            f"({error})"
        ) from error
    both = np.intersect1d(train, test)
    if len(both):
        raise InvalidInput(
            f"folds: row {both[0]} is in both parts of pair {number}; "
            "a held-out row must not be trained on"
        )
    return train, test


def _rows(part: Any, n: int) -> NDArray[np.int64]:
    rows = np.asarray(part)
    if rows.ndim != 1 or rows.size == 0:
        raise ValueError(f"shape {rows.shape}")
    if rows.dtype == bool:
        if len(rows) != n:
            raise ValueError(f"a mask of {len(rows)} rows")
        rows = np.flatnonzero(rows)
    if rows.dtype.kind not in "iu":
        raise ValueError(f"type {rows.dtype}")
    if rows.min() < 0 or rows.max() >= n:
        raise ValueError(f"row {rows.min() if rows.min() < 0 else rows.max()}")
    if len(np.unique(rows)) != len(rows):
        raise ValueError("a row twice")
    return rows.astype(np.int64)


def _absent(splits: Sequence[Split], target: Target) -> dict[str, Task]:
    """Find the classes that some part holds none, or nothing else, of."""
    unfit: dict[str, Task] = {}
    for task in target.tasks:
        for number, split in enumerate(splits):
            for part, rows in zip(("train", "test"), split, strict=True):
                positives = int((target.codes[rows] == task.code).sum())
                if positives in (0, len(rows)) and task not in unfit.values():
                    lack = "no row" if positives == 0 else "no row but those"
                    unfit[
                        f"folds: the {part} part of pair {number} holds {lack} of "
                        f"class {str(task.label)!r}; AUC needs both sides in each part"
                    ] = task
    return unfit
