"""Bytes of a text file as UTF-8, with every guess named."""

from __future__ import annotations

import codecs

from caveat.exceptions import DataError


def as_utf8(
    data: bytes, where: str, encoding: str | None = None
) -> tuple[bytes, list[str]]:
    """Give a text file's bytes as UTF-8 without a byte-order mark.

    A mark decides; without one the text is UTF-8 or, failing that, what Windows
    writes in western Europe. A guess is noted, NUL bytes are refused.

    Parameters
    ----------
    data : bytes
    where : str
        The file's name, for messages.
    encoding : str, optional
        What it is, if you know.

    Returns
    -------
    bytes, list of str
        The text, and notes on what was guessed.
    """
    if not data or data.isspace():
        raise DataError(f"{where} is empty")
    notes: list[str] = []
    if encoding is not None:
        clean = _decoded(data, where, encoding).encode()
    else:
        clean, guess = _guessed(data, where)
        if guess:
            notes.append(f"read as {guess}; pass encoding= if that is wrong")
    clean = clean.removeprefix(codecs.BOM_UTF8)
    nul = clean.find(b"\0")
    if nul >= 0:
        line = clean.count(b"\n", 0, nul) + 1
        raise DataError(
            f"{where}, line {line}: a NUL byte; this is no plain text, or it is UTF-16 "
            "without a mark: pass encoding='utf-16-le' if so"
        )
    if b"\n" not in clean and b"\r" in clean:
        clean = clean.replace(b"\r", b"\n")  # line ends of old Macintosh files
    return clean, notes


def _decoded(data: bytes, where: str, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except LookupError as error:
        raise DataError(f"there is no encoding called {encoding!r}") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where} is not {encoding}: byte {error.start} is {data[error.start]:#04x}"
        ) from error


def _guessed(data: bytes, where: str) -> tuple[bytes, str]:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decoded(data, where, "utf-16").encode(), "UTF-16"
    try:
        data.decode("utf-8")
        return data, ""
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252").encode(), "Windows-1252 (it is not UTF-8)"
    except UnicodeDecodeError:
        return data.decode("latin-1").encode(), "Latin-1 (it is not UTF-8)"
