"""Archives that try something are refused as a whole; nothing reaches the disk."""

import bz2
import gzip
import io
import lzma
import tarfile
import warnings
import zipfile

import pytest

from caveat.datasets.readers._archive import read_archive
from caveat.exceptions import DataError


def tar(*members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content, changes in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for field, value in changes.items():
                setattr(member, field, value)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def zipped(*members, **options):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # zipfile warns of doubled names
                archive.writestr(name, content, **options)
    return out.getvalue()


PLAIN = tar(("d/a.bin", b"one", {}), ("d/b.bin", b"two", {}))


@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        gzip.compress(PLAIN, mtime=0),
        bz2.compress(PLAIN),
        lzma.compress(PLAIN),
        zipped(("d/a.bin", b"one"), ("d/b.bin", b"two")),
    ],
)
def test_honest_archives_of_all_kinds_are_read(data):
    assert read_archive(data, "x") == {"d/a.bin": b"one", "d/b.bin": b"two"}


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "a/../../evil",
        "/etc/evil",
        "..\\evil",
        "C:evil",
        "~/evil",
        "a/..",
        ".",
    ],
)
def test_paths_that_lead_outside_are_refused(name):
    with pytest.raises(DataError, match="outside"):
        read_archive(tar((name, b"x", {})), "x.tar")
    with pytest.raises(DataError, match="outside"):
        read_archive(zipped((name, b"x")), "x.zip")


@pytest.mark.parametrize(
    "changes",
    [
        {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"},
        {"type": tarfile.LNKTYPE, "linkname": "a"},
        {"type": tarfile.CHRTYPE},
        {"type": tarfile.BLKTYPE},
        {"type": tarfile.FIFOTYPE},
        {"mode": 0o4755},
        {"mode": 0o2755},
    ],
)
def test_links_devices_and_special_permissions_are_refused(changes):
    with pytest.raises(DataError, match="refused"):
        read_archive(tar(("a", b"", changes)), "x.tar")


def test_a_member_that_claims_ten_gigabytes_is_refused():
    header = tarfile.TarInfo("huge")
    header.size = 10 * 2**30
    data = header.tobuf(tarfile.GNU_FORMAT) + b"\0" * 1024
    with pytest.raises(DataError, match="more than"):
        read_archive(data, "x.tar")


def test_a_sparse_member_is_refused():
    header = tarfile.TarInfo("holes")
    header.type = tarfile.GNUTYPE_SPARSE
    data = bytearray(header.tobuf(tarfile.GNU_FORMAT))
    with pytest.raises(DataError, match=r"x\.tar"):
        read_archive(bytes(data) + b"\0" * 1024, "x.tar")


def test_a_link_inside_a_zip_is_refused():
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    with pytest.raises(DataError, match="link"):
        read_archive(zipped((link, b"/etc/passwd")), "x.zip")


def test_zip_and_gzip_bombs_are_refused():
    with pytest.raises(DataError, match="200 times"):
        read_archive(zipped(("zeros", b"\0" * 10**7)), "x.zip")
    with pytest.raises(DataError, match="more than"):
        read_archive(gzip.compress(b"\0" * 10**7), "x.gz", most_bytes=10**5)


def test_too_many_members_or_bytes_are_refused():
    many = [(f"m{number}", b"x") for number in range(30)]
    with pytest.raises(DataError, match="more than 20 members"):
        read_archive(zipped(*many), "x.zip", most_members=20)
    with pytest.raises(DataError, match="more than 20 members"):
        read_archive(tar(*[(n, b, {}) for n, b in many]), "x.tar", most_members=20)
    with pytest.raises(DataError, match="more than 10 bytes"):
        read_archive(zipped(*many), "x.zip", most_bytes=10)


@pytest.mark.parametrize(
    ("one", "two"), [("a", "a"), ("a", "A"), ("é", "e\u0301"), ("straße", "STRASSE")]
)
def test_names_that_fall_together_are_refused(one, two):
    with pytest.raises(DataError, match="same name"):
        read_archive(zipped((one, b"1"), (two, b"2")), "x.zip")
    with pytest.raises(DataError, match="same name"):
        read_archive(tar((one, b"1", {}), (two, b"2", {})), "x.tar")


def test_encrypted_members_are_refused():
    data = bytearray(zipped(("a", b"secret")))
    directory = data.rindex(b"PK\x01\x02")
    data[6] |= 1
    data[directory + 8] |= 1
    with pytest.raises(DataError, match="encrypted"):
        read_archive(bytes(data), "x.zip")


def test_every_cut_is_noticed():
    packed = zipped(("a", b"content" * 20))
    for end in range(4, len(packed)):
        with pytest.raises(DataError):
            read_archive(packed[:end], "x.zip")
    for end in (0, 10, 60, len(gzip.compress(PLAIN)) - 3):
        with pytest.raises(DataError):
            read_archive(gzip.compress(PLAIN)[:end], "x.tar.gz")
