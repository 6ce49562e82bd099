"""Dividing rows into a training and a test part: at random, by group, or by time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caveat.datasets import Dataset
from caveat.exceptions import InvalidInput, UnknownName
from caveat.models import Bonds
from caveat.study.topic import Split


def split_rows(dataset: Dataset, settings: Mapping[str, Any], seed: int) -> Split:
    """Divide the rows of a data set.

    Parameters
    ----------
    dataset : Dataset
    settings : mapping
        ``test-size`` (share), ``stratify``, ``groups`` and ``order`` (columns).
    seed : int

    Returns
    -------
    Split
        Row numbers in ascending order.

    Notes
    -----
    With ``order`` the last rows are the test part. With ``groups`` no group is
    on both sides. Otherwise classes keep their shares as far as whole items
    allow, and a class of one item stays in the training part.
    """
    count = len(dataset.X)
    if count < 2:
        raise InvalidInput(
            f"{dataset.name} has {count} row; a training and a test part need two"
        )
    share = settings["test-size"]
    if settings.get("order"):
        return _last_rows(_column(dataset, settings["order"]), share)
    rng = np.random.default_rng(seed)
    if settings.get("groups"):
        return _whole_groups(_column(dataset, settings["groups"]), share, rng)
    labels = (
        dataset.y if dataset.task in ("binary", "multiclass", "candidates") else None
    )
    if settings.get("stratify") and labels is not None:
        return _stratified(np.asarray(labels), share, rng)
    order = rng.permutation(count)
    return _split(order, _test_count(count, share), count)


def row_bonds(dataset: Dataset, settings: Mapping[str, Any]) -> Bonds:
    """Say what binds the rows that are split: their groups, their order.

    Parameters
    ----------
    dataset : Dataset
    settings : mapping
        ``groups`` and ``order`` (columns), as for `split_rows`.
    """
    groups, order = settings.get("groups"), settings.get("order")
    return Bonds(
        groups=_column(dataset, groups) if groups else None,
        time=_column(dataset, order) if order else None,
    )


def _test_count(count: int, share: float) -> int:
    return min(count - 1, max(1, int(np.ceil(share * count))))


def _split(test_first: NDArray, test_count: int, count: int) -> Split:
    test = np.sort(test_first[:test_count])
    mask = np.ones(count, dtype=bool)
    mask[test] = False
    return Split(train=np.flatnonzero(mask), test=test)


def _stratified(labels: NDArray, share: float, rng: np.random.Generator) -> Split:
    """Give every class its share of the test part by largest remainder."""
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    # No class gives all its rows away: training needs one of each.
    wanted = share * sizes
    taken = np.minimum(np.floor(wanted).astype(int), sizes - 1)
    room = _test_count(len(labels), share) - taken.sum()
    for code in np.argsort(-(wanted - taken), kind="stable"):
        if room <= 0:
            break
        if taken[code] < sizes[code] - 1:
            taken[code] += 1
            room -= 1
    # `place` numbers the shuffled rows within their class; the first of each are drawn.
    shuffled = rng.permutation(len(labels))
    place = np.empty(len(labels), dtype=int)
    by_class = np.argsort(codes[shuffled], kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    place[by_class] = np.arange(len(labels)) - np.repeat(starts, sizes)
    is_test = np.zeros(len(labels), dtype=bool)
    is_test[shuffled] = place < taken[codes[shuffled]]
    if not is_test.any():
        is_test[shuffled[0]] = True
    return Split(train=np.flatnonzero(~is_test), test=np.flatnonzero(is_test))


def _whole_groups(groups: NDArray, share: float, rng: np.random.Generator) -> Split:
    names, codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(names) < 2:
        raise InvalidInput(
            f"groups: there is one group only, {str(names[0])!r}; a split needs two"
        )
    order = rng.permutation(len(names))
    reached = np.cumsum(sizes[order])
    wanted = share * len(groups)
    count = min(len(names) - 1, int(np.searchsorted(reached, wanted)) + 1)
    is_test = np.isin(codes, order[:count])
    return Split(train=np.flatnonzero(~is_test), test=np.flatnonzero(is_test))


def _last_rows(order: NDArray, share: float) -> Split:
    ranked = np.argsort(order, kind="stable")
    return _split(ranked[::-1], _test_count(len(order), share), len(order))


def _column(dataset: Dataset, name: str) -> NDArray:
    if name not in dataset.X.columns:
        raise UnknownName.among("column", name, map(str, dataset.X.columns))
    values = dataset.X[name]
    if values.isna().any():
        raise InvalidInput(
            f"column {name!r} has {int(values.isna().sum())} missing values; "
            "rows can be grouped or ordered only by known values"
        )
    codes = values.astype(str) if values.dtype == object else values
    return codes.to_numpy()
