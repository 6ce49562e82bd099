"""Data sets that a person brought into the data folder under a name of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caveat._registry import Entry
from caveat.datasets._files import FORMATS, bytes_of, companion, entries_of, find_format
from caveat.datasets.catalogue._row import SourceFile, check_id, row
from caveat.datasets.home._lock import locked
from caveat.datasets.home._manifest import (
    Manifest,
    put_bytes,
    read_manifest,
    write_manifest,
)
from caveat.exceptions import DataError, InvalidInput

if TYPE_CHECKING:
    from caveat.datasets._dataset import Dataset

OWN = "caveat.datasets.home._imported:load_own"


def own_names(home: Path) -> list[str]:
    """List the data sets that were brought into the data folder."""
    if not home.is_dir():
        return []
    return sorted(
        folder.name
        for folder in entries_of(home)
        if folder.is_dir() and read_manifest(folder).own is not None
    )


def own_entry(name: str, home: Path) -> Entry | None:
    """Make a registry row of a data set in the data folder, or None if it has none."""
    manifest = read_manifest(home / name)
    own = manifest.own
    if own is None or own.get("format") not in FORMATS or not manifest.files:
        return None
    facts = own.get("facts", {})
    files = [
        SourceFile(name=file, sha256=(str(manifest.files[file].get("sha256", "")),))
        for file in own.get("files", [])
        if file in manifest.files
    ]
    return row(
        check_id(name),
        OWN,
        task=str(facts.get("task", "")),
        rows=facts.get("rows"),
        columns=facts.get("columns"),
        classes=facts.get("classes"),
        source="a file of your own",
        licence="",
        files=files,
        bring="It was imported from a file of your own",
        params={"form": own["format"], "options": own.get("options", {})},
    )


def load_own(
    files: Mapping[str, bytes], *, form: str, options: Mapping[str, Any]
) -> Dataset:
    """Load it as files of the catalogue are, in the format it was imported in."""
    from caveat.datasets.sources._loaders import load_file

    return load_file(files, form=form, **options)


def import_own(
    name: str, places: list[Path], home: Path, options: Mapping[str, Any]
) -> Dataset:
    """Take one file (and its companion) into the data folder; see `import_files`."""
    if len(places) != 1:
        raise InvalidInput(
            f"{len(places)} files for a new data set; name one, its companion is given "
            "by labels= or found beside it"
        )
    place = places[0]
    form = find_format(place, options.get("format"))
    settings = {k: v for k, v in options.items() if k != "format" and v is not None}
    parts = {place.name: place}
    if form == "images":
        from caveat.datasets.readers._images import packed_folder

        content = {
            "pictures.npz": packed_folder(place, settings.pop("image_size", None))
        }
        form = "npz"
    else:
        if place.is_dir():
            raise DataError(f"{place} is a folder; a {form} file was expected")
        second = companion(place, form, settings.get("labels"))
        if second is not None:
            parts[second.name] = second
            settings.pop("labels", None)
        content = {file: bytes_of(path) for file, path in parts.items()}
    for file in content:
        check_id(file.replace(" ", "_"))
    dataset = replace(load_own(content, form=form, options=settings), name=name)
    manifest = Manifest(
        files={
            file: {
                "sha256": hashlib.sha256(data).hexdigest(),
                "size": len(data),
                "origin": f"imported from {place.name}",
            }
            for file, data in content.items()
        },
        own={
            "format": form,
            "files": list(content),
            "options": _plain_options(settings),
            "facts": {
                "task": dataset.task,
                "rows": len(dataset),
                "columns": dataset.X.shape[1],
                "classes": len(dataset.classes) or None,
            },
        },
    )
    with locked(home / name):
        for file, data in content.items():
            put_bytes(home / name / file, data)
        write_manifest(home / name, manifest)
    return dataset


def _plain_options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in options.items()
    }
