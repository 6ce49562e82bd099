"""Ledgers of schema 1: read and reported in today's words, never written.

Their records carry no digests, so nothing proves them. Temporary views with the
names of today's tables stand before the old ones; they live in the reader's
connection only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

#: Topics that have another name today.
WORDS = {"baseline": "eapp", "proportions": "bags", "partial": "candidates"}


def views_of(schema: int, place: str) -> Iterator[str]:
    """Statements that make an old ledger look like one of today.

    Parameters
    ----------
    schema : int
        The ledger's own.
    place : str
        Name space of its tables: SQLite's ``main``, or a server's schema.
    """
    if schema != 1:
        return
    topic = " ".join(f"WHEN '{old}' THEN '{new}'" for old, new in WORDS.items())
    tables = {
        "study": "name, spec",
        "trial": "key, search, spec, owner, token, expires",
        "result": "key, state, record, reason",
        "attempt": (
            "id, key, owner, token, outcome, ended, seconds, rss, host, versions, "
            f'(SELECT error FROM "{place}".result AS r '
            "WHERE r.key = t.key AND r.state = t.outcome) AS error"
        ),
        "glossary": f"CASE topic {topic} ELSE topic END AS topic, kind, name, facts",
    }
    for name, columns in tables.items():
        yield (
            f"CREATE TEMPORARY VIEW {name} AS SELECT {columns}, "
            f'CAST(NULL AS TEXT) AS digest FROM "{place}".{name} AS t'
        )


def in_todays_words(facts: dict[str, Any]) -> dict[str, Any]:
    """Rename the topic, or the task, that a spec or a row of the glossary names.

    Examples
    --------
    >>> in_todays_words({"topic": "baseline", "repeat": 0})
    {'topic': 'eapp', 'repeat': 0}
    """
    for name in ("topic", "task"):
        if facts.get(name) in WORDS:
            facts[name] = WORDS[facts[name]]
    return facts
