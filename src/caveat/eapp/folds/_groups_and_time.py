"""Folds that keep groups together, or judge later rows by earlier ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, TimeSeriesSplit

from caveat.datasets import Dataset, as_dates
from caveat.exceptions import InvalidInput, UnknownName


def role_folds(
    dataset: Dataset,
    groups: str | None,
    time: str | None,
    *,
    folds: int | Iterable[tuple[Any, Any]],
    seed: int,
) -> tuple[Dataset, int | Iterable[tuple[Any, Any]]]:
    """Make the folds that a column asks for, and take the column out of the features.

    Parameters
    ----------
    dataset : Dataset
    groups, time : str or None
        At most one of them.
    folds : int or iterable of pairs
        How many; returned as it is where neither column is given.
    seed : int

    Returns
    -------
    dataset : Dataset
    folds : int or list of pairs
    """
    if groups is None and time is None:
        return dataset, folds
    if groups is not None and time is not None:
        raise InvalidInput("--groups and --time were both given; use one")
    if not isinstance(folds, int | np.integer):
        raise InvalidInput("folds: pass a number beside --groups or --time")
    name = str(groups if groups is not None else time)
    if name not in dataset.X.columns:
        raise UnknownName.among("column", name, map(str, dataset.X.columns))
    column = dataset.X[name]
    rest = [other for other in dataset.X.columns if other != name]
    if not rest:
        raise InvalidInput(f"{name!r} is the only column; there is nothing to cluster")
    smaller = replace(
        dataset,
        X=dataset.X[rest],
        kinds={other: dataset.kinds[other] for other in rest},
        groups=None,
        order=None,
    )
    if groups is not None:
        return smaller, _by_group(dataset, column, int(folds), seed)
    return smaller, _by_time(column, int(folds))


def _by_group(
    dataset: Dataset, column: pd.Series, folds: int, seed: int
) -> list[tuple[Any, Any]]:
    # A missing name is a group of its own: nothing says to whom the row belongs.
    codes = pd.factorize(column)[0]
    lost = codes < 0
    codes[lost] = codes.max() + 1 + np.arange(int(lost.sum()))
    many = len(np.unique(codes))
    if many < folds:
        raise InvalidInput(
            f"--groups: {str(column.name)!r} has {many} values for {folds} folds; use "
            f"--folds {max(many, 2)} or less"
        )
    if dataset.task in ("binary", "multiclass"):
        splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
        return list(splitter.split(np.zeros((len(codes), 1)), dataset.y, codes))
    return list(GroupKFold(folds).split(np.zeros((len(codes), 1)), groups=codes))


def _by_time(column: pd.Series, folds: int) -> list[tuple[Any, Any]]:
    moments = column
    if not pd.api.types.is_numeric_dtype(column.dtype):
        moments = as_dates(column)
    if moments.isna().any():
        raise InvalidInput(
            f"--time: {str(column.name)!r} has {int(moments.isna().sum())} cells that "
            "are neither dates nor numbers; fill them in or drop these rows"
        )
    order = np.argsort(moments.to_numpy(), kind="stable")
    parts = TimeSeriesSplit(folds).split(np.zeros((len(order), 1)))
    return [(order[before], order[after]) for before, after in parts]
