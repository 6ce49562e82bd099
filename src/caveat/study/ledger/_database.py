"""Opening a ledger's database: safely, or with one sentence that says why not.

SQLite files are checked by their header before SQLite touches them, opened in
WAL mode with full durability, and read through read-only connections. Any
other SQLAlchemy URL (PostgreSQL) goes through the same functions. A ledger of
schema 1 is read through views that give it the columns of today.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url

from caveat._extras import explain as explain_missing
from caveat._files import open_plain
from caveat.exceptions import DamagedLedger, LedgerError
from caveat.study.ledger._digests import digest_of
from caveat.study.ledger._file_system import network_file_system
from caveat.study.ledger._old_schema import views_of
from caveat.study.ledger._schema import APPLICATION_ID, SCHEMA_VERSION, meta, metadata

BUSY_SECONDS = 30
PATIENCE_SECONDS = 300.0
_MAPPED_BYTES = 2**28
_HEADER = b"SQLite format 3\x00"
_ADVICE = "restore it from a copy, or run the study into a new one"

P = ParamSpec("P")
T = TypeVar("T")


class NoLedgerYet(LedgerError):
    """A ledger that was to be read is not there."""


def open_engine(url: str | Path, *, write: bool) -> tuple[Engine, int]:
    """Open a ledger, making it first if it is to be written and is not there.

    Parameters
    ----------
    url : path or SQLAlchemy URL
    write : bool
        Readers get a connection that cannot write.

    Returns
    -------
    The engine, and the ledger's schema: an older one can be read only.
    """
    text = str(url)
    if "://" not in text:
        return _open_sqlite(Path(text), write=write)
    parsed = _parsed(text)
    if parsed.get_backend_name() == "sqlite":
        if not parsed.database:
            raise LedgerError(f"{text!r} names no file; write sqlite:///study.ledger")
        journal = str(parsed.query.get("journal", "wal"))
        if journal not in ("wal", "delete"):
            raise LedgerError(f"journal={journal!r} is neither 'wal' nor 'delete'")
        return _open_sqlite(Path(parsed.database), write=write, journal=journal)
    return _open_server(parsed, write=write)


def is_file(url: str | Path) -> bool:
    """Whether a ledger is a file of this machine, not a server's."""
    return "://" not in str(url) or str(url).startswith("sqlite")


def _parsed(text: str) -> URL:
    try:
        return make_url(text)
    except (sa.exc.ArgumentError, ValueError) as error:
        # Not quoted whole: what was meant as a URL may hold a password.
        place = text.rpartition("@")[2]
        raise LedgerError(
            f"--ledger: {place!r} is not a URL of a database; write a file's name, or "
            "postgresql://USER@HOST:PORT/NAME with a number as the port"
        ) from error


def masked(url: str | Path) -> str:
    """Write a URL without its password."""
    text = str(url)
    return _parsed(text).render_as_string(hide_password=True) if "://" in text else text


def _open_sqlite(
    path: Path, *, write: bool, journal: str = "wal"
) -> tuple[Engine, int]:
    exists = _check_file(path, write=write)
    kind = network_file_system(path) if write and journal == "wal" else ""
    if kind:
        raise LedgerError(
            f"ledger {str(path)!r} is on a network disk ({kind}), where it could be "
            "damaged; use a local disk or PostgreSQL, or, if one host only will ever "
            f"use it, --ledger 'sqlite:///{path}?journal=delete'"
        )
    if not exists and not write:
        raise NoLedgerYet(
            f"there is no ledger {str(path)!r}; run a study first: "
            "caveat run STUDY.yaml"
        )
    if not exists and not path.parent.is_dir():
        raise LedgerError(
            f"the ledger's folder {str(path.parent)!r} does not exist; make it first"
        )
    if write and exists and not os.access(path, os.W_OK):
        raise LedgerError(
            f"ledger {str(path)!r} is read-only; change its permissions or copy it"
        )
    engine = sa.create_engine(
        "sqlite://",
        creator=lambda: _connect(path, write=write, journal=journal),
        poolclass=sa.pool.QueuePool,
        pool_size=4,
    )
    # The driver must not open transactions by itself: we say BEGIN IMMEDIATE, so that
    # two writers queue instead of failing half-way. A reader's BEGIN keeps everything
    # that it reads in one state.
    begin = "BEGIN IMMEDIATE" if write else "BEGIN"
    sa.event.listen(engine, "begin", lambda c: c.exec_driver_sql(begin))
    try:
        if write:
            _create(engine, path)
        schema = _check_schema(engine, str(path), write=write)
    except (sa.exc.DatabaseError, sqlite3.DatabaseError, UnicodeDecodeError) as error:
        engine.dispose()
        raise explain(error, path) from error
    except LedgerError:
        engine.dispose()
        raise
    return engine, schema


def _check_file(path: Path, *, write: bool) -> bool:
    """Look at a file before SQLite does; say whether a ledger is there."""
    try:
        if path.is_dir():
            raise LedgerError(f"{str(path)!r} is a folder; name a ledger file")
        with open_plain(path) as file:
            header = file.read(108)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise LedgerError(
            f"ledger {str(path)!r} cannot be read: {error.strerror}"
        ) from error
    if not header:
        # A runner that was killed between creating and filling the file.
        return os.path.exists(f"{path}-wal")
    found = int.from_bytes(header[68:72], "big")
    # A file that another runner is just making, or was killed while making: nothing
    # in it yet, or everything still in the log. What the log holds is seen later.
    fresh = found == 0 and (_is_empty(header) or os.path.exists(f"{path}-wal"))
    if not header.startswith(_HEADER) or (found != APPLICATION_ID and not fresh):
        what = "no SQLite file" if not header.startswith(_HEADER) else f"{found:#010x}"
        raise _foreign(path, what)
    if not fresh:
        _check_version(int.from_bytes(header[60:64], "big"), str(path), write=write)
    return True


def _check_version(version: int, name: str, *, write: bool) -> None:
    """Refuse a newer ledger, and to write into an older one."""
    if version > SCHEMA_VERSION:
        raise LedgerError(
            f"ledger {name!r} has schema {version}, this caveat knows "
            f"{SCHEMA_VERSION}; update caveat"
        )
    if version < 1:
        raise DamagedLedger(f"ledger {name!r} is damaged: it says no schema; {_ADVICE}")
    if version < SCHEMA_VERSION and write:
        raise LedgerError(
            f"ledger {name!r} has schema {version}, from an older caveat; it can be "
            "read and reported, but not written: give --ledger a new file"
        )


def _foreign(path: Path, found: str) -> LedgerError:
    return LedgerError(
        f"{str(path)!r} is not a caveat ledger (found application_id {found}); "
        "it was left untouched, name another file"
    )


def _is_empty(header: bytes) -> bool:
    """Say whether an SQLite file is one page long and that page lists no table."""
    one_page = header[28:32] == b"\x00\x00\x00\x01"
    return one_page and header[100:101] == b"\x0d" and header[103:105] == b"\x00\x00"


def _connect(path: Path, *, write: bool, journal: str) -> sqlite3.Connection:
    uri = path.resolve().as_uri()
    if not write:
        # Without a WAL there is nothing to share, and a read-only folder cannot
        # hold the index file that sharing would need.
        idle = not os.path.exists(f"{path}-wal")
        frozen = idle and not os.access(path.parent, os.W_OK)
        uri += "?mode=ro" + ("&immutable=1" if frozen else "")
    connection = sqlite3.connect(
        uri,
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    # Bytes that are no text any more are to be found by a digest, not to end a read.
    connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA foreign_keys=ON")
    if write:
        _durable(connection, journal)
    else:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        for view in views_of(found, "main"):
            connection.execute(view)
        connection.execute("PRAGMA query_only=ON")
        # Records are read in the order of keys, which is not that of the file.
        connection.execute(f"PRAGMA mmap_size={_MAPPED_BYTES}")
    return connection


def _durable(connection: sqlite3.Connection, journal: str) -> None:
    """Ask for full durability; the switch itself may meet another runner's."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode={journal}")
            connection.execute("PRAGMA synchronous=FULL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _create(engine: Engine, path: Path) -> None:
    with engine.begin() as connection:
        found = connection.exec_driver_sql("PRAGMA application_id").scalar()
        if found == APPLICATION_ID:
            return
        if connection.exec_driver_sql("SELECT 1 FROM sqlite_master").first():
            raise _foreign(path, f"{found:#010x}")
        metadata.create_all(connection)
        facts = {"schema": str(SCHEMA_VERSION), "layout": _layout(connection)}
        connection.execute(
            meta.insert(), [{"name": key, "value": facts[key]} for key in facts]
        )
        connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version={SCHEMA_VERSION}")


def _layout(connection: Connection) -> str:
    """Return a digest of how the tables are declared."""
    rows = connection.exec_driver_sql(
        "SELECT type, name, tbl_name, sql FROM main.sqlite_master "
        "WHERE name NOT LIKE 'sqlite_%' ORDER BY name"
    )
    return digest_of(*(value for row in rows for value in row))


def _check_schema(engine: Engine, name: str, *, write: bool) -> int:
    """Refuse what a stranger or a fault may have put into a ledger file."""
    with engine.connect() as connection:
        rows = connection.exec_driver_sql(
            "SELECT type, name FROM main.sqlite_master WHERE name NOT LIKE 'sqlite_%'"
        ).all()
        if not rows:
            raise NoLedgerYet(f"{name!r} is still empty; run a study into it first")
        odd = [f"{kind} {what}" for kind, what in rows if kind in ("trigger", "view")]
        if odd:
            raise LedgerError(
                f"ledger {name!r} holds a {odd[0]!r} that caveat did not make; "
                "do not use this file"
            )
        missing = set(metadata.tables) - {
            what for kind, what in rows if kind == "table"
        }
        if missing:
            raise DamagedLedger(
                f"ledger {name!r} lacks the table {sorted(missing)[0]!r}; it is "
                "damaged or was made by something else"
            )
        version = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        _check_version(version, name, write=write)
        said = dict(connection.execute(sa.select(meta.c.name, meta.c.value)).all())
        told = {"schema": str(version)}
        if version == SCHEMA_VERSION:
            told["layout"] = _layout(connection)
        if any(said.get(key) != told[key] for key in told):
            raise DamagedLedger(
                f"ledger {name!r} is damaged: its tables are not declared as they "
                f"were; {_ADVICE}"
            )
        return version


def check_structure(connection: Connection, where: str | Path) -> None:
    """Refuse an SQLite file in which rows or entries of an index are lost.

    SQLite's own check: digests show that what is found was written, this shows that
    everything is found. Servers look after their files themselves.
    """
    problems = structure_problems(connection, most=1)
    if problems:
        raise DamagedLedger(
            f"ledger {str(where)!r} is damaged ({problems[0]}); {_ADVICE}"
        )


def structure_problems(connection: Connection, most: int = 20) -> list[str]:
    """Return what SQLite finds wrong with a file's pages, rows and indexes."""
    if connection.dialect.name != "sqlite":
        return []
    rows = connection.exec_driver_sql(f"PRAGMA main.integrity_check({most})")
    lines = [line for (text,) in rows for line in str(text).splitlines()]
    return [line for line in lines if line != "ok" and not line.startswith("***")]


def _open_server(url: Any, *, write: bool) -> tuple[Engine, int]:
    name = url.render_as_string(hide_password=True)
    try:
        engine = sa.create_engine(url, pool_pre_ping=True)
    except ImportError as error:
        missing = explain_missing(error, f"the ledger {name}", "postgres")
        raise missing or error from error
    except sa.exc.ArgumentError as error:
        raise LedgerError(f"{name!r} is not a ledger URL: {error}") from error
    try:
        if write:
            with engine.begin() as connection:
                one_at_a_time(connection)
                metadata.create_all(connection)
                if connection.execute(sa.select(meta.c.value)).first() is None:
                    row = {"name": "schema", "value": str(SCHEMA_VERSION)}
                    connection.execute(meta.insert(), [row])
        with engine.connect() as connection:
            found = connection.execute(
                sa.select(meta.c.value).where(meta.c.name == "schema")
            ).scalar()
            place = connection.execute(sa.select(sa.func.current_schema())).scalar()
    except sa.exc.SQLAlchemyError as error:
        engine.dispose()
        cause = first_line(error)
        raise LedgerError(f"the ledger {name} cannot be used: {cause}") from error
    version = int(found) if found and found.isdecimal() else 0
    try:
        _check_version(version, name, write=write)
    except LedgerError:
        engine.dispose()
        raise
    views = list(views_of(version, str(place)))
    if views:
        engine.dispose()
        sa.event.listen(engine, "connect", lambda made, _: _add_views(made, views))
    return engine, version


def _add_views(connection: Any, views: list[str]) -> None:
    """Give a server's connection the views of an older schema; they end with it."""
    with connection.cursor() as cursor:
        for view in views:
            cursor.execute(view)
    connection.commit()


def one_at_a_time(connection: Connection) -> None:
    """Let one runner at a time prepare a server's tables and plans.

    SQLite needs nothing: its writers wait for one another anyway.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(APPLICATION_ID)))


class LostServer(LedgerError):
    """The database server is gone or had to refuse, maybe for a moment only."""


def is_lost(error: sa.exc.DBAPIError) -> bool:
    """Whether a driver's error means: no server to talk to, or try again."""
    words = (
        "deadlock detected",
        "could not serialize",
        "connection",
        "terminating",
        "starting up",
        "shutting down",
        "server closed",
    )
    text = str(error.orig).lower()
    return isinstance(error, sa.exc.OperationalError) and any(w in text for w in words)


def first_line(error: BaseException) -> str:
    """Return the first line of what a driver says."""
    return str(getattr(error, "orig", error)).strip().split("\n")[0]


def patient(method: Callable[P, T]) -> Callable[P, T]:
    """Let a method of the ledger outlast a server's restart.

    It is called again, with growing pauses, for five minutes. So it has to be
    safe to call twice: results are inserted once, claims are leases.
    """

    @wraps(method)
    def again(*args: P.args, **kwargs: P.kwargs) -> T:
        deadline = time.monotonic() + PATIENCE_SECONDS
        pause = 0.1
        while True:
            try:
                return method(*args, **kwargs)
            except LostServer:
                if time.monotonic() + pause > deadline:
                    raise
            time.sleep(pause)
            pause = min(5.0, 2 * pause)

    return again


_SIGNS_OF_DAMAGE = (
    *("malformed", "not a database", "corrupt", "no such column", "no such table"),
    *("syntax error", "unrecognized token", "no such collation", "unsupported file"),
    *("out of memory", "too big"),
)


def explain(error: BaseException, where: str | Path) -> LedgerError:
    """Turn a driver's error into one sentence."""
    text = str(getattr(error, "orig", error))
    path = Path(where) if "://" not in str(where) else None
    name = masked(where)
    # SQLite quotes a damaged declaration as it is, so its own message may be no text.
    garbled = isinstance(error, UnicodeDecodeError)
    if garbled or (is_file(where) and any(word in text for word in _SIGNS_OF_DAMAGE)):
        return DamagedLedger(f"ledger {name!r} is damaged ({text}); {_ADVICE}")
    if "full" in text or "disk I/O error" in text or "quota" in text:
        free = _free_bytes(path)
        return LedgerError(
            f"the disk of ledger {name!r} is full ({free}); nothing recorded was "
            "lost, free some space and run the same command again"
        )
    if "readonly" in text or "unable to open" in text:
        return LedgerError(
            f"ledger {name!r} cannot be written ({text}); check its permissions "
            "and those of its folder"
        )
    if "locked" in text or "busy" in text:
        return LedgerError(
            f"ledger {name!r} stayed locked for {BUSY_SECONDS} s by another "
            "program; end that program and run the same command again"
        )
    return LedgerError(f"ledger {name!r}: {text}")


def _free_bytes(path: Path | None) -> str:
    import shutil

    if path is None:
        return "free space unknown"
    return f"{shutil.disk_usage(path.parent).free:,} bytes free"
