"""Which rows of a ledger still say what was written, and which do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from pydantic_core import from_json
from sqlalchemy.engine import Connection

from caveat.exceptions import DamagedLedger
from caveat.study.ledger._digests import Damage, covered, is_whole, study_row_digest
from caveat.study.ledger._schema import attempt, glossary, plan, result, study, trial
from caveat.study.trials._trial import Trial

_CHUNK = 2_000
_DESCRIBED = slice(0, 4)
_STORED = slice(4, 9)


def trials_query() -> sa.Select[Any]:
    """Trials with their results in key order, as `Proofs.fault` takes them."""
    return (
        sa.select(*covered(trial), *covered(result))
        .outerjoin(result, result.c.key == trial.c.key)
        .order_by(trial.c.key)
    )


def in_parts(query: sa.Select[Any]) -> sa.Select[Any]:
    """Let the rows of a query come a few thousand at a time."""
    return query.execution_options(yield_per=_CHUNK)


def _misfit(row: Any) -> str:
    """Say if a trial's description does not give its key: it is a hash of it."""
    described = Trial(from_json(row[2]))
    fits = described.key == row[0] and described.group == row[1]
    return "" if fits else "its key is not that of its description"


class Proofs:
    """Checks the rows of a ledger as they are read, in one state of the database.

    Parameters
    ----------
    connection : Connection
    proven : bool
        Whether rows carry digests; those of schema 1 are taken as they are.
    """

    def __init__(self, connection: Connection, *, proven: bool) -> None:
        self._connection = connection
        self._proven = proven
        #: What the attempt that ended so has cost, by key and outcome.
        self.costs: dict[tuple[str, str], Any] = {}
        #: Attempts that are not what was written: id and key.
        self.lost: list[tuple[int, str]] = []
        query = sa.select(*covered(attempt), attempt.c.id).order_by(attempt.c.id)
        for row in self._rows(query):
            if not proven or is_whole(attempt, row[:-1]):
                self.costs[row.key, row.outcome] = row[3:8]
            else:
                self.lost.append((row.id, str(row.key)))

    def _rows(self, query: sa.Select[Any]) -> Iterator[Any]:
        yield from self._connection.execute(in_parts(query))

    def fault(self, row: Any) -> str:
        """Say what is wrong with a trial of `trials_query`; nothing if it is whole."""
        if not self._proven:
            return ""
        if not is_whole(trial, row[_DESCRIBED]):
            return "its description is not what was written"
        key, state = row[4], row[5]
        if key is None:
            gone = (row[0], "done") in self.costs
            return "its result is gone, but an attempt that gave one is noted" * gone
        if not is_whole(result, row[_STORED]):
            return "its result is not what was written"
        if (key, state) not in self.costs:
            return "what its run cost is not what was written"
        return ""

    def glossary(self) -> Iterator[tuple[Any, bool]]:
        """Rows of the glossary, each with whether it is whole."""
        for row in self._rows(sa.select(*covered(glossary))):
            yield row, not self._proven or is_whole(glossary, row)

    def studies(self) -> Iterator[tuple[str, str, bool]]:
        """Names and specs of studies, each with whether it and its plan are whole."""
        wanted: dict[str, list[str]] = {}
        if self._proven:
            query = sa.select(plan.c.study, plan.c.key)
            query = query.where(plan.c.place.is_not(None)).order_by(plan.c.place)
            for name, key in self._rows(query):
                wanted.setdefault(name, []).append(key)
        for name, spec, digest in self._connection.execute(
            sa.select(study.c.name, study.c.spec, study.c.digest).order_by(study.c.name)
        ):
            found = study_row_digest(name, spec, wanted.get(name, []))
            yield name, spec, not self._proven or found == digest

    def specs(self, name: str | None) -> dict[str, str]:
        """Specs of one study or of all; refuse those that are not what was written."""
        found = {}
        for known, spec, whole in self.studies():
            if name in (None, known) and not whole:
                raise DamagedLedger(
                    f"the ledger is damaged: what study {known!r} is and which trials "
                    "it wants is not what was written; running the study again mends it"
                )
            if name in (None, known):
                found[known] = spec
        return found

    def damage(self, *, keys: bool = True) -> Iterator[Damage]:
        """Name every row that is not what was written.

        With `keys`, also compute every trial's key from its description anew, which
        takes longer than all the rest.
        """
        query = sa.select(plan.c.key).where(plan.c.place.is_not(None))
        wanted = {row.key for row in self._rows(query)}
        broken = set()
        for row in self._rows(trials_query()):
            reason = self.fault(row) or (_misfit(row) if keys else "")
            if reason:
                broken.add(row[0])
                yield Damage(str(row[0]), reason, row[0] in wanted)
        for _, key in self.lost:
            if key not in broken:
                yield Damage(key, "a note of an attempt is not what was written", True)
        for row, whole in self.glossary():
            if not whole:
                what = f"what {row.kind} {row.name!r} of {row.topic!r} means"
                yield Damage(what, "it is not what was written", True)
        for name, _, whole in self.studies():
            if not whole:
                reason = "its description or its list of trials is not what was written"
                yield Damage(f"study {name!r}", reason, True)
