"""Files on disk: their format, their companion, their digest. Imports nothing heavy."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from caveat._files import open_plain, read_plain
from caveat.exceptions import DataError, InvalidInput, listing

FORMATS = ("csv", "parquet", "arff", "mat", "idx", "npz", "images")
_ENDINGS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arff": "arff",
    ".mat": "mat",
    ".npz": "npz",
    ".npy": "npz",
}


def existing(path: str | Path) -> Path:
    """Return the path of a file or folder that is there."""
    found = Path(path).expanduser()
    if not found.exists():
        raise DataError(f"there is no file called {str(path)!r}")
    return found


def find_format(path: Path, given: str | None = None) -> str:
    """Tell the format of a file by its ending, if it is not given.

    Examples
    --------
    >>> find_format(Path("a/train-images-idx3-ubyte.gz")), find_format(Path("b.CSV"))
    ('idx', 'csv')
    """
    if given is not None:
        if given not in FORMATS:
            raise InvalidInput(
                f"format is {given!r}; it must be one of {listing(FORMATS)}"
            )
        return given
    if path.is_dir():
        return "images"
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] == ".gz":
        endings.pop()
    if endings and endings[-1] in _ENDINGS:
        return _ENDINGS[endings[-1]]
    if "idx" in path.name.lower() and "ubyte" in path.name.lower():
        return "idx"
    raise InvalidInput(
        f"cannot tell the format of {path.name!r} by its ending; save the table as "
        f".csv or .parquet, or, in Python, pass format=, one of {listing(FORMATS)}"
    )


def companion(
    path: Path, form: str, labels: str | int | Sequence[str] | None
) -> Path | None:
    """Find the second file of a format: MULAN's XML, or the labels of images."""
    if isinstance(labels, str):
        return existing(path.parent / labels)
    if labels is not None or form not in ("arff", "idx"):
        return None
    if form == "arff":
        guess = path.name.removesuffix(".gz").removesuffix(".arff") + ".xml"
    else:
        guess = path.name.replace("images", "labels").replace("idx3", "idx1")
    beside = path.with_name(guess)
    return beside if beside != path and beside.is_file() else None


def digest_of(path: Path) -> str:
    """SHA-256 of a file's bytes; of names and bytes of all files, for a folder."""
    try:
        if path.is_dir():
            return _folder_digest(path)
        with open_plain(path) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


def _folder_digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in entries_of(folder, deep=True):
        if path.is_file():
            name = path.relative_to(folder).as_posix().encode()
            digest.update(f"{len(name)}:".encode() + name + digest_of(path).encode())
    return digest.hexdigest()


def entries_of(folder: Path, *, deep: bool = False) -> list[Path]:
    """List what a folder holds, sorted, also what is further down if `deep`."""
    try:
        return sorted(folder.rglob("*") if deep else folder.iterdir())
    except OSError as error:
        raise DataError(
            f"{folder} cannot be listed: {error.strerror or error}"
        ) from error


def bytes_of(path: Path) -> bytes:
    """Read a file whole, or say why it cannot be read."""
    try:
        return read_plain(path)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
