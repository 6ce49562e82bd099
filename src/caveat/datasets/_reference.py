"""What a study file writes where it means data: a name, or a file with options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat.datasets._load import find, load
from caveat.exceptions import InvalidInput

if TYPE_CHECKING:
    from caveat.datasets._dataset import Dataset

Reference = str | Mapping[str, Any]


def check_reference(reference: Reference) -> None:
    """Refuse a reference that cannot be meant, without reading any data.

    Parameters
    ----------
    reference : str or mapping

    Examples
    --------
    >>> check_reference("irsi")
    Traceback (most recent call last):
    ...
    caveat.exceptions.UnknownName: no data set is called 'irsi'; did you mean 'iris'?
    """
    if isinstance(reference, str):
        find(reference)
        return
    raise InvalidInput(
        f"datasets: {reference!r} is neither a name nor {{file: ..., target: ...}}"
    )


def describe(
    reference: Reference, *, data_home: str | Path | None = None
) -> dict[str, Any]:
    """Say what a data set is like: task, rows, columns, classes, source, licence.

    A registered data set is described by its row, without loading it.

    Parameters
    ----------
    reference : str or mapping
    data_home : path, optional

    Returns
    -------
    dict

    Examples
    --------
    >>> describe("iris")["task"]
    'multiclass'
    """
    if isinstance(reference, str):
        entry = find(reference)
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


def resolve(reference: Reference, *, data_home: str | Path | None = None) -> Dataset:
    """Load what a reference stands for.

    Parameters
    ----------
    reference : str or mapping
        A name that `available` lists, or a mapping with the key ``file`` and the
        options of `read`.
    data_home : path, optional

    Returns
    -------
    Dataset
    """
    check_reference(reference)
    if isinstance(reference, str):
        return load(reference, data_home=data_home)
    raise InvalidInput("unreachable")
