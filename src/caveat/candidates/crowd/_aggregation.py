"""Several people's label sets for every item, and ways to make one set of them."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from caveat._files import read_plain, write_whole
from caveat.candidates._candidates import Mask
from caveat.exceptions import DataError, InvalidInput, UnknownName

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Annotations:
    """Label sets by annotator, without padding.

    Parameters
    ----------
    labels : int array
        All labels, annotator by annotator, item by item.
    set_starts : int array
        Where every annotator's set begins in `labels`; one more for the end.
    item_starts : int array
        Where every item's sets begin in `set_starts`; one more for the end.
    n_classes : int

    Examples
    --------
    Two items; the first was seen by two people, of whom one was not sure.

    >>> seen = Annotations.from_lists([[[0], [0, 2]], [[1]]], n_classes=3)
    >>> seen.aggregate()
    array([[ True, False,  True],
           [False,  True, False]])
    """

    labels: Ints
    set_starts: Ints
    item_starts: Ints
    n_classes: int

    @classmethod
    def from_lists(
        cls, annotations: Sequence[Sequence[Sequence[int]]], n_classes: int
    ) -> Self:
        """Take, per item and per annotator, a list of class numbers.

        Parameters
        ----------
        annotations : sequence of sequences of sequences of int
        n_classes : int
            Classes are 0 to ``n_classes - 1``.
        """
        if n_classes < 2:
            raise InvalidInput(f"n_classes is {n_classes}; labels need at least two")
        labels: list[int] = []
        sets, items = [0], [0]
        for row, people in enumerate(annotations):
            if isinstance(people, str | int) or not len(people):
                raise InvalidInput(
                    f"annotations: item {row} has no annotator; drop it or have "
                    "it labelled"
                )
            before = len(labels)
            for person, given in enumerate(people):
                labels.extend(_checked(given, row, person, n_classes))
                sets.append(len(labels))
            if len(labels) == before:
                raise InvalidInput(
                    f"annotations: no annotator gave item {row} a label; drop the item"
                )
            items.append(len(sets) - 1)
        if len(items) < 2:
            raise InvalidInput("annotations: there are no items; pass at least one")
        return cls(np.array(labels), np.array(sets), np.array(items), n_classes)

    def __len__(self) -> int:
        return len(self.item_starts) - 1

    @property
    def set_sizes(self) -> Ints:
        """How many labels every annotator gave, item by item."""
        return np.diff(self.set_starts)

    @property
    def annotators(self) -> Ints:
        """How many people labelled every item."""
        return np.diff(self.item_starts)

    def counts(self, most: int | None = None) -> Ints:
        """How many annotators named each class, of the first `most` of an item.

        Returns
        -------
        int array of shape (n_items, n_classes)
        """
        place = np.arange(len(self.set_sizes)) - np.repeat(
            self.item_starts[:-1], self.annotators
        )
        item = np.repeat(np.arange(len(self)), self.annotators)
        of_label = np.repeat(np.arange(len(self.set_sizes)), self.set_sizes)
        kept = (
            np.ones(len(self.labels), bool) if most is None else place[of_label] < most
        )
        # One person counts once, also if the list names a label twice.
        votes = np.unique(of_label[kept] * self.n_classes + self.labels[kept])
        flat = item[votes // self.n_classes] * self.n_classes + votes % self.n_classes
        found = np.bincount(flat, minlength=len(self) * self.n_classes)
        return found.reshape(len(self), self.n_classes)

    def aggregate(self) -> Mask:
        """Every label that anybody gave."""
        return self.counts() > 0

    def first(self, count: int) -> Mask:
        """Every label that the first `count` annotators of an item gave.

        A set that is empty because they gave none is filled from all annotators.
        """
        if count < 1:
            raise InvalidInput(f"count is {count}; pass 1 or more annotators")
        found = self.counts(count) > 0
        empty = ~found.any(axis=1)
        found[empty] = self.aggregate()[empty]
        return found

    def vote(self, min_count: int) -> Mask:
        """Every label that at least `min_count` annotators gave, else the top ones."""
        if min_count < 1:
            raise InvalidInput(f"min_count is {min_count}; pass 1 or more votes")
        counts = self.counts()
        return counts >= np.minimum(min_count, counts.max(axis=1))[:, None]

    def majority(self) -> Mask:
        """Every label that more than half of an item's people gave, else the top."""
        counts = self.counts()
        needed = np.minimum(self.annotators // 2 + 1, counts.max(axis=1))
        return counts >= needed[:, None]

    def vaguest(self) -> Mask:
        """Take the longest single set of an item; the first of several."""
        sizes = self.set_sizes
        item = np.repeat(np.arange(len(self)), self.annotators)
        order = np.lexsort((np.arange(len(sizes)), -sizes, item))
        chosen = order[self.item_starts[:-1]]
        found = np.zeros((len(self), self.n_classes), dtype=bool)
        rows = np.repeat(np.arange(len(self)), sizes[chosen])
        spots = np.concatenate(
            [self.labels[self.set_starts[k] : self.set_starts[k + 1]] for k in chosen]
        )
        found[rows, spots] = True
        return found

    def combine(self, rule: str, *, count: int = 2) -> Mask:
        """Make one set per item by a rule's name.

        Parameters
        ----------
        rule : {"aggregate", "vaguest", "vote", "first", "majority"}
        count : int, default=2
            Votes, or first annotators, where the rule needs a number.
        """
        rules: dict[str, Any] = {
            "aggregate": self.aggregate,
            "vaguest": self.vaguest,
            "vote": lambda: self.vote(count),
            "first": lambda: self.first(count),
            "majority": self.majority,
        }
        if rule not in rules:
            raise UnknownName.among("rule", rule, rules)
        return rules[rule]()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the arrays to an npz file."""
        content = io.BytesIO()
        np.savez_compressed(
            content,
            labels=self.labels,
            set_starts=self.set_starts,
            item_starts=self.item_starts,
            n_classes=self.n_classes,
        )
        write_whole(os.fspath(path), content.getvalue())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote; nothing is unpickled."""
        try:
            content = io.BytesIO(read_plain(os.fspath(path)))
            with np.load(content, allow_pickle=False) as file:
                parts = {name: file[name] for name in file.files}
            lists = (parts["labels"], parts["set_starts"], parts["item_starts"])
            return cls(*lists, n_classes=int(parts["n_classes"]))
        except (OSError, ValueError, KeyError) as error:
            raise DataError(
                f"{os.fspath(path)!r} holds no annotations ({error}); pass a file that "
                "Annotations.save wrote"
            ) from error


def aggregate_annotations(
    annotations: Sequence[Sequence[Sequence[int]]], n_classes: int
) -> Mask:
    """Unite the label sets of all annotators of an item.

    Parameters
    ----------
    annotations : per item, per annotator, a list of class numbers
    n_classes : int

    Returns
    -------
    bool array of shape (n_items, n_classes)

    Warnings
    --------
    The more annotators, the larger the sets: noise falls, ambiguity rises.

    Examples
    --------
    >>> aggregate_annotations([[[0], [0, 2]], [[1]]], 3).sum(axis=1)
    array([2, 1])
    """
    return Annotations.from_lists(annotations, n_classes).aggregate()


def vaguest_annotation(
    annotations: Sequence[Sequence[Sequence[int]]], n_classes: int
) -> Mask:
    """Take the longest label set that one annotator gave an item.

    The first of several equally long ones counts.

    Parameters
    ----------
    annotations : per item, per annotator, a list of class numbers
    n_classes : int

    Returns
    -------
    bool array of shape (n_items, n_classes)

    Warnings
    --------
    One person's set is noisy: on PLCIFAR10 the true label is missing in 17.6 % [1]_.

    References
    ----------
    .. [1] W. Wang et al. (2025). Realistic evaluation of deep partial-label learning
       algorithms. ICLR.

    Examples
    --------
    >>> vaguest_annotation([[[0], [1, 2], [0, 1]]], 3)
    array([[False,  True,  True]])
    """
    return Annotations.from_lists(annotations, n_classes).vaguest()


def vote_annotations(
    annotations: Sequence[Sequence[Sequence[int]]],
    n_classes: int,
    *,
    min_count: int = 2,
) -> Mask:
    """Keep the labels that several annotators gave; the top ones where none has enough.

    Parameters
    ----------
    annotations : per item, per annotator, a list of class numbers
    n_classes : int
    min_count : int, default=2
        Votes that a label needs.

    Returns
    -------
    bool array of shape (n_items, n_classes)

    Warnings
    --------
    Votes silence the one expert among many.

    Examples
    --------
    >>> vote_annotations([[[0], [0, 2]], [[1], [2]]], 3)
    array([[ True, False, False],
           [False,  True,  True]])
    """
    return Annotations.from_lists(annotations, n_classes).vote(min_count)


def first_annotations(
    annotations: Sequence[Sequence[Sequence[int]]], n_classes: int, *, count: int
) -> Mask:
    """Unite the label sets of the first annotators of an item.

    Parameters
    ----------
    annotations : per item, per annotator, a list of class numbers
    n_classes : int
    count : int
        How many annotators; items with fewer use all they have.

    Returns
    -------
    bool array of shape (n_items, n_classes)

    Warnings
    --------
    The first annotators are a sample only if their order means nothing.

    Examples
    --------
    >>> first_annotations([[[0], [0, 2]], [[1]]], 3, count=1).sum(axis=1)
    array([1, 1])
    """
    return Annotations.from_lists(annotations, n_classes).first(count)


def annotator_curve(
    annotations: Annotations, y: ArrayLike | None = None
) -> pd.DataFrame:
    """Tell what every further annotator adds: size of the union, and noise.

    Parameters
    ----------
    annotations : Annotations
    y : array-like of int, optional
        True classes; without them the noise is unknown.

    Returns
    -------
    DataFrame
        ``annotators`` (1, 2, ... up to the most that an item has), ``mean_size`` of the
        union of the first so many, ``single`` (share of items with one label), and
        ``noise`` (share of items whose true label is in no set; NaN without `y`).

    Warnings
    --------
    Items with fewer annotators stay as they are, so the end of the curve flattens.

    References
    ----------
    .. [1] W. Wang et al. (2025). Realistic evaluation of deep partial-label learning
       algorithms. ICLR. Figure 2 (b).

    Examples
    --------
    >>> seen = Annotations.from_lists([[[0], [1]], [[1], [1, 2]]], 3)
    >>> annotator_curve(seen, [1, 1])["noise"].tolist()
    [0.5, 0.0]
    """
    truth = None if y is None else np.asarray(y, dtype=np.intp)
    if truth is not None and truth.shape != (len(annotations),):
        raise InvalidInput(
            f"y: found the shape {truth.shape} for {len(annotations)} items; pass one "
            "class per item"
        )
    rows = []
    for count in range(1, int(annotations.annotators.max()) + 1):
        found = annotations.first(count)
        sizes = found.sum(axis=1)
        noise = np.nan
        if truth is not None:
            noise = float((~found[np.arange(len(truth)), truth]).mean())
        rows.append((count, float(sizes.mean()), float((sizes == 1).mean()), noise))
    return pd.DataFrame(rows, columns=["annotators", "mean_size", "single", "noise"])


def _checked(given: Any, row: int, person: int, n_classes: int) -> list[int]:
    if isinstance(given, str | bytes):
        raise InvalidInput(
            f"annotations: item {row}, annotator {person}: got text; write a list of "
            "class numbers"
        )
    try:
        values = list(given)
    except TypeError:
        raise InvalidInput(
            f"annotations: item {row}, annotator {person} has {given!r}; write a list "
            "of class numbers"
        ) from None
    for value in values:
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not 0 <= value < n_classes:
            raise InvalidInput(
                f"annotations: item {row}, annotator {person} gave {value!r}; classes "
                f"are 0 to {n_classes - 1}"
            )
    return [int(value) for value in values]
