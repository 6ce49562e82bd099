"""Which rows are held out when: stratified folds, or the caller's own splits."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from caveat.eapp.target._target import Target, Task
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
    if target.numbers is not None:
        return _unstratified(folds, target, seed)
    unfit = {}
    for task in target.tasks:
        fewest = min(task.n_positive, task.n - task.n_positive)
        if fewest < folds:
            advice = (
                f"use folds={fewest}"
                if fewest > 1
                else "one row cannot be both learnt from and held out"
            )
            unfit[
                f"folds: {folds} folds need {folds} rows of every class, but "
                f"{_smaller(task, target)} has {fewest}; {advice}"
            ] = task
    _settled(unfit, target)
    if target.members is not None:
        kept = target.without(list(unfit.values()))
        splits = stratify_labels(kept.hits(kept.codes), folds, seed)
        return splits, {**unfit, **_absent(splits, kept)}
    # Classes that are not judged, for being two or too rare, share one code.
    codes = np.zeros(len(target.codes), np.uint16)
    for number, task in enumerate(target.tasks, 1):
        if task not in unfit.values():
            codes[target.codes == task.code] = number
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # Of the classes that share a code there may be fewer rows than folds.
        warnings.filterwarnings("ignore", "The least populated class")
        return list(splitter.split(np.zeros((len(codes), 1)), codes)), unfit


def _unstratified(
    folds: int, target: Target, seed: int
) -> tuple[list[Split], dict[str, Task]]:
    n = len(target.codes)
    if n < 2 * folds:
        raise InvalidInput(
            f"folds: {folds} folds need {2 * folds} rows, there are {n}; "
            f"use folds={max(n // 2, 2)}"
        )
    splitter = KFold(folds, shuffle=True, random_state=seed)
    splits = list(splitter.split(np.zeros((n, 1))))
    return splits, _settled(_absent(splits, target), target)


def stratify_labels(hits: NDArray[np.bool_], folds: int, seed: int) -> list[Split]:
    """Share rows with many labels out, so that every fold has its part of each label.

    The rarest label among the rows that are left goes first; each of its rows goes to
    the fold that still wants most of that label, then to the one that wants most rows.

    Parameters
    ----------
    hits : ndarray of bool, shape (n, labels)
    folds, seed : int

    References
    ----------
    .. [1] K. Sechidis, G. Tsoumakas, I. Vlahavas (2011). On the stratification of
       multi-label data. ECML PKDD.
    """
    rng = np.random.default_rng(seed)
    n = len(hits)
    fold_of = np.full(n, -1)
    wanted = np.tile(hits.sum(axis=0) / folds, (folds, 1))
    room = np.full(folds, n / folds)
    left = rng.permutation(n)
    while len(left):
        counts = hits[left].sum(axis=0)
        if not counts.any():
            break
        label = np.where(counts > 0, counts, n + 1).argmin()
        for row in left[hits[left, label]]:
            fold = np.lexsort([-room, -wanted[:, label]])[0]
            fold_of[row] = fold
            wanted[fold] -= hits[row]
            room[fold] -= 1
        left = left[fold_of[left] < 0]
    for row in left:
        fold = int(room.argmax())
        fold_of[row] = fold
        room[fold] -= 1
    return [
        (np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold))
        for fold in range(folds)
    ]


def _settled(unfit: dict[str, Task], target: Target) -> dict[str, Task]:
    """Refuse labels of which no class can be judged."""
    if len(unfit) < len(target.tasks):
        return unfit
    if len(unfit) == 1:
        raise InvalidInput(next(iter(unfit)))
    raise InvalidInput(
        f"y: none of {len(unfit):,} classes in {len(target.codes):,} rows can be "
        f"judged ({next(iter(unfit))}); pass labels that repeat"
    )


def _smaller(task: Task, target: Target) -> str:
    if 2 * task.n_positive <= task.n:
        return f"class {str(task.label)!r}"
    if target.members is None and len(target.classes) == 2:
        other = target.classes[1 - task.code]
        return f"class {str(other)!r}"
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
                lack = _lack(target, task, rows)
                if lack and task not in unfit.values():
                    unfit[
                        f"folds: the {part} part of pair {number} holds {lack} in "
                        "each part"
                    ] = task
    return unfit


def _lack(target: Target, task: Task, rows: NDArray[np.int64]) -> str:
    """Say what a part has not, or ''."""
    if target.numbers is not None:
        alike = len(np.unique(target.numbers[rows])) < 2
        return "one number only; concordance needs two" if alike else ""
    positives = int(target.positive(task, rows).sum())
    if 0 < positives < len(rows):
        return ""
    lack = "no row" if positives == 0 else "no row but those"
    return f"{lack} of class {str(task.label)!r}; AUC needs both sides"
