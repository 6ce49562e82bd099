"""Rows that are nearly the same: a row measured twice, rounded, or slightly changed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from caveat.audit.scan import FARTHER, near_bar
from caveat.tables import TableEncoder

_FEWEST_ROWS, _MOST_ROWS = 60, 20_000
_MOST_LEVELS = 40
# In few columns some rows are close by chance; sets as large as this are no copies.
_SMALL, _LARGEST = 10, 0.05


def near_copies(X: pd.DataFrame, kinds: Mapping[str, str]) -> NDArray[np.intp]:
    """Give nearly equal rows one number; a row without a near copy is alone.

    How near that is, `caveat.audit.scan.near_bar` tells.

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
    if not _FEWEST_ROWS <= count <= _MOST_ROWS:
        return alone
    wanted = {name: kinds[name] for name in X.columns}
    encoder = TableEncoder(kinds=wanted, max_levels=_MOST_LEVELS)
    places = np.asarray(encoder.fit_transform(X), dtype=np.float64)
    distance, near = NearestNeighbors(n_neighbors=FARTHER).fit(places).kneighbors()
    first, which = np.nonzero(distance <= near_bar(distance)[:, None])
    links = coo_array(
        (np.ones(len(first)), (first, near[first, which])), shape=(count, count)
    )
    sets = connected_components(links, directed=False)[1].astype(np.intp)
    if np.bincount(sets).max() > max(_SMALL, _LARGEST * count):
        return alone
    return sets
