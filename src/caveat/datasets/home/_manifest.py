"""What is known of the files in one folder of the data home.

``manifest.json`` says for every file which bytes were once found good. It is written
whole or not at all, and a broken one only means that its files are checked anew.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caveat._files import read_plain, replacing
from caveat.exceptions import DataError

NAME = "manifest.json"
_VERSION = 1
_MOST_BYTES = 2**20


@dataclass
class Manifest:
    """The record of one folder.

    Attributes
    ----------
    files : dict
        File name to ``sha256``, ``size`` and ``origin``.
    contents : dict
        Data set to the digest of what was loaded from these files.
    own : dict or None
        How to read a data set that a person brought along; see `import_files`.
    """

    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    own: dict[str, Any] | None = None


def read_manifest(folder: Path) -> Manifest:
    """Read a folder's record; a missing or broken one is empty."""
    path = folder / NAME
    try:
        if path.stat().st_size > _MOST_BYTES:
            return Manifest()
        found = json.loads(read_plain(path))
    except (OSError, ValueError):
        return Manifest()
    if not isinstance(found, dict) or found.get("caveat") != _VERSION:
        return Manifest()
    files, contents = found.get("files"), found.get("contents")
    own = found.get("own")
    return Manifest(
        files=_only_dicts(files),
        contents=contents if isinstance(contents, dict) else {},
        own=own if isinstance(own, dict) else None,
    )


def _only_dicts(files: object) -> dict[str, dict[str, Any]]:
    if not isinstance(files, dict):
        return {}
    return {name: facts for name, facts in files.items() if isinstance(facts, dict)}


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a folder's record, whole or not at all."""
    text = json.dumps(
        {
            "caveat": _VERSION,
            "files": manifest.files,
            "contents": manifest.contents,
            "own": manifest.own,
        },
        indent=2,
        sort_keys=True,
    )
    put_bytes(folder / NAME, text.encode())


def put_bytes(path: Path, data: bytes) -> None:
    """Put a file in its place, whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as stream:
            stream.write(data)
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {error.strerror or error}"
        ) from error
