"""Who said what of which item: long tables as sparse arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from caveat.exceptions import InvalidInput, UnknownName, listing

Ints = NDArray[np.intp]

ITEM = ("item", "question", "task")
ANNOTATOR = ("annotator", "worker", "user")
LABEL = ("label", "answer")


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of many people on many items; an answer is a set of labels.

    Attributes
    ----------
    items, annotators : Index
        Their names, in the order in which they come first.
    classes : tuple
        All labels, sorted.
    item, annotator : int arrays
        Of which item an answer is, and whose it is.
    answer, label : int arrays
        Every label of every answer: the answer that names it, and its class.

    Examples
    --------
    >>> rows = [("a", "ann", "cat"), ("a", "ben", "cat|dog"), ("b", "ben", "dog")]
    >>> given = as_answers(pd.DataFrame(rows, columns=["item", "annotator", "label"]))
    >>> given.classes, given.sizes.tolist(), given.label.tolist()
    (('cat', 'dog'), [1, 2, 1], [0, 0, 1, 1])
    """

    items: pd.Index
    annotators: pd.Index
    classes: tuple[Any, ...]
    item: Ints
    annotator: Ints
    answer: Ints
    label: Ints

    def __len__(self) -> int:
        return len(self.item)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Number of items, annotators and classes."""
        return len(self.items), len(self.annotators), len(self.classes)

    @cached_property
    def sizes(self) -> Ints:
        """How many labels every answer names."""
        return np.bincount(self.answer, minlength=len(self))

    @cached_property
    def largest(self) -> int:
        """How many labels the vaguest answer names."""
        return int(self.sizes.max())

    @cached_property
    def per_item(self) -> Ints:
        """How many answers every item has."""
        return np.bincount(self.item, minlength=len(self.items))

    @cached_property
    def per_annotator(self) -> Ints:
        """How many answers everybody gave."""
        return np.bincount(self.annotator, minlength=len(self.annotators))

    @cached_property
    def named(self) -> sparse.csr_array:
        """Items by (annotator, label): how often that person named that label."""
        _, people, classes = self.shape
        columns = self.annotator[self.answer] * classes + self.label
        return self._counts(self.item[self.answer], columns, people * classes)

    @cached_property
    def given(self) -> sparse.csr_array:
        """Items by (annotator, size of the set): how many answers there are."""
        columns = self.annotator * self.largest + self.sizes - 1
        return self._counts(self.item, columns, len(self.annotators) * self.largest)

    @cached_property
    def vague(self) -> Ints:
        """Who ever names two labels or more."""
        return np.unique(self.annotator[self.sizes > 1])

    @cached_property
    def spot(self) -> Ints:
        """Of every named label: its (annotator, size of the set, label) in one."""
        cell = self.annotator * self.largest + self.sizes - 1
        return cell[self.answer] * len(self.classes) + self.label

    def _counts(self, rows: Ints, columns: Ints, width: int) -> sparse.csr_array:
        ones = np.ones(len(rows))
        shape = (len(self.items), width)
        return sparse.coo_array((ones, (rows, columns)), shape=shape).tocsr()

    def votes(self, weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Add up what every label of an item gets; a set shares its vote.

        Parameters
        ----------
        weights : array of shape (n_annotators,), optional
            What a person's vote is worth.
        """
        worth = 1.0 / self.sizes
        if weights is not None:
            worth = worth * weights[self.annotator]
        return self.per_label(worth[self.answer])

    def per_label(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add a value of every named label up, items by classes."""
        items, _, classes = self.shape
        spot = self.item[self.answer] * classes + self.label
        return sums(spot, values, items * classes).reshape(items, classes)

    def credit(self, proba: NDArray[np.float64]) -> NDArray[np.float64]:
        """Share of every answer's labels that are right, if `proba` is the truth."""
        hit = proba[self.item[self.answer], self.label]
        return sums(self.answer, hit, len(self)) / self.sizes

    def keep(self, kept: NDArray[np.bool_]) -> Answers:
        """Return the same items, people and classes with some of the answers."""
        place = np.cumsum(kept) - 1
        pairs = kept[self.answer]
        return Answers(
            self.items,
            self.annotators,
            self.classes,
            self.item[kept],
            self.annotator[kept],
            place[self.answer[pairs]],
            self.label[pairs],
        )

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        item: str | None = None,
        annotator: str | None = None,
        label: str | None = None,
        separator: str = "|",
        classes: Sequence[Any] | None = None,
    ) -> Self:
        """Read a long table: one row per answer.

        Parameters
        ----------
        frame : DataFrame
        item, annotator, label : str, optional
            Names of the columns; else the first of item, question, task; annotator,
            worker, user; label, answer.
        separator : str, default="|"
            Between the labels of a set that is written as text.
        classes : sequence, optional
            All classes, where some may be nobody's answer.
        """
        columns = [
            find_column(frame, given, known, what)
            for given, known, what in (
                (item, ITEM, "item"),
                (annotator, ANNOTATOR, "annotator"),
                (label, LABEL, "label"),
            )
        ]
        for name, what in zip(columns[:2], ("item", "annotator"), strict=True):
            empty = int(frame[name].isna().sum())
            if empty:
                raise InvalidInput(
                    f"answers: column {name!r} is empty in {empty:,} rows; every "
                    f"answer needs its {what}"
                )
        if not len(frame):
            raise InvalidInput("answers: there are none; pass one row per answer")
        of_item, items = pd.factorize(frame[columns[0]])
        of_person, people = pd.factorize(frame[columns[1]])
        kinds, sets = _distinct(frame[columns[2]], separator)
        found = _classes(sets, classes)
        place = {name: code for code, name in enumerate(found)}
        # Few distinct cells, many rows: every distinct cell is read once.
        lists = [[place[name] for name in one] for one in sets]
        lengths = np.array([len(one) for one in lists], dtype=np.intp)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        flat = np.array([code for one in lists for code in one], dtype=np.intp)
        said = lengths[kinds] > 0
        kinds, size = kinds[said], lengths[kinds[said]]
        answer = np.repeat(np.arange(len(kinds)), size)
        within = np.arange(len(answer)) - np.repeat(np.cumsum(size) - size, size)
        return cls(
            pd.Index(items, name="item"),
            pd.Index(people, name="annotator"),
            found,
            of_item[said],
            of_person[said],
            answer,
            flat[np.repeat(starts[kinds], size) + within],
        )


def sums(index: Ints, values: NDArray[Any], size: int) -> NDArray[np.float64]:
    """Add values up that have the same index, from 0 to ``size - 1``."""
    return np.bincount(index, values, minlength=size).astype(np.float64, copy=False)


def as_answers(answers: Any, **names: Any) -> Answers:
    """Take a long table, or answers that were read already.

    Parameters
    ----------
    answers : DataFrame or Answers
        Columns item, annotator, label; a label is one, a list or set of several, or
        text such as ``cat|dog``. Rows without a label are no answers.
    **names
        See `Answers.from_frame`.
    """
    if isinstance(answers, Answers):
        return answers
    if not isinstance(answers, pd.DataFrame):
        raise InvalidInput(
            f"answers: found {type(answers).__name__}; pass a DataFrame with the "
            "columns item, annotator and label"
        )
    return Answers.from_frame(answers, **names)


def find_column(
    frame: pd.DataFrame, given: str | None, known: Sequence[str], what: str
) -> Any:
    """Return the column that holds what, by the name given or the usual ones."""
    names = {str(name): name for name in frame.columns}
    if given is not None:
        if given not in names:
            raise UnknownName.among("column", given, names)
        return names[given]
    lower = {name.strip().lower(): column for name, column in names.items()}
    for name in known:
        if name in lower:
            return lower[name]
    raise InvalidInput(
        f"answers: no column is called {' or '.join(known)}; name the one with the "
        f"{what} (--{what}-column); there are {listing(names)}"
    )


def _distinct(cells: pd.Series, separator: str) -> tuple[Ints, list[tuple[Any, ...]]]:
    """Give the number of every distinct cell, and the labels of each."""
    if cells.map(type).isin([list, tuple, set, frozenset, np.ndarray]).any():
        cells = cells.map(
            lambda cell: (
                frozenset(cell)
                if isinstance(cell, list | tuple | set | frozenset | np.ndarray)
                else cell
            )
        )
    codes, values = pd.factorize(cells, use_na_sentinel=True)
    sets = [_labels(value, separator) for value in values.tolist()]
    # Empty cells have the number -1, which is the last of the list.
    return codes, [*sets, ()]


def _labels(cell: Any, separator: str) -> tuple[Any, ...]:
    if isinstance(cell, frozenset):
        return tuple(cell)
    if isinstance(cell, str):
        parts = [part.strip() for part in cell.split(separator)]
        return tuple(dict.fromkeys(part for part in parts if part))
    whole = isinstance(cell, float) and cell.is_integer()
    return (int(cell) if whole else cell,)


def _classes(
    sets: list[tuple[Any, ...]], given: Sequence[Any] | None
) -> tuple[Any, ...]:
    named = {label for one in sets for label in one}
    if given is not None:
        unknown = sorted(named - set(given), key=str)
        if unknown:
            raise InvalidInput(
                f"answers: {unknown[0]!r} is not a class; there are {listing(given)}"
            )
        return tuple(given)
    if not named:
        raise InvalidInput("answers: nobody named a label; every row is empty")
    try:
        return tuple(sorted(named))
    except TypeError:
        return tuple(sorted(named, key=lambda label: (str(type(label)), str(label))))
