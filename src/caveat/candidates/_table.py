"""A person's table with candidate labels in some of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from caveat.candidates._annotations import Annotations
from caveat.candidates._candidates import CandidateSets, Mask
from caveat.datasets import read
from caveat.datasets._files import bytes_of, existing, find_format
from caveat.datasets.readers._csv import read_csv
from caveat.datasets.readers._packed import unpacked
from caveat.datasets.readers._parquet import read_parquet
from caveat.exceptions import InvalidInput, UnknownName, listing


@dataclass(frozen=True)
class CandidateTable:
    """Features, candidate sets and whatever else a file says.

    Attributes
    ----------
    X : DataFrame
    sets : CandidateSets
    annotations : Annotations or None
        Where the file has a column per annotator.
    y : array of labels or None
        The truth, where the file has it.
    notes : list of str
    """

    X: pd.DataFrame
    sets: CandidateSets
    annotations: Annotations | None
    y: np.ndarray | None
    notes: list[str]


def read_candidates(
    path: str | Path,
    *,
    candidates: str | None = None,
    annotators: Sequence[str] = (),
    truth: str | None = None,
    drop: Sequence[str] = (),
    separator: str = "|",
    combine: str = "aggregate",
    count: int = 2,
) -> CandidateTable:
    r"""Read a table whose cells hold candidate labels, such as ``cat|dog``.

    Parameters
    ----------
    path : path
        CSV or Parquet; or a MATLAB file of partial labels, which needs no more.
    candidates : str, optional
        The column with the sets.
    annotators : sequence of str, optional
        Columns with one person's labels each, instead; ``*`` stands for any text.
    truth : str, optional
        Column with the true label, where it is known.
    drop : sequence of str
        Columns to leave out.
    separator : str, default="|"
        Between the labels of a set.
    combine : {"aggregate", "vaguest", "vote", "first", "majority"}
        How one set is made of several people's.
    count : int, default=2
        For "vote" and "first".

    Returns
    -------
    CandidateTable

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "pets.csv"
    >>> _ = file.write_text("size,anna,ben\n3,cat,cat|fox\n9,dog,dog\n4,fox,\n")
    >>> pets = read_candidates(file, annotators=["anna", "ben"])
    >>> pets.sets.classes, pets.sets.sizes.tolist(), list(pets.X.columns)
    (('cat', 'dog', 'fox'), [2, 1, 1], ['size'])
    """
    place = existing(path)
    form = find_format(place)
    if form == "mat":
        found = read(place)
        truth_values = None if found.y is None else found.y.to_numpy()
        sets = CandidateSets(found.candidates, found.classes)
        return CandidateTable(found.X, sets, None, truth_values, list(found.notes))
    asked = [name for name in (candidates, truth, *annotators) if name]
    frame, notes = _frame(place, form, asked)
    people = _columns(frame, annotators)
    if bool(people) == (candidates is not None):
        raise InvalidInput(
            "say which column holds the candidate labels (--candidates), or which "
            "columns hold one annotator's each (--annotators), not both; there are "
            f"{listing(frame.columns)}"
        )
    chosen = people or [str(candidates)]
    for name in [*chosen, *([truth] if truth else []), *drop]:
        if name not in frame.columns:
            raise UnknownName.among("column", name, map(str, frame.columns))
    # Read again, so that codes such as 007 and words such as NA stay labels.
    labelled = [*chosen, *([truth] if truth else [])]
    frame, notes = _frame(place, form, labelled)
    cells = [[labels_of(cell, separator) for cell in frame[name]] for name in chosen]
    y = None if truth is None else np.array([str(v).strip() for v in frame[truth]])
    known = {label for column in cells for cell in column for label in cell}
    classes = sorted(known | set([] if y is None else y.tolist()))
    X = frame.drop(columns=[*labelled, *drop])
    if not X.shape[1]:
        raise InvalidInput(
            f"{place.name} has no column left to learn from, besides "
            f"{listing(labelled)}"
        )
    annotations = None
    if people:
        annotations = _annotations(cells, classes)
        matrix: Mask = annotations.combine(combine, count=count)
        sets = CandidateSets(matrix, tuple(classes))
    else:
        sets = CandidateSets.from_sets(cells[0], classes)
        check_several(chosen[0], cells[0], separator)
    return CandidateTable(X, sets, annotations, y, notes)


def check_several(column: str, sets: Sequence[Sequence[str]], separator: str) -> None:
    """Refuse a column that never names two labels: those are no candidates."""
    if max(map(len, sets), default=0) == 1:
        example = next(found[0] for found in sets if found)
        raise InvalidInput(
            f"--candidates: column {column!r} names one label in every row, such as "
            f"{example!r}; several are written with {separator} between them, and a "
            "column of certain labels is a --target of caveat audit"
        )


def _frame(
    place: Path, form: str, labels: Sequence[str] = ()
) -> tuple[pd.DataFrame, list[str]]:
    data = bytes_of(place)
    if form == "csv":
        return read_csv(unpacked(data, str(place)), str(place), text=labels)
    if form == "parquet":
        return read_parquet(data, str(place)), []
    raise InvalidInput(
        f"{place.name} is a {form} file; pass CSV, Parquet or a MATLAB file of partial "
        "labels"
    )


def _columns(frame: pd.DataFrame, patterns: Sequence[str]) -> list[str]:
    names = [str(name) for name in frame.columns]
    found: list[str] = []
    for pattern in patterns:
        hits = [name for name in names if fnmatchcase(name, pattern)]
        if not hits:
            raise UnknownName.among("column", pattern, names)
        found += [name for name in hits if name not in found]
    return found


def labels_of(cell: Any, separator: str) -> list[str]:
    """Read the candidate labels of one cell; an empty one has none."""
    if cell is None or (isinstance(cell, float) and np.isnan(cell)) or cell is pd.NA:
        return []
    values = cell if isinstance(cell, list | tuple | set | np.ndarray) else None
    parts = str(cell).split(separator) if values is None else map(str, values)
    return [part.strip() for part in parts if part.strip()]


def _annotations(cells: list[list[list[str]]], classes: list[str]) -> Annotations:
    place = {label: code for code, label in enumerate(classes)}
    rows = [
        # Who gave nothing did not annotate the item.
        [[place[label] for label in person] for person in people if person]
        for people in zip(*cells, strict=True)
    ]
    return Annotations.from_lists(rows, len(classes))
