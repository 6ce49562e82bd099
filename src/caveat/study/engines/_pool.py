"""The local engines: as many supervised workers as there are jobs; `serial` has one."""

from __future__ import annotations

import contextlib
import os
import queue
import sys
from collections.abc import Sequence
from typing import Any

from caveat.exceptions import InvalidInput
from caveat.study.engines._supervisor import Supervisor
from caveat.study.engines._worker import WorkerSettings
from caveat.study.trials._finished import Finished
from caveat.study.trials._trial import Trial

MOST_WORKERS = 512


class ProcessEngine:
    """Runs trials on worker processes of this machine.

    Parameters
    ----------
    jobs : int or None
        Number of workers; all cores if None.
    trial_seconds, trial_memory : float, int or None
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
        trial_seconds: float | None = None,
        trial_memory: int | None = None,
        allow_import: bool = False,
        topics: Sequence[str] = (),
    ) -> None:
        self.workers = check_jobs(jobs)
        self._limits = (trial_seconds, trial_memory)
        self._allow_import = allow_import
        self._topics = list(topics)
        self._tasks: queue.SimpleQueue[Trial | None] = queue.SimpleQueue()
        self._ended: queue.SimpleQueue[Finished] = queue.SimpleQueue()
        self._in_flight = 0

    @property
    def capacity(self) -> int:
        """How many more trials it wants: one under way and one ahead per worker."""
        return 2 * self.workers - self._in_flight

    @property
    def current(self) -> list[str]:
        """Keys of the trials that the workers are at."""
        keys = [supervisor.current for supervisor in self._supervisors]
        return [key for key in keys if key is not None]

    def __enter__(self) -> ProcessEngine:
        settings = WorkerSettings(list(sys.path), self._topics, self._allow_import)
        self._supervisors = [
            Supervisor(settings, self._tasks, self._ended, *self._limits)
            for _ in range(self.workers)
        ]
        for supervisor in self._supervisors:
            supervisor.start()
        return self

    def __exit__(self, *_: object) -> None:
        for supervisor in self._supervisors:
            supervisor.stop()
            self._tasks.put(None)
        for supervisor in self._supervisors:
            supervisor.join()

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
