"""One process at a time, also across processes; the lock dies with its holder."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from caveat.exceptions import DataError


@contextmanager
def locked(folder: Path, *, wait: float = 3600.0) -> Iterator[None]:
    """Hold the lock of a folder; wait for whoever holds it.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    wait : float
        Seconds after which to give up.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(
            folder / ".lock",
            os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
            0o666,
        )
    except OSError as error:
        raise DataError(
            f"{folder} cannot be written: {error.strerror or error}; choose another "
            "data folder with CAVEAT_DATA or --data-home"
        ) from error
    try:
        end, pause = time.monotonic() + wait, 0.02
        while not _taken(handle, folder):
            if time.monotonic() > end:
                raise DataError(
                    f"another process has been busy in {folder} for {wait:.0f} s; wait "
                    "for it, or end it"
                )
            time.sleep(pause)
            pause = min(2 * pause, 0.5)
        yield
    finally:
        os.close(handle)  # lets go of the lock


def _taken(handle: int, folder: Path) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise DataError(
            f"{folder} cannot be locked: {error.strerror or error}; choose a data "
            "folder on a local disk with CAVEAT_DATA or --data-home"
        ) from error
    return True
