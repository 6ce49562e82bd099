"""What a row of the catalogue needs to know about a file or a loader, computed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from caveat.datasets._content import content_digest
from caveat.datasets._dataset import Dataset
from caveat.datasets._load import find, load
from caveat.datasets._read import read
from caveat.datasets.catalogue._checked import checked


def digest(what: str | Path, *, target: str | None = None) -> str:
    """Write the part of a catalogue row that can be computed, as TOML.

    Parameters
    ----------
    what : path or str
        A file, or the name of a data set that is registered already.
    target : str, optional
        The file's column to predict; with it the shape is told, not the digest alone.

    Returns
    -------
    str
        ``[files]`` with the SHA-256 of a file, ``[datasets]`` with task and shape, and
        ``content`` where a loader needs no file.

    Examples
    --------
    >>> print(digest("xor"))
    [datasets."xor"]
    task = "binary"
    rows = 400
    columns = 2
    classes = 2
    content = "d3a2a70871434b91273f9594a0a2f08897853788f413504d24ae587e5e97046f"
    """
    path = Path(what)
    if path.is_file():
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        # Text of JSON is text of TOML; it escapes what a terminal would obey.
        file = json.dumps(path.name)
        lines = [f"[files.{file}]", f'sha256 = ["{sha256}"]']
        if target is not None:
            dataset = read(path, target=target)
            lines += ["", *_shape(dataset), f"files = [{file}]"]
            lines += [f"column = {json.dumps(target)}"]
        return "\n".join(lines)
    entry = find(str(what))
    if entry.facts.get("files"):
        return "\n".join(_shape(load(entry.name)))
    # Not `load`: it refuses a row that lacks what is computed here.
    dataset = checked(entry, entry.make())
    content = content_digest(dataset)
    return "\n".join([*_shape(dataset), f'content = "{content}"'])


def _shape(dataset: Dataset) -> list[str]:
    rows, columns = dataset.X.shape
    lines = [f"[datasets.{json.dumps(dataset.name)}]", f'task = "{dataset.task}"']
    lines += [f"rows = {rows}", f"columns = {columns}"]
    return lines + ([f"classes = {len(dataset.classes)}"] if dataset.classes else [])
