"""CAVEAT_OFFLINE=1: nothing asks the network, whatever is loaded, fetched or run."""

import socket

import pytest

from caveat.cli import main
from caveat.datasets import available, fetch, load
from caveat.exceptions import CaveatError

STUDY = """\
study: small
topic: supervised
datasets: [{data}]
learners: [dummy]
baseline: none
"""


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Collect whom anybody here would have called, with the network forbidden."""
    found = []

    def refuse(*words, **_):
        found.append(words)
        raise OSError("the test has no network")

    for name in ("getaddrinfo", "create_connection", "gethostbyname"):
        monkeypatch.setattr(socket, name, refuse)
    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setenv("CAVEAT_OFFLINE", "1")
    monkeypatch.setenv("CAVEAT_DATA", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return found


def typed(*words):
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    return stop.value.code


def test_every_published_data_set_is_refused_without_a_call(asked):
    frame = available()
    for name in frame.loc[~frame["cached"], "name"]:
        for get in (load, fetch):
            with pytest.raises(CaveatError):
                get(name)
    assert asked == []


@pytest.mark.thorough
@pytest.mark.parametrize(("data", "codes"), [("iris", [0, 0, 0]), ("adult", [2, 0, 1])])
def test_a_study_is_fetched_planned_and_run_without_a_call(
    asked, tmp_path, data, codes
):
    (tmp_path / "small.yaml").write_text(STUDY.format(data=data))
    found = [
        typed("data", "fetch", "small.yaml"),
        typed("run", "small.yaml", "--dry-run"),
        typed("run", "small.yaml", "--engine", "serial"),
    ]
    assert (found, asked) == (codes, [])


LOOKS = ["list datasets", "data verify", "doctor", "--version"]


@pytest.mark.parametrize("what", LOOKS)
def test_commands_that_look_around_make_no_call(asked, what):
    assert typed(*what.split()) == 0
    assert asked == []


def test_the_count_would_see_a_call(asked):
    with pytest.raises(OSError, match="no network"):
        socket.create_connection(("127.0.0.1", 9))
    assert len(asked) == 1
