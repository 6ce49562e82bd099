"""Which rows are held out when: stratified folds, or the caller's own splits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from caveat.baseline._target import Target
from caveat.exceptions import InvalidInput

Split = tuple[NDArray[np.int64], NDArray[np.int64]]


def make_folds(
    folds: int | Iterable[tuple[Any, Any]], target: Target, seed: int
) -> list[Split]:
    """Return (train, test) row numbers, each part with both classes of every task.

    Parameters
    ----------
    folds : int or iterable of pairs
        Number of stratified, shuffled folds; or pairs of row numbers whose test parts
        have no row in common.
    target : Target
        Labels; used to stratify only.
    seed : int
        Of the shuffle.
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
    _check_classes(splits, target)
    return splits


def strata_of(splits: Sequence[Split], n: int) -> list[NDArray[np.int64]]:
    """Return sets of rows within which labels change places: folds, and the rest."""
    rest = np.ones(n, bool)
    for _, test in splits:
        rest[test] = False
    strata = [test for _, test in splits]
    return [*strata, np.flatnonzero(rest)] if rest.any() else strata


def _stratified(folds: int, target: Target, seed: int) -> list[Split]:
    if folds < 2:
        raise InvalidInput(f"folds: found {folds}; pass at least 2")
    smallest = min(target.tasks, key=lambda task: task.n_min)
    if smallest.n_min < folds:
        advice = (
            f"use folds={smallest.n_min}"
            if smallest.n_min > 1
            else "one row cannot be both learnt from and held out"
        )
        raise InvalidInput(
            f"folds: {folds} folds need {folds} rows of every class, but "
            f"{_smaller(smallest)} has {smallest.n_min}; {advice}"
        )
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    codes = target.codes
    if target.binary:
        codes = (codes == target.tasks[0].code).astype(np.uint16)
    return list(splitter.split(np.zeros((len(codes), 1)), codes))


def _smaller(task: Any) -> str:
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


def _check_classes(splits: Sequence[Split], target: Target) -> None:
    for number, split in enumerate(splits):
        for part, rows in zip(("train", "test"), split, strict=True):
            for task in target.tasks:
                positives = int((target.codes[rows] == task.code).sum())
                if positives in (0, len(rows)):
                    absent = "row" if positives == 0 else "row but"
                    raise InvalidInput(
                        f"folds: the {part} part of pair {number} holds no {absent} "
                        f"class {str(task.label)!r}; AUC needs both sides in each part"
                    )
