"""Candidate sets: which labels every item may have, checked once."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from caveat.exceptions import InvalidInput, listing

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CandidateSets:
    """A set of candidate labels for every item.

    Parameters
    ----------
    matrix : bool array of shape (n_items, n_classes)
        True where the class is a candidate of the item. Locked after checking.
    classes : tuple, optional
        Labels in the order of the columns; 0, 1, ... if not given.

    Warnings
    --------
    A set says which labels are possible, not that one of them is right: where
    annotators err, the true label is in none of their sets.

    Examples
    --------
    >>> sets = CandidateSets.from_sets([{"cat", "dog"}, {"dog"}, {"cat", "fox"}])
    >>> sets.classes
    ('cat', 'dog', 'fox')
    >>> sets.matrix.sum(axis=1)
    array([2, 1, 2])
    >>> sets.labels(0)
    ['cat', 'dog']
    """

    matrix: Mask
    classes: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        matrix = check_matrix(self.matrix)
        matrix.setflags(write=False)
        classes = tuple(self.classes) or tuple(range(matrix.shape[1]))
        if len(classes) != matrix.shape[1]:
            raise InvalidInput(
                f"candidates: {matrix.shape[1]} columns, but {len(classes)} classes "
                "are named; name every column once"
            )
        if len(set(classes)) < len(classes):
            raise InvalidInput(
                f"classes: a label is named twice in {listing(classes)}; "
                "name every class once"
            )
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "classes", classes)

    @classmethod
    def from_sets(
        cls, sets: Iterable[Iterable[Any]], classes: Sequence[Any] | None = None
    ) -> Self:
        """Make a container from one set (or list) of labels per item.

        Parameters
        ----------
        sets : iterable of sets
        classes : sequence, optional
            All labels in order; those that occur, sorted, if not given.
        """
        listed = [_one_set(item, row) for row, item in enumerate(sets)]
        columns = (
            _sorted({x for item in listed for x in item})
            if classes is None
            else classes
        )
        place = {label: column for column, label in enumerate(columns)}
        matrix = np.zeros((len(listed), len(columns)), dtype=bool)
        for row, item in enumerate(listed):
            for label in item:
                if label not in place:
                    raise InvalidInput(
                        f"candidates: row {row} holds {label!r}, which is not a class; "
                        f"there are {listing(columns)}"
                    )
                matrix[row, place[label]] = True
        return cls(matrix, tuple(columns))

    @classmethod
    def from_complementary(
        cls, excluded: Iterable[Any], classes: Sequence[Any]
    ) -> Self:
        """Make a container from the labels that an item does *not* have.

        Parameters
        ----------
        excluded : iterable
            One label, or a set of labels, per item.
        classes : sequence
            All labels in order.
        """
        sets = [
            item
            if isinstance(item, AbstractSet | list | tuple | np.ndarray)
            else {item}
            for item in excluded
        ]
        columns = tuple(classes)
        place = {label: column for column, label in enumerate(columns)}
        matrix = np.ones((len(sets), len(columns)), dtype=bool)
        for row, item in enumerate(sets):
            for label in _one_set(item, row):
                if label not in place:
                    raise InvalidInput(
                        f"complementary labels: row {row} holds {label!r}, which is no "
                        f"class; there are {listing(columns)}"
                    )
                matrix[row, place[label]] = False
        return cls(matrix, columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of items and of classes."""
        return self.matrix.shape  # type: ignore[return-value]

    @property
    def sizes(self) -> NDArray[np.intp]:
        """How many candidates every item has."""
        return self.matrix.sum(axis=1)

    def labels(self, row: int) -> list[Any]:
        """Labels of one item, in the order of the classes."""
        return [self.classes[column] for column in np.flatnonzero(self.matrix[row])]

    def remarks(self) -> list[str]:
        """Say what a reader should know before learning from these sets."""
        rows, columns = self.shape
        sizes = self.sizes
        found = []
        full = int((sizes == columns).sum())
        if full:
            found.append(
                f"candidates: {full} of {rows} items have all {columns} classes; "
                "they say nothing"
            )
        if (sizes == 1).all():
            found.append(
                "candidates: every set holds one label; this is ordinary supervised "
                "data"
            )
        unused = int((~self.matrix.any(axis=0)).sum())
        if unused:
            found.append(
                f"candidates: {unused} of {columns} classes are candidates of no item; "
                "they cannot be learnt"
            )
        return found

    def __len__(self) -> int:
        return len(self.matrix)

    def __getitem__(self, rows: Any) -> CandidateSets:
        """Give some of the items, with all classes: what a splitter needs."""
        return CandidateSets(np.atleast_2d(self.matrix[rows]), self.classes)

    def __repr__(self) -> str:
        mean = self.sizes.mean()
        return (
            f"CandidateSets({len(self)} items, {len(self.classes)} classes, "
            f"{mean:.4g} candidates on average)"
        )


def as_candidates(
    candidates: Any,
    *,
    classes: Sequence[Any] | None = None,
    n_items: int | None = None,
    warn: bool = True,
) -> CandidateSets:
    """Take candidates in any form that people have them, and check them.

    Parameters
    ----------
    candidates : CandidateSets, matrix, frame, sparse matrix, sets or labels
        A 0/1 matrix (n_items, n_classes), dense, sparse or as a frame whose columns
        are the classes; one set of labels per item; or one label per item, which is
        the clean limit.
    classes : sequence, optional
        All labels in order.
    n_items : int, optional
        How many items there are.
    warn : bool, default=True
        Warn of full sets, unused classes and sets that are all singletons.

    Returns
    -------
    CandidateSets

    Examples
    --------
    >>> as_candidates([[1, 1, 0], [0, 0, 1], [1, 0, 1]]).sizes
    array([2, 1, 2])
    >>> as_candidates(["no", "yes", "no"]).classes
    ('no', 'yes')
    """
    sets, clean = _converted(candidates, classes)
    if n_items is not None and len(sets) != n_items:
        turned = "; is it transposed?" if sets.shape[1] == n_items else ""
        raise InvalidInput(
            f"candidates: found {len(sets)} rows for {n_items} items; "
            f"pass one row per item{turned}"
        )
    if warn and not clean:
        for remark in sets.remarks():
            warnings.warn(remark, stacklevel=3)
    return sets


def are_labels(given: Any) -> bool:
    """Tell whether something is one label per item, not a set.

    Examples
    --------
    >>> are_labels(["a", "b"]), are_labels([{"a"}, {"b"}]), are_labels([[1, 0], [0, 1]])
    (True, False, False)
    """
    if isinstance(given, CandidateSets) or sparse.issparse(given):
        return False
    if isinstance(given, pd.DataFrame):
        return given.shape[1] == 1
    if not hasattr(given, "__len__"):
        given = np.asarray(given) if hasattr(given, "__array__") else list(given)
    if _holds_sets(given):
        return False
    shape = np.shape(given)
    return len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)


def aligned(sets: CandidateSets, classes: Sequence[Any]) -> Mask:
    """Give the matrix of sets in the order of other classes, by name.

    Candidates that are none of these classes are lost. Sets whose classes are numbers
    and as many are taken as they are.

    Examples
    --------
    >>> aligned(CandidateSets([[1, 0], [1, 1]], ("b", "a")), ["a", "b"])
    array([[False,  True],
           [ True,  True]])
    """
    own = sets.classes
    if own in (tuple(classes), tuple(range(len(classes)))):
        return sets.matrix
    place = {label: column for column, label in enumerate(own)}
    absent = np.zeros(len(sets), dtype=bool)
    columns = [
        sets.matrix[:, place[label]] if label in place else absent for label in classes
    ]
    return np.stack(columns, axis=1)


def _converted(given: Any, classes: Sequence[Any] | None) -> tuple[CandidateSets, bool]:
    named = tuple(classes) if classes is not None else ()
    if isinstance(given, CandidateSets):
        return given, False
    if isinstance(given, str | bytes):
        raise InvalidInput(f"candidates: got text {given!r}; pass one set per item")
    if isinstance(given, pd.DataFrame):
        columns = named or tuple(given.columns)
        return CandidateSets(given.to_numpy(), columns), False
    if sparse.issparse(given):
        return CandidateSets(given.toarray(), named), False
    if given is None:
        raise InvalidInput(
            "candidates: requires y to be passed, but the target y is None; pass one "
            "candidate set per item"
        )
    if not hasattr(given, "__len__"):
        given = np.asarray(given) if hasattr(given, "__array__") else list(given)
    if _holds_sets(given):
        return CandidateSets.from_sets(given, classes), False
    values = np.asarray(given)
    if values.ndim == 2 and values.shape[1] == 1:
        values = column_or_1d(values, warn=True)
    if values.ndim == 1:
        return _singletons(values, classes), True
    return CandidateSets(values, named), False


def _holds_sets(given: Any) -> bool:
    """Whether rows are collections of labels rather than rows of a matrix."""
    if isinstance(given, np.ndarray) and given.dtype != object:
        return False
    rows = list(given)
    if any(isinstance(row, AbstractSet) for row in rows):
        return True
    if not rows or not all(isinstance(row, list | tuple | np.ndarray) for row in rows):
        return False
    lengths = {len(row) for row in rows}
    return len(lengths) > 1 or any(isinstance(x, str) for row in rows for x in row)


def _singletons(values: NDArray, classes: Sequence[Any] | None) -> CandidateSets:
    missing = pd.isna(values)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise InvalidInput(
            f"candidates: the label of row {row} is missing; drop the row"
        )
    check_classification_targets(values)
    if classes is None:
        found, codes = np.unique(values, return_inverse=True)
        if len(found) < 2:
            one = found.tolist()[0] if len(found) else None
            raise InvalidInput(
                f"candidates: found one class, {one!r}; a classifier needs at least "
                "two classes"
            )
        matrix = np.eye(len(found), dtype=bool)[codes]
        return CandidateSets(matrix, tuple(found.tolist()))
    return CandidateSets.from_sets(([value] for value in values.tolist()), classes)


def _one_set(item: Any, row: int) -> list[Hashable]:
    if isinstance(item, str | bytes):
        raise InvalidInput(
            f"candidates: row {row}: got text; write {{{item!r}}} for one label"
        )
    try:
        labels = item.tolist() if isinstance(item, np.ndarray) else list(item)
    except TypeError:
        raise InvalidInput(
            f"candidates: row {row} holds {item!r}; pass a set of labels"
        ) from None
    return labels


def _sorted(labels: Iterable[Any]) -> list[Any]:
    values = list(labels)
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)


def check_matrix(candidates: ArrayLike) -> Mask:
    """Turn a 0/1 matrix into bools, or say what is wrong with it."""
    values = np.asarray(candidates)
    if values.ndim != 2:
        raise InvalidInput(
            f"candidates: found the shape {values.shape}; expected (items, classes)"
        )
    if values.dtype != bool:
        try:
            numbers = values.astype(np.float64)
        except (TypeError, ValueError):
            raise InvalidInput(
                f"candidates: found {values.dtype} entries; pass 0 and 1, or one set "
                "of labels per item"
            ) from None
        wrong = np.argwhere(~np.isin(numbers, (0.0, 1.0)))
        if len(wrong):
            row, column = wrong[0]
            raise InvalidInput(
                f"candidates: entry {values[row, column]} in row {row}, column {column}"
                "; a matrix holds 0 and 1 (for lists of labels pass sets)"
            )
        values = numbers == 1.0
    if values.shape[1] < 2:
        raise InvalidInput(
            f"candidates: found {values.shape[1]} class; a classifier needs two"
        )
    empty = np.flatnonzero(~values.any(axis=1))
    if len(empty):
        rows = ", ".join(map(str, empty[:8]))
        more = f" and {len(empty) - 8} more" if len(empty) > 8 else ""
        verb = "has" if len(empty) == 1 else "have"
        noun = "row" if len(empty) == 1 else "rows"
        raise InvalidInput(
            f"candidates: {noun} {rows}{more} {verb} no candidate; drop them or allow "
            "every class there"
        )
    return np.array(values, dtype=bool)
