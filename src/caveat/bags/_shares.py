"""Bags and their proportions: how they are written, checked and counted."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from caveat.exceptions import InvalidInput, listing

SUM_TOLERANCE = 1e-6
_SHOWN = 5


def bag_proportions(
    y: ArrayLike, bags: ArrayLike, classes: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Share of every class in every bag.

    Parameters
    ----------
    y : array-like of shape (n_items,)
        Labels of the items.
    bags : array-like of shape (n_items,)
        Bag of each item, whole numbers from 0.
    classes : array-like, optional
        All classes, in the order of the columns; the sorted labels by default.

    Returns
    -------
    ndarray of shape (n_bags, n_classes)
        Rows sum to 1. A bag without items is a row of NaN: nothing is known of it.

    Examples
    --------
    >>> from caveat.bags import bag_proportions
    >>> bag_proportions(["no", "yes", "yes", "yes"], [0, 0, 2, 2])
    array([[0.5, 0.5],
           [nan, nan],
           [0. , 1. ]])
    """
    same_index(y, bags, ("y", "bags"))
    labels = _one_dimensional("y", y)
    number = check_bag_numbers(bags, len(labels))
    known = np.unique(labels) if classes is None else np.asarray(classes)
    if len(np.unique(known)) != len(known):
        raise InvalidInput(
            f"classes: {listing(known)} holds a class twice; list each once"
        )
    order = np.argsort(known, kind="stable")
    place = np.searchsorted(known, labels, sorter=order)
    code = order[np.minimum(place, len(known) - 1)]
    strange = known[code] != labels
    if strange.any():
        found = listing(np.unique(labels[strange]), _SHOWN)
        raise InvalidInput(f"y: {found} is not among the classes {listing(known)}")
    return share_table(number, code, len(known))


def share_table(
    bags: NDArray, codes: NDArray, n_classes: int, n_bags: int | None = None
) -> NDArray[np.float64]:
    """Shares from bag numbers and class codes, both already checked."""
    total = int(bags.max()) + 1 if n_bags is None else n_bags
    flat = np.bincount(bags * n_classes + codes, minlength=total * n_classes)
    counts = flat.reshape(total, n_classes)
    with np.errstate(invalid="ignore"):
        return counts / counts.sum(axis=1, keepdims=True)


def check_bag_numbers(bags: ArrayLike, n_items: int, name: str = "bags") -> NDArray:
    """Return bag numbers as whole numbers from 0, one per item."""
    array = _one_dimensional(name, bags)
    if len(array) != n_items:
        raise InvalidInput(
            f"{name}: found {len(array)} entries for {n_items} items; expected one each"
        )
    numbers = _whole_numbers(array)
    if numbers is None or (len(numbers) and numbers.min() < 0):
        raise InvalidInput(
            f"{name}: found {listing(pd.unique(pd.Series(array)), _SHOWN)}; expected "
            "whole numbers from 0 (other ids need proportions as a dict or Series "
            "keyed by id)"
        )
    return numbers


def check_shares(
    X: Any, n_items: int, bags: Any, proportions: Any
) -> tuple[NDArray, NDArray[np.float64], NDArray]:
    """Check bags against their proportions.

    Parameters
    ----------
    X : object
        The items as the caller gave them, for the sake of a pandas index.
    n_items : int
    bags : array-like
    proportions : array-like, dict, Series or DataFrame

    Returns
    -------
    bags : ndarray of shape (n_items,)
        Row of `proportions` for every item.
    shares : ndarray of shape (n_bags, n_classes)
        Rows of bags without items are the mean of the others.
    classes : ndarray of shape (n_classes,)
        Columns of a DataFrame, else 0, 1, ...
    """
    same_index(X, bags)
    if isinstance(proportions, Mapping | pd.Series | pd.DataFrame):
        number, table, names, classes = _by_id(bags, n_items, proportions)
    else:
        number = check_bag_numbers(bags, n_items)
        _refuse_labels(proportions, number)
        table = _table(proportions)
        names, classes = np.arange(len(table)), np.arange(table.shape[1])
        beyond = np.unique(number[number >= len(table)])
        if len(beyond):
            raise InvalidInput(
                f"bags: bag {listing(beyond, _SHOWN)} has no row in proportions, which "
                f"has {len(table)}; pass the whole table, one row per bag (a splitter "
                "that slices every array slices this one too)"
            )
    present = np.bincount(number, minlength=len(table)) > 0
    _check_table(table, names, present, classes)
    shares = table.copy()
    shares[~present] = table[present].mean(axis=0)
    return number, shares, classes


def _refuse_labels(proportions: Any, bags: NDArray) -> None:
    """Tell labels of the items from shares of the bags, where both are one column."""
    given = np.asarray(proportions)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.ndim != 1 or not len(bags) or given.dtype.kind not in "biufOUS":
        return
    per_item = len(given) == len(bags) > int(bags.max()) + 1
    words = given.dtype.kind in "OUS" and all(isinstance(one, str) for one in given)
    if words or (per_item and np.isin(given, [0, 1]).all()):
        raise InvalidInput(
            f"proportions: found {listing(pd.unique(pd.Series(given)), _SHOWN)} for "
            f"{len(given)} {'items' if per_item else 'bags'}, which are labels; pass "
            "one share per bag, as bag_proportions(y, bags) gives them"
        )
    pure = np.isin(given, [0, 1]).all() and given.dtype.kind in "biu"
    if pure and np.bincount(bags).max() > 1:
        warnings.warn(
            "proportions: every bag is said to hold one class only; if these whole "
            "numbers are labels, pass shares, as bag_proportions(y, bags) gives them",
            stacklevel=5,
        )


def _by_id(
    bags: Any, n_items: int, proportions: Mapping | pd.Series | pd.DataFrame
) -> tuple[NDArray, NDArray[np.float64], NDArray, NDArray]:
    """Look every item's id up in a keyed table."""
    if isinstance(proportions, Mapping):
        if not proportions:
            raise InvalidInput("proportions: found no bag; pass a share for every bag")
        keys = pd.Index(list(proportions), tupleize_cols=False)
        table = _table(list(proportions.values()))
    else:
        keys = proportions.index
        table = _table(proportions.to_numpy())
    classes = np.arange(table.shape[1])
    if isinstance(proportions, pd.DataFrame) and proportions.shape[1] > 1:
        classes = np.asarray(proportions.columns)
    if not keys.is_unique:
        twice = keys[keys.duplicated()].unique()
        raise InvalidInput(
            f"proportions: bag {listing(twice, _SHOWN)} has more than one row; keep one"
        )
    ids = bags if isinstance(bags, pd.Series) else _one_dimensional("bags", bags)
    if len(ids) != n_items:
        raise InvalidInput(
            f"bags: found {len(ids)} entries for {n_items} items; expected one each"
        )
    number = np.asarray(keys.get_indexer(pd.Index(ids, tupleize_cols=False)))
    if (number < 0).any():
        missing = pd.unique(pd.Series(np.asarray(ids, dtype=object)[number < 0]))
        as_text = set(map(str, missing)) & set(map(str, keys))
        hint = " (numbers and text are different ids)" if as_text else ""
        raise InvalidInput(
            f"bags: no proportions for bag {listing(missing, _SHOWN)}; "
            f"proportions has {listing(keys, _SHOWN)}{hint}"
        )
    return number, table, np.asarray(keys, dtype=object), classes


def _table(proportions: Any) -> NDArray[np.float64]:
    """Two columns or more; one column is the share of class 1."""
    try:
        table = np.asarray(proportions, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"proportions: not a table of numbers ({error}); pass one share, or one "
            "share per class, for every bag"
        ) from error
    if table.ndim == 2 and table.shape[1] == 1:
        table = table[:, 0]
    if table.ndim == 1:
        table = np.column_stack([1.0 - table, table])
    if table.ndim != 2 or len(table) == 0:
        raise InvalidInput(
            f"proportions: found shape {table.shape}; expected one row per bag"
        )
    return table


def _check_table(
    table: NDArray[np.float64], names: NDArray, present: NDArray, classes: NDArray
) -> None:
    """Refuse what cannot be shares, in bags that have items."""
    rows = np.flatnonzero(present)
    part = table[rows]
    bad = np.argwhere(~np.isfinite(part))
    if len(bad):
        bag, column = _first_of_last_class(bad)
        raise InvalidInput(
            f"proportions: bag {names[rows[bag]]}, class {classes[column]} is "
            f"{part[bag, column]}; expected a share between 0 and 1"
        )
    outside = np.argwhere((part < 0.0) | (part > 1.0 + SUM_TOLERANCE))
    if len(outside):
        bag, column = _first_of_last_class(outside)
        raise InvalidInput(
            f"proportions: bag {names[rows[bag]]}, class {classes[column]} is "
            f"{part[bag, column]:.6g}; expected between 0 and 1 (pass shares of the "
            "bag, not counts)"
        )
    totals = part.sum(axis=1)
    off = np.flatnonzero(np.abs(totals - 1.0) > SUM_TOLERANCE)
    if len(off):
        more = f", and {len(off) - 1} more bags" if len(off) > 1 else ""
        raise InvalidInput(
            f"proportions: bag {names[rows[off[0]]]} sums to {totals[off[0]]:.6g}; "
            f"expected 1 (tolerance {SUM_TOLERANCE:g}){more}"
        )


def _first_of_last_class(places: NDArray) -> tuple[int, int]:
    """First bag, last class: of one number per bag, that is the number given."""
    bag, column = max(places.tolist(), key=lambda place: (-place[0], place[1]))
    return bag, column


def same_index(first: Any, second: Any, names: tuple[str, str] = ("X", "bags")) -> None:
    """Two pandas objects must agree on what a row is: nothing is aligned here."""
    kinds = pd.Series | pd.DataFrame
    if not isinstance(first, kinds) or not isinstance(second, kinds):
        return
    if len(first) == len(second) and not first.index.equals(second.index):
        row = int(np.argmax(np.asarray(first.index != second.index)))
        raise InvalidInput(
            f"{names[1]}: the index differs from that of {names[0]} (found "
            f"{second.index[row]!r} at row {row}; expected {first.index[row]!r}); give "
            "both the same index, in the same order"
        )


def _one_dimensional(name: str, values: Any) -> NDArray:
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InvalidInput(
            f"{name}: found shape {array.shape}; expected one entry per item"
        )
    return array


def _whole_numbers(array: NDArray) -> NDArray | None:
    """Turn into whole numbers, or None where they are something else."""
    if np.issubdtype(array.dtype, np.integer):
        return array.astype(np.int64)
    if np.issubdtype(array.dtype, np.floating):
        whole = np.isfinite(array) & (array == np.floor(array))
        return array.astype(np.int64) if whole.all() else None
    return None
