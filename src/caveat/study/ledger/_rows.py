"""How trials, results, attempts and words become rows of a ledger, with digests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from caveat.study.ledger._digests import row_digest
from caveat.study.ledger._schema import attempt, glossary, result, trial
from caveat.study.trials._canonical import canonical
from caveat.study.trials._finished import Finished
from caveat.study.trials._trial import Trial

Row = dict[str, Any]


def trial_row(item: Trial) -> Row:
    """Return the row of a trial that is to be done."""
    row = {"key": item.key, "search": item.group, "spec": canonical(item.spec)}
    return {**row, "digest": row_digest(trial, row)}


def result_row(ended: Finished) -> Row:
    """Return the row of a result: what any run of the trial would give."""
    row: Row = {"key": ended.key, "state": ended.state, "record": None}
    row["reason"] = ended.reason or None
    if ended.record is not None:
        record = {name: ended.record[name] for name in ended.record if name != "about"}
        row["record"] = canonical(record)
    return {**row, "digest": row_digest(result, row)}


def attempt_row(ended: Finished, owner: str, outcome: str) -> Row:
    """Return the row of an attempt: what it cost, and why it gave no result."""
    error = {"message": ended.message, "frames": ended.frames}
    row = {
        "key": ended.key,
        "owner": owner,
        "outcome": outcome,
        "seconds": None if ended.seconds is None else float(ended.seconds),
        "rss": None if ended.rss is None else int(ended.rss),
        "host": ended.host or None,
        "versions": canonical(ended.versions) if ended.versions else None,
        "error": canonical(error) if ended.message or ended.frames else None,
    }
    return {**row, "digest": row_digest(attempt, row)}


def glossary_rows(
    ended: Iterable[tuple[str, Finished]], known: set[tuple[str, str, str]]
) -> dict[tuple[str, str, str], Row]:
    """Return what trials tell of names that are not known yet, once each."""
    rows: dict[tuple[str, str, str], Row] = {}
    for topic, item in ended:
        about = item.record.get("about", []) if item.record is not None else []
        for kind, name, facts in about:
            what = (topic, kind, name)
            if what not in known and what not in rows:
                row = {"topic": topic, "kind": kind, "name": name}
                row["facts"] = canonical(facts)
                rows[what] = {**row, "digest": row_digest(glossary, row)}
    return rows
