"""The data folder: every use verifies, fetching is atomic, importing is checked."""

import dataclasses
import gzip
import hashlib
import json
import random

import pytest

from caveat.datasets import available, fetch, fingerprint, import_files, load, verify
from caveat.datasets import registry as registry_module
from caveat.datasets.catalogue._row import SourceFile, row
from caveat.datasets.home._fetch import fetch_entry, obtain
from caveat.datasets.home._manifest import read_manifest
from caveat.exceptions import DataError, InvalidInput

TINY = b"a,b,t\n" + b"".join(
    b"%d,%d,%s\n" % (i, i * i, b"xy"[i % 2 :][:1]) for i in range(20)
)
DIGEST = hashlib.sha256(TINY).hexdigest()


def tiny(*urls, sha256=(DIGEST,), rows=20, **more):
    return row(
        "tiny",
        "caveat.datasets.sources._loaders:load_file",
        task="binary",
        rows=rows,
        columns=2,
        source="a test",
        licence="none",
        files=[SourceFile(name="tiny.csv", urls=urls, sha256=sha256, **more)],
        params={"target": "t"},
        bring="Ask the author",
    )


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def kept(home):
    (home / "tiny").mkdir(parents=True)
    (home / "tiny" / "tiny.csv").write_bytes(TINY)
    return home / "tiny" / "tiny.csv"


def test_a_file_put_there_by_hand_is_found_whatever_its_case(home):
    (home / "tiny").mkdir(parents=True)
    (home / "tiny" / "Tiny.CSV").write_bytes(TINY)
    assert len(obtain(tiny(), home)) == 20


def test_the_digest_of_an_unpinned_file_is_recorded_after_its_shape_was_checked(
    home, kept
):
    obtain(tiny(sha256=()), home)
    assert read_manifest(kept.parent).files["tiny.csv"]["sha256"] == DIGEST
    kept.write_bytes(TINY + b"20,400,x\n")
    with pytest.raises(DataError, match="is not the file it should be"):
        obtain(tiny(sha256=(), rows=None), home)


def test_an_unpinned_file_of_another_shape_is_refused_and_not_recorded(home, kept):
    with pytest.raises(DataError, match="rows 21"):
        obtain(tiny(sha256=(), rows=21), home)
    assert not read_manifest(kept.parent).files


@pytest.mark.parametrize("pins", [(DIGEST,), ()], ids=["pinned", "recorded"])
def test_every_flip_and_every_cut_is_noticed_before_use(home, kept, pins):
    entry = tiny(sha256=pins)
    obtain(entry, home)
    draw = random.Random(0)
    changed = []
    for _ in range(100):
        flipped = bytearray(TINY)
        flipped[draw.randrange(len(TINY))] ^= 1 << draw.randrange(8)
        changed.append(bytes(flipped))
    changed += [TINY[: draw.randrange(len(TINY))] for _ in range(10)]
    for wrong in changed:
        kept.write_bytes(wrong)
        with pytest.raises(DataError, match="is not the file it should be"):
            obtain(entry, home)


def test_offline_a_changed_file_is_told_with_path_digests_and_remedy(
    home, kept, server, monkeypatch
):
    monkeypatch.setenv("CAVEAT_OFFLINE", "1")
    kept.write_bytes(TINY.replace(b"x", b"z"))
    with pytest.raises(DataError) as told:
        obtain(tiny(server.url("/tiny.csv")), home)
    found = hashlib.sha256(kept.read_bytes()).hexdigest()
    for word in (str(kept), DIGEST, found, "caveat data fetch --force tiny"):
        assert word in str(told.value)


def test_online_a_changed_file_is_fetched_again_once(home, kept, server):
    server.files["/tiny.csv"] = TINY
    kept.write_bytes(TINY[:-1])
    assert len(obtain(tiny(server.url("/tiny.csv")), home)) == 20
    assert kept.read_bytes() == TINY
    assert kept.with_name("tiny.csv.replaced").read_bytes() == TINY[:-1]
    assert server.requests["/tiny.csv"] == 1


def test_a_fetched_file_needs_no_second_request(home, server):
    server.files["/tiny.csv"] = TINY
    entry = tiny(server.url("/tiny.csv"))
    obtain(entry, home)
    obtain(entry, home)
    assert server.requests["/tiny.csv"] == 1
    origin = read_manifest(home / "tiny").files["tiny.csv"]["origin"]
    assert origin == server.url("/tiny.csv")


@pytest.mark.parametrize("path", ["/short", "/page", "/flipped", "/broken", "/to-http"])
@pytest.mark.parametrize("pins", [(DIGEST,), ()], ids=["pinned", "unpinned"])
def test_a_lying_download_is_refused_and_never_kept(home, server, path, pins):
    server.files["/tiny.csv"] = TINY.replace(b"19,361", b"19,bad,")
    with pytest.raises(DataError, match="tiny"):
        obtain(tiny(server.url(path), sha256=pins, rows=20), home)
    left = {file.name for file in (home / "tiny").iterdir()} - {".lock"}
    assert left == set()


def test_the_old_file_stays_until_the_new_one_is_proved(home, kept, server):
    server.files["/tiny.csv"] = TINY
    with pytest.raises(DataError):
        fetch_entry(tiny(server.url("/short")), home, force=True)
    assert kept.read_bytes() == TINY


def test_the_next_mirror_is_asked_when_one_fails(home, server):
    server.files["/tiny.csv"] = TINY
    urls = [server.url(path) for path in ("/gone", "/flipped", "/page", "/tiny.csv")]
    assert len(obtain(tiny(*urls), home)) == 20


def test_when_all_sources_fail_each_is_listed_and_the_way_by_hand(home, server):
    urls = [server.url("/gone"), server.url("/broken")]
    with pytest.raises(DataError) as told:
        obtain(tiny(*urls), home)
    for word in (*urls, "404", "500", "caveat data import tiny", "Ask the author"):
        assert word in str(told.value)


def two_files(server):
    """A data set of which one file can be fetched and the other must be brought."""
    arff = SourceFile(name="m.arff", urls=(server.url("/m.arff"),), folder="shared")
    return row(
        "tiny",
        "caveat.datasets.sources._loaders:load_file",
        task="multilabel",
        rows=2,
        columns=1,
        source="a test",
        licence="none",
        files=[arff, SourceFile(name="m.xml")],
        bring="Ask the author",
    )


def test_what_is_missing_is_fetched_beside_what_was_brought(home, server):
    text = b"@relation m\n@attribute x real\n@attribute l {0,1}\n@data\n1,0\n2,1\n"
    server.files["/m.arff"] = text
    entry = two_files(server)
    with pytest.raises(DataError, match="Ask the author"):
        obtain(entry, home)
    (home / "tiny").mkdir(parents=True)
    (home / "tiny" / "m.xml").write_text('<labels><label name="l"/></labels>')
    assert obtain(entry, home).classes == ("l",)
    assert (home / "shared" / "m.arff").read_bytes() == text
    assert obtain(entry, home).classes == ("l",)
    assert server.requests["/m.arff"] == 1


def test_a_brought_file_that_changed_is_not_hidden_by_a_fetch(home, server):
    server.files["/m.arff"] = b"@relation m\n@attribute l {0,1}\n@data\n1\n"
    (home / "tiny").mkdir(parents=True)
    (home / "tiny" / "m.xml").write_text('<labels><label name="l"/></labels>')
    pinned = SourceFile(name="m.xml", sha256=("0" * 64,))
    entry = two_files(server)
    changed = {**entry.facts, "files": (entry.facts["files"][0], pinned)}
    with pytest.raises(DataError, match=r"m\.xml is not the file it should be"):
        obtain(dataclasses.replace(entry, facts=changed), home)


def test_packed_files_are_kept_unpacked_and_judged_unpacked(home, server):
    server.files["/tiny.csv.gz"] = gzip.compress(TINY)
    entry = tiny(server.url("/tiny.csv.gz"), unpack=True)
    assert len(obtain(entry, home)) == 20
    assert (home / "tiny" / "tiny.csv").read_bytes() == TINY


def test_the_md5_of_the_publisher_counts_too(home, server):
    server.files["/tiny.csv"] = TINY
    with pytest.raises(DataError, match="MD5"):
        obtain(tiny(server.url("/tiny.csv"), sha256=(), md5="0" * 32), home)


def test_a_broken_manifest_only_means_checking_anew(home, kept):
    obtain(tiny(sha256=()), home)
    (kept.parent / "manifest.json").write_text("{broken")
    assert len(obtain(tiny(sha256=()), home)) == 20


def test_a_folder_that_cannot_be_written_is_told(tmp_path, server):
    server.files["/tiny.csv"] = TINY
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DataError, match="cannot be written"):
        obtain(tiny(server.url("/tiny.csv")), tmp_path / "file")


@pytest.fixture
def registered(monkeypatch):
    """Make `tiny` known by name, for the length of a test."""

    def add(entry):
        monkeypatch.setitem(registry_module.DATASETS._entries, entry.name, entry)
        return entry

    return add


def test_import_takes_the_published_file_and_no_other(home, tmp_path, registered):
    registered(tiny())
    given = tmp_path / "download (1).csv"
    given.write_bytes(TINY)
    assert import_files("tiny", [given], data_home=home).name == "tiny"
    assert load("tiny", data_home=home).X.shape == (20, 2)
    given.write_bytes(TINY + b"\n")
    with pytest.raises(DataError, match="--trust"):
        import_files("tiny", [given], data_home=home)


def test_another_packing_can_be_trusted_and_then_counts_by_content(
    home, tmp_path, registered
):
    registered(tiny())
    published = fingerprint("tiny", data_home=home)
    given = tmp_path / "tiny.csv"
    given.write_bytes(TINY + b"\n")
    import_files("tiny", [given], data_home=home, trust=True)
    assert len(load("tiny", data_home=home)) == 20
    assert fingerprint("tiny", data_home=home) != published
    given.write_bytes(TINY.replace(b"0,0,x\n", b""))
    with pytest.raises(DataError, match="rows 20"):
        import_files("tiny", [given], data_home=home, trust=True)


def test_unpinned_data_have_a_fingerprint_by_content(home, tmp_path, registered):
    registered(tiny(sha256=()))
    given = tmp_path / "tiny.csv"
    given.write_bytes(TINY)
    import_files("tiny", [given], data_home=home)
    first = fingerprint("tiny", data_home=home)
    given.write_bytes(TINY + b"\n\n")
    import_files("tiny", [given], data_home=home)
    assert fingerprint("tiny", data_home=home) == first


def test_a_file_of_your_own_becomes_a_data_set_by_name(home, tmp_path):
    given = tmp_path / "my table.csv"
    given.write_bytes(TINY)
    import_files("mine", [given], data_home=home, target="t", drop=("b",))
    given.unlink()
    dataset = load("mine", data_home=home)
    assert (dataset.name, list(dataset.X.columns)) == ("mine", ["a"])
    listed = available(data_home=home).set_index("name")
    assert listed.loc["mine", "cached"]


def test_your_own_file_has_one_fingerprint_by_path_and_by_name(home, tmp_path):
    given = tmp_path / "own.csv"
    given.write_bytes(TINY)
    import_files("mine", [given], data_home=home, target="t")
    assert fingerprint("mine", data_home=home) == fingerprint(
        {"file": str(given), "target": "t"}
    )


def test_your_own_file_is_verified_on_every_use(home, tmp_path):
    given = tmp_path / "own.csv"
    given.write_bytes(TINY)
    import_files("mine", [given], data_home=home, target="t")
    (home / "mine" / "own.csv").write_bytes(TINY.replace(b"4,16", b"4,17"))
    with pytest.raises(DataError, match="is not the file it should be"):
        load("mine", data_home=home)


def test_your_own_labels_come_along(home, tmp_path):
    (tmp_path / "own.arff").write_text(
        "@relation m\n@attribute x real\n@attribute l {0,1}\n@data\n1,0\n2,1\n"
    )
    (tmp_path / "own.xml").write_text('<labels><label name="l"/></labels>')
    import_files("mine", [tmp_path / "own.arff"], data_home=home)
    assert load("mine", data_home=home).task == "multilabel"


def test_your_own_pictures_become_one_file(home, tmp_path):
    from PIL import Image

    for label in ("cat", "dog"):
        (tmp_path / "p" / label).mkdir(parents=True)
        Image.new("L", (6, 4), 7).save(tmp_path / "p" / label / "1.png")
    import_files("mine", [tmp_path / "p"], data_home=home, image_size=4)
    assert load("mine", data_home=home).images.shape == (2, 4, 4)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("iris", {}, "embedded"),
        ("heart", {"target": "t"}, "how it is read is known"),
        ("../mine", {}, "cannot name"),
        ("mine", {"format": "table"}, "format"),
    ],
)
def test_imports_that_cannot_be_meant_are_refused(home, kept, name, options, words):
    with pytest.raises(InvalidInput, match=words):
        import_files(name, [kept], data_home=home, **options)


def test_a_file_that_belongs_to_nothing_is_named(home, kept):
    with pytest.raises(InvalidInput, match=r"tiny\.csv.*t10k-images"):
        import_files("mnist-test", [kept], data_home=home)
    with pytest.raises(InvalidInput, match="at least one file"):
        import_files("mine", [], data_home=home)


def test_verify_tells_good_from_changed_new_and_missing(
    home, tmp_path, kept, registered
):
    registered(tiny(sha256=()))
    given = tmp_path / "own.csv"
    given.write_bytes(TINY)
    import_files("mine", [given], data_home=home, target="t")
    states = {item.dataset: item.state for item in verify(data_home=home)}
    assert states == {"tiny": "new", "mine": "good"}
    (home / "mine" / "own.csv").write_bytes(b"a,t\n1,x\n")
    assert [item.state for item in verify(["mine"], data_home=home)] == ["bad"]
    assert [item.state for item in verify(["lost"], data_home=home)] == ["missing"]


def test_fetching_what_is_embedded_or_cannot_be_fetched(home):
    assert fetch("iris").name == "iris"
    with pytest.raises(DataError, match="caveat data import lost"):
        fetch("lost", data_home=home)


def test_the_manifest_is_plain_json(home, kept):
    obtain(tiny(sha256=()), home)
    written = json.loads((kept.parent / "manifest.json").read_text())
    assert written["files"]["tiny.csv"]["size"] == len(TINY)
