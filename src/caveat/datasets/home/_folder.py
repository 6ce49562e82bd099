"""The data folder as people use it: fetch into it, import into it, verify it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat._registry import Entry
from caveat.datasets._files import bytes_of, digest_of, existing
from caveat.datasets._load import find, find_registered, load
from caveat.datasets.catalogue._row import SourceFile, check_id, plain
from caveat.datasets.home._fetch import fetch_entry
from caveat.datasets.home._home import data_home as home_of
from caveat.datasets.home._imported import import_own, own_names
from caveat.datasets.home._lock import locked
from caveat.datasets.home._manifest import put_bytes
from caveat.datasets.home._store import folder_of, judge, look, place_of, prove, record
from caveat.datasets.registry import DATASETS
from caveat.exceptions import DataError, InvalidInput, listing

if TYPE_CHECKING:
    from caveat.datasets._dataset import Dataset


def fetch(
    name: str, *, data_home: str | Path | None = None, force: bool = False
) -> Dataset:
    """Fetch a data set into the data folder, and check it.

    Parameters
    ----------
    name : str
    data_home : path, optional
    force : bool
        Fetch it again even if it is there; the old files stay until the new ones are
        proved.

    Returns
    -------
    Dataset
    """
    entry = find(name, data_home=data_home)
    if not entry.facts.get("files"):
        return load(entry.name)
    return fetch_entry(entry, home_of(data_home), force=force)


def import_files(
    name: str,
    paths: Sequence[str | Path],
    *,
    data_home: str | Path | None = None,
    trust: bool = False,
    **options: Any,
) -> Dataset:
    """Take files of your own into the data folder.

    For a registered data set, they must be its files: the digest is checked where one
    is known, the shape always. Any other name makes a data set of your own, which
    `load` then finds by that name.

    Parameters
    ----------
    name : str
    paths : sequence of path
        A file, or all files that the data set is made of; a folder of pictures.
    data_home : path, optional
    trust : bool
        Take a file whose digest is not the published one, as another packing of the
        same data; its shape is checked all the same.
    **options
        How to read a file of your own; see `read`.

    Returns
    -------
    Dataset
    """
    check_id(name)
    home = home_of(data_home)
    if not paths:
        raise InvalidInput("name at least one file to import")
    places = [existing(path) for path in paths]
    entry = find_registered(name)
    if entry is None:
        return import_own(name, places, home, options)
    if options:
        raise InvalidInput(
            f"data set {name!r} is registered, so how it is read is known; leave out "
            f"{listing(options)}, or import under another name"
        )
    if not entry.facts.get("files"):
        raise InvalidInput(f"data set {entry.name!r} is embedded; it needs no files")
    return _import_known(entry, places, home, trust)


def _import_known(entry: Entry, places: list[Path], home: Path, trust: bool) -> Dataset:
    contents, origins = _assigned(entry, places, trust)
    form = next(
        (form for form in entry.facts["forms"] if set(form) <= set(contents)), None
    )
    with_others = dict(contents)
    if form is None:
        form = _completed(entry, home, with_others)
    chosen = {name: with_others[name] for name in form}
    dataset = prove(entry, chosen)
    digests = {}
    for file in entry.facts["files"]:
        if file.name in contents and file.name in form:
            folder = folder_of(entry, file, home)
            with locked(folder):
                put_bytes(folder / file.name, contents[file.name])
            digests[file.name] = hashlib.sha256(contents[file.name]).hexdigest()
    record(entry, home, digests, dataset, origins=origins, trusted=trust)
    return dataset


def _assigned(
    entry: Entry, places: list[Path], trust: bool
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Tell which given file is which file of the data set."""
    contents: dict[str, bytes] = {}
    origins: dict[str, str] = {}
    for place in places:
        data = _taken(entry, place)
        digest = hashlib.sha256(data).hexdigest()
        file = _slot(entry, place, digest)
        if file.sha256 and digest not in file.sha256 and not trust:
            raise DataError(
                f"{place} is not the published {file.name} (SHA-256 {digest}, expected "
                f"{file.sha256[0]}); if it is another packing of the same data, import "
                "it with --trust: its shape is checked all the same"
            )
        contents[file.name] = data
        origins[file.name] = f"imported from {place.name}"
    return contents, origins


def _slot(entry: Entry, place: Path, digest: str) -> SourceFile:
    files: tuple[SourceFile, ...] = entry.facts["files"]
    for file in files:
        if digest in file.sha256:
            return file
    for file in files:
        if plain(file.name) == plain(place.name):
            return file
    if len(files) == 1:
        return files[0]
    endings = [file for file in files if Path(file.name).suffix == place.suffix]
    if len(endings) == 1:
        return endings[0]
    raise InvalidInput(
        f"{place.name!r} is none of the files of data set {entry.name!r}; they are "
        f"called {listing(file.name for file in files)}"
    )


def _completed(entry: Entry, home: Path, contents: dict[str, bytes]) -> tuple[str, ...]:
    """Complete a form by files that are in the data folder already."""
    for form in entry.facts["forms"]:
        if not set(contents) & set(form):
            continue
        absent = tuple(name for name in form if name not in contents)
        found = look(entry, home, absent)
        if found is not None and all(item.state != "bad" for item in found):
            contents.update({item.file.name: item.data for item in found})
            return tuple(form)
    forms = [" and ".join(form) for form in entry.facts["forms"]]
    raise InvalidInput(
        f"data set {entry.name!r} needs {' or '.join(forms)}; name all of these files"
    )


def _taken(entry: Entry, place: Path) -> bytes:
    """Take the bytes of a file; pack a folder of pictures, or a table for OpenML."""
    size, number = entry.facts["image_size"], entry.facts["openml"]
    if place.is_dir() and size is None:
        raise InvalidInput(f"{place} is a folder; data set {entry.name!r} needs a file")
    if place.is_dir():
        from caveat.datasets.readers._images import packed_folder

        return packed_folder(place, size)
    if number is not None and place.name != entry.facts["files"][0].name:
        from caveat.datasets.sources._openml import snapshot_of_file

        return snapshot_of_file(place, entry.facts["target"])
    return bytes_of(place)


@dataclass(frozen=True)
class Checked:
    """What `verify` found of one file: ``good``, ``bad``, ``new`` or ``missing``."""

    dataset: str
    file: str
    state: str
    path: Path
    expected: str = ""
    found: str = ""


def verify(
    names: Iterable[str] = (), *, data_home: str | Path | None = None
) -> list[Checked]:
    """Verify the digests of files in the data folder; nothing is parsed or changed.

    Parameters
    ----------
    names : iterable of str
        Data sets; all that are there if none is named.
    data_home : path, optional

    Returns
    -------
    list of Checked
    """
    home = home_of(data_home)
    asked = [find(name, data_home=data_home) for name in names]
    chosen = asked or [
        *(entry for entry in DATASETS.values() if entry.facts.get("files")),
        *(find(name, data_home=data_home) for name in own_names(home)),
    ]
    report = []
    for entry in chosen:
        rows = [_check(entry, file, home) for file in entry.facts.get("files", ())]
        here = [row for row in rows if row.state != "missing"]
        report += (here or rows) if asked else here
    return report


def _check(entry: Entry, file: SourceFile, home: Path) -> Checked:
    path = place_of(entry, file, home)
    if not path.is_file():
        return Checked(entry.name, file.name, "missing", path)
    digest = digest_of(path)
    state, expected = judge(file, path, digest)
    return Checked(entry.name, file.name, state, path, expected, digest)
