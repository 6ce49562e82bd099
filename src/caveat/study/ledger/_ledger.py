"""The ledger: where records live, whole or not at all.

One transaction holds the results of trials that ended within a moment, each with
what it cost and with its digest. Claims are leases with a token, counted by the
database's clock; a holder on this host that died is found at once, any other when its
lease runs out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from caveat.exceptions import LedgerError
from caveat.study.ledger._damage import Proofs
from caveat.study.ledger._database import (
    LostServer,
    check_structure,
    explain,
    first_line,
    is_lost,
    masked,
    one_at_a_time,
    open_engine,
    patient,
    structure_problems,
)
from caveat.study.ledger._digests import Damage, study_row_digest
from caveat.study.ledger._owner import is_dead, me
from caveat.study.ledger._repair import mend
from caveat.study.ledger._rows import attempt_row, glossary_rows, result_row, trial_row
from caveat.study.ledger._schema import (
    SCHEMA_VERSION,
    attempt,
    glossary,
    plan,
    result,
    study,
    trial,
)
from caveat.study.trials._canonical import canonical
from caveat.study.trials._finished import Finished
from caveat.study.trials._trial import Trial

if TYPE_CHECKING:
    from caveat.study.ledger._records import Records

LEASE_SECONDS = 60.0
#: No runner holds a trial for so long without a sign: such a claim is a damaged one.
_MOST_LEASE_SECONDS = 86_400.0
_CHUNK = 500


class Ledger:
    """A ledger of trials and their results.

    Parameters
    ----------
    url : path or URL
        A file name (SQLite) or a SQLAlchemy URL.
    write : bool, default=False
        Open it for writing, and make it if it is not there.
    lease : float
        Seconds after which a silent runner's claims are free.

    Examples
    --------
    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "small.ledger")
    >>> with Ledger(path, write=True) as ledger:
    ...     ledger.counts()
    {}
    """

    def __init__(
        self, url: str | Path, *, write: bool = False, lease: float = LEASE_SECONDS
    ) -> None:
        self.url = masked(url)
        self.lease = lease
        self._where = url
        with self._explained():
            self.owner = me()
        self._engine, self.schema = open_engine(url, write=write)
        self._told: set[tuple[str, str, str]] = set()
        self._claims: set[str] = set()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _begin(self, *, one_state: bool = False) -> Iterator[Connection]:
        engine = self._one_state if one_state else self._engine
        with self._explained(), engine.begin() as connection:
            yield connection

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with self._explained(), self._one_state.connect() as connection:
            yield connection

    @cached_property
    def _one_state(self) -> Engine:
        """The engine whose transactions see one state of the database throughout."""
        if self._engine.dialect.name == "sqlite":
            return self._engine
        return self._engine.execution_options(isolation_level="REPEATABLE READ")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sa.exc.DBAPIError as error:
            if error.connection_invalidated or is_lost(error):
                raise LostServer(
                    f"the ledger {self.url} does not answer: {first_line(error)}"
                ) from error
            raise explain(error, self._where) from error
        except OSError as error:
            # Who holds a trial is read from files of the system.
            raise LedgerError(
                f"ledger {self.url}: the system does not say who runs "
                f"({error.strerror or error}); end some programs and try again"
            ) from error
        except UnicodeDecodeError as error:
            raise explain(error, self._where) from error

    @property
    def _now(self) -> sa.ColumnElement[float]:
        if self._engine.dialect.name == "sqlite":
            return sa.literal_column("(julianday('now') - 2440587.5) * 86400.0")
        return sa.literal_column("extract(epoch from clock_timestamp())")

    def _insert(self, table: sa.Table) -> Any:
        """Build an INSERT that leaves a row which is there already as it is."""
        from sqlalchemy.dialects import postgresql, sqlite

        dialects = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
        insert: Any = dialects[self._engine.dialect.name]
        return insert(table).on_conflict_do_nothing()

    @patient
    def add_study(self, name: str, spec: dict[str, Any], trials: list[Trial]) -> None:
        """Enter a study and its trials; those that are there stay as they are."""
        wanted = {item.key: place for place, item in enumerate(trials)}
        text = canonical(spec)
        written = {"spec": text, "digest": study_row_digest(name, text, wanted)}
        with self._begin() as connection:
            one_at_a_time(connection)
            connection.execute(self._insert(study), [{"name": name, **written}])
            connection.execute(study.update().where(study.c.name == name), written)
            planned = dict(
                connection.execute(
                    sa.select(plan.c.key, plan.c.place).where(plan.c.study == name)
                ).all()
            )
            if planned == wanted:
                return
            known = set(connection.scalars(sa.select(trial.c.key)))
            rows = [trial_row(item) for item in trials if item.key not in known]
            for part in _parts(rows):
                connection.execute(self._insert(trial), part)
            connection.execute(
                plan.update().where(plan.c.study == name), {"place": None}
            )
            new = [
                {"study": name, "key": key, "place": place}
                for key, place in wanted.items()
                if key not in planned
            ]
            for part in _parts(new):
                connection.execute(self._insert(plan), part)
            moved = [
                {"old": key, "new": wanted[key]} for key in planned if key in wanted
            ]
            update = plan.update().where(
                plan.c.study == name, plan.c.key == sa.bindparam("old")
            )
            for part in _parts(moved):
                connection.execute(update.values(place=sa.bindparam("new")), part)

    @patient
    def open_keys(self, name: str) -> list[str]:
        """Keys of the study's trials without a result, in the study's order."""
        query = (
            sa.select(plan.c.key)
            .outerjoin(result, result.c.key == plan.c.key)
            .where(
                plan.c.study == name, plan.c.place.is_not(None), result.c.key.is_(None)
            )
            .order_by(plan.c.place)
        )
        with self._read() as connection:
            return list(connection.scalars(query))

    @patient
    def free_dead(self) -> int:
        """Release the claims of processes that are certainly gone; say how many."""
        with self._read() as connection:
            owners = connection.scalars(
                sa.select(trial.c.owner).where(trial.c.owner.is_not(None)).distinct()
            )
            dead = [owner for owner in owners if owner != self.owner and is_dead(owner)]
        if not dead:
            return 0
        with self._begin() as connection:
            freed = connection.execute(
                trial.update().where(trial.c.owner.in_(dead)), {"owner": None}
            )
            return freed.rowcount

    @patient
    def claim(self, keys: Sequence[str]) -> list[str]:
        """Try to take trials; return those that are now ours, in the given order."""
        free = sa.or_(
            trial.c.owner.is_(None),
            trial.c.expires < self._now,
            trial.c.expires > self._now + max(self.lease, _MOST_LEASE_SECONDS),
        )
        unfinished = ~sa.exists().where(result.c.key == trial.c.key)
        # On a server, rows that another runner is just claiming are passed over.
        takeable = (
            sa.select(trial.c.key)
            .where(trial.c.key.in_(list(keys)), free, unfinished)
            .with_for_update(skip_locked=True, of=trial)
        )
        statement = (
            trial.update()
            .where(trial.c.key.in_(takeable))
            .values(
                owner=self.owner,
                token=trial.c.token + 1,
                expires=self._now + self.lease,
            )
            .returning(trial.c.key)
        )
        # Asked for is as good as taken until the answer is here: it may be lost.
        self._claims.update(keys)
        with self._begin() as connection:
            taken = set(connection.scalars(statement))
        self._claims.difference_update(set(keys) - taken)
        return [key for key in keys if key in taken]

    @patient
    def heartbeat(self) -> None:
        """Renew the leases that were taken through this object.

        Not all of the process: what an earlier run in it could not give back runs out.
        """
        with self._begin() as connection:
            for part in _parts(list(self._claims)):
                connection.execute(
                    trial.update()
                    .where(trial.c.key.in_(part), trial.c.owner == self.owner)
                    .values(expires=self._now + self.lease)
                )

    @patient
    def release(self, keys: Iterable[str]) -> None:
        """Give trials back unfinished."""
        with self._begin() as connection:
            for part in _parts(list(keys)):
                connection.execute(
                    trial.update()
                    .where(trial.c.key.in_(part), trial.c.owner == self.owner)
                    .values(owner=None, expires=0.0)
                )
                self._claims.difference_update(part)

    def finish(self, topic: str, ended: Finished) -> bool:
        """Store how one trial ended, whole; say whether it was the first result."""
        return ended.key in self.finish_all([(topic, ended)])

    @patient
    def finish_all(self, ended: Sequence[tuple[str, Finished]]) -> set[str]:
        """Store how trials ended, in one commit, all or none.

        Parameters
        ----------
        ended : sequence of (topic, Finished)
            Each key at most once.

        Returns
        -------
        set of str
            Keys whose result was the first. A late result of a runner that lost its
            lease is dropped: the attempt is noted, the result that is there stays.
        """
        # One order for all: runners that wait for each other's rows never wait in turn.
        ordered = sorted((item for _, item in ended), key=lambda item: item.key)
        words = glossary_rows(ended, self._told)
        with self._begin() as connection:
            results = [result_row(item) for item in ordered]
            first = set(connection.scalars(self._store_result, results))
            # The server may have stored it, and its answer was lost on the way.
            again = {
                item.key
                for item in ordered
                if item.key not in first and self._is_mine(connection, item.key)
            }
            self._note_ends(connection, ordered, first=first, again=again)
            if words:
                connection.execute(self._insert(glossary), list(words.values()))
        # Only now it is certain that they are there.
        self._told.update(words)
        self._claims.difference_update(item.key for item in ordered)
        return first | again

    def _note_ends(
        self,
        connection: Connection,
        ended: Sequence[Finished],
        *,
        first: set[str],
        again: set[str],
    ) -> None:
        """Note what attempts cost, and give their trials back."""
        rows, held = [], []
        for item in ended:
            if item.key not in again:
                outcome = item.state if item.key in first else "late"
                row = attempt_row(item, self.owner, outcome)
                rows.append({**row, "of_key": item.key})
                held.append({"of_key": item.key, "of_owner": self.owner})
        if rows:
            connection.execute(self._store_attempt, rows)
            connection.execute(self._give_back, held)

    # The statements that every trial needs are written once: to build them anew takes
    # longer than to run them.

    @cached_property
    def _store_result(self) -> Any:
        return self._insert(result).returning(result.c.key)

    @cached_property
    def _give_back(self) -> Any:
        held = [
            trial.c.key == sa.bindparam("of_key"),
            trial.c.owner == sa.bindparam("of_owner"),
        ]
        return trial.update().where(*held).values(owner=None, expires=0.0)

    @cached_property
    def _store_attempt(self) -> Any:
        token = sa.select(trial.c.token).where(trial.c.key == sa.bindparam("of_key"))
        given = ["key", "owner", "outcome", "seconds", "rss", "host", "versions"]
        return attempt.insert().values(
            token=token.scalar_subquery(),
            ended=self._now,
            **{name: sa.bindparam(name) for name in [*given, "error", "digest"]},
        )

    def _is_mine(self, connection: Connection, key: str) -> bool:
        """Whether this very claim's result is there already."""
        token = sa.select(trial.c.token).where(trial.c.key == key).scalar_subquery()
        query = sa.select(attempt.c.id).where(
            attempt.c.key == key,
            attempt.c.owner == self.owner,
            attempt.c.token == token,
            attempt.c.outcome == result.c.state,
            result.c.key == key,
        )
        return connection.execute(query).first() is not None

    @patient
    def note_retry(self, ended: Finished) -> None:
        """Enter an attempt that will be tried again."""
        row = attempt_row(ended, self.owner, f"{ended.state}, tried again")
        with self._begin() as connection:
            connection.execute(self._store_attempt, [{**row, "of_key": ended.key}])

    @patient
    def forget_failures(self, name: str) -> int:
        """Open a study's failed trials again; their attempts stay noted."""
        failed = (
            sa.select(result.c.key)
            .join(plan, plan.c.key == result.c.key)
            .where(plan.c.study == name, result.c.state != "done")
        )
        with self._begin() as connection:
            return connection.execute(
                result.delete().where(result.c.key.in_(failed))
            ).rowcount

    @patient
    def orphans(self, name: str | None = None) -> list[str]:
        """Keys that no study wants any more, because it was edited."""
        wanted = sa.select(plan.c.key).where(plan.c.place.is_not(None))
        query = sa.select(plan.c.key).where(
            plan.c.place.is_(None), plan.c.key.not_in(wanted)
        )
        if name is not None:
            query = query.where(plan.c.study == name)
        with self._read() as connection:
            return sorted(set(connection.scalars(query)))

    @patient
    def prune(self) -> int:
        """Remove orphaned trials with their results; say how many."""
        keys = self.orphans()
        with self._begin() as connection:
            for part in _parts(keys):
                for table in (plan, result, attempt, trial):
                    connection.execute(table.delete().where(table.c.key.in_(part)))
        return len(keys)

    @patient
    def studies(self) -> dict[str, dict[str, Any]]:
        """All studies by name, with their specs."""
        with self._read() as connection:
            rows = connection.execute(
                sa.select(study.c.name, study.c.spec).order_by(study.c.name)
            )
            return {name: json.loads(spec) for name, spec in rows}

    @patient
    def counts(self, name: str | None = None) -> dict[str, int]:
        """How many trials are in which state; those without a result are open."""
        held = sa.and_(trial.c.owner.is_not(None), trial.c.expires >= self._now)
        state = sa.func.coalesce(
            result.c.state, sa.case((held, "running"), else_="pending")
        )
        query = (
            sa.select(state, sa.func.count(sa.distinct(trial.c.key)))
            .select_from(trial)
            .join(plan, plan.c.key == trial.c.key)
            .outerjoin(result, result.c.key == trial.c.key)
            .where(plan.c.place.is_not(None))
            .group_by(state)
        )
        if name is not None:
            query = query.where(plan.c.study == name)
        with self._read() as connection:
            return dict(sorted(connection.execute(query).all()))

    @patient
    def records(self, study: str | None = None) -> Records:
        """Read everything back, ready for selection, statistics and reports.

        Every row is checked against its digest, and an SQLite file by SQLite's own
        check, so no row can be missing in silence. What is damaged is left out and
        named in `Records.damaged`.
        """
        from caveat.study.ledger._records import read_records

        with self._read() as connection:
            check_structure(connection, self._where)
            return read_records(connection, study, self._now, proven=self.proven)

    def digest(self, study: str | None = None) -> str:
        """Digest of a study, or of all: SHA-256 over the sorted digests of records.

        Two ledgers with the same results have the same; a record that was removed,
        exchanged or changed shows.
        """
        return self.records(study).digest

    @property
    def proven(self) -> bool:
        """Whether rows carry digests; those of an old ledger do not."""
        return self.schema >= SCHEMA_VERSION

    @patient
    def damage(self) -> list[Damage]:
        """Name everything that is not what was written, in all studies."""
        with self._read() as connection:
            problems = structure_problems(connection)
            if problems:
                # What the rows say cannot be relied on: some may not be found.
                return [Damage("", line, rerun=False) for line in problems]
            return list(Proofs(connection, proven=self.proven).damage())

    @patient
    def mend(self, trials: Sequence[Trial]) -> int:
        """Open the damaged ones of these trials again; say how many.

        What is damaged is removed, so that whoever runs the study next does those
        trials as if they had never been run.
        """
        with self._read() as connection:
            check_structure(connection, self._where)
            whole = not any(Proofs(connection, proven=True).damage(keys=False))
        if whole:
            return 0
        with self._begin(one_state=True) as connection:
            return mend(connection, trials)


def _parts(rows: list[Any]) -> Iterator[list[Any]]:
    """Cut a long list: databases limit the number of parameters."""
    for start in range(0, len(rows), _CHUNK):
        yield rows[start : start + _CHUNK]
