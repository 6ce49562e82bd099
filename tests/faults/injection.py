"""Let the n-th operation of a kind fail: SQLite's way of testing what nobody sees.

An `Injector` counts the operations that a piece of work makes (file operations, looks
at the processes that run, statements and commits of the ledger, starts of processes and
threads, pipes, calls of the network, looks at the clock) and, if told so, makes one of
them fail as the system would: with an error of its own kind, at the very place.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

_NUMBERS = (errno.EIO, errno.ENOSPC, errno.EMFILE)
_WORDS = ("disk I/O error", "database or disk is full", "unable to open database file")
_REAL_OPEN, _REAL_OS_OPEN = io.open, os.open


class Injector:
    """Counts operations of one kind; the `at`-th of them fails (0: none does)."""

    def __init__(self, kind: str, at: int = 0) -> None:
        self.kind, self.at = kind, at
        self.count = 0
        self.fired = ""
        self._lock = threading.Lock()

    def due(self, what: str) -> bool:
        """Count an operation; whether this is the one that fails."""
        with self._lock:
            self.count += 1
            if self.count != self.at:
                return False
            self.fired = what
            return True

    def check(self, what: str) -> None:
        """Count an operation of the system, and fail if it is the one."""
        if self.due(what):
            number = _NUMBERS[self.at % len(_NUMBERS)]
            raise OSError(number, os.strerror(number))

    def before(self, real: Callable[..., Any], what: str) -> Callable[..., Any]:
        """Wrap a function so that it can fail before it does anything."""

        def wrapped(*args: Any, **options: Any) -> Any:
            self.check(what)
            return real(*args, **options)

        return wrapped

    @contextmanager
    def on(self) -> Iterator[Injector]:
        """Count, and let fail, as long as the context lasts."""
        with ExitStack() as stack:
            for target, name, replacement in _PATCHES[self.kind](self):
                stack.enter_context(mock.patch.object(target, name, replacement))
            yield self


def raw_bytes(path: Path) -> bytes:
    """Read a file for a check: never counted, never failing."""
    with _REAL_OPEN(path, "rb", opener=_REAL_OS_OPEN) as file:
        return file.read()


class _File(io.FileIO):
    """A file whose reads and writes are counted."""

    injector: Injector

    def readinto(self, buffer: Any) -> int | None:
        self.injector.check("read")
        return super().readinto(buffer)

    def readall(self) -> bytes:
        self.injector.check("read")
        return super().readall()

    def write(self, data: Any) -> int | None:
        self.injector.check("write")
        return super().write(data)


def _opener(injector: Injector, what: str) -> Callable[..., Any]:
    """Open as `open` does, over a file that counts."""

    def opened(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        # The table of processes is looked at often: it is a kind of its own.
        if (injector.kind == "look") != str(file).startswith("/proc/"):
            return _REAL_OPEN(
                file, mode, buffering, encoding, errors, newline, closefd, opener
            )
        injector.check(what)
        kind = type("_Counted", (_File,), {"injector": injector})
        raw = kind(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        if buffering == 0:
            return raw
        if "+" in mode:
            stream: Any = io.BufferedRandom(raw)
        else:
            stream = (io.BufferedReader if "r" in mode else io.BufferedWriter)(raw)
        if "b" in mode:
            return stream
        return io.TextIOWrapper(stream, encoding, errors, newline)

    return opened


def _of_looks(injector: Injector) -> Iterator[tuple[Any, str, Any]]:
    opened = _opener(injector, "open")
    yield io, "open", opened
    yield builtins, "open", opened


def _of_files(injector: Injector) -> Iterator[tuple[Any, str, Any]]:
    yield from _of_looks(injector)
    # `os.fdopen` is no operation of its own: the descriptor is there already.
    silent = Injector("file")
    wrapped = _opener(silent, "fdopen")

    def fdopen(handle: int, mode: str = "r", *args: Any, **options: Any) -> Any:
        stream = wrapped(handle, mode, *args, **options)
        raw = getattr(stream, "buffer", stream).raw
        type(raw).injector = injector
        return stream

    yield os, "fdopen", fdopen
    for name in ("open", "fsync", "replace", "rename", "mkdir", "unlink", "scandir"):
        yield os, name, injector.before(getattr(os, name), name)


class _Cursor(sqlite3.Cursor):
    def execute(self, *args: Any) -> Any:
        _fail(self.connection.injector, "ledger", f"statement {args[0][:30]!r}")
        return super().execute(*args)

    def executemany(self, *args: Any) -> Any:
        _fail(self.connection.injector, "ledger", f"statement {args[0][:30]!r}")
        return super().executemany(*args)


class _Connection(sqlite3.Connection):
    """A connection whose statements and commits are counted.

    Every commit counts twice: it may fail before anything is stored, and its answer
    may be lost when all of it is stored.
    """

    injector: Injector

    def cursor(self, factory: Any = _Cursor) -> Any:
        return super().cursor(factory)

    def execute(self, *args: Any) -> Any:
        _fail(self.injector, "ledger", f"statement {args[0][:30]!r}")
        return super().execute(*args)

    def commit(self) -> None:
        _fail(self.injector, "commit", "before a commit")
        super().commit()
        _fail(self.injector, "commit", "after a commit")


def _fail(injector: Injector, kind: str, what: str) -> None:
    if injector.kind == kind and injector.due(what):
        raise sqlite3.OperationalError(_WORDS[injector.at % len(_WORDS)])


def _of_ledgers(injector: Injector) -> Iterator[tuple[Any, str, Any]]:
    kind = type("_Counted", (_Connection,), {"injector": injector})
    real = sqlite3.connect

    def connect(*args: Any, **options: Any) -> Any:
        _fail(injector, "ledger", "connect")
        return real(*args, factory=kind, **options)

    yield sqlite3, "connect", connect


def _of_processes(injector: Injector) -> Iterator[tuple[Any, str, Any]]:
    fork = subprocess._fork_exec  # type: ignore[attr-defined]
    yield subprocess, "_fork_exec", injector.before(fork, "fork")
    yield os, "pipe", injector.before(os.pipe, "pipe")
    yield socket, "socketpair", injector.before(socket.socketpair, "pair of sockets")
    for name in ("sendall", "recv"):
        real = getattr(socket.socket, name)
        yield socket.socket, name, injector.before(real, f"message, {name}")


def _of_networks(injector: Injector) -> Iterator[tuple[Any, str, Any]]:
    for name in ("accept", "recv_into", "sendall", "connect", "settimeout"):
        real = getattr(socket.socket, name)
        yield socket.socket, name, injector.before(real, name)
    start = threading.Thread.start

    def started(thread: threading.Thread) -> None:
        if injector.due("thread"):
            raise RuntimeError("can't start new thread")
        start(thread)

    yield threading.Thread, "start", started


def _of_clocks(injector: Injector) -> Iterator[tuple[Any, str, Any]]:
    """From the n-th look on, clocks are a day ahead, or, for every other n, behind."""
    day = 86_400.0 if injector.at % 2 else -86_400.0
    for name in ("monotonic", "time"):
        real = getattr(time, name)

        def jumped(real: Any = real, name: str = name) -> float:
            injector.due(name)
            return real() + (day if injector.fired else 0.0)

        yield time, name, jumped


_PATCHES: dict[str, Callable[[Injector], Iterator[tuple[Any, str, Any]]]] = {
    "file": _of_files,
    "look": _of_looks,
    "ledger": _of_ledgers,
    "commit": _of_ledgers,
    "process": _of_processes,
    "network": _of_networks,
    "clock": _of_clocks,
}
