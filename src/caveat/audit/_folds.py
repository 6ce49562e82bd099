"""Which rows a model learns from and which judge it, fold by fold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from caveat.audit._table import Table
from caveat.exceptions import InvalidInput
from caveat.models import Bonds

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def make_fold(table: Table, world: Mapping[str, Any], fold: int) -> Fold:
    """Return training and test rows of one fold.

    Parameters
    ----------
    table : Table
    world : mapping
        ``groups`` and ``time`` (columns or None), ``copies`` (whether copies of a row
        stay together), ``folds``, ``round`` and ``seed``.
    fold : int

    Notes
    -----
    Classes keep their shares. Rows that belong together (of one group, copies of one
    another) are never on both sides. Time: the later half is cut into folds, and a
    model learns only from what was before. A separate test file is cut into folds, and
    all models learn from the whole of the other.
    """
    count = world["folds"]
    rng = np.random.default_rng([int(world["seed"]), int(world["round"]), 7])
    if table.held.any():
        judged = np.flatnonzero(table.held)
        place = _dealt(np.arange(len(judged)), table.upper[judged], count, rng)
        return np.flatnonzero(~table.held), judged[place == fold]
    units = _units(table, world)
    if world.get("time"):
        return _before_and_after(table, world, fold, units)
    if world.get("groups"):
        place = _whole_units(units, count, rng)
    else:
        place = _dealt(units, table.upper, count, rng)
    return np.flatnonzero(place != fold), np.flatnonzero(place == fold)


def row_bonds(table: Table, world: Mapping[str, Any]) -> Bonds:
    """Say what binds the rows of a step: groups, copies and time, as in its folds."""
    units = _units(table, world)
    time = world.get("time")
    return Bonds(
        groups=units if world.get("groups") or world.get("copies") else None,
        time=table.order_of(time) if time else None,
    )


def thinned(fold: Fold, most: int, seed: int) -> Fold:
    """Return a fold with at most so many training rows, and a quarter as many others.

    Examples
    --------
    >>> train, test = thinned((np.arange(90), np.arange(90, 100)), 20, seed=0)
    >>> len(train), len(test)
    (20, 5)
    """
    rng = np.random.default_rng(seed)
    train, test = (
        part if len(part) <= limit else np.sort(rng.choice(part, limit, replace=False))
        for part, limit in zip(fold, (most, most // 4), strict=True)
    )
    return train, test


def all_folds(table: Table, world: Mapping[str, Any]) -> list[Fold]:
    """Return every fold of a round."""
    return [make_fold(table, world, fold) for fold in range(world["folds"])]


def _units(table: Table, world: Mapping[str, Any]) -> NDArray[np.intp]:
    """Give rows that no split may tear apart one number."""
    parts = []
    if world.get("groups"):
        values = table.order_of(world["groups"])
        parts.append(np.unique(values, return_inverse=True)[1].ravel())
    if world.get("copies"):
        parts += [table.copies, table.near_copies]
    if not parts:
        return np.arange(len(table.y))
    units = parts[0]
    for other in parts[1:]:
        units = _joined(units, other)
    return units


def _joined(first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.intp]:
    """Put rows together that share a unit in one way or the other, or by a chain."""
    wide = int(first.max()) + 1
    size = wide + int(second.max()) + 1
    links = coo_array((np.ones(len(first)), (first, wide + second)), shape=(size, size))
    return connected_components(links, directed=False)[1][first].astype(np.intp)


def _dealt(
    units: NDArray[np.intp],
    strata: NDArray[np.intp],
    count: int,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """Deal units out like cards, class after class, so that every fold gets its share.

    A unit (a row and its copies) counts with the class of its first row.
    """
    _, first, codes = np.unique(units, return_index=True, return_inverse=True)
    shuffled = rng.permutation(len(first))
    by_class = shuffled[np.argsort(strata[first[shuffled]], kind="stable")]
    place = np.empty(len(first), dtype=np.intp)
    place[by_class] = np.arange(len(first)) % count
    return place[codes.ravel()]


def _whole_units(
    values: NDArray[Any], count: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Give groups to the fold that has fewest rows, the largest groups first."""
    _, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if len(sizes) < count:
        raise InvalidInput(
            f"--groups: there are {len(sizes)} groups for {count} folds; use a column "
            "with more groups"
        )
    shuffled = rng.permutation(len(sizes))
    order = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    filled = np.zeros(count)
    place = np.empty(len(sizes), dtype=np.intp)
    for unit in order:
        place[unit] = filled.argmin()
        filled[place[unit]] += sizes[unit]
    return place[codes]


def _before_and_after(
    table: Table, world: Mapping[str, Any], fold: int, units: NDArray[np.intp]
) -> Fold:
    when = table.order_of(world["time"])
    ranked = np.argsort(when, kind="stable")
    later = ranked[len(ranked) // 2 :]
    test = np.array_split(later, world["folds"])[fold]
    if not len(test) or not (when < when[test[0]]).any():
        raise InvalidInput(
            f"--time: column {world['time']!r} has too few points in time for "
            f"{world['folds']} folds; use one with more values"
        )
    # Rows of one moment, group or copy are never on both sides.
    before = when < when[test[0]]
    apart = ~np.isin(units, units[test])
    if not (before & apart).any():
        raise InvalidInput(
            f"--time: before {world['time']!r} of a fold there are only rows of groups "
            "that it judges; name --groups or --time, not both"
        )
    return np.flatnonzero(before & apart), np.sort(test)
