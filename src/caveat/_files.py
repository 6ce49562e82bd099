"""Files: written whole or not at all, and read only where they are plain files."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from caveat.exceptions import InvalidInput

# What file systems answer that cannot make a folder durable, or hide it from us.
_NO_FOLDER_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM)


def write_whole(target: str | Path, content: bytes | str) -> Path:
    """Write a file under another name, make it durable, then rename it.

    Readers never see half a file, and a full disk leaves the old one in place.
    """
    path = Path(target)
    raw = content.encode("utf-8") if isinstance(content, str) else content
    try:
        with replacing(path) as file:
            file.write(raw)
    except OSError as error:
        raise InvalidInput(
            f"cannot write {str(path)!r} ({error.strerror or error}); free some space "
            "or name another place"
        ) from error
    return path


@contextmanager
def replacing(target: str | Path) -> Iterator[BinaryIO]:
    """Give a new file that takes the target's place once all of it is written.

    Whatever goes wrong leaves the target as it was and no other file behind. A link
    of the target's name is replaced; where it leads to, nothing is written.

    Raises
    ------
    OSError
        As it comes; the caller knows what was to be written.
    """
    path = Path(target)
    with suppress(FileNotFoundError):
        _check_plain(os.stat(path).st_mode)
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with new_file(part) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
    sync_folder(path.parent)


def new_file(path: Path) -> BinaryIO:
    """Make a file that is not there yet: nobody can have put a link in its place."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o666), "wb")


def append_line(path: str | Path, line: str) -> None:
    """Add a line to the end of a plain file, all of it at once, never through a link.

    Raises
    ------
    OSError
        As it comes.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    # A pipe that nobody reads would keep us waiting.
    handle = os.open(path, flags | os.O_NONBLOCK, 0o666)
    try:
        _check_plain(os.fstat(handle).st_mode)
        raw = line.encode("utf-8") + b"\n"
        while raw:
            raw = raw[os.write(handle, raw) :]
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Make a new name survive a power cut, where the file system can do that."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise


def open_plain(path: str | Path) -> BufferedReader:
    """Open a plain file for reading.

    Raises
    ------
    OSError
        Also for a folder, and for a device or a pipe, which could keep us waiting or
        reading for ever.
    """
    # Looked at twice: to open some devices does something already, and what was a
    # file at the first look may be a pipe when it is opened.
    _check_plain(os.stat(path).st_mode)
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check_plain(os.fstat(handle).st_mode)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_plain(path: str | Path) -> bytes:
    """Read a plain file whole; see `open_plain`."""
    with open_plain(path) as file:
        return file.read()


def _check_plain(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a device or a pipe, not a plain file")
