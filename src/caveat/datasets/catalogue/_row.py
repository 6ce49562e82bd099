"""How a row of the data set registry is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from caveat._registry import Entry
from caveat.exceptions import InvalidInput

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
# Names that some file systems keep for devices, with or without an ending.
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def check_id(name: object) -> str:
    """Return a data set's id, or refuse what could not be a folder's name.

    Examples
    --------
    >>> check_id("yahoo-news")
    'yahoo-news'
    >>> check_id("../../x")
    Traceback (most recent call last):
    ...
    caveat.exceptions.InvalidInput: '../../x' cannot name a data set; use letters, ...
    """
    text = str(name)
    if not _ID.fullmatch(text) or _DEVICES.fullmatch(text) or text.endswith("."):
        shown = text if len(text) <= 40 else text[:40] + "..."
        raise InvalidInput(
            f"{shown!r} cannot name a data set; use letters, digits, '.', '_' and '-', "
            "begin with a letter or digit, at most 128 of them"
        )
    return text


def plain(name: str) -> str:
    """Spell a name without case and punctuation, to find it however it is typed.

    Examples
    --------
    >>> plain("Yahoo! News") == plain("yahoo-news") == plain("YahooNews")
    True
    """
    return re.sub(r"[\s!_.-]+", "", name).lower()


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A file that a data set is made of.

    Attributes
    ----------
    name : str
        What it is called in the data folder.
    urls : tuple of str
        Where it can be fetched, best first; empty means: bring your own.
    sha256 : tuple of str
        Digests known to hold this content (several packings may). Empty means that
        none could be confirmed: the digest is recorded at the first fetch, after the
        content was checked.
    md5 : str or None
        The digest its publisher states, checked too.
    size_limit : int
        More bytes than this are never downloaded.
    folder : str
        Which folder of the data home it lives in, if several data sets share it; the
        data set's own name if empty.
    unpack : bool
        It is fetched packed by gzip and kept unpacked; digests are of what is kept.
    """

    name: str
    urls: tuple[str, ...] = ()
    sha256: tuple[str, ...] = ()
    md5: str | None = None
    size_limit: int = 64 * 2**20
    folder: str = ""
    unpack: bool = False


def row(
    name: str,
    target: str,
    *,
    task: str,
    rows: int | None,
    columns: int | None,
    source: str,
    licence: str,
    summary: str = "",
    display: str = "",
    paper: str = "",
    classes: int | None = None,
    column: str | None = None,
    files: Iterable[SourceFile] = (),
    forms: Iterable[Iterable[str]] = (),
    openml: int | None = None,
    content: str | None = None,
    bring: str = "",
    image_size: int | None = None,
    notes: Iterable[str] = (),
    params: Mapping[str, Any] | None = None,
) -> Entry:
    """Write one row of the registry.

    Parameters
    ----------
    name, target, summary, display, paper, params
        See `Entry`. The loader is called with the bytes of the files by name, if
        there are any, and with `params`.
    task, rows, columns, classes
        What a loaded data set must be like; anything else is refused.
    source, licence : str
        For people: where it comes from, what its owners allow.
    column : str, optional
        Name of the target column.
    files : iterable of SourceFile
        What it is made of.
    forms : iterable of iterable of str
        Which files suffice; all of them together if nothing is said.
    openml : int, optional
        Number of the data set on OpenML.
    content : str, optional
        Digest of the content, for what is embedded or generated.
    bring : str
        How to get a file that cannot be fetched, and what it must hold.
    image_size : int, optional
        It can be imported as a folder of pictures, cut to squares of this size.
    notes : iterable of str
        Known traps; they end in `Dataset.notes`.
    """
    listed = tuple(files)
    facts = {
        "task": task,
        "rows": rows,
        "columns": columns,
        "classes": classes,
        "target": column,
        "source": source,
        "licence": licence,
        "files": listed,
        "forms": tuple(tuple(form) for form in forms)
        or ((tuple(file.name for file in listed),) if listed else ()),
        "openml": openml,
        "content": content,
        "bring": bring,
        "image_size": image_size,
        "notes": tuple(notes),
    }
    return Entry(
        name=check_id(name),
        target=target,
        summary=summary,
        display=display,
        paper=paper,
        params=dict(params or {}),
        facts=facts,
        tasks=(task,),
    )
