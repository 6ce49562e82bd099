"""The processes of a trial: keep them together, weigh them, end them.

A worker is the child of a *guardian*, a small process that does nothing but watch.
On Linux both are subreapers: whatever a learner starts and lets go, also with a double
fork and a session of its own, becomes a child of the worker, and of the guardian when
the worker dies. So the tree below the guardian is complete. The guardian ends it when
the worker or the runner dies; the runner ends it when a trial is over its limits or
left something running. Should somebody kill the guardian itself, the worker dies with
it (PR_SET_PDEATHSIG), and the rest is found by a mark in its environment: by the runner
at once, or by the next one, if runner and guardian were killed together.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator

import psutil

from caveat.study.ledger._owner import is_dead

MARK = "CAVEAT_TRIAL"
_MOST_LOOKS = 1_000
_SET_PDEATHSIG = 1
_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies; only Linux can."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Let the kernel end this process together with its parent; only Linux can."""
    _prctl(_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def has_children() -> bool:
    """Whether anything runs below this process; ended children are cleared away."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def weigh(root: int, limit: int) -> int:
    """Bytes of memory that a process and all below it take together.

    A page that several of them share counts once (PSS) where the kernel tells; that
    takes a while to count, so it is only asked for when the plain sum of resident
    sizes, which is never smaller, is over the limit.
    """
    with contextlib.suppress(OSError):
        tree = list(_tree(root))
        plain = sum(_resident(process) for process in tree)
        return plain if plain <= limit else sum(_share(process) for process in tree)
    return 0  # No more files to look with: the next look tells.


def _tree(root: int) -> Iterator[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        top = psutil.Process(root)
        yield top
        yield from top.children(recursive=True)


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _share(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except (psutil.Error, AttributeError):
        return _resident(process)


def end_below(root: int | None, mark: str) -> None:
    """End everything below a process and everything with the mark, but not itself.

    Without a process (because it is gone) the mark alone decides.
    """

    def living() -> list[psutil.Process]:
        marked = [process for process, found in _marked() if found == mark]
        tree = [] if root is None else list(_tree(root))
        found = {process.pid: process for process in (*tree, *marked)}
        return [found[pid] for pid in found if pid != root and _runs(found[pid])]

    for _ in range(_MOST_LOOKS):
        # What is forked while we look is found at the next look, and so is what a
        # system without free files did not show.
        with contextlib.suppress(OSError):
            found = living()
            if not found:
                return
            _kill(found)
        time.sleep(0.01)


def end_abandoned() -> None:
    """End what runners that were killed together with their guardians left behind.

    A guardian may still be at it: what is below it goes first, for of a process without
    an environment nobody else would know whose it is.
    """
    # What a system without free files does not show is left to the next runner.
    with contextlib.suppress(OSError):
        for process, mark in _marked():
            if is_dead(mark.rpartition("|")[0]):
                _kill(reversed(list(_tree(process.pid))))


def _marked() -> Iterator[tuple[psutil.Process, str]]:
    for pid in psutil.pids():
        # Of other people's processes the environment cannot be read: none is ours.
        with contextlib.suppress(psutil.Error, OSError):
            process = psutil.Process(pid)
            mark = process.environ().get(MARK)
            if mark is not None:
                yield process, mark


def _runs(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _kill(processes: Iterable[psutil.Process]) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.kill()
