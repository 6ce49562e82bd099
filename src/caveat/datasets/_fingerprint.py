"""The digest that stands for a data set's content in a trial key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caveat._registry import Entry
from caveat.datasets._files import companion, digest_of, existing, find_format
from caveat.datasets._load import find, load
from caveat.datasets._reference import Reference, parts
from caveat.datasets.home._home import data_home as home_of
from caveat.datasets.home._imported import OWN
from caveat.datasets.home._store import is_trusted, recorded_content
from caveat.exceptions import InvalidInput

_VERSION = 1
_READER = 2  # counts up when other columns of a person's own file become features
_RECIPE = 1  # counts up when a reader gives other values for the same bytes

# Content of data sets that only their loader knows, by registry row. Rows are never
# taken out of a registry, so the row's identity is safe as a key.
_LOADED: dict[int, str] = {}


def fingerprint(reference: Reference, *, data_home: str | Path | None = None) -> str:
    """Digest what a reference stands for: content, and how it is read.

    The same on every machine. A file is digested with the options it is read by, not
    with its name or place; an embedded data set has its digest in the registry.

    Parameters
    ----------
    reference : str or mapping
        What a study file writes: a name, or ``{file: ..., target: ...}``.
    data_home : path, optional

    Returns
    -------
    str : SHA-256 in hexadecimal.

    Examples
    --------
    >>> fingerprint("xor") == fingerprint("XOR")
    True
    """
    if isinstance(reference, str):
        entry = find(reference, data_home=data_home)
        return _of_entry(entry, data_home)
    path, options = parts(reference)
    place = existing(path)
    form = find_format(place, options.get("format"))
    second = companion(place, form, options.get("labels"))
    digests = [digest_of(part) for part in (place, second) if part is not None]
    return of_files(digests, form, options)


def of_files(digests: list[str], form: str, options: Mapping[str, Any]) -> str:
    """Digest files by their digests and the options they are read by."""
    settings = {
        key: value
        for key, value in options.items()
        if key not in ("name", "format") and value not in (None, (), [], {})
    }
    if isinstance(settings.get("labels"), str):
        settings["labels"] = "companion"  # its bytes count, not its name
    content = {"files": digests, "format": form, "options": settings}
    return _digest({**content, "reader": _READER})


def _of_entry(entry: Entry, data_home: str | Path | None) -> str:
    facts, home = entry.facts, home_of(data_home)
    if facts.get("content"):
        return _digest({"content": facts["content"]})
    if entry.target == OWN:
        # The same bytes, read in the same way, are the same data under any name.
        digests = [file.sha256[0] for file in facts["files"]]
        return of_files(digests, entry.params["form"], entry.params["options"])
    files = facts.get("files", ())
    if files and all(file.sha256 for file in files) and not is_trusted(entry, home):
        # Every way to pack a pinned file holds the same content: name the first.
        pins = [file.sha256[0] for file in files]
        return _digest({"data set": entry.name, "files": pins})
    content = recorded_content(entry, home) if files else _LOADED.get(id(entry))
    if content is None:
        from caveat.datasets._content import content_digest

        content = content_digest(load(entry.name, data_home=data_home))
        _LOADED[id(entry)] = content
    return _digest({"content": content})


def _digest(parts_of_it: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(
            {"version": _VERSION, "recipe": _RECIPE, **parts_of_it},
            sort_keys=True,
            allow_nan=False,
            separators=(",", ":"),
        )
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"options of a data file must be plain text, numbers and lists: {error}"
        ) from error
    return hashlib.sha256(text.encode()).hexdigest()
