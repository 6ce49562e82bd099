"""The worker's side of a trial: guarded, single-threaded, and never silent.

Whatever a learner does (raise, exit, return NaN, shout 10 MB) ends as a
`Finished` that travels back and can be stored, with a word on whether the trial left
threads or processes running. Only a killed or frozen worker needs the runner's help.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from caveat.study.engines._messages import Inbox, send
from caveat.study.engines._process_tree import has_children
from caveat.study.trials._finished import Finished

NEW_TRIAL = b"\x1e"
MOST_MESSAGE = 1_000
MOST_FRAMES = 20
_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
_LIBRARIES = (
    "caveat",
    "numpy",
    "scipy",
    "scikit-learn",
    "pandas",
    "numba",
    "torch",
    "lightgbm",
    "xgboost",
    "catboost",
)


def single_thread_environment() -> dict[str, str]:
    """Environment variables that keep numerical libraries on one thread."""
    return dict.fromkeys(_THREAD_VARIABLES, "1")


@dataclass(frozen=True)
class WorkerSettings:
    """What a worker process has to know.

    Attributes
    ----------
    import_path : list of str
        The runner's `sys.path`, so that a learner of the user's is found.
    topics : list of str
        Topics to load before the first trial, so that its time is its own.
    allow_import : bool
        Whether learners of the user's modules may be imported.
    """

    import_path: list[str]
    topics: list[str]
    allow_import: bool


def serve(here: socket.socket, settings: WorkerSettings) -> None:
    """Be a worker process: say when ready, then work on what comes in."""
    worker = os.getpid()
    # Ctrl-C is the runner's business, and its terminal is not a learner's.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    from caveat.study.trials._trial import warm_up

    warm_up(settings.topics)
    threads = set(threading.enumerate())
    inbox = Inbox(here)
    send(here, "ready")
    while True:
        try:
            key, spec = inbox.receive()
        except EOFError:
            return
        os.write(1, NEW_TRIAL)
        ended = work(key, spec, settings.allow_import)
        if os.getpid() != worker:
            # A learner forked, and its child came back from the trial as well.
            os._exit(1)
        alone = set(threading.enumerate()) <= threads and not has_children()
        send(here, [vars(ended), alone])


def work(key: str, spec: Mapping[str, Any], allow_import: bool) -> Finished:
    """Run one trial and bring back how it ended, whatever it did."""
    from caveat.study.trials._trial import NonFinite, run_trial

    _limit_threads()
    _reset_peak()
    started = time.perf_counter()
    ended: dict[str, Any]
    try:
        record = run_trial(spec, allow_import=allow_import)
        ended = {"state": "done", "record": record}
    except NonFinite as error:
        ended = {"state": "failed", "reason": "non-finite", **_describe(error)}
    except BaseException as error:
        ended = {"state": "failed", "reason": type(error).__name__, **_describe(error)}
    return Finished(
        key=key,
        seconds=time.perf_counter() - started,
        rss=_peak(),
        host=os.uname().nodename,
        versions=library_versions(),
        **ended,
    )


def _describe(error: BaseException) -> dict[str, Any]:
    """Message and frames as clean, short text, even if `str(error)` itself raises."""
    try:
        message = str(error)
    except Exception as second:
        message = f"(its message cannot be read: {type(second).__name__})"
    frames = [
        f"{_short(frame.filename)}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)[-MOST_FRAMES:]
    ]
    return {"message": _clean(message), "frames": [_clean(frame) for frame in frames]}


def _clean(text: str) -> str:
    text = text[:MOST_MESSAGE] + (" ..." if len(text) > MOST_MESSAGE else "")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _short(filename: str) -> str:
    """Shorten a path to what says which file it is, not where it lies."""
    parts = Path(filename).parts
    for anchor in ("site-packages", "src"):
        if anchor in parts:
            return "/".join(parts[parts.index(anchor) + 1 :])
    return "/".join(parts[-2:])


_seen_modules = 0


def _limit_threads() -> None:
    """Hold all thread pools at one, those loaded since the last trial too."""
    global _seen_modules
    if len(sys.modules) == _seen_modules:
        return
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() != 1:
        torch.set_num_threads(1)
    _seen_modules = len(sys.modules)


@lru_cache(maxsize=1)
def library_versions() -> dict[str, str]:
    """Versions of everything that could change a number, and the platform."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    found["platform"] = f"{sys.platform}-{os.uname().machine}"
    return found


def _reset_peak() -> None:
    """Start counting peak memory anew, where the kernel can do that."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _peak() -> int | None:
    """Peak resident size in bytes since `_reset_peak`."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        import resource

        scale = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
    return None
