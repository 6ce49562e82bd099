"""Writing files whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from caveat.exceptions import InvalidInput


def write_whole(target: str | Path, content: bytes | str) -> Path:
    """Write a file under another name, make it durable, then rename it.

    Readers never see half a file, and a full disk leaves the old one in place.
    """
    path = Path(target)
    raw = content.encode("utf-8") if isinstance(content, str) else content
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InvalidInput(
            f"cannot write {str(path)!r}: {error.strerror}; nothing was changed"
        ) from error
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return path
