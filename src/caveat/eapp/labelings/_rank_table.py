"""All sorting, done once: where each score of each point stands among all others.

Some points are *cells*: in a labeling, each of them sets one bit, at the position of
its current score among all scores that any cell can take. Any point can then *look*:
the number of bits below its own score is the number of cells below it.

Scores come in pairs ±t, so the sorted list is symmetric and only its upper half is
tabulated. With H = number of cells x (k - 1), a place p of the upper half is position
H + p for the score t and H - 1 - p for -t.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from caveat.eapp.labelings._neighbours import Neighbours


@dataclass(frozen=True)
class RankTable:
    """Positions of all scores of all points among the scores of the cells.

    Attributes
    ----------
    place : ndarray of int32, shape (n, k - 1)
        Of a cell: the place of its score in the upper half, no two alike. Of any
        other point: the number of the cells' upper scores below its own.
    low, high : ndarray of int32, shape (n, k - 1) or (0, 0)
        Number of the cells' upper scores below a point's own, and at or below it;
        -z and z for a score of 0 that z upper scores share, for it ties with
        their mirror images, too. Empty where nothing ties: `place` says it all.
    half : int
        Length H of the upper half.
    """

    place: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    half: int

    @property
    def ties(self) -> bool:
        """Whether two points can have the same score."""
        return len(self.low) > 0

    @property
    def n_words(self) -> int:
        """Number of 64-bit words that hold a bit per position, and one to spare."""
        return (2 * self.half) // 64 + 1


def rank_table(near: Neighbours, cells: NDArray[np.bool_] | None = None) -> RankTable:
    """Rank all scores among those of the cells; without `cells` all points are cells.

    Parameters
    ----------
    near : Neighbours
        The scores.
    cells : ndarray of bool, shape (n,), optional
        Which points set bits. If given, only the others look.
    """
    gaps = near.gaps
    everyone = cells is None
    is_cell = np.ones(near.n_points, bool) if cells is None else cells
    order = np.argsort(gaps, axis=None)
    place, ties = _places(gaps.ravel(), order, is_cell, gaps.shape[1], everyone)
    if ties:
        low, high = _bounds(gaps.ravel(), order, is_cell, gaps.shape[1])
    else:
        low = high = np.empty((0, 0), np.int32)
    return RankTable(place, low, high, int(is_cell.sum()) * gaps.shape[1])


@njit(cache=True, nogil=True)
def _places(
    gaps: NDArray[np.float64],
    order: NDArray[np.int64],
    is_cell: NDArray[np.bool_],
    width: int,
    everyone: bool,
) -> tuple[NDArray[np.int32], bool]:
    place = np.empty((len(gaps) // width, width), np.int32)
    count = 0
    ties = False
    group = -1.0  # the score of the current group of equals; scores are never below 0
    cell_seen = look_seen = False
    for entry in order:
        i = entry // width
        if gaps[entry] != group:
            group = gaps[entry]
            cell_seen = look_seen = False
        cell = is_cell[i]
        # A look ties with a cell of the same score, in either order; if everyone
        # looks, two cells tie; and 0 ties with -0, its own mirror image.
        if cell and (look_seen or (everyone and cell_seen)):
            ties = True
        if not cell and cell_seen:
            ties = True
        if group == 0.0 and (cell or cell_seen):
            ties = True
        place[i, entry - i * width] = count
        if cell:
            cell_seen = True
            count += 1
        else:
            look_seen = True
    return place, ties


@njit(cache=True, nogil=True)
def _bounds(
    gaps: NDArray[np.float64],
    order: NDArray[np.int64],
    is_cell: NDArray[np.bool_],
    width: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    # Entries come by rising score, a group of equals at a time: `low` counts the cells
    # below the group, `high` those below or in it. Scores have a mirror image on the
    # negative side, so that the group at 0 begins as far below 0 as it ends above.
    low = np.empty((len(gaps) // width, width), np.int32)
    high = np.empty((len(gaps) // width, width), np.int32)
    below = 0
    start = 0
    while start < len(order):
        stop = start
        here = 0
        while stop < len(order) and gaps[order[stop]] == gaps[order[start]]:
            here += is_cell[order[stop] // width]
            stop += 1
        lowest = -here if gaps[order[start]] == 0.0 else below
        for position in range(start, stop):
            i = order[position] // width
            low[i, order[position] - i * width] = lowest
            high[i, order[position] - i * width] = below + here
        below += here
        start = stop
    return low, high
