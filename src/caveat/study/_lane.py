"""A lane: a worker process, and the thread of the runner that looks after it.

A lane knows its worker's pid, pipe and clock, so it alone decides whether a
trial is over time, over memory or dead, and other lanes never notice: they
share no lock and no pipe.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
import types
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import Any

import psutil

from caveat.study._finished import Finished
from caveat.study._trial import Trial
from caveat.study._worker import WorkerSettings, serve, single_thread_environment

START_ATTEMPTS = 3
_LOOK_SECONDS = 0.05
_PATIENCE_SECONDS = 0.5


@contextlib.contextmanager
def without_main() -> Iterator[None]:
    """Keep spawned processes from importing the caller's script again.

    So a plain script can call `run` without the `if __name__` guard. Workers
    need nothing of the script: learners are named by their module.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class _DetachedProcess(SpawnProcess):
    """A spawned process that knows nothing of the caller's script."""

    _launching = threading.Lock()

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        with _DetachedProcess._launching, one_thread(), without_main():
            return SpawnProcess._Popen(process_obj)  # type: ignore[attr-defined]


class _DetachedContext(SpawnContext):
    Process = _DetachedProcess  # type: ignore[assignment]


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let a child inherit one-thread settings before it loads any library."""
    wanted = single_thread_environment()
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class Lane(threading.Thread):
    """One worker process and the thread that looks after it.

    Parameters
    ----------
    settings : WorkerSettings
    tasks, ended : queue
        Trials come in (None ends the lane), `Finished` go out.
    seconds, memory : float, int or None
        Limits of one trial.
    """

    def __init__(
        self,
        settings: WorkerSettings,
        tasks: queue.SimpleQueue[Trial | None],
        ended: queue.SimpleQueue[Finished],
        seconds: float | None,
        memory: int | None,
    ) -> None:
        super().__init__(daemon=True)
        self._settings = settings
        self.tasks = tasks
        self.ended = ended
        self.limits = [seconds, memory]
        self._seconds = seconds
        self._memory = memory
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._stopping = False

    def run(self) -> None:
        """Work until there is no more, then end the worker."""
        while not self._stopping:
            trial = self.tasks.get()
            if trial is None:
                break
            self.ended.put(self._attempt(trial))
        self._end_worker()
        Path(self._settings.log).unlink(missing_ok=True)

    def stop(self) -> None:
        """End at once, whatever is under way."""
        self._stopping = True

    def _attempt(self, trial: Trial) -> Finished:
        if not self._send(trial):
            return self._gone(trial.key, "the worker could not be started")
        assert self._process is not None
        assert self._pipe is not None
        started = time.monotonic()
        pause = _PATIENCE_SECONDS if self._memory is None else _LOOK_SECONDS
        while not self._stopping:
            left = pause
            if self._seconds is not None:
                left = min(pause, started + self._seconds - time.monotonic())
            ready = wait([self._pipe, self._process.sentinel], max(0.0, left))
            if self._pipe in ready:
                with contextlib.suppress(EOFError, OSError):
                    return self._pipe.recv()
                return self._gone(trial.key, "the worker ended")
            if ready:
                return self._gone(trial.key, "the worker ended")
            if self._seconds is not None and time.monotonic() - started > self._seconds:
                self._end_worker()
                return Finished(
                    trial.key,
                    "timeout",
                    reason="timeout",
                    message=f"over {self._seconds:g} s, the budget of a trial",
                    seconds=self._seconds,
                )
            size = self._size()
            if self._memory is not None and size > self._memory:
                self._end_worker()
                return Finished(
                    trial.key,
                    "oom",
                    reason="memory",
                    message=f"over {self._memory:,} bytes, the budget of a trial",
                    seconds=time.monotonic() - started,
                    rss=size,
                )
        return Finished(trial.key, "crashed", reason="stopped", message="stopped")

    def _send(self, trial: Trial) -> bool:
        """Hand a trial over; a worker that died idle is replaced first."""
        for _ in range(START_ATTEMPTS):
            if self._process is None or not self._process.is_alive():
                self._end_worker()
                if not self._start_worker():
                    self._end_worker()
                    continue
            assert self._pipe is not None
            with contextlib.suppress(OSError):
                self._pipe.send((trial.key, trial.spec))
                return True
            self._end_worker()
        return False

    def _start_worker(self) -> bool:
        context = _DetachedContext()
        try:
            self._pipe, theirs = context.Pipe()
            with theirs:
                self._process = _DetachedProcess(
                    target=serve, args=(theirs, self._settings)
                )
                self._process.start()
        except OSError:  # no more processes or files: it is tried again
            return False
        ready: list[Any] = []
        while not ready and not self._stopping:
            ready = wait([self._pipe, self._process.sentinel], _PATIENCE_SECONDS)
        with contextlib.suppress(EOFError, OSError):
            return self._pipe in ready and self._pipe.recv() == "ready"
        return False

    def _gone(self, key: str, what: str) -> Finished:
        """Describe a worker that ended by itself, with the last words it printed."""
        code = None
        if self._process is not None:
            self._process.join(timeout=5)
            code = self._process.exitcode
        words = self._last_words()
        self._end_worker()
        message = f"{what} with {_exit_text(code)}" if code is not None else what
        return Finished(key, "crashed", reason="crashed", message=message, frames=words)

    def _last_words(self) -> list[str]:
        try:
            raw = Path(self._settings.log).read_bytes()[-2_000:]
        except OSError:
            return []
        lines = raw.decode("utf-8", "backslashreplace").splitlines()
        return [line[:200] for line in lines[-10:]]

    def _size(self) -> int:
        assert self._process is not None
        try:
            return psutil.Process(self._process.pid).memory_info().rss
        except psutil.Error:
            return 0

    def _end_worker(self) -> None:
        """Kill the worker and whatever it started, and forget it."""
        if self._process is not None and self._process.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self._process.pid, signal.SIGKILL)
            self._process.join()
            self._process.close()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


def _exit_text(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {-code} ({signal.Signals(-code).name})"
    return f"exit code {code}"
