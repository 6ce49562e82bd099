"""The local engines: lanes, each a thread of the runner with a worker process.

A lane knows its worker's pid, pipe and clock, so it alone decides whether a
trial is over time, over memory or dead, and the other lanes never notice: they
share no lock and no pipe. `serial` is one lane, guarded in the same way.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import tempfile
import threading
import time
import types
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import Any

import psutil

from caveat.exceptions import InvalidInput
from caveat.study._finished import Finished
from caveat.study._trial import Trial
from caveat.study._worker import WorkerSettings, serve, single_thread_environment

MOST_WORKERS = 512
START_ATTEMPTS = 3
_LOOK_SECONDS = 0.05
_PATIENCE_SECONDS = 0.5


class _DetachedProcess(SpawnProcess):
    """A spawned process that does not import the caller's script again.

    So a plain script can call `run` without the `if __name__` guard. Workers
    need nothing of the script: learners are named by their module.
    """

    _launching = threading.Lock()

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        with _DetachedProcess._launching, _one_thread():
            main = sys.modules["__main__"]
            sys.modules["__main__"] = types.ModuleType("__main__")
            try:
                return SpawnProcess._Popen(process_obj)  # type: ignore[attr-defined]
            finally:
                sys.modules["__main__"] = main


class _DetachedContext(SpawnContext):
    Process = _DetachedProcess  # type: ignore[assignment]


@contextlib.contextmanager
def _one_thread() -> Any:
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


class _Lane(threading.Thread):
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
        self._tasks = tasks
        self._ended = ended
        self._seconds = seconds
        self._memory = memory
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._stopping = False

    def run(self) -> None:
        """Work until there is no more, then end the worker."""
        while not self._stopping:
            trial = self._tasks.get()
            if trial is None:
                break
            self._ended.put(self._attempt(trial))
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
                    continue
            assert self._pipe is not None
            with contextlib.suppress(OSError):
                self._pipe.send((trial.key, trial.spec))
                return True
            self._end_worker()
        return False

    def _start_worker(self) -> bool:
        context = _DetachedContext()
        self._pipe, theirs = context.Pipe()
        self._process = _DetachedProcess(target=serve, args=(theirs, self._settings))
        self._process.start()
        theirs.close()
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


class ProcessEngine:
    """Runs trials on worker processes of this machine.

    Parameters
    ----------
    jobs : int or None
        Number of workers; all cores if None.
    seconds, memory : float, int or None
        Limits of one trial.
    allow_import : bool
        Whether learners of the user's modules may be imported.
    topics : sequence of str
        What the workers are to load before their first trial.
    """

    def __init__(
        self,
        *,
        jobs: int | None = None,
        seconds: float | None = None,
        memory: int | None = None,
        allow_import: bool = False,
        topics: Sequence[str] = (),
    ) -> None:
        self.workers = check_jobs(jobs)
        self._limits = (seconds, memory)
        self._allow_import = allow_import
        self._topics = list(topics)
        self._tasks: queue.SimpleQueue[Trial | None] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[Finished] = queue.SimpleQueue()
        self._in_flight = 0

    @property
    def capacity(self) -> int:
        """How many more trials it wants: one under way and one ahead for each lane."""
        return 2 * self.workers - self._in_flight

    def __enter__(self) -> ProcessEngine:
        self._folder = tempfile.TemporaryDirectory(prefix="caveat-workers-")
        self._lanes = [
            _Lane(self._settings(number), self._tasks, self._ended, *self._limits)
            for number in range(self.workers)
        ]
        for lane in self._lanes:
            lane.start()
        return self

    def __exit__(self, *_: object) -> None:
        for lane in self._lanes:
            lane.stop()
            self._tasks.put(None)
        for lane in self._lanes:
            lane.join()
        self._folder.cleanup()

    def _settings(self, number: int) -> WorkerSettings:
        return WorkerSettings(
            parent=os.getpid(),
            log=os.path.join(self._folder.name, f"{number}.log"),
            import_path=list(sys.path),
            topics=self._topics,
            allow_import=self._allow_import,
        )

    def submit(self, trial: Trial) -> None:
        """Hand a trial to the next free worker."""
        self._in_flight += 1
        self._tasks.put(trial)

    def wait(self, seconds: float) -> list[Finished]:
        """Return the trials that ended, waiting for the first at most so long."""
        ended: list[Finished] = []
        with contextlib.suppress(queue.Empty):
            ended.append(self._ended.get(timeout=seconds))
            while True:
                ended.append(self._ended.get_nowait())
        self._in_flight -= len(ended)
        return ended


class SerialEngine(ProcessEngine):
    """Runs one trial after another, in the order of the plan."""

    def __init__(self, *, jobs: int | None = None, **limits: Any) -> None:
        if jobs not in (None, 1):
            raise InvalidInput(
                f"--jobs {jobs}: the serial engine has one worker; "
                "use --engine processes"
            )
        super().__init__(jobs=1, **limits)


def check_jobs(jobs: int | None) -> int:
    """Return the number of workers, all cores if nothing is said."""
    if jobs is None:
        if sys.platform == "linux":
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if not 1 <= jobs <= MOST_WORKERS:
        raise InvalidInput(f"--jobs {jobs} is out of range; use 1 to {MOST_WORKERS}")
    return jobs


def _exit_text(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {-code} ({signal.Signals(-code).name})"
    return f"exit code {code}"
