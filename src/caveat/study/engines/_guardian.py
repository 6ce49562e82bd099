"""The guardian: parent of a worker, and the one who cleans up after it.

It forks the worker before anything heavy is loaded, takes what the worker prints
(keeping only the end of it), and waits for the worker or the runner to die. Then it
ends all that is left below it, writes the last words to its standard output, and ends
just as the worker ended, so that its exit code tells the runner what happened.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import sys
import traceback

from caveat.study.engines._messages import Inbox, Watch
from caveat.study.engines._process_tree import (
    MARK,
    adopt_orphans,
    die_with_parent,
    end_below,
)
from caveat.study.engines._worker import NEW_TRIAL, WorkerSettings, serve

LAST_WORDS = 2_000
_LOOK_SECONDS = 0.5
_CHUNK = 1 << 16


def main() -> None:
    """Be the guardian; the arguments are the runner's pid and a socket's number."""
    runner, number = map(int, sys.argv[1:3])
    sys.argv[:] = ["caveat"]
    here = socket.socket(fileno=number)
    settings = WorkerSettings(**Inbox(here).receive())
    adopt_orphans()
    guardian = os.getpid()
    output, printed = os.pipe()
    worker = os.fork()
    if worker == 0:
        os.close(output)
        for stream in (1, 2):
            os.dup2(printed, stream)
        os.close(printed)
        _be_worker(guardian, here, settings)
    here.close()
    os.close(printed)
    code, words = _watch(runner, worker, output)
    end_below(guardian, os.environ[MARK])
    words += _rest(output)
    os.write(1, words.rpartition(NEW_TRIAL)[2][-LAST_WORDS:])
    _end_like(code)


def _be_worker(guardian: int, here: socket.socket, settings: WorkerSettings) -> None:
    """Serve, and leave without waiting for threads that a learner left."""
    try:
        os.setsid()
        die_with_parent(guardian)
        adopt_orphans()
        serve(here, settings)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _watch(runner: int, worker: int, output: int) -> tuple[int, bytes]:
    """Wait until worker or runner is gone; return the worker's exit code and words."""
    watch = Watch([output, *_handle(runner), *_handle(worker)])
    words = b""
    while os.getppid() == runner:
        if output in watch.wait(_LOOK_SECONDS):
            chunk = os.read(output, _CHUNK)
            words = (words + chunk)[-2 * LAST_WORDS :]
            if not chunk:
                watch.forget(output)
        code = _reap(worker)
        if code is not None:
            return code, words
    return 0, words


def _handle(pid: int) -> list[int]:
    """Return a descriptor that is ready when a process ends, where there is one."""
    with contextlib.suppress(AttributeError, OSError):
        return [os.pidfd_open(pid)]
    return []


def _reap(worker: int) -> int | None:
    """Clear ended children away; return the worker's exit code if it is among them."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == worker:
                code = os.waitstatus_to_exitcode(status)
    return code


def _rest(output: int) -> bytes:
    """Read what was printed last; nobody is left who could print more."""
    os.set_blocking(output, False)
    words = b""
    with contextlib.suppress(BlockingIOError):
        while chunk := os.read(output, _CHUNK):
            words += chunk
    return words


def _end_like(code: int) -> None:
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)
