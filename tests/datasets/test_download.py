"""Downloads end: in bytes, in seconds, and at the first lie."""

import pytest

from caveat.datasets.home._download import check_address, download
from caveat.exceptions import DataError


@pytest.fixture
def part(tmp_path):
    return tmp_path / "x.part"


def test_a_good_file_arrives_whole(server, part):
    server.files["/a"] = bytes(range(256)) * 1000
    download(server.url("/a"), part, limit=10**6)
    assert part.read_bytes() == server.files["/a"]


def test_a_redirect_on_the_same_footing_is_followed(server, part):
    server.files["/tiny.csv"] = b"a,b\n1,2\n"
    download(server.url("/moved"), part, limit=100)
    assert part.read_bytes() == b"a,b\n1,2\n"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/nothing-here", "404"),
        ("/broken", "500"),
        ("/short", "after 4 of 8 bytes"),
        ("/to-http", "redirect to 'http://example.org/tiny.csv' is not https"),
        ("/to-file", "'file:///etc/hostname' is not allowed"),
        ("/in-circles", "redirect"),
        ("/endless", "longer than the 100000 bytes allowed"),
    ],
)
def test_what_goes_wrong_is_told(server, part, path, words):
    server.files["/tiny.csv"] = b"a,b\n1,2\n"
    with pytest.raises(DataError, match=words):
        download(server.url(path), part, limit=100_000)


def test_an_announced_size_above_the_limit_is_refused_before_a_byte(server, part):
    server.files["/a"] = b"x" * 1000
    with pytest.raises(DataError, match="1000 bytes, more than the 999 allowed"):
        download(server.url("/a"), part, limit=999)
    assert not part.exists()


@pytest.mark.parametrize("path", ["/dripping", "/dripping-headers", "/silent"])
def test_the_deadline_holds_however_the_server_drips(server, part, path):
    # These servers go on until the caller leaves: without a deadline this never ends.
    with pytest.raises(DataError, match=r"longer than 0\.3 s"):
        download(server.url(path), part, limit=10**6, deadline=0.3)


def test_a_server_that_is_not_there_is_told(part):
    with pytest.raises(DataError, match="no connection"):
        download("http://127.0.0.1:1/x", part, limit=10, patience=2)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/x",
        "ftp://example.org/x",
        "file:///etc/passwd",
        "data:,x",
        "//example.org/x",
        "x",
        "http://127.0.0.1.example.org/x",
        "http://localhost@example.org/x",
    ],
)
def test_nothing_but_https_is_asked(url, part):
    with pytest.raises(DataError, match="not https"):
        download(url, part, limit=10)


def test_a_redirect_from_the_network_to_this_machine_is_refused():
    with pytest.raises(DataError, match="redirect"):
        check_address("http://127.0.0.1/x", before="https://example.org/x")
