"""What a study file writes where it means data: a name, or a file with options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat.datasets._files import existing, find_format
from caveat.datasets._load import find, load
from caveat.exceptions import InvalidInput, UnknownName

if TYPE_CHECKING:
    from caveat.datasets._dataset import Dataset

Reference = str | Mapping[str, Any]

# The options of `read`, here as well so that checking a study file stays cheap.
READ_OPTIONS = (
    "target",
    "targets",
    "format",
    "kinds",
    "task",
    "name",
    "drop",
    "groups",
    "order",
    "separator",
    "decimal",
    "encoding",
    "columns",
    "missing",
    "labels",
    "fields",
    "transposed",
    "image_size",
    "sample",
    "sample_seed",
)


def check_reference(
    reference: Reference, *, data_home: str | Path | None = None
) -> None:
    """Refuse a reference that cannot be meant, without reading any data.

    Parameters
    ----------
    reference : str or mapping
        A name that `available` lists, or a mapping with the key ``file``, options of
        `read`, and ``keep``: columns that stay features though they only date or name
        their rows. Hyphens in the options stand for underscores.
    data_home : path, optional

    Examples
    --------
    >>> check_reference("irsi")
    Traceback (most recent call last):
    ...
    caveat.exceptions.UnknownName: no data set is called 'irsi'; did you mean 'iris'?
    """
    if isinstance(reference, str):
        find(reference, data_home=data_home)
        return
    path, options = parts(reference)
    find_format(existing(path), options.get("format"))


def parts(reference: object) -> tuple[str, dict[str, Any]]:
    """Part a file reference into the path and its options."""
    if not isinstance(reference, Mapping) or not isinstance(reference.get("file"), str):
        raise InvalidInput(
            f"{reference!r} is neither the name of a data set nor "
            "{file: ..., target: ...}"
        )
    options = {}
    for key, value in reference.items():
        option = str(key).replace("-", "_")
        if option == "file":
            continue
        known = (*READ_OPTIONS, "keep")
        if option not in known:
            raise UnknownName.among("option of a data file", key, known)
        options[option] = value
    return reference["file"], options


def resolve(reference: Reference, *, data_home: str | Path | None = None) -> Dataset:
    """Load what a reference stands for, with every column; see `referred`.

    Parameters
    ----------
    reference : str or mapping
        See `check_reference`.
    data_home : path, optional

    Returns
    -------
    Dataset

    Examples
    --------
    >>> resolve("iris")
    Dataset('iris', multiclass, 150 rows x 4 columns, 3 classes)
    """
    if isinstance(reference, str):
        return load(reference, data_home=data_home)
    from caveat.datasets._read import read

    path, options = parts(reference)
    options.pop("keep", None)
    return read(path, **options)


def describe(
    reference: Reference, *, data_home: str | Path | None = None
) -> dict[str, Any]:
    """Say what a data set is like: name, task, rows, columns, classes, and so on.

    A registered data set is described by its row, without loading it.

    Parameters
    ----------
    reference : str or mapping
        See `check_reference`.
    data_home : path, optional

    Returns
    -------
    dict
        ``name, summary, task, rows, columns, classes, source, licence``.

    Examples
    --------
    >>> describe("iris")["task"]
    'multiclass'
    """
    if isinstance(reference, str):
        entry = find(reference, data_home=data_home)
        facts = ("task", "rows", "columns", "classes", "source", "licence")
        known = {fact: entry.facts.get(fact) for fact in facts}
        return {"name": entry.name, "summary": entry.summary, **known}
    dataset = resolve(reference, data_home=data_home)
    return {
        "name": dataset.name,
        "summary": "",
        "task": dataset.task,
        "rows": len(dataset),
        "columns": dataset.X.shape[1],
        "classes": len(dataset.classes) or None,
        "source": dataset.source,
        "licence": dataset.licence,
    }
