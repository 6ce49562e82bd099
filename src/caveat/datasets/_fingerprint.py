"""The digest that stands for a data set's content in a trial key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from caveat.datasets._load import find, load

_VERSION = 1


def fingerprint(
    reference: str | Mapping[str, Any], *, data_home: str | Path | None = None
) -> str:
    """Digest what a reference stands for.

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
        entry = find(reference)
        return _digest({"data set": entry.name, "content": _content(entry.name)})
    raise NotImplementedError


def _content(name: str) -> str:
    entry = find(name)
    if entry.facts.get("content"):
        return str(entry.facts["content"])
    from caveat.datasets._content import content_digest

    return content_digest(load(name))


def _digest(parts: Mapping[str, Any]) -> str:
    text = json.dumps({"version": _VERSION, **parts}, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
