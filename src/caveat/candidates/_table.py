"""A person's files with candidate labels: sets, annotators' columns, long answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from caveat.candidates._candidates import CandidateSets
from caveat.candidates._label_columns import label_columns, labels_of
from caveat.candidates.crowd import Answers
from caveat.candidates.crowd._long_table import ITEM
from caveat.datasets import (
    Dataset,
    bytes_of,
    existing,
    features_only,
    find_format,
    read,
    read_csv,
    read_parquet,
    unpacked,
)
from caveat.exceptions import InvalidInput, UnknownName, listing

SETS = "candidates"
"""Who named the labels of a column of sets: nobody in particular."""


@dataclass(frozen=True)
class CrowdTable:
    """Who said what of which item, and what else a file says of the items.

    Attributes
    ----------
    answers : Answers
        Of a column of sets, one answer per item.
    X : DataFrame
        Features of the items, in the order of `answers.items`; no column if there are
        none.
    truth : int array or None
        The true class of every item, -1 where it is not known.
    left_out : mapping of column to reason
        Columns that only name their rows, and so are no features.
    people : bool
        Whether it is known who said what.
    notes : list of str
    label_columns : sequence of str
        Columns that hold names of classes only: labels, so no features.
    """

    answers: Answers
    X: pd.DataFrame
    truth: np.ndarray | None
    left_out: Mapping[str, str] = field(default_factory=dict)
    people: bool = True
    notes: Sequence[str] = ()
    label_columns: Sequence[str] = ()

    @property
    def sets(self) -> CandidateSets:
        """All labels that anybody named of an item; all classes where nobody did."""
        named = self.answers.votes() > 0
        named[~named.any(axis=1)] = True
        return CandidateSets(named, self.answers.classes)


def read_candidates(
    data: str | Path | pd.DataFrame | Dataset | None = None,
    *,
    candidates: str | None = None,
    annotators: Sequence[str] = (),
    answers: str | Path | pd.DataFrame | None = None,
    truth: str | Path | pd.DataFrame | None = None,
    columns: Mapping[str, str | None] | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    separator: str = "|",
) -> CrowdTable:
    r"""Read candidate labels, such as ``cat|dog``, and what belongs to them.

    Parameters
    ----------
    data : path, DataFrame or Dataset, optional
        A table of items: CSV or Parquet; or a MATLAB file of partial labels.
    candidates : str, optional
        Its column with the sets.
    annotators : sequence of str
        Its columns with one person's labels each, instead; ``*`` stands for any text.
    answers : path or DataFrame, optional
        A long table instead: one row per answer. `data` then joins by the item; its
        other rows are items that nobody answered.
    truth : str, path or DataFrame, optional
        Column of `data` with the true label, or a table of item and truth.
    columns : mapping, optional
        Names of the columns ``item``, ``annotator`` and ``label``, where not usual.
    drop : sequence of str
        Columns that are no features.
    keep : sequence of str
        Columns that stay features, though they only date or name their rows, or hold
        names of classes.
    separator : str, default="|"
        Between the labels of a set.

    Returns
    -------
    CrowdTable

    Examples
    --------
    >>> pets = pd.DataFrame({"size": [3, 9, 4], "ann": ["cat", "dog", "fox"],
    ...                      "ben": ["cat|fox", "dog", None]})
    >>> found = read_candidates(pets, annotators=["ann", "ben"])
    >>> found.answers.classes, found.answers.per_item.tolist(), list(found.X.columns)
    (('cat', 'dog', 'fox'), [2, 2, 1], ['size'])
    """
    given = [bool(candidates), bool(annotators), answers is not None]
    names = dict(columns or {})
    if data is not None and sum(given) == 0:
        whole = _partial(data)
        if whole is not None:
            return _of_dataset(whole)
    if sum(given) != 1:
        there = "" if data is None else f"; there are {listing(_header(data))}"
        raise InvalidInput(
            "say which column holds the candidate labels (--candidates), or which "
            "columns hold one annotator's each (--annotators), or which file holds all "
            f"answers (--answers): one of the three{there}"
        )
    labelled: list[str] = []
    if answers is not None:
        long, again = _last_words(_long(answers, names, separator))
        frame, notes = _joined(data, long, names)
        long, notes = _with_silent(long, frame), [*notes, *again]
    else:
        if data is None:
            raise InvalidInput("pass the file that --candidates or --annotators names")
        frame, labelled, notes = _with_labels(data, candidates, annotators, truth)
        frame.index = _item_names(frame, names.get("item"))
        long = _melted(frame, labelled, bool(annotators), separator)
    given_truth, frame = _truth(truth, frame, names)
    classes = sorted({*_text_labels(long), *(given_truth or {}).values()})
    found = Answers.from_frame(
        long, item="item", annotator="annotator", label="label", classes=classes
    )
    if candidates is not None:
        _check_sets(str(candidates), found, separator)
    item = None if frame.empty else _item_column(frame, names.get("item"))
    apart = [*labelled, *drop, *([] if item is None else [item])]
    X = _of_items(frame, apart, found)
    labels = label_columns(X, found, keep, separator)
    X, left_out = _features(X.drop(columns=labels), keep, found)
    left_out |= dict.fromkeys(labels, "class names")
    if item is not None and item not in {*labelled, *drop}:
        left_out = {item: "identifier", **left_out}
    codes = None if given_truth is None else _true_codes(given_truth, found)
    return CrowdTable(found, X, codes, left_out, candidates is None, notes, labels)


def check_several(column: str, sets: Sequence[Sequence[str]], separator: str) -> None:
    """Refuse a column that never names two labels: those are no candidates."""
    if max(map(len, sets), default=0) == 1:
        example = next(found[0] for found in sets if found)
        raise InvalidInput(
            f"--candidates: column {column!r} names one label in every row, such as "
            f"{example!r}; several are written with {separator} between them, and a "
            "column of certain labels is a --target of caveat audit"
        )


def _check_sets(column: str, found: Answers, separator: str) -> None:
    empty = np.flatnonzero(found.per_item == 0)
    if len(empty):
        raise InvalidInput(
            f"--candidates: column {column!r} names no candidate in {len(empty):,} "
            f"rows (the first is {found.items[empty[0]]}); drop these rows or name all "
            "labels there"
        )
    names = [[found.classes[found.label[0]]]]
    check_several(column, names if found.largest == 1 else [["", ""]], separator)


def _partial(data: Any) -> Dataset | None:
    """Return data that has candidate sets of its own."""
    if isinstance(data, Dataset):
        return data if data.candidates is not None else None
    if isinstance(data, str | Path) and find_format(existing(data)) == "mat":
        return read(existing(data))
    return None


def _of_dataset(data: Dataset) -> CrowdTable:
    sets = np.asarray(data.candidates, dtype=bool)
    item, label = np.nonzero(sets)
    one = np.zeros(len(sets), dtype=np.intp)
    found = Answers(
        pd.Index(np.arange(len(sets)), name="item"),
        pd.Index([SETS], name="annotator"),
        tuple(str(name) for name in data.classes),
        *(np.arange(len(sets)), one, item, label),
    )
    truth = None
    if data.y is not None:
        place = {str(name): code for code, name in enumerate(data.classes)}
        truth = np.array([place.get(str(label), -1) for label in data.y])
    return CrowdTable(found, data.X, truth, data.left_out, False, list(data.notes))


def _frame(data: Any, text: Sequence[str] = ()) -> tuple[pd.DataFrame, list[str]]:
    """Read a table; the columns in `text` stay as they are written."""
    if isinstance(data, Dataset):
        target = [] if data.y is None else [data.y]
        return pd.concat([data.X, *target], axis=1), list(data.notes)
    if isinstance(data, pd.DataFrame):
        return data.rename(columns=str), []
    place = existing(data)
    form, content = find_format(place), bytes_of(place)
    if form == "csv":
        return read_csv(unpacked(content, str(place)), str(place), text=text)
    if form == "parquet":
        return read_parquet(content, str(place)), []
    raise InvalidInput(
        f"{place.name} is a {form} file; pass CSV, Parquet or a MATLAB file of partial "
        "labels"
    )


def _header(data: Any) -> list[str]:
    return [str(name) for name in _frame(data)[0].columns]


def _columns(frame: pd.DataFrame, patterns: Sequence[str]) -> list[str]:
    names = [str(name) for name in frame.columns]
    found: list[str] = []
    for pattern in patterns:
        hits = [name for name in names if fnmatchcase(name, pattern)]
        if not hits:
            raise UnknownName.among("column", pattern, names)
        found += [name for name in hits if name not in found]
    return found


def _item_column(frame: pd.DataFrame, given: str | None) -> str | None:
    """Find the column that names the items."""
    if given is not None:
        if given not in frame.columns:
            raise UnknownName.among("column", given, map(str, frame.columns))
        return given
    lower = {str(name).strip().lower(): str(name) for name in frame.columns}
    return next((lower[name] for name in ITEM if name in lower), None)


def _naming_column(frame: pd.DataFrame) -> str | None:
    """Find a column that is no feature because it names its rows."""
    roles = _whole(frame, 2).left_out
    return next((name for name, why in roles.items() if why == "identifier"), None)


def _whole(X: pd.DataFrame, classes: int, keep: Sequence[str] = ()) -> Dataset:
    """Take items whose labels may be any class, as every look reads a table."""
    sets = np.ones((len(X), classes), dtype=bool)
    items = Dataset(name="items", X=X, task="candidates", candidates=sets)
    return features_only(items, keep=keep)


def _item_names(frame: pd.DataFrame, given: str | None) -> pd.Index:
    """Name the rows of a table of items; by their numbers where nothing else does."""
    column = _item_column(frame, given) or _naming_column(frame)
    names = pd.RangeIndex(len(frame)) if column is None else frame[column].astype(str)
    twice = pd.Index(names)[pd.Index(names).duplicated()]
    if len(twice):
        if given is None:
            return pd.RangeIndex(len(frame))
        raise InvalidInput(
            f"column {column!r} names {str(twice[0])!r} twice; every item needs a row "
            "of its own"
        )
    return pd.Index(names, name="item")


def _melted(
    frame: pd.DataFrame, labelled: list[str], people: bool, separator: str
) -> pd.DataFrame:
    """Make a long table of one column per annotator, item by item."""
    parts = [
        pd.DataFrame(
            {
                "item": frame.index,
                "annotator": name if people else SETS,
                "label": [tuple(labels_of(cell, separator)) for cell in frame[name]],
            }
        )
        for name in labelled
    ]
    long = pd.concat(parts, ignore_index=True)
    order = np.argsort(np.tile(np.arange(len(frame)), len(parts)), kind="stable")
    return long.iloc[order].reset_index(drop=True)


def _long(
    answers: Any, names: Mapping[str, str | None], separator: str
) -> pd.DataFrame:
    from caveat.candidates.crowd._long_table import ANNOTATOR, LABEL, find_column

    first, _ = _frame(answers)
    found = {
        what: str(find_column(first, names.get(what), known, what))
        for what, known in (("item", ITEM), ("annotator", ANNOTATOR), ("label", LABEL))
    }
    frame, _ = _frame(answers, list(found.values()))
    cells = frame[found["label"]]
    lists = cells.map(lambda cell: isinstance(cell, list | set | np.ndarray))
    cells = cells.mask(lists, cells[lists].map(lambda cell: tuple(sorted(cell))))
    # Few distinct cells, many rows: every distinct cell is read once.
    known = {cell: tuple(labels_of(cell, separator)) for cell in cells.unique()}
    return pd.DataFrame(
        {
            "item": _as_text(frame[found["item"]]),
            "annotator": _as_text(frame[found["annotator"]]),
            "label": cells.map(known),
        }
    )


def _last_words(long: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Keep the last answer of somebody who answered an item more than once."""
    whole = long["item"].notna() & long["annotator"].notna()
    twice = long.duplicated(["item", "annotator"], keep="last") & whole
    many = int(twice.sum())
    if not many:
        return long, []
    were = "answer was" if many == 1 else "answers were"
    note = f"{many:,} {were} given again by the same person: the last one counts"
    return long[~twice].reset_index(drop=True), [note]


def _as_text(column: pd.Series) -> pd.Series:
    whole = column.astype(str).str.strip()
    return whole.mask(column.isna() | (whole == ""))


def _text_labels(long: pd.DataFrame) -> set[str]:
    return {label for cell in long["label"].unique() for label in cell}


def _joined(
    data: Any, long: pd.DataFrame, names: Mapping[str, str | None]
) -> tuple[pd.DataFrame, list[str]]:
    """Find the rows of the items that were answered."""
    items = long["item"].dropna().unique()
    if data is None:
        return pd.DataFrame(index=items), []
    frame, notes = _frame(data)
    column = _item_column(frame, names.get("item"))
    if column is None:
        raise InvalidInput(
            f"no column of the items is called {' or '.join(ITEM)}; name the one that "
            "--answers refers to with --item-column"
        )
    frame, notes = _frame(data, [column])
    frame.index = _item_names(frame, column)
    missing = [item for item in items if item not in frame.index]
    if missing:
        raise InvalidInput(
            f"{len(missing):,} items of the answers are not in the file, such as "
            f"{missing[0]!r}; --item-column names the column that joins them"
        )
    return frame, notes


def _with_silent(long: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Add the items of the file that nobody answered, without a label."""
    silent = frame.index.difference(pd.Index(long["item"]), sort=False)
    if not len(silent):
        return long
    # An answer without a label counts for nobody.
    anybody = next(iter(long["annotator"].dropna()), None)
    empty = [() for _ in silent]
    rows = pd.DataFrame({"item": silent, "annotator": anybody, "label": empty})
    return pd.concat([long, rows], ignore_index=True)


def _with_labels(
    data: Any, candidates: str | None, annotators: Sequence[str], truth: Any
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Read a table whose columns hold labels; give it, these columns, and notes."""
    named = [candidates, *annotators, truth]
    frame, _ = _frame(data, [str(name) for name in named if name is not None])
    labelled = _columns(frame, annotators or [str(candidates)])
    asked = [*labelled, *([truth] if isinstance(truth, str) else [])]
    # Read again, so that codes such as 007 and words such as NA stay labels.
    frame, notes = _frame(data, [name for name in asked if name in frame.columns])
    return frame, labelled, notes


def _true_codes(truth: Mapping[Any, str], found: Answers) -> NDArray[np.int64]:
    """Give every item the number of its true class, -1 where nobody knows it."""
    place = {label: code for code, label in enumerate(found.classes)}
    codes = np.array([place.get(truth.get(i, ""), -1) for i in found.items])
    if truth and (codes < 0).all():
        raise InvalidInput(
            f"--truth: none of its {len(truth):,} items, such as "
            f"{str(next(iter(truth)))!r}, is among the "
            f"{len(found.items):,} that were answered"
        )
    return codes


def _truth(
    truth: Any, frame: pd.DataFrame, names: Mapping[str, str | None]
) -> tuple[dict[Any, str] | None, pd.DataFrame]:
    """Return the true label by item, and the table without it."""
    if truth is None:
        return None, frame
    if isinstance(truth, str) and truth in frame.columns:
        cells, rest = frame[truth], frame.drop(columns=truth)
    elif isinstance(truth, pd.DataFrame) or Path(truth).suffix:
        other, _ = _frame(truth)
        other, _ = _frame(truth, [str(name) for name in other.columns])
        column = _item_column(other, names.get("item")) or str(other.columns[0])
        rest_of = [name for name in other.columns if str(name) != column]
        named = next((n for n in rest_of if str(n).lower() == "truth"), rest_of[:1])
        if not len(rest_of):
            raise InvalidInput("--truth: the file has one column; pass item and truth")
        label = named if isinstance(named, str) else named[0]
        cells = pd.Series(other[label].to_numpy(), index=_as_text(other[column]))
        rest = frame
        cells.index = _row_numbers(cells.index, frame.index)
    else:
        raise UnknownName.among("column", truth, map(str, frame.columns))
    found = {item: labels_of(cell, "\0") for item, cell in cells.items()}
    return {item: label[0] for item, label in found.items() if label}, rest


def _row_numbers(given: pd.Index, items: pd.Index) -> pd.Index:
    """Read items as numbers of rows, where that is what names them."""
    numbers = isinstance(items, pd.RangeIndex)
    if not numbers and given.isin(items).any():
        return given
    rows = [int(i) if str(i).isdigit() and int(i) < len(items) else None for i in given]
    pairs = zip(given, rows, strict=True)
    return pd.Index([i if row is None else items[row] for i, row in pairs])


def _of_items(
    frame: pd.DataFrame, apart: Sequence[str], found: Answers
) -> pd.DataFrame:
    """Give the other columns of the items, in the order of the answers."""
    unknown = [name for name in apart if name not in frame.columns]
    if unknown:
        raise UnknownName.among("column", unknown[0], map(str, frame.columns))
    return frame.drop(columns=list(dict.fromkeys(apart))).reindex(found.items)


def _features(
    X: pd.DataFrame, keep: Sequence[str], found: Answers
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Keep what tells of an item; ids, file names, dates and distinct text do not."""
    if X.empty:
        return X.reset_index(drop=True), {}
    items = _whole(X, len(found.classes), keep)
    return items.X, dict(items.left_out)
