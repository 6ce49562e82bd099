"""Files of the data folder: found, verified, recorded. Every use verifies first.

A flipped byte in a Parquet page loads without an error and with wrong values. So
nothing is parsed whose digest is not the one that was once found good.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from caveat._registry import Entry
from caveat.datasets._files import bytes_of, entries_of
from caveat.datasets.catalogue._row import SourceFile, plain
from caveat.datasets.home._manifest import NAME, read_manifest, write_manifest
from caveat.exceptions import DataError

if TYPE_CHECKING:
    from caveat.datasets._dataset import Dataset

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Found:
    """A file of a data set, as it lies in the data folder.

    `state` is ``good`` (its digest is pinned or recorded), ``new`` (nothing is known of
    it yet) or ``bad`` (it should have been `expected`).
    """

    file: SourceFile
    path: Path
    data: bytes
    sha256: str
    state: str
    expected: str


def folder_of(entry: Entry, file: SourceFile, home: Path) -> Path:
    """Return the folder in which a file of a data set lives."""
    return home / (file.folder or entry.name)


def place_of(entry: Entry, file: SourceFile, home: Path) -> Path:
    """Return where a file lies; case and punctuation of its name do not matter."""
    folder = folder_of(entry, file, home)
    exact = folder / file.name
    if exact.is_file() or not folder.is_dir():
        return exact
    wanted = plain(file.name)
    for path in entries_of(folder):
        if path.is_file() and plain(path.name) == wanted and path.name != NAME:
            return path
    return exact


def look(entry: Entry, home: Path, names: tuple[str, ...]) -> list[Found] | None:
    """Read and verify the named files of a data set; None if one is missing."""
    found = []
    for file in entry.facts["files"]:
        if file.name not in names:
            continue
        path = place_of(entry, file, home)
        if not path.is_file():
            return None
        found.append(_verified(file, path))
    return found


def _verified(file: SourceFile, path: Path) -> Found:
    data = bytes_of(path)
    digest = hashlib.sha256(data).hexdigest()
    return Found(file, path, data, digest, *judge(file, path, digest))


def judge(file: SourceFile, path: Path, digest: str) -> tuple[str, str]:
    """Tell the state of a file by its digest, and which digest was expected."""
    facts = read_manifest(path.parent).files.get(file.name, {})
    recorded = str(facts.get("sha256", ""))
    if facts.get("trusted") and recorded:
        return ("good" if digest == recorded else "bad"), recorded
    if file.sha256:
        return ("good" if digest in file.sha256 else "bad"), file.sha256[0]
    if recorded:
        return ("good" if digest == recorded else "bad"), recorded
    return "new", ""


def prove(entry: Entry, files: dict[str, bytes]) -> Dataset:
    """Load a data set from the bytes of its files; refuse what is not like its row."""
    from caveat.datasets.catalogue._checked import checked

    return checked(entry, entry.load()(files, **entry.params))


def record(
    entry: Entry,
    home: Path,
    digests: dict[str, str],
    dataset: Dataset,
    *,
    origins: dict[str, str],
    trusted: bool = False,
) -> None:
    """Write down that these files were found good."""
    content = ""
    if not all(file.sha256 for file in entry.facts["files"]) or trusted:
        from caveat.datasets._content import content_digest

        content = content_digest(dataset)
    for file in entry.facts["files"]:
        if file.name not in digests:
            continue
        folder = folder_of(entry, file, home)
        manifest = read_manifest(folder)
        digest = digests[file.name]
        manifest.files[file.name] = {
            "sha256": digest,
            "size": place_of(entry, file, home).stat().st_size,
            "origin": origins.get(file.name, ""),
            "trusted": trusted and digest not in file.sha256,
        }
        if content:
            manifest.contents[entry.name] = content
        write_manifest(folder, manifest)


def record_new(entry: Entry, home: Path, found: list[Found], dataset: Dataset) -> None:
    """Record files that somebody put into the data folder by hand."""
    if all(item.state == "good" for item in found):
        return
    digests = {item.file.name: item.sha256 for item in found}
    origins = dict.fromkeys(digests, "found in the data folder")
    try:
        record(entry, home, digests, dataset, origins=origins)
    except (DataError, OSError) as error:
        log.warning("digests of %s could not be recorded: %s", entry.name, error)


def recorded_content(entry: Entry, home: Path) -> str | None:
    """Return the digest of content that was recorded when the files were proved."""
    for file in entry.facts["files"]:
        content = read_manifest(folder_of(entry, file, home)).contents.get(entry.name)
        if content:
            return str(content)
    return None


def is_trusted(entry: Entry, home: Path) -> bool:
    """Tell whether a file was taken in although its digest is not the pinned one."""
    return any(
        read_manifest(folder_of(entry, file, home))
        .files.get(file.name, {})
        .get("trusted")
        for file in entry.facts["files"]
    )


def is_cached(entry: Entry, home: Path) -> bool:
    """Tell whether all files of a data set are there, without reading them."""
    files = {file.name: file for file in entry.facts.get("files", ())}
    forms = entry.facts.get("forms", ())
    if not files:
        return True
    return any(
        all(place_of(entry, files[name], home).is_file() for name in form)
        for form in forms
    )


def corrupted(entry: Entry, bad: Found) -> str:
    """Say that a file has changed, what was expected, and how to mend it."""
    remedy = (
        f"caveat data fetch --force {entry.name}"
        if bad.file.urls
        else f"caveat data import {entry.name} FILE"
    )
    return (
        f"{bad.path} is not the file it should be (SHA-256 {bad.sha256}, expected "
        f"{bad.expected}); to repair it, run: {remedy}"
    )


def missing(entry: Entry, home: Path) -> str:
    """Say what is missing, where it comes from, and where it goes."""
    files = {file.name: file for file in entry.facts["files"]}
    wanted = " or ".join(" and ".join(form) for form in entry.facts["forms"])
    folders = dict.fromkeys(
        str(folder_of(entry, files[name], home)) for name in entry.facts["forms"][0]
    )
    bring = f" {entry.facts['bring']}." if entry.facts["bring"] else ""
    return (
        f"data set {entry.name!r} is not here; it needs {wanted}, from "
        f"{entry.facts['source']}.{bring} Put what you have into "
        f"{' and '.join(folders)}, or run: caveat data import {entry.name} FILE..."
    )
