"""Bytes of a text file as UTF-8, with every guess named."""

from __future__ import annotations

import codecs

from caveat.exceptions import DataError

# First bytes of files that are often taken for text because of their name, what they
# are, and what to do.
_NO_TEXT = {
    b"\x89PNG": ("a PNG picture", "pass a table"),
    b"\xff\xd8\xff": ("a JPEG picture", "pass a table"),
    b"GIF8": ("a GIF picture", "pass a table"),
    b"%PDF": ("a PDF document", "export the table as CSV"),
    b"PK\x03\x04": ("a zip archive or an Excel workbook", "save it as CSV"),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", "save it as CSV"),
    b"PAR1": ("a Parquet file", "call it .parquet"),
    b"\x89HDF": ("an HDF5 file", "export the table as CSV or Parquet"),
    b"SQLite format 3": ("an SQLite database", "export the table as CSV"),
    b"ARROW1": ("an Arrow file", "save it as Parquet"),
    b"\x93NUMPY": ("a NumPy array", "call it .npy"),
}


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
    for mark, (kind, remedy) in _NO_TEXT.items():
        if data.startswith(mark):
            raise DataError(f"{where} is {kind}, not text; {remedy}")
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
            f"{where}, line {line}: a NUL byte; this is not plain text, or it is "
            "UTF-16 without a mark: pass encoding='utf-16-le' if so"
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
