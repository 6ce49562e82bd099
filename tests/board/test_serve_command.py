"""`caveat serve` as a person uses it: a live page about a study that goes on."""

import threading
from urllib.request import urlopen

import pytest

from caveat.cli import _serve, main
from caveat.study import Ledger, plan, run

pytestmark = pytest.mark.thorough

STUDY = {
    "study": "live",
    "topic": "supervised",
    "datasets": ["wine"],
    "learners": ["dummy", "k-nn"],
    "baseline": "none",
    "repeats": 2,
}


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Ledger("live.ledger", write=True) as book:
        book.add_study("live", STUDY, plan(STUDY))
    return "live.ledger"


def call(*args):
    with pytest.raises(SystemExit) as stop:
        main(["serve", *args])
    return stop.value.code


@pytest.mark.long
def test_the_page_follows_the_study(ledger, monkeypatch, capsys):
    """The study is run while the page is up; the browser finds the new page."""
    seen = []

    def look(live, server, every, minutes):
        seen.append(urlopen(server.url).read().decode())
        refresh = urlopen(server.url).headers["Refresh"]
        run(STUDY, ledger, "serial")
        assert live.has_changed()
        real(live, server, every, minutes)
        seen.append(urlopen(server.url).read().decode())
        assert (refresh, urlopen(server.url).headers["Refresh"]) == ("1", None)
        assert not live.has_changed()

    real = _serve._follow
    monkeypatch.setattr(_serve, "_follow", look)
    assert call(ledger, "--every", "1", "--minutes", "0.05") == 0
    assert "Live page: http://127.0.0.1:" in capsys.readouterr().out
    assert "k-nn" in seen[1]
    assert seen[0] != seen[1]


def test_it_ends_when_the_time_is_up(ledger):
    assert call(ledger, "--minutes", "0.01") == 0
    assert threading.active_count() < 20


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--host", "0.0.0.0"], "--allow-remote"),
        (["--study", "lvie"], "'live'"),
        (["--port", "99999"], "99999"),
    ],
)
def test_mistakes_are_told_in_one_sentence(ledger, capsys, args, words):
    assert call(ledger, *args, "--minutes", "0.01") == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


def test_a_ledger_that_is_not_there_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert call("none.ledger", "--minutes", "0.01") == 2
    assert "none.ledger" in capsys.readouterr().err
