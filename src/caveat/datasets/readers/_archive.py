"""Tar and zip archives, read into memory and never onto the disk.

An archive that tries anything is refused as a whole: its author is lying.
"""

from __future__ import annotations

import bz2
import io
import lzma
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable

from caveat.datasets.readers._packed import check_unpacked, most_unpacked, unpacked
from caveat.exceptions import DataError

MOST_MEMBERS = 10_000
MOST_BYTES = 2 * 2**30
_ZEROS = bytes(tarfile.BLOCKSIZE)
# What zipfile and tarfile raise on archives that were bent.
_BENT = (OSError, EOFError, ValueError, OverflowError, LookupError, struct.error)


def read_archive(
    data: bytes,
    where: str,
    *,
    most_bytes: int = MOST_BYTES,
    most_members: int = MOST_MEMBERS,
) -> dict[str, bytes]:
    """Read the files of a tar (plain, gz, bz2, xz) or zip archive.

    Parameters
    ----------
    data : bytes
    where : str
        The archive's name, for messages.
    most_bytes, most_members : int
        What it may hold at most, unpacked.

    Returns
    -------
    dict : path inside the archive to content.

    Raises
    ------
    DataError
        For a path that is absolute or climbs out, a link, a device, a special
        permission, an encrypted or sparse member, names that are doubled or differ
        only by case, a member that unpacks to more than 200 times its size, too many
        members, too many bytes.
    """
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _read_zip(data, where, most_bytes, most_members)
    return _read_tar(
        _plain_tar(data, where, most_bytes), where, most_bytes, most_members
    )


def _read_zip(
    data: bytes, where: str, most_bytes: int, most_members: int
) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check_count(len(members), where, most_members)
            _check_directory(data, len(members), where)
            _check_names([member.filename for member in members], where)
            for member in members:
                _check_zip_member(member, where)
            _check_total(sum(member.file_size for member in members), where, most_bytes)
            files = [member for member in members if not member.is_dir()]
            return {member.filename: archive.read(member) for member in files}
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, *_BENT) as error:
        raise DataError(f"{where} is not a whole zip archive: {error}") from error
    except (NotImplementedError, RuntimeError) as error:
        raise DataError(f"{where} cannot be unpacked: {error}") from error


def _check_directory(data: bytes, found: int, where: str) -> None:
    """Refuse a zip whose directory was bent so that it swallows members."""
    end = data.rindex(b"PK\x05\x06")
    (listed,) = struct.unpack_from("<H", data, end + 10)
    if listed not in (found, 0xFFFF):  # the number does not fit: zip64
        raise DataError(
            f"{where} is not a whole zip archive: it lists {listed} members, {found} "
            "were found"
        )


def _check_zip_member(member: zipfile.ZipInfo, where: str) -> None:
    mode = member.external_attr >> 16
    if member.flag_bits & 0x1:
        raise DataError(f"{where}: member {member.filename!r} is encrypted")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR) or mode & 0o7000:
        raise DataError(
            f"{where}: member {member.filename!r} is a link, a device or has special "
            "permissions; the archive is refused"
        )
    name = f"{where}: member {member.filename!r}"
    check_unpacked(member.file_size, member.compress_size, name)


def _plain_tar(data: bytes, where: str, most_bytes: int) -> bytes:
    limit = most_bytes + 2**20
    enough = most_unpacked(len(data), limit) + 1
    try:
        if data.startswith(b"BZh"):
            with bz2.BZ2File(io.BytesIO(data)) as stream:
                plain = stream.read(enough)
        elif data.startswith(b"\xfd7zXZ\x00"):
            with lzma.LZMAFile(io.BytesIO(data)) as packed:
                plain = packed.read(enough)
        else:
            return unpacked(data, where, limit)
    except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
        raise DataError(f"{where} is not a whole archive: {error}") from error
    check_unpacked(len(plain), len(data), where, limit)
    return plain


def _read_tar(
    plain: bytes, where: str, most_bytes: int, most_members: int
) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    names: list[str] = []
    total = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
            for member in archive:
                names.append(member.name)
                _check_count(len(names), where, most_members)
                _check_tar_member(member, where)
                total += member.size
                _check_total(total, where, most_bytes)
                if member.isfile():
                    stream = archive.extractfile(member)
                    files[member.name] = stream.read() if stream else b""
                    _check_whole(files[member.name], member, where)
            _check_end(plain, archive.offset, where)
    except (tarfile.TarError, RecursionError, MemoryError, *_BENT) as error:
        raise DataError(f"{where} is not a whole tar archive: {error}") from error
    _check_names(names, where)
    return files


def _check_tar_member(member: tarfile.TarInfo, where: str) -> None:
    if not (member.isfile() or member.isdir()) or member.issparse():
        raise DataError(
            f"{where}: member {member.name!r} is a link, a device or sparse; the "
            "archive is refused"
        )
    if member.mode & 0o6000:
        raise DataError(
            f"{where}: member {member.name!r} has special permissions "
            f"({member.mode:o}); the archive is refused"
        )


def _check_end(plain: bytes, end: int, where: str) -> None:
    """Refuse a tar that stops without its mark: tarfile takes a bent header for one."""
    if plain[end : end + len(_ZEROS)] != _ZEROS:
        raise DataError(f"{where} is not a whole tar archive: it has no end mark")


def _check_whole(content: bytes, member: tarfile.TarInfo, where: str) -> None:
    if len(content) != member.size:
        raise DataError(f"{where}: member {member.name!r} is cut short")


def _check_names(names: Iterable[str], where: str) -> None:
    seen: dict[str, str] = {}
    for name in names:
        parts = name.replace("\\", "/").split("/")
        climbs = ".." in parts or name.startswith(("/", "\\", "~"))
        if climbs or ":" in parts[0] or "\0" in name or not name.strip("/."):
            raise DataError(
                f"{where}: member {name!r} points outside of the archive; it is refused"
            )
        folded = unicodedata.normalize("NFC", name).casefold().rstrip("/")
        if folded in seen:
            raise DataError(
                f"{where}: members {seen[folded]!r} and {name!r} have the same name, "
                "at least where case does not count; the archive is refused"
            )
        seen[folded] = name


def _check_count(count: int, where: str, most: int) -> None:
    if count > most:
        raise DataError(f"{where} has more than {most} members; it is refused")


def _check_total(total: int, where: str, most: int) -> None:
    if total > most:
        raise DataError(f"{where} unpacks to more than {most} bytes; it is refused")
