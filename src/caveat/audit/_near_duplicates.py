"""Rows that are nearly the same: a row measured twice, rounded, or slightly changed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from caveat.tables import TableEncoder

_FAR, _FARTHER = 10, 20
_MOST_ROWS = 20_000
_MOST_LEVELS = 40
# How often two rows of one table are as near as copies by chance.
_CHANCE = 0.001
# In few columns some rows are close by chance; sets as large as this are no copies.
_LARGEST = 0.05


def near_copies(X: pd.DataFrame, kinds: Mapping[str, str]) -> NDArray[np.intp]:
    """Give nearly equal rows one number; a row without a near copy is alone.

    Where rows spread evenly over d dimensions, the nearest of ten neighbours is closer
    than t times the tenth with probability 9 t^d; d is learnt from farther neighbours,
    which copies do not move. Rows that are too near for it are copies.

    Parameters
    ----------
    X : DataFrame
    kinds : mapping of column to kind

    Returns
    -------
    array of int, one per row

    Warnings
    --------
    Of more than 20,000 rows every row counts as alone: the neighbours of all of them
    would take longer than the audit has.
    """
    count = len(X)
    alone = np.arange(count)
    if not 3 * _FARTHER <= count <= _MOST_ROWS:
        return alone
    wanted = {name: kinds[name] for name in X.columns}
    encoder = TableEncoder(kinds=wanted, max_levels=_MOST_LEVELS)
    places = np.asarray(encoder.fit_transform(X), dtype=np.float64)
    distance, near = NearestNeighbors(n_neighbors=_FARTHER).fit(places).kneighbors()
    tenth, last = distance[:, _FAR - 1], distance[:, -1]
    usable = (tenth > 0) & (last > 0)
    if usable.mean() < 0.9:
        return alone
    growth = float(np.mean(np.log(last[usable] / tenth[usable])))
    dimension = np.log(_FARTHER / _FAR) / max(growth, 1e-9)
    bar = min((_CHANCE / (_FAR - 1)) ** (1 / max(dimension, 1.0)), 0.5)
    first, which = np.nonzero(distance <= bar * tenth[:, None])
    links = coo_array(
        (np.ones(len(first)), (first, near[first, which])), shape=(count, count)
    )
    sets = connected_components(links, directed=False)[1].astype(np.intp)
    if np.bincount(sets).max() > max(_FAR, _LARGEST * count):
        return alone
    return sets
