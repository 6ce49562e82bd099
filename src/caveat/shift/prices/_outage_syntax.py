"""Outages as they are typed: ``--missing A,B --where region=north --drift heat=2``."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from typing import Any

from caveat.exceptions import InvalidInput
from caveat.shift.prices._outages import Outage

FOUND = "found"
_KINDS = ("freeze", "drift", "unit", "swap")


def parse_outages(
    words: Mapping[str, Any],
) -> tuple[list[Outage], dict[str, Any] | None]:
    """Read the options of `caveat shift` that describe outages.

    Parameters
    ----------
    words : mapping
        ``missing``, ``source``, ``freeze``, ``drift``, ``unit``, ``swap``: sequences of
        text; ``where``, ``since``: ``COL=VALUE`` or None; ``share``: float.

    Returns
    -------
    outages, found
        `found`: which rows fail (`share`, `where`, `since`) for sources that are to be
        found in the file; None if none are.

    Examples
    --------
    >>> made, _ = parse_outages({"missing": ["a,b"], "where": "site=north"})
    >>> made[0].words
    'without a and b where site is north'
    """
    rows: dict[str, Any] = {
        "share": 1.0 if words.get("share") is None else float(words["share"]),
        "where": _pair(words.get("where"), "--where"),
        "since": _pair(words.get("since"), "--since"),
    }
    made = [
        Outage(_names(text, "--missing"), **rows) for text in words.get("missing") or ()
    ]
    sources = [text for text in words.get("source") or () if text != FOUND]
    for text in sources:
        name, columns = parse_source(text)
        made.append(Outage(columns, name=name, **rows))
    for kind in _KINDS:
        for text in words.get(kind) or ():
            made.append(_other(kind, text, rows))
    if not made and FOUND not in (words.get("source") or ()):
        asked = [name for name in ("where", "since") if rows[name]]
        if asked or rows["share"] < 1:
            option = asked[0] if asked else "share"
            raise InvalidInput(
                f"--{option} says which rows fail; name what fails with --missing"
            )
    return made, rows if FOUND in (words.get("source") or ()) else None


def _other(kind: str, text: str, rows: Mapping[str, Any]) -> Outage:
    """Read ``A,B``, or ``A=2`` where the kind has a size."""
    # A name may hold an equals sign; what stands behind the last one is the size.
    names, found, size = text.rpartition("=")
    if not found:
        names, size = text, ""
    if size and kind in ("freeze", "swap"):
        raise InvalidInput(f"--{kind}: found {text!r}; name columns only")
    if kind == "unit" and not size:
        raise InvalidInput(f"--unit: found {text!r}; write COLUMN=FACTOR, as heat=1.8")
    columns = _names(names, f"--{kind}")
    return Outage(columns, kind, size=_size(size, kind), **rows)


def _size(text: str, kind: str) -> float:
    try:
        size = float(text) if text else 1.0
    except ValueError:
        size = math.nan
    if not math.isfinite(size):
        raise InvalidInput(
            f"--{kind}: found {text!r} after the equals sign; use a number"
        )
    return size


def parse_source(text: str) -> tuple[str, tuple[str, ...]]:
    """Read ``lab=a,b,c``.

    Examples
    --------
    >>> parse_source("lab=a,b")
    ('lab', ('a', 'b'))
    """
    name, found, columns = text.partition("=")
    if not found or not name.strip() or not columns.strip(" ,"):
        raise InvalidInput(f"--source: found {text!r}; write NAME=COLUMN,COLUMN")
    return name.strip(), _names(columns, "--source")


def parse_costs(texts: Sequence[str]) -> dict[str, float]:
    """Read ``a=3`` and ``b=1``.

    Examples
    --------
    >>> parse_costs(["a=3", "b=1"])
    {'a': 3.0, 'b': 1.0}
    """
    found = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not equals or not name.strip() or not value.strip():
            raise InvalidInput(f"--cost: found {text!r}; write COLUMN=NUMBER")
        found[name.strip()] = _size(value, "cost")
    return found


def _names(text: str, option: str) -> tuple[str, ...]:
    parts = next(csv.reader([text], skipinitialspace=True), [])
    names = tuple(dict.fromkeys(p.strip() for p in parts if p.strip()))
    if not names:
        raise InvalidInput(f"{option} is empty; name at least one, or leave it out")
    return names


def _pair(text: str | None, option: str) -> tuple[str, str] | None:
    if text is None:
        return None
    name, found, value = text.partition("=")
    if not found or not name.strip() or not value.strip():
        raise InvalidInput(f"{option}: found {text!r}; write COLUMN=VALUE")
    return name.strip(), value.strip()
