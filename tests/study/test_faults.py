"""Workers that hang, vanish and eat; runners that are killed, stopped and doubled."""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from caveat.study import Finished, Ledger, export, plan, run, run_trial

pytestmark = pytest.mark.fault


@pytest.fixture
def path(tmp_path):
    return tmp_path / "small.ledger"


def outcome(path):
    with Ledger(path) as book:
        return book.records().trials.set_index("learner")


def exported(path):
    with Ledger(path) as book:
        return export(book.records(), path.with_suffix(".csv")).read_bytes()


def start(study, path, engine, tmp_path):
    """Run a study in another process, as the command line would."""
    script = tmp_path / f"runner-{random.getrandbits(32):08x}.py"
    script.write_text(
        textwrap.dedent(f"""
            import sys
            sys.path[:0] = {sys.path!r}
            from caveat.study import run
            study, path, engine = {study!r}, {str(path)!r}, {engine!r}
            summary = run(study, path, engine, jobs={{"processes": 2}}.get(engine))
            print(summary.executed, flush=True)
            sys.exit(130 if summary.interrupted else 0)
            """)
    )
    return subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.mark.parametrize("engine", ["serial", "processes"])
def test_crashing_and_hanging_trials_are_told_apart(fake_study, path, engine):
    ends = fake_study(
        learners=["fake", "vanishes", "kills-itself"], scenario={}, repeats=1
    )
    assert run(ends, path, engine).states == {"crashed": 2, "done": 1}
    # A study of its own: on a slow machine the others might reach the limit, too.
    hangs = fake_study(
        study="hangs",
        learners=["sleeps"],
        scenario={},
        repeats=1,
        budget={"trial-minutes": 0.05},
    )
    assert run(hangs, path, engine).states == {"timeout": 1}
    trials = outcome(path)
    assert "exit code 7" in trials.loc["vanishes", "message"]
    assert "SIGKILL" in trials.loc["kills-itself", "message"]
    assert "3 s" in trials.loc["sleeps", "message"]


def test_a_hungry_trial_is_ended_and_its_size_recorded(fake_study, path):
    study = fake_study(
        learners=["eats-memory", "fake"],
        scenario={},
        repeats=1,
        budget={"trial-memory": "700MB"},
    )
    assert run(study, path, "serial").states == {"done": 1, "oom": 1}
    assert outcome(path).loc["eats-memory", "rss"] > 700e6


def test_a_worker_that_died_once_is_given_a_second_chance(fake_study, path, tmp_path):
    mark = str(tmp_path / "mark")
    study = fake_study(
        learners=[{"name": "vanishes-once", "mark": mark}], scenario={}, repeats=1
    )
    assert run(study, path, "serial").states == {"done": 1}
    raw = sqlite3.connect(path)
    outcomes = [
        row[0] for row in raw.execute("SELECT outcome FROM attempt ORDER BY id")
    ]
    raw.close()
    assert outcomes == ["crashed, tried again", "done"]


def test_every_worker_has_one_thread(fake_study, path):
    study = fake_study(learners=["counts-threads"], scenario={}, repeats=2)
    run(study, path, "processes")
    with Ledger(path) as book:
        assert set(book.records().rows["test.score"]) == {1.0}


@pytest.mark.long
def test_the_table_of_faults_holds_in_its_short_form():
    """Kills, freezes and namespaces: the long form is asked for by `faults.py 200`."""
    script = Path(__file__).parents[2] / "benchmarks" / "faults.py"
    table = subprocess.run(
        [sys.executable, "-W", "ignore", script, "6", "0", "12"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert table.returncode == 0, table.stdout + table.stderr


def done_count(path):
    try:
        raw = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        count = raw.execute("SELECT count(*) FROM result").fetchone()[0]
        raw.close()
    except sqlite3.OperationalError:
        return 0
    return count


def test_an_interrupt_ends_in_order_and_the_study_goes_on(fake_study, path, tmp_path):
    study = fake_study(
        learners=[{"name": "fake", "milliseconds": 20}], scenario={}, repeats=100
    )
    runner = start(study, path, "processes", tmp_path)
    while done_count(path) < 10:
        time.sleep(0.02)
    runner.send_signal(signal.SIGINT)
    assert runner.wait(timeout=20) == 130, runner.stderr.read()
    with Ledger(path) as book:
        counts = book.counts()
    assert "running" not in counts
    assert counts["pending"] > 0
    assert run(study, path, "processes").states == {"done": 100}


def test_two_runners_share_a_study_without_doing_anything_twice(
    fake_study, path, tmp_path
):
    study = fake_study(
        learners=[{"name": "fake", "milliseconds": 5}], scenario={}, repeats=120
    )
    runners = [start(study, path, "serial", tmp_path) for _ in range(2)]
    shares = []
    for runner in runners:
        out, err = runner.communicate(timeout=120)
        assert runner.returncode == 0, err
        shares.append(int(out))
    assert sum(shares) == 120
    whole = tmp_path / "whole.ledger"
    run(study, whole, "serial")
    assert exported(path) == exported(whole)


@pytest.mark.parametrize("together", [1, 3])
@pytest.mark.parametrize("when", ["before", "after"])
def test_every_commit_may_be_the_last(fake_study, tmp_path, when, together):
    """Die around the n-th commit of a runner, for each n, then resume."""
    study = fake_study(learners=["fake"], scenario={}, repeats=6)
    trials = plan(study)
    records = {trial.key: run_trial(trial.spec) for trial in trials}
    whole = tmp_path / "whole.ledger"
    run_to_the_end(whole, trials, records)
    for number in range(1, 16 if together == 1 else 8):
        path = tmp_path / f"{number}.ledger"
        child = os.fork()
        if child == 0:
            die_at_commit(number, when)
            run_to_the_end(path, trials, records, together)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (9, 0)
        run_to_the_end(path, trials, records)
        assert exported(path) == exported(whole)
        with Ledger(path) as book:
            assert book.damage() == []


def run_to_the_end(path, trials, records, together=1):
    """Do what a runner does, in this process."""
    with Ledger(path, write=True) as book:
        book.add_study("small", {}, trials)
        book.free_dead()
        left = book.open_keys("small")
        while left:
            keys, left = left[:together], left[together:]
            assert book.claim(keys) == keys
            ended = [Finished(key, "done", record=records[key]) for key in keys]
            assert book.finish_all([("fake", one) for one in ended]) == set(keys)


def die_at_commit(number, when):
    """Leave this process before or after its n-th transaction is committed."""
    begin = sa.engine.Engine.begin
    count = iter(range(1, 10_000))

    @contextlib.contextmanager
    def mortal(engine):
        last = next(count) == number
        with begin(engine) as connection:
            yield connection
            if last and when == "before":
                os._exit(9)
        if last:
            os._exit(9)

    sa.engine.Engine.begin = mortal


def test_a_study_that_meets_a_full_disk_goes_on_later(fake_study, path, tmp_path):
    study = fake_study(learners=["fake"], scenario={}, repeats=40)
    script = tmp_path / "full.py"
    script.write_text(
        textwrap.dedent(f"""
            import resource, signal, sys
            sys.path[:0] = {sys.path!r}
            from caveat.exceptions import LedgerError
            from caveat.study import run
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (250_000, 250_000))
            try:
                run({study!r}, {str(path)!r}, "serial")
            except LedgerError as error:
                print(error)
                sys.exit(2)
            """)
    )
    ended = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2, ended.stderr
    assert "full" in ended.stdout
    assert "bytes free" in ended.stdout
    assert ended.stdout.count("\n") == 1
    done = done_count(path)
    summary = run(study, path, "serial")
    assert summary.states == {"done": 40}
    assert summary.executed == 40 - done
