"""One process at a time, also across processes; the lock dies with its holder."""

from __future__ import annotations

import fcntl
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
        stream = (folder / ".lock").open("a")
    except OSError as error:
        raise DataError(
            f"{folder} cannot be written: {error.strerror or error}; choose another "
            "data folder with CAVEAT_DATA or --data-home"
        ) from error
    with stream:
        end, pause = time.monotonic() + wait, 0.02
        while not _taken(stream.fileno()):
            if time.monotonic() > end:
                raise DataError(
                    f"another process has been busy in {folder} for {wait:.0f} s; wait "
                    "for it, or end it"
                )
            time.sleep(pause)
            pause = min(2 * pause, 0.5)
        yield  # closing the file lets go of the lock


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
