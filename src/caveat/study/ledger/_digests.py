"""Digests of the ledger's rows: a row proves that it still says what was written.

A digest is the SHA-256 of a row's table, key and content together, so a changed
digit is seen, and so is a result that was moved to another key. It guards
against faulty disks and stray edits; whoever can write can also write a digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from caveat.study.ledger._schema import attempt, glossary, result, trial

#: The columns that a row's digest covers, by table. What is not here is shown nowhere.
COVERED: dict[str, tuple[str, ...]] = {
    trial.name: ("key", "search", "spec"),
    result.name: ("key", "state", "record", "reason"),
    attempt.name: (
        *("key", "owner", "outcome", "seconds", "rss", "host", "versions", "error"),
    ),
    glossary.name: ("topic", "kind", "name", "facts"),
}


@dataclass(frozen=True)
class Damage:
    """A row of a ledger that no longer says what was written.

    Attributes
    ----------
    key : str
        The trial's key, or what else the row is about.
    reason : str
    rerun : bool
        Whether `caveat run` with the same study mends it.
    """

    key: str
    reason: str
    rerun: bool


def covered(table: sa.Table) -> list[sa.Column[Any]]:
    """Columns to select for `is_whole`: what the digest covers, and the digest."""
    return [*(table.c[name] for name in COVERED[table.name]), table.c.digest]


def row_digest(table: sa.Table, row: Mapping[str, Any]) -> str:
    """Return the digest of a row that is to be written."""
    return digest_of(table.name, *(row[name] for name in COVERED[table.name]))


def is_whole(table: sa.Table, values: Sequence[Any]) -> bool:
    """Whether the `covered` columns of a row still match its digest."""
    return digest_of(table.name, *values[:-1]) == values[-1]


def study_row_digest(name: str, spec: str, keys: Iterable[str]) -> str:
    """Return the digest of a study's row: its spec and which trials it wants."""
    return digest_of("study", name, spec, *keys)


def study_digest(digests: Iterable[str]) -> str:
    """Return the digest of a whole study: SHA-256 of its sorted record digests.

    One per line, in ASCII, without a line end after the last: so anybody can
    compute it from the column ``digest`` of an export.

    Examples
    --------
    >>> study_digest(["b", "a"]) == study_digest(["a", "b"])
    True
    """
    return hashlib.sha256("\n".join(sorted(digests)).encode()).hexdigest()


def digest_of(*values: str | int | float | None) -> str:
    """Return the SHA-256 of values of which each is written with its kind and length.

    Examples
    --------
    >>> digest_of("a", "bc") == digest_of("ab", "c")
    False
    """
    parts = []
    for value in values:
        text = value if isinstance(value, str) else repr(value)
        parts.append(f"{type(value).__name__} {len(text)} {text}\n")
    # A damaged text may hold bytes that are no UTF-8: they differ as they should.
    return hashlib.sha256("".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
