"""Watching worker processes from outside: memory limits, and no one left behind.

A worker cannot be trusted to watch itself: C code may hold the interpreter
while it allocates. So a thread of the runner looks at every worker's resident
size, and after a worker's end removes whatever it had started.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from pathlib import Path

import psutil

_EVERY_SECONDS = 0.05


class Watcher:
    """Watches the workers that registered in a folder.

    Parameters
    ----------
    register : Path
        Folder with a file per worker, named after its pid.
    limit : int or None
        Resident bytes above which a worker is killed.

    Attributes
    ----------
    killed : dict of int to int
        Pid to resident bytes of every worker killed for its size.
    """

    def __init__(self, register: Path, limit: int | None) -> None:
        self.killed: dict[int, int] = {}
        self._register = register
        self._limit = limit
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching, then end all process groups that are left."""
        self._stop.set()
        self._thread.join()
        for pid in self.pids():
            end_group(pid)

    def pids(self) -> list[int]:
        """Pids of all workers that ever registered and were not yet cleaned up."""
        return [int(item.name) for item in self._register.iterdir()]

    def _loop(self) -> None:
        while not self._stop.wait(_EVERY_SECONDS):
            for pid in self.pids():
                self._look(pid)

    def _look(self, pid: int) -> None:
        try:
            process = psutil.Process(pid)
            if process.status() == psutil.STATUS_ZOMBIE:
                raise psutil.NoSuchProcess(pid)
            if self._limit is None:
                return
            size = process.memory_info().rss
        except psutil.Error:
            end_group(pid)
            (self._register / str(pid)).unlink(missing_ok=True)
            return
        if size > self._limit:
            self.killed[pid] = size
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def end_group(pid: int) -> None:
    """Kill what is left of a worker's process group: its own children."""
    if pid <= 1 or pid == os.getpgrp():
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
