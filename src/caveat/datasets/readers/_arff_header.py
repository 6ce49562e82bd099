"""The declarations of an ARFF file: relation and attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from caveat.exceptions import DataError

_NUMERIC = ("numeric", "real", "integer")
_QUOTED = re.compile(r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SPECIAL = {"n": "\n", "t": "\t", "r": "\r"}
_MEKA = re.compile(r"(?:^|[\s:])-C\s+(-?\d+)")


@dataclass(frozen=True)
class Attribute:
    """One declared attribute: ``numeric``, ``integer``, ``string`` or ``nominal``."""

    name: str
    kind: str
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class ArffHeader:
    """What an ARFF file declares before its data."""

    relation: str
    attributes: tuple[Attribute, ...]

    @property
    def meka_labels(self) -> int | None:
        """How many labels MEKA's ``-C`` states: first ones if positive, else last.

        Filters append further options; the first ``-C`` counts.
        """
        found = _MEKA.search(self.relation)
        return int(found.group(1)) if found else None


def unescaped(text: str) -> str:
    """Resolve the backslashes of quoted text."""
    return _ESCAPE.sub(lambda m: _SPECIAL.get(m.group(1), m.group(1)), text)


def tokens(text: str, where: str) -> list[str | None]:
    """Part a comma-separated list; quotes protect commas, a bare ``?`` gives None."""
    found: list[str | None] = []
    place = 0
    while True:
        place = _skip_blanks(text, place)
        quoted = _QUOTED.match(text, place)
        if quoted:
            inner = quoted.group(1) if quoted.group(1) is not None else quoted.group(2)
            found.append(unescaped(inner))
            place = _skip_blanks(text, quoted.end())
        else:
            end = text.find(",", place)
            end = len(text) if end < 0 else end
            word = text[place:end].strip()
            if word[:1] in ("'", '"'):
                raise DataError(
                    f"{where}: a quotation mark is never closed: {word[:30]}"
                )
            found.append(None if word == "?" else word)
            place = end
        if place >= len(text):
            return found
        if text[place] != ",":
            raise DataError(
                f"{where}: expected a comma before {text[place : place + 20]!r}"
            )
        place += 1


def _skip_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t":
        place += 1
    return place


def read_header(lines: Iterator[tuple[int, str]], where: str) -> ArffHeader:
    """Read up to ``@data``; the iterator is left at the first data line.

    Parameters
    ----------
    lines : iterator of (line number, text)
    where : str
        The file's name, for messages.
    """
    relation = ""
    attributes: list[Attribute] = []
    for number, raw in lines:
        line = raw.strip()
        if not line or line.startswith("%"):
            continue
        place = f"{where}, line {number}"
        keyword, _, rest = line.partition(" ")
        if "\t" in keyword:
            keyword, _, rest = line.partition("\t")
        match keyword.lower():
            case "@relation":
                relation = _one_name(rest.strip(), place)[0]
            case "@attribute":
                attributes.append(_attribute(rest.strip(), place))
            case "@data":
                if not attributes:
                    raise DataError(f"{place}: no attribute is declared before @data")
                return ArffHeader(relation, tuple(attributes))
            case _:
                raise DataError(
                    f"{place}: expected @relation, @attribute or @data, found "
                    f"{line[:40]!r}"
                )
    raise DataError(f"{where} has no @data line; it is cut short or not ARFF")


def _one_name(text: str, place: str) -> tuple[str, str]:
    """Take a quoted name, or a bare one up to the first blank; and what follows."""
    quoted = _QUOTED.match(text)
    if quoted:
        inner = quoted.group(1) if quoted.group(1) is not None else quoted.group(2)
        return unescaped(inner), text[quoted.end() :].strip()
    # Names such as "-", "/" or "0;" occur: only a blank ends a bare name.
    parts = text.split(None, 1)
    if not parts:
        raise DataError(f"{place}: a name is missing")
    return parts[0], parts[1] if len(parts) > 1 else ""


def _attribute(text: str, place: str) -> Attribute:
    name, declared = _one_name(text, place)
    if declared.startswith("{"):
        if not declared.rstrip().endswith("}"):
            raise DataError(f"{place}: the levels of attribute {name!r} have no end")
        listed = tokens(declared.strip()[1:-1], place)
        levels = tuple("?" if level is None else level for level in listed)
        return Attribute(name, "nominal", levels)
    kind = declared.split()[0].lower() if declared else ""
    if kind in _NUMERIC:
        return Attribute(name, "integer" if kind == "integer" else "numeric")
    if kind in ("string", "date", "relational"):
        return Attribute(name, kind)
    raise DataError(
        f"{place}: attribute {name!r} has the type {declared[:30]!r}; known are "
        "numeric, real, integer, string and {levels}"
    )
