"""Archives that try something are refused as a whole; nothing reaches the disk."""

import bz2
import gzip
import io
import lzma
import tarfile
import warnings
import zipfile

import pytest
from hypothesis import strategies as st

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
    zeros = tar(("zeros", b"\0" * 10**6, {}))
    for pack in (gzip.compress, bz2.compress, lzma.compress):
        with pytest.raises(DataError, match="200 times its size"):
            read_archive(pack(zeros), "x.tar.gz")


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


CONTENT = {"d/a.bin": b"one" * 50, "d/b.csv": bytes(range(256)), "c": b""}
LONG = {**CONTENT, "n" * 150: b"long", "\u00fc" * 90: b"wide"}


def kinds():
    """Every kind of archive, with long and wide names and in all formats of tar."""
    made = {"zip": zipped(*LONG.items())}
    made["tar"] = tar(*[(name, content, {}) for name, content in CONTENT.items()])
    for name, form in (("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT)):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=form) as archive:
            for path, content in LONG.items():
                member = tarfile.TarInfo(path)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        made[name] = out.getvalue()
    made["gz"] = gzip.compress(made["gnu"], mtime=0)
    made["bz2"] = bz2.compress(made["pax"])
    made["xz"] = lzma.compress(made["gnu"])
    return made


def attempt(data):
    """Read it, or None if it is refused with a sentence that names it."""
    try:
        return read_archive(data, "x")
    except DataError as error:
        return None if str(error).startswith("x") else {"/no name": b""}


@pytest.mark.thorough
@pytest.mark.parametrize("family", [["zip"], ["tar", "gnu", "pax", "gz", "bz2", "xz"]])
def test_bent_and_cut_archives_are_refused_or_read_right(holds, family):
    """What has a checksum is found; in a plain tar, contents have none."""
    made = kinds()
    expected = {kind: read_archive(made[kind], "x") for kind in family}

    def law(kind, flips, end, filled):
        data = bytearray(made[kind])
        for place, bit in flips:
            data[int(place * len(data))] ^= 1 << bit
        start = int(filled[0] * len(data))
        data[start : start + len(filled[1])] = filled[1]
        found = attempt(bytes(data[: int(end * len(data))]))
        if found is None:
            return
        if kind not in ("tar", "gnu", "pax"):
            assert found == expected[kind]
        for name, content in found.items():
            assert not name.startswith("/")
            assert ".." not in name.split("/")
            assert len(content) <= len(data)

    shares = st.floats(0, 1, exclude_max=True)
    holds(
        law,
        st.sampled_from(family),
        st.lists(st.tuples(shares, st.integers(0, 7)), max_size=3),
        st.just(1.0) | shares,
        st.tuples(shares, st.just(b"") | st.binary(max_size=24)),
    )


def test_a_bent_header_never_loses_a_member_in_silence():
    """The headers of a tar have a checksum; tarfile takes a wrong one for the end."""
    whole = kinds()["tar"]
    for place in range(0, 2048, 3):
        data = bytearray(whole)
        data[place] ^= 4
        found = attempt(bytes(data))
        assert found is None or set(found) == set(CONTENT)


def test_a_tower_of_long_names_is_refused_not_climbed():
    """Every one of these headers says that the next one's name is long."""
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 1
    one = header.tobuf(tarfile.GNU_FORMAT) + b"a".ljust(512, b"\0")
    with pytest.raises(DataError, match=r"x\.tar"):
        read_archive(one * 5000 + bytes(1024), "x.tar")


def test_sizes_beyond_every_number_are_refused():
    header = bytearray(tarfile.TarInfo("huge").tobuf(tarfile.GNU_FORMAT))
    for size in (b"\x80" + b"\xff" * 11, b"\xff" * 12):
        header[124:136] = size
        header[148:156] = b" " * 8
        header[148:156] = b"%06o\0 " % sum(header)
        with pytest.raises(DataError, match=r"x\.tar"):
            read_archive(bytes(header) + bytes(2048), "x.tar")
