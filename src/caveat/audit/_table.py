"""The table of an audit: features, target and roles, as every part of it sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.util import hash_pandas_object

from caveat.audit._near_duplicates import near_copies
from caveat.audit._roles import split_values
from caveat.audit._screening import screening_rows
from caveat.datasets import as_dates, positive_class
from caveat.exceptions import InvalidInput, UnknownName

if TYPE_CHECKING:
    from caveat.datasets import Dataset

FEWEST_ROWS = 20


@dataclass(frozen=True)
class Table:
    """Features, target and roles of an audit.

    Attributes
    ----------
    X : DataFrame
        What models get to see.
    y : array
        Class numbers 0, 1, ... (of two classes, 1 is the positive one), or numbers.
    classes : list of str
        Names of the classes; empty for regression.
    whole : DataFrame
        All columns but the target.
    kinds : dict
        Kinds of the columns of `whole`.
    weights : array or None
    held : array of bool
        Rows of a separate test file; all False without one.
    target : Series
        The target as it was read.
    labels : DataFrame or None
        Several targets as 0 and 1, where the audit has no single one; `y` then numbers
        the rows' sets of labels.
    origin : array of int
        Row numbers in the table as it was read, of `count` rows.
    """

    X: pd.DataFrame
    y: NDArray[Any]
    classes: list[str]
    whole: pd.DataFrame
    kinds: dict[str, str]
    weights: NDArray[np.float64] | None
    held: NDArray[np.bool_]
    target: pd.Series
    labels: pd.DataFrame | None = None
    dates: tuple[str, ...] = ()
    origin: NDArray[np.intp] | None = None
    count: int = 0

    @property
    def task(self) -> str:
        """Regression, binary or multiclass."""
        if not self.classes:
            return "regression"
        return "binary" if len(self.classes) == 2 else "multiclass"

    @cached_property
    def upper(self) -> NDArray[np.intp]:
        """Class numbers; for numbers, whether they are above the median."""
        if self.classes:
            return self.y
        middle = np.median(self.y[~self.held])
        upper = self.y > middle
        # A median that most rows share would leave the upper part empty.
        return (upper if upper.any() else self.y >= middle).astype(np.intp)

    @cached_property
    def copies(self) -> NDArray[np.intp]:
        """Number of the distinct row that each row is a copy of."""
        both = np.stack([self.same_features, pd.factorize(self.y)[0]], axis=1)
        return np.unique(both, axis=0, return_inverse=True)[1].ravel()

    @cached_property
    def same_features(self) -> NDArray[np.intp]:
        """The same without the target."""
        try:
            hashed = hash_pandas_object(self.X, index=False)
        except TypeError:  # cells of several types go by their text
            hashed = hash_pandas_object(self.X.astype(object).astype(str), index=False)
        return pd.factorize(hashed.to_numpy())[0]

    @cached_property
    def near_copies(self) -> NDArray[np.intp]:
        """Number of the set of nearly equal rows that each row is in."""
        return near_copies(self.X, self.kinds)

    def order_of(self, column: str) -> NDArray[Any]:
        """Return a column's values as numbers in order."""
        if column not in self.whole.columns:
            raise UnknownName.among("column", column, map(str, self.whole.columns))
        values = self.whole[column]
        if values.isna().any():
            raise InvalidInput(
                f"column {column!r} is missing in {int(values.isna().sum()):,} rows; "
                "rows can be grouped or ordered only by known values"
            )
        return split_values(values, column in self.dates)


def make_table(dataset: Dataset, look: Mapping[str, Any]) -> Table:
    """Put a data set together as an audit looks at it.

    Parameters
    ----------
    dataset : Dataset
    look : mapping
        ``aside``, ``dates``, ``groups``, ``time``, ``weights``, ``positive``, ``test``.
    """
    whole, target, labels = dataset.X, dataset.y, dataset.Y
    origin = np.arange(len(dataset))
    screen = look.get("screen")
    if screen:
        # Rows that chose columns judge nothing.
        chose = screening_rows(len(dataset), screen["seed"])[: screen["rows"]]
        origin = np.setdiff1d(origin, chose)
        whole, target, labels = (
            None if part is None else part.iloc[origin].reset_index(drop=True)
            for part in (whole[screen["only"]], target, labels)
        )
    held = np.zeros(len(whole), dtype=bool)
    if look.get("test"):
        other = _test_part(dataset, look["test"])
        whole = pd.concat([whole, other.X[whole.columns]], ignore_index=True)
        if target is not None:
            target = pd.concat([target, other.y], ignore_index=True)
        if labels is not None:
            labels = pd.concat([labels, other.Y], ignore_index=True)
        held = np.arange(len(whole)) >= len(origin)
    dates = tuple(name for name in look["dates"] if name in whole.columns)
    if dates:
        whole = whole.assign(**{name: as_dates(whole[name]) for name in dates})
    roles = [look[role] for role in ("groups", "time", "weights") if look.get(role)]
    for name in roles:
        if name not in whole.columns:
            raise UnknownName.among("column", name, map(str, whole.columns))
    unseen = {*look["aside"], *roles}
    features = whole.drop(columns=[name for name in whole.columns if name in unseen])
    if not features.shape[1]:
        raise InvalidInput(
            f"{dataset.name}: no column is left to learn from; all are identifiers, "
            "constant, or have another role"
        )
    if target is None:
        target = label_sets(labels)
        labels_of_sets = [str(number) for number in range(int(target.max()) + 1)]
        codes, classes = target.to_numpy(dtype=np.intp), labels_of_sets
    else:
        codes, classes = _target(target, dataset, look.get("positive"))
    return Table(
        X=features,
        y=codes,
        classes=classes,
        whole=whole,
        kinds={
            name: "numerical" if name in dates else dataset.kinds[name]
            for name in whole.columns
        },
        weights=_weights(whole, look.get("weights")),
        held=held,
        target=target,
        labels=labels,
        dates=dates,
        origin=origin,
        count=len(dataset),
    )


def label_sets(labels: pd.DataFrame) -> pd.Series:
    """Give every distinct set of labels a number, row by row."""
    rows = np.unique(labels.to_numpy(), axis=0, return_inverse=True)[1]
    return pd.Series(rows.ravel(), name=None)


def without(table: Table, columns: list[str]) -> Table:
    """Return the table without some features; those with a role are none already."""
    return replace(table, X=table.X.drop(columns=columns, errors="ignore"))


def _test_part(dataset: Dataset, reference: Mapping[str, Any]) -> Dataset:
    from caveat.datasets import resolve

    options = {k: v for k, v in reference.items() if k not in ("digest", "rows")}
    if dataset.task != "multilabel":
        options["task"] = dataset.task
    other = resolve(options)
    lacking = [name for name in dataset.X.columns if name not in other.X.columns]
    if lacking:
        raise InvalidInput(
            f"--test: the column {lacking[0]!r} is missing there; both files need the "
            "same columns"
        )
    return other


def _target(
    target: pd.Series, dataset: Dataset, positive: object
) -> tuple[NDArray[Any], list[str]]:
    if dataset.task == "regression":
        if positive is not None:
            raise InvalidInput(
                f"--positive: the target holds numbers, so {positive!r} is not a class"
            )
        return target.to_numpy(dtype=float), []
    words = target.astype(str)
    labels = list(map(str, dataset.classes))
    labels += [word for word in dict.fromkeys(words) if word not in labels]
    if positive is not None:
        if str(positive) not in labels:
            raise UnknownName.among("class", positive, labels)
        rest = [label for label in labels if label != str(positive)]
        other = rest[0] if len(rest) == 1 else f"not {positive}"
        return (words == str(positive)).to_numpy(dtype=np.intp), [other, str(positive)]
    if len(labels) == 2:
        chosen = str(positive_class(words))
        labels = [label for label in labels if label != chosen] + [chosen]
    place = {label: number for number, label in enumerate(labels)}
    return words.map(place).to_numpy(dtype=np.intp), labels


def _weights(whole: pd.DataFrame, name: str | None) -> NDArray[np.float64] | None:
    if name is None:
        return None
    values = pd.to_numeric(whole[name], errors="coerce").to_numpy(dtype=float)
    if not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise InvalidInput(
            f"--weights: column {name!r} holds something other than numbers from 0 up; "
            "choose another column or mend it"
        )
    return values
