"""Data sets from the network: fetched, proved, and only then put in place."""

from __future__ import annotations

import filecmp
import hashlib
import logging
import secrets
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from caveat._files import sync_folder
from caveat._registry import Entry
from caveat.datasets._files import bytes_of
from caveat.datasets.catalogue._row import SourceFile
from caveat.datasets.home._download import download
from caveat.datasets.home._home import offline
from caveat.datasets.home._lock import locked
from caveat.datasets.home._manifest import put_bytes
from caveat.datasets.home._store import (
    Found,
    corrupted,
    folder_of,
    look,
    missing,
    place_of,
    prove,
    record,
    record_new,
)
from caveat.exceptions import CaveatError, DataError

if TYPE_CHECKING:
    from caveat.datasets._dataset import Dataset

log = logging.getLogger(__name__)
_ENDING = ".download"
_PAGE = (b"<!doctype html", b"<html")


def obtain(entry: Entry, home: Path) -> Dataset:
    """Load a data set from the data folder; fetch what is missing or broken, once."""
    found, broken = _from_folder(entry, home)
    if found is not None:
        return found
    if offline() or not _fetchable(entry, home):
        raise DataError(_hopeless(entry, home, broken))
    if broken is not None:
        log.warning("%s", corrupted(entry, broken))
    return fetch_entry(entry, home)


def _from_folder(entry: Entry, home: Path) -> tuple[Dataset | None, Found | None]:
    """Load from files that are there and good; else say which one is broken."""
    broken = None
    for form in entry.facts["forms"]:
        found = look(entry, home, form)
        if found is None:
            continue
        bad = [item for item in found if item.state == "bad"]
        if bad:
            broken = broken or bad[0]
            continue
        dataset = prove(entry, {item.file.name: item.data for item in found})
        record_new(entry, home, found, dataset)
        return dataset, None
    return None, broken


def _hopeless(entry: Entry, home: Path, broken: Found | None) -> str:
    if broken is not None:
        return corrupted(entry, broken)
    told = missing(entry, home)
    if _fetchable(entry, home):
        told += f" (or, with a network: caveat data fetch {entry.name})"
    return told


def _fetchable(entry: Entry, home: Path) -> tuple[str, ...] | None:
    """Return the first form all of whose files have an address, or are there."""
    files = {file.name: file for file in entry.facts["files"]}
    for form in entry.facts["forms"]:
        chosen = [files[name] for name in form]
        here = [place_of(entry, file, home).is_file() for file in chosen]
        if all(file.urls or at for file, at in zip(chosen, here, strict=True)):
            return tuple(form) if any(file.urls for file in chosen) else None
    return None


def fetch_entry(entry: Entry, home: Path, *, force: bool = False) -> Dataset:
    """Fetch a data set, unless a process before us has just done so.

    Files go beside their place first. They replace what was there only after their
    digest is right and the data set could be loaded from them.
    """
    form = _fetchable(entry, home)
    if form is None:
        raise DataError(missing(entry, home))
    files = [file for file in entry.facts["files"] if file.name in form]
    folders = sorted({folder_of(entry, file, home) for file in files})
    with ExitStack() as stack:
        for folder in folders:
            stack.enter_context(locked(folder))
        if not force:
            found, _ = _from_folder(entry, home)
            if found is not None:
                return found
        return _fetch_files(entry, home, files, force)


def _fetch_files(
    entry: Entry, home: Path, files: list[SourceFile], force: bool
) -> Dataset:
    contents: dict[str, bytes] = {}
    origins: dict[str, str] = {}
    parts: dict[str, Path] = {}
    try:
        for file in files:
            again = force and bool(file.urls)
            kept = None if again else look(entry, home, (file.name,))
            if kept and (kept[0].state == "good" or not file.urls):
                if kept[0].state == "bad":
                    raise DataError(corrupted(entry, kept[0]))
                contents[file.name] = kept[0].data
                continue
            part = _part(entry, file, home)
            parts[file.name] = part
            contents[file.name], origins[file.name] = _from_mirrors(entry, file, part)
        try:
            dataset = prove(entry, contents)
        except CaveatError as error:
            told = ", ".join(sorted(set(origins.values())))
            raise DataError(
                f"what was fetched from {told} is not data set {entry.name!r}: {error}"
            ) from error
        for file in files:
            if file.name in parts:
                path = folder_of(entry, file, home) / file.name
                _put(parts[file.name], path, place_of(entry, file, home))
        digests = {name: hashlib.sha256(contents[name]).hexdigest() for name in parts}
        record(entry, home, digests, dataset, origins=origins)
        return dataset
    finally:
        for part in parts.values():
            with suppress(OSError):  # the next fetch removes it
                part.unlink(missing_ok=True)


def _part(entry: Entry, file: SourceFile, home: Path) -> Path:
    """Name a file to download into, and remove what killed downloads have left.

    The folder is locked, so nobody else is downloading into it.
    """
    folder = folder_of(entry, file, home)
    with suppress(OSError):
        for left in folder.glob(f".{file.name}.*{_ENDING}"):
            left.unlink(missing_ok=True)
    return folder / f".{file.name}.{secrets.token_hex(8)}{_ENDING}"


def _put(part: Path, path: Path, old: Path) -> None:
    """Put a proved file in its place; what was wrong there is set aside, not lost."""
    try:
        if old.is_file() and not filecmp.cmp(old, part, shallow=False):
            old.replace(path.with_name(path.name + ".replaced"))
        part.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {error.strerror or error}"
        ) from error


def _from_mirrors(entry: Entry, file: SourceFile, part: Path) -> tuple[bytes, str]:
    """Try one address after the other; give the content and where it came from."""
    if offline():
        raise DataError(
            f"{file.name} is not fetched, CAVEAT_OFFLINE forbids the network; "
            f"{missing(entry, part.parent.parent)}"
        )
    failures = []
    for url in file.urls:
        try:
            log.info("fetching %s from %s", file.name, url)
            return _content(file, url, part), url
        except DataError as error:
            failures.append(f"{url}: {error}")
    home = part.parent.parent
    raise DataError(
        f"{file.name} could not be fetched ({'; '.join(failures)}); "
        f"{missing(entry, home)}"
    )


def _content(file: SourceFile, url: str, part: Path) -> bytes:
    if url.startswith("openml:"):
        from caveat.datasets.sources._openml import openml_snapshot

        content = openml_snapshot(int(url.removeprefix("openml:")))
        put_bytes(part, content)
        return content
    download(url, part, limit=file.size_limit)
    content = bytes_of(part)
    if file.md5 and hashlib.md5(content, usedforsecurity=False).hexdigest() != file.md5:
        raise DataError(f"its MD5 is not {file.md5}{_page(content)}")
    if file.unpack:
        from caveat.datasets.readers._packed import unpacked

        content = unpacked(content, file.name, 8 * file.size_limit)
        put_bytes(part, content)
    digest = hashlib.sha256(content).hexdigest()
    if file.sha256 and digest not in file.sha256:
        raise DataError(
            f"its SHA-256 is {digest}, not {file.sha256[0]}{_page(content)}"
        )
    if _page(content):
        raise DataError("the server sent a web page instead of the file")
    return content


def _page(content: bytes) -> str:
    begins = content[:512].lstrip().lower()
    return " (the server sent a web page)" if begins.startswith(_PAGE) else ""
