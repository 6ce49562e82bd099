"""The local engines: a pool of guarded worker processes (Pebble).

`serial` is the same pool with one worker, so that a trial that hangs, crashes
or eats memory is survived there too.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import sys
import tempfile
import threading
import types
from collections.abc import Sequence
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import Any

import pebble

from caveat.exceptions import InvalidInput
from caveat.study._finished import Finished
from caveat.study._trial import Trial
from caveat.study._watch import Watcher
from caveat.study._worker import single_thread_environment, start_worker, work

MOST_WORKERS = 512


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

    ahead = 2

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
        self._seconds = seconds
        self._memory = memory
        self._allow_import = allow_import
        self._topics = list(topics)
        self._ended: queue.SimpleQueue[Finished] = queue.SimpleQueue()
        self._in_flight: set[str] = set()

    @property
    def capacity(self) -> int:
        """How many more trials it wants."""
        return self.workers * self.ahead - len(self._in_flight)

    def __enter__(self) -> ProcessEngine:
        self._register = Path(tempfile.mkdtemp(prefix="caveat-workers-"))
        self._watcher = Watcher(self._register, self._memory)
        self._pool = pebble.ProcessPool(
            max_workers=self.workers,
            context=_DetachedContext(),
            initializer=start_worker,
            initargs=[
                str(self._register),
                os.getpid(),
                list(sys.path),
                self._topics,
            ],
        )
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Idle workers end by themselves; a busy one is of no use any more.
        self._pool.stop()
        self._pool.join()
        self._watcher.stop()
        shutil.rmtree(self._register, ignore_errors=True)

    def submit(self, trial: Trial) -> None:
        """Hand a trial to the next free worker."""
        self._in_flight.add(trial.key)
        future = self._pool.schedule(
            work,
            args=[trial.key, trial.spec, self._allow_import],
            timeout=self._seconds,
        )
        future.add_done_callback(
            lambda done: self._ended.put(self._interpret(trial.key, done))
        )

    def wait(self, seconds: float) -> list[Finished]:
        """Return the trials that ended, waiting for the first at most so long."""
        ended = []
        with contextlib.suppress(queue.Empty):
            ended.append(self._ended.get(timeout=seconds))
            while True:
                ended.append(self._ended.get_nowait())
        for item in ended:
            self._in_flight.discard(item.key)
        return ended

    def _interpret(self, key: str, future: Any) -> Finished:
        try:
            return future.result()
        except TimeoutError:
            limit = self._seconds or 0
            return Finished(
                key,
                "timeout",
                reason="timeout",
                message=f"over {limit:g} s, the budget of a trial",
                seconds=limit,
            )
        except pebble.ProcessExpired as error:
            size = self._watcher.killed.get(error.pid or 0)
            if size is not None:
                return Finished(
                    key,
                    "oom",
                    reason="memory",
                    message=f"over {self._memory:,} bytes; the worker was ended",
                    rss=size,
                )
            return Finished(
                key,
                "crashed",
                reason="crashed",
                message=f"the worker ended with {_exit_text(error.exitcode)}",
            )
        except Exception as error:
            return Finished(
                key,
                "crashed",
                reason=type(error).__name__,
                message=f"the result did not come back: {error}"[:500],
            )


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
        return (
            len(os.sched_getaffinity(0))
            if sys.platform == "linux"
            else os.cpu_count() or 1
        )
    if not 1 <= jobs <= MOST_WORKERS:
        raise InvalidInput(f"--jobs {jobs} is out of range; use 1 to {MOST_WORKERS}")
    return jobs


def _exit_text(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {-code} ({signal.Signals(-code).name})"
    return f"exit code {code}"
