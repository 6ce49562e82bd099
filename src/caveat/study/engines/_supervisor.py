"""A supervisor: the thread of the runner that looks after one worker process.

It knows its worker's processes, socket and clock, so it alone decides whether a trial
is over time, over memory or dead. Supervisors share no lock and no pipe: what befalls
one worker, the others never notice.
"""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import Any

from caveat.study.engines._messages import Garbled, Inbox, Watch, send
from caveat.study.engines._process_tree import MARK, end_abandoned, end_below, weigh
from caveat.study.engines._worker import WorkerSettings, single_thread_environment
from caveat.study.ledger._owner import me
from caveat.study.trials._finished import Finished
from caveat.study.trials._trial import Trial

START_ATTEMPTS = 3
_LOOK_SECONDS = 0.05
_PATIENCE_SECONDS = 0.5
_MOST_STEP_SECONDS = 30.0
_START = (
    "import sys; path = sys.argv[3:]; sys.path[:] = path; "
    "from caveat.study.engines._guardian import main; main()"
)


class Supervisor(threading.Thread):
    """One worker process and the thread that looks after it.

    Parameters
    ----------
    settings : WorkerSettings
    tasks, ended : queue
        Trials come in (None ends the supervisor), `Finished` go out.
    seconds, memory : float, int or None
        Limits of one trial, whatever it starts included.

    Attributes
    ----------
    current : str or None
        Key of the trial that it is at.
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
        self._guardian: subprocess.Popen[bytes] | None = None
        self._mark = f"{me()}|{secrets.token_hex(8)}"
        self._stopping = False
        self.current: str | None = None

    def run(self) -> None:
        """Work until there is no more, then end the worker."""
        end_abandoned()
        while not self._stopping:
            trial = self.tasks.get()
            if trial is None:
                break
            self.current = trial.key
            try:
                ended = self._attempt(trial)
            except OSError as error:
                # Whatever the system refuses ends a trial, never this thread.
                self._end_worker()
                message = f"its worker could not be looked after: {error}"
                ended = Finished(
                    trial.key, "crashed", reason="crashed", message=message
                )
            self.current = None
            self.ended.put(ended)
        self._end_worker()

    def stop(self) -> None:
        """End at once, whatever is under way."""
        self._stopping = True

    def _attempt(self, trial: Trial) -> Finished:
        if not self._send(trial):
            return self._gone(trial.key, "the worker could not be started")
        self._seen, self._spent, self._largest = time.monotonic(), 0.0, 0
        while not self._stopping:
            answer = self._wait(trial.key)
            if answer is not None:
                finished, alone = answer
                if not alone:
                    # What a trial left running ends with it, and the worker too.
                    self._end_worker()
                largest = max(self._largest, finished.rss or 0)
                return replace(finished, rss=largest or None)
            if self._is_dead():
                return self._gone(trial.key, "the worker ended")
            over = self._over_limit(trial.key)
            if over is not None:
                self._end_worker()
                return over
        return Finished(trial.key, "crashed", reason="stopped", message="stopped")

    def _over_limit(self, key: str) -> Finished | None:
        """Say which limit the trial is over, if it is over one."""
        now = time.monotonic()
        # A clock that jumped, or a machine that slept, is no time of the trial's.
        self._spent += min(max(0.0, now - self._seen), _MOST_STEP_SECONDS)
        self._seen = now
        if self._seconds is not None and self._spent > self._seconds:
            return Finished(
                key,
                "timeout",
                reason="timeout",
                message=f"over {self._seconds:g} s, the time limit of a trial; "
                "budget: {trial-minutes: ...} in the study sets another",
                seconds=self._seconds,
            )
        if self._memory is None:
            return None
        size = self._size(self._memory)
        self._largest = max(self._largest, size)
        if size <= self._memory:
            return None
        return Finished(
            key,
            "oom",
            reason="memory",
            message=f"over {self._memory:,} bytes, the memory limit of a trial "
            "and all the processes it starts",
            seconds=self._spent,
            rss=size,
        )

    def _wait(self, key: str) -> tuple[Finished, bool] | None:
        """Wait a little for the worker's answer; None if there is none yet."""
        left = _PATIENCE_SECONDS if self._memory is None else self._pause
        if self._seconds is not None:
            left = min(left, self._seconds - self._spent)
        self._watch.wait(left)
        return self._ending(key)

    def _ending(self, key: str) -> tuple[Finished, bool] | None:
        """Read how the trial ended, if the worker has told; it is not alone if garbled.

        A learner has the worker's socket and may write anything into it.
        """
        try:
            told = self._answer()
            if told is None or told == "ready":
                return None
            ended, alone = told
            finished = Finished(**ended)
            if finished.key != key:
                raise Garbled
        except (Garbled, TypeError, ValueError):
            message = "the worker's answer cannot be read: something else wrote into it"
            return Finished(key, "crashed", reason="crashed", message=message), False
        return finished, alone is True

    def _answer(self) -> Any:
        try:
            return self._inbox.look()
        except (EOFError, OSError):
            # The guardian's end will say why; until then there is nothing to hear.
            self._watch = Watch([self._words.fileno()])
            return None

    def _is_dead(self) -> bool:
        """Ask the process itself: its pipes may live on in children that it forked."""
        return self._guardian is None or self._guardian.poll() is not None

    def _send(self, trial: Trial) -> bool:
        """Hand a trial over; a worker that died idle is replaced first."""
        for _ in range(START_ATTEMPTS):
            if self._is_dead():
                self._end_worker()
                if not self._start_worker():
                    continue
            with contextlib.suppress(OSError):
                send(self._here, [trial.key, trial.spec])
                return True
            self._end_worker()
        return False

    def _start_worker(self) -> bool:
        try:
            self._here, theirs = socket.socketpair()
        except OSError:  # no more files: it is tried again
            return False
        self._inbox = Inbox(self._here)
        self._pause = _LOOK_SECONDS
        try:
            self._guardian = self._start_guardian(theirs)
        except OSError:  # no more processes, files or memory: it is tried again
            self._here.close()
            return False
        finally:
            theirs.close()
        assert self._guardian.stdout is not None
        self._words = self._guardian.stdout
        self._watch = Watch([self._here, self._words.fileno()])
        ready = None
        with contextlib.suppress(OSError, Garbled):
            send(self._here, vars(self._settings))
            while ready is None and not self._stopping and not self._is_dead():
                self._watch.wait(_PATIENCE_SECONDS)
                ready = self._answer()
        if ready != "ready" and not self._is_dead():
            # It did not hear who it is: the next one will.
            self._end_worker()
        return ready == "ready"

    def _start_guardian(self, theirs: socket.socket) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [
                *(sys.executable, "-c", _START, str(os.getpid())),
                *(str(theirs.fileno()), *self._settings.import_path),
            ],
            pass_fds=[theirs.fileno()],
            env={**os.environ, **single_thread_environment(), MARK: self._mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def _gone(self, key: str, what: str) -> Finished:
        """Describe a worker that ended by itself, with the last words it printed."""
        if self._guardian is None or self._guardian.poll() is None:
            self._end_worker()
            return Finished(key, "crashed", reason="crashed", message=what)
        answer = self._ending(key)
        if answer is not None:
            # It had answered before it was killed: that counts.
            self._end_worker()
            return answer[0]
        code, words = self._guardian.returncode, self._last_words()
        self._end_worker()
        message = f"{what} with {_exit_text(code)}"
        return Finished(key, "crashed", reason="crashed", message=message, frames=words)

    def _last_words(self) -> list[str]:
        os.set_blocking(self._words.fileno(), False)
        raw = self._words.read() or b""
        lines = raw.decode("utf-8", "backslashreplace").splitlines()
        return [line[:200] for line in lines[-10:]]

    def _size(self, limit: int) -> int:
        """Weigh the trial's processes, and look less often where that takes long."""
        assert self._guardian is not None
        started = time.monotonic()
        size = weigh(self._guardian.pid, limit)
        self._pause = max(_LOOK_SECONDS, 10 * (time.monotonic() - started))
        return size

    def _end_worker(self) -> None:
        """Kill the worker and whatever it started, and forget it."""
        if self._guardian is None:
            return
        # Once it is waited for, its pid may be anybody's.
        lives = self._guardian.poll() is None
        end_below(self._guardian.pid if lives else None, self._mark)
        self._guardian.kill()
        self._guardian.wait()
        self._words.close()
        self._here.close()
        self._guardian = None


def _exit_text(code: int) -> str:
    if code == -signal.SIGKILL:
        return "signal 9 (SIGKILL): killed by somebody, or by a system out of memory"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {-code} ({signal.Signals(-code).name})"
    return f"exit code {code}, by os._exit or the like"
