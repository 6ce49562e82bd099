"""Opening damaged trials again, so that the next run does them as if new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json
from sqlalchemy.engine import Connection

from caveat.study.ledger._damage import Proofs, trials_query
from caveat.study.ledger._digests import COVERED, covered, is_whole, row_digest
from caveat.study.ledger._rows import trial_row
from caveat.study.ledger._schema import attempt, glossary, result, trial
from caveat.study.trials._trial import Trial


def mend(connection: Connection, trials: Sequence[Trial]) -> int:
    """Remove what is damaged of these trials, inside a transaction; say how many.

    Parameters
    ----------
    connection : Connection
    trials : sequence of Trial
        As the study plans them: what the ledger says of them may be damaged.
    """
    # Three things may be damaged: notes of attempts, which are blanked; records; and
    # words of the glossary, for which a sound trial that told them has to run again.
    planned = {item.key: item for item in trials}
    proofs = Proofs(connection, proven=True)
    for number, key in proofs.lost:
        if key in planned:
            _blank(connection, number, key)
    broken = set()
    whole: dict[str, Any] = {}
    for row in connection.execute(trials_query()):
        if row[0] not in planned:
            continue
        if proofs.fault(row):
            broken.add(row[0])
        elif row.record is not None:
            whole[row[0]] = row.record
    broken |= set(_tellers(connection, proofs, planned, whole))
    for key in sorted(broken):
        connection.execute(result.delete().where(result.c.key == key))
        _disown(connection, key)
        written = trial_row(planned[key])
        connection.execute(trial.update().where(trial.c.key == key), written)
    return len(broken)


def _blank(connection: Connection, number: int, key: str) -> None:
    """Note of an attempt only that it was: what it cost is not known any more."""
    row = dict.fromkeys(COVERED[attempt.name])
    row |= {"key": key, "owner": "unknown", "outcome": "damaged"}
    written = {**row, "digest": row_digest(attempt, row)}
    connection.execute(attempt.update().where(attempt.c.id == number), written)


def _disown(connection: Connection, key: str) -> None:
    """Mark the attempts whose result is removed: they give none any more."""
    query = sa.select(attempt.c.id, *covered(attempt)).where(attempt.c.key == key)
    for number, *values in connection.execute(query).all():
        if not is_whole(attempt, values) or values[2].startswith("damaged"):
            continue
        row = dict(zip(COVERED[attempt.name], values[:-1], strict=True))
        row["outcome"] = f"damaged, was {values[2]}"
        written = {**row, "digest": row_digest(attempt, row)}
        connection.execute(attempt.update().where(attempt.c.id == number), written)


def _tellers(
    connection: Connection,
    proofs: Proofs,
    planned: Mapping[str, Trial],
    records: Mapping[str, str],
) -> Iterator[str]:
    """Remove damaged words of the glossary; name trials that tell them again."""
    for row, sound in list(proofs.glossary()):
        ours = [k for k in records if planned[k].spec["topic"] == row.topic]
        if sound or not ours:
            continue
        same = [getattr(glossary.c, name) == row[at] for at, name in enumerate(_NAME)]
        connection.execute(glossary.delete().where(*same))
        seen = set()
        for key in ours:
            group = _group(row.kind, row.name, planned[key].spec, records[key])
            if group is not None and group not in seen:
                seen.add(group)
                yield key


_NAME = ("topic", "kind", "name")


def _group(kind: str, name: str, spec: Mapping[str, Any], record: str) -> str | None:
    """Tell trials apart that may know a word; one of each group is enough."""
    if kind == "learner":
        return "" if spec["learner"]["name"] == name else None
    if kind in ("measure", "criterion"):
        return "" if name in from_json(record)["table"] else None
    return str(spec["dataset"]["digest"]) if kind == "dataset" else ""
