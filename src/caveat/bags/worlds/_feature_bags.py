"""Bags as the world makes them: at random, or by the values of a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from caveat.bags._params import check_number, check_whole
from caveat.bags._shares import share_table
from caveat.bags.worlds._bags import Bags, _labels
from caveat.exceptions import InvalidInput, UnknownName, listing


def random_bags(y: ArrayLike, size: int, *, random_state: Any = None) -> Bags:
    """Shuffle the items and cut them into bags of one size; the rest is left out.

    Parameters
    ----------
    y : array-like of shape (n_items,)
        Labels.
    size : int
        Items in a bag.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    Bags

    Examples
    --------
    >>> from caveat.bags import random_bags
    >>> bags = random_bags([0, 1] * 10, 6, random_state=0)
    >>> bags.sizes, len(bags.kept)
    (array([6, 6, 6]), 18)
    """
    check_whole("size", size, least=1)
    classes, codes = _labels(y)
    if size > len(codes):
        raise InvalidInput(
            f"size: found {size} for {len(codes)} items; use a smaller one"
        )
    order = check_random_state(random_state).permutation(len(codes))
    return _bags(_cut(order, size, len(codes)), classes, codes)


def feature_bags(
    X: pd.DataFrame,
    y: ArrayLike,
    columns: str | Sequence[str],
    *,
    smallest: int = 50,
    largest: int | None = 2500,
    min_kept_share: float = 0.3,
    size: int | None = None,
    random_state: Any = None,
) -> Bags:
    """One bag per value of a column, or per combination of values of several.

    Parameters
    ----------
    X : DataFrame of shape (n_items, n_features)
    y : array-like of shape (n_items,)
        Labels.
    columns : str or list of str
        What to group by. A missing value is a value.
    smallest, largest : int, default=50 and 2500
        Groups outside are left out; None is no limit.
    min_kept_share : float, default=0.3
        Refuse a grouping that leaves out more items than this allows.
    size : int, optional
        Cut every group at random into bags of this size; what is left of a group is
        left out.
    random_state : int, RandomState or None, default=None
        For the cuts.

    Returns
    -------
    Bags
        In the order of the groups' first items.

    Warnings
    --------
    The grouping columns stay in X unless you drop them: then a classifier can learn the
    bag by heart.

    References
    ----------
    .. [1] A. Brahmbhatt, M. Pokala, R. Saket, A. Raghuveer (2023). LLP-Bench: a large
       scale tabular benchmark for learning from label proportions.

    Examples
    --------
    >>> import pandas as pd
    >>> from caveat.bags import feature_bags
    >>> X = pd.DataFrame({"town": ["a", "b", "a", "b", "c"]})
    >>> feature_bags(X, [0, 1, 0, 1, 1], "town", smallest=2).assignment
    array([ 0,  1,  0,  1, -1])
    """
    classes, codes = _labels(y)
    groups = _groups(X, columns, len(codes))
    if size is not None:
        check_whole("size", size, least=1)
    check_whole("smallest", smallest, least=1)
    check_number("min_kept_share", min_kept_share, least=0, most=1)
    sizes = np.bincount(groups)
    good = sizes >= smallest
    if largest is not None:
        good &= sizes <= check_whole("largest", largest, least=smallest)
    assignment = np.where(good[groups], groups, -1)
    if size is not None:
        assignment = _pieces(assignment, size, check_random_state(random_state))
    share = float((assignment >= 0).mean())
    if share == 0.0:
        raise InvalidInput(
            f"columns: grouping by {listing(_names(columns))} keeps 0.0% of the items: "
            f"the largest group has {sizes.max()}, smallest is {smallest} (group by "
            "something else, or widen smallest and largest)"
        )
    if share < min_kept_share:
        raise InvalidInput(
            f"columns: grouping by {listing(_names(columns))} keeps {share:.1%} of the "
            f"items; expected at least {min_kept_share:.0%} (group by something else, "
            "or widen smallest and largest)"
        )
    return _bags(_renumbered(assignment), classes, codes)


def _groups(X: pd.DataFrame, columns: str | Sequence[str], n_items: int) -> NDArray:
    """Find every item's group, numbered in order of first appearance."""
    if not isinstance(X, pd.DataFrame):
        raise InvalidInput(f"X: found {type(X).__name__}; expected a DataFrame")
    if len(X) != n_items:
        raise InvalidInput(f"X: found {len(X)} items, but y has {n_items}")
    names = _names(columns)
    for name in names:
        if name not in X.columns:
            raise UnknownName.among("column", name, map(str, X.columns))
    code = np.zeros(n_items, dtype=np.int64)
    for name in names:
        values, levels = pd.factorize(X[name], use_na_sentinel=False)
        code = pd.factorize(code * len(levels) + values)[0]
    return code


def _names(columns: str | Sequence[str]) -> list[str]:
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names:
        raise InvalidInput("columns: found none; name at least one to group by")
    return names


def _pieces(assignment: NDArray, size: int, rng: Any) -> NDArray:
    """Cut every group into random pieces of one size."""
    pieces = np.full(len(assignment), -1)
    count = 0
    for group in np.unique(assignment[assignment >= 0]):
        rows = rng.permutation(np.flatnonzero(assignment == group))
        whole = len(rows) // size
        pieces[rows[: whole * size]] = count + np.repeat(np.arange(whole), size)
        count += whole
    return pieces


def _cut(order: NDArray, size: int, n_items: int) -> NDArray:
    whole = n_items // size
    assignment = np.full(n_items, -1)
    assignment[order[: whole * size]] = np.repeat(np.arange(whole), size)
    return assignment


def _renumbered(assignment: NDArray) -> NDArray:
    """Numbers without gaps, in order of first appearance."""
    kept = assignment >= 0
    numbers = np.full(len(assignment), -1)
    numbers[kept] = pd.factorize(assignment[kept])[0]
    return numbers


def _bags(assignment: NDArray, classes: NDArray, codes: NDArray) -> Bags:
    kept = assignment >= 0
    shares = share_table(assignment[kept], codes[kept], len(classes))
    return Bags(assignment, np.bincount(assignment[kept]), shares, classes)
