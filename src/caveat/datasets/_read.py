"""A person's own file as a data set."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from caveat.datasets._dataset import Dataset
from caveat.datasets._files import bytes_of, companion, existing, find_format
from caveat.datasets._parse import parse, parse_folder
from caveat.datasets._sample import check_sample, sampled_bytes, sampled_dataset
from caveat.exceptions import DataError


def read(
    path: str | Path,
    *,
    target: str | None = None,
    targets: Sequence[str] | None = None,
    format: str | None = None,
    kinds: Mapping[str, str] | None = None,
    task: str | None = None,
    name: str | None = None,
    drop: Sequence[str] = (),
    groups: str | None = None,
    order: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    columns: Sequence[str] | None = None,
    missing: Sequence[str] = (),
    labels: str | int | Sequence[str] | None = None,
    fields: Mapping[str, str] | None = None,
    transposed: bool = True,
    image_size: int | None = None,
    sample: int | None = None,
    sample_seed: int = 0,
) -> Dataset:
    r"""Read a file of your own.

    What could be meant in two ways is guessed and noted in `Dataset.notes`, or refused
    with a sentence that says how to decide; it is never mended in silence.

    Parameters
    ----------
    path : path
        CSV, Parquet, ARFF, MATLAB (partial labels), IDX, npz; or a folder that holds a
        folder of pictures per class. Text formats and IDX may be packed by gzip.
    target : str, optional
        The column to predict; the last one if nothing is said.
    targets : sequence of str, optional
        Several 0/1 columns to predict: many labels.
    format : {"csv", "parquet", "arff", "mat", "idx", "npz", "images"}, optional
        Told by the ending if not given.
    kinds : mapping of column to kind, optional
        ``numerical``, ``categorical`` or ``boolean``, where detection errs. Columns
        called categorical are read as text, so that codes keep their zeros.
    task : {"binary", "multiclass", "regression"}, optional
        Guessed from the target if not given.
    name : str, optional
        The file's name without ending if not given.
    drop : sequence of str
        Columns to leave out.
    groups, order : str, optional
        Columns that say which rows belong together, or in which order they came.
    separator, decimal, encoding : str, optional
        CSV: guessed if not given.
    columns : sequence of str, optional
        CSV: names of the columns of a file without a header line.
    missing : sequence of str
        CSV: more words that stand for a missing cell.
    labels : str, int or sequence of str, optional
        ARFF: MULAN's XML file, the names of the labels, or how many there are (the
        first ones if positive, the last if negative). IDX: the file of the labels.
        A file beside it with the usual name is found by itself.
    fields : mapping, optional
        MATLAB: names of the variables for ``data``, ``target``, ``candidates``.
    transposed : bool, default=True
        MATLAB: labels stand as classes x items.
    image_size : int, optional
        Pictures: cut to the central square and resize.
    sample, sample_seed : int, optional
        Read at most so many rows, picked at random. Large CSV and Parquet files are
        then never held whole in memory. That rows were left out is noted.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> file = folder / "loans.csv"
    >>> _ = file.write_text("age;income;default\n40;1,5;no\n31;2,5;NA\n")
    >>> loans = read(file, target="default")
    >>> loans.classes
    ('NA', 'no')
    >>> loans.notes
    ('fields are parted by a semicolon', "column 'income': the comma in '1,5' read...")
    """
    place = existing(path)
    form = find_format(place, format)
    options: dict[str, Any] = {
        "target": target,
        "targets": targets,
        "kinds": kinds,
        "task": task,
        "drop": drop,
        "groups": groups,
        "order": order,
        "separator": separator,
        "decimal": decimal,
        "encoding": encoding,
        "columns": columns,
        "missing": missing,
        "labels": labels,
        "fields": fields,
        "transposed": transposed,
        "image_size": image_size,
    }
    title = name or place.name.removesuffix(".gz")
    title = name or title.rpartition(".")[0] or title
    rows: int | None = None
    if form == "images":
        dataset = parse_folder(place, title, image_size)
    else:
        if place.is_dir():
            raise DataError(f"{place} is a folder; a {form} file was expected")
        second = companion(place, form, labels)
        smaller = None
        if sample is not None:
            check_sample(sample, sample_seed)
            smaller = sampled_bytes(
                place, form, sample, sample_seed, header=columns is None
            )
        content, rows = smaller if smaller is not None else (bytes_of(place), None)
        dataset = parse(
            content,
            str(path),
            form,
            name=title,
            second=None if second is None else bytes_of(second),
            second_name="" if second is None else second.name,
            **options,
        )
    if sample is not None and rows is None:
        check_sample(sample, sample_seed)
        dataset, rows = sampled_dataset(dataset, sample, sample_seed)
    notes = dataset.notes
    if rows is not None and rows > len(dataset):
        notes = (*notes, f"{len(dataset):,} of {rows:,} rows were read, at random")
    return dataclasses.replace(
        dataset, source=dataset.source or place.name, notes=notes
    )
