"""The catalogue of data sets: rows of TOML files, checked and turned into entries.

A file has three kinds of tables. ``[datasets.NAME]`` is a data set. Its ``like`` names
a ``[common.NAME]`` table of the same file, whose values hold wherever the row says
nothing itself. ``[files."NAME"]`` tells where a file comes from and its digests, for
every row that lists it under ``files``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from inspect import signature
from pathlib import Path
from typing import Any

from caveat._registry import Entry
from caveat.datasets.catalogue._row import SourceFile, row
from caveat.exceptions import InvalidInput

LOAD_FILE = "caveat.datasets.sources._loaders:load_file"
"""What reads a row without ``loader``: one file, by its ending."""

_KEYS = {*signature(row).parameters, "loader", "options"} - {"name", "target", "params"}
_FILE_KEYS = {field.name for field in fields(SourceFile)} - {"name"}
_NEEDED = ("task", "source", "licence", "summary")


def read_catalogue(paths: Iterable[Path]) -> list[Entry]:
    """Read catalogue files; a row of one may list a file that another describes."""
    tables = {path.name: _table(path) for path in paths}
    files = {
        name: _file(place, name, facts)
        for place, table in tables.items()
        for name, facts in table.get("files", {}).items()
    }
    return [
        _entry(place, name, values, table.get("common", {}), files)
        for place, table in tables.items()
        for name, values in table.get("datasets", {}).items()
    ]


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{path.name} is not TOML: {error}") from error


def _file(place: str, name: str, facts: Mapping[str, Any]) -> SourceFile:
    _known(f"{place}: file {name!r}", facts, _FILE_KEYS)
    lists = {key: tuple(facts[key]) for key in ("urls", "sha256") if key in facts}
    return SourceFile(name=name, **{**facts, **lists})


def _entry(
    place: str,
    name: str,
    values: Mapping[str, Any],
    common: Mapping[str, Mapping[str, Any]],
    files: Mapping[str, SourceFile],
) -> Entry:
    who = f"{place}: data set {name!r}"
    own = dict(values)
    like = own.pop("like", None)
    if like is not None and like not in common:
        raise InvalidInput(f"{who} is like {like!r}, but there is no [common.{like}]")
    facts = {**common.get(like, {}), **own}
    _known(who, facts, _KEYS)
    for key in _NEEDED:
        if not facts.get(key):
            raise InvalidInput(f"{who} has no {key}; add it to the row")
    loader = facts.pop("loader", LOAD_FILE)
    options = facts.pop("options", {})
    listed = [files.get(one, SourceFile(name=one)) for one in facts.pop("files", ())]
    if loader == LOAD_FILE and not listed:
        raise InvalidInput(f"{who} has neither files nor a loader; add one of them")
    if loader == LOAD_FILE and facts.get("column"):
        options = {"target": facts["column"], "task": facts["task"], **options}
    # What no file vouches for needs a digest of its content; '' says it is missing.
    content = facts.pop("content", None if listed else "")
    shape = {"rows": facts.pop("rows", None), "columns": facts.pop("columns", None)}
    return row(
        name, loader, files=listed, params=options, content=content, **shape, **facts
    )


def _known(who: str, facts: Mapping[str, Any], keys: set[str]) -> None:
    for key in facts:
        if key not in keys:
            raise InvalidInput(f"{who}: no key is called {key!r}; use one of "
                               f"{', '.join(sorted(keys))}")  # fmt: skip
