"""Bytes of a text file as UTF-8, with every guess named."""

from __future__ import annotations

import codecs

from caveat.exceptions import DataError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


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
    notes: list[str] = []
    if not data.strip():
        raise DataError(f"{where} is empty")
    if encoding is not None:
        text = _decoded(data, where, encoding)
    else:
        text, guess = _guessed(data, where)
        if guess:
            notes.append(f"read as {guess}; pass encoding= if that is wrong")
    if text.startswith("\ufeff"):
        text = text[1:]
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        raise DataError(
            f"{where}, line {line}: a NUL byte; this is no plain text, or it is UTF-16 "
            "without a mark: pass encoding='utf-16-le' if so"
        )
    if "\n" not in text and "\r" in text:
        text = text.replace("\r", "\n")  # line ends of old Macintosh files
    return text.encode(), notes


def _decoded(data: bytes, where: str, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except LookupError as error:
        raise DataError(f"there is no encoding called {encoding!r}") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where} is not {encoding}: byte {error.start} is {data[error.start]:#04x}"
        ) from error


def _guessed(data: bytes, where: str) -> tuple[str, str]:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _decoded(data, where, name), "" if name == "utf-8" else "UTF-16"
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252"), "Windows-1252 (it is not UTF-8)"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "Latin-1 (it is not UTF-8)"
