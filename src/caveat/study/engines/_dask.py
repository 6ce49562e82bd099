"""The Dask engine: a local cluster, a scheduler's address, or a batch system.

Only specs go out and only records come back. Inside a Dask worker every trial
runs under a supervisor, so time limits, memory limits and crashes are handled
as on one machine; what Dask itself loses is handed out again.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sys
import types
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import dask
from distributed import Client, KilledWorker, LocalCluster, get_worker
from distributed.client import Future

from caveat.exceptions import CaveatError, InvalidInput, UnknownName
from caveat.study.engines._batch_systems import BATCH_SYSTEMS, batch_cluster
from caveat.study.engines._pool import check_jobs
from caveat.study.engines._supervisor import Supervisor
from caveat.study.engines._worker import WorkerSettings, single_thread_environment
from caveat.study.trials._finished import Finished
from caveat.study.trials._trial import Trial

CHUNK_SECONDS = 1.5
MOST_IN_CHUNK = 500
_BEGUN = "caveat-trial"
_CONFIG = {
    "distributed.worker.multiprocessing-method": "spawn",
    # Supervisors watch the memory of trials; Dask's own guesses would only interfere.
    "distributed.worker.memory.terminate": False,
    "distributed.logging.distributed": "error",
}

Task = tuple[str, dict[str, Any]]


class LostScheduler(CaveatError):
    """The Dask scheduler is gone; what was recorded is not."""


class DaskEngine:
    """Runs trials on a Dask cluster.

    Parameters
    ----------
    jobs : int or None
        Number of workers; all cores (or one job of a batch system) if None.
    trial_seconds, trial_memory : float, int or None
        Limits of one trial.
    allow_import : bool
        Whether learners of the user's modules may be imported.
    topics : sequence of str
        What the workers are to load before their first trial.
    scheduler : str or None
        Address of a running scheduler, such as ``tcp://10.0.0.1:8786``.
    jobqueue : {"slurm", "sge", "pbs", "lsf", "oar", "htcondor"} or None
        Batch system to start workers in; needs ``cores`` and ``memory``.
    **queue : str, int or list
        Everything else goes to the batch system's cluster as it is: ``cores``,
        ``memory``, ``walltime``, ``queue``, ``account``, ...
    """

    def __init__(
        self,
        *,
        jobs: int | None = None,
        trial_seconds: float | None = None,
        trial_memory: int | None = None,
        allow_import: bool = False,
        topics: Sequence[str] = (),
        scheduler: str | None = None,
        jobqueue: str | None = None,
        **queue_options: Any,
    ) -> None:
        if scheduler is not None and jobqueue is not None:
            raise InvalidInput(
                "engine: scheduler and jobqueue exclude each other; name one"
            )
        if queue_options and jobqueue is None:
            name = next(iter(queue_options))
            raise InvalidInput(
                f"engine: {name!r} is an option of a batch system; add jobqueue: slurm"
            )
        if jobqueue is not None and jobqueue not in BATCH_SYSTEMS:
            raise UnknownName.among("jobqueue", jobqueue, BATCH_SYSTEMS)
        self._jobs = check_jobs(jobs) if jobs is not None or jobqueue is None else 1
        self._scheduler = scheduler
        self._jobqueue = jobqueue
        self._queue_options = queue_options
        self._guard = (
            [trial_seconds, trial_memory],
            {
                "import_path": list(sys.path),
                "topics": list(topics),
                "allow_import": allow_import,
            },
        )
        self._ended: queue.SimpleQueue[tuple[list[Task], Future]] = queue.SimpleQueue()
        self._waiting: dict[str, list[Task]] = defaultdict(list)
        self._futures: dict[Future, list[Task]] = {}
        self._at: dict[str, str] = {}
        self._trials = 0
        self._mean_seconds = CHUNK_SECONDS
        self._lost: set[str] = set()

    def __enter__(self) -> DaskEngine:
        with contextlib.ExitStack() as stack:
            stack.enter_context(dask.config.set(_CONFIG))
            # Workers are started again at any time, so this holds to the end.
            stack.enter_context(without_main())
            stack.enter_context(one_thread())
            self._cluster = self._make_cluster()
            if self._cluster is not None:
                stack.callback(self._cluster.close, timeout=10)
            address = self._scheduler or self._cluster
            try:
                self._client = Client(address, set_as_default=False, timeout=20)
            except OSError as error:
                raise InvalidInput(
                    f"no Dask scheduler answers at {self._scheduler}: {error}; "
                    "check the address"
                ) from error
            stack.callback(self._client.close, timeout=5)
            self._client.subscribe_topic(_BEGUN, self._note_begun)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):
            self._client.cancel(list(self._futures), force=True)
            self._client.run(end_supervisor, nanny=False)
        self._stack.close()

    def _make_cluster(self) -> Any:
        if self._scheduler is not None:
            return None
        if self._jobqueue is not None:
            cluster = batch_cluster(self._jobqueue, self._queue_options)
            cluster.scale(jobs=self._jobs)
            return cluster
        return LocalCluster(
            n_workers=self._jobs,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
        )

    @property
    def workers(self) -> int:
        """How many workers there are now, at least one."""
        if self._scheduler is None and self._jobqueue is None:
            return self._jobs
        known = self._client.scheduler_info().get("workers", {})
        return max(1, len(known))

    @property
    def current(self) -> list[str]:
        """Keys of the trials that the workers are at, as they told last."""
        out = {key for tasks in list(self._futures.values()) for key, _ in tasks}
        return [key for _, key in sorted(self._at.items()) if key in out]

    def _note_begun(self, event: tuple[float, dict[str, str]]) -> None:
        told = event[1]
        self._at[told["worker"]] = told["key"]

    @property
    def capacity(self) -> int:
        """How many more trials it wants: two tasks in flight for each worker."""
        tasks = 2 * self.workers - len(self._futures)
        return max(0, tasks * self._chunk - sum(map(len, self._waiting.values())))

    @property
    def _chunk(self) -> int:
        """How many trials make a task of one to two seconds."""
        return max(1, min(MOST_IN_CHUNK, int(CHUNK_SECONDS / self._mean_seconds)))

    def submit(self, trial: Trial) -> None:
        """Take a trial; it goes out with others of its data set."""
        chunk = self._waiting[trial.spec["dataset"]["digest"]]
        chunk.append((trial.key, trial.spec))
        if len(chunk) >= self._chunk or trial.key in self._lost:
            self._send(chunk)

    def _send(self, chunk: list[Task]) -> None:
        tasks = list(chunk)
        chunk.clear()
        self._check_scheduler()
        future = self._client.submit(run_guarded, tasks, *self._guard, pure=False)
        self._futures[future] = tasks
        future.add_done_callback(lambda done: self._ended.put((tasks, done)))

    def wait(self, seconds: float) -> list[Finished]:
        """Return the trials that ended, waiting for the first at most so long."""
        for chunk in self._waiting.values():
            if chunk:
                self._send(chunk)
        ended: list[Finished] = []
        with contextlib.suppress(queue.Empty):
            ended.extend(self._collect(*self._ended.get(timeout=seconds)))
            while True:
                ended.extend(self._collect(*self._ended.get_nowait()))
        self._check_scheduler()
        return ended

    def _check_scheduler(self) -> None:
        if self._client.status not in ("running", "connecting"):
            raise LostScheduler(
                "the Dask scheduler was lost; nothing recorded is gone, "
                "run the same command again"
            )

    def _collect(self, tasks: list[Task], future: Future) -> list[Finished]:
        self._futures.pop(future, None)
        if future.status == "finished":
            ended: list[Finished] = future.result()
            for item in ended:
                self._trials += 1
                weight = max(0.05, 1 / self._trials)
                spent = max(1e-3, item.seconds or 0.0)
                self._mean_seconds += weight * (spent - self._mean_seconds)
            return ended
        if future.status == "cancelled":
            return []
        error = future.exception()
        if isinstance(error, KilledWorker) and not any(
            key in self._lost for key, _ in tasks
        ):
            # One of them may be poison, or the machine was: each gets a task alone.
            self._lost.update(key for key, _ in tasks)
            for task in tasks:
                self._send([task])
            return []
        message = f"lost by Dask: {type(error).__name__}: {error}"[:500]
        return [
            Finished(key, "crashed", reason="crashed", message=message)
            for key, _ in tasks
        ]


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


def run_guarded(
    tasks: list[Task], limits: list[Any], settings: dict[str, Any]
) -> list[Finished]:
    """Run trials one by one under this Dask worker's supervisor."""
    worker = get_worker()
    task = worker.get_current_task()
    supervisor = _own_supervisor(worker, limits, settings)
    ended: list[Finished] = []
    for key, spec in tasks:
        worker.log_event(_BEGUN, {"key": key})
        supervisor.tasks.put(Trial(spec))
        finished = None
        while finished is None:
            with contextlib.suppress(queue.Empty):
                finished = supervisor.ended.get(timeout=1.0)
            if _is_unwanted(worker, task):
                # The runner is gone or gave up: nobody waits for the rest.
                end_supervisor(worker)
                return ended
        assert finished.key == key, "the supervisor answered for another trial"
        ended.append(finished)
    return ended


def _is_unwanted(worker: Any, task: Any) -> bool:
    known = worker.state.tasks.get(task)
    return known is None or known.state == "cancelled"


def _own_supervisor(
    worker: Any, limits: list[Any], settings: dict[str, Any]
) -> Supervisor:
    """Return the Dask worker's supervisor, made at its first trial."""
    found = getattr(worker, "caveat_supervisor", None)
    if found is None or not found.is_alive() or found.limits != limits:
        queues: Any = (queue.SimpleQueue(), queue.SimpleQueue())
        found = Supervisor(WorkerSettings(**settings), *queues, *limits)
        found.start()
        worker.caveat_supervisor = found
    return found


def end_supervisor(dask_worker: Any) -> None:
    """End the trials of a Dask worker that will live on, after a study."""
    found = getattr(dask_worker, "caveat_supervisor", None)
    if found is not None:
        found.stop()
        found.tasks.put(None)
        found.join(timeout=10)
        dask_worker.caveat_supervisor = None
