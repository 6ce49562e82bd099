import os
import sqlite3
import time

import pytest
import sqlalchemy as sa

from caveat.exceptions import LedgerError
from caveat.study import Finished, Ledger, plan
from caveat.study.ledger._owner import me

ABOUT = [["learner", "fake", {"title": "Fake", "warnings": "none"}]]


def record(value=0.5):
    return {
        "table": {"config": [0], "checkpoint": [None], "test.score": [value]},
        "curves": {},
        "digests": {},
        "notes": [],
        "about": ABOUT,
    }


@pytest.fixture
def path(tmp_path):
    return tmp_path / "small.ledger"


@pytest.fixture
def trials(fake_study):
    return plan(fake_study(learners=["fake"]))


@pytest.fixture
def book(path, trials):
    with Ledger(path, write=True) as ledger:
        ledger.add_study("small", {"study": "small"}, trials)
        yield ledger


def test_a_finished_trial_is_there_whole(book, trials):
    key = trials[0].key
    assert book.claim([key]) == [key]
    assert book.finish("fake", Finished(key, "done", record=record(), seconds=1.5))
    records = book.records()
    assert records.rows["test.score"].tolist() == [0.5]
    assert records.trials.set_index("key").loc[key, "seconds"] == 1.5
    assert records.glossary["learner", "fake"]["title"] == "Fake"
    assert book.counts() == {"done": 1, "pending": 5}


def test_a_late_result_is_dropped_and_noted(book, trials, path):
    key = trials[0].key
    book.claim([key])
    assert book.finish("fake", Finished(key, "done", record=record(0.5)))
    with Ledger(path, write=True) as late:
        late.owner = "elsewhere|boot|1|0"
        assert not late.finish("fake", Finished(key, "done", record=record(0.9)))
    assert book.records().rows["test.score"].tolist() == [0.5]
    raw = sqlite3.connect(path)
    assert raw.execute("SELECT outcome FROM attempt ORDER BY id").fetchall() == [
        ("done",),
        ("late",),
    ]
    raw.close()


def test_a_result_that_is_stored_twice_by_its_own_claim_counts_once(book, trials):
    key = trials[0].key
    book.claim([key])
    ended = Finished(key, "done", record=record(0.5))
    assert book.finish("fake", ended)
    assert book.finish("fake", ended)
    assert len(book.records().rows) == 1


def test_two_runners_never_hold_the_same_trial(book, trials, path):
    keys = [trial.key for trial in trials]
    with Ledger(path, write=True) as second:
        second.owner = "elsewhere|boot|1|0"
        assert book.claim(keys[:4]) == keys[:4]
        assert second.claim(keys) == keys[4:]
        book.release(keys[:1])
        assert second.claim(keys) == keys[:1]


def test_a_lease_runs_out_and_a_heartbeat_renews_it(trials, path, monkeypatch):
    keys = [trial.key for trial in trials]
    clock = [1000.0]
    now = property(lambda ledger: sa.literal(clock[0]))
    monkeypatch.setattr(Ledger, "_now", now)
    with (
        Ledger(path, write=True, lease=30) as first,
        Ledger(path, write=True, lease=30) as second,
    ):
        first.add_study("small", {}, trials)
        second.owner = "elsewhere|boot|1|0"
        assert first.claim(keys[:1]) == keys[:1]
        clock[0] += 20
        first.heartbeat()
        clock[0] += 29
        assert second.claim(keys[:1]) == []
        clock[0] += 2
        assert second.claim(keys[:1]) == keys[:1]


def test_what_an_earlier_run_could_not_give_back_runs_out(trials, path, monkeypatch):
    keys = [trial.key for trial in trials][:1]
    clock = [1000.0]
    now = property(lambda ledger: sa.literal(clock[0]))
    monkeypatch.setattr(Ledger, "_now", now)
    with Ledger(path, write=True, lease=30) as lost:
        lost.add_study("small", {}, trials)
        assert lost.claim(keys) == keys
    with Ledger(path, write=True, lease=30) as again:
        for _ in range(4):
            clock[0] += 10
            again.heartbeat()
        assert again.claim(keys) == keys


def test_leases_are_counted_in_seconds_of_the_databases_clock(book):
    before = time.time()
    with book._read() as connection:
        found = connection.execute(sa.select(book._now)).scalar()
    # SQLite tells milliseconds; both clocks are this machine's.
    assert before - 0.01 <= found <= time.time() + 0.01


def test_claims_of_a_dead_process_are_free_at_once(book, trials, path):
    somebody, _, _ = me().rpartition("|")
    keys = [trial.key for trial in trials]
    with Ledger(path, write=True) as dead:
        dead.owner = f"{somebody}|1"
        dead.claim(keys)
    assert book.claim(keys) == []
    assert book.free_dead() == len(keys)
    assert book.claim(keys) == keys


def test_an_edited_study_keeps_orphans_until_pruned(book, trials):
    keys = [trial.key for trial in trials]
    for key in keys:
        book.finish("fake", Finished(key, "done", record=record()))
    book.add_study("small", {}, trials[:4])
    assert sorted(book.orphans()) == sorted(keys[4:])
    assert book.counts() == {"done": 4}
    book.add_study("small", {}, trials)
    assert book.orphans() == []
    book.add_study("small", {}, trials[:4])
    assert book.prune() == 2
    assert book.prune() == 0
    assert len(book.records().trials) == 4


def test_a_trial_of_two_studies_is_run_once_and_never_orphaned_by_one(book, trials):
    book.add_study("second", {}, trials)
    book.finish("fake", Finished(trials[0].key, "done", record=record()))
    assert len(book.open_keys("small")) == len(book.open_keys("second")) == 5
    book.add_study("small", {}, trials[1:])
    assert book.orphans() == []


def test_failures_can_be_opened_again(book, trials):
    book.finish("fake", Finished(trials[0].key, "done", record=record()))
    book.finish("fake", Finished(trials[1].key, "failed", reason="ValueError"))
    assert book.counts() == {"done": 1, "failed": 1, "pending": 4}
    assert book.forget_failures("small") == 1
    assert book.counts() == {"done": 1, "pending": 5}


def test_names_with_quotes_are_parameters_never_sql(path, fake_study):
    hostile = "x'; DROP TABLE trial; --"
    trials = plan(fake_study())
    with Ledger(path, write=True) as book:
        book.add_study(hostile, {"study": hostile}, trials)
        assert len(book.open_keys(hostile)) == len(trials)
        assert hostile in book.studies()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"just some text", "not a caveat ledger"),
        (b"SQLite format 3\x00" + b"\x00" * 84, "not a caveat ledger"),
        (b"", "no ledger"),
    ],
)
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(path, content, words):
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=words):
        Ledger(path)
    assert path.read_bytes() == content
    assert os.listdir(path.parent) == [path.name]


def test_another_programs_database_is_refused(path):
    raw = sqlite3.connect(path)
    raw.execute("CREATE TABLE mine (x)")
    raw.commit()
    raw.close()
    before = path.read_bytes()
    for write in (True, False):
        with pytest.raises(LedgerError, match="application_id"):
            Ledger(path, write=write)
    assert path.read_bytes() == before


def test_a_file_that_a_killed_runner_left_empty_is_filled(path):
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA journal_mode=WAL")
    raw.close()
    assert path.stat().st_size > 0
    with pytest.raises(LedgerError, match="still empty"):
        Ledger(path)
    with Ledger(path, write=True) as book:
        assert book.counts() == {}


def test_a_database_that_another_program_has_open_is_refused(path):
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA journal_mode=WAL")
    raw.execute("CREATE TABLE theirs (x)")
    raw.commit()
    with pytest.raises(LedgerError, match="not a caveat ledger"):
        Ledger(path, write=True)
    names = raw.execute("SELECT name FROM sqlite_master").fetchall()
    raw.close()
    assert names == [("theirs",)]


def test_a_newer_schema_is_refused_with_both_versions(book, path):
    book.close()
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version=99")
    raw.close()
    with pytest.raises(LedgerError, match=r"schema 99.*knows 2"):
        Ledger(path)


def test_triggers_and_views_of_a_stranger_are_refused(book, path):
    book.close()
    raw = sqlite3.connect(path)
    raw.execute("CREATE VIEW sly AS SELECT 1")
    raw.close()
    with pytest.raises(LedgerError, match="view sly"):
        Ledger(path)


def test_half_a_ledger_is_called_damaged(book, path):
    book.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LedgerError, match="damaged"):
        Ledger(path).records()


def test_a_folder_and_a_missing_folder_are_named(tmp_path):
    with pytest.raises(LedgerError, match="is a folder"):
        Ledger(tmp_path)
    with pytest.raises(LedgerError, match="does not exist"):
        Ledger(tmp_path / "absent" / "x.ledger", write=True)
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger(tmp_path / "x.ledger")
    assert os.listdir(tmp_path) == []


def test_a_read_only_ledger_is_named(book, path, monkeypatch):
    book.close()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(LedgerError, match="read-only"):
        Ledger(path, write=True)
    assert Ledger(path).counts() == {"pending": 6}


def test_a_full_disk_loses_nothing_and_says_so(book, trials, path):
    with book._engine.connect() as connection:
        raw = connection.connection.dbapi_connection
        pages = raw.execute("PRAGMA page_count").fetchone()[0]
    book.close()
    acknowledged = []
    with Ledger(path, write=True) as full:
        with full._engine.connect() as connection:
            raw = connection.connection.dbapi_connection
            raw.execute(f"PRAGMA max_page_count={pages + 6}")
        big = {**record(), "notes": ["x" * 9_000]}

        def finish_all():
            for trial in trials:
                full.finish("fake", Finished(trial.key, "done", record=big))
                acknowledged.append(trial.key)

        with pytest.raises(LedgerError, match=r"full .*bytes free"):
            finish_all()
    with Ledger(path) as reader:
        trials_read = reader.records().trials
    done = trials_read[trials_read["state"] == "done"]["key"]
    assert sorted(done) == sorted(acknowledged)
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    raw.close()


def test_a_reader_changes_no_byte_of_an_idle_ledger(book, path):
    book.close()
    before = path.read_bytes()
    with Ledger(path) as reader:
        reader.records()
        reader.counts()
        with pytest.raises(LedgerError, match="cannot be written"):
            reader.claim(["some key"])
    assert path.read_bytes() == before


def test_a_network_file_system_is_refused_before_anything_is_written(
    path, trials, monkeypatch
):
    monkeypatch.setattr(
        "caveat.study.ledger._database.network_file_system", lambda _: "nfs4"
    )
    with pytest.raises(LedgerError, match=r"nfs4.*PostgreSQL.*journal=delete"):
        Ledger(path, write=True)
    assert os.listdir(path.parent) == []
    with Ledger(f"sqlite:///{path}?journal=delete", write=True) as book:
        book.add_study("small", {}, trials)
        assert not path.with_name(path.name + "-wal").exists()
    assert Ledger(path).counts() == {"pending": 6}
    with pytest.raises(LedgerError, match="neither"):
        Ledger(f"sqlite:///{path}?journal=memory", write=True)


def test_a_password_is_never_shown():
    with pytest.raises(LedgerError) as caught:
        Ledger("postgresql+psycopg://me:secret@127.0.0.1:1/none")
    assert "secret" not in str(caught.value)
