"""Running a study: claim, hand out, record; resume by doing just that again.

Only the runner writes to the ledger. It may be killed at any moment: what was
recorded stays, what was not is done again by whoever runs the study next.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from caveat.exceptions import InvalidInput
from caveat.study.files._imports import beside, import_learners
from caveat.study.files._spec import Study, load_study
from caveat.study.ledger._ledger import Ledger
from caveat.study.registry import ENGINES
from caveat.study.trials._finished import Finished
from caveat.study.trials._plan import plan
from caveat.study.trials._trial import Trial

HEARTBEAT_SECONDS = 10.0
STOP_SECONDS = 10.0
CRASH_RETRIES = 1
CLAIM_SECONDS = 1.0
#: Trials that end within so long share a commit, so safety costs little.
COMMIT_SECONDS = 0.05
MOST_CLAIMED = 256


@dataclass(frozen=True)
class Event:
    """One step of a run, for whoever shows progress.

    Attributes
    ----------
    total, done : int
        Trials of the study, and how many of them have a result by now.
    states : Counter
        Results by state, those of earlier runs included.
    ended : Finished or None
        The trial that just ended.
    trial : Trial or None
    running : tuple of Trial
        What the workers are at.
    """

    total: int
    done: int
    states: Counter[str]
    ended: Finished | None = None
    trial: Trial | None = None
    running: tuple[Trial, ...] = ()

    @property
    def failed(self) -> int:
        """Trials that ended without a value."""
        return sum(self.states.values()) - self.states["done"]


@dataclass(frozen=True)
class Summary:
    """How a run ended.

    Attributes
    ----------
    study : str
    total, executed : int
        Trials of the study, and those that this run did.
    states : dict of str to int
    orphans : int
        Recorded trials that the edited study no longer wants.
    mended : int
        Trials opened again because what the ledger said of them was damaged.
    interrupted : bool
    out_of_time : bool
        Whether `seconds` were over before the last trial.
    seconds : float
    """

    study: str
    total: int
    executed: int
    states: dict[str, int]
    orphans: int = 0
    mended: int = 0
    interrupted: bool = False
    out_of_time: bool = False
    seconds: float = 0.0

    @property
    def open(self) -> int:
        """Trials that are still to be run."""
        return self.states.get("pending", 0) + self.states.get("running", 0)

    @property
    def failed(self) -> int:
        """Trials that ended without a value."""
        return sum(
            count
            for state, count in self.states.items()
            if state not in ("done", "pending", "running")
        )


def run(
    study: Study | str | Path | Mapping[str, Any],
    ledger: str | Path | None = None,
    engine: str | None = None,
    allow_import: bool = False,
    *,
    jobs: int | None = None,
    fail_fast: bool = False,
    retry_failed: bool = False,
    yes: bool = False,
    seconds: float | None = None,
    limit: int | None = None,
    on_event: Callable[[Event], None] = lambda event: None,
) -> Summary:
    """Run a study, or go on where it stopped.

    Every learner is imported before the first trial: one that cannot be imported stops
    the study with one sentence, and nothing is recorded of it.

    Parameters
    ----------
    study : Study, path, registered name, or mapping
    ledger : path or URL, optional
        Default: the study's name with the ending ``.ledger``, in this folder.
    engine : {"serial", "processes", ...}, optional
        Default: what the study file says, else ``processes``.
    allow_import : bool
        Permit learners given as ``module:Class``: installed, or beside the study file.
    jobs : int, optional
        Number of workers.
    fail_fast : bool
        Stop at the first trial without a value.
    retry_failed : bool
        Try again what failed in an earlier run.
    yes : bool
        Agree to more than a million trials.
    seconds : float, optional
        Stop after so long: what is under way then is given up, and whoever runs the
        study next does it.
    limit : int, optional
        Run at most so many of the open trials, the first of the plan.
    on_event : callable
        Gets an `Event` at the start, when workers take trials, and after every trial.

    Returns
    -------
    Summary
    """
    started = time.monotonic()
    checked = study if isinstance(study, Study) else load_study(study)
    if limit is not None and limit < 1:
        raise InvalidInput(f"--limit {limit} is out of range; run at least 1 trial")
    with beside(checked.folder if allow_import else None):
        import_learners(checked, allow_import=allow_import)
        trials = plan(checked, yes=yes)
        name, settings = _engine_settings(checked, engine, jobs)
        where = ledger if ledger is not None else f"{checked.study}.ledger"
        with Ledger(where, write=True) as book:
            book.add_study(
                checked.study, checked.model_dump(mode="json", by_alias=True), trials
            )
            mended = book.mend(trials)
            if retry_failed:
                book.forget_failures(checked.study)
            end = float("inf") if seconds is None else started + seconds
            runner = _Runner(
                *(checked, trials, book, on_event),
                fail_fast=fail_fast,
                end=end,
                limit=limit,
            )
            if runner.open:
                made = ENGINES[name].make(
                    trial_seconds=checked.budget.seconds,
                    trial_memory=checked.budget.memory,
                    allow_import=allow_import,
                    topics=sorted({trial.spec["topic"] for trial in trials}),
                    **settings,
                )
                with _Signals() as signals, made as workers, _Heartbeat(book):
                    runner.loop(workers, signals)
            return runner.summary(mended, time.monotonic() - started)


def _engine_settings(
    study: Study, name: str | None, jobs: int | None
) -> tuple[str, dict[str, Any]]:
    """Engine and its settings: the command line wins over the study file."""
    written = study.engine if study.engine is not None else {}
    settings: dict[str, Any] = (
        {"name": written} if isinstance(written, str) else dict(written)
    )
    chosen = name or settings.pop("name", None) or "processes"
    settings.pop("name", None)
    if name is not None and name != (written if isinstance(written, str) else None):
        # What a study says of its cluster means nothing to this machine's cores.
        settings = {} if ENGINES[name].facts.get("local") else settings
    if jobs is not None:
        settings["jobs"] = jobs
    return chosen, settings


@dataclass
class _Runner:
    """The loop over one study's open trials."""

    study: Study
    trials: list[Trial]
    book: Ledger
    on_event: Callable[[Event], None]
    fail_fast: bool = False
    end: float = float("inf")
    limit: int | None = None
    executed: int = 0
    interrupted: bool = False
    out_of_time: bool = False
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.book.free_dead()
        self.open = self.book.open_keys(self.study.study)[: self.limit]
        self._by_key = {trial.key: trial for trial in self.trials}
        self._retries: Counter[str] = Counter()
        self._held: set[str] = set()
        self._claimed: list[str] = []
        self._ended: dict[str, Finished] = {}
        self._running: tuple[Trial, ...] = ()
        self._due = float("inf")
        # What a trial took lately; the first ones are taken for dear.
        self._mean_seconds = CLAIM_SECONDS
        self._states = Counter(self.book.counts(self.study.study))
        for state in ("pending", "running"):
            self._states.pop(state, None)
        self._tell(None)

    def loop(self, workers: Any, signals: _Signals) -> None:
        waiting = list(reversed(self.open))
        busy: list[str] = []
        deadline = float("inf")
        try:
            while waiting or busy or self._held:
                if signals.count and deadline == float("inf"):
                    self.interrupted = True
                    waiting, busy = [], []
                    self._give_back()
                    deadline = time.monotonic() + STOP_SECONDS
                if signals.count > 1 or time.monotonic() > deadline:
                    break
                if time.monotonic() > self.end:
                    self.out_of_time = True
                    break
                self._hand_out(workers, waiting, busy)
                if not self._held and not waiting:
                    if not busy:
                        break
                    # Others hold the rest: look again when they may have ended.
                    time.sleep(min(1.0, self.book.lease / 10))
                    self.book.free_dead()
                    still = set(self.book.open_keys(self.study.study))
                    waiting = [key for key in reversed(busy) if key in still]
                    busy = []
                    self._count_others()
                    continue
                left = min(0.2, max(0.0, self._due - time.monotonic()))
                for ended in workers.wait(left):
                    self._take(ended, workers)
                self._watch(workers)
                if time.monotonic() >= self._due or len(self._ended) == len(self._held):
                    self._record()
                if self.fail_fast and self._bad():
                    break
            self._record()
        finally:
            if self._held:
                self.book.release(self._held)

    def _hand_out(self, workers: Any, waiting: list[str], busy: list[str]) -> None:
        while (waiting or self._claimed) and workers.capacity > 0:
            if not self._claimed:
                wanted = min(MOST_CLAIMED, max(self._batch, workers.capacity))
                asked = [waiting.pop() for _ in range(min(wanted, len(waiting)))]
                # Held before the answer is here: if it is lost, they are given back.
                self._held.update(asked)
                self._claimed = list(reversed(self.book.claim(asked)))
                others = set(asked).difference(self._claimed)
                self._held.difference_update(others)
                busy.extend(key for key in asked if key in others)
                continue
            workers.submit(self._by_key[self._claimed.pop()])

    @property
    def _batch(self) -> int:
        """How many trials one claim takes: about a second of a worker's time.

        So cheap trials do not pay for a commit each, and dear ones are shared.
        """
        least = CLAIM_SECONDS / MOST_CLAIMED
        return int(CLAIM_SECONDS / max(self._mean_seconds, least))

    def _give_back(self) -> None:
        """Release what was claimed but not yet handed out."""
        self.book.release(self._claimed)
        self._held.difference_update(self._claimed)
        self._claimed = []

    def _take(self, ended: Finished, workers: Any) -> None:
        """Try a trial again, or keep how it ended until the next commit."""
        # Somebody else took the trial over meanwhile, or it was answered twice.
        if ended.key not in self._held or ended.key in self._ended:
            return
        # A running mean in which the last trials count most: costs drift in a study.
        if ended.seconds is not None:
            self._mean_seconds += (ended.seconds - self._mean_seconds) / 4
        allowed = self.study.budget.retries
        if ended.state == "crashed":
            allowed = max(allowed, CRASH_RETRIES)
        if ended.state != "done" and self._retries[ended.key] < allowed:
            self._retries[ended.key] += 1
            self.book.note_retry(ended)
            workers.submit(self._by_key[ended.key])
            return
        self._ended[ended.key] = _fit(ended)
        self._due = min(self._due, time.monotonic() + COMMIT_SECONDS)

    def _record(self) -> None:
        """Store all that ended since the last commit; only then tell anybody."""
        if not self._ended:
            return
        found = [
            (self._by_key[key].spec["topic"], self._ended[key]) for key in self._ended
        ]
        stored = self.book.finish_all(found)
        for _, ended in found:
            self._held.discard(ended.key)
            if ended.key in stored:
                self.executed += 1
                self._states[ended.state] += 1
            self._tell(ended)
        self._ended, self._due = {}, float("inf")

    def _count_others(self) -> None:
        counts = self.book.counts(self.study.study)
        self._states = Counter(
            {
                state: count
                for state, count in counts.items()
                if state not in ("pending", "running")
            }
        )
        self._tell(None)

    def _watch(self, workers: Any) -> None:
        """Tell which trials the workers are at, whenever that changes."""
        keys = [key for key in workers.current if key in self._by_key]
        running = tuple(self._by_key[key] for key in keys)
        if running != self._running:
            self._running = running
            self._tell(None)

    def summary(self, mended: int, seconds: float) -> Summary:
        """Say how the run ended."""
        return Summary(
            study=self.study.study,
            total=len(self.trials),
            executed=self.executed,
            states=self.book.counts(self.study.study),
            orphans=len(self.book.orphans(self.study.study)),
            mended=mended,
            interrupted=self.interrupted,
            out_of_time=self.out_of_time,
            seconds=seconds,
        )

    def _bad(self) -> bool:
        return any(count for state, count in self._states.items() if state != "done")

    def _tell(self, ended: Finished | None) -> None:
        self.on_event(
            Event(
                total=len(self.trials),
                done=sum(self._states.values()),
                states=Counter(self._states),
                ended=ended,
                trial=self._by_key.get(ended.key) if ended is not None else None,
                running=self._running,
            )
        )


def _fit(ended: Finished) -> Finished:
    """Keep texts that a hostile learner made within what a ledger takes."""
    return replace(ended, reason=ended.reason[:200], message=ended.message[:4_000])


class _Heartbeat:
    """Renews the runner's leases while it works."""

    def __init__(self, book: Ledger) -> None:
        self._book = book
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._loop, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _loop(self) -> None:
        every = min(HEARTBEAT_SECONDS, self._book.lease / 4)
        while not self._stop.wait(every):
            # A full disk or a lost server shows itself when a result is stored.
            try:
                self._book.heartbeat()
            except Exception:
                continue


class _Signals:
    """Counts interrupts instead of raising in the middle of a transaction."""

    def __init__(self) -> None:
        self.count = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Signals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: object) -> None:
        self.count += 1
