"""Data sets by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat._registry import Entry
from caveat.datasets.catalogue._row import check_id, plain, row
from caveat.datasets.home._home import data_home as home_of
from caveat.datasets.home._imported import own_entry, own_names
from caveat.datasets.home._store import is_cached
from caveat.datasets.registry import DATASETS
from caveat.exceptions import DataError, InvalidInput, UnknownName

if TYPE_CHECKING:
    import pandas as pd

    from caveat.datasets._dataset import Dataset


def find(name: str, *, data_home: str | Path | None = None) -> Entry:
    """Find a row by its name, however it is spelt: ``CAL500`` is ``cal500``.

    Data sets that were imported into the data folder are found too.

    Examples
    --------
    >>> find("Breast-Cancer").name
    'breast_cancer'
    """
    entry = find_registered(name)
    if entry is not None:
        return entry
    home = home_of(data_home)
    own = own_entry(name, home)
    if own is not None:
        return own
    raise UnknownName.among("data set", name, [*DATASETS, *own_names(home)])


def find_registered(name: str) -> Entry | None:
    """Find a row of the registry, or None."""
    check_id(name)
    if name in DATASETS:
        return DATASETS[name]
    spelt = {plain(known): known for known in DATASETS}
    return DATASETS[spelt[plain(name)]] if plain(name) in spelt else None


def load(name: str, *, data_home: str | Path | None = None) -> Dataset:
    """Load a data set by name.

    What is not embedded is fetched once, checked, and kept in the data folder.

    Parameters
    ----------
    name : str
        A name that `available` lists; case, ``-`` and ``_`` do not matter.
    data_home : path, optional
        The data folder; by default the environment variable ``CAVEAT_DATA``, else the
        user's cache folder.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> load("wine")
    Dataset('wine', multiclass, 178 rows x 13 columns, 3 classes)
    >>> load("wien")
    Traceback (most recent call last):
    ...
    caveat.exceptions.UnknownName: no data set is called 'wien'; did you mean 'wine'?
    """
    entry = find(name, data_home=data_home)
    if entry.facts.get("files"):
        from caveat.datasets.home._fetch import obtain

        return obtain(entry, home_of(data_home))
    if entry.facts.get("content") == "":
        raise DataError(
            f"the row of data set {entry.name!r} states no digest of its content; run "
            f"caveat data digest {entry.name} and add what it prints"
        )
    from caveat.datasets.catalogue._checked import checked

    return checked(entry, entry.make())


def available(*, data_home: str | Path | None = None) -> pd.DataFrame:
    """List the data sets.

    Parameters
    ----------
    data_home : path, optional
        The data folder in which to look for files.

    Returns
    -------
    DataFrame
        ``name, task, rows, columns, source, cached``; cached means: needs no network.

    Examples
    --------
    >>> available().query("task == 'regression' and cached").name.tolist()
    ['diabetes', 'friedman']
    """
    import pandas as pd

    home = home_of(data_home)
    own = [find(name, data_home=home) for name in own_names(home)]
    rows = [
        {
            "name": entry.name,
            "task": entry.facts.get("task"),
            "rows": entry.facts.get("rows"),
            "columns": entry.facts.get("columns"),
            "source": entry.facts.get("source", ""),
            "cached": is_cached(entry, home),
        }
        for entry in [*DATASETS.values(), *own]
    ]
    return pd.DataFrame(rows).astype({"rows": "Int64", "columns": "Int64"})


def register(
    name: str,
    loader: Callable[[], Any] | str,
    *,
    task: str,
    rows: int | None = None,
    columns: int | None = None,
    classes: int | None = None,
    source: str = "",
    licence: str = "",
    summary: str = "",
    notes: tuple[str, ...] = (),
) -> None:
    """Add a data set of your own, for this process.

    Parameters
    ----------
    name : str
        Letters, digits, ``.``, ``_``, ``-``.
    loader : callable or str
        Takes nothing and gives a `Dataset` or a pair (X, y); or its address,
        ``package.module:function``.
    task : str
    rows, columns, classes : int, optional
        What it must be like; a mismatch is refused.
    source, licence, summary : str
    notes : tuple of str

    Examples
    --------
    >>> import pandas as pd
    >>> def tiny():
    ...     return pd.DataFrame({"a": [1, 2, 3, 4]}), ["no", "no", "yes", "yes"]
    >>> register("tiny-example", tiny, task="binary")
    >>> load("tiny-example").classes
    ('no', 'yes')
    """
    check_id(name)
    if plain(name) in {plain(known) for known in DATASETS}:
        raise InvalidInput(
            f"data set {name!r} is registered already; choose another name"
        )
    target = loader if isinstance(loader, str) else "caveat.datasets._load:_call"
    params = {} if isinstance(loader, str) else {"loader": loader}
    DATASETS.add(
        row(
            name,
            target,
            task=task,
            rows=rows,
            columns=columns,
            classes=classes,
            source=source,
            licence=licence,
            summary=summary,
            notes=notes,
            params=params,
        )
    )


def _call(loader: Callable[[], Any]) -> Any:
    return loader()
